"""Model -> text without loss: what differs from the URDF as read is spliced into the text as
read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from editor_app.core.formats.urdf.reader import UrdfSource, read_urdf
from editor_app.core.formats.urdf.sensors import sensor_element, sensor_items
from editor_app.core.model.findings import Location
from editor_app.core.model.lineage import AS_READ, Lineage, Trace, traced_items
from editor_app.core.model.origin import IDENTITY, Origin
from editor_app.core.model.references import change_at
from editor_app.core.model.urdf import (
    Ball,
    Box,
    Calibration,
    Capsule,
    Collision,
    Cylinder,
    Dynamics,
    Extension,
    Geometry,
    Inertial,
    Joint,
    JointType,
    Limit,
    Link,
    Material,
    Mesh,
    Mimic,
    Proximity,
    SafetyController,
    Transmission,
    Urdf,
    Visual,
)
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.splices import apply_splices
from editor_app.core.text.xml.document import XmlElement
from editor_app.core.text.xml.morph import (
    Wanted,
    format_document,
    format_xml_number,
    format_xml_numbers,
    morph,
)

Shape = Box | Ball | Cylinder | Capsule
_SHAPES = {Box: "box", Ball: "sphere", Cylinder: "cylinder", Capsule: "capsule"}
_JOINT_PARTS = ("limit", "mimic", "dynamics", "safety_controller", "calibration")
_EXTENSIONS = "extensions.* links.*.extensions.* joints.*.extensions.*"
_INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
#: What the prefix of Drake's elements stands for. Drake reads the prefix alone, XML wants it
#: explained.
DRAKE = "xmlns:drake"
DRAKE_URI = "http://drake.mit.edu"


def urdf_element(
    urdf: Urdf, *, verbatim: bool = False, drake: str | None = None, trace: Trace = AS_READ
) -> Wanted:
    """`<robot>`; the version is absent for 1.0. With `verbatim`, embedded elements are their text,
    else their names.

    `drake`: what the file says that the prefix of Drake's elements stands for. `trace` says which
    parts of the URDF as read these are.
    """
    items = [
        replace(material_element(each), key=t.origin)
        for each, t in traced_items(urdf.materials, trace, "materials")
    ]
    items += [
        link_element(link, of_link, verbatim=verbatim)
        for link, of_link in traced_items(urdf.links, trace, "links")
    ]
    items += [
        joint_element(each, of_joint, verbatim=verbatim)
        for each, of_joint in traced_items(urdf.joints, trace, "joints")
    ]
    items += [
        _transmission(each, traced, verbatim)
        for each, traced in traced_items(urdf.transmissions, trace, "transmissions")
    ]
    items += [
        _extension(each, traced, verbatim)
        for each, traced in traced_items(urdf.extensions, trace, "extensions")
    ]
    version = None if urdf.version == "1.0" else urdf.version
    if drake is None and any(shape.proximity for link in urdf.links for shape in link.collisions):
        drake = DRAKE_URI
    return Wanted(
        "robot", (("name", urdf.name), ("version", version), (DRAKE, drake)), items=tuple(items)
    )


def link_element(link: Link, trace: Trace = AS_READ, *, verbatim: bool = False) -> Wanted:
    parts = () if link.inertial is None else (_inertial(link.inertial),)
    items = [
        _visual(visual, traced) for visual, traced in traced_items(link.visuals, trace, "visuals")
    ]
    items += [
        _collision(each, traced)
        for each, traced in traced_items(link.collisions, trace, "collisions")
    ]
    items += [
        _extension(each, traced, verbatim)
        for each, traced in traced_items(link.extensions, trace, "extensions")
    ]
    return Wanted("link", (("name", link.name),), parts, tuple(items), key=trace.origin)


def joint_element(joint: Joint, trace: Trace = AS_READ, *, verbatim: bool = False) -> Wanted:
    parts = [
        _origin(joint.origin),
        Wanted("parent", (("link", joint.parent),)),
        Wanted("child", (("link", joint.child),)),
    ]
    if joint.type not in (JointType.FIXED, JointType.FLOATING):
        axis = (("xyz", format_xml_numbers(joint.axis)),)
        parts.append(Wanted("axis", axis, implied=joint.axis == (1.0, 0.0, 0.0)))
    numbers = (joint.limit, joint.mimic, joint.dynamics, joint.safety, joint.calibration)
    parts += [
        _numbers(tag, part)
        for tag, part in zip(_JOINT_PARTS, numbers, strict=True)
        if part is not None
    ]
    extensions = [
        _extension(each, traced, verbatim)
        for each, traced in traced_items(joint.extensions, trace, "extensions")
    ]
    attributes_of_joint = (("name", joint.name), ("type", str(joint.type)))
    return Wanted("joint", attributes_of_joint, tuple(parts), tuple(extensions), key=trace.origin)


def material_element(material: Material) -> Wanted:
    parts = []
    if material.rgba is not None:
        parts.append(Wanted("color", (("rgba", format_xml_numbers(material.rgba)),)))
    if material.texture is not None:
        parts.append(Wanted("texture", (("filename", material.texture),)))
    return Wanted("material", (("name", material.name),), tuple(parts))


def _visual(visual: Visual, trace: Trace) -> Wanted:
    parts = [_origin(visual.origin), _geometry(visual.geometry)]
    if visual.material is not None:
        parts.append(material_element(visual.material))
    return Wanted("visual", (("name", visual.name),), tuple(parts), key=trace.origin)


def _collision(collision: Collision, trace: Trace) -> Wanted:
    parts = [_origin(collision.origin), _geometry(collision.geometry)]
    if collision.proximity is not None:
        parts.append(proximity_element(collision.proximity))
    return Wanted("collision", (("name", collision.name),), tuple(parts), key=trace.origin)


def proximity_element(proximity: Proximity) -> Wanted:
    """Drake's element in a `<collision>`."""
    kind = proximity.hydroelastic
    parts = [] if kind is None else [Wanted(f"drake:{kind}_hydroelastic")]
    for name in list(Proximity.__dataclass_fields__)[1:]:
        value = getattr(proximity, name)
        if value is not None:
            parts.append(Wanted(f"drake:{name}", (("value", format_xml_number(value)),)))
    return Wanted("drake:proximity_properties", parts=tuple(parts))


def _inertial(inertial: Inertial) -> Wanted:
    inertia = tuple(
        (name, format_xml_number(v)) for name, v in zip(_INERTIA, inertial.inertia, strict=True)
    )
    mass = Wanted("mass", (("value", format_xml_number(inertial.mass)),))
    return Wanted("inertial", parts=(_origin(inertial.origin), mass, Wanted("inertia", inertia)))


def _origin(origin: Origin) -> Wanted:
    rotation: tuple[tuple[str, str | None], ...] = (("rpy", format_xml_numbers(origin.rpy)),)
    if origin.quat_xyzw is not None:
        # With both, urdfdom refuses the file.
        rotation = (("rpy", None), ("quat_xyzw", format_xml_numbers(origin.quat_xyzw)))
    return Wanted(
        "origin", (("xyz", format_xml_numbers(origin.xyz)), *rotation), implied=origin == IDENTITY
    )


def _geometry(geometry: Geometry) -> Wanted:
    if not isinstance(geometry, Mesh):
        shape = _numbers(_SHAPES[type(geometry)], geometry)
    else:
        # Unit scale is what absence means; an element that has it keeps it, since nothing changes
        # then.
        scale = None if geometry.scale == (1.0, 1.0, 1.0) else format_xml_numbers(geometry.scale)
        shape = Wanted("mesh", (("filename", geometry.filename), ("scale", scale)))
    return Wanted("geometry", parts=(shape,))


def _numbers(
    tag: str, value: Limit | Mimic | Dynamics | SafetyController | Calibration | Shape
) -> Wanted:
    """An element whose attributes are called as the fields of a value."""
    pairs = ((name, getattr(value, name)) for name in value.__dataclass_fields__)
    return Wanted(tag, tuple((name, _attribute(inner)) for name, inner in pairs))


def _attribute(value: str | float | tuple[float, ...] | None) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return format_xml_numbers(value) if isinstance(value, tuple) else format_xml_number(value)


def _transmission(transmission: Transmission, trace: Trace, verbatim: bool) -> Wanted:
    joints = [
        Wanted("joint", (("name", name),), key=t.origin)
        for name, t in traced_items(transmission.joints, trace, "joints")
    ]
    text = transmission.text if verbatim else None
    attributes = (("name", transmission.name),)
    return Wanted("transmission", attributes, items=tuple(joints), key=trace.origin, verbatim=text)


def _extension(extension: Extension, trace: Trace, verbatim: bool) -> Wanted:
    text = extension.text if verbatim else None
    return Wanted(
        extension.tag, (("reference", extension.reference),), key=trace.origin, verbatim=text
    )


#: What an edit uncovers (an axis that a fixed joint had in vain) is seen only when the result is
#: read.
_ROUNDS = 3


@dataclass(frozen=True, eq=False)
class UrdfPatch:
    """`text` is to be saved; `notes` say what the user should look at."""

    text: str
    notes: tuple[str, ...]
    written: UrdfSource


def patch_urdf(source: UrdfSource, urdf: Urdf, lineage: Lineage[Urdf] | None = None) -> UrdfPatch:
    """The text of `source` with what differs in `urdf` written into it; the result was read again
    and compared.

    `lineage` says which elements are which; without one, the two models are compared. Embedded
    extensions and transmissions stay as they are but for their text, where that was changed as a
    whole, and the names that they refer to. Raises FormatError for a model that cannot be written,
    or that needs a newer URDF version than the file states.
    """
    if urdf is source.value or urdf == source.value:
        return UrdfPatch(source.source.text, (), source)
    now = source
    place = source.document.location(source.document.root)
    for turn in range(_ROUNDS):
        try:
            # The texts of embedded elements first; names that were changed after them then.
            now = _once(now, urdf, lineage, verbatim=turn == 0)
        except ValueError as error:
            raise FormatError(f"The change cannot be written as URDF: {error}", place) from None
        if _comparable(now.value) == _comparable(urdf):
            return UrdfPatch(now.source.text, _notes(source.value, urdf, now), now)
    names = _differences(now.value, urdf)
    remedy = "Numbers must be finite and names not empty."
    if source.value.version in ("1.0", "1.1"):
        remedy += (
            " quat_xyzw and capsules need version 1.1; acceleration, deceleration and jerk 1.2."
        )
    raise FormatError(
        f"The change of {names} cannot be written as URDF {source.value.version}", place, remedy
    )


def urdf_text(urdf: Urdf) -> str:
    """A whole file for a model, without embedded extensions. Raises FormatError."""
    bare = change_at(urdf, f"transmissions.* {_EXTENSIONS}", lambda _: None)
    try:
        robot = urdf_element(bare).element()
        text = format_document(
            replace(robot, children=(*robot.children, *map(sensor_element, bare.sensors)))
        )
    except ValueError as error:
        raise FormatError(
            f"It cannot be written as URDF: {error}", Location("<new URDF>")
        ) from None
    written = read_urdf(SourceText.from_text(text)).value
    if written != bare:
        raise FormatError(
            f"{_differences(written, bare)} cannot be written as URDF", Location("<new URDF>")
        )
    return text


def _once(
    source: UrdfSource, urdf: Urdf, lineage: Lineage[Urdf] | None, *, verbatim: bool
) -> UrdfSource:
    root = source.document.root
    links = {id(e.link): e for e in source.link_elements}

    def items(parent: XmlElement, tag: str) -> Sequence[XmlElement]:
        if parent is root and tag == "link":
            return [e.link for e in source.link_elements]
        if id(parent) in links and tag in ("visual", "collision"):
            elements = links[id(parent)]
            return elements.visuals if tag == "visual" else elements.collisions
        return parent.all(tag)

    drake = root.get(DRAKE)
    trace = Lineage.between(source.value, urdf, lineage).settled()
    old = urdf_element(source.value, verbatim=verbatim, drake=drake)
    new = urdf_element(urdf, verbatim=verbatim, drake=drake, trace=trace)
    sensors = sensor_items(
        urdf.sensors,
        source.value.sensors,
        trace.child("sensors"),
        source.document,
        source.sensor_elements,
    )
    old, new = (
        replace(w, items=(*w.items, *robot_sensors))
        for w, robot_sensors in zip((old, new), sensors, strict=True)
    )
    splices = morph(source.document, root, old, new, items, keys_are_paths=trace.has_moves)
    return read_urdf(source.source.with_text(apply_splices(source.source.text, splices)))


def _comparable(urdf: Urdf) -> Urdf:
    """Without the verbatim text of extensions, which holds the names that were changed in it."""

    return change_at(
        urdf, f"transmissions.* {_EXTENSIONS}", lambda element: replace(element, text="")
    )


def _differences(a: Urdf, b: Urdf) -> str:
    a, b = _comparable(a), _comparable(b)
    names = [n for n in Urdf.__dataclass_fields__ if getattr(a, n) != getattr(b, n)]
    if names in (["links"], ["joints"]):
        pairs = zip(getattr(a, names[0]), getattr(b, names[0]), strict=False)
        names = [f"{names[0][:-1]} {new.name!r}" for old, new in pairs if old != new][:3] or names
    return ", ".join(names)


def _notes(old: Urdf, new: Urdf, written: UrdfSource) -> tuple[str, ...]:
    """Old names of what was renamed that still stand in embedded text, which no editor can be sure
    about."""
    gone = _names(old) - _names(new)
    notes = []
    for element in (*written.extension_elements, *written.transmission_elements):
        text = written.document.text_of(element)
        for name in sorted(
            n for n in gone if n and re.search(rf"(?<![\w-]){re.escape(n)}(?![\w-])", text)
        ):
            place = written.document.location(element)
            notes.append(f"{place}: <{element.tag}> still contains {name!r}")
    return tuple(notes)


def _names(urdf: Urdf) -> set[str]:
    return {link.name for link in urdf.links} | {joint.name for joint in urdf.joints}
