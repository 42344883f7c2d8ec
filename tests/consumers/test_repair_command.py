"""The command repair fixes all errors at once, marks invented numbers, and uses the manufacturer's
limits."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import editor_app
from editor_app.cli import is_command, list_commands, run_command
from editor_app.core.document.document import Document
from editor_app.core.document.state import FileKind
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.findings import Severity
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Limit, Urdf
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.tree import build_tree
from editor_app.core.tasks.work import Refused
from editor_app.core.text.source import SourceText
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import run_rules
from editor_app.plugins.consumers.cli.repair import report_lines
from editor_app.plugins.consumers.verbs.repair import Repair, ValueOrigin
from tests.helpers.curobo import MUTATIONS, URDF, XRDF

#: Everything at once: no limit, no speed, an axis askew, a version in quotes, a key with nothing
#: behind it.
BROKEN = (
    URDF.replace('\n    <limit effort="40" velocity="3"/>', "")
    .replace(
        'lower="-2" upper="2" effort="50" velocity="2"',
        'lower="0" upper="0" effort="0" velocity="0"',
    )
    .replace('<axis xyz="0 0 1"/>', '<axis xyz="0 0.6 0.8"/>', 1)
)
BROKEN_XRDF = XRDF.replace("format_version: 1.0", 'format_version: "1.0"')


def document(urdf: str = BROKEN, xrdf: str = BROKEN_XRDF) -> Document:
    return Document(read_urdf(SourceText.from_text(urdf)), read_xrdf(SourceText.from_text(xrdf)))


def vendor() -> Urdf:
    return read_urdf(SourceText.from_text(URDF)).value


def limit_of(repaired: Repair, joint: str) -> Limit:
    limit = next(j.limit for j in repaired.state.robot.urdf.joints if j.name == joint)
    assert limit is not None
    return limit


def errors(urdf: str, xrdf: str) -> list[str]:
    source = read_xrdf(SourceText.from_text(xrdf))
    robot = RobotDescription(read_urdf(SourceText.from_text(urdf)).value, source.value)
    findings = run_rules(CheckContext(robot, source, Profile.CUROBO))
    return [f.code for f in findings if f.severity is Severity.ERROR]


def test_the_robot_has_errors_and_is_mended_in_one_step() -> None:
    robot = document()
    before = robot.urdf_text, robot.xrdf_text
    assert len(errors(*before)) >= 4
    repaired = editor_app.repair(robot)
    assert repaired.remaining == ()
    assert repaired.label.endswith(" errors for cuRobo")
    assert (robot.urdf_text, robot.xrdf_text) == before, "nothing is changed before it is applied"
    robot.replace_texts(repaired.texts, repaired.label)
    assert errors(robot.urdf_text, robot.xrdf_text) == []
    robot.undo()
    assert (robot.urdf_text, robot.xrdf_text) == before


def test_placeholders_are_told_as_invented() -> None:
    repaired = editor_app.repair(document())
    told = "\n".join(str(step) for step in repaired.invented)
    for joint in ("j1", "j2"):
        assert f"Joint {joint}: " in told
    assert "lower -3.14159, upper 3.14159" in told
    assert len(repaired.invented) < len(repaired.steps), (
        "an axis that was turned is no invented number"
    )


def test_limits_come_from_the_vendor_where_it_has_them() -> None:
    repaired = editor_app.repair(document(), vendor=vendor())
    assert repaired.invented == ()
    assert limit_of(repaired, "j1") == Limit(-2, 2, 50, 2)
    assert (limit_of(repaired, "j2").effort, limit_of(repaired, "j2").velocity) == (40, 3)
    assert any(step.origin is ValueOrigin.VENDOR and "j1" in step.text for step in repaired.steps)


def test_told_limits_go_before_the_vendors() -> None:
    repaired = editor_app.repair(
        document(), vendor=vendor(), limits={"j1": Limit(velocity=7.0), "j3": Limit(upper=0.15)}
    )
    assert limit_of(repaired, "j1") == Limit(-2, 2, 50, 7)
    assert limit_of(repaired, "j3").upper == 0.15, "what is told replaces what is there"
    assert sum(step.origin is ValueOrigin.TOLD for step in repaired.steps) == 2


@pytest.mark.parametrize("joint", ["nobody", "flange"])
def test_limits_of_no_joint_are_refused(joint: str) -> None:
    with pytest.raises(Refused, match=joint):
        editor_app.repair(document(), limits={joint: Limit(velocity=1.0)})


def test_swapped_limits_are_the_files_own_numbers() -> None:
    swapped = URDF.replace('lower="-2" upper="2"', 'lower="2" upper="-2"', 1)
    repaired = editor_app.repair(document(swapped, XRDF))
    assert (limit_of(repaired, "j1").lower, limit_of(repaired, "j1").upper) == (-2, 2)
    assert repaired.invented == ()


def test_no_frame_moves_in_any_pose() -> None:
    robot = document()
    repaired = editor_app.repair(robot)
    old, new = build_tree(robot.robot.urdf), build_tree(repaired.state.robot.urdf)
    pose = {"j1": 0.4, "j2": -0.7, "j3": 0.1}
    was, now = compute_forward(old, pose), compute_forward(new, pose)
    for name in old.frames:
        assert np.allclose(was[old.index[name]], now[new.index[name]], atol=1e-9), name


def test_a_sound_robot_stays_as_it_is() -> None:
    repaired = editor_app.repair(document(URDF, XRDF))
    assert repaired.texts == {}
    assert repaired.steps == ()


def test_a_robot_without_spheres_is_told_although_nothing_is_refused() -> None:
    assert not editor_app.repair(document(URDF, XRDF)).warning
    bare = editor_app.repair(
        document(URDF, re.sub(r"^geometry:.*?(?=^\S|\Z)", "", XRDF, flags=re.M | re.S))
    )
    assert "no spheres" in bare.warning
    assert "no spheres" in report_lines(bare)[-1]


#: What no rule knows the right answer to: the robot would lose a part of itself, or a value is
#: missing.
BY_HAND = {
    "floating joint", "planar joint", "frame_name absent", "joint_name absent", "fixed_transform without position",
    "parent of an added frame "
    "unknown", "base frame unknown", "base frame cuts off what has spheres",
    "unknown modifier", "spheres of one link alone", "sphere without a radius",
    "sphere without a centre", "ignore: empty list",
}  # fmt: skip


def test_whatever_needs_no_thought_is_mended() -> None:
    for case in MUTATIONS:
        repaired = editor_app.repair(document(*case.apply()))
        left = [finding.code for finding in repaired.remaining]
        assert not left or case.name in BY_HAND, (case.name, left)


def test_no_remedy_takes_the_robot_apart() -> None:
    for case in MUTATIONS:
        robot = document(*case.apply())
        repaired = editor_app.repair(robot)
        had, has = (r.xrdf.cspace for r in (robot.robot, repaired.state.robot))
        if had is not None and had.joint_names and has is not None:
            assert len(has.joint_names or ()) >= len(had.joint_names) - 1, case.name


def test_typed_text_is_not_passed_over() -> None:
    robot = document()
    robot.type_text(FileKind.XRDF, "format: xrdf\nformat_version: [")
    with pytest.raises(Refused, match="typed"):
        editor_app.repair(robot)


# -- on the command line


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    mesh = '<collision><geometry><mesh filename="meshes/a.stl"/></geometry></collision></link>'
    urdf, xrdf = tmp_path / "robot.urdf", tmp_path / "robot.xrdf"
    first = BROKEN.index("<link name=")
    end = BROKEN.index(">", first)
    name = BROKEN[first : end + 1]
    assert name.endswith("/>"), name
    urdf.write_text(BROKEN.replace(name, name[:-2] + ">" + mesh, 1), encoding="utf-8")
    xrdf.write_text(BROKEN_XRDF, encoding="utf-8")
    return urdf, xrdf


def test_the_command_writes_another_folder(
    files: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = [path.read_bytes() for path in files]
    out = tmp_path / "deep" / "out"
    assert run_command("repair", [*map(str, files), "-o", str(out)]) == 0
    told = capsys.readouterr().out
    assert "invented" in told
    assert "; " in told
    assert [path.read_bytes() for path in files] == before
    urdf, xrdf = ((out / path.name).read_text(encoding="utf-8") for path in files)
    assert errors(urdf, xrdf) == []
    assert '"../../meshes/a.stl"' in urdf, "meshes are found from where the URDF is now"
    assert run_command("repair", [*map(str, files), "-o", str(out)]) == 2, (
        "a file that is there is not overwritten"
    )
    assert run_command("repair", [*map(str, files), "-o", str(out), "--force"]) == 0
    assert run_command("repair", [*map(str, files), "-o", str(tmp_path), "--force"]) == 2, (
        "nor are the originals"
    )


def test_the_command_mends_in_place_with_vendor_and_told_limits(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    (tmp_path / "vendor.urdf").write_text(URDF, encoding="utf-8")
    told = ["--limits-from", str(tmp_path / "vendor.urdf"), "--limit", "j1:velocity=90deg"]
    assert run_command("repair", [*map(str, files), "--in-place", *told]) == 0
    joints = {j.name: j for j in read_urdf(SourceText.read(files[0])).value.joints}
    limit = joints["j1"].limit
    assert limit is not None
    assert limit.velocity == pytest.approx(np.pi / 2)
    assert limit.effort == 50


def test_without_a_target_nothing_is_written(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    before = [path.read_bytes() for path in files]
    assert run_command("repair", [*map(str, files)]) == 0
    assert "nothing was written" in capsys.readouterr().out
    assert [path.read_bytes() for path in files] == before


@pytest.mark.parametrize("wrong", ["j1=2", "j1:speed=2", ":velocity=2", "j1:velocity=fast"])
def test_limits_that_make_no_sense_are_refused(files: tuple[Path, Path], wrong: str) -> None:
    assert run_command("repair", [*map(str, files), "--limit", wrong]) == 2


def test_the_command_mend_is_repair_with_a_note(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / "arm.urdf", tmp_path / "arm.xrdf"]
    for path, text in zip(files, (URDF, XRDF), strict=True):
        path.write_text(text, encoding="utf-8")
    assert is_command("mend")
    assert "mend" not in list_commands()
    assert run_command("mend", list(map(str, files))) == 0
    told = capsys.readouterr()
    assert "the command mend is named repair now" in told.err
    assert run_command("repair", list(map(str, files))) == 0
    now = capsys.readouterr()
    assert (now.out, "mend" in now.err) == (told.out, False)
