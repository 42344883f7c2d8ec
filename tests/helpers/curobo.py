r"""cuRobo's own parser and loader, asked in a process of its own.

Its sources are not part of this project. To have the tests ask it, get them and an environment for
them:

    git clone --depth 1 https://github.com/NVlabs/curobo .curobo/sources
    python3 -m venv .curobo/venv
    .curobo/venv/bin/pip install torch yourdfpy warp-lang numpy-quaternion \
        importlib_resources packaging matplotlib pyyaml setuptools_scm

or name both with XRDF_EDITOR_CUROBO_SOURCES and XRDF_EDITOR_CUROBO_PYTHON. Without them these tests
skip.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

_HERE = Path(__file__).parents[2] / ".curobo"
_SCRIPT = Path(__file__).with_name("curobo_process.py")


def _places() -> tuple[Path, Path]:
    sources = Path(os.environ.get("XRDF_EDITOR_CUROBO_SOURCES") or _HERE / "sources")
    python = Path(os.environ.get("XRDF_EDITOR_CUROBO_PYTHON") or _HERE / "venv" / "bin" / "python")
    return sources, python


class Curobo:
    """One process; `load` answers what its loader says."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def load(self, **task: str) -> dict[str, Any]:
        """`urdf` and `xrdf`, or `yml`: {"error": text or None, "joints", "spheres", "positions",
        …}."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(task) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer


@contextlib.contextmanager
def curobo() -> Iterator[Curobo]:
    """Skips, with the reason, where cuRobo's sources or an environment for them are missing."""
    sources, python = _places()
    if not (sources / "curobo").is_dir() or not python.exists():
        pytest.skip(f"cuRobo's sources ({sources}) or their environment ({python}) are not there")
    process = subprocess.Popen(
        [python, _SCRIPT, sources],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        started = process.stdout.readline()
        assert started
        assert json.loads(started)["ready"]
        yield Curobo(process)
    finally:
        process.stdin.close()
        process.wait(timeout=60)
        process.stdout.close()


def published_robots() -> list[tuple[Path, Path]]:
    """The (configuration, URDF) of each robot that cuRobo's sources come with."""
    content = _places()[0] / "curobo" / "content"
    robots = []
    for config in sorted((content / "configs" / "robot").glob("*.yml")):
        named = re.search(
            r"^\s*urdf_path\s*:\s*[\"']?([^\"'\s]+)",
            config.read_text(encoding="utf-8"),
            re.MULTILINE,
        )
        urdf = content / "assets" / named.group(1) if named is not None else content
        if urdf.is_file():
            robots.append((config, urdf))
    return robots


URDF = """<?xml version="1.0"?>
<robot name="probe">
  <link name="base"/>
  <link name="l1"/>
  <link name="l2"/>
  <link name="l3"/>
  <link name="tool"/>
  <link name="jaw"/>
  <link name="jaw_too"/>
  <link name="wheel"/>
  <joint name="j1" type="revolute">
    <parent link="base"/><child link="l1"/><origin xyz="0 0 0.3"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="50" velocity="2"/>
  </joint>
  <joint name="j2" type="continuous">
    <parent link="l1"/><child link="l2"/><origin xyz="0 0 0.4" rpy="0.1 0.2 0.3"/><axis xyz="0 1 0"/>
    <limit effort="40" velocity="3"/>
  </joint>
  <joint name="j3" type="prismatic">
    <parent link="l2"/><child link="l3"/><origin xyz="0 0 0.4"/><axis xyz="-1 0 0"/>
    <limit lower="-0.1" upper="0.2" effort="30" velocity="1"/>
  </joint>
  <joint name="flange" type="fixed"><parent link="l3"/><child link="tool"/><origin xyz="0.1 0 0"/></joint>
  <joint name="grip" type="prismatic">
    <parent link="tool"/><child link="jaw"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.04" effort="20" velocity="0.2"/>
  </joint>
  <joint name="grip_too" type="prismatic">
    <parent link="tool"/><child link="jaw_too"/><axis xyz="0 -1 0"/><mimic joint="grip"/>
    <limit lower="0" upper="0.04" effort="20" velocity="0.2"/>
  </joint>
  <joint name="spin" type="continuous">
    <parent link="base"/><child link="wheel"/><axis xyz="0 0 1"/>
    <limit effort="10" velocity="5"/>
  </joint>
</robot>
"""
XRDF = """format: xrdf
format_version: 1.0
modifiers:
  - add_frame:
      frame_name: camera
      parent_frame_name: l3
      joint_name: camera_mount
      joint_type: FIXED
      fixed_transform:
        position: [0.0, 0.0, 0.1]
        orientation: {w: 1.0, xyz: [0.0, 0.0, 0.0]}
default_joint_positions:
  j1: 0.1
  j2: 0.2
  j3: 0.05
cspace:
  joint_names: [j1, j2, j3]
  acceleration_limits: [10.0, 10.0, 10.0]
  jerk_limits: [500.0, 500.0, 500.0]
tool_frames: [tool]
collision:
  geometry: body
  buffer_distance:
    l1: 0.01
self_collision:
  geometry: body
  ignore:
    base: [l1]
    l1: [l2]
    l2: [l3]
  buffer_distance:
    l2: 0.01
geometry:
  body:
    spheres:
      base:
        - center: [0.0, 0.0, 0.0]
          radius: 0.1
      l1:
        - center: [0.0, 0.0, 0.0]
          radius: 0.1
      l2:
        - center: [0.0, 0.0, 0.0]
          radius: 0.1
      l3:
        - center: [0.0, 0.0, 0.0]
          radius: 0.05
"""


@dataclass(frozen=True)
class Mutation:
    """`old` becomes `new` in the URDF or the XRDF (`text`).

    `refused`: what cuRobo does. `code`: a finding of the editor that says so. `ours`: why the
    editor calls an error what cuRobo takes.
    """

    name: str
    text: str
    old: str
    new: str
    refused: bool
    code: str = ""
    source: str = ""
    ours: str = ""
    #: Spheres on this link, too, so that its chain is read.
    spheres_on: str = ""

    def apply(self) -> tuple[str, str]:
        """(URDF, XRDF)."""
        whole = URDF if self.text == "urdf" else XRDF
        assert self.old in whole, self.name
        changed = whole.replace(self.old, self.new, 1)
        urdf, xrdf = (changed, XRDF) if self.text == "urdf" else (URDF, changed)
        if self.spheres_on:
            xrdf += (
                f"      {self.spheres_on}:\n        - center: [0.0, 0.0, 0.0]\n          radius: "
                "0.01\n"
            )
        return urdf, xrdf


_J1 = '<axis xyz="0 0 1"/>\n    <limit lower="-2" upper="2" effort="50" velocity="2"/>'
_J2 = '\n    <limit effort="40" velocity="3"/>'
_J3 = '\n    <limit lower="-0.1" upper="0.2" effort="30" velocity="1"/>'
_GRIP = '<axis xyz="0 1 0"/>\n    <limit lower="0" upper="0.04" effort="20" velocity="0.2"/>'
_TOO = '<mimic joint="grip"/>\n    <limit lower="0" upper="0.04" effort="20" velocity="0.2"/>'
_LIMITS = "UrdfRobotParser._get_joint_limits"
_RANGES = "JointLimits.__post_init__"
_AXIS = "UrdfRobotParser.get_link_parameters"
_XRDF = "xrdf_util.convert_xrdf_to_curobo"
_CSPACE = "KinematicsLoader._get_validated_cspace_lock_joints"
_SPHERES = "KinematicsLoader._build_collision_model"
_CHAIN = "RobotParser.get_chain"
_PAIRS = "SelfCollisionKinematicsCfg.create_from_sphere_pair_distances"


def _limit(lower: str, upper: str, effort: str = "50", velocity: str = "2") -> str:
    return (
        f'<axis xyz="0 0 1"/>\n    <limit lower="{lower}" upper="{upper}" effort="{effort}" '
        f'velocity="{velocity}"/>'
    )


def _urdf(
    name: str, old: str, new: str, refused: bool, code: str = "", source: str = "", ours: str = ""
) -> Mutation:
    return Mutation(name, "urdf", old, new, refused, code, source, ours)


def _xrdf(
    name: str, old: str, new: str, refused: bool, code: str = "", source: str = "", ours: str = ""
) -> Mutation:
    return Mutation(name, "xrdf", old, new, refused, code, source, ours)


_SPHERES_TEXT = XRDF[XRDF.index("    spheres:\n") :]
_MODIFIERS_TEXT = XRDF[XRDF.index("modifiers:") : XRDF.index("default_joint")]
_DEFAULTS_TEXT = XRDF[XRDF.index("default_joint") : XRDF.index("cspace")]
_COLLISION_TEXT = XRDF[XRDF.index("collision:") : XRDF.index("self_collision")]
_SELF_TEXT = XRDF[XRDF.index("self_collision") : XRDF.index("geometry:\n  body:")]
_L3 = "      l3:\n        - center: [0.0, 0.0, 0.0]\n          radius: 0.05\n"
_CSPACE_NAMES = "joint_names: [j1, j2, j3]"
_LISTS = (
    "  joint_names: [j1, j2, j3]\n  acceleration_limits: [10.0, 10.0, 10.0]\n  jerk_limits: "
    "[500.0, 500.0, 500.0]\n"
)
_FOUR = "  acceleration_limits: [1.0, 1.0, 1.0, 1.0]\n  jerk_limits: [1.0, 1.0, 1.0, 1.0]\n"

MUTATIONS = (
    _xrdf("as it is", "probe" if "probe" in XRDF else "tool_frames", "tool_frames", False),
    # -- limits of the URDF
    _urdf("continuous joint without limit", _J2, "", True, "XRDF901", _LIMITS),
    _urdf("revolute joint without limit", _J1, '<axis xyz="0 0 1"/>', True, "XRDF901", _LIMITS),
    _urdf("prismatic joint without limit", _J3, "", True, "XRDF901", _LIMITS),
    _urdf(
        "wheel that carries nothing, without limit",
        '\n    <limit effort="10" velocity="5"/>',
        "",
        False,
    ),
    _urdf("effort 0", _J1, _limit("-2", "2", effort="0"), True, "XRDF902", _RANGES),
    _urdf("effort of a continuous joint 0", 'effort="40"', 'effort="0"', True, "XRDF902", _RANGES),
    _urdf("velocity 0", _J1, _limit("-2", "2", velocity="0"), True, "XRDF902", _RANGES),
    _urdf("velocity negative", _J1, _limit("-2", "2", velocity="-2"), True, "XRDF902", _RANGES),
    _urdf("effort negative", _J1, _limit("-2", "2", effort="-50"), True, "XRDF902", _RANGES),
    _urdf("effort missing", _J1, _J1.replace(' effort="50"', ""), False, "", _LIMITS),
    _urdf("velocity missing", _J1, _J1.replace(' velocity="2"', ""), False, "", _LIMITS),
    _urdf("lower = upper", _J1, _limit("1", "1"), True, "XRDF902", _RANGES),
    _urdf("lower > upper", _J1, _limit("2", "-2"), True, "XRDF902", _RANGES),
    _urdf("lower missing", _J1, _J1.replace(' lower="-2"', ""), True, "XRDF902", _RANGES),
    _urdf(
        "lower and upper missing",
        _J1,
        _J1.replace('lower="-2" upper="2" ', ""),
        True,
        "XRDF902",
        _RANGES,
    ),
    _urdf(
        "limits of a joint that carries nothing are 0",
        'effort="10" velocity="5"',
        'effort="0" velocity="0"',
        False,
    ),
    _urdf("limit of a gripper that carries nothing", _GRIP, '<axis xyz="0 1 0"/>', False),
    _urdf("mimic without limit that carries nothing", _TOO, '<mimic joint="grip"/>', False),
    Mutation(
        "locked joint with effort 0 that carries spheres",
        "urdf",
        _GRIP,
        _GRIP.replace('"20"', '"0"'),
        False,
        spheres_on="jaw",
    ),
    Mutation(
        "locked joint of no range that carries spheres",
        "urdf",
        _GRIP,
        _GRIP.replace("0.04", "0"),
        False,
        spheres_on="jaw",
    ),
    Mutation(
        "locked joint without limit that carries spheres",
        "urdf",
        _GRIP,
        '<axis xyz="0 1 0"/>',
        True,
        "XRDF901",
        _LIMITS,
        spheres_on="jaw",
    ),
    Mutation(
        "locked joint askew that carries spheres",
        "urdf",
        _GRIP,
        _GRIP.replace("0 1 0", "0 0.6 0.8"),
        True,
        "XRDF903",
        _AXIS,
        spheres_on="jaw",
    ),
    Mutation(
        "locked joint that says no upper bound",
        "urdf",
        _GRIP,
        _GRIP.replace(' upper="0.04"', ""),
        False,
        spheres_on="jaw",
    ),
    Mutation("mimic joint that carries spheres", "urdf", _TOO, _TOO, False, spheres_on="jaw_too"),
    Mutation(
        "mimic joint without limit that carries spheres",
        "urdf",
        _TOO,
        '<mimic joint="grip"/>',
        True,
        "XRDF901",
        _LIMITS,
        spheres_on="jaw_too",
    ),
    Mutation(
        "mimic joint without upper bound that carries spheres",
        "urdf",
        _TOO,
        _TOO.replace(' upper="0.04"', ""),
        True,
        "XRDF902",
        _AXIS,
        spheres_on="jaw_too",
    ),
    Mutation(
        "mimic joint with effort 0 that carries spheres",
        "urdf",
        _TOO,
        _TOO.replace('"20"', '"0"'),
        False,
        spheres_on="jaw_too",
    ),
    Mutation(
        "leader without limit of a mimic joint that carries spheres",
        "urdf",
        _GRIP,
        '<axis xyz="0 1 0"/>',
        True,
        "XRDF901",
        _AXIS,
        spheres_on="jaw_too",
    ),
    # -- axes
    Mutation(
        "axis that is two unit axes at once",
        "urdf",
        _J1,
        _J1.replace("0 0 1", "1 0 1"),
        False,
        "XRDF903",
        _AXIS,
        "cuRobo takes it for z",
    ),
    _urdf(
        "axis askew",
        '<axis xyz="0 1 0"/>\n    <limit effort',
        '<axis xyz="0 0.6 0.8"/>\n    <limit effort',
        True,
        "XRDF903",
        _AXIS,
    ),
    _urdf("axis askew of a prismatic joint", '"-1 0 0"', '"0.6 0 0.8"', True, "XRDF903", _AXIS),
    _urdf(
        "axis of length 2",
        '<axis xyz="0 1 0"/>\n    <limit effort',
        '<axis xyz="0 2 0"/>\n    <limit effort',
        True,
        "XRDF903",
        _AXIS,
    ),
    _urdf(
        "axis almost z", _J1, _J1.replace("0 0 1", "0 1e-7 0.99999999999"), True, "XRDF903", _AXIS
    ),
    _urdf("axis with noise beside an exact 1", _J1, _J1.replace("0 0 1", "0 1e-9 1"), False),
    _urdf("axis against x", _J1, _J1.replace("0 0 1", "-1 0 0"), False),
    _urdf("axis 0", _J1, _J1.replace("0 0 1", "0 0 0"), True, "XRDF903", _AXIS),
    _urdf("no axis", _J1, _J1.replace('<axis xyz="0 0 1"/>', ""), False),
    _urdf(
        "axis askew of a wheel that carries nothing",
        '<axis xyz="0 0 1"/>\n    <limit effort="10"',
        '<axis xyz="0 0.6 0.8"/>\n    <limit effort="10"',
        False,
    ),
    # -- kinds
    _urdf(
        "floating joint",
        'name="j2" type="continuous"',
        'name="j2" type="floating"',
        True,
        "XRDF907",
        _LIMITS,
    ),
    _urdf(
        "planar joint",
        'name="j2" type="continuous"',
        'name="j2" type="planar"',
        True,
        "XRDF907",
        _AXIS,
    ),
    # -- format
    _xrdf("format missing", "format: xrdf\n", "", True, "XRDF101", _XRDF),
    _xrdf("another format", "format: xrdf", "format: urdf", True, "XRDF101", _XRDF),
    _xrdf("format_version missing", "format_version: 1.0\n", "", True, "XRDF102", _XRDF),
    _xrdf(
        "format_version is a string",
        "format_version: 1.0",
        "format_version: '1.0'",
        True,
        "XRDF905",
        _XRDF,
    ),
    _xrdf("format_version is an integer", "format_version: 1.0", "format_version: 1", False),
    # -- modifiers
    _xrdf("modifiers: null", _MODIFIERS_TEXT, "modifiers:\n", True, "XRDF904", _XRDF),
    _xrdf("modifiers: empty list", _MODIFIERS_TEXT, "modifiers: []\n", False),
    _xrdf("no modifiers", _MODIFIERS_TEXT, "", False),
    _xrdf(
        "joint_type: fixed",
        "joint_type: FIXED",
        "joint_type: fixed",
        True,
        "XRDF208",
        "LinkParams.create",
    ),
    _xrdf("joint_type absent", "      joint_type: FIXED\n", "", True, "XRDF213", _XRDF),
    _xrdf("frame_name absent", "frame_name: camera\n      ", "", True, "XRDF203", _XRDF),
    _xrdf("joint_name absent", "      joint_name: camera_mount\n", "", True, "XRDF203", _XRDF),
    _xrdf(
        "fixed_transform without position",
        "        position: [0.0, 0.0, 0.1]\n",
        "",
        True,
        "XRDF209",
        _XRDF,
    ),
    _xrdf(
        "parent of an added frame unknown",
        "parent_frame_name: l3",
        "parent_frame_name: l9",
        True,
        "XRDF206",
        _CHAIN,
    ),
    _xrdf(
        "base frame unknown",
        "modifiers:\n",
        "modifiers:\n  - set_base_frame: nowhere\n",
        True,
        "XRDF211",
        _CHAIN,
    ),
    _xrdf(
        "base frame cuts off what has spheres",
        "modifiers:\n",
        "modifiers:\n  - set_base_frame: l1\n",
        True,
        "XRDF302",
        _CHAIN,
    ),
    _xrdf(
        "unknown modifier",
        "modifiers:\n",
        "modifiers:\n  - paint_it: red\n",
        False,
        "XRDF202",
        _XRDF,
        "the specification knows three modifiers",
    ),
    # -- geometry and collision
    _xrdf("geometry group without spheres", _SPHERES_TEXT, "    {}\n", True, "XRDF312", _XRDF),
    _xrdf("spheres: null", _SPHERES_TEXT, "    spheres:\n", True, "XRDF904", _XRDF),
    _xrdf("list of a link null", _L3, "      l3:\n", True, "XRDF904", _SPHERES),
    _xrdf("list of a link empty", _L3, "      l3: []\n", False),
    _xrdf("spheres of an unknown link", "      l3:\n", "      l9:\n", True, "XRDF302", _CHAIN),
    _xrdf(
        "sphere without a radius",
        _L3,
        "      l3:\n        - center: [0.0, 0.0, 0.0]\n",
        True,
        "XRDF303",
        _SPHERES,
    ),
    _xrdf(
        "sphere without a centre",
        _L3,
        "      l3:\n        - radius: 0.05\n",
        True,
        "XRDF303",
        _SPHERES,
    ),
    _xrdf("radius is text for YAML 1.1", "radius: 0.05", "radius: 5e-2", False),
    _xrdf("radius in quotes", "radius: 0.05", "radius: '0.05'", True, "XRDF006", _SPHERES),
    _xrdf("self-collision buffer in quotes", "l2: 0.01", "l2: '0.01'", True, "XRDF006", _SPHERES),
    _xrdf(
        "acceleration in quotes", "[10.0, 10.0, 10.0]", "['10', 10.0, 10.0]", True, "XRDF006", _XRDF
    ),
    _xrdf(
        "default position in quotes",
        "j1: 0.1",
        "j1: '0.1'",
        True,
        "XRDF006",
        "CSpaceParams.__post_init__",
    ),
    _xrdf("radius negative", "radius: 0.05", "radius: -10.0", False),
    _xrdf(
        "group of the obstacles unknown",
        "collision:\n  geometry: body",
        "collision:\n  geometry: other",
        True,
        "XRDF401",
        _XRDF,
    ),
    _xrdf(
        "collision without geometry",
        "collision:\n  geometry: body\n",
        "collision:\n",
        True,
        "XRDF401",
        _XRDF,
    ),
    _xrdf("no collision", _COLLISION_TEXT, "", False),
    _xrdf("no self_collision", _SELF_TEXT, "", True, "XRDF510", _XRDF),
    _xrdf(
        "self_collision without geometry",
        "self_collision:\n  geometry: body\n",
        "self_collision:\n",
        True,
        "XRDF501",
        _XRDF,
    ),
    _xrdf(
        "self_collision of another group",
        "self_collision:\n  geometry: body",
        "self_collision:\n  geometry: other",
        True,
        "XRDF502",
        _XRDF,
    ),
    _xrdf(
        "no ignore",
        "  ignore:\n    base: [l1]\n    l1: [l2]\n    l2: [l3]\n",
        "",
        True,
        "XRDF511",
        _XRDF,
    ),
    _xrdf(
        "ignore: null",
        "  ignore:\n    base: [l1]\n    l1: [l2]\n    l2: [l3]\n",
        "  ignore:\n",
        True,
        "XRDF904",
        "SelfCollisionKinematicsCfg.create_from_link_pairs",
    ),
    _xrdf(
        "ignore: empty list",
        "  ignore:\n    base: [l1]\n    l1: [l2]\n    l2: [l3]\n",
        "  ignore: []\n",
        True,
        "XRDF503",
        "SelfCollisionKinematicsCfg.create_from_link_pairs",
    ),
    _xrdf(
        "ignore: empty mapping",
        "  ignore:\n    base: [l1]\n    l1: [l2]\n    l2: [l3]\n",
        "  ignore: {}\n",
        False,
    ),
    _xrdf(
        "all pairs ignored",
        "    base: [l1]\n    l1: [l2]\n    l2: [l3]\n",
        "    base: [l1, l2, l3]\n    l1: [l2, l3]\n    l2: [l3]\n",
        True,
        "XRDF908",
        _PAIRS,
    ),
    _xrdf(
        "all pairs but one ignored",
        "    base: [l1]\n    l1: [l2]\n",
        "    base: [l1, l2]\n    l1: [l2, l3]\n",
        False,
    ),
    _xrdf(
        "spheres of one link alone", _SPHERES_TEXT, "    spheres:\n" + _L3, True, "XRDF908", _PAIRS
    ),
    _xrdf("no spheres at all", _SPHERES_TEXT, "    spheres: {}\n", False),
    _xrdf(
        "ignore of a link null",
        "    l2: [l3]\n",
        "    l2:\n",
        True,
        "XRDF904",
        "SelfCollisionKinematicsCfg.create_from_link_pairs",
    ),
    _xrdf(
        "ignore of an unknown link",
        "    l2: [l3]",
        "    l2: [l9]",
        False,
        "XRDF504",
        "",
        "the specification demands frames of the robot",
    ),
    _xrdf(
        "buffer of the obstacles one number",
        "  buffer_distance:\n    l1: 0.01\n",
        "  buffer_distance: 0.01\n",
        False,
    ),
    _xrdf(
        "buffer of the obstacles one integer",
        "  buffer_distance:\n    l1: 0.01\n",
        "  buffer_distance: 1\n",
        True,
        "XRDF406",
        _SPHERES,
    ),
    _xrdf(
        "buffer for itself one number",
        "  buffer_distance:\n    l2: 0.01\n",
        "  buffer_distance: 0.01\n",
        True,
        "XRDF406",
        _SPHERES,
    ),
    _xrdf("buffer null", "  buffer_distance:\n    l1: 0.01\n", "  buffer_distance:\n", False),
    # -- c-space
    _xrdf("no cspace", "cspace:\n" + _LISTS, "", True, "XRDF104", _XRDF),
    _xrdf(
        "empty c-space",
        _LISTS,
        "  joint_names: []\n  acceleration_limits: []\n  jerk_limits: []\n",
        True,
        "XRDF701",
        _XRDF,
    ),
    _xrdf(
        "no acceleration_limits",
        "  acceleration_limits: [10.0, 10.0, 10.0]\n",
        "",
        True,
        "XRDF701",
        _XRDF,
    ),
    _xrdf("acceleration 0", "[10.0, 10.0, 10.0]", "[10.0, 0.0, 10.0]", True, "XRDF707", _RANGES),
    _xrdf("jerk 0", "[500.0, 500.0, 500.0]", "[500.0, 0.0, 500.0]", True, "XRDF707", _RANGES),
    _xrdf(
        "acceleration negative",
        "[10.0, 10.0, 10.0]",
        "[10.0, -1.0, 10.0]",
        True,
        "XRDF707",
        _RANGES,
    ),
    _xrdf(
        "too few accelerations",
        "[10.0, 10.0, 10.0]",
        "[10.0, 10.0]",
        False,
        "XRDF706",
        "CSpaceParams.__post_init__",
        "cuRobo takes it, and gives limits to the wrong joints",
    ),
    _xrdf("unknown joint", _CSPACE_NAMES, "joint_names: [j1, j2, j9]", True, "XRDF702", _CSPACE),
    _xrdf(
        "fixed joint in the c-space",
        _CSPACE_NAMES,
        "joint_names: [j1, j2, flange]",
        True,
        "XRDF703",
        _CSPACE,
    ),
    _xrdf(
        "mimic joint in the c-space",
        _CSPACE_NAMES,
        "joint_names: [j1, j2, grip_too]",
        True,
        "XRDF704",
        _CSPACE,
    ),
    _xrdf(
        "joint named twice", _CSPACE_NAMES, "joint_names: [j1, j2, j2]", True, "XRDF705", _CSPACE
    ),
    _xrdf(
        "joint that moves neither tool nor spheres",
        _LISTS,
        "  joint_names: [j1, j2, j3, grip]\n" + _FOUR,
        True,
        "XRDF710",
        _CSPACE,
    ),
    _xrdf(
        "joint that moves the tool by way of its follower alone",
        _LISTS + "tool_frames: [tool]",
        "  joint_names: [j1, j2, j3, grip]\n" + _FOUR + "tool_frames: [jaw_too]",
        True,
        "XRDF909",
        "KinematicsLoader._get_joint_position_velocity_limits",
    ),
    _xrdf(
        "wheel in the c-space",
        _LISTS,
        "  joint_names: [j1, j2, j3, spin]\n" + _FOUR,
        True,
        "XRDF710",
        _CSPACE,
    ),
    _xrdf(
        "joint left out of the c-space",
        _LISTS,
        "  joint_names: [j1, j2]\n  acceleration_limits: [1.0, 1.0]\n  jerk_limits: [1.0, 1.0]\n",
        False,
    ),
    _xrdf(
        "another order",
        _CSPACE_NAMES,
        "joint_names: [j2, j1, j3]",
        False,
        "XRDF709",
        _XRDF,
        "cuRobo takes it, and puts the default positions on the wrong joints",
    ),
    # -- default positions and tools
    _xrdf("no default positions", _DEFAULTS_TEXT, "", True, "XRDF607", _XRDF),
    _xrdf(
        "default positions null",
        _DEFAULTS_TEXT,
        "default_joint_positions:\n",
        True,
        "XRDF904",
        _XRDF,
    ),
    _xrdf("default positions of some joints", "  j3: 0.05\n", "", False),
    _xrdf(
        "default position of an unknown joint",
        "  j3: 0.05\n",
        "  j3: 0.05\n  j9: 0.0\n",
        False,
        "XRDF601",
        "",
        "the specification demands joints of the robot",
    ),
    _xrdf(
        "default position beyond the limits",
        "j1: 0.1",
        "j1: 3.0",
        False,
        "XRDF604",
        "",
        "the specification demands a position within the limits",
    ),
    _xrdf("no tool frames", "tool_frames: [tool]\n", "", True, "XRDF801", _XRDF),
    _xrdf(
        "tool_frames empty",
        "tool_frames: [tool]",
        "tool_frames: []",
        True,
        "XRDF801",
        "KinematicsLoader._build_chain",
    ),
    _xrdf(
        "tool_frames null",
        "tool_frames: [tool]",
        "tool_frames:",
        True,
        "XRDF801",
        "KinematicsLoaderCfg",
    ),
    _xrdf(
        "tool frame unknown", "tool_frames: [tool]", "tool_frames: [hand]", True, "XRDF802", _CHAIN
    ),
    _xrdf("tool frame is an added frame", "tool_frames: [tool]", "tool_frames: [camera]", False),
    _xrdf("two tool frames", "tool_frames: [tool]", "tool_frames: [tool, camera]", False),
    _xrdf("tool frame named twice", "tool_frames: [tool]", "tool_frames: [tool, tool]", False),
    _xrdf("a key that nobody knows", "tool_frames:", "colour: red\ntool_frames:", False),
)
