"""The specification of XRDF 1.0 in its order: format, modifiers, geometry, collision, defaults,
c-space, tools."""

from __future__ import annotations

from typing import Any

from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.space.kinematics.structure import KinematicTree
from editor_app.core.space.kinematics.tree import build_tree, get_default_positions
from editor_app.core.text.source import SourceText
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import run_rules
from tests.helpers.seed_documents.rows import Row, Statement

XRDF = """format: xrdf
format_version: 1.0
modifiers:
  - set_base_frame: base
  - add_frame:
      frame_name: tip
      parent_frame_name: hand
      joint_name: tip_joint
      joint_type: FIXED
      fixed_transform:
        position: [0.0, 0.0, 0.1]
        orientation: {w: 1.0, xyz: [0.0, 0.0, 0.0]}
default_joint_positions:
  j1: 0.25
cspace:
  joint_names: [j1, j2]
  acceleration_limits: [11.0, 12.0]
  jerk_limits: [500.0, 600.0]
tool_frames: [tip]
collision:
  geometry: body
  buffer_distance:
    arm: 0.01
self_collision:
  geometry: body
  ignore:
    base: [arm]
    arm: [hand]
  buffer_distance:
    arm: 0.02
geometry:
  body:
    spheres:
      base:
        - center: [0.0, 0.0, 0.05]
          radius: 0.1
      arm:
        - center: [0.0, 0.0, 0.2]
          radius: 0.08
      hand:
        - center: [0.0, 0.0, 0.0]
          radius: 0.03
"""
XRDF_URDF = """<robot name="r"><link name="base"/><link name="arm"/><link name="hand"/>
<joint name="j1" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 0.2"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="5" velocity="2"/></joint>
<joint name="j2" type="prismatic"><parent link="arm"/><child link="hand"/><origin xyz="0 0 0.4"/><axis xyz="0 0 1"/>
<limit lower="0" upper="0.5" effort="5" velocity="2"/></joint></robot>"""


def _frame(x: Any) -> Any:
    return x.modifiers[1]


_ADD = "window.xrdf.modifiers"
XRDF_ROWS = (
    Row(
        "format",
        "format: xrdf",
        "format: XRDF",
        lambda x: x.format,
        "xrdf",
        "window.xrdf.format",
        "format: urdf",
        "XRDF101",
    ),
    Row(
        "format_version",
        "1.0\nmod",
        "1.0\nmod",
        lambda x: x.format_version,
        "1.0",
        "window.xrdf.format",
        "3.0\nmod",
        "XRDF102",
    ),
    Row(
        "modifiers: set_base_frame",
        "set_base_frame: base",
        "set_base_frame: arm",
        lambda x: x.modifiers[0].frame,
        "base",
        _ADD,
        "set_base_frame: nowhere",
        "XRDF211",
    ),
    Row(
        "add_frame: frame_name",
        "frame_name: tip\n",
        "frame_name: tip2\n",
        lambda x: _frame(x).frame_name,
        "tip",
        _ADD,
        "frame_name: hand\n",
        "XRDF204",
    ),
    Row(
        "add_frame: parent_frame_name",
        "parent_frame_name: hand",
        "parent_frame_name: arm",
        lambda x: _frame(x).parent_frame_name,
        "hand",
        _ADD,
        "parent_frame_name: gone",
        "XRDF206",
    ),
    Row(
        "add_frame: joint_name",
        "joint_name: tip_joint",
        "joint_name: other",
        lambda x: _frame(x).joint_name,
        "tip_joint",
        _ADD,
        "joint_name: j1",
        "XRDF205",
    ),
    Row(
        "add_frame: joint_type",
        "joint_type: FIXED",
        "joint_type: fixed",
        lambda x: _frame(x).joint_type,
        "FIXED",
        _ADD,
        "joint_type: REVOLUTE",
        "XRDF208",
    ),
    Row(
        "add_frame: fixed_transform: position",
        "position: [0.0, 0.0, 0.1]",
        "position: [0.0, 0.0, 0.3]",
        lambda x: _frame(x).fixed_transform.position,
        (0.0, 0.0, 0.1),
        _ADD,
        "position: [0.0, 0.1]",
        "XRDF209",
    ),
    Row(
        "add_frame: fixed_transform: orientation",
        "{w: 1.0, xyz: [0.0, 0.0, 0.0]}",
        "{w: 0.0, xyz: [0.0, 0.0, 1.0]}",
        lambda x: _frame(x).fixed_transform.orientation_wxyz,
        (1.0, 0.0, 0.0, 0.0),
        _ADD,
        "{w: 0.0, xyz: [0.0, 0.0, 0.0]}",
        "XRDF210",
    ),
    Row(
        "default_joint_positions",
        "j1: 0.25",
        "j1: 0.5",
        lambda x: x.default_joint_positions["j1"],
        0.25,
        "window.xrdf.cspace",
        "j1: 4.0",
        "XRDF604",
    ),
    Row(
        "cspace: joint_names",
        "joint_names: [j1, j2]",
        "joint_names: [j2, j1]",
        lambda x: x.cspace.joint_names,
        ("j1", "j2"),
        "window.xrdf.cspace",
        "joint_names: [j1, j9]",
        "XRDF702",
    ),
    Row(
        "cspace: acceleration_limits",
        "[11.0, 12.0]",
        "[11.0, 13.0]",
        lambda x: x.cspace.acceleration_limits,
        (11.0, 12.0),
        "window.xrdf.cspace",
        "[11.0, -1.0]",
        "XRDF707",
    ),
    Row(
        "cspace: jerk_limits",
        "[500.0, 600.0]",
        "[500.0, 700.0]",
        lambda x: x.cspace.jerk_limits,
        (500.0, 600.0),
        "window.xrdf.cspace",
        "[500.0]",
        "XRDF706",
    ),
    Row(
        "tool_frames",
        "tool_frames: [tip]",
        "tool_frames: [hand]",
        lambda x: x.tool_frames,
        ("tip",),
        "window.xrdf.modifiers",
        "tool_frames: [gone]",
        "XRDF802",
    ),
    Row(
        "collision: geometry",
        "collision:\n  geometry: body\n  buf",
        "collision:\n  geometry: other\n  buf",
        lambda x: x.world_collision.geometry,
        "body",
        "window.xrdf.collision",
        "collision:\n  geometry: gone\n  buf",
        "XRDF401",
    ),
    Row(
        "collision: buffer_distance",
        "arm: 0.01",
        "arm: 0.015",
        lambda x: x.world_collision.buffer("arm"),
        0.01,
        "window.xrdf.collision",
        "gone: 0.01",
        "XRDF402",
    ),
    Row(
        "self_collision: geometry",
        "self_collision:\n  geometry: body",
        "self_collision:\n  geometry: other",
        lambda x: x.self_collision.geometry,
        "body",
        "window.xrdf.collision",
        "self_collision:\n  geometry: gone",
        "XRDF501",
    ),
    Row(
        "self_collision: ignore",
        "arm: [hand]",
        "arm: [hand, base]",
        lambda x: x.self_collision.ignore["arm"],
        ("hand",),
        "features.masks.window.panel",
        "arm: [gone]",
        "XRDF504",
    ),
    Row(
        "self_collision: buffer_distance",
        "arm: 0.02",
        "arm: 0.025",
        lambda x: x.self_collision.buffer("arm"),
        0.02,
        "window.xrdf.collision",
        "gone: 0.02",
        "XRDF402",
    ),
    Row(
        "geometry: group",
        "geometry:\n  body:",
        "geometry:\n  shapes:",
        lambda x: x.geometry[0].name,
        "body",
        "window.xrdf.collision",
    ),
    Row(
        "geometry: spheres: frame",
        "      hand:\n",
        "      tip:\n",
        lambda x: tuple(x.geometry[0].spheres),
        ("base", "arm", "hand"),
        "window.link_tree.link_tree",
        "      gone:\n",
        "XRDF302",
    ),
    Row(
        "geometry: sphere: center",
        "[0.0, 0.0, 0.2]",
        "[0.0, 0.0, 0.25]",
        lambda x: x.geometry[0].spheres["arm"][0].center,
        (0.0, 0.0, 0.2),
        "window.selection.panel",
        "[0.0, 0.2]",
        "XRDF303",
    ),
    Row(
        "geometry: sphere: radius",
        "radius: 0.08",
        "radius: 0.09",
        lambda x: x.geometry[0].spheres["arm"][0].radius,
        0.08,
        "window.selection.panel",
        "radius: -0.08",
        "XRDF304",
    ),
)


def _codes(text: str, urdf: str = XRDF_URDF, *, slow: bool = False) -> set[str]:
    source = read_xrdf(SourceText.from_text(text))
    robot = RobotDescription(read_urdf(SourceText.from_text(urdf)).value, source.value)
    return {f.code for f in run_rules(CheckContext(robot, source), slow=slow)}


def _with(old: str, new: str) -> str:
    assert XRDF.count(old) == 1, old
    return XRDF.replace(old, new)


def _tree(text: str) -> KinematicTree:
    return build_tree(read_urdf(SourceText.from_text(XRDF_URDF)).value, _xrdf(text).modifiers)


def _xrdf(text: str) -> Xrdf:
    return read_xrdf(SourceText.from_text(text)).value


def _swapped() -> str:
    frame = XRDF[XRDF.index("  - add_frame:") : XRDF.index("default_joint_positions")]
    return XRDF.replace(frame, "").replace(
        "  - set_base_frame: base\n", frame + "  - set_base_frame: base\n"
    )


def _second_frame() -> str:
    second = XRDF[XRDF.index("  - add_frame:") : XRDF.index("default_joint_positions")]
    second = second.replace("parent_frame_name: hand", "parent_frame_name: tip")
    second = second.replace("frame_name: tip\n      parent", "frame_name: tip2\n      parent")
    return XRDF.replace(
        "default_joint_positions",
        second.replace("tip_joint", "tip2_joint") + "default_joint_positions",
    )


_MIMIC = XRDF_URDF.replace(
    '<axis xyz="0 0 1"/>\n<limit lower="0"',
    '<axis xyz="0 0 1"/><mimic joint="j1"/>\n<limit lower="0"',
)
_FIXED = XRDF_URDF.replace('name="j2" type="prismatic"', 'name="j2" type="fixed"')
_AT_ONE = XRDF_URDF.replace('lower="-1" upper="1"', 'lower="0.4" upper="1"')
_NO_DEFAULT = XRDF.replace("  j1: 0.25\n", "  j2: 0.1\n")


def _without(section: str, end: str) -> str:
    return XRDF[: XRDF.index(f"\n{section}:") + 1] + XRDF[XRDF.index(f"\n{end}:") + 1 :]


def _touch(base: float, arm: float) -> bool:
    """Whether the buffers alone make base and arm collide, whose spheres are 0.17 m apart."""
    text = XRDF.replace("base: [arm]", "base: []").replace(
        "    arm: 0.02", f"    base: {base}\n    arm: {arm}"
    )
    return "XRDF512" in _codes(text, slow=True)


XRDF_STATEMENTS = (
    Statement("format is required", lambda: "XRDF101" in _codes(_with("format: xrdf\n", ""))),
    Statement(
        "format_version is required",
        lambda: "XRDF102" in _codes(_with("format_version: 1.0\n", "")),
    ),
    Statement(
        "modifiers are optional",
        lambda: (
            "XRDF104"
            not in _codes(
                _without("modifiers", "default_joint_positions").replace("[tip]", "[hand]")
            )
        ),
    ),
    Statement(
        "The order of the modifiers is arbitrary",
        lambda: _tree(_swapped()).frames == _tree(XRDF).frames,
    ),
    Statement(
        "A frame may be attached to an added frame", lambda: "tip2" in _tree(_second_frame()).frames
    ),
    Statement(
        "The default of joint_type is FIXED",
        lambda: not {"XRDF208", "XRDF203"} & _codes(_with("      joint_type: FIXED\n", "")),
    ),
    Statement(
        "fixed_transform needs position",
        lambda: "XRDF209" in _codes(_with("        position: [0.0, 0.0, 0.1]\n", "")),
    ),
    Statement(
        "Frames and joints upstream of the base frame are removed",
        lambda: (
            not {"base", "j1"}
            & {
                *_tree(_with("set_base_frame: base", "set_base_frame: arm")).frames,
                *_tree(_with("set_base_frame: base", "set_base_frame: arm")).joint_index,
            }
        ),
    ),
    Statement(
        "They cannot be used in the rest of the file",
        lambda: (
            {"XRDF302", "XRDF702"} <= _codes(_with("set_base_frame: base", "set_base_frame: arm"))
        ),
    ),
    Statement(
        "geometry is optional; a missing geometry is reported",
        lambda: "XRDF401" in _codes(XRDF[: XRDF.index("geometry:\n  body:")]),
    ),
    Statement(
        "A buffer may be negative",
        lambda: "XRDF405" not in _codes(_with("arm: 0.01", "arm: -0.02")),
    ),
    Statement("A missing buffer is 0", lambda: _xrdf(XRDF).world_collision.buffer("hand") == 0.0),  # type: ignore[union-attr]
    Statement(
        "In version 1.0 both collision sections name one group",
        lambda: (
            "XRDF502"
            in _codes(
                _with("self_collision:\n  geometry: body", "self_collision:\n  geometry: other")
                + "  other:\n    spheres: {}\n"
            )
        ),
    ),
    Statement(
        "A pair may be ignored twice",
        lambda: (
            _xrdf(_with("arm: [hand]", "arm: [hand, base]")).self_collision.ignored_pairs()  # type: ignore[union-attr]
            == _xrdf(XRDF).self_collision.ignored_pairs()  # type: ignore[union-attr]
        ),
    ),
    Statement(
        "Buffers of two links add up",
        lambda: (
            [_touch(*buffers) for buffers in ((0.16, 0.02), (0.16, 0.0), (0.0, 0.02))]
            == [True, False, False]
        ),
    ),
    Statement(
        "default_joint_positions are optional",
        lambda: "XRDF104" not in _codes(_without("default_joint_positions", "cspace")),
    ),
    Statement(
        "A missing position is 0",
        lambda: get_default_positions(_tree(_NO_DEFAULT), _xrdf(_NO_DEFAULT))["j1"] == 0.0,
    ),
    Statement(
        "… clamped to the limits",
        lambda: (
            get_default_positions(
                build_tree(read_urdf(SourceText.from_text(_AT_ONE)).value), _xrdf(_NO_DEFAULT)
            )["j1"]
            == 0.4
        ),
    ),
    Statement(
        "A default position for a mimic joint is refused",
        lambda: "XRDF603" in _codes(_NO_DEFAULT, _MIMIC),
    ),
    Statement(
        "The default position must be free of self-collision",
        lambda: (
            "XRDF605"
            in _codes(
                XRDF.replace("base: [arm]", "base: []").replace("radius: 0.08", "radius: 0.5"),
                slow=True,
            )
        ),
    ),
    Statement("cspace is required", lambda: "XRDF104" in _codes(_without("cspace", "tool_frames"))),
    Statement("A fixed joint cannot be in the c-space", lambda: "XRDF703" in _codes(XRDF, _FIXED)),
    Statement("A mimic joint cannot be in the c-space", lambda: "XRDF704" in _codes(XRDF, _MIMIC)),
    Statement(
        "The order of the c-space is kept",
        lambda: _xrdf(_with("[j1, j2]", "[j2, j1]")).cspace.joint_names == ("j2", "j1"),  # type: ignore[union-attr]
    ),
    Statement(
        "Each joint needs both limits", lambda: "XRDF706" in _codes(_with("[11.0, 12.0]", "[11.0]"))
    ),
    Statement(
        "Limits are magnitudes",
        lambda: "XRDF707" in _codes(_with("[500.0, 600.0]", "[-500.0, 600.0]")),
    ),
    Statement(
        "tool_frames are optional",
        lambda: "XRDF104" not in _codes(_with("tool_frames: [tip]\n", "")),
    ),
    Statement("A tool frame may be an added frame", lambda: "XRDF802" not in _codes(XRDF)),
)
