"""What a fit of several links takes into account besides their meshes: the mount, planes by hand, what counts more.

Also, which links have collision shapes that stand for a part of them only.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from editor_app.core.arrays import F64
from editor_app.core.drafting.bodies import BodyTree
from editor_app.core.drafting.roles import Role, recognise
from editor_app.core.model.coercion import Validated, is_length
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.space.geometry.link_geometry import MeshStore
from editor_app.core.space.geometry.mount import Mount, mount_of_files
from editor_app.core.tasks.work import PlacedRobot, Refused
from editor_app.features.spheres.engine.links import LinkMesh
from editor_app.features.spheres.engine.settings import Effort, FitSettings, Mode, Plane

if TYPE_CHECKING:
    F64 = F64

#: What a tighter fit and a first file are called in the history.
TIGHTER_FIT_STEP, FIRST_FILE_STEP = "Fit tighter for planning", "Create XRDF"

#: How much links count when a budget is shared out: the tool and what it carries, the link before, what only carries
#: the robot about.
AT_THE_TOOL, BEFORE_THE_TOOL, CARRIER = 4.0, 2.0, 0.5

#: A sphere may reach so far behind a plane (metres): digits of a file.
_ALLOWED = 1e-4

_CLIP = re.compile(r"^(?P<link>.+)=(?P<sign>[+-]?)(?P<axis>[xyz]):(?P<value>[-+0-9.eE]+)$")


@dataclass(frozen=True, slots=True)
class FitChoices(Validated):
    """`mount`: no sphere of the base reaches below the plane that it stands on. `clips`: planes of links, in their
    frames (metres). `weights`: how much a link counts when a budget is shared out; `more_at_tool`: links without a
    weight of their own count by what they work with. `locked`: spheres that links keep, beside those that are fitted.
    `symmetry`: "x", "y" or "z": the spheres of a link come in pairs on both sides of its middle along this axis.
    `mode`, `effort`, `seed`: how spheres are found; `padding` (metres) is added to every radius. `for_planning`: by
    default fewer spheres, for a fit that is gone over for planning, which spends others where they pay."""

    mount: bool = True
    clips: Mapping[str, tuple[Plane, ...]] | None = None
    weights: Mapping[str, float] | None = None
    more_at_tool: bool = True
    locked: Mapping[str, tuple[CollisionSphere, ...]] | None = None
    symmetry: str = ""
    mode: Mode = "cover"
    effort: Effort = "normal"
    padding: float = 0.0
    seed: int = 0
    for_planning: bool = False

    def requirements(self) -> Iterable[tuple[str, bool, str]]:
        yield "symmetry", self.symmetry in ("", "x", "y", "z"), "'x', 'y', 'z' or empty"
        yield "padding", is_length(self.padding), "a length of 0 m or more"
        weights = (self.weights or {}).values()
        yield "weights", all(math.isfinite(weight) and weight > 0 for weight in weights), "numbers above 0"

    def settings(self, number: int | None, tolerance: float | None = None) -> FitSettings:
        """Of a fit with so many spheres, or with this greatest protrusion (metres)."""
        return FitSettings(
            number=number,
            tolerance_m=tolerance,
            mode=self.mode,
            effort=self.effort,
            padding=self.padding,
            seed=self.seed,
        )

    def kept(self, link: str) -> tuple[CollisionSphere, ...]:
        """The locked spheres of a link; a radius of 0 or less takes no room."""
        return tuple(each for each in (self.locked or {}).get(link, ()) if each.radius > 0)


def parse_clips(texts: Iterable[str]) -> dict[str, tuple[Plane, ...]]:
    """Planes by link from texts such as ``base_link=z:0.0``: spheres stay where z >= 0; ``-z:0.5``: where z <= 0.5.

    Raises Refused.
    """
    planes: dict[str, tuple[Plane, ...]] = {}
    for text in texts:
        match = _CLIP.match(text.strip())
        try:
            value = float(match["value"]) if match else None
        except ValueError:
            value = None
        if match is None or value is None or abs(value) > 1e3:
            raise Refused(f"--clip needs LINK=AXIS:METRES, such as base_link=z:0.0, not {text!r}")
        axis = "xyz".index(match["axis"])
        sign = -1.0 if match["sign"] == "-" else 1.0
        point, normal = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
        point[axis], normal[axis] = value, sign
        plane = Plane((point[0], point[1], point[2]), (normal[0], normal[1], normal[2]))
        planes[match["link"]] = (*planes.get(match["link"], ()), plane)
    return planes


def parse_weights(texts: Iterable[str]) -> dict[str, float]:
    """Weights by link from texts such as ``hand=4``. Raises Refused."""
    weights: dict[str, float] = {}
    for text in texts:
        link, mark, number = text.rpartition("=")
        try:
            weights[link] = float(number)
        except ValueError:
            weights[link] = 0.0
        if not mark or not link or not 0 < weights[link] < 1e6:
            raise Refused(f"--weight needs LINK=FACTOR with a factor above 0, not {text!r}")
    return weights


def mount_plane(robot: RobotDescription, store: MeshStore, meshes: Sequence[LinkMesh] = ()) -> Mount | None:
    """The plane below the base; `meshes` are what links are fitted to, other links of the base are loaded."""
    return mount_of_files(robot.urdf, store, loaded={mesh.link: (mesh.vertices, mesh.faces) for mesh in meshes})


def tool_weights(robot: RobotDescription) -> dict[str, float]:
    """How much each link counts by what the robot works with; links that count once are left out."""
    tree = BodyTree.of(robot.urdf)
    weights: dict[str, float] = {}
    roles = recognise(tree)
    carriers = {name for name, (role, _) in roles.by_joint.items() if role in (Role.WHEEL, Role.LEG)}
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
    """The meshes with their planes and weights, and the mount when it is used. Raises Refused for unknown links."""
    robot = placed.robot
    links = {link.name for link in robot.urdf.links}
    for name in (*(choices.clips or {}), *(choices.weights or {}), *(choices.locked or {})):
        if name not in links:
            raise Refused(f"the robot has no link {name}; its links: {', '.join(sorted(links))}")
    mount = mount_plane(robot, MeshStore(placed.urdf_path, placed.packages), meshes) if choices.mount else None
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
    """Whether no sphere of a link reaches behind one of its planes by more than a tenth of a millimetre."""
    return all(
        sum((c - p) * n for c, p, n in zip(sphere.center, plane.point, plane.normal, strict=True))
        >= sphere.radius - _ALLOWED
        for sphere in spheres
        if sphere.radius > 0
        for plane in planes
    )
