"""Mask and spheres in an MJCF that is there: what was written into it before is replaced, every
other byte stays.

A body is the link of its name. MuJoCo's own importer, and most who write MJCF, make one body of
links that a fixed joint connects: what is said of such a link goes to the body of the link that it
is fixed to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import combinations

import numpy as np

from editor_app.core.formats.exchange.conversion import ConversionReport, Reporter
from editor_app.core.formats.exchange.sphere_lists import (
    Places,
    added_places,
    count_spheres_on_links,
    find_carrier,
    moved_by,
    tell_buffers,
)
from editor_app.core.model.counting import format_count, format_list
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import JointType
from editor_app.core.model.xrdf import CollisionSphere, FixedTransform, LinkPair
from editor_app.core.space.kinematics.transforms import Matrix, build_pose_matrix, rpy_to_quaternion
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.splices import Splice, apply_splices
from editor_app.core.text.xml.document import XmlDocument, XmlElement, numbers_in, parse_xml
from editor_app.core.text.xml.morph import build_piece
from editor_app.core.text.xml.splices import NewElement, delete_element, insert_elements
from editor_app.plugins.mjcf.shapes import (
    MASKED,
    SPHERES,
    WORLD,
    exclusions,
    sphere_geom,
    spheres_class,
)

#: Metres, and of the numbers of a rotation: two frames that differ by less are one.
_NEAR = 2e-3


def patched_mjcf(
    source: SourceText, robot: RobotDescription, *, collide: bool
) -> tuple[str, ConversionReport]:
    """(text, report). `collide`: the spheres touch what the geoms of the file touch; else they are
    shown alone.

    Raises FormatError for a file that is no MJCF.
    """
    document = parse_xml(source)
    if document.root.tag != "mujoco":
        raise FormatError(
            "This is not an MJCF: its root is not <mujoco>",
            source.location(0),
            "Write to another file.",
        )
    return _Patch(document, robot, collide).patched()


@dataclass
class _Patch:
    document: XmlDocument
    robot: RobotDescription
    collide: bool
    out: Reporter = field(init=False)

    def __post_init__(self) -> None:
        self.out = Reporter(f"XRDF {self.robot.xrdf.format_version}", "existing MJCF")
        root = self.document.root
        worlds = root.all("worldbody")
        self.bodies = {e.get("name") or "": e for w in worlds for e in w.walk() if e.tag == "body"}
        self.bodies |= dict(zip((WORLD,), worlds, strict=False))
        graph = KinematicGraph(self.robot.urdf)
        self.fixed: Places = {
            **added_places(self.robot.xrdf),
            **{
                child: (joint.parent, _transform(joint.origin))
                for child, joint in graph.incoming.items()
                if joint.type is JointType.FIXED
            },
        }

    def _moved_body(self) -> str | None:
        """The first body whose frame is not its link's frame, by its place on the body above it;
        None without one."""
        graph = KinematicGraph(self.robot.urdf)
        for name, element in self.bodies.items():
            parent = (element.parent.get("name") or "") if element.parent is not None else ""
            chain = (
                graph.chain(parent, name) if parent in self.bodies and name in graph.links else None
            )
            if not chain:
                continue
            wanted = reduce(np.matmul, (build_pose_matrix(joint.origin) for joint in chain))
            place = _place_of(element, self.document.root.child("compiler"))
            if place is None or np.abs(place - wanted).max() > _NEAR:
                return name
        return None

    def patched(self) -> tuple[str, ConversionReport]:
        if any(element.tag == "include" for element in self.document.root.walk()):
            self.out.translated(
                "include", "included files are not patched: write to each separately"
            )
        splices = [*self._spheres(), *self._pairs()]
        return apply_splices(self.document.source.text, splices), self.out.report()

    # -- spheres

    def _spheres(self) -> list[Splice]:
        by_body = self._spheres_by_body()
        moved = self._moved_body() if by_body else None
        if moved is not None:
            by_body = {}
            detail = (
                f"the frame of {moved} differs between this file and the URDF: the spheres would "
                "be displaced"
            )
            self.out.lost("geometry", detail)
        tell_buffers(self.robot.xrdf, "MJCF", self.out)
        if by_body:
            use = "they collide" if self.collide else "visible, without contacts"
            self.out.taken(
                "geometry", f"{count_spheres_on_links(by_body)}, of the class {SPHERES}: {use}"
            )
        splices: list[Splice] = []
        for name, element in self.bodies.items():
            old = [geom for geom in element.all("geom") if geom.get("class") == SPHERES]
            new = [sphere_geom(sphere) for sphere in by_body.get(name, ())]
            splices += self._replaced(element, old, new)
        return [*splices, *self._class(bool(by_body))]

    def _spheres_by_body(self) -> dict[str, list[CollisionSphere]]:
        """In the axes of the bodies; spheres of frames that are part of no body are told."""
        xrdf = self.robot.xrdf
        by_body: dict[str, list[CollisionSphere]] = {}
        strangers = []
        for frame, of_frame in xrdf.spheres_of(xrdf.world_group or xrdf.self_group).items():
            spheres = [sphere for sphere in of_frame if sphere.radius > 0]
            body, places = find_carrier(frame, self.fixed, self.bodies)
            if body is None:
                strangers += [frame] if spheres else []
                continue
            spheres = [reduce(moved_by, places, sphere) for sphere in spheres]
            if spheres:
                by_body.setdefault(body, []).extend(spheres)
            if places and spheres:
                self.out.translated(
                    f"spheres of {frame}", f"on the body {body}, to which it is fixed"
                )
        if strangers:
            self.out.lost(
                f"spheres of {', '.join(strangers)}", "the file has no body with that name"
            )
        return by_body

    def _class(self, is_used: bool) -> list[Splice]:
        root = self.document.root
        sections = root.all("default")
        old = [
            each
            for section in sections
            for each in section.all("default")
            if each.get("class") == SPHERES
        ]
        new = [spheres_class(collide=self.collide)] if is_used else []
        home = old[0].parent if old else next(iter(sections), None)
        if home is not None:
            return self._replaced(home, old, new)
        if not new:
            return []
        first = next(
            (child for child in root.children if child.tag not in ("compiler", "option", "size")),
            None,
        )
        return [insert_elements(self.document, root, [build_piece("default", *new)], before=first)]

    # -- pairs

    def _members(self) -> dict[str, list[str]]:
        """Body -> the frames that are part of it."""
        members: dict[str, list[str]] = {}
        for frame in dict.fromkeys((*(link.name for link in self.robot.urdf.links), *self.fixed)):
            body, _ = find_carrier(frame, self.fixed, self.bodies)
            if body is not None:
                members.setdefault(body, []).append(frame)
        return members

    def _pairs(self) -> list[Splice]:
        ignored = self.robot.xrdf.ignored_pairs()
        members = self._members()
        bodies = [LinkPair.of(a, b) for a, b in combinations(members, 2)]
        wanted = [
            pair
            for pair in bodies
            if self._is_masked(members[pair.first], members[pair.second], ignored)
        ]
        self._tell_pairs(wanted, ignored, members)
        return self._excluded(wanted)

    def _excluded(self, wanted: Sequence[LinkPair]) -> list[Splice]:
        root = self.document.root
        contacts = root.all("contact")
        listed = [element for contact in contacts for element in contact.all("exclude")]
        old = [element for element in listed if (element.get("name") or "").startswith(MASKED)]
        theirs = {
            LinkPair.of(e.get("body1") or "", e.get("body2") or "") for e in listed if e not in old
        }
        new = exclusions(pair for pair in wanted if pair not in theirs)
        home = old[0].parent if old else next(iter(contacts), None)
        if home is not None:
            return self._replaced(home, old, new)
        last = root.children[-1] if root.children else None
        return (
            [insert_elements(self.document, root, [build_piece("contact", *new)], after=last)]
            if new
            else []
        )

    def _is_masked(
        self, ones: Sequence[str], others: Sequence[str], ignored: frozenset[LinkPair]
    ) -> bool:
        """Whether all pairs of their members that could touch are masked, and one is."""
        xrdf = self.robot.xrdf
        spheres = xrdf.spheres_of(xrdf.self_group or xrdf.world_group)
        solid = {frame for frame, of in spheres.items() if of}
        solid |= {link.name for link in self.robot.urdf.links if link.collisions}
        pairs = [LinkPair.of(a, b) for a in ones for b in others]
        checked = [pair for pair in pairs if pair.first in solid and pair.second in solid]
        return any(pair in ignored for pair in pairs) and all(pair in ignored for pair in checked)

    def _tell_pairs(
        self,
        wanted: Sequence[LinkPair],
        ignored: frozenset[LinkPair],
        members: Mapping[str, Sequence[str]],
    ) -> None:
        homes = {frame: body for body, frames in members.items() for frame in frames}
        said = set(wanted)
        left = [
            pair
            for pair in sorted(ignored)
            if pair.first in homes
            and pair.second in homes
            and homes[pair.first] != homes[pair.second]
            and LinkPair.of(homes[pair.first], homes[pair.second]) not in said
        ]
        strangers = sum(pair.first not in homes or pair.second not in homes for pair in ignored)
        if wanted:
            self.out.translated(
                "self_collision.ignore",
                f"contact/exclude, {format_count(len(wanted), 'pair')} of bodies",
            )
        if left:
            told = format_list((f"{pair.first} and {pair.second}" for pair in left), 5)
            detail = f"{told}: their bodies also have other links, which are checked"
            self.out.lost("self_collision.ignore", detail)
        if strangers:
            self.out.lost(
                "self_collision.ignore",
                f"{format_count(strangers, 'pair')} of links without a body",
            )

    def _replaced(
        self, home: XmlElement, old: Sequence[XmlElement], new: Sequence[NewElement]
    ) -> list[Splice]:
        """New elements in the place of old ones; those that stand there already, in this order,
        stay."""
        if [_plain(element) for element in old] == [_plain_new(element) for element in new]:
            return []
        splices = [splice for element in old for splice in delete_element(self.document, element)]
        if new:
            splices.append(insert_elements(self.document, home, new, **_beside(home, old)))
        return splices


def _beside(home: XmlElement, old: Sequence[XmlElement]) -> dict[str, XmlElement]:
    """Behind which child new elements go, or before which: where the old ones are, else before the
    bodies in a body."""
    rest = [child for child in home.children if child not in old]
    earlier = [child for child in rest if not old or child.start < old[0].start]
    inner = next((child for child in rest if child.tag == "body"), None) if not old else None
    if inner is not None:
        return {"before": inner}
    if earlier:
        return {"after": earlier[-1]}
    return {"before": rest[0]} if rest else {}


def _place_of(body: XmlElement, compiler: XmlElement | None) -> Matrix | None:
    """(4, 4) of a body on the one above it; None where its rotation is written in a way that is not
    read here."""
    xyz = numbers_in(body.get("pos") or "0 0 0")
    quat, euler = (numbers_in(body.get(key) or "") or () for key in ("quat", "euler"))
    said = {
        key: compiler.get(key) if compiler is not None else None for key in ("angle", "eulerseq")
    }
    reads_euler = said == {"angle": "radian", "eulerseq": "XYZ"}
    others = any(body.get(key) is not None for key in ("axisangle", "xyaxes", "zaxis"))
    if xyz is None or len(xyz) != 3 or others or (euler and not (reads_euler and len(euler) == 3)):
        return None
    origin = Origin(
        (xyz[0], xyz[1], xyz[2]), (euler[0], euler[1], euler[2]) if euler else (0.0, 0.0, 0.0)
    )
    if len(quat) == 4:
        origin = replace(origin, quat_xyzw=(quat[1], quat[2], quat[3], quat[0]))
    return build_pose_matrix(origin)


def _plain(element: XmlElement) -> tuple[object, ...]:
    attributes = tuple(sorted((a.name, a.value) for a in element.attributes))
    return element.tag, attributes, tuple(_plain(child) for child in element.children)


def _plain_new(element: NewElement) -> tuple[object, ...]:
    return (
        element.tag,
        tuple(sorted(element.attributes)),
        tuple(_plain_new(child) for child in element.children),
    )


def _transform(origin: Origin) -> FixedTransform:
    """With a quaternion for roll, pitch, yaw."""
    if origin.quat_xyzw is None:
        return FixedTransform(origin.xyz, rpy_to_quaternion(*origin.rpy))
    x, y, z, w = origin.quat_xyzw
    return FixedTransform(origin.xyz, (w, x, y, z))
