"""A robot built by hand: the verbs empty_robot, new_link (with its joint and a shape, as one step),
compute_inertias.

Decided here, for every caller: where the shape is on the link, and that a joint that moves is
controlled.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from xml.sax.saxutils import quoteattr

from editor_app.core.document.commands import AddLink, SetLink
from editor_app.core.document.commands.field_paths import new_limit
from editor_app.core.document.commands.fields import OfLink, SetField
from editor_app.core.document.commands.tools import ToldChange, get_link, join_changes
from editor_app.core.document.commands.urdf_structure import find_free_frame_name
from editor_app.core.document.writing import write_files
from editor_app.core.model.coercion import Validated
from editor_app.core.model.counting import format_count
from editor_app.core.model.origin import Origin, Vector3
from editor_app.core.model.robot import CannotApply, Change, RobotDescription
from editor_app.core.model.urdf import (
    BOUNDED,
    Ball,
    Box,
    Capsule,
    Collision,
    Cylinder,
    Geometry,
    Joint,
    JointType,
    Link,
    Mesh,
    Urdf,
    Visual,
)
from editor_app.core.space.geometry.link_geometry import LinkGeometry, MeshStore
from editor_app.core.space.geometry.mass import USUAL_DENSITY, fill_solid, solid_of_link
from editor_app.core.space.geometry.mesh import merge_parts
from editor_app.core.space.geometry.paths import written_name
from editor_app.core.space.geometry.units import MeshUse, guessed_use
from editor_app.core.verbs.link_roles import control_joint

#: The third axis of a frame, which arms are drawn along.
UP: Vector3 = (0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class NewLink(Validated):
    """A link on `parent`: its joint, and the shape that it has as visual and as collision.

    `xyz`: metres, and `rpy`: radians, of the joint in the frame of the parent. `limits`: lower and
    upper position in rad or metres; None: placeholders. `shape`: a geometry, which stands upright
    on the joint, or the file of a mesh, whose unit is guessed. `controlled`: a joint that moves is
    in the c-space, where the XRDF has one.
    """

    name: str
    parent: str
    type: JointType = JointType.FIXED
    xyz: Vector3 = (0.0, 0.0, 0.0)
    axis: Vector3 = UP
    limits: tuple[float, float] | None = None
    shape: Geometry | Path | None = None
    controlled: bool = True
    rpy: Vector3 = (0.0, 0.0, 0.0)


def new_link(robot: RobotDescription, new: NewLink, beside: Path | None = None) -> ToldChange:
    """The step that adds the link. `beside`: the URDF's path, by which names of mesh files are
    written.

    Applying it raises CannotApply for a name that is taken, a parent that is not there, limits that
    contradict.
    """
    geometry, place, use = _shape(new.shape, beside)
    visuals, collisions = (
        ((), ())
        if geometry is None
        else ((Visual(geometry, place),), (Collision(geometry, place),))
    )
    link = Link(new.name, visuals=visuals, collisions=collisions)
    is_moving = new.type is not JointType.FIXED
    joint = Joint(
        find_free_frame_name(robot, f"{new.name}_joint"),
        new.type,
        new.parent,
        new.name,
        Origin(new.xyz, new.rpy),
    )
    joint = replace(joint, axis=new.axis) if is_moving else joint
    if is_moving:
        limit = new_limit(joint)
        lower, upper = new.limits or (limit.lower, limit.upper)
        lower, upper = (lower, upper) if new.type in BOUNDED else (None, None)
        joint = replace(joint, limit=replace(limit, lower=lower, upper=upper))
    added: list[Change] = [AddLink(link, joint)]
    if is_moving and new.controlled and robot.xrdf.cspace is not None:
        added.append(control_joint(robot, joint.name))
    return ToldChange(join_changes(added, added[0].label), use.told)


def with_shape(
    robot: RobotDescription, link: str, shape: Geometry | Path, beside: Path | None = None
) -> ToldChange:
    """The step that gives a link one more shape, as visual and as collision, as `new_link` would.

    Raises CannotApply for a link that is not there.
    """
    old = get_link(robot, link)
    geometry, place, use = _shape(shape, beside)
    assert geometry is not None
    more = (*old.visuals, Visual(geometry, place)), (*old.collisions, Collision(geometry, place))
    return ToldChange(
        SetLink(link, replace(old, visuals=more[0], collisions=more[1]), f"Add shape to {link}"),
        use.told,
    )


def far_end(shapes: Iterable[LinkGeometry] | Geometry) -> Vector3:
    """Return the likely place of the next joint of a chain: on the z-axis of a link, at the end of
    its shapes. Metres.

    A geometry alone is one that `new_link` put upright on the joint.
    """
    if isinstance(shapes, Geometry):
        return (0.0, 0.0, shapes.radius if isinstance(shapes, Ball) else 2 * _half_height(shapes))
    points, _ = merge_parts(part for shape in shapes for part in shape.parts)
    return (0.0, 0.0, max(0.0, round(float(points[:, 2].max()), 6)) if len(points) else 0.0)


def _shape(
    shape: Geometry | Path | None, beside: Path | None
) -> tuple[Geometry | None, Origin, MeshUse]:
    """Its geometry, where it is on the link, and how a mesh file is used."""
    if isinstance(shape, Path):
        use = guessed_use(shape)
        return Mesh(written_name(shape, beside), use.scale), use.turn, use
    return shape, Origin(xyz=(0.0, 0.0, _half_height(shape))), MeshUse()


def _half_height(shape: Geometry | None) -> float:
    """From the middle of a shape down to its foot; a ball is around its joint."""
    if isinstance(shape, Box):
        return shape.size[2] / 2
    if isinstance(shape, Cylinder):
        return shape.length / 2
    return shape.length / 2 + shape.radius if isinstance(shape, Capsule) else 0.0


def shape_named(kind: str, sizes: tuple[float, ...]) -> Geometry:
    """Box (three sides), cylinder or capsule (radius, length), sphere (radius), in metres. Raises
    ValueError."""
    counts = {"box": 3, "cylinder": 2, "capsule": 2, "sphere": 1}
    if len(sizes) != counts.get(kind) or min(sizes) <= 0.0:
        raise ValueError(
            "a shape must be box, X, Y, Z; cylinder or capsule, RADIUS, LENGTH; or sphere, "
            f"RADIUS; not {kind}"
        )
    if kind == "box":
        return Box((sizes[0], sizes[1], sizes[2]))
    if kind == "sphere":
        return Ball(sizes[0])
    return Cylinder(*sizes) if kind == "cylinder" else Capsule(*sizes)


#: The link that a robot begins with, by REP 120's name for the base of a robot.
BASE = "base_link"


def empty_robot(path: str | Path, *, overwrite: bool = False) -> Path:
    """Writes a URDF whose robot has the name of the file, and one link without shapes.

    `overwrite` replaces a file that exists. Raises SaveError when it exists or cannot be written.
    """
    path = Path(path)
    text = (
        f'<?xml version="1.0"?>\n<robot name={quoteattr(path.stem)}>\n  <link '
        f'name="{BASE}"/>\n</robot>\n'
    )
    write_files([(path, text.encode())], overwrite=overwrite, make_folders=False)
    return path


def bare_links(urdf: Urdf) -> tuple[str, ...]:
    """The links that have a shape, but neither mass nor inertia."""
    return tuple(
        link.name
        for link in urdf.links
        if link.inertial is None and (link.visuals or link.collisions)
    )


def compute_inertias(
    robot: RobotDescription,
    links: Collection[str],
    urdf_path: Path | None,
    packages: Mapping[str, Path] | None = None,
    density: float = USUAL_DENSITY,
) -> Change:
    """One step for all the links whose shapes enclose a volume; the others stay as they are.
    `density` in kg/m³.

    Raises CannotApply for a link that is not there, and where no shape encloses a volume.
    """
    store = MeshStore(urdf_path, packages)
    changes: list[Change] = []
    for name in links:
        solid = solid_of_link(robot.urdf, get_link(robot, name), store)
        if solid is not None:
            label = f"Compute the inertia of {name}"
            changes.append(
                SetField(OfLink(name), "inertial", fill_solid(solid, solid.volume * density), label)
            )
    if not changes:
        raise CannotApply("No shape of these links encloses a volume.")
    return join_changes(changes, f"Compute the inertia of {format_count(len(changes), 'link')}")
