"""A foreign format is one module: when it lies among the others, everything knows it; and each says
what it can."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from editor_app.cli import run_command
from editor_app.core.formats import registry
from editor_app.core.formats.exchange.codec import ConvertOptions
from editor_app.core.formats.misnamed_files import UnreadKind
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.verbs.convert import convert
from editor_app.features.checks.verbs.check_files import check_files
from tests.helpers.documents import CLEAN, URDF
from tests.helpers.plug_ins import installed_plug_in

MODULE = '''"""A list of links: a format of this test."""

from editor_app.core.formats.exchange.codec import *
from editor_app.core.formats.exchange.codec import Writer
from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.formats.exchange.sphere_lists import SphereList
from editor_app.core.text.source import SourceText
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.xrdf import CollisionSphere


def _read(file, context):
    out = Reporter("links", "XRDF")
    names = get_source(file).text.split()[1:]
    radius = 0.5 if context.options.is_on("large") else 0.25
    spheres = FrozenDict((name, (CollisionSphere((0.0, 0.0, 0.0), radius),)) for name in names)
    out.taken("links", " ".join(names))
    return SphereList(spheres, out.report())


def _write(subject, output, options):
    out = Reporter("robot", "links")
    text = "LINKS " + " ".join(link.name for link in subject.robot.urdf.links)
    return Conversion(((output, text.encode()),), (*subject.reports, out.report()), subject.notes)


CODEC = Codec(
    name="links",
    title="Lin&ks",
    pattern="*.links",
    recognise=lambda sample: not sample.is_yaml and sample.source.text.startswith("LINKS"),
    read=_read,
    joins=True,
    choices=(Choice("large", "Large", "larger spheres", (("no", False), ("yes", True))),),
    writer=Writer(_write, (".links",), ".links", frozenset({Part.LINKS})),
)
'''


@pytest.fixture
def links_format(tmp_path: Path) -> Iterator[None]:
    with installed_plug_in(tmp_path / "site", "links_of_a_test", {"codec.py": MODULE}):
        yield


@pytest.fixture
def robot(tmp_path: Path) -> tuple[Path, Path]:
    urdf, xrdf = tmp_path / "arm.urdf", tmp_path / "arm.xrdf"
    urdf.write_text(URDF)
    xrdf.write_text(CLEAN)
    return urdf, xrdf


@pytest.mark.usefixtures("links_format")
def test_a_module_among_the_others_is_a_format(robot: tuple[Path, Path], tmp_path: Path) -> None:
    urdf, _ = robot
    out = tmp_path / "arm.links"
    assert run_command("convert", [str(urdf), str(out)]) == 0
    assert out.read_text().startswith("LINKS world base")
    back = tmp_path / "back.xrdf"
    assert run_command("convert", [str(urdf), str(out), str(back), "--large"]) == 0
    assert "radius: 0.5" in back.read_text()
    assert registry.recognise_format(out).name == "links"
    from editor_app.window.files.importing import targets

    assert targets()["links"] == "Lin&ks…"


def test_without_it_there_is_no_such_format(robot: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "arm.links").write_text("LINKS base")
    with pytest.raises(FormatError, match="The format of this file is not supported"):
        registry.recognise_format(tmp_path / "arm.links")
    with pytest.raises(FormatError, match="does not identify the format") as refused:
        convert(robot, tmp_path / "out.links")
    for codec in registry.writable():
        assert codec.name in str(refused.value)


def test_every_format_that_can_be_written_and_read_is_recognised_in_what_it_wrote(
    robot: tuple[Path, Path], tmp_path: Path
) -> None:
    for codec in registry.writable():
        assert codec.writer is not None
        conversion = convert(
            robot, tmp_path / f"out{codec.writer.proposal}", ConvertOptions(to=codec.name)
        )
        path, data = conversion.files[0]
        if codec.name == "moveit-package":
            # A folder, whose first file tells nothing of the robot.
            continue
        if codec.read is None and codec.name != "spheres-urdf":
            # What is written alone is no format of a robot, and named where its content tells what
            # it is.
            with pytest.raises(UnreadKind if codec.name == "usd" else FormatError):
                registry.recognise_format(path, _text(path, data))
            continue
        if codec.name != "spheres-urdf":
            assert registry.recognise_format(path, _text(path, data)).name == codec.name
        if codec.name == "usd":
            # Its library reads files by their endings: the error says how to name it.
            with pytest.raises(UnreadKind, match=r"Name it \.usd"):
                registry.recognise_format(
                    path.with_name("file"), _text(path.with_name("file"), data)
                )
            continue
        # By its content alone, too.
        # What is YAML or JSON is looked into only under such a name.
        is_yaml = data.startswith(
            (b"robot_cfg", b"api_version", b"format", b"collision_spheres", b"{")
        )
        bare = path.with_name("file.yml" if is_yaml else "file")
        said = registry.recognise_format(bare, _text(bare, data)).name
        assert said == {"spheres-urdf": "urdf"}.get(codec.name, codec.name)


def _text(path: Path, data: bytes) -> SourceText:
    return SourceText.from_bytes(data, path)


@pytest.mark.parametrize("name", ["empty.urdf", "empty.xml"])
def test_a_robot_without_elements_is_told_to_have_no_link(tmp_path: Path, name: str) -> None:
    """Not taken for an SRDF, which would ask for the URDF that was named."""
    path = tmp_path / name
    text = (
        '<robot xmlns:xacro="http://wiki.ros.org/xacro">\n  <!-- <group name="arm"/> was here '
        "-->\n</robot>\n"
    )
    path.write_text(text, encoding="utf-8")
    assert registry.recognise_format(path).name == "urdf"
    codes = {finding.code for file in check_files([path]) for finding in file.findings}
    assert codes == {"URDF001", "URDF002"}
    path.write_text('<robot name="arm"><joint_property joint_name="j"/></robot>', encoding="utf-8")
    assert registry.recognise_format(path).name == "srdf"
