"""Which format a scene's file has, and the way in and out of each; cuRobo's world files."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from editor_app.core.formats.scenes.editor_scene import (
    FORMAT,
    editor_scene_text,
    flow,
    read_editor_scene,
    read_shape,
    shape_fields,
)
from editor_app.core.formats.scenes.moveit_scene import moveit_scene_text, read_moveit_scene
from editor_app.core.formats.scenes.values import quaternion, read_scene_vector
from editor_app.core.model.origin import Vector3
from editor_app.core.model.scene import Obstacle, Quaternion, Scene
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.yaml.plain import load_plain, read_finite_numbers
from editor_app.core.text.yaml.scalars import format_string

#: The editor's word -> cuRobo's.
_WORDS = {
    "box": "cuboid",
    "size": "dims",
    "length": "height",
    "path": "file_path",
    "triangles": "faces",
}
KINDS = ("cuboid", "sphere", "cylinder", "mesh", "capsule", "blox")


def read_curobo_world(value: dict[str, Any], source: SourceText) -> Scene:
    """Raises FormatError; capsules and depth images have no counterpart here and are refused by
    name."""
    obstacles = []
    for kind in KINDS:
        entries = value.get(kind) or {}
        if not isinstance(entries, dict):
            raise FormatError(f"`{kind}` is not a mapping of names", source.location(0))
        for name, entry in entries.items():
            if kind in ("capsule", "blox") or not isinstance(entry, dict):
                raise FormatError(
                    f"{name!r} is a {kind}, which is not supported", source.location(0),
                    "Replace it by cuboids, spheres, cylinders or a mesh.",
                )  # fmt: skip
            position, orientation = _pose(entry, str(name), source)
            shape = read_shape(
                "box" if kind == "cuboid" else kind, entry, str(name), source, _WORDS
            )
            obstacles.append(Obstacle(str(name), shape, position, orientation))
    return Scene(tuple(obstacles))


def _pose(entry: dict[str, Any], name: str, source: SourceText) -> tuple[Vector3, Quaternion]:
    if "pose" not in entry:
        return read_scene_vector(
            entry.get("position", [0, 0, 0]), f"position of {name!r}", source
        ), (
            1.0,
            0.0,
            0.0,
            0.0,
        )
    pose = read_finite_numbers(entry["pose"], 7)
    if pose is None:
        raise FormatError(
            f"pose of {name!r} needs seven numbers: x, y, z, qw, qx, qy, qz", source.location(0)
        )
    return (pose[0], pose[1], pose[2]), quaternion(list(pose[3:]), f"pose of {name!r}", source)


def curobo_world_text(scene: Scene) -> tuple[str, tuple[str, ...]]:
    notes = []
    lines = []
    told = [(obstacle, *shape_fields(obstacle.shape)) for obstacle in scene.obstacles]
    for kind in KINDS:
        chosen = [
            (obstacle, fields) for obstacle, name, fields in told if _WORDS.get(name, name) == kind
        ]
        if chosen:
            lines.append(f"{kind}:")
        for obstacle, fields in chosen:
            lines.append(f"  {format_string(obstacle.name)}:")
            lines += [f"    {_WORDS.get(key, key)}: {text}" for key, text in fields.items()]
            lines.append(f"    pose: {flow((*obstacle.position, *obstacle.orientation_wxyz))}")
            if obstacle.is_touched:
                notes.append(
                    f"{obstacle.name}: cuRobo has no list of links that may touch an obstacle."
                )
    return ("\n".join(lines) or "{}") + "\n", tuple(notes)


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
    scene = parse_scene(SourceText.read(path), is_moveit=path.suffix.lower() == ".scene")
    return replace(scene, folder=str(path.absolute().parent))


def parse_scene(source: SourceText, *, is_moveit: bool = False) -> Scene:
    """Parse the text of a scene; paths of meshes stay as they are. Raises FormatError."""
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
                "The file is not a scene",
                source.location(0),
                f"A scene has `format: {FORMAT}` and `obstacles`, is a cuRobo world (`cuboid:` "
                "…), or MoveIt's .scene.",
            )
    twice = [
        name
        for name, count in Counter(obstacle.name for obstacle in scene.obstacles).items()
        if count > 1
    ]
    if twice:
        raise FormatError(
            f"Two obstacles have the name {min(twice)!r}",
            source.location(0),
            "Give each a different name.",
        )
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
