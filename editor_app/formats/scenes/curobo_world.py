"""cuRobo's world files: `cuboid`, `sphere`, `cylinder`, `mesh`, each a mapping of names; poses as x y z qw qx qy qz."""

from __future__ import annotations

import json
from typing import Any

from editor_app.formats.scenes.editor_scene import flow, inline_mesh, yaml_number
from editor_app.formats.scenes.values import positive, quaternion, size, vector
from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.yaml.plain import numbers
from editor_app.model.origin import Vector3
from editor_app.model.scene import BoxShape, CylinderShape, MeshShape, Obstacle, Quaternion, Scene, Shape, SphereShape

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
            obstacles.append(Obstacle(str(name), _shape(kind, str(name), entry, source), position, orientation))
    return Scene(tuple(obstacles))


def _pose(entry: dict[str, Any], name: str, source: SourceText) -> tuple[Vector3, Quaternion]:
    if "pose" not in entry:
        return vector(entry.get("position", [0, 0, 0]), f"position of {name!r}", source), (1.0, 0.0, 0.0, 0.0)
    pose = numbers(entry["pose"], 7)
    if pose is None:
        raise FormatError(f"pose of {name!r} wants seven numbers: x, y, z, qw, qx, qy, qz", source.location(0))
    return (pose[0], pose[1], pose[2]), quaternion(list(pose[3:]), f"pose of {name!r}", source)


def _shape(kind: str, name: str, entry: dict[str, Any], source: SourceText) -> Shape:
    match kind:
        case "cuboid":
            return BoxShape(size(entry.get("dims"), f"dims of {name!r}", source))
        case "sphere":
            return SphereShape(positive(entry.get("radius"), f"radius of {name!r}", source))
        case "cylinder":
            return CylinderShape(
                positive(entry.get("radius"), f"radius of {name!r}", source),
                positive(entry.get("height"), f"height of {name!r}", source),
            )
    scale = vector(entry.get("scale") or [1, 1, 1], f"scale of {name!r}", source)
    if isinstance(entry.get("file_path"), str):
        return MeshShape(entry["file_path"], scale)
    return inline_mesh(entry.get("vertices"), entry.get("faces"), f"mesh of {name!r}", source, scale)


def curobo_world_text(scene: Scene) -> tuple[str, tuple[str, ...]]:
    notes = []
    lines = []
    for kind in KINDS:
        chosen = [obstacle for obstacle in scene.obstacles if _kind(obstacle.shape) == kind]
        if chosen:
            lines.append(f"{kind}:")
        for obstacle in chosen:
            lines.append(f"  {json.dumps(obstacle.name, ensure_ascii=False)}:")
            lines += [f"    {line}" for line in _shape_lines(obstacle.shape)]
            lines.append(f"    pose: {flow((*obstacle.position, *obstacle.orientation_wxyz))}")
            if obstacle.is_touched:
                notes.append(f"{obstacle.name}: cuRobo has no list of links that may touch an obstacle.")
    return ("\n".join(lines) or "{}") + "\n", tuple(notes)


def _kind(shape: Shape) -> str:
    kinds = {BoxShape: "cuboid", SphereShape: "sphere", CylinderShape: "cylinder", MeshShape: "mesh"}
    return kinds[type(shape)]


def _shape_lines(shape: Shape) -> list[str]:
    match shape:
        case BoxShape(edges):
            return [f"dims: {flow(edges)}"]
        case SphereShape(radius):
            return [f"radius: {yaml_number(radius)}"]
        case CylinderShape(radius, length):
            return [f"radius: {yaml_number(radius)}", f"height: {yaml_number(length)}"]
        case MeshShape(None, scale, vertices, triangles):
            return [
                f"vertices: [{', '.join(map(flow, vertices))}]",
                f"faces: [{', '.join(str(list(face)) for face in triangles)}]",
                f"scale: {flow(scale)}",
            ]
        case MeshShape(path, scale):
            return [f"file_path: {json.dumps(path, ensure_ascii=False)}", f"scale: {flow(scale)}"]
