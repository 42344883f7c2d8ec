"""The robots of the tests: our sample, PyPI's example-robot-data, and documents read from files of
other programs."""

from __future__ import annotations

import functools
import importlib.metadata
import shutil
from pathlib import Path

import pytest

from editor_app.core.formats.exchange.codec import RobotFiles
from editor_app.core.formats.exchange.conversion import ConversionReport
from editor_app.core.formats.exchange.stated_values import StatedValues
from editor_app.core.formats.srdf import SrdfSource
from editor_app.core.formats.urdf import UrdfSource
from editor_app.core.formats.xrdf import XrdfSource
from editor_app.core.model.srdf import Srdf
from editor_app.core.model.urdf import Urdf
from tests.helpers.breadth import DEEP

REPOSITORY = Path(__file__).resolve().parents[2]
SHARED = REPOSITORY.parent / "shared"

#: A robot without files beside it; the collision shape of its arm is a small ball in a large box.
PARTIAL_COLLISION = """<robot name="r">
  <link name="foot"><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <link name="arm">
    <visual><origin xyz="0 0 0.15"/><geometry><box size="0.06 0.06 0.3"/></geometry></visual>
    <collision><origin xyz="0 0 0.01"/><geometry><sphere radius="0.01"/></geometry></collision></link>
  <joint name="a" type="revolute"><parent link="foot"/><child link="arm"/><origin xyz="0 0 0.06"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>"""
#: Links of example-robot-data's z1 whose collision shapes are partial (0, 3, 4), or that have none.
Z1_BY_VISUALS = {"link00", "link01", "link03", "link04", "link05"}


def shared_robots() -> Path:
    """The folder of real robots beside the repository; skips the test when it is not there."""
    folder = SHARED / "robots"
    if not folder.is_dir():
        pytest.skip("no ../shared/robots beside the repository")
    return folder


def ur10() -> Path:
    """The URDF of the UR10e beside the repository, else of example-robot-data's UR10, whose names
    are the same."""
    shared = SHARED / "robots" / "ur10e" / "ur10e.urdf"
    return (
        shared
        if shared.is_file()
        else example_robots() / "ur_description" / "urdf" / "ur10_robot.urdf"
    )


def has_shared_robots() -> bool:
    return (SHARED / "robots").is_dir()


@functools.cache
def example_robots() -> Path:
    """The `robots` folder of PyPI's example-robot-data, a test dependency. Fails when it is not
    installed."""
    for file in importlib.metadata.files("example-robot-data") or ():
        parts = file.parts
        if "robots" in parts and "example-robot-data" in parts:
            located = Path(str(file.locate()))
            return next(parent for parent in located.parents if parent.name == "robots")
    raise AssertionError("example-robot-data has no robots folder")


@functools.cache
def example_urdfs() -> tuple[Path, ...]:
    """Every URDF of example-robot-data, sorted."""
    return tuple(sorted(example_robots().rglob("*.urdf")))


@functools.cache
def example_kinds() -> tuple[Path, ...]:
    """One URDF of each of its folders, sorted: the others there are the same robot with a hand more
    or other limits.

    In a deep run, all of them.
    """
    if DEEP:
        return example_urdfs()
    kinds: dict[Path, Path] = {}
    for path in example_urdfs():
        kinds.setdefault(example_robots() / path.relative_to(example_robots()).parts[0], path)
    return tuple(kinds.values())


def example_mappings() -> dict[str, Path]:
    """Package mappings of example-robot-data: its meshes are
    package://example-robot-data/robots/…."""
    return {"example-robot-data": example_robots().parent}


def sample_urdf() -> Path:
    """The URDF of the bundled sample robot."""
    return next((REPOSITORY / "resources").rglob("*.urdf"))


def copy_of_sample(folder: Path, bare: bool = False) -> Path:
    """Copies the sample robot into `folder`, which must not be there yet; returns the URDF. `bare`
    leaves out its XRDF and its SRDF."""
    shutil.copytree(
        sample_urdf().parent, folder, ignore=shutil.ignore_patterns("*.[xs]rdf") if bare else None
    )
    return folder / sample_urdf().name


def urdf_of(files: RobotFiles) -> Urdf:
    assert files.urdf is not None
    return files.urdf.value


def srdf_of(files: RobotFiles) -> Srdf:
    assert files.srdf is not None
    return files.srdf.value


def text_of(source: UrdfSource | SrdfSource | XrdfSource | None) -> str:
    """The text of a document; "" where there is none."""
    return source.source.text if source is not None else ""


def stated_of(files: RobotFiles) -> StatedValues:
    assert files.stated is not None
    return files.stated


def report_of(files: RobotFiles) -> ConversionReport:
    assert files.report is not None
    return files.report
