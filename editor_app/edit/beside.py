"""What stands beside a robot, in none of its files: obstacles, and the poses of a motion that were stored by hand."""

from __future__ import annotations

from dataclasses import dataclass, replace

from editor_app.formats.scenes.editor_scene import editor_scene_text
from editor_app.formats.scenes.files import scene_of
from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.trajectories import trajectory_csv, trajectory_of
from editor_app.model.scene import EMPTY_SCENE, Scene
from editor_app.model.trajectory import Trajectory


@dataclass(frozen=True, slots=True)
class Beside:
    """Undone and restored together with the robot; each part has a file of its own, if any."""

    scene: Scene = EMPTY_SCENE
    motion: Trajectory | None = None

    def unsaved(self, saved: Beside) -> Beside:
        """The parts that `saved`, which files hold, does not have."""
        scene = EMPTY_SCENE if self.scene == saved.scene else self.scene
        return Beside(scene, None if self.motion == saved.motion else self.motion)

    def names(self) -> tuple[str, ...]:
        """For a sentence: "the scene (2 obstacles)", "the motion (1 pose)"."""
        obstacles, poses = len(self.scene.obstacles), len(self.motion or ())
        return (
            *((f"the scene ({_plural(obstacles, 'obstacle')})",) if obstacles else ()),
            *((f"the motion ({_plural(poses, 'pose')})",) if poses else ()),
        )


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def to_json(beside: Beside) -> dict[str, str]:
    """For the journal; a part that is empty is left out."""
    texts = {}
    if beside.scene.obstacles:
        texts = {"scene": editor_scene_text(beside.scene), "folder": beside.scene.folder or ""}
    if beside.motion is not None:
        texts["motion"] = trajectory_csv(beside.motion)
    return texts


def from_json(texts: dict[str, str]) -> Beside:
    """The other way; what cannot be read is left out."""
    scene, motion = EMPTY_SCENE, None
    try:
        if "scene" in texts:
            scene = replace(scene_of(SourceText.from_text(texts["scene"], None)), folder=texts.get("folder") or None)
        if "motion" in texts:
            motion = trajectory_of(SourceText.from_text(texts["motion"], None), is_csv=True)
    except FormatError:
        pass
    return Beside(scene, motion)
