"""Where the robots of the tests are: our sample, PyPI's example-robot-data, and the folder beside us."""

from __future__ import annotations

import functools
import importlib.metadata
import shutil
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SHARED = REPOSITORY.parent / "shared"


def shared_robots() -> Path:
    """The folder of real robots beside the repository; skips the test when it is not there."""
    folder = SHARED / "robots"
    if not folder.is_dir():
        pytest.skip("no ../shared/robots beside the repository")
    return folder


def has_shared_robots() -> bool:
    return (SHARED / "robots").is_dir()


@functools.cache
def example_robots() -> Path:
    """The `robots` folder of PyPI's example-robot-data, a test dependency. Fails when it is not installed."""
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


def example_mappings() -> dict[str, Path]:
    """Package mappings of example-robot-data: its meshes are package://example-robot-data/robots/…."""
    return {"example-robot-data": example_robots().parent}


def sample_urdf() -> Path:
    """The URDF of the bundled sample robot."""
    return next((REPOSITORY / "resources").rglob("*.urdf"))


def copy_of_sample(folder: Path, bare: bool = False) -> Path:
    """Copies the sample robot into `folder`, which must not be there yet; returns the URDF. `bare` leaves out its XRDF
    and its SRDF."""
    shutil.copytree(sample_urdf().parent, folder, ignore=shutil.ignore_patterns("*.[xs]rdf") if bare else None)
    return folder / sample_urdf().name
