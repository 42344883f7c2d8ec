"""Forward kinematics of real robots against pinocchio, which reads the URDF by urdfdom, and against
yourdfpy."""

from __future__ import annotations

import math
import time
from pathlib import Path

import numpy as np
import pytest
import yourdfpy

from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.urdf import JointType
from editor_app.core.space.kinematics.forward import compute_forward, compute_forward_batch
from editor_app.core.space.kinematics.structure import KinematicTree, complete_pose
from editor_app.core.space.kinematics.tree import build_tree
from editor_app.core.text.source import SourceText
from tests.helpers.joint_samples import sample_joints
from tests.helpers.robots import example_kinds, example_urdfs, shared_robots

pin = pytest.importorskip("pinocchio", reason="pin has wheels for Linux only")


def compare(path: Path, poses: int = 5) -> int:
    """Asserts agreement to 1e-9 m on `poses` random poses; the number of frames that were
    compared."""
    urdf = read_urdf(SourceText.read(path)).value
    tree = build_tree(urdf)
    assert tree.problems == () or all(p.code == "TREE007" for p in tree.problems)
    # Mimic joints are given their values as ordinary ones, so that following is ours and posing is
    # compared.
    model = (
        pin.buildModelFromUrdf(str(path), False)
        if _takes_mimic_flag()
        else pin.buildModelFromUrdf(str(path))
    )
    data = model.createData()
    frames = {f.name: i for i, f in enumerate(model.frames) if f.type == pin.FrameType.BODY}
    q = sample_joints(tree, poses, seed=7)
    batch = compute_forward_batch(tree, tree.independent, q)
    for row, world in zip(q, batch, strict=True):
        pose = complete_pose(tree, dict(zip(tree.independent, row, strict=True)))
        configuration = _configuration(model, tree, pose)
        pin.framesForwardKinematics(model, data, configuration)
        single = compute_forward(tree, pose)
        for i, name in enumerate(tree.frames):
            expected = data.oMf[frames[name]].homogeneous
            assert np.abs(world[i] - expected).max() < 1e-9, (path.name, name)
            assert np.abs(single[i] - expected).max() < 1e-9, (path.name, name)
    return len(tree.frames)


def _takes_mimic_flag() -> bool:
    # The second argument is `mimic` since pinocchio 3.?; earlier versions have none.
    return "mimic" in (pin.buildModelFromUrdf.__doc__ or "")


def _configuration(model: object, tree: KinematicTree, pose: object) -> np.ndarray:
    q = pin.neutral(model)
    for joint_id, name in enumerate(model.names):  # type: ignore[attr-defined]
        joint = model.joints[joint_id]  # type: ignore[attr-defined]
        if joint_id == 0 or name not in tree.joint_index:
            continue
        kind = tree.joints[tree.joint_index[name]].type
        if kind in (JointType.FLOATING, JointType.PLANAR):
            continue
        value = pose[name]  # type: ignore[index]
        if joint.nq == 2:
            q[joint.idx_q : joint.idx_q + 2] = math.cos(value), math.sin(value)
        elif joint.nq == 1:
            q[joint.idx_q] = value
    return q


def test_the_one_example_that_is_no_robot_is_told_as_pinocchio_refuses_it() -> None:
    path = next(path for path in example_urdfs() if path.name == "ur3.urdf")
    with pytest.raises(ValueError, match="valid URDF"):
        pin.buildModelFromUrdf(str(path))
    source = read_urdf(SourceText.read(path))
    assert source.value.links == ()
    assert [f.code for f in source.findings] == ["URDF001", "URDF002"]


def test_every_kind_of_example_robot_agrees() -> None:
    begun = time.process_time()
    # One file of theirs has no links.
    frames = [
        compare(path) for path in example_kinds() if "<link" in path.read_text(encoding="utf-8")
    ]
    assert len(frames) >= 38
    assert sum(frames) > 1000
    assert time.process_time() - begun < 60


def test_shared_robots_agree() -> None:
    for path in sorted(shared_robots().rglob("*.urdf")):
        compare(path, 20)


@pytest.mark.parametrize("name", ["panda.urdf", "ur5_robot.urdf", "tiago.urdf"])
def test_a_second_implementation_agrees_mimic_joints_included(name: str) -> None:
    path = next(p for p in example_urdfs() if p.name == name)
    tree = build_tree(read_urdf(SourceText.read(path)).value)
    theirs = yourdfpy.URDF.load(str(path), load_meshes=False, build_collision_scene_graph=False)
    for row in sample_joints(tree, 3, seed=1):
        pose = dict(zip(tree.independent, row, strict=True))
        theirs.update_cfg({n: v for n, v in pose.items() if n in theirs.actuated_joint_names})
        world = compute_forward(tree, pose)
        for i, frame in enumerate(tree.frames):
            assert np.abs(theirs.get_transform(frame) - world[i]).max() < 1e-9, frame
