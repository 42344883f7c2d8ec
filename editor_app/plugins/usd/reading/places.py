"""Places of the parts of a robot in its stage: the paths, units and instances that a layer over the stage names."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from pxr import UsdGeom

from editor_app.core.space.kinematics.transforms import invert
from editor_app.core.text.xml.morph import format_xml_number
from editor_app.plugins.usd.reading.joints import UsdJoint
from editor_app.plugins.usd.reading.links import Links
from editor_app.plugins.usd.reading.scene import UsdScene, value
from editor_app.plugins.usd.reading.shapes import UsdShapes
from editor_app.plugins.usd.reading.values import JointPrim, LinkPrim, PrimPath, StagePlaces
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
    scene: UsdScene, links: Links, shapes: UsdShapes, joints: Iterable[UsdJoint], layers: Iterable[Path]
) -> StagePlaces:
    """Return the places of the links, joints, spheres and visuals of a robot that was read."""
    names = links.names | links.mark_names
    by_link = {name: _link_prim(scene, path) for path, name in names.items()}
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
            sum(source == path for source, _ in links.sources.values()),
        )
    touching = tuple(
        (prim_path(joint.prim), links.names[one], links.names[other])
        for one, other, joint in ((*each.ends, each) for each in prims.values())
        if one in links.names and other in links.names and not value(joint.prim, "physics:collisionEnabled", False)
    )
    filters = []
    for prim in scene.filters:
        one = scene.body_of(prim.GetPath())
        for target in prim.GetRelationship("physics:filteredPairs").GetTargets():
            other = scene.body_of(target.GetPrimPath())
            if one in links.names and other in links.names and one != other:
                filters.append((prim_path(prim), str(target), links.names[one], links.names[other]))
    visuals = {names[body]: tuple(map(prim_path, of_body)) for body, of_body in shapes.visual_prims.items()}
    spheres = {names[body]: tuple(map(prim_path, of_body)) for body, of_body in shapes.sphere_prims.items()}
    bodies = frozenset(links.names.values())
    return StagePlaces(
        by_link,
        by_joint,
        bodies,
        spheres=spheres,
        visuals=visuals,
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


def _link_prim(scene: UsdScene, path: Any) -> LinkPrim:
    prim = scene.stage.GetPrimAtPath(path)
    local = invert_affine(scene.matrix(prim)) @ scene.frame(path)
    taken = frozenset(str(child.GetName()) for child in prim.GetAllChildren())
    stated = frozenset(prim.GetAuthoredPropertyNames())
    return LinkPrim(prim_path(prim), local, taken, stated)


def invert_affine(matrix: Any) -> Any:
    """Return the inverse of an affine transform (4, 4), which may scale; of a flat one, the rigid inverse."""
    try:
        return np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        return invert(matrix)


def _metadata(scene: UsdScene) -> tuple[str, ...]:
    root = scene.stage.GetRootLayer().pseudoRoot
    lines = [f"{key} = {format_xml_number(float(root.GetInfo(key)))}" for key in _NUMBERS if root.HasInfo(key)]
    lines += [f"{key} = {quoted(str(root.GetInfo(key)))}" for key in _WORDS if root.HasInfo(key)]
    if not root.HasInfo("metersPerUnit"):
        lines.append(f"metersPerUnit = {format_xml_number(UsdGeom.GetStageMetersPerUnit(scene.stage))}")
    return tuple(sorted(lines))
