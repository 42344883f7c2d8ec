"""Places of the parts of a robot in its stage: the paths, units and instances that a layer over the
stage names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from pxr import UsdGeom

from editor_app.core.space.kinematics.transforms import invert
from editor_app.core.text.xml.morph import format_xml_number
from editor_app.plugins.usd.reading.joints import UsdJoint, joint_target
from editor_app.plugins.usd.reading.links import Links
from editor_app.plugins.usd.reading.scene import PrimShape, UsdScene, value
from editor_app.plugins.usd.reading.shapes import UsdShapes
from editor_app.plugins.usd.reading.values import (
    JointPrim,
    JointSide,
    LinkPrim,
    PrimPath,
    ShapePrim,
    StagePlaces,
)
from editor_app.plugins.usd.writing_prims import quoted

#: Metadata of a stage, which USD reads from the layer that is opened alone.
_NUMBERS = (
    "endTimeCode",
    "framesPerSecond",
    "kilogramsPerUnit",
    "metersPerUnit",
    "startTimeCode",
    "timeCodesPerSecond",
)
_WORDS = ("defaultPrim", "upAxis")


def find_places(
    scene: UsdScene,
    links: Links,
    shapes: UsdShapes,
    joints: Iterable[UsdJoint],
    layers: Iterable[Path],
) -> StagePlaces:
    """Return the places of the links, joints, spheres and visuals of a robot that was read."""
    names = links.names | links.mark_names
    by_link = {name: _link_prim(scene, path, links.names) for path, name in names.items()}
    by_joint: dict[str, JointPrim] = {}
    prims = {joint.prim.GetPath(): joint for joint in joints}
    for name, (path, axis) in links.sources.items():
        joint = prims[path]
        by_joint[name] = JointPrim(
            prim_path(joint.prim),
            axis,
            joint.kind,
            frozenset(joint.prim.GetAuthoredPropertyNames()),
            frozenset(joint.prim.GetAppliedSchemas()),
            (_side(scene, links, joint, 0), _side(scene, links, joint, 1)),
            sum(source == path for source, _ in links.sources.values()),
        )
    touching = tuple(
        (prim_path(joint.prim), links.names[one], links.names[other])
        for one, other, joint in ((*each.ends, each) for each in prims.values())
        if one in links.names
        and other in links.names
        and not value(joint.prim, "physics:collisionEnabled", False)
    )
    filters = []
    for prim in scene.filters:
        one = scene.body_of(prim.GetPath())
        for target in prim.GetRelationship("physics:filteredPairs").GetTargets():
            other = scene.body_of(target.GetPrimPath())
            if one in links.names and other in links.names and one != other:
                filters.append((prim_path(prim), str(target), links.names[one], links.names[other]))
    visuals, collisions = (
        {
            names[body]: tuple(_shape_prim(shapes, *each) for each in of_body)
            for body, of_body in table.items()
        }
        for table in (shapes.visual_prims, shapes.collision_prims)
    )
    spheres = {
        names[body]: tuple(map(prim_path, of_body)) for body, of_body in shapes.sphere_prims.items()
    }
    bodies = frozenset(links.names.values())
    return StagePlaces(
        by_link,
        by_joint,
        bodies,
        spheres=spheres,
        visuals=visuals,
        collisions=collisions,
        placed=dict(links.start),
        filters=tuple(filters),
        joined=touching,
        head=_metadata(scene),
        layers=tuple(layers),
        metres=scene.metres,
        kilograms=scene.kilograms,
    )


def prim_path(prim: Any) -> PrimPath:
    """Return the path of a prim with the prims, itself or above, that may be instances."""
    instances = []
    above = prim
    while not above.IsPseudoRoot():
        if above.IsInstanceable():
            instances.append(str(above.GetPath()))
        above = above.GetParent()
    return PrimPath(str(prim.GetPath()), tuple(reversed(instances)))


def _side(scene: UsdScene, links: Links, joint: UsdJoint, side: int) -> JointSide:
    """Return one of the two bodies of a joint."""
    body, target = joint.ends[side], joint_target(joint.prim, f"physics:body{side}")
    prim = scene.stage.GetPrimAtPath(target) if target is not None else None
    units = invert(scene.frame(body)) @ scene.matrix(prim if prim else None)
    return JointSide("" if body is None else links.names.get(body, ""), joint.frames[side], units)


def _shape_prim(shapes: UsdShapes, shape: PrimShape, painted: Any) -> ShapePrim:
    prim, scene = shape.prim, shapes.scene
    resets = bool(UsdGeom.Xformable(prim).GetResetXformStack())
    above = invert(scene.frame(shape.body)) @ scene.matrix(None if resets else prim.GetParent())
    return ShapePrim(prim_path(prim), prim_path(painted), shapes.local(shape), above, resets)


def _link_prim(scene: UsdScene, path: Any, names: Mapping[Any, str]) -> LinkPrim:
    prim = scene.stage.GetPrimAtPath(path)
    above, carrier = prim.GetParent(), scene.body_of(path.GetParentPath())
    local = invert_affine(scene.matrix(prim)) @ scene.frame(path)
    taken = frozenset(str(child.GetName()) for child in prim.GetAllChildren())
    stated = frozenset(prim.GetAuthoredPropertyNames())
    resets = bool(UsdGeom.Xformable(prim) and UsdGeom.Xformable(prim).GetResetXformStack())
    return LinkPrim(
        prim_path(prim),
        local,
        scene.frame(path),
        scene.matrix(None if resets else above),
        "" if resets or carrier is None else names.get(carrier, ""),
        resets,
        taken,
        stated,
    )


def invert_affine(matrix: Any) -> Any:
    """Return the inverse of an affine transform (4, 4), which may scale; of a flat one, the rigid
    inverse."""
    try:
        return np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return invert(matrix)


def _metadata(scene: UsdScene) -> tuple[str, ...]:
    root = scene.stage.GetRootLayer().pseudoRoot
    lines = [
        f"{key} = {format_xml_number(float(root.GetInfo(key)))}"
        for key in _NUMBERS
        if root.HasInfo(key)
    ]
    lines += [f"{key} = {quoted(str(root.GetInfo(key)))}" for key in _WORDS if root.HasInfo(key)]
    if not root.HasInfo("metersPerUnit"):
        lines.append(
            f"metersPerUnit = {format_xml_number(UsdGeom.GetStageMetersPerUnit(scene.stage))}"
        )
    return tuple(sorted(lines))
