"""What stands beside a robot, in none of its files: obstacles, stored poses, and a motion through them."""

from __future__ import annotations

import itertools
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from editor_app.formats.scenes.editor_scene import editor_scene_text
from editor_app.formats.scenes.files import scene_of
from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.trajectories import trajectory_csv, trajectory_of
from editor_app.model.counting import counted
from editor_app.model.frozen import FrozenDict
from editor_app.model.pose import Pose
from editor_app.model.scene import EMPTY_SCENE, Scene
from editor_app.model.trajectory import Trajectory


def scene_beside(urdf: Path) -> Path:
    """The file from which a robot's scene comes back when it is opened."""
    return urdf.with_name(f"{urdf.stem}.scene.yaml")


@dataclass(frozen=True, slots=True)
class Beside:
    """Undone and restored together with the robot; scene and motion have files of their own, if any.

    `poses`: name -> joint -> radians or metres, in the order in which they were stored; `stored_poses` keeps them for
    the robot. `motion`: names of poses in the order in which they are played, a name as often as it is reached.
    """

    scene: Scene = EMPTY_SCENE
    poses: FrozenDict[str, Pose] = FrozenDict()
    motion: tuple[str, ...] = ()

    @property
    def trajectory(self) -> Trajectory | None:
        """The motion; a joint that a pose does not name stays where it was, at first where it is wanted next."""
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
        """Scene, motion and poses without the parts that the files `scene` and `motion` already hold."""
        unsaved = Beside() if self.trajectory == motion else self
        return replace(unsaved, scene=EMPTY_SCENE if self.scene == scene else self.scene)

    def names(self) -> tuple[str, ...]:
        """For a sentence: "the scene (2 obstacles)", "the motion (1 pose)"."""
        obstacles, poses = len(self.scene.obstacles), len(self.motion)
        return (
            *((f"the scene ({counted(obstacles, 'obstacle')})",) if obstacles else ()),
            *((f"the motion ({counted(poses, 'pose')})",) if poses else ()),
        )


def to_json(beside: Beside) -> dict[str, str]:
    """For the journal; a part that is empty is left out."""
    texts = {}
    if beside.scene.obstacles:
        texts = {"scene": editor_scene_text(beside.scene), "folder": beside.scene.folder or ""}
    trajectory = beside.trajectory
    if trajectory is not None:
        texts["motion"] = trajectory_csv(replace(trajectory, labels=beside.motion))
    return texts


def from_json(texts: dict[str, str]) -> Beside:
    """The other way; what cannot be read is left out. Poses of a motion without names get some."""
    beside = Beside()
    try:
        if "scene" in texts:
            scene = scene_of(SourceText.from_text(texts["scene"], None))
            beside = Beside(replace(scene, folder=texts.get("folder") or None))
        if "motion" in texts:
            trajectory = trajectory_of(SourceText.from_text(texts["motion"], None), is_csv=True)
            names = trajectory.labels or tuple(f"Pose {k + 1}" for k in range(len(trajectory)))
            poses = FrozenDict({name: trajectory.pose(k) for k, name in enumerate(names)})
            beside = replace(beside, poses=poses, motion=names)
    except FormatError:
        pass
    return beside
