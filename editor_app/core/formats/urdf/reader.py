"""The text of a URDF -> the model, with what is wrong with it and where everything stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from editor_app.core.formats.file_part import FilePart
from editor_app.core.formats.misnamed_files import HEAD, refuse_unread_kind, refuse_xrdf
from editor_app.core.formats.urdf.findings import E, FindingCollector, W
from editor_app.core.formats.urdf.links_and_joints import (
    read_inertial,
    read_material,
    read_transmission,
    read_urdf_collision,
    read_urdf_joint,
    read_visual,
)
from editor_app.core.formats.urdf.sensors import check_sensors, read_sensor
from editor_app.core.formats.urdf.values import Values
from editor_app.core.model.findings import Location
from editor_app.core.model.urdf import Collision, Extension, Link, Urdf, Visual
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.xml.document import XmlDocument, XmlElement, parse_xml

_MODELLED = frozenset({"link", "joint", "material", "transmission", "sensor"})
_LINK_CHILDREN = ("inertial", "visual", "collision")
_VERSION = re.compile(r"(\d+)\.(\d+)\Z", re.ASCII)


@dataclass(frozen=True, slots=True, eq=False)
class LinkElements:
    """A link's element, and the elements of its visuals and collisions in the order of the
    model."""

    link: XmlElement
    visuals: tuple[XmlElement, ...]
    collisions: tuple[XmlElement, ...]
    inertial: XmlElement | None


@dataclass(frozen=True, eq=False)
class UrdfSource(FilePart[Urdf]):
    """A URDF as it was read.

    `link_elements`, `joint_elements`, … run parallel to `value.links`, `value.joints`, …: elements
    that the reader left out of the model are in none of them.
    """

    document: XmlDocument
    link_elements: tuple[LinkElements, ...]
    joint_elements: tuple[XmlElement, ...]
    material_elements: tuple[XmlElement, ...]
    transmission_elements: tuple[XmlElement, ...]
    extension_elements: tuple[XmlElement, ...]
    sensor_elements: tuple[XmlElement, ...] = ()
    kind = "urdf"

    def link_location(self, name: str) -> Location | None:
        """Return the location of the first link of that name; None without one."""
        elements = self._links_by_name.get(name)
        return None if elements is None else self.document.location(elements.link)

    def joint_location(self, name: str) -> Location | None:
        """Return the location of the first joint of that name; None without one."""
        element = self._joints_by_name.get(name)
        return None if element is None else self.document.location(element)

    def shape_location(self, link: str, kind: str, index: int) -> Location | None:
        """Return the location of a "visual" or "collision" of a link; None if the file lacks it."""
        elements = self._links_by_name.get(link)
        shapes = (
            ()
            if elements is None
            else elements.visuals
            if kind == "visual"
            else elements.collisions
        )
        return (
            self.document.location(shapes[index]) if -len(shapes) <= index < len(shapes) else None
        )

    def inertial_location(self, link: str) -> Location | None:
        """Return the location of the inertial of a link; None without one."""
        elements = self._links_by_name.get(link)
        return (
            None
            if elements is None or elements.inertial is None
            else self.document.location(elements.inertial)
        )

    # Rules ask for the place of every link and joint: the first of a name counts, so it is set
    # last.

    @cached_property
    def _links_by_name(self) -> dict[str, LinkElements]:
        pairs = zip(self.value.links, self.link_elements, strict=True)
        return {link.name: elements for link, elements in reversed([*pairs])}

    @cached_property
    def _joints_by_name(self) -> dict[str, XmlElement]:
        pairs = zip(self.value.joints, self.joint_elements, strict=True)
        return {joint.name: element for joint, element in reversed([*pairs])}


def read_urdf(source: SourceText) -> UrdfSource:
    """Reads URDF 1.0 to 1.2. What is wrong but readable becomes findings (table in `findings.py`).

    Raises FormatError with file, line, column and remedy when it is no well-formed XML or no URDF,
    and its subclass XacroFile when it has to be expanded first.
    """
    # Raises FormatError for what is recognised before it is parsed as XML.
    refuse_unread_kind(Path(source.name), source.text[:HEAD].encode())
    refuse_xrdf(source, "a URDF", "Open the URDF to which it belongs.")
    document = parse_xml(source)
    refuse_other_root(document)
    report = FindingCollector(document)
    root = document.root
    version_text, version = _read_version(report, root)
    values = Values(report, version)
    if root.get("name") is None:
        report.add("URDF001", E, "the robot has no name", root)
    link_elements, joint_elements = root.all("link"), root.all("joint")
    material_elements, transmission_elements = root.all("material"), root.all("transmission")
    extension_elements = [c for c in root.children if c.tag not in _MODELLED]
    sensor_elements = root.all("sensor")
    if not link_elements:
        report.add("URDF002", E, "the robot has no links", root)
    report_leftover_xacro(report, root)
    links = [_read_link(values, element) for element in link_elements]
    report.about()
    materials = tuple(read_material(values, element) for element in material_elements)
    joints = tuple(read_urdf_joint(values, element) for element in joint_elements)
    report.about()
    urdf = Urdf(
        root.get("name") or "",
        version_text,
        tuple(link for link, _ in links),
        joints,
        materials,
        tuple(read_transmission(values, element) for element in transmission_elements),
        tuple(_extension(document, element) for element in extension_elements),
        tuple(read_sensor(element)[0] for element in sensor_elements),
    )
    check_sensors(report, urdf, sensor_elements)
    findings = sorted((*document.tolerated, *report.findings), key=lambda finding: finding.place)
    return UrdfSource(
        source,
        urdf,
        tuple(findings),
        document,
        tuple(elements for _, elements in links),
        tuple(joint_elements),
        tuple(material_elements),
        tuple(transmission_elements),
        tuple(extension_elements),
        tuple(sensor_elements),
    )


def _read_link(values: Values, element: XmlElement) -> tuple[Link, LinkElements]:
    name = element.get("name")
    values.report.about(link=name)
    if not name:
        values.report.add("URDF003", E, "a link has no name", element)
    name = name or ""
    values.report_misspelt(element, attributes=("name", "type"), children=_LINK_CHILDREN)
    inertial_element = values.child(element, "inertial")
    inertial = (
        read_inertial(values, inertial_element, name) if inertial_element is not None else None
    )
    visuals: list[tuple[Visual, XmlElement]] = []
    collisions: list[tuple[Collision, XmlElement]] = []
    for part in element.children:
        if part.tag == "visual" and (visual := read_visual(values, part, name)) is not None:
            visuals.append((visual, part))
        elif (
            part.tag == "collision"
            and (collision := read_urdf_collision(values, part, name)) is not None
        ):
            collisions.append((collision, part))
    extensions = tuple(
        _extension(values.report.document, part)
        for part in element.children
        if part.tag not in _LINK_CHILDREN
    )
    link = Link(
        name, inertial, tuple(v for v, _ in visuals), tuple(c for c, _ in collisions), extensions
    )
    return link, LinkElements(
        element,
        tuple(e for _, e in visuals),
        tuple(e for _, e in collisions),
        inertial_element if inertial is not None else None,
    )


def _extension(document: XmlDocument, element: XmlElement) -> Extension:
    return Extension(element.tag, document.text_of(element), element.get("reference"))


def _read_version(report: FindingCollector, root: XmlElement) -> tuple[str, tuple[int, int]]:
    attribute = root.attribute("version")
    if attribute is None:
        return "1.0", (1, 0)
    text = attribute.value
    match = _VERSION.match(text)
    version = (int(match.group(1)), int(match.group(2))) if match and len(text) < 10 else None
    if version is None or not (1, 0) <= version <= (1, 2):
        report.add(
            "URDF015",
            E,
            f"the URDF version {text!r} is not 1.0, 1.1 or 1.2; it is read as 1.2",
            attribute,
        )
        return text, (1, 2)
    return text, version


_EXPRESSION = re.compile(r"\$\{[^}]*\}|\$\([^)]*\)")


class XacroFile(FormatError):
    """The file is xacro: it must be expanded (which evaluates Python expressions) before it is a
    URDF."""

    def __init__(self, reason: str, location: Location) -> None:
        super().__init__(
            f"This is a xacro file, not a URDF: {reason}",
            location,
            "Open it in the window, or expand it first: xrdf-editor convert FILE ROBOT.urdf "
            "--allow-xacro.",
        )


def refuse_other_root(document: XmlDocument) -> None:
    """Raises FormatError when the root is no `robot`, XacroFile for xacro."""
    root = document.root
    location = document.location(root)
    tag = root.tag.rpartition(":")[2]
    if tag == "COLLADA":
        remedy = "Import it as a COLLADA robot, or open the URDF that uses it as a mesh."
        raise FormatError("This is a COLLADA file", location, remedy)
    if tag != "robot":
        raise FormatError(f"The root element is <{root.tag}>; a URDF needs <robot>", location)
    path = document.source.path
    if path is not None and path.suffix.lower() == ".xacro":
        raise XacroFile("its name ends in .xacro", location)
    commands = [c for c in root.children if c.tag.startswith("xacro:")]
    has_links = any(c.tag == "link" for c in root.children)
    for command in commands:
        if not has_links or command.tag in (
            "xacro:macro",
            "xacro:include",
            "xacro:property",
            "xacro:arg",
        ):
            raise XacroFile(f"it uses <{command.tag}>", document.location(command))
    for part in root.children:
        if part.tag in ("link", "joint", "material"):
            for element in part.walk():
                for attribute in element.attributes:
                    match = _EXPRESSION.search(attribute.value)
                    if match is not None:
                        raise XacroFile(f"it uses {match.group()!r}", document.location(attribute))
    if not has_links and any(
        c.tag in ("group", "disable_collisions", "group_state") for c in root.children
    ):
        raise FormatError(
            "This is an SRDF file, not a URDF", location, "Open the URDF to which it belongs."
        )


def report_leftover_xacro(report: FindingCollector, root: XmlElement) -> None:
    """Expanded files may still hold xacro elements; every reader ignores them."""
    for element in root.children:
        if element.tag.startswith("xacro:"):
            report.add(
                "URDF060", W, f"<{element.tag}> was not expanded by xacro and is ignored", element
            )
