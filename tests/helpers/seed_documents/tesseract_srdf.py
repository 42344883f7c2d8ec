"""Tesseract's document of SRDF in its order: groups, states, tools, config files, calibration,
margins, pairs."""

from __future__ import annotations

from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.srdf.places import read_calibration
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.srdf import Srdf
from editor_app.core.model.srdf_groups import list_planned_joints
from editor_app.core.model.urdf import Urdf
from editor_app.core.text.source import SourceText
from tests.helpers.seed_documents.rows import Row, Statement
from tests.helpers.seed_documents.xrdf import XRDF_URDF

SRDF = """<?xml version="1.0"?>
<robot name="r" version="1.0.0">
  <group name="chain"><chain base_link="base" tip_link="hand"/></group>
  <group name="joints"><joint name="j1"/></group>
  <group name="links"><link name="arm"/></group>
  <group_state name="home" group="chain"><joint name="j1" value="0.25"/></group_state>
  <group_tcps group="chain">
    <tcp name="laser" xyz="1 0 0.1" rpy="0 1.57 0"/>
    <tcp name="welder" xyz=".1 0 1" wxyz="1 0 0 0"/>
  </group_tcps>
  <kinematics_plugin_config filename="kin.yaml"/>
  <contact_managers_plugin_config filename="contact.yaml"/>
  <calibration_config filename="cal.yaml"/>
  <collision_margins default_margin="0.025">
    <pair_margin link1="arm" link2="base" margin="0.01"/>
  </collision_margins>
  <disable_collisions link1="base" link2="arm" reason="Adjacent"/>
</robot>
"""
_GROUPS = "window.srdf.groups"
SRDF_ROWS = (
    Row(
        "robot: name", 'robot name="r"', 'robot name="s"', lambda s: s.name, "r", "window.srdf.file"
    ),
    Row(
        "robot: version",
        'version="1.0.0"',
        'version="1.0.1"',
        lambda s: s.version,
        "1.0.0",
        "window.srdf.file",
    ),
    Row(
        "group: name",
        'group name="joints"',
        'group name="others"',
        lambda s: s.groups[1].name,
        "joints",
        _GROUPS,
    ),
    Row(
        "group: chain: base_link",
        'base_link="base"',
        'base_link="arm"',
        lambda s: s.groups[0].chains[0][0],
        "base",
        _GROUPS,
        'base_link="gone"',
        "SRDF010",
    ),
    Row(
        "group: chain: tip_link",
        'tip_link="hand"',
        'tip_link="arm"',
        lambda s: s.groups[0].chains[0][1],
        "hand",
        _GROUPS,
        'tip_link="gone"',
        "SRDF010",
    ),
    Row(
        "group: joint",
        '<joint name="j1"/>',
        '<joint name="j2"/>',
        lambda s: s.groups[1].joints,
        ("j1",),
        _GROUPS,
        '<joint name="gone"/>',
        "SRDF011",
    ),
    Row(
        "group: link",
        '<link name="arm"/>',
        '<link name="hand"/>',
        lambda s: s.groups[2].links,
        ("arm",),
        _GROUPS,
        '<link name="gone"/>',
        "SRDF010",
    ),
    Row(
        "group_state: name",
        'group_state name="home"',
        'group_state name="rest"',
        lambda s: s.states[0].name,
        "home",
        "window.srdf.states",
    ),
    Row(
        "group_state: group",
        'name="home" group="chain"',
        'name="home" group="joints"',
        lambda s: s.states[0].group,
        "chain",
        "window.srdf.states",
        'name="home" group="gone"',
        "SRDF",
    ),
    Row(
        "group_state: joint: name",
        '<joint name="j1" value',
        '<joint name="j2" value',
        lambda s: tuple(s.states[0].positions),
        ("j1",),
        "window.srdf.states",
        '<joint name="gone" value',
        "SRDF",
    ),
    Row(
        "group_state: joint: value",
        'value="0.25"',
        'value="0.5"',
        lambda s: s.states[0].positions["j1"],
        (0.25,),
        "window.srdf.states",
        'value="9"',
        "SRDF015",
    ),
    Row(
        "group_tcps: group",
        'group_tcps group="chain"',
        'group_tcps group="joints"',
        lambda s: s.tcps[0].group,
        "chain",
        "window.srdf.states",
        'group_tcps group="gone"',
        "SRDF",
    ),
    Row(
        "group_tcps: tcp: name",
        'name="laser"',
        'name="torch"',
        lambda s: s.tcps[0].name,
        "laser",
        "window.srdf.states",
    ),
    Row(
        "group_tcps: tcp: xyz",
        'xyz="1 0 0.1"',
        'xyz="1 0 0.2"',
        lambda s: s.tcps[0].xyz,
        (1, 0, 0.1),
        "window.srdf.states",
        'xyz="1 0"',
        "SRDF",
    ),
    Row(
        "group_tcps: tcp: rpy",
        'rpy="0 1.57 0"',
        'rpy="0 1.5 0"',
        lambda s: s.tcps[0].rpy,
        (0, 1.57, 0),
        "window.srdf.states",
    ),
    Row(
        "group_tcps: tcp: wxyz",
        'wxyz="1 0 0 0"',
        'wxyz="0 1 0 0"',
        lambda s: s.tcps[1].wxyz,
        (1, 0, 0, 0),
        "window.srdf.states",
    ),
    Row(
        "kinematics_plugin_config",
        "kin.yaml",
        "kin2.yaml",
        lambda s: s.configs["kinematics_plugin_config"],
        "kin.yaml",
        "window.srdf.file",
    ),
    Row(
        "contact_managers_plugin_config",
        "contact.yaml",
        "contact2.yaml",
        lambda s: s.configs["contact_managers_plugin_config"],
        "contact.yaml",
        "window.srdf.file",
    ),
    Row(
        "calibration_config",
        "cal.yaml",
        "cal2.yaml",
        lambda s: s.configs["calibration_config"],
        "cal.yaml",
        "window.srdf.file",
    ),
    Row(
        "collision_margins: default_margin",
        '"0.025"',
        '"0.03"',
        lambda s: s.margins.default_margin,
        0.025,
        "window.srdf.pairs",
    ),
    Row(
        "collision_margins: pair_margin: link1",
        'link1="arm" link2="base"',
        'link1="hand" link2="base"',
        lambda s: s.margins.pairs[0].link1,
        "arm",
        "window.srdf.pairs",
        'link1="gone" link2="base"',
        "SRDF",
    ),
    Row(
        "collision_margins: pair_margin",
        'margin="0.01"',
        'margin="0.02"',
        lambda s: s.margins.pairs[0].margin,
        0.01,
        "window.srdf.pairs",
        'margin="x"',
        "SRDF",
    ),
    Row(
        "disable_collisions: link1",
        'link1="base"',
        'link1="hand"',
        lambda s: s.disabled_pairs[0].link1,
        "base",
        "window.srdf.pairs",
        'link1="gone"',
        "SRDF010",
    ),
    Row(
        "disable_collisions: link2",
        'link2="arm" reason',
        'link2="hand" reason',
        lambda s: s.disabled_pairs[0].link2,
        "arm",
        "window.srdf.pairs",
        'link2="gone" reason',
        "SRDF010",
    ),
    Row(
        "disable_collisions: reason",
        'reason="Adjacent"',
        'reason="Never"',
        lambda s: s.disabled_pairs[0].reason,
        "Adjacent",
        "window.srdf.pairs",
    ),
)


#: The document's own example of a calibration file.
CALIBRATION = """calibration:
  joints:
    j1:
      position: {x: 1, y: 2, z: 3}
      orientation: {x: 0, y: 0, z: 0, w: 1}
"""
_TWO_STATES = SRDF.replace(
    "  <group_tcps",
    '  <group_state name="home" group="joints"><joint name="j1" value="0"/></group_state>\n  '
    "<group_tcps",
)


def _srdf(text: str) -> Srdf:
    return read_srdf(SourceText.from_text(text)).value


def _urdf() -> Urdf:
    return read_urdf(SourceText.from_text(XRDF_URDF)).value


SRDF_STATEMENTS = (
    Statement(
        "A chain has the joints from the base link to the tip link",
        lambda: (
            list_planned_joints(_srdf(SRDF), _srdf(SRDF).groups[0], KinematicGraph(_urdf()))
            == ("j1", "j2")
        ),
    ),
    Statement(
        "Different groups may have states with the same name",
        lambda: (
            [(s.name, s.group) for s in _srdf(_TWO_STATES).states]
            == [("home", "chain"), ("home", "joints")]
        ),
    ),
    Statement(
        "A reason can be any text",
        lambda: (
            _srdf(SRDF.replace('"Adjacent"', '"Allways"')).disabled_pairs[0].reason == "Allways"
        ),
    ),
    Statement(
        "The calibration file sets new origins of joints",
        lambda: (
            read_calibration(SourceText.from_text(CALIBRATION)).origins["j1"].xyz == (1.0, 2.0, 3.0)
        ),
    ),
)
