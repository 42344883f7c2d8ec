"""The files for VAMP: read as cricket reads them, by pinocchio, they are the robot of the XRDF."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import editor_app
from editor_app.core.document.opening import open_document
from editor_app.core.formats.exchange.conversion import Fate
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.text.source import FormatError
from editor_app.core.verbs.convert import convert
from tests.helpers.clearances import overlapping
from tests.helpers.small_robot import URDF_TEXT

pinocchio = pytest.importorskip("pinocchio")
SAMPLE = Path(__file__).parents[2] / "resources" / "sample" / "heron.urdf"


class AsCricket:
    """Model, spheres and pairs as cricket builds them out of its JSON."""

    def __init__(self, config: Path) -> None:
        self.value: dict[str, Any] = json.loads(config.read_text())
        urdf, srdf = (str(config.parent / self.value[key]) for key in ("urdf", "srdf"))
        self.model = pinocchio.buildModelFromUrdf(urdf)
        self.geometry = pinocchio.buildGeomFromUrdf(
            self.model, urdf, pinocchio.GeometryType.COLLISION
        )
        self.geometry.addAllCollisionPairs()
        pinocchio.removeCollisionPairs(self.model, self.geometry, srdf)
        self.data, self.geometry_data = self.model.createData(), self.geometry.createData()

    def link(self, index: int) -> str:
        return str(self.model.frames[self.geometry.geometryObjects[index].parentFrame].name)

    def touching(self, pose: dict[str, float]) -> set[LinkPair]:
        q = np.array([pose[name] for name in list(self.model.names)[1:]])
        pinocchio.updateGeometryPlacements(
            self.model, self.data, self.geometry, self.geometry_data, q
        )
        pairs = set()
        for pair in self.geometry.collisionPairs:
            places = [self.geometry_data.oMg[i].translation for i in (pair.first, pair.second)]
            radii = [
                self.geometry.geometryObjects[i].geometry.radius for i in (pair.first, pair.second)
            ]
            if np.linalg.norm(places[0] - places[1]) < sum(radii):
                pairs.add(LinkPair.of(self.link(pair.first), self.link(pair.second)))
        return pairs


def test_pinocchio_holds_the_planned_joints_the_spheres_and_the_checked_pairs(
    tmp_path: Path,
) -> None:
    document = open_document(SAMPLE)
    conversion = convert(document, tmp_path / "heron.cricket.json")
    for path, data in conversion.files:
        path.write_bytes(data)
    built = AsCricket(conversion.files[0][0])
    assert document.robot.xrdf.cspace is not None
    planned = document.robot.xrdf.cspace.joint_names or ()
    assert set(built.model.names) - {"universe"} == set(planned)
    assert built.model.nq == len(planned)
    assert built.model.existFrame(built.value["end_effector"])
    assert built.value["name"] == "Heron"
    spheres = editor_app.sphere_arrays(document)
    assert len(built.geometry.geometryObjects) == int((spheres.radii > 0).sum())
    assert {type(each.geometry).__name__ for each in built.geometry.geometryObjects} == {"Sphere"}
    # The fingers stand at their default positions.
    default = editor_app.default_pose(document)
    random = np.random.default_rng(3)
    touched = 0
    for _ in range(100):
        pose = {**default, **{n: float(random.uniform(*_range(document, n))) for n in planned}}
        expected = overlapping(document, pose)
        # Fixed joints make one body of the hand and its fingers, whose spheres no motion moves.
        rigid = {"hand_link", "left_finger_link", "right_finger_link"}
        expected = {pair for pair in expected if not {pair.first, pair.second} <= rigid}
        assert built.touching(pose) == expected
        touched += bool(expected)
    assert touched > 2


def _range(document: editor_app.Document, joint: str) -> tuple[float, float]:
    robot_joint = document.robot.urdf.joint(joint)
    assert robot_joint is not None
    return robot_joint.position_limits or (-np.pi, np.pi)


XRDF = """format: xrdf
format_version: 1.0
modifiers:
  - add_frame: {frame_name: tcp, joint_name: to_tcp, joint_type: FIXED, parent_frame_name: hand,
      fixed_transform: {position: [0, 0, 0.1], orientation: {w: 0.5, xyz: [0.5, 0.5, 0.5]}}}
default_joint_positions: {slide_a: 0.02}
cspace: {joint_names: [j1, j2], acceleration_limits: [1.0, 1.0], jerk_limits: [1.0, 1.0]}
tool_frames: [tcp, hand]
collision: {geometry: balls}
geometry:
  balls: {spheres: {hand: [{center: [0, 0, 0], radius: 0.1}], tcp: [{center: [0, 0, 0.5], radius: 0.1}]}}
"""


def test_other_joints_stand_still_and_frames_are_links(tmp_path: Path) -> None:
    (tmp_path / "small.urdf").write_text(URDF_TEXT)
    (tmp_path / "small.xrdf").write_text(XRDF)
    inputs = [tmp_path / "small.urdf", tmp_path / "small.xrdf"]
    conversion = convert(inputs, tmp_path / "my-arm 2.cricket.json")
    for path, data in conversion.files:
        path.write_bytes(data)
    built = AsCricket(conversion.files[0][0])
    assert built.value["name"] == "My_arm_2"
    assert list(built.model.names)[1:] == ["j1", "j2"]
    # It turned for ever: one number, between half a turn and half a turn.
    assert built.model.nq == 2
    assert built.model.lowerPositionLimit[1] == pytest.approx(-np.pi)
    place = {
        name: built.model.frames[built.model.getFrameId(name)].placement
        for name in ("finger_a", "finger_b", "tcp")
    }
    hand = built.model.frames[built.model.getFrameId("hand")].placement
    assert (hand.inverse() * place["finger_a"]).translation == pytest.approx([0.02, 0, 0])
    assert (hand.inverse() * place["finger_b"]).translation == pytest.approx([-0.02, 0, 0])
    assert (hand.inverse() * place["tcp"]).rotation @ [1, 0, 0] == pytest.approx([0, 1, 0])
    told = {entry.item for report in conversion.reports for entry in report.of(Fate.LOST)}
    assert "tool frame hand" in told


def test_a_robot_without_spheres_is_refused(tmp_path: Path) -> None:
    (tmp_path / "small.urdf").write_text(URDF_TEXT)
    with pytest.raises(FormatError, match="needs a robot with spheres"):
        convert([tmp_path / "small.urdf"], tmp_path / "small.cricket.json")


def two_arms(folder: Path) -> Path:
    """Two arms on one post, side by side, which can reach each other."""
    links, joints, spheres = ['<link name="post"/>'], [], []
    for side, y in (("left", 0.3), ("right", -0.3)):
        above = "post"
        for number, place in enumerate((f"0 {y} 0.5", "0.3 0 0", "0.3 0 0")):
            link = f"{side}_{number}"
            links.append(f'<link name="{link}"/>')
            joints.append(
                f'<joint name="{link}_joint" type="revolute"><parent link="{above}"/><child '
                f'link="{link}"/>'
                f'<origin xyz="{place}"/><axis xyz="0 0 1"/>'
                '<limit lower="-2.5" upper="2.5" effort="1" velocity="1"/></joint>'
            )
            spheres.append(f"    {link}: [{{center: [0.15, 0, 0], radius: 0.1}}]\n")
            above = link
    names = ", ".join(f"{side}_{number}_joint" for side in ("left", "right") for number in range(3))
    ignored = "".join(f"    {s}_0: [{s}_1]\n    {s}_1: [{s}_2]\n" for s in ("left", "right"))
    (folder / "two.urdf").write_text(f'<robot name="two">{"".join([*links, *joints])}</robot>')
    (folder / "two.xrdf").write_text(
        f"format: xrdf\nformat_version: 1.0\ndefault_joint_positions: {{}}\ncspace: {{joint_names: "
        f"[{names}], "
        f"acceleration_limits: [{', '.join(['1.0'] * 6)}], jerk_limits: "
        f"[{', '.join(['1.0'] * 6)}]}}\n"
        "tool_frames: [left_2, right_2]\ncollision: {geometry: g}\nself_collision:\n  geometry: "
        "g\n  ignore:\n"
        f"{ignored}geometry:\n  g:\n    spheres:\n{''.join('  ' + line for line in spheres)}"
    )
    return folder / "two.urdf"


def test_two_arms_are_planned_together_and_checked_against_each_other(tmp_path: Path) -> None:
    document = open_document(two_arms(tmp_path))
    conversion = convert(document, tmp_path / "two.cricket.json")
    for path, data in conversion.files:
        path.write_bytes(data)
    built = AsCricket(conversion.files[0][0])
    assert built.model.nq == 6
    assert built.value["end_effector"] == "left_2"
    assert "tool frame right_2" in {
        e.item for report in conversion.reports for e in report.of(Fate.LOST)
    }
    random = np.random.default_rng(5)
    between = 0
    for _ in range(200):
        pose = {name: float(random.uniform(-2.5, 2.5)) for name in list(built.model.names)[1:]}
        touching = built.touching(pose)
        assert touching == overlapping(document, pose)
        between += any(
            pair.first.startswith("left") and pair.second.startswith("right") for pair in touching
        )
    assert between > 5
