"""What an exported file says twice: in COLLADA's words, and in those of URDF, SRDF and XRDF, for this editor alone.

COLLADA's words win. Where they still say what the embedded files say (to the precision of degrees and axes with
angles), the embedded files are taken, with their digits, order, comments, and what COLLADA has no place for. So a
robot comes back as it was, and what another program changed in the file is not undone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from editor_app.formats.foreign.collada.names import EXTRA, OWN_PROFILE
from editor_app.formats.foreign.collada.reading.bodies import Own
from editor_app.formats.foreign.collada.sensors import read_sensor, sensor_element
from editor_app.formats.foreign.collada.transforms import matrix_of
from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.srdf import SrdfSource, read_srdf
from editor_app.formats.urdf import UrdfSource, read_urdf
from editor_app.formats.xml import NewElement, XmlElement, apply_splices, delete_element, parse_xml
from editor_app.formats.xml.splices import render
from editor_app.formats.xrdf import read_xrdf
from editor_app.formats.xrdf.read import XrdfSource
from editor_app.model.frozen import FrozenDict
from editor_app.model.sensors import Sensor
from editor_app.model.urdf import (
    Collision,
    Geometry,
    Inertial,
    Joint,
    JointType,
    Limit,
    Link,
    Mesh,
    Origin,
    Urdf,
    Visual,
)

#: Of lengths and angles: far above the noise of the ways there and back, far below what anyone would change.
TOLERANCE = 1e-8
T = TypeVar("T", Link, Joint)
Slots = Mapping[tuple[str, str], list[int | None]]


@dataclass(frozen=True, eq=False)
class Embedded:
    """`unwritten` are shapes (link, kind, number) whose mesh was not there.

    `written` are the sensors that COLLADA says as well, their number in the URDF -> name; `borrowed` are those that
    stand in extensions of the URDF.
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
    parts = [NewElement(tag, text=text) for tag, text in (("urdf", urdf), ("srdf", srdf), ("xrdf", xrdf)) if text]
    parts += [
        NewElement("unwritten", (("link", link), ("kind", kind), ("number", str(number))))
        for link, kind, number in unwritten
    ]
    parts += [NewElement("written", (("sensor", name), ("number", str(i)))) for i, name in written.items()]
    parts += [NewElement("borrowed", (("sensor", name),)) for name in borrowed]
    parts += [NewElement("invented", (("joint", joint), ("limit", limit))) for joint, limit in invented]
    return NewElement(
        "extra",
        (("type", OWN_PROFILE),),
        (NewElement("technique", (("profile", OWN_PROFILE),), tuple(parts)),),
    )


def read_embedded(root: XmlElement) -> Embedded:
    """Nothing of it for a file of another program, or when it cannot be read any more."""
    inside = next((t for e in root.all("extra") for t in e.all("technique") if t.get("profile") == OWN_PROFILE), None)
    if inside is None:
        return Embedded()

    def source(tag: str) -> SourceText | None:
        found = inside.child(tag) if inside is not None else None
        return SourceText.from_text("".join(found.chunks)) if found is not None else None

    urdf, srdf, xrdf = source("urdf"), source("srdf"), source("xrdf")
    unwritten = {
        (e.get("link") or "", e.get("kind") or "", int(e.get("number") or 0))
        for e in inside.all("unwritten")
        if (e.get("number") or "0").isdecimal()
    }
    try:
        return Embedded(
            read_urdf(urdf) if urdf is not None else None,
            read_srdf(srdf) if srdf is not None else None,
            read_xrdf(xrdf) if xrdf is not None else None,
            frozenset(unwritten),
            FrozenDict(
                (int(e.get("number") or 0), e.get("sensor") or "")
                for e in inside.all("written")
                if (e.get("number") or "").isdecimal()
            ),
            frozenset(e.get("sensor") or "" for e in inside.all("borrowed")),
            frozenset((e.get("joint") or "", e.get("limit") or "") for e in inside.all("invented")),
        )
    except FormatError:
        return Embedded()


def own_of(urdf: Urdf) -> Own:
    """What reading the shapes has to know of the embedded URDF."""
    origins = {}
    bare = set()
    for link in urdf.links:
        for number, collision in enumerate(link.collisions):
            origins[link.name, "collision", number] = collision.origin
        for number, visual in enumerate(link.visuals):
            if visual.material is None and isinstance(visual.geometry, Mesh):
                bare.add((link.name, number))
    return Own(origins, frozenset(bare), True)


def without_kept(source: SourceText) -> str:
    """The text of a URDF without what is kept of COLLADA, which is written in its own place."""
    document = parse_xml(source)
    splices = [s for e in document.root.all(EXTRA) for s in delete_element(document, e)]
    return apply_splices(source.text, splices)


def reconciled(own: Urdf, found: Urdf, slots: Slots, embedded: Embedded) -> Urdf:
    """`own` where `found` says the same, `found` where it does not."""
    links = {link.name: link for link in own.links}
    joints = {joint.name: joint for joint in own.joints}
    made = [
        _link(links[x.name], x, own, slots, embedded.unwritten) if x.name in links else x
        for x in _ordered(found.links, links)
    ]
    turned = [_joint(joints[j.name], j, joints) if j.name in joints else j for j in _ordered(found.joints, joints)]
    sensors = _sensors(own.sensors, [s for s in found.sensors if s.name not in embedded.borrowed], embedded.written)
    extensions = tuple(e for e in own.extensions if e.tag != EXTRA)
    return replace(
        own,
        name=own.name or found.name,
        links=tuple(made),
        joints=tuple(turned),
        sensors=tuple(sensors),
        extensions=extensions,
    )


def _ordered(found: Iterable[T], own: Mapping[str, T]) -> list[T]:
    """In the order of `own`, what is new behind it."""
    place = {name: i for i, name in enumerate(own)}
    return sorted(found, key=lambda x: place.get(x.name, len(place)))


def _link(own: Link, found: Link, urdf: Urdf, slots: Slots, unwritten: frozenset[tuple[str, str, int]]) -> Link:
    visuals: list[Visual] = []
    collisions: list[Collision] = []
    numbers = slots.get((own.name, "visual"), [])
    for i, visual in enumerate(own.visuals):
        if (own.name, "visual", i) in unwritten:
            visuals.append(visual)
        elif i in numbers:
            visuals.append(_visual(visual, found.visuals[numbers.index(i)], urdf))
    new = (v for v, n in zip(found.visuals, numbers, strict=True) if n is None or n >= len(own.visuals))
    visuals += new
    numbers = slots.get((own.name, "collision"), [])
    for i, collision in enumerate(own.collisions):
        if (own.name, "collision", i) in unwritten:
            collisions.append(collision)
        elif i in numbers:
            other = found.collisions[numbers.index(i)]
            shape, origin = _shape(collision.geometry, other.geometry), _origin(collision.origin, other.origin)
            collisions.append(replace(collision, geometry=shape, origin=origin))
    collisions += (c for c, n in zip(found.collisions, numbers, strict=True) if n is None or n >= len(own.collisions))
    same = _same_inertial(own.inertial, found.inertial)
    return replace(
        own,
        visuals=tuple(visuals),
        collisions=tuple(collisions),
        inertial=own.inertial if same else found.inertial,
    )


def _visual(own: Visual, found: Visual, urdf: Urdf) -> Visual:
    rgba = colour_of(own, urdf)
    seen = found.material.rgba if found.material is not None else None
    # A colour may be that of the mesh, which URDF overrides only where it has one.
    same = rgba == seen or (rgba is not None and seen is not None and _close(rgba, seen))
    return replace(
        own,
        geometry=_shape(own.geometry, found.geometry),
        origin=_origin(own.origin, found.origin),
        material=own.material if same or (rgba is None and own.material is not None) else found.material,
    )


def colour_of(visual: Visual, urdf: Urdf) -> tuple[float, float, float, float] | None:
    """Of its material, wherever that is defined."""
    if visual.material is None:
        return None
    if visual.material.rgba is not None:
        return visual.material.rgba
    defined = urdf.material(visual.material.name)
    return defined.rgba if defined is not None else None


def _shape(own: Geometry, found: Geometry) -> Geometry:
    if isinstance(own, Mesh) or type(own) is not type(found):
        return found
    names = own.__dataclass_fields__
    mine = np.ravel([getattr(own, n) for n in names])
    return own if _close(mine, np.ravel([getattr(found, n) for n in names])) else found


def _origin(own: Origin, found: Origin) -> Origin:
    return own if bool(np.allclose(matrix_of(own), matrix_of(found), rtol=0, atol=TOLERANCE)) else found


def _close(a: object, b: object) -> bool:
    return bool(np.allclose(a, b, rtol=TOLERANCE, atol=TOLERANCE))  # type: ignore[arg-type]


def tensor(inertial: Inertial) -> np.ndarray:
    """(3, 3) about the centre of mass, in the axes of the link."""
    ixx, ixy, ixz, iyy, iyz, izz = inertial.inertia
    turn = matrix_of(inertial.origin)[:3, :3]
    result: np.ndarray = turn @ np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]]) @ turn.T
    return result


def _same_inertial(own: Inertial | None, found: Inertial | None) -> bool:
    if own is None or found is None:
        return own is found
    a, b = tensor(own), tensor(found)
    size = max(float(np.abs(a).max()), 1e-300)
    return (
        _close(own.mass, found.mass)
        and _close(own.origin.xyz, found.origin.xyz)
        and bool(np.abs(a - b).max() <= 1e-7 * size + 1e-15)
    )


def _joint(own: Joint, found: Joint, joints: Mapping[str, Joint]) -> Joint:
    new = replace(own, parent=found.parent, child=found.child, origin=_origin(own.origin, found.origin))
    if written_type(own) != found.type:
        return replace(found, origin=new.origin)
    if not found.is_movable:
        return new
    if not _close(own.axis, found.axis):
        new = replace(new, axis=found.axis)
    mine, theirs = own.position_limits, found.position_limits
    limit = own.limit
    if mine is not None and theirs is not None and all(map(math.isfinite, mine)) and not _close(mine, theirs):
        limit = replace(limit or Limit(), lower=theirs[0], upper=theirs[1])
    speed = (own.limit.velocity if own.limit is not None else None) or 0.0
    now = found.limit.velocity if found.limit is not None else None
    # What COLLADA does not say, it does not contradict.
    if now is not None and math.isfinite(speed) and not _close(speed, now):
        limit = replace(limit or Limit(), velocity=now)
    new = replace(new, limit=limit)
    a, b = own.mimic, found.mimic
    if a is not None and a.joint not in joints:
        # Nothing to follow, and nothing that a formula could say.
        return new
    if a is None or b is None or a.joint != b.joint or not _close((a.multiplier, a.offset), (b.multiplier, b.offset)):
        new = replace(new, mimic=b)
    return new


def written_type(joint: Joint) -> JointType:
    """What a joint is in COLLADA, which has fewer kinds, and no infinite limits."""
    if joint.type in (JointType.FLOATING, JointType.PLANAR) or not any(joint.axis):
        return JointType.FIXED
    limits = joint.position_limits
    if limits == (0.0, 0.0) and joint.mimic is None and joint.type in (JointType.REVOLUTE, JointType.PRISMATIC):
        return JointType.FIXED
    if joint.type == JointType.REVOLUTE and limits is not None and not all(map(math.isfinite, limits)):
        return JointType.CONTINUOUS
    return joint.type


# -- sensors


def _sensors(own: Iterable[Sensor], found: Iterable[Sensor], written: Mapping[int, str]) -> list[Sensor]:
    left = {s.name: s for s in found}
    made = []
    for number, sensor in enumerate(own):
        if number not in written:
            # COLLADA has no words for it.
            made.append(sensor)
            continue
        other = left.pop(written[number], None)
        if other is None:
            continue
        same = projected(sensor) == _rounded(other)
        place = other.parent == sensor.parent
        origin = _origin(sensor.origin, other.origin)
        made.append(replace(sensor, origin=origin) if same and place else other)
    return [*made, *left.values()]


def projected(sensor: Sensor) -> Sensor:
    """What COLLADA can say of a sensor, without its name, place and id, its numbers rounded."""
    document = parse_xml(SourceText.from_text(render(sensor_element(sensor, "x"))))
    return _rounded(read_sensor(document.root, 1.0))


def _rounded(sensor: Sensor) -> Sensor:
    document = parse_xml(SourceText.from_text(render(_rounded_element(sensor_element(sensor, "x")))))
    return read_sensor(document.root, 1.0)


def _rounded_element(element: NewElement) -> NewElement:
    try:
        text = " ".join(f"{float(v):.9g}" for v in element.text.split())
    except ValueError:
        text = element.text
    return replace(element, text=text, children=tuple(map(_rounded_element, element.children)))
