"""What check_urdf, pinocchio, Tesseract and MuJoCo say of every kind of robot file that the editor
writes.

From each robot five are made: patched in place, repaired, with spheres, through COLLADA and back,
and an SRDF next to its URDF. check_urdf has to take the URDFs; the others have to put every frame
where the editor puts it, in random configurations; Tesseract has to allow the pairs that the mask
ignores.

MuJoCo is asked in an environment of its own, and left out where it is missing:

    python3 -m venv .mujoco && .mujoco/bin/pip install mujoco      (or XRDF_EDITOR_MUJOCO_PYTHON)

Shapes are left out for Tesseract and MuJoCo: what they say of meshes depends on where these lie.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from editor_app.core.document.commands.urdf_robot import AttachToWorld, IgnoreLinkedBodies
from editor_app.core.document.document import Document
from editor_app.core.document.state import FileKind
from editor_app.core.formats.exchange.codec import ConvertOptions
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.urdf.patch import patch_urdf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import CannotApply
from editor_app.core.model.urdf import Urdf
from editor_app.core.model.xrdf import CollisionSphere, GeometryGroup, LinkPair
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.structure import KinematicTree, complete_pose
from editor_app.core.space.kinematics.tree import build_tree
from editor_app.core.text.source import SourceText
from editor_app.core.verbs.convert import convert, write_conversion
from editor_app.core.verbs.open import open_robot
from editor_app.plugins.consumers.verbs.repair import repair
from tests.helpers.joint_samples import sample_joints
from tests.helpers.robots import REPOSITORY, example_mappings, example_urdfs, sample_urdf
from tests.helpers.urdfdom import assert_urdfdom_takes

#: Metres, and entries of a rotation: urdfdom and ours compute in double precision.
TOLERANCE = 1e-6
POSES = 3


@dataclass(frozen=True)
class Written:
    """One URDF that the editor wrote, with the SRDF beside it."""

    kind: str
    path: Path
    srdf: Path | None = None
    ignored: frozenset[LinkPair] = frozenset()


# -- what is written


def written(urdf: Path, folder: Path) -> Iterator[Written]:
    """Every kind of file for one robot."""
    document = with_spheres(urdf)
    yield patched(document, folder / "patched.urdf")
    target = folder / "repaired.urdf"
    repaired = repair(document, profile=Profile.CUROBO)
    text = repaired.texts.get(FileKind.URDF, document.urdf_text)
    target.write_text(text, encoding="utf-8")
    yield Written("repaired", target)
    spheres = folder / "spheres.urdf"
    if document.robot.xrdf.spheres_of(document.robot.xrdf.world_group):
        write_conversion(
            convert(document, spheres, ConvertOptions(to="spheres-urdf")), overwrite=True
        )
        yield Written("with spheres", spheres)
    collada, back = folder / "robot.dae", folder / "back.urdf"
    write_conversion(convert(document, collada, packages=example_mappings()), overwrite=True)
    write_conversion(convert([collada], back, ConvertOptions(to="urdf")), overwrite=True)
    yield Written("COLLADA and back", back)
    plain, srdf = folder / "plain.urdf", folder / "plain.srdf"
    plain.write_text(document.urdf_text, encoding="utf-8")
    write_conversion(
        convert(document, srdf, ConvertOptions.of("srdf", tesseract=True)), overwrite=True
    )
    section = document.robot.xrdf.self_collision
    yield Written(
        "SRDF", plain, srdf, section.ignored_pairs() if section is not None else frozenset()
    )


def with_spheres(urdf: Path) -> Document:
    """A first XRDF with one sphere for each link that has a shape, and linked bodies ignored."""
    document = open_robot(urdf, new_xrdf=True, packages=example_mappings())
    xrdf = document.robot.xrdf
    ball = (CollisionSphere((0.0, 0.0, 0.0), 0.02),)
    links = [link.name for link in document.robot.urdf.links if link.collisions or link.visuals]
    group = GeometryGroup(xrdf.world_group or "spheres", FrozenDict(dict.fromkeys(links, ball)))
    document.execute(_Spheres(group))
    with contextlib.suppress(CannotApply):
        document.execute(IgnoreLinkedBodies())
    return document


@dataclass(frozen=True, slots=True)
class _Spheres:
    group: GeometryGroup

    @property
    def label(self) -> str:
        return "Spheres"

    def apply(self, robot: Any) -> Any:
        return robot.with_xrdf(robot.xrdf.with_group(self.group))


def patched(document: Document, path: Path) -> Written:
    """On a link `world` that was not there, where the robot has a root for it."""
    with contextlib.suppress(CannotApply):
        document.execute(AttachToWorld())
    text = document.urdf_text
    if document.is_kind_modified(FileKind.URDF):
        document.undo()
    path.write_text(text, encoding="utf-8")
    return Written("patched", path)


# -- what is asked


Frames = Mapping[str, list[np.ndarray]]


def ours(urdf: Urdf) -> tuple[KinematicTree, list[dict[str, float]], Frames]:
    """The tree, the poses (every joint that turns or slides, mimic joints too), and the frames in
    each."""
    tree = build_tree(urdf)
    poses: list[dict[str, float]] = []
    frames: dict[str, list[np.ndarray]] = {name: [] for name in tree.frames}
    for row in sample_joints(tree, POSES, seed=11):
        pose = complete_pose(tree, dict(zip(tree.independent, row, strict=True)))
        poses.append({name: float(value) for name, value in pose.items()})
        world = compute_forward(tree, pose)
        for name, place in tree.index.items():
            frames[name].append(world[place])
    return tree, poses, frames


def apart(mine: Frames, theirs: Frames) -> float:
    """The greatest difference; inf when a frame is missing."""
    worst = 0.0
    for name, poses in mine.items():
        if name not in theirs:
            return float("inf")
        worst = max(
            worst, *(float(np.abs(a - b).max()) for a, b in zip(poses, theirs[name], strict=True))
        )
    return worst


def of_pinocchio(path: Path, tree: KinematicTree, poses: list[dict[str, float]]) -> Frames:
    import pinocchio as pin

    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    frames: dict[str, list[np.ndarray]] = {}
    for pose in poses:
        q = pin.neutral(model)
        for number, name in enumerate(model.names):
            joint = model.joints[number]
            if number == 0 or name not in pose or joint.nq == 0:
                continue
            if joint.nq == 2 and joint.nv == 1:
                q[joint.idx_q : joint.idx_q + 2] = np.cos(pose[name]), np.sin(pose[name])
            elif joint.nq == 1:
                q[joint.idx_q] = pose[name]
        pin.framesForwardKinematics(model, data, q)
        for number, frame in enumerate(model.frames):
            if frame.type == pin.FrameType.BODY:
                frames.setdefault(frame.name, []).append(data.oMf[number].homogeneous.copy())
    return frames


def bare_text(path: Path) -> str:
    source = read_urdf(SourceText.read(path))
    links = tuple(replace(link, visuals=(), collisions=()) for link in source.value.links)
    return patch_urdf(source, replace(source.value, links=links, extensions=())).text


def of_tesseract(item: Written, poses: list[dict[str, float]]) -> tuple[Frames, str]:
    """Its frames, and what it has against the pairs."""
    from tesseract_robotics import tesseract_common, tesseract_environment

    environment = tesseract_environment.Environment()
    locator = tesseract_common.GeneralResourceLocator()
    text = bare_text(item.path)
    taken = (
        environment.init(text, item.srdf.read_text(encoding="utf-8"), locator)
        if item.srdf is not None
        else environment.init(text, locator)
    )
    if not taken:
        return {}, "is refused"
    movable = list(environment.getActiveJointNames())
    frames: dict[str, list[np.ndarray]] = {}
    for pose in poses:
        names = [name for name in movable if name in pose]
        state = environment.getState(names, np.array([pose[name] for name in names]))
        for name, transform in state.link_transforms.items():
            matrix = (
                transform.matrix()
                if callable(getattr(transform, "matrix", None))
                else transform.matrix
            )
            frames.setdefault(str(name), []).append(np.array(matrix))
    if item.srdf is None:
        return frames, ""
    matrix = environment.getAllowedCollisionMatrix()
    wrong = [p for p in item.ignored if not matrix.isCollisionAllowed(p.first, p.second)]
    return frames, f"does not allow {wrong[0].first} and {wrong[0].second}" if wrong else ""


class Mujoco:
    """MuJoCo in a process of its own, where its environment is there."""

    def __init__(self, python: Path) -> None:
        script = Path(__file__).with_name("mujoco_process.py")
        self._process = (
            # It leaves its warnings in a file of the current folder.
            subprocess.Popen(
                [python.absolute(), script],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=tempfile.gettempdir(),
            )
            if python.exists()
            else None
        )

    @property
    def is_there(self) -> bool:
        return self._process is not None

    def frames(self, path: Path, poses: list[dict[str, float]]) -> tuple[Frames, str]:
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"urdf": bare_text(path), "poses": poses}) + "\n")
        self._process.stdin.flush()
        told = json.loads(self._process.stdout.readline())
        if told["error"] is not None:
            return {}, str(told["error"])[:200]
        frames: dict[str, list[np.ndarray]] = {}
        for name, rows in told["bodies"].items():
            for row in rows:
                matrix = np.eye(4)
                matrix[:3, 3], matrix[:3, :3] = row[:3], np.reshape(row[3:], (3, 3))
                frames.setdefault(name, []).append(matrix)
        return frames, ""

    def close(self) -> None:
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.wait(timeout=30)


def run(options: argparse.Namespace) -> int:
    """0 when all of them take everything and put all frames at the same place."""
    # One file of the example robots is empty.
    paths = [
        sample_urdf(),
        *(path for path in example_urdfs() if "<link" in path.read_text(encoding="utf-8")),
    ]
    paths = [path for path in paths if not options.only or path.stem in options.only][
        : options.count or None
    ]
    mujoco = Mujoco(
        Path(
            os.environ.get("XRDF_EDITOR_MUJOCO_PYTHON") or REPOSITORY / ".mujoco" / "bin" / "python"
        )
    )
    if not mujoco.is_there:
        print("MuJoCo is left out: there is no environment for it (see --help)")
    asked: Counter[str] = Counter()
    faults: list[str] = []
    worst: defaultdict[str, float] = defaultdict(float)
    try:
        with tempfile.TemporaryDirectory() as folder:
            for number, path in enumerate(paths):
                place = Path(folder) / str(number)
                place.mkdir()
                given = Written("as it was given", path)
                # What is wrong with the robot itself, such as an inertia that is none, stays wrong.
                refused = {program for program, fault, _ in opinions(given, mujoco) if fault}
                for program in refused:
                    print(f"{path.stem}: {program} refuses the robot as it was given, too")
                for item in written(path, place):
                    for program, fault, distance in opinions(item, mujoco):
                        if program in refused:
                            continue
                        asked[program] += 1
                        worst[program] = max(worst[program], distance)
                        if fault:
                            faults.append(f"{path.stem}, {item.kind}: {program}: {fault}")
                            print(faults[-1], flush=True)
                print(f"{path.stem}: {len(faults)} faults so far", flush=True)
    finally:
        mujoco.close()
    for program, count in asked.items():
        print(f"{program}: {count} files, greatest difference {worst[program]:.1e}")
    print(f"{len(faults)} faults")
    return 1 if faults else 0


def opinions(item: Written, mujoco: Mujoco) -> Iterator[tuple[str, str, float]]:
    """(program, fault or "", greatest difference of a frame)."""
    try:
        assert_urdfdom_takes(item.path)
        yield "check_urdf", "", 0.0
    except AssertionError as error:
        yield "check_urdf", str(error)[:200], 0.0
    tree, poses, frames = ours(read_urdf(SourceText.read(item.path)).value)
    if not tree.frames:
        return
    try:
        yield _judged("pinocchio", apart(frames, of_pinocchio(item.path, tree, poses)), "")
    except Exception as error:
        yield "pinocchio", f"{type(error).__name__}: {error}"[:200], 0.0
    # Tesseract refuses a robot of one link alone.
    theirs, fault = of_tesseract(item, poses) if tree.joints else ({}, "")
    yield _judged("tesseract", apart(frames, theirs) if theirs else 0.0, fault)
    if mujoco.is_there:
        theirs, fault = mujoco.frames(item.path, poses)
        # The root is MuJoCo's world.
        below = {name: frames[name] for name in tree.frames[1:]}
        yield _judged("MuJoCo", apart(below, theirs) if theirs else 0.0, fault)


def _judged(program: str, distance: float, fault: str) -> tuple[str, str, float]:
    return (
        program,
        fault or (f"frames are {distance:g} apart" if distance > TOLERANCE else ""),
        distance,
    )
