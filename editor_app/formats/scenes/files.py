"""Which format a scene's file has, and the way in and out of each."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from editor_app.formats.scenes.curobo_world import KINDS, curobo_world_text, read_curobo_world
from editor_app.formats.scenes.editor_scene import FORMAT, editor_scene_text, read_editor_scene
from editor_app.formats.scenes.moveit_scene import moveit_scene_text, read_moveit_scene
from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.yaml.plain import load_plain
from editor_app.model.scene import Scene


class SceneFormat(StrEnum):
    EDITOR = "XRDF Editor scene"
    CUROBO = "cuRobo world"
    MOVEIT = "MoveIt scene"

    @staticmethod
    def of(path: Path) -> SceneFormat:
        """`.scene` is MoveIt's; `NAME.curobo.yml` cuRobo's; else the own one."""
        if path.suffix.lower() == ".scene":
            return SceneFormat.MOVEIT
        return SceneFormat.CUROBO if ".curobo" in path.name.lower() else SceneFormat.EDITOR


def read_scene(path: str | Path) -> Scene:
    """The obstacles of a file: the own YAML, a cuRobo world, or MoveIt's .scene.

    Raises FormatError (file, line where known, remedy).
    """
    path = Path(path)
    scene = scene_of(SourceText.read(path), is_moveit=path.suffix.lower() == ".scene")
    return replace(scene, folder=str(path.absolute().parent))


def scene_of(source: SourceText, *, is_moveit: bool = False) -> Scene:
    """The same for a text; paths of meshes are as they stand there. Raises FormatError."""
    if is_moveit or source.text.lstrip("\ufeff \n")[:1] == "(":
        scene = read_moveit_scene(source)
    else:
        value = load_plain(source)
        if isinstance(value, dict) and value.get("format") == FORMAT:
            scene = read_editor_scene(value, source)
        elif isinstance(value, dict) and any(kind in value for kind in KINDS):
            scene = read_curobo_world(value, source)
        else:
            raise FormatError(
                "The file is no scene", source.location(0),
                f"A scene has `format: {FORMAT}` and `obstacles`, is a cuRobo world (`cuboid:` …), or MoveIt's .scene.",
            )  # fmt: skip
    twice = [name for name, count in Counter(obstacle.name for obstacle in scene.obstacles).items() if count > 1]
    if twice:
        raise FormatError(f"Two obstacles are called {min(twice)!r}", source.location(0), "Give each its own name.")
    return scene


def scene_text(scene: Scene, kind: SceneFormat) -> tuple[str, tuple[str, ...]]:
    """The text of a file, and sentences about what the format cannot hold."""
    match kind:
        case SceneFormat.CUROBO:
            return curobo_world_text(scene)
        case SceneFormat.MOVEIT:
            return moveit_scene_text(scene)
        case _:
            return editor_scene_text(scene), ()
