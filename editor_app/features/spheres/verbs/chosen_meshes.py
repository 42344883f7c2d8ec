"""Meshes with what is chosen for a fit: the planes of mount and hand, weights, locked spheres,
symmetry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from editor_app.core.drafting.bodies import BodyTree
from editor_app.core.drafting.roles import Role, recognise
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.space.geometry.link_geometry import MeshStore
from editor_app.core.space.geometry.mount import Mount, mount_of_files
from editor_app.core.tasks.work import PlacedRobot, Refused
from editor_app.features.spheres.engine.links import LinkMesh
from editor_app.features.spheres.engine.settings import Plane
from editor_app.features.spheres.verbs.fit_choices import FitChoices

#: How much links count when a budget is shared out: the tool and what it carries, the link before,
#: what only carries the robot about.
AT_THE_TOOL, BEFORE_THE_TOOL, CARRIER = 4.0, 2.0, 0.5

#: A sphere may reach so far behind a plane (metres): digits of a file.
_ALLOWED = 1e-4


def mount_plane(
    robot: RobotDescription, store: MeshStore, meshes: Sequence[LinkMesh] = ()
) -> Mount | None:
    """The plane below the base; `meshes` are what links are fitted to, other links of the base are
    loaded."""
    return mount_of_files(
        robot.urdf, store, loaded={mesh.link: (mesh.vertices, mesh.faces) for mesh in meshes}
    )


def tool_weights(robot: RobotDescription) -> dict[str, float]:
    """How much each link counts by what the robot works with; links that count once are left
    out."""
    tree = BodyTree.of(robot.urdf)
    weights: dict[str, float] = {}
    roles = recognise(tree)
    carriers = {
        name for name, (role, _) in roles.by_joint.items() if role in (Role.WHEEL, Role.LEG)
    }
    for name in tree.links[1:]:
        if any(joint.name in carriers for joint in tree.path(name)):
            weights[name] = CARRIER
    for tool in robot.xrdf.tool_frames or ():
        if tool not in tree.places:
            continue
        head = tree.body[tool]
        if head in tree.above:
            for name in tree.members[tree.body[tree.above[head].parent]]:
                weights[name] = max(weights.get(name, 0.0), BEFORE_THE_TOOL)
        for name in tree.subtree(head):
            weights[name] = AT_THE_TOOL
    return weights


def with_choices(
    placed: PlacedRobot, meshes: Sequence[LinkMesh], choices: FitChoices
) -> tuple[list[LinkMesh], Mount | None]:
    """The meshes with their planes and weights, and the mount when it is used. Raises Refused for
    unknown links."""
    robot = placed.robot
    links = {link.name for link in robot.urdf.links}
    for name in (*(choices.clips or {}), *(choices.weights or {}), *(choices.locked or {})):
        if name not in links:
            raise Refused(f"the robot has no link {name}; its links: {', '.join(sorted(links))}")
    mount = (
        mount_plane(robot, MeshStore(placed.urdf_path, placed.packages), meshes)
        if choices.mount
        else None
    )
    weights = {**(tool_weights(robot) if choices.more_at_tool else {}), **(choices.weights or {})}
    clips = choices.clips or {}
    result = []
    for mesh in meshes:
        planes = tuple(clips.get(mesh.link, ()))
        below = mount.plane(mesh.link) if mount is not None else None
        # What is clipped by hand is not clipped at the mount, too.
        if below is not None and not planes:
            planes = (Plane(below.point, below.normal),)
        result.append(
            replace(
                mesh,
                clip_planes=planes,
                weight=weights.get(mesh.link, 1.0),
                locked=tuple((*each.center, each.radius) for each in choices.kept(mesh.link)),
                mirror=_middle_plane(mesh, choices.symmetry) if choices.symmetry else None,
            )
        )
    return result, mount


def _middle_plane(mesh: LinkMesh, axis: str) -> Plane:
    """The plane through the middle of the mesh, across an axis of its frame."""
    middle = (mesh.vertices.min(axis=0) + mesh.vertices.max(axis=0)) / 2
    x, y, z = (float(value) for value in middle)
    return Plane((x, y, z), (float(axis == "x"), float(axis == "y"), float(axis == "z")))


def keeps_above(spheres: Iterable[CollisionSphere], planes: Iterable[Plane]) -> bool:
    """Return whether no sphere of a link reaches behind one of its planes by more than a tenth of a
    millimetre."""
    return all(
        sum((c - p) * n for c, p, n in zip(sphere.center, plane.point, plane.normal, strict=True))
        >= sphere.radius - _ALLOWED
        for sphere in spheres
        if sphere.radius > 0
        for plane in planes
    )
