"""joint_limits.yaml, kinematics.yaml, initial_positions.yaml: read, patched without touching the
rest, judged."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_app.core.document.commands import RenameJoint, SetField
from editor_app.core.document.commands.fields import OfInitialPositions, OfMotionLimit
from editor_app.core.document.commands.lists import set_item
from editor_app.core.document.document import Document
from editor_app.core.document.opening import open_document
from editor_app.core.document.saving import save_all
from editor_app.core.document.state import SETTINGS_FILES, FileKind
from editor_app.core.formats.ros_settings import (
    kind_of_settings,
    patch_settings,
    read_settings,
    settings_text,
)
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.urdf.xacro import expand_xacro
from editor_app.core.model.findings import Severity
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import CannotApply
from editor_app.core.model.ros_settings import (
    InitialPositions,
    MotionLimit,
    MotionLimits,
    Settings,
    Solver,
    Solvers,
)
from editor_app.core.text.source import FormatError, SourceText
from editor_app.features.checks.verbs.check import check
from editor_app.plugins.motion.engine.limits import list_limits
from tests.helpers.documents import CLEAN, URDF
from tests.helpers.moveit_package import KINEMATICS, LIMITS, POSITIONS, SRDF

TEXTS = {
    "arm.urdf": URDF,
    "arm.xrdf": CLEAN,
    "arm.srdf": SRDF,
    "joint_limits.yaml": LIMITS,
    "kinematics.yaml": KINEMATICS,
    "initial_positions.yaml": POSITIONS,
}

values = st.one_of(st.none(), st.floats(0.0, 1e6, allow_nan=False))
flags = st.one_of(st.none(), st.booleans())
names = st.sampled_from(["shoulder", "elbow", "j 1", "über", "yes", "1.0"])
limit = st.builds(MotionLimit, flags, values, values, flags, values, flags, values, flags, values)
settings: st.SearchStrategy[Settings] = st.one_of(
    st.builds(
        MotionLimits, values, values, st.dictionaries(names, limit, max_size=4).map(FrozenDict)
    ),
    st.builds(
        Solvers,
        st.dictionaries(
            names, st.builds(Solver, st.sampled_from([None, "kdl/KDL"]), values, values), max_size=3
        ).map(FrozenDict),
    ),
    st.builds(
        InitialPositions, st.dictionaries(names, st.floats(-10, 10), max_size=4).map(FrozenDict)
    ),
)


def opened(folder: Path, **changed: str) -> Document:
    for name, text in {
        **TEXTS,
        **{key.replace("__", "."): value for key, value in changed.items()},
    }.items():
        (folder / name).write_text(text)
    return open_document(
        folder / "arm.urdf", settings={kind: folder / name for kind, name in SETTINGS_FILES.items()}
    )


@given(settings, st.data())
def test_what_is_written_is_read_back_and_a_patch_says_what_is_wanted(
    value: Settings, data: st.DataObject
) -> None:
    source = read_settings(type(value), SourceText.from_text(settings_text(value)))
    assert source.value == value
    other = data.draw(settings.filter(lambda other: type(other) is type(value)))
    assert patch_settings(source, other).value == other
    assert patch_settings(source, value) is source


def test_a_limit_of_nought_in_the_place_of_a_flag_that_is_off_is_a_number() -> None:
    before = MotionLimits(
        joints=FrozenDict({"elbow": MotionLimit(has_jerk_limits=False, max_jerk=0.0)})
    )
    after = MotionLimits(
        joints=FrozenDict({"elbow": MotionLimit(max_acceleration=0.0, max_jerk=0.0)})
    )
    patched = patch_settings(
        read_settings(MotionLimits, SourceText.from_text(settings_text(before))), after
    )
    assert patched.value == after
    assert "max_acceleration: 0.0" in patched.source.text


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (
            MotionLimits,
            "joint_limits:\n  a: {max_velocity: 1.5}\n",
            {"a": MotionLimit(max_velocity=1.5)},
        ),
        (
            MotionLimits,
            "/**:\n  ros__parameters:\n    joint_limits:\n      a: {max_jerk: 2.0}\n",
            {"a": MotionLimit(max_jerk=2.0)},
        ),
        (InitialPositions, "a: 1\nb: -0.5\n", {"a": 1.0, "b": -0.5}),
        (InitialPositions, "# nothing yet\n", {}),
        (Solvers, "arm:\n  kinematics_solver: x\n  position_only_ik: true\n", {"arm": Solver("x")}),
    ],
)
def test_forms_that_real_packages_have_are_read_and_keep_the_rest(
    kind: type, text: str, value: dict[str, object]
) -> None:
    source: Any = read_settings(kind, SourceText.from_text(text))
    table = "groups" if kind is Solvers else "joints"
    assert getattr(source.value, table) == value
    assert source.findings == ()
    added = kind(
        **{
            table: FrozenDict(
                {
                    **value,
                    "new": {MotionLimits: MotionLimit(max_velocity=1.0), Solvers: Solver("y")}.get(
                        kind, 2.0
                    ),
                }
            )
        }
    )
    patched = patch_settings(source, added)
    assert patched.value == added
    assert patched.source.text.startswith(text.rstrip("\n").partition("}")[0])


def test_what_is_no_mapping_is_refused_with_its_place() -> None:
    with pytest.raises(FormatError, match="not a mapping of settings"):
        read_settings(Solvers, SourceText.from_text("- a\n"))


def test_an_edit_changes_its_value_alone_and_is_saved_with_the_rest_as_it_was(
    tmp_path: Path,
) -> None:
    document = opened(tmp_path)
    assert not document.is_modified
    document.execute(SetField(OfMotionLimit("shoulder"), "max_velocity", 0.75))
    assert document.modified_kinds == (FileKind.LIMITS,)
    assert document.text(FileKind.LIMITS) == LIMITS.replace("0.50", "0.75")
    assert save_all(document) == (tmp_path / "joint_limits.yaml",)
    assert (tmp_path / "joint_limits.yaml").read_text() == LIMITS.replace("0.50", "0.75")
    assert not document.is_modified
    assert document.undo()
    assert document.text(FileKind.LIMITS) == LIMITS
    # A limit that is given a value counts, one that loses it does not.
    document.execute(SetField(OfMotionLimit("elbow"), "max_jerk", 30.0))
    assert document.robot.limits is not None
    assert document.robot.limits.joints["elbow"].jerk == 30.0
    document.execute(SetField(OfMotionLimit("elbow"), "max_jerk", None))
    assert document.text(FileKind.LIMITS) == LIMITS
    with pytest.raises(CannotApply, match="without a sign"):
        document.execute(SetField(OfMotionLimit("elbow"), "max_velocity", -1.0))


def test_names_are_followed_and_comments_stay(tmp_path: Path) -> None:
    document = opened(tmp_path)
    document.execute(RenameJoint("shoulder", "first"))
    assert document.text(FileKind.LIMITS) == LIMITS.replace("shoulder", "first")
    assert document.text(FileKind.POSITIONS) == POSITIONS.replace("shoulder", "first")
    group = document.robot.srdf.groups[0]  # type: ignore[union-attr]
    document.execute(set_item("srdf.groups", group.name, replace(group, name="arm")))
    assert document.text(FileKind.KINEMATICS) == KINEMATICS.replace("manipulator", "arm")
    assert document.undo()
    assert document.undo()
    assert not document.is_modified


def test_typed_text_is_a_step_and_a_fault_names_its_line(tmp_path: Path) -> None:
    document = opened(tmp_path)
    document.replace_texts({FileKind.LIMITS: LIMITS.replace("2.50", "3.0")}, "Edit text")
    assert document.robot.limits is not None
    assert document.robot.limits.joints["shoulder"].acceleration == 3.0
    with pytest.raises(FormatError) as error:
        document.replace_texts({FileKind.LIMITS: "joint_limits: [\n"}, "Edit text")
    assert error.value.location is not None


def test_motions_keep_to_the_stricter_of_two_files(tmp_path: Path) -> None:
    robot = opened(tmp_path).robot
    limits = list_limits(robot, ("shoulder", "elbow"))
    # URDF 1 and 2 rad/s, XRDF 10 rad/s²; joint_limits.yaml 0.5 rad/s and 2.5 rad/s² for the
    # shoulder.
    assert limits.velocity.tolist() == [0.5, 2.0]
    assert limits.acceleration.tolist() == [2.5, 10.0]
    assert limits.jerk.tolist() == [500.0, 500.0]


CASES = (
    ("ROS001", "joint_limits.yaml", "max_velocity: 0.50", "max_velocity: fast", None),
    ("ROS002", "joint_limits.yaml", "max_velocity: 0.50", "max_velocity: 1", None),
    ("ROS003", "joint_limits.yaml", "  shoulder:", "  sholder:", 0),
    ("ROS003", "initial_positions.yaml", "elbow", "nothing_like_it", 0),
    ("ROS004", "joint_limits.yaml", "    has_velocity_limits: true\n", "", 0),
    ("ROS004", "joint_limits.yaml", "    max_velocity: 0.50  # measured\n", "", 0),
    ("ROS005", "joint_limits.yaml", "0.50", "5.0", 0),
    ("ROS006", "joint_limits.yaml", "2.50", "4.0", 0),
    ("ROS006", "joint_limits.yaml", "2.50", "4.0", 1),
    (
        "ROS007",
        "joint_limits.yaml",
        "    max_velocity",
        "    max_position: 2.5\n    max_velocity",
        0,
    ),
    ("ROS007", "joint_limits.yaml", "  elbow:\n", "  elbow:\n    min_position: -9.0\n", 0),
    ("ROS008", "kinematics.yaml", "manipulator:", "manipulatr:", 0),
    ("ROS009", "initial_positions.yaml", "shoulder: 0.30", "shoulder: 3.30", 0),
    (
        "ROS015",
        "joint_limits.yaml",
        "has_acceleration_limits: true",
        "has_acceleration_limits: false",
        0,
    ),
    ("ROS015", "joint_limits.yaml", "max_acceleration: 2.50", "max_acceleration: 0.0", 0),
    ("ROS015", "joint_limits.yaml", "has_velocity_limits: true", "has_velocity_limits: false", 0),
    ("ROS016", "joint_limits.yaml", "max_velocity: 0.50", "max_velocity: !degrees 28", None),
    ("ROS014", "joint_limits.yaml", "  elbow:\n", "  shoulder: {}\n  elbow:\n", None),
)


@pytest.mark.parametrize("profile", [Profile.MOVEIT, Profile.CUROBO])
def test_moveit_plans_nothing_without_accelerations(tmp_path: Path, profile: Profile) -> None:
    """The setup assistant writes has_acceleration_limits: false, with 0."""
    text = LIMITS.replace(
        "has_acceleration_limits: true", "has_acceleration_limits: false"
    ).replace("2.50", "0.0")
    document = opened(tmp_path, joint_limits__yaml=text)
    (finding,) = [each for each in check(document, profile=profile) if each.code == "ROS015"]
    assert finding.severity is (Severity.ERROR if profile is Profile.MOVEIT else Severity.WARNING)
    assert finding.subject.joints == ("shoulder", "elbow")
    document.execute(finding.fixes[0])
    limits = document.robot.limits
    assert limits is not None
    # The shoulder has the limit of the XRDF, the elbow the one in its entry.
    assert [limits.joints[name].acceleration for name in ("shoulder", "elbow")] == [10.0, 10.0]
    assert "ROS015" not in {each.code for each in check(document, profile=profile)}


def test_joints_without_an_entry_lack_accelerations_and_have_the_velocity_of_the_urdf(
    tmp_path: Path,
) -> None:
    document = opened(tmp_path, joint_limits__yaml="joint_limits: {}\n")
    (finding,) = [each for each in check(document) if each.code == "ROS015"]
    assert "max_acceleration" in finding.message
    assert finding.subject.joints == ("shoulder", "elbow")


def test_joints_of_no_group_need_no_limits(tmp_path: Path) -> None:
    group = '<group name="manipulator"><joint name="shoulder"/></group>'
    srdf = SRDF.replace(
        '<group name="manipulator"><chain base_link="base" tip_link="hand"/></group>', group
    )
    text = LIMITS.replace("max_acceleration: 10.0", "max_acceleration: 0.0")
    assert "ROS015" not in {
        each.code for each in check(opened(tmp_path, arm__srdf=srdf, joint_limits__yaml=text))
    }


def test_units_are_those_of_xacro(tmp_path: Path) -> None:
    """xacro reads initial_positions.yaml and knows them; ROS 2 reads joint_limits.yaml, and does
    not."""
    positions = (
        "initial_positions:\n  shoulder: !degrees 90\n  elbow: !radians 0.5\n  grip: !millimeters "
        "250\n"
    )
    document = opened(tmp_path, initial_positions__yaml=positions)
    assert document.robot.positions is not None
    joints = dict(document.robot.positions.joints)
    values = "${xacro.load_yaml('initial_positions.yaml')['initial_positions'].values()}"
    text = (
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="r"><link '
        f'name="{values}"/></robot>'
    )
    (tmp_path / "values.xacro").write_text(text)
    (link,) = read_urdf(expand_xacro(tmp_path / "values.xacro")).value.links
    numbers = [float(number) for number in re.findall(r"[-\d.e]*\d", link.name)]
    assert list(joints.values()) == pytest.approx(numbers)
    assert joints["grip"] == 0.25
    assert not [each for each in check(document) if each.code == "ROS016"]
    document.execute(SetField(OfInitialPositions(), ("joints", "shoulder"), 1.0))
    assert document.text(FileKind("positions")) == positions.replace("!degrees 90", "1.0")


@pytest.mark.parametrize(("code", "file", "old", "new", "fix"), CASES)
def test_a_broken_rule_is_found_in_its_line_and_its_remedy_cures_it(
    tmp_path: Path, code: str, file: str, old: str, new: str, fix: int | None
) -> None:
    sound = opened(tmp_path, arm__xrdf=CLEAN.replace("[10.0, 10.0", "[2.5, 10.0"))
    assert [each.message for each in check(sound) if each.code.startswith("ROS")] == []
    assert old in TEXTS[file]
    texts = {
        "arm__xrdf": CLEAN.replace("[10.0, 10.0", "[2.5, 10.0"),
        file.replace(".", "__"): TEXTS[file].replace(old, new, 1),
    }
    document = opened(tmp_path, **texts)
    findings = [each for each in check(document) if each.code == code]
    assert findings
    place = findings[0].location
    assert place is not None
    assert place.line is not None
    assert Path(place.file).name == file
    if fix is not None:
        document.execute(findings[0].fixes[fix])
        assert [each for each in check(document) if each.code == code] == []


CONTROL = """<ros2_control name="arm" type="system"><joint name="{}">
<command_interface name="position"><param name="min">{}</param><param name="max">2</param></command_interface>
<command_interface name="velocity"><param name="max">{}</param></command_interface>
<state_interface name="position"><param name="initial_value">{}</param></state_interface>
</joint></ros2_control></robot>"""


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        (("shoulder", "-3", "1", "0.5"), set()),
        (("sholder", "-3", "1", "0.5"), {"URDF095"}),
        (("shoulder", "-3.1", "1", "0.5"), {"URDF096"}),
        (("shoulder", "-3", "1.2", "0.5"), {"URDF096"}),
        (("shoulder", "-3", "1", "2.5"), {"URDF097"}),
    ],
)
def test_ros2_control_is_held_against_the_joints(
    tmp_path: Path, values: tuple[str, ...], codes: set[str]
) -> None:
    document = opened(tmp_path, arm__urdf=URDF.replace("</robot>", CONTROL.format(*values)))
    assert {
        each.code
        for each in check(document)
        if each.code.startswith(("URDF095", "URDF096", "URDF097"))
    } == codes


def test_settings_are_known_by_the_end_of_their_name_but_a_calibration_is_none() -> None:
    names = ("joint_limits.yaml", "left_kinematics.yaml", "default_kinematics.yaml", "arm.yaml")
    assert [kind_of_settings(name) for name in names] == ["limits", "kinematics", None, None]
