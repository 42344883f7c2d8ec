"""cuRobo's world files: `cuboid`, `sphere`, `cylinder`, `mesh`, each a mapping of names; poses as x y z qw qx qy qz."""

from __future__ import annotations

import json
from typing import Any

from editor_app.formats.scenes.editor_scene import flow, read_shape, shape_fields
from editor_app.formats.scenes.values import quaternion, vector
from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.yaml.plain import numbers
from editor_app.model.origin import Vector3
from editor_app.model.scene import Obstacle, Quaternion, Scene

#: The editor's word -> cuRobo's.
_WORDS = {"box": "cuboid", "size": "dims", "length": "height", "path": "file_path", "triangles": "faces"}
KINDS = ("cuboid", "sphere", "cylinder", "mesh", "capsule", "blox")


def read_curobo_world(value: dict[str, Any], source: SourceText) -> Scene:
    """Raises FormatError; capsules and depth images have no counterpart here and are refused by name."""
    obstacles = []
    for kind in KINDS:
        entries = value.get(kind) or {}
        if not isinstance(entries, dict):
            raise FormatError(f"`{kind}` is no mapping of names", source.location(0))
        for name, entry in entries.items():
            if kind in ("capsule", "blox") or not isinstance(entry, dict):
                raise FormatError(
                    f"{name!r} is a {kind}, which cannot be taken over", source.location(0),
                    "Replace it by cuboids, spheres, cylinders or a mesh.",
                )  # fmt: skip
            position, orientation = _pose(entry, str(name), source)
            shape = read_shape("box" if kind == "cuboid" else kind, entry, str(name), source, _WORDS)
            obstacles.append(Obstacle(str(name), shape, position, orientation))
    return Scene(tuple(obstacles))


def _pose(entry: dict[str, Any], name: str, source: SourceText) -> tuple[Vector3, Quaternion]:
    if "pose" not in entry:
        return vector(entry.get("position", [0, 0, 0]), f"position of {name!r}", source), (1.0, 0.0, 0.0, 0.0)
    pose = numbers(entry["pose"], 7)
    if pose is None:
        raise FormatError(f"pose of {name!r} wants seven numbers: x, y, z, qw, qx, qy, qz", source.location(0))
    return (pose[0], pose[1], pose[2]), quaternion(list(pose[3:]), f"pose of {name!r}", source)


def curobo_world_text(scene: Scene) -> tuple[str, tuple[str, ...]]:
    notes = []
    lines = []
    told = [(obstacle, *shape_fields(obstacle.shape)) for obstacle in scene.obstacles]
    for kind in KINDS:
        chosen = [(obstacle, fields) for obstacle, name, fields in told if _WORDS.get(name, name) == kind]
        if chosen:
            lines.append(f"{kind}:")
        for obstacle, fields in chosen:
            lines.append(f"  {json.dumps(obstacle.name, ensure_ascii=False)}:")
            lines += [f"    {_WORDS.get(key, key)}: {text}" for key, text in fields.items()]
            lines.append(f"    pose: {flow((*obstacle.position, *obstacle.orientation_wxyz))}")
            if obstacle.is_touched:
                notes.append(f"{obstacle.name}: cuRobo has no list of links that may touch an obstacle.")
    return ("\n".join(lines) or "{}") + "\n", tuple(notes)
