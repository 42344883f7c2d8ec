"""URDF, SRDF and XRDF embedded in an exported file for this editor, next to COLLADA's description.

COLLADA's words win. Where they still say what the embedded files say (to the precision of degrees
and axes with angles), the embedded files are taken, with their digits, order, comments, and what
COLLADA has no place for. So a robot comes back as it was, and what another program changed in the
file is not undone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from editor_app.core.formats.exchange.meshes import colour_of
from editor_app.core.formats.srdf import SrdfSource, read_srdf
from editor_app.core.formats.urdf import UrdfSource, read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.formats.xrdf.read import XrdfSource
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import Origin
from editor_app.core.model.sensors import Sensor
from editor_app.core.model.urdf import (
    Collision,
    Geometry,
    Inertial,
    Joint,
    JointType,
    Limit,
    Link,
    Material,
    Mesh,
    Mimic,
    Urdf,
    Visual,
)
from editor_app.core.space.kinematics.transforms import link_tensor
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.splices import apply_splices
from editor_app.core.text.xml.document import XmlElement, parse_xml
from editor_app.core.text.xml.morph import build_piece
from editor_app.core.text.xml.splices import NewElement, delete_element
from editor_app.plugins.collada.reading.bodies import StoredShapes
from editor_app.plugins.collada.sensors import build_collada_sensor
from editor_app.plugins.collada.transforms import EXTRA, OWN_PROFILE, build_pose_matrix

#: Of lengths and angles: far above the noise of the ways there and back, far below what anyone
#: would change.
TOLERANCE = 1e-8
T = TypeVar("T", Link, Joint)
P = TypeVar("P", Visual, Collision)
S = TypeVar("S", UrdfSource, SrdfSource, XrdfSource)
Slots = Mapping[tuple[str, str], list[int | None]]


@dataclass(frozen=True, eq=False)
class Embedded:
    """`unwritten` are shapes (link, kind, number) whose mesh was not there.

    `written` are the sensors that COLLADA says as well, their number in the URDF -> name;
    `borrowed` are those that stand in extensions of the URDF.
    """

    urdf: UrdfSource | None = None
    srdf: SrdfSource | None = None
    xrdf: XrdfSource | None = None
    unwritten: frozenset[tuple[str, str, int]] = frozenset()
    written: FrozenDict[int, str] = FrozenDict()
    borrowed: frozenset[str] = frozenset()
    #: (joint, limit) that no file ever told, but an import.
    invented: frozenset[tuple[str, str]] = frozenset()


def embedded_element(
    urdf: str | None,
    srdf: str | None,
    xrdf: str | None,
    unwritten: Iterable[tuple[str, str, int]],
    written: Mapping[int, str],
    borrowed: Iterable[str],
    invented: Iterable[tuple[str, str]] = (),
) -> NewElement:
    """The <extra> of the document."""
    parts = [
        build_piece(tag, text=text)
        for tag, text in (("urdf", urdf), ("srdf", srdf), ("xrdf", xrdf))
        if text
    ]
    parts += [
        build_piece("unwritten", link=link, kind=kind, number=str(number))
        for link, kind, number in unwritten
    ]
    parts += [build_piece("written", sensor=name, number=str(i)) for i, name in written.items()]
    parts += [build_piece("borrowed", sensor=name) for name in borrowed]
    parts += [build_piece("invented", joint=joint, limit=limit) for joint, limit in invented]
    return build_piece(
        "extra", build_piece("technique", *parts, profile=OWN_PROFILE), type=OWN_PROFILE
    )


def read_embedded_urdf(root: XmlElement) -> Embedded:
    """Nothing of it for a file of another program, or when it cannot be read any more."""
    inside = next(
        (
            t
            for e in root.all("extra")
            for t in e.all("technique")
            if t.get("profile") == OWN_PROFILE
        ),
        None,
    )
    if inside is None:
        return Embedded()

    try:
        return Embedded(
            _document(inside, "urdf", read_urdf),
            _document(inside, "srdf", read_srdf),
            _document(inside, "xrdf", read_xrdf),
            frozenset(
                (link, kind, int(number or 0))
                for link, kind, number in _rows(inside, "unwritten", "link", "kind", "number")
                if (number or "0").isdecimal()
            ),
            FrozenDict(
                (int(number), sensor)
                for number, sensor in _rows(inside, "written", "number", "sensor")
                if number.isdecimal()
            ),
            frozenset(sensor for [sensor] in _rows(inside, "borrowed", "sensor")),
            frozenset(
                (joint, limit) for joint, limit in _rows(inside, "invented", "joint", "limit")
            ),
        )
    except FormatError:
        return Embedded()


def _document(inside: XmlElement, tag: str, read: Callable[[SourceText], S]) -> S | None:
    part = inside.child(tag)
    return read(SourceText.from_text("".join(part.chunks))) if part is not None else None


def _rows(inside: XmlElement, tag: str, *names: str) -> list[list[str]]:
    """The attributes of these names of each element of a tag; "" where one is absent."""
    return [[e.get(name) or "" for name in names] for e in inside.all(tag)]


def stored_shapes(urdf: Urdf) -> StoredShapes:
    """Return the facts of the embedded URDF that reading the shapes needs."""
    origins = {}
    bare = set()
    for link in urdf.links:
        for number, collision in enumerate(link.collisions):
            origins[link.name, "collision", number] = collision.origin
        for number, visual in enumerate(link.visuals):
            if visual.material is None and isinstance(visual.geometry, Mesh):
                bare.add((link.name, number))
    return StoredShapes(origins, frozenset(bare), True)


def without_kept(source: SourceText) -> str:
    """The text of a URDF without what is kept of COLLADA, which is written in its own place."""
    document = parse_xml(source)
    splices = [s for e in document.root.all(EXTRA) for s in delete_element(document, e)]
    return apply_splices(source.text, splices)


def reconciled(stored: Urdf, collada: Urdf, slots: Slots, embedded: Embedded) -> Urdf:
    """`stored` where `collada` says the same, `collada` where it does not."""
    links = {link.name: link for link in stored.links}
    joints = {joint.name: joint for joint in stored.joints}
    materials = stored.materials_by_name()
    reconciled_links = [
        _link(links[x.name], x, materials, slots, embedded.unwritten) if x.name in links else x
        for x in _ordered(collada.links, links)
    ]
    turned = [
        _joint(joints[j.name], j, joints) if j.name in joints else j
        for j in _ordered(collada.joints, joints)
    ]
    sensors = _sensors(
        stored.sensors,
        [s for s in collada.sensors if s.name not in embedded.borrowed],
        embedded.written,
    )
    extensions = tuple(e for e in stored.extensions if e.tag != EXTRA)
    return replace(
        stored,
        name=stored.name or collada.name,
        links=tuple(reconciled_links),
        joints=tuple(turned),
        sensors=tuple(sensors),
        extensions=extensions,
    )


def _ordered(elements: Iterable[T], stored: Mapping[str, T]) -> list[T]:
    """In the order of `stored`, with what is new behind it."""
    place = {name: i for i, name in enumerate(stored)}
    return sorted(elements, key=lambda x: place.get(x.name, len(place)))


def _link(
    stored: Link,
    collada: Link,
    materials: Mapping[str, Material],
    slots: Slots,
    unwritten: frozenset[tuple[str, str, int]],
) -> Link:
    def shapes(
        kind: str, old: tuple[P, ...], new: tuple[P, ...], same: Callable[[P, P], P]
    ) -> tuple[P, ...]:
        """Those that the file stored, as far as COLLADA still has them, then what is new."""
        numbers = slots.get((stored.name, kind), [])
        merged: list[P] = []
        for i, shape in enumerate(old):
            if (stored.name, kind, i) in unwritten:
                merged.append(shape)
            elif i in numbers:
                merged.append(same(shape, new[numbers.index(i)]))
        merged += [
            shape for shape, n in zip(new, numbers, strict=True) if n is None or n >= len(old)
        ]
        return tuple(merged)

    is_same = _same_inertial(stored.inertial, collada.inertial)
    return replace(
        stored,
        visuals=shapes(
            "visual", stored.visuals, collada.visuals, lambda a, b: _visual(a, b, materials)
        ),
        collisions=shapes("collision", stored.collisions, collada.collisions, _placed),
        inertial=stored.inertial if is_same else collada.inertial,
    )


def _placed(stored: P, collada: P) -> P:
    shape, origin = (
        _shape(stored.geometry, collada.geometry),
        _origin(stored.origin, collada.origin),
    )
    return replace(stored, geometry=shape, origin=origin)


def _visual(stored: Visual, collada: Visual, materials: Mapping[str, Material]) -> Visual:
    rgba = colour_of(stored, materials)
    seen = collada.material.rgba if collada.material is not None else None
    # A colour may be that of the mesh, which URDF overrides only where it has one.
    same = rgba == seen or (rgba is not None and seen is not None and _close(rgba, seen))
    stays = same or (rgba is None and stored.material is not None)
    return replace(
        _placed(stored, collada), material=stored.material if stays else collada.material
    )


def _shape(stored: Geometry, collada: Geometry) -> Geometry:
    if isinstance(stored, Mesh) or type(stored) is not type(collada):
        return collada
    names = stored.__dataclass_fields__
    stored_values = np.ravel([getattr(stored, n) for n in names])
    return (
        stored if _close(stored_values, np.ravel([getattr(collada, n) for n in names])) else collada
    )


def _origin(stored: Origin, collada: Origin) -> Origin:
    return (
        stored
        if bool(
            np.allclose(
                build_pose_matrix(stored), build_pose_matrix(collada), rtol=0, atol=TOLERANCE
            )
        )
        else collada
    )


def _close(a: object, b: object) -> bool:
    return bool(np.allclose(a, b, rtol=TOLERANCE, atol=TOLERANCE))  # type: ignore[arg-type]


def _same_inertial(stored: Inertial | None, collada: Inertial | None) -> bool:
    if stored is None or collada is None:
        return stored is collada
    a, b = link_tensor(stored), link_tensor(collada)
    size = max(float(np.abs(a).max()), 1e-300)
    return (
        _close(stored.mass, collada.mass)
        and _close(stored.origin.xyz, collada.origin.xyz)
        and bool(np.abs(a - b).max() <= 1e-7 * size + 1e-15)
    )


def _joint(stored: Joint, collada: Joint, joints: Mapping[str, Joint]) -> Joint:
    new = replace(
        stored,
        parent=collada.parent,
        child=collada.child,
        origin=_origin(stored.origin, collada.origin),
    )
    if written_type(stored) != collada.type:
        return replace(collada, origin=new.origin)
    if not collada.is_movable:
        return new
    if not _close(stored.axis, collada.axis):
        new = replace(new, axis=collada.axis)
    return replace(
        new, limit=_limit(stored, collada), mimic=_mimic(stored.mimic, collada.mimic, joints)
    )


def _limit(stored: Joint, collada: Joint) -> Limit | None:
    """What COLLADA does not say, it does not contradict."""
    limit = stored.limit
    stored_limits, collada_limits = stored.position_limits, collada.position_limits
    if (
        stored_limits is not None
        and collada_limits is not None
        and all(map(math.isfinite, stored_limits))
        and not _close(stored_limits, collada_limits)
    ):
        limit = replace(limit or Limit(), lower=collada_limits[0], upper=collada_limits[1])
    stored_speed = (stored.limit.velocity if stored.limit is not None else None) or 0.0
    collada_speed = collada.limit.velocity if collada.limit is not None else None
    if (
        collada_speed is not None
        and math.isfinite(stored_speed)
        and not _close(stored_speed, collada_speed)
    ):
        limit = replace(limit or Limit(), velocity=collada_speed)
    return limit


def _mimic(
    stored: Mimic | None, collada: Mimic | None, joints: Mapping[str, Joint]
) -> Mimic | None:
    if stored is not None and stored.joint not in joints:
        # Nothing to follow, and nothing that a formula could say.
        return stored
    if stored is None or collada is None:
        return collada
    same = stored.joint == collada.joint and _close(
        (stored.multiplier, stored.offset), (collada.multiplier, collada.offset)
    )
    return stored if same else collada


def written_type(joint: Joint) -> JointType:
    """Return the type of a joint in COLLADA, which has fewer types, and no infinite limits."""
    if joint.type in (JointType.FLOATING, JointType.PLANAR) or not any(joint.axis):
        return JointType.FIXED
    limits = joint.position_limits
    if (
        limits == (0.0, 0.0)
        and joint.mimic is None
        and joint.type in (JointType.REVOLUTE, JointType.PRISMATIC)
    ):
        return JointType.FIXED
    if joint.type == JointType.REVOLUTE and (limits is None or not all(map(math.isfinite, limits))):
        return JointType.CONTINUOUS
    return joint.type


# -- sensors


def _sensors(
    stored: Iterable[Sensor], collada: Iterable[Sensor], written: Mapping[int, str]
) -> list[Sensor]:
    left = {s.name: s for s in collada}
    sensors = []
    for number, sensor in enumerate(stored):
        if number not in written:
            # COLLADA has no words for it.
            sensors.append(sensor)
            continue
        other = left.pop(written[number], None)
        if other is None:
            continue
        # What COLLADA can say of a sensor, without its name, place and id, its numbers rounded.
        same = _rounded(build_collada_sensor(sensor, "x")) == _rounded(
            build_collada_sensor(other, "x")
        )
        place = other.parent == sensor.parent
        origin = _origin(sensor.origin, other.origin)
        sensors.append(replace(sensor, origin=origin) if same and place else other)
    return [*sensors, *left.values()]


def _rounded(element: NewElement) -> NewElement:
    try:
        text = " ".join(f"{float(v):.9g}" for v in element.text.split())
    except ValueError:
        text = element.text
    return replace(element, text=text, children=tuple(map(_rounded, element.children)))
