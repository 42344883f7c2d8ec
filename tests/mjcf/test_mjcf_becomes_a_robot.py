"""A robot that exists only as MJCF: URDF, SRDF and XRDF are what MuJoCo itself holds of it, and the
rest is told."""

from __future__ import annotations

import importlib.util
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import editor_app
from editor_app.cli import run_command
from editor_app.core.document.opening import open_document
from editor_app.core.formats.exchange.conversion import Fate
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Ball, Box, Cylinder, JointType, Mesh
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.text.source import FormatError
from editor_app.core.verbs.convert import Conversion, ConvertOptions, convert, write_conversion
from editor_app.plugins.mjcf.compiled import compile_model
from editor_app.plugins.mjcf.read import PairFilters, _Reading
from tests.helpers.small_robot import URDF_TEXT, XRDF_TEXT

#: Of all sorts: an anchor beside the origin, `ref`, two joints and a ball on a body, followers, a
#: loop, and meshes.
ARM = """\
<mujoco model="arm">
  <compiler autolimits="true" meshdir="parts"/>
  <default>
    <default class="seen"><geom group="2" contype="0" conaffinity="0" mass="0"/></default>
    <default class="solid"><geom group="3"/></default>
  </default>
  <asset>
    <mesh name="wedge" file="wedge.obj" scale="0.5 0.5 0.5" refpos="0.1 0.2 0" refquat="0.9 0.1 -0.2 0.3"/>
    <mesh name="mirrored" file="wedge.obj" scale="-0.3 0.4 0.5"/>
    <mesh name="skewed" file="wedge.obj" scale="0.3 0.4 0.5" refquat="0.8 0 0.6 0"/>
    <mesh name="inline" vertex="0 0 0  .1 0 0  0 .1 0  0 0 .1"/>
    <material name="red" rgba="1 0 0 1"/>
  </asset>
  <worldbody>
    <light pos="0 0 3"/>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body name="aim" mocap="true"><geom class="seen" size=".01"/></body>
    <body name="cube" pos="1 0 0"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
    <body name="base" pos="0 0 .2" euler="0 0 30">
      <geom class="solid" type="cylinder" size=".1 .2" pos="0 0 .1"/>
      <body name="upper" pos="0 0 .5" euler="10 20 30">
        <inertial pos=".1 .02 .03" mass="2" fullinertia=".02 .03 .025 .001 .002 -.003"/>
        <joint name="turn" axis="0 1 1" pos=".05 0 .1" ref="20" range="-90 120" damping=".5" frictionloss=".1"
               armature=".1"/>
        <geom class="solid" type="capsule" fromto="0 0 .1 .3 0 .1" size=".05"/>
        <geom class="seen" type="mesh" mesh="wedge" pos=".1 0 0" euler="0 40 0" material="red"/>
        <geom class="seen" type="mesh" mesh="mirrored"/>
        <body name="fore" pos=".4 0 .1">
          <joint name="bend" axis="0 1 0" range="-100 100"/>
          <joint name="reach" type="slide" axis="1 0 0" range="0 .2" ref=".05"/>
          <geom class="solid" type="box" size=".1 .03 .04" pos=".1 0 0"/>
          <geom class="seen" type="mesh" mesh="skewed"/>
          <geom class="seen" type="mesh" mesh="inline"/>
          <site name="grasp_site" pos=".3 0 0" euler="0 90 0"/>
          <site name="fore"/>
          <body name="left" pos=".25 .05 0"><joint name="left" type="slide" axis="0 1 0" range="0 .04" ref=".01"/>
            <geom class="solid" size=".02"/></body>
          <body name="right" pos=".25 -.05 0"><joint name="right" type="slide" axis="0 -1 0" range="0 .04"/>
            <geom class="solid" size=".02"/></body>
        </body>
        <body name="rod" pos="0 0 .1"><joint name="wobble" type="ball" pos="0 0 .02"/>
          <geom class="solid" type="ellipsoid" size=".02 .03 .04" pos="0 .2 0"/></body>
      </body>
    </body>
  </worldbody>
  <contact><exclude body1="base" body2="fore"/></contact>
  <equality>
    <joint joint1="right" joint2="left" polycoef=".002 1.5 0 0 0"/>
    <connect name="loop" body1="rod" body2="fore" anchor="0 0 0"/>
  </equality>
  <tendon><fixed name="both"><joint joint="left" coef="1"/><joint joint="right" coef="1"/></fixed></tendon>
  <actuator>
    <position joint="turn" kp="100" ctrlrange="-1 1" forcerange="-30 30" gear="2"/>
    <motor joint="bend" ctrlrange="-4 4" gear="5"/>
    <velocity joint="reach" kv="10" ctrlrange="-.5 .5"/>
    <position tendon="both" kp="10"/>
  </actuator>
  <keyframe>
    <key name="folded" qpos="1 0 0 1 0 0 0  .3 .5 .1 .02 .025  1 0 0 0"/>
    <key name="home" qpos="1 0 0 1 0 0 0  .2 .4 .1 .01 .002  .96 .28 0 0"/>
  </keyframe>
</mujoco>
"""
WEDGE = "v 0 0 0\nv 1 0 0\nv 0 .6 0\nv 0 0 .3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"


@pytest.fixture(scope="module")
def mujoco() -> Any:
    return pytest.importorskip("mujoco", reason="the extra is not installed")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "wedge.obj").write_text(WEDGE)
    (tmp_path / "arm.xml").write_text(ARM)
    return tmp_path / "arm.xml"


def imported(path: Path, output: Path | None = None) -> tuple[Conversion, RobotDescription, Path]:
    output = output or path.with_suffix(".urdf")
    conversion = convert([path], output, ConvertOptions(to="urdf"))
    write_conversion(conversion, overwrite=True)
    return conversion, open_document(output).robot, output


def told(conversion: Conversion, fate: Fate) -> dict[str, str]:
    return {e.item: e.detail for report in conversion.reports for e in report.of(fate)}


def placed(xyz: Any, turn: Any) -> Any:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = np.reshape(turn, (3, 3)), xyz
    return matrix


class Twins:
    """An MJCF and the robot that was made of it, at the same positions."""

    def __init__(self, mujoco: Any, path: Path, robot: RobotDescription) -> None:
        self.mujoco, self.robot, self.tree = mujoco, robot, get_tree(robot)
        self.model = mujoco.MjModel.from_xml_path(str(path))
        self.data = mujoco.MjData(self.model)

    def pose(self, random: np.random.Generator) -> dict[str, float]:
        free = [j for j in self.robot.urdf.joints if j.is_movable and j.mimic is None]
        pose = {j.name: float(random.uniform(*(j.position_limits or (-3.1, 3.1)))) for j in free}
        for joint in self.robot.urdf.joints:
            if joint.mimic is not None:
                pose[joint.name] = (
                    joint.mimic.multiplier * pose[joint.mimic.joint] + joint.mimic.offset
                )
        for name, value in pose.items():
            if not re.fullmatch("wobble_[xyz]", name):
                self.data.joint(name).qpos = value
        ball = np.array([1.0, 0, 0, 0])
        for axis, letter in zip(np.eye(3), "xyz", strict=True):
            turned, product = np.empty(4), np.empty(4)
            self.mujoco.mju_axisAngle2Quat(turned, axis, pose.get(f"wobble_{letter}", 0.0))
            self.mujoco.mju_mulQuat(product, ball, turned)
            ball = product
        self.data.joint("wobble").qpos = ball
        self.mujoco.mj_forward(self.model, self.data)
        return pose

    def largest_difference(self, pose: dict[str, float]) -> float:
        """Of all links' frames that MuJoCo has, in the frame of the base."""
        ours, worst = compute_forward(self.tree, pose), 0.0
        bodies = [
            ("base", self.data.body("base")),
            *((n, self.data.body(n)) for n in ("upper", "fore", "rod", "right")),
        ]
        bodies.append(("grasp_site", self.data.site("grasp_site")))
        start, first = (np.linalg.inv(placed(bodies[0][1].xpos, bodies[0][1].xmat)), None)
        for name, body in bodies:
            place = ours[self.tree.index[name]]
            first = np.linalg.inv(place) if first is None else first
            worst = max(
                worst, float(np.abs(start @ placed(body.xpos, body.xmat) - first @ place).max())
            )
        return worst


def test_frames_are_those_of_mujoco_at_any_positions(mujoco: Any, model: Path) -> None:
    _, robot, _ = imported(model)
    twins, random = Twins(mujoco, model, robot), np.random.default_rng(3)
    assert max(twins.largest_difference(twins.pose(random)) for _ in range(50)) < 1e-12


def test_limits_masses_and_what_follows_are_the_files(mujoco: Any, model: Path) -> None:
    conversion, robot, urdf = imported(model)
    joints = {joint.name: joint for joint in robot.urdf.joints}
    assert joints["turn"].position_limits == pytest.approx(np.radians((-90, 120)))
    assert joints["reach"].position_limits == pytest.approx((0, 0.2))
    assert [joints[n].type for n in ("turn", "reach", "wobble_x")] == [
        JointType.REVOLUTE,
        JointType.PRISMATIC,
        JointType.CONTINUOUS,
    ]
    limits = {name: joint.limit for name, joint in joints.items() if joint.limit is not None}
    assert (limits["turn"].effort, limits["bend"].effort, limits["reach"].velocity) == (
        60.0,
        20.0,
        0.5,
    )
    assert joints["turn"].dynamics is not None
    assert (joints["turn"].dynamics.damping, joints["turn"].dynamics.friction) == (0.5, 0.1)
    mimic = joints["right"].mimic
    assert mimic is not None
    assert (mimic.joint, mimic.multiplier) == ("left", 1.5)
    assert mimic.offset == pytest.approx(0.002 - 1.5 * 0.01)
    # MuJoCo's own reader of URDF holds the same robot: M(q) is equal.
    text = re.sub(
        "(<robot[^>]*>)",
        r'\1<mujoco><compiler fusestatic="false" strippath="false"/></mujoco>',
        urdf.read_text(),
    )
    urdf.with_name("twin.urdf").write_text(text)
    ours = mujoco.MjModel.from_xml_path(str(urdf.with_name("twin.urdf")))
    twins, state = Twins(mujoco, model, robot), mujoco.MjData(ours)
    twins.model.dof_armature[:] = 0
    mujoco.mj_setConst(twins.model, twins.data)
    pose = twins.pose(np.random.default_rng(5))
    for name, value in pose.items():
        state.joint(name).qpos = value
    mujoco.mj_forward(ours, state)
    matrices = []
    for each, at in ((twins.model, twins.data), (ours, state)):
        whole = np.zeros((each.nv, each.nv))
        mujoco.mj_fullM(each, whole, at.qM) if "qM" in dir(at) else mujoco.mj_fullM(each, at, whole)
        rows = [
            int(each.joint(name).dofadr[0]) for name in ("turn", "bend", "reach", "left", "right")
        ]
        matrices.append(whole[np.ix_(rows, rows)])
    assert matrices[0] == pytest.approx(matrices[1], abs=1e-8)
    assert told(conversion, Fate.INVENTED).keys() >= {"XRDF"}


def test_shapes_stand_where_mujoco_has_them(mujoco: Any, model: Path) -> None:
    conversion, robot, urdf = imported(model)
    links = {link.name: link for link in robot.urdf.links}
    twins = Twins(mujoco, model, robot)
    m = twins.model
    names = ("wedge", "mirrored", "skewed", "inline")
    meshes = [
        v for name in ("upper", "fore") for v in links[name].visuals if isinstance(v.geometry, Mesh)
    ]
    assert [m_.geometry.filename for m_ in meshes if isinstance(m_.geometry, Mesh)] == [
        "parts/wedge.obj",
        "parts/wedge.obj",
        "arm_meshes/skewed_2.obj",
        "arm_meshes/inline_3.obj",
    ]
    for name, visual in zip(names, meshes, strict=True):
        geometry = visual.geometry
        assert isinstance(geometry, Mesh)
        rows = [
            line.split()[1:]
            for line in (urdf.parent / geometry.filename).read_text().splitlines()
            if line[0] == "v"
        ]
        shape = editor_app.core.space.kinematics.transforms.build_origin_matrix(visual.origin)  # type: ignore[attr-defined]
        ours = (np.array(rows, dtype=float) * geometry.scale) @ shape[:3, :3].T + shape[:3, 3]
        geom = next(
            g
            for g in range(m.ngeom)
            if m.geom_type[g] == 7 and m.mesh(m.geom_dataid[g]).name == name
        )
        number = int(m.geom_dataid[geom])
        start, turn = int(m.mesh_vertadr[number]), np.empty(9)
        mujoco.mju_quat2Mat(turn, m.geom_quat[geom])
        theirs = (
            m.mesh_vert[start : start + m.mesh_vertnum[number]] @ turn.reshape(3, 3).T
            + m.geom_pos[geom]
        )
        distances = np.linalg.norm(ours[:, None] - theirs[None], axis=2)
        assert max(distances.min(axis=0).max(), distances.min(axis=1).max()) < 1e-6, name
    material = links["upper"].visuals[0].material
    assert material is not None
    assert (material.name, material.rgba) == ("red", (1, 0, 0, 1))
    # A capsule is no shape of URDF 1.0: all readers read its three parts.
    assert [type(c.geometry) for c in links["upper"].collisions] == [Cylinder, Ball, Ball]
    assert [type(c.geometry) for c in links["fore"].collisions] == [Box]
    [ellipsoid] = links["rod"].collisions
    assert isinstance(ellipsoid.geometry, Mesh)
    assert ellipsoid.geometry.scale == pytest.approx((0.02, 0.03, 0.04))
    assert any(
        "capsule" in entry.detail for report in conversion.reports for entry in report.entries
    )


def test_pairs_states_and_tools_come_along(mujoco: Any, model: Path) -> None:
    conversion, robot, urdf = imported(model)
    assert robot.srdf is not None
    reasons = {pair.pair: pair.reason for pair in robot.srdf.disabled_pairs}
    assert reasons[LinkPair.of("base", "fore")] == "contact/exclude of the MJCF"
    assert reasons[LinkPair.of("upper", "fore")] == "Adjacent"
    # The base stands on the world: MuJoCo looks at it and what hangs on it.
    assert LinkPair.of("base", "upper") not in reasons
    assert robot.xrdf.ignored_pairs() >= reasons.keys()
    assert "# contact/exclude of the MJCF" in urdf.with_suffix(".xrdf").read_text()
    states = {state.name: dict(state.positions) for state in robot.srdf.states}
    assert states["folded"]["reach"] == (0.1,)
    # A state has the joints of its group alone: MoveIt takes no others.
    assert {frozenset(state) for state in states.values()} == {
        frozenset(robot.srdf.groups[0].joints)
    }
    positions = dict(robot.xrdf.default_joint_positions or {})
    assert positions["wobble_x"] == pytest.approx(2 * np.arccos(0.96))
    assert (positions["turn"], positions["bend"]) == pytest.approx((0.2, 0.4))
    assert robot.xrdf.tool_frames == ("grasp_site",)
    assert robot.xrdf.cspace is not None
    # What no actuator moves is not controlled.
    assert robot.xrdf.cspace.joint_names == ("turn", "bend", "reach")
    assert set(robot.srdf.passive_joints) == {"wobble_x", "wobble_y", "wobble_z"}
    # No pair that is not checked touches in MuJoCo.
    twins, random = Twins(mujoco, model, robot), np.random.default_rng(11)
    touching = set()
    for _ in range(300):
        twins.pose(random)
        contacts = [twins.data.contact[i] for i in range(twins.data.ncon)]
        touching |= {
            LinkPair.of(*(twins.model.body(twins.model.geom_bodyid[g]).name for g in c.geom))
            for c in contacts
        }
    assert touching
    assert not touching & reasons.keys()
    lost = told(conversion, Fate.LOST)
    assert {"body", "equality", "tendon", "armature"} <= lost.keys()
    sentences = [entry.detail for report in conversion.reports for entry in report.of(Fate.LOST)]
    assert {text.partition(":")[0] for text in sentences} >= {"aim", "cube", "loop"}


def test_what_stands_alone_is_the_root_and_two_robots_stand_in_the_world(
    mujoco: Any, tmp_path: Path
) -> None:
    leg = (
        '<body name="{0}leg"><joint name="{0}hip" axis="0 1 0"/><geom size=".1"/></body><geom '
        'size=".2"/>'
    )
    text = (
        '<mujoco><worldbody><body name="trunk" pos="0 0 1"><freejoint/>'
        + leg.format("")
        + "</body></worldbody></mujoco>"
    )
    (tmp_path / "walker.xml").write_text(text)
    conversion, robot, _ = imported(tmp_path / "walker.xml")
    assert [link.name for link in robot.urdf.links] == ["trunk", "leg"]
    assert "free joint of trunk" in told(conversion, Fate.TRANSLATED)
    arms = "".join(
        f'<body name="{n}" pos="0 {y} 0">{leg.format(n)}</body>' for n, y in (("a", 1), ("b", -1))
    )
    box = '<geom name="table" type="box" size=".1 .1 .1" pos="0 0 -1"/>'
    (tmp_path / "two.xml").write_text(f"<mujoco><worldbody>{box}{arms}</worldbody></mujoco>")
    _, robot, _ = imported(tmp_path / "two.xml")
    assert [link.name for link in robot.urdf.links] == ["world", "a", "aleg", "b", "bleg"]
    assert len(robot.urdf.links[0].collisions) == 1
    assert robot.urdf.joints[0].origin.xyz == (0, 1, 0)


@pytest.mark.parametrize("name", ["whole.xml", "whole.mjcf"])
def test_files_are_included_from_folders_whatever_the_ending(
    mujoco: Any, name: str, tmp_path: Path
) -> None:
    (tmp_path / "parts").mkdir()
    ball = '<geom size=".1"/>'
    for part, inside in (("leg", '<include file="foot.xml"/>'), ("foot", "")):
        text = f'<mujoco><body name="{part}">{ball}{inside}</body></mujoco>'
        (tmp_path / "parts" / f"{part}.xml").write_text(text)
    (tmp_path / name).write_text(
        '<mujoco><worldbody><include file="parts/leg.xml"/></worldbody></mujoco>'
    )
    _, robot, _ = imported(tmp_path / name)
    assert [link.name for link in robot.urdf.links] == ["leg", "foot"]


@pytest.mark.parametrize("name", ["out.mjcf.xml", "out.mjcf"])
def test_what_this_editor_wrote_comes_back(mujoco: Any, name: str, tmp_path: Path) -> None:
    (tmp_path / "small.urdf").write_text(URDF_TEXT)
    (tmp_path / "small.xrdf").write_text(XRDF_TEXT)
    before = open_document(tmp_path / "small.urdf").robot
    write_conversion(convert([tmp_path / "small.urdf", tmp_path / "small.xrdf"], tmp_path / name))
    _, after, _ = imported(tmp_path / name, tmp_path / "back" / "back.urdf")
    names = {link.name for link in before.urdf.links}
    assert names <= {link.name for link in after.urdf.links}
    a, b = get_tree(before), get_tree(after)
    at = {joint.name: joint.clamped(0.1) for joint in before.urdf.joints if joint.is_movable}
    first, second = compute_forward(a, at), compute_forward(b, at)
    for name in names:
        assert first[a.index[name]] == pytest.approx(second[b.index[name]], abs=1e-9)
    group = before.xrdf.world_group or before.xrdf.self_group
    # A radius below 0 switches a sphere off: it is no geom.
    spheres = {
        f: [s for s in of if s.radius > 0] for f, of in before.xrdf.spheres_of(group).items()
    }
    again = after.xrdf.spheres_of(after.xrdf.self_group)
    assert {f: list(of) for f, of in again.items() if of} == {
        f: of for f, of in spheres.items() if of
    }
    assert before.xrdf.ignored_pairs() <= after.xrdf.ignored_pairs()


def test_meshes_go_along_to_another_folder_and_an_xrdf_that_is_named_wins(
    mujoco: Any, model: Path
) -> None:
    _, _, urdf = imported(model, model.parent / "elsewhere" / "arm.urdf")
    assert (urdf.parent / "parts" / "wedge.obj").read_text() == WEDGE
    text = urdf.with_suffix(".xrdf").read_text()
    named = model.with_name("named.xrdf")
    named.write_text(text.replace("grasp_site", "fore"))
    conversion = convert([model, named], model.with_name("out.curobo.yml"))
    assert b"grasp_site" not in conversion.files[0][1]
    with pytest.raises(FormatError, match="two XRDF files"):
        convert([model, named, urdf.with_suffix(".xrdf")], model.with_name("out.curobo.yml"))


def test_the_command_line_checks_one_at_once_and_says_what_mujoco_refuses(
    mujoco: Any, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command("check", [str(model)]) in (0, 1)
    assert "errors" in capsys.readouterr().out
    model.write_text(ARM.replace("<light ", "<ligt "))
    assert run_command("convert", [str(model), str(model.with_suffix(".urdf"))]) != 0
    message = capsys.readouterr().err
    assert "arm.xml:" in message
    assert "ligt" in message
    assert not list(Path.cwd().glob("MUJOCO_LOG.TXT"))


def test_without_mujoco_a_sentence_names_the_extra(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        FormatError, match=r"needs the package mujoco.*pip install 'xrdf-editor\[mujoco\]'"
    ):
        convert([model], model.with_suffix(".urdf"))


def test_the_pairs_that_never_touch_are_those_of_a_look_at_every_pair(
    mujoco: Any, tmp_path: Path
) -> None:
    """They are looked up by bodies that are welded together, since every pair of 3,000 bodies takes
    half a minute."""
    assert mujoco
    bits = (
        'contype="1" conaffinity="1"',
        'contype="2" conaffinity="4"',
        'contype="4" conaffinity="0"',
    )
    bodies = "".join(
        f'<body name="b{number}">{joint}<geom size=".1" {bits[number % 3]}/>'
        f'<body name="c{number}"><geom size=".1" {bits[number % 2]}/><body '
        f'name="d{number}"><joint/>'
        f'<geom size=".1" {bits[0]}/><geom size=".1" {bits[1]}/></body></body></body>'
        for number, joint in enumerate(["", "<joint/>", "<freejoint/>", "<joint/>", "", "<joint/>"])
    )
    pairs = (
        '<exclude body1="b1" body2="d3"/><exclude body1="b0" body2="c0"/><pair geom1="g" '
        'geom2="h"/>'
    )
    named = (
        '<body name="e"><joint/><geom name="g" size="1"/><body name="f"><joint/><geom name="h" '
        'size="1"/></body></body>'
    )
    text = f"<mujoco><worldbody>{bodies}{named}</worldbody><contact>{pairs}</contact></mujoco>"
    (tmp_path / "m.xml").write_text(text)
    reading = _Reading(compile_model(tmp_path / "m.xml"))
    reading.bodies.read()
    every = sorted(reading.bodies.links)
    filters = PairFilters(reading.model, every)
    by_pair = {pair: filters.reason(*pair) for pair in combinations(every, 2)}
    assert filters.filtered(every) == {
        pair: reason for pair, reason in by_pair.items() if reason is not None
    }
    kind, affinity, of_body = (
        reading.model.geom_contype,
        reading.model.geom_conaffinity,
        reading.shapes.of_body,
    )
    solid = [body for body in every if of_body(body)]
    apart = [
        pair
        for pair in combinations(solid, 2)
        if by_pair[pair] is None
        and pair not in filters.named
        and not any(
            kind[a] & affinity[b] or kind[b] & affinity[a]
            for a in of_body(pair[0])
            for b in of_body(pair[1])
        )
    ]
    assert len(apart) > 10
    assert reading._count_apart(solid, filters.filtered(solid).keys() | filters.named) == len(apart)
