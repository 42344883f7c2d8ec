"""Obstacles, stored poses and a motion through them: kept with a robot, in none of its files.

Poses that a person stored are in the state folder, one file for each URDF.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import math
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from editor_app.core.document.replacing import state_folder, write_atomically
from editor_app.core.formats.scenes.editor_scene import editor_scene_text
from editor_app.core.formats.scenes.files import parse_scene
from editor_app.core.formats.trajectories import parse_trajectory, trajectory_csv
from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.pose import Pose
from editor_app.core.model.regular_file import read_regular
from editor_app.core.model.scene import EMPTY_SCENE, Scene
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.text.source import FormatError, SourceText


def scene_beside(urdf: Path) -> Path:
    """The file from which a robot's scene comes back when it is opened."""
    return urdf.with_name(f"{urdf.stem}.scene.yaml")


@dataclass(frozen=True, slots=True)
class Beside:
    """Undone and restored together with the robot; scene and motion have files of their own, if
    any.

    `poses`: name -> joint -> radians or metres, in the order in which they were stored;
    `stored_poses` keeps them for the robot. `motion`: names of poses in the order in which they are
    played, a name as often as it is reached.
    """

    scene: Scene = EMPTY_SCENE
    poses: FrozenDict[str, Pose] = FrozenDict()
    motion: tuple[str, ...] = ()

    @property
    def trajectory(self) -> Trajectory | None:
        """The motion; a joint that a pose does not name stays where it was, at first where it is
        wanted next."""
        points = [self.poses[name] for name in self.motion]
        if not points:
            return None
        place: dict[str, float] = {}
        for pose in reversed(points):
            place.update(pose)
        rows = []
        for pose in points:
            place.update(pose)
            rows.append(tuple(place.values()))
        return Trajectory(tuple(place), tuple(rows))

    def with_pose(self, pose: Pose, name: str = "") -> tuple[Beside, str]:
        """With another pose, and its name: `name`, or the first that is free."""
        if not name or name in self.poses:
            name = next(name for k in itertools.count(1) if (name := f"Pose {k}") not in self.poses)
        return replace(self, poses=self.poses.set(name, pose)), name

    def with_point(self, pose: Pose, name: str = "") -> Beside:
        """With `pose`, which is stored if it is not yet, as the last point of the motion."""
        stored = next((stored for stored, other in self.poses.items() if other == pose), None)
        beside, name = (self, stored) if stored is not None else self.with_pose(pose, name)
        return replace(beside, motion=(*beside.motion, name))

    def with_renamed(self, old: str, new: str) -> Beside:
        """With another name for a pose. Raises ValueError for a name that is taken."""
        motion = tuple(new if name == old else name for name in self.motion)
        return replace(self, poses=self.poses.renamed(old, new), motion=motion)

    def without(self, names: Collection[str]) -> Beside:
        """Without these poses; the motion passes them by."""
        motion = tuple(name for name in self.motion if name not in names)
        return replace(self, poses=self.poses.without(*names), motion=motion)

    def unsaved(self, scene: Scene, motion: Trajectory | None) -> Beside:
        """Scene, motion and poses without the parts that the files `scene` and `motion` already
        hold."""
        unsaved = Beside() if self.trajectory == motion else self
        return replace(unsaved, scene=EMPTY_SCENE if self.scene == scene else self.scene)

    def names(self) -> tuple[str, ...]:
        """For a sentence: "the scene (2 obstacles)", "the motion (1 pose)"."""
        obstacles, poses = len(self.scene.obstacles), len(self.motion)
        return (
            *((f"the scene ({format_count(obstacles, 'obstacle')})",) if obstacles else ()),
            *((f"the motion ({format_count(poses, 'pose')})",) if poses else ()),
        )


def beside_to_json(beside: Beside) -> dict[str, str]:
    """For the journal; a part that is empty is left out."""
    texts = {}
    if beside.scene.obstacles:
        texts = {"scene": editor_scene_text(beside.scene), "folder": beside.scene.folder or ""}
    trajectory = beside.trajectory
    if trajectory is not None:
        texts["motion"] = trajectory_csv(replace(trajectory, labels=beside.motion))
    return texts


def beside_from_json(texts: dict[str, str]) -> Beside:
    """The other way; what cannot be read is left out. Poses of a motion without names get some."""
    beside = Beside()
    try:
        if "scene" in texts:
            scene = parse_scene(SourceText.from_text(texts["scene"], None))
            beside = Beside(replace(scene, folder=texts.get("folder") or None))
        if "motion" in texts:
            trajectory = parse_trajectory(SourceText.from_text(texts["motion"], None), is_csv=True)
            names = trajectory.labels or tuple(f"Pose {k + 1}" for k in range(len(trajectory)))
            poses = FrozenDict({name: trajectory.pose(k) for k, name in enumerate(names)})
            beside = replace(beside, poses=poses, motion=names)
    except FormatError:
        pass
    return beside


_FORMAT = "xrdf-editor-poses"
_MOST_BYTES = 4_000_000


def poses_file(urdf: Path) -> Path:
    """Return the file that keeps the poses of the robot at `urdf`."""
    digest = hashlib.sha256(os.fsencode(os.path.realpath(urdf))).hexdigest()[:24]
    return state_folder() / "poses" / f"{digest}.json"


def read_poses(urdf: Path) -> FrozenDict[str, Pose]:
    """Name -> joint -> radians or metres, as stored; none where the file is missing or says
    something else."""
    try:
        data = json.loads(read_regular(poses_file(urdf), _MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return FrozenDict()
    if (
        not isinstance(data, dict)
        or data.get("format") != _FORMAT
        or not isinstance(data.get("poses"), list)
    ):
        return FrozenDict()
    return FrozenDict(pose for entry in data["poses"] if (pose := _pose(entry)) is not None)


def write_poses(urdf: Path, poses: Mapping[str, Pose]) -> None:
    """Replaces what is stored; without poses the file goes. Raises SaveError and OSError."""
    path = poses_file(urdf)
    if not poses:
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    data = {
        "format": _FORMAT,
        "urdf": os.path.realpath(urdf),
        "poses": [{"name": name, "joints": dict(pose)} for name, pose in poses.items()],
    }
    write_atomically(path, json.dumps(data, indent=1).encode())


def _pose(entry: object) -> tuple[str, Pose] | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str) or not entry["name"]:
        return None
    joints = entry.get("joints")
    if not isinstance(joints, dict):
        return None
    values = {
        name: value for name, given in joints.items() if (value := _position(given)) is not None
    }
    return (entry["name"], FrozenDict(values)) if len(values) == len(joints) else None


def _position(value: object) -> float | None:
    if not isinstance(value, (int, float)):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None
