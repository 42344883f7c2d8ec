"""Assemblies of real robots against pinocchio, coal and MuJoCo: frames, masses, meshes of pairs
that are ignored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import editor_app
from editor_app.core.document.commands import RemoveLink
from editor_app.core.document.commands.lists import SetItems
from editor_app.core.document.document import Document
from editor_app.core.document.state import FileKind
from editor_app.core.formats.urdf.patch import urdf_text
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.urdf import Urdf
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.space.kinematics.tree import complete_pose, get_tree
from editor_app.core.verbs.robot_texts import write_assembly
from editor_app.features.masks.engine.masks import Decision
from editor_app.plugins.assembly.verbs.assembly_parts import detach
from editor_app.plugins.assembly.verbs.compose import Assembly, Attachment, compose
from tests.helpers.breadth import of_each_kind
from tests.helpers.robots import example_mappings, example_robots, has_shared_robots, shared_robots

pin = pytest.importorskip("pinocchio", reason="pin has wheels for Linux only")

POST = """<robot name="post">
  <link name="floor"/>
  <link name="post">
    <inertial><origin xyz="0 0 0.5"/><mass value="40"/>
      <inertia ixx="4" ixy="0" ixz="0" iyy="4" iyz="0" izz="0.5"/></inertial>
    <collision><origin xyz="0 0 0.5"/><geometry><box size="0.2 0.2 1"/></geometry></collision>
    <collision><origin xyz="0 0 1.05"/><geometry><box size="0.2 1.2 0.1"/></geometry></collision>
  </link>
  <joint name="stand" type="fixed"><parent link="floor"/><child link="post"/></joint>
</robot>
"""


@dataclass(frozen=True)
class Built:
    base: Document
    attachments: tuple[Attachment, ...]
    assembly: Assembly
    urdf: Path


def open_part(attachment: Attachment) -> Document:
    assert isinstance(attachment.part, Document)
    return attachment.part


def opened(path: Path, number: int) -> Document:
    """With a draft, a few spheres for each link, which cover it, and a mask with which it can
    move."""
    document = editor_app.open_robot(path, packages=example_mappings())
    fitted = editor_app.fit(document, number=number, choices=editor_app.FitChoices(effort="fast"))
    document.execute(fitted.change)
    open_hand = {
        joint.name: 0.04 for joint in document.robot.urdf.joints if "finger_joint" in joint.name
    }
    document.execute(SetItems("xrdf.default_joint_positions", FrozenDict(open_hand)))
    rules = editor_app.MaskRules(mask_default=True, mask_always=True)
    if len(fitted.links) > 1:
        document.execute(editor_app.mask(document, samples=2000, certify=0, rules=rules).change)
    return document


def branch(urdf: Urdf, link: str, name: str) -> str:
    below = set(KinematicGraph(urdf).below(link))
    links = tuple(link for link in urdf.links if link.name in below)
    joints = tuple(joint for joint in urdf.joints if joint.parent in below)
    return urdf_text(
        replace(urdf, name=name, links=links, joints=joints, transmissions=(), extensions=())
    )


def panda(folder: Path, part: str) -> Path:
    """Panda's arm without its hand, or the hand alone."""
    source = editor_app.open_robot(example_robots() / "panda_description" / "urdf" / "panda.urdf")
    path = folder / f"{part}.urdf"
    if part == "hand":
        path.write_text(branch(source.robot.urdf, "panda_hand", "hand"), encoding="utf-8")
    else:
        urdf = RemoveLink("panda_hand").apply(source.robot).urdf
        path.write_text(urdf_text(replace(urdf, transmissions=(), extensions=())), encoding="utf-8")
    return path


def built(name: str, folder: Path) -> Built:
    robots = example_robots()
    if name == "shared":
        base = editor_app.open_robot(shared_robots() / "ur10e" / "ur10e.urdf")
        attachments = [
            Attachment(
                opened(panda(folder, "hand"), 4), "tool0", (0.0, 0.0, 0.01), (0.0, 0.0, 0.785), ""
            )
        ]
    elif name == "gripper":
        base = opened(robots / "ur_description" / "urdf" / "ur10_robot.urdf", 2)
        attachments = [
            Attachment(
                opened(panda(folder, "hand"), 4), "tool0", (0.0, 0.0, 0.01), (0.0, 0.0, 0.785), "h_"
            )
        ]
    elif name == "hand":
        base = opened(panda(folder, "arm"), 2)
        hand = robots / "allegro_hand_description" / "urdf" / "allegro_left_hand.urdf"
        attachments = [Attachment(opened(hand, 2), "panda_link8", (0.0, 0.0, 0.1), (0.0, 0.1, 0.3))]
    else:
        (folder / "post.urdf").write_text(POST, encoding="utf-8")
        base = opened(folder / "post.urdf", 40)
        arm = opened(robots / "ur_description" / "urdf" / "ur5_robot.urdf", 2)
        places = (("left_", 0.45), ("right_", -0.45))
        attachments = [
            Attachment(arm, "post", (0.0, y, 1.3), (0.0, 0.0, y), prefix) for prefix, y in places
        ]
    urdf = folder / "all.urdf"
    assembly = compose(base, attachments, urdf, samples=5000, certify=3)
    write_assembly(assembly)
    return Built(base, tuple(attachments), assembly, urdf)


#: With prefixes, one part and twice the same one; without prefixes, a hand and a real arm with its
#: own file.
SHARED = pytest.param(
    "shared",
    marks=pytest.mark.skipif(not has_shared_robots(), reason="no robots beside the repository"),
)
NAMES = of_each_kind(("gripper", "hand", "two", SHARED), ("gripper", "two"))


@pytest.fixture(scope="module", params=NAMES)
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    return built(request.param, tmp_path_factory.mktemp(request.param))


class Peer:
    """pinocchio's model of a URDF."""

    def __init__(self, urdf: Path) -> None:
        self.model = pin.buildModelFromUrdf(str(urdf))
        self.data = self.model.createData()

    def configuration(self, values: dict[str, float]) -> Any:
        q = pin.neutral(self.model)
        for name, value in values.items():
            joint = self.model.joints[self.model.getJointId(name)]
            q[joint.idx_q : joint.idx_q + joint.nq] = (
                (np.cos(value), np.sin(value)) if joint.nq == 2 else value
            )
        return q

    def places(self, values: dict[str, float]) -> dict[str, np.ndarray]:
        pin.framesForwardKinematics(self.model, self.data, self.configuration(values))
        bodies = [
            (f.name, i) for i, f in enumerate(self.model.frames) if f.type == pin.FrameType.BODY
        ]
        return {name: self.data.oMf[i].homogeneous for name, i in bodies}

    @property
    def mass(self) -> float:
        """With the root's, which pinocchio gives to the universe."""
        return float(sum(inertia.mass for inertia in self.model.inertias))


def poses(document: Document, count: int) -> Iterator[dict[str, float]]:
    tree, rng = get_tree(document.robot), np.random.default_rng(5)
    limits = {joint.name: joint.limits or (-3.0, 3.0) for joint in tree.joints}
    for _ in range(count):
        yield dict(
            complete_pose(tree, {name: rng.uniform(*limits[name]) for name in tree.independent})
        )


def test_frames_are_pinocchios_and_the_parts_own(whole: Built) -> None:
    document, peer = (
        editor_app.open_robot(whole.urdf, packages=example_mappings()),
        Peer(whole.urdf),
    )
    root = document.robot.urdf.links[0].name
    parts = [(each, Peer(open_part(each).urdf_path or Path())) for each in whole.attachments]
    for pose in poses(document, 20):
        theirs, ours = peer.places(pose), editor_app.frame_poses(document, pose)
        back = (
            np.linalg.inv(theirs[root]) if root in ours else np.linalg.inv(theirs[next(iter(ours))])
        )
        start = np.linalg.inv(ours[root]) if root in ours else np.eye(4)
        for frame, place in ours.items():
            if frame in theirs:
                assert np.allclose(start @ place, back @ theirs[frame], atol=1e-9, rtol=0), frame
        for attachment, part in parts:
            prefix = attachment.prefix
            names = {
                joint.name for joint in open_part(attachment).robot.urdf.joints if joint.is_movable
            }
            alone = part.places({name: pose[prefix + name] for name in names})
            turn = pin.rpy.rpyToMatrix(*attachment.rpy)
            mount = theirs[attachment.at] @ pin.SE3(turn, np.array(attachment.xyz)).homogeneous
            home = np.linalg.inv(alone[open_part(attachment).robot.urdf.links[0].name])
            for frame, place in alone.items():
                assert np.allclose(
                    theirs[prefix + frame], mount @ home @ place, atol=1e-9, rtol=0
                ), frame


def test_masses_add_up(whole: Built) -> None:
    parts = [whole.base, *(open_part(each) for each in whole.attachments)]
    masses = [Peer(part.urdf_path or Path()).mass for part in parts]
    assert Peer(whole.urdf).mass == pytest.approx(sum(masses), abs=1e-9)


def test_mujoco_moves_and_weighs_it_alike(whole: Built, tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    document, peer = (
        editor_app.open_robot(whole.urdf, packages=example_mappings()),
        Peer(whole.urdf),
    )
    editor_app.write_conversion(editor_app.convert(document, tmp_path / "all.mjcf.xml"))
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "all.mjcf.xml"))
    data = mujoco.MjData(model)
    assert model.body_mass.sum() == pytest.approx(peer.mass, abs=1e-6)
    bodies = [model.body(number).name for number in range(1, model.nbody)]
    for pose in poses(document, 3):
        for name in (name for name in pose if peer.model.existJointName(name)):
            data.joint(name).qpos = pose[name]
        mujoco.mj_kinematics(model, data)
        theirs = peer.places(pose)
        shared = [name for name in bodies if name in theirs]
        ours = {name: np.eye(4) for name in shared}
        for name, place in ours.items():
            place[:3, :3], place[:3, 3] = data.body(name).xmat.reshape(3, 3), data.body(name).xpos
        start, back = np.linalg.inv(ours[shared[0]]), np.linalg.inv(theirs[shared[0]])
        assert len(shared) > 10
        for name in shared:
            assert np.allclose(start @ ours[name], back @ theirs[name], atol=1e-9, rtol=0), name


def test_no_finding_is_new(whole: Built) -> None:
    codes = Counter(
        f.code
        for f in editor_app.check(editor_app.open_robot(whole.urdf, packages=example_mappings()))
    )
    parts = [whole.base, *(open_part(each) for each in whole.attachments)]
    assert not codes - Counter(f.code for part in parts for f in editor_app.check(part))


def test_meshes_of_ignored_pairs_never_touch(whole: Built) -> None:
    """In 1,500 configurations each, by coal; what overlaps always was told."""
    never = [
        r.pair
        for r in whole.assembly.between
        if r.decision is Decision.MASK and r.reason.startswith("never")
    ]
    if not never:
        assert whole.attachments[0].prefix == "", (
            "every other assembly has pairs that never collide"
        )
    document = editor_app.open_robot(whole.urdf, packages=example_mappings())
    model = pin.buildModelFromUrdf(str(whole.urdf))
    folders = [
        str(whole.urdf.parent),
        *(str(folder.parent) for folder in example_mappings().values()),
    ]
    geometry = pin.buildGeomFromUrdf(
        model, str(whole.urdf), pin.GeometryType.COLLISION, package_dirs=folders
    )
    of_link: dict[str, list[int]] = {}
    for number, shape in enumerate(geometry.geometryObjects):
        of_link.setdefault(model.frames[shape.parentFrame].name, []).append(number)
    pairs: list[LinkPair] = []
    for pair in never:
        for one in of_link.get(pair.first, ()):
            for other in of_link.get(pair.second, ()):
                geometry.addCollisionPair(pin.CollisionPair(one, other))
                pairs.append(pair)
    data, geometry_data, peer = model.createData(), geometry.createData(), Peer(whole.urdf)
    for pose in poses(document, 1500 if pairs else 0):
        q = peer.configuration({name: pose[name] for name in pose if model.existJointName(name)})
        pin.computeCollisions(model, data, geometry, geometry_data, q, False)
        hits = {
            pairs[i]
            for i, result in enumerate(geometry_data.collisionResults)
            if result.isCollision()
        }
        assert not hits


def test_it_comes_off_to_the_byte(whole: Built) -> None:
    document = editor_app.open_robot(whole.urdf, packages=example_mappings())
    for attachment in reversed(whole.attachments):
        root = attachment.prefix + open_part(attachment).robot.urdf.links[0].name
        off = detach(document, root)
        assert off.is_exact
        document.replace_texts(off.texts, off.label)
    assert document.robot.xrdf == whole.base.robot.xrdf
    if whole.base.urdf_path is not None and whole.base.urdf_path.parent == whole.urdf.parent:
        assert document.text(FileKind.URDF) == whole.base.urdf_path.read_text(encoding="utf-8")


def test_the_assembly_plans(whole: Built) -> None:
    document = editor_app.open_robot(whole.urdf, packages=example_mappings())
    pose = editor_app.state_pose(document, "default")
    assert not [t for t in editor_app.collide(document, pose).moment(0).touches if not t.masked]
    # Many random goals lie beyond what the few spheres, or the post and the arms themselves, keep
    # apart; these do not.
    tries = (editor_app.PlannerSettings(seed=seed) for seed in (1, 7, *range(12)))
    assert any(
        editor_app.plan_to_random(document, pose, settings=each).path is not None for each in tries
    )
