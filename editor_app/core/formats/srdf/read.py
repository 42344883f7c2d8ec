"""SRDF text -> model, tolerantly: what cannot be understood stays in the text and becomes a
finding.

SRDF001 E a required attribute is missing: the element is left out
SRDF002 E a value is not a number, or a vector has the wrong length: the element is left out
SRDF003 W two elements for the same thing: the first is used
SRDF004 W a tool centre point has both wxyz and rpy: wxyz is used
SRDF005 I an element that neither MoveIt nor Tesseract defines; it is kept
SRDF006 W the same pair is disabled twice
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from editor_app.core.formats.file_part import FilePart
from editor_app.core.formats.misnamed_files import refuse_xrdf
from editor_app.core.model.findings import Finding, FindingSubject, Location, Severity
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.srdf import (
    CollisionMargins,
    CollisionPair,
    EndEffector,
    Group,
    GroupState,
    JointProperty,
    PairMargin,
    Srdf,
    ToolCenterPoint,
    VirtualJoint,
)
from editor_app.core.model.xrdf import CollisionSphere, LinkPair
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.xml.document import XmlDocument, XmlElement, numbers_in, parse_xml

T = TypeVar("T")
#: Elements that name a file of configuration, of Tesseract.
CONFIGS = (
    "kinematics_plugin_config",
    "contact_managers_plugin_config",
    "calibration_config",
    "task_composer_plugin_config",
)
#: Element -> its attributes that must be there and those that may, in the order of the fields of
#: what it says.
PLAIN: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "end_effector": (("name", "parent_link", "group"), ("parent_group",)),
    "virtual_joint": (("name", "type", "parent_frame", "child_link"), ()),
    "joint_property": (("joint_name", "property_name", "value"), ()),
    "enable_collisions": (("link1", "link2"), ("reason",)),
    "disable_collisions": (("link1", "link2"), ("reason",)),
    "passive_joint": (("name",), ()),
    "disable_default_collisions": (("link",), ()),
}
_GROUPS = ("group", "group_state", "group_tcps", "collision_margins", "link_sphere_approximation")
_ELEMENTS = frozenset((*_GROUPS, *PLAIN, *CONFIGS))
#: Element -> the elements that may be in it.
_INNER_ELEMENTS = {
    "group": ("link", "joint", "chain", "group"),
    "group_state": ("joint",),
    "group_tcps": ("tcp",),
    "collision_margins": ("pair_margin",),
    "link_sphere_approximation": ("sphere",),
}


class _Unreadable(Exception):
    """An element that was reported and is left out of the model."""


@dataclass(frozen=True, eq=False)
class SrdfSource(FilePart[Srdf]):
    """A file as read. `left_out` holds the elements that are in the text but not in the model."""

    document: XmlDocument
    left_out: frozenset[int]
    kind = "srdf"

    def items(self, parent: XmlElement, tag: str) -> list[XmlElement]:
        """The children of that tag that are in the model."""
        return [child for child in parent.all(tag) if id(child) not in self.left_out]

    def location(self, tag: str, name: str) -> Location | None:
        """Return the location of the element of that tag and name (or link, joint, group)."""
        for element in self.document.root.walk():
            if element.tag == tag and name in (
                element.get("name"),
                element.get("link"),
                element.get("group"),
            ):
                return self.document.location(element)
        return None


def read_srdf(source: SourceText) -> SrdfSource:
    """Raises FormatError with file, line and remedy when it is no well-formed XML, or no SRDF."""
    refuse_xrdf(source, "an SRDF", "Open the SRDF of the robot.")
    document = parse_xml(source)
    root = document.root
    if root.tag != "robot":
        raise FormatError(
            f"The root element is <{root.tag}>; an SRDF needs <robot>", document.location(root)
        )
    if root.child("link") is not None or (
        root.child("joint") is not None and root.child("group") is None
    ):
        raise FormatError(
            "This is a URDF file, not an SRDF",
            document.location(root),
            "Open it as the robot, together with the SRDF.",
        )
    reader = _Reader(document)
    srdf = reader.read(root)
    findings = sorted((*document.tolerated, *reader.findings), key=lambda finding: finding.place)
    return SrdfSource(source, srdf, tuple(findings), document, frozenset(reader.left_out))


class _Reader:
    def __init__(self, document: XmlDocument) -> None:
        self.document = document
        self.findings: list[Finding] = []
        self.left_out: set[int] = set()

    def read(self, root: XmlElement) -> Srdf:
        for child in root.children:
            if child.tag not in _ELEMENTS:
                message = f"<{child.tag}> is not a known element here; it is kept unchanged"
                self._add("SRDF005", Severity.INFO, message, child, lost=self._named(child))
                continue
            for part in child.children:
                if part.tag not in _INNER_ELEMENTS.get(child.tag, ()):
                    message = (
                        f"MoveIt and Tesseract ignore <{part.tag}> in <{child.tag}>; it is kept "
                        "unchanged"
                    )
                    self._add("SRDF005", Severity.INFO, message, part, lost=self._named(part))
        return Srdf(
            name=root.get("name") or "",
            version=root.get("version"),
            groups=self._all(root, "group", self._group),
            states=self._all(root, "group_state", self._state),
            tcps=tuple(tcp for block in self._all(root, "group_tcps", self._tcps) for tcp in block),
            end_effectors=self._plain(root, "end_effector", EndEffector),
            virtual_joints=self._plain(root, "virtual_joint", VirtualJoint),
            passive_joints=self._plain(root, "passive_joint", str),
            disabled_pairs=self._disabled(root),
            enabled_pairs=self._plain(root, "enable_collisions", CollisionPair),
            default_disabled_links=self._plain(root, "disable_default_collisions", str),
            margins=next(iter(self._first(root, "collision_margins", self._margins)), None),
            sphere_approximations=self._spheres(root),
            configs=FrozenDict(
                {
                    tag: name
                    for tag in CONFIGS
                    for name in self._first(root, tag, lambda e: self._text(e, "filename"))
                }
            ),
            joint_properties=self._plain(root, "joint_property", JointProperty),
        )

    # ------------------------------------------------------------------------------------------ the
    # elements

    def _group(self, element: XmlElement) -> Group:
        return Group(
            self._text(element, "name"),
            self._all(
                element, "chain", lambda e: (self._text(e, "base_link"), self._text(e, "tip_link"))
            ),
            self._all(element, "joint", lambda e: self._text(e, "name")),
            self._all(element, "link", lambda e: self._text(e, "name")),
            self._all(element, "group", lambda e: self._text(e, "name")),
        )

    def _state(self, element: XmlElement) -> GroupState:
        positions: dict[str, tuple[float, ...]] = {}
        for joint in element.all("joint"):
            try:
                name, values = self._text(joint, "name"), self._numbers(joint, "value")
            except _Unreadable:
                continue
            if name in positions:
                title = f"joint {name!r} appears twice in the state {element.get('name')!r}"
                message = (
                    f"{title}: MoveIt uses neither value, Tesseract the last; this program uses "
                    "the first"
                )
                self._leave_out("SRDF003", message, joint, Severity.ERROR)
            else:
                positions[name] = values
        return GroupState(
            self._text(element, "name"), self._text(element, "group"), FrozenDict(positions)
        )

    def _tcps(self, element: XmlElement) -> tuple[ToolCenterPoint, ...]:
        group = self._text(element, "group")

        def tcp(e: XmlElement) -> ToolCenterPoint:
            xyz = self._numbers(e, "xyz", 3)
            wxyz = self._numbers(e, "wxyz", 4) if e.get("wxyz") is not None else None
            rpy = self._numbers(e, "rpy", 3) if e.get("rpy") is not None else None
            if wxyz is not None and rpy is not None:
                self._add(
                    "SRDF004", Severity.WARNING, "both wxyz and rpy are given; wxyz is used", e
                )
            return ToolCenterPoint(
                self._text(e, "name"),
                group,
                (xyz[0], xyz[1], xyz[2]),
                (wxyz[0], wxyz[1], wxyz[2], wxyz[3]) if wxyz is not None else None,
                (rpy[0], rpy[1], rpy[2]) if rpy is not None else None,
            )

        return self._all(element, "tcp", tcp)

    def _plain(self, root: XmlElement, tag: str, kind: Callable[..., T]) -> tuple[T, ...]:
        needed, optional = PLAIN[tag]
        return self._all(
            root, tag, lambda e: kind(*(self._text(e, n) for n in needed), *map(e.get, optional))
        )

    def _disabled(self, root: XmlElement) -> tuple[CollisionPair, ...]:
        pairs = self._plain(root, "disable_collisions", CollisionPair)
        seen: set[LinkPair] = set()
        elements = [e for e in root.all("disable_collisions") if id(e) not in self.left_out]
        for pair, element in zip(pairs, elements, strict=True):
            if pair.pair in seen:
                message = f"{pair.link1!r} and {pair.link2!r} are already disabled"
                self._add(
                    "SRDF006", Severity.WARNING, message, element, links=(pair.link1, pair.link2)
                )
            seen.add(pair.pair)
        return pairs

    def _margins(self, element: XmlElement) -> CollisionMargins:
        default = (
            self._numbers(element, "default_margin", 1)[0]
            if element.get("default_margin") is not None
            else 0.0
        )
        pairs = self._all(
            element,
            "pair_margin",
            lambda e: PairMargin(
                self._text(e, "link1"), self._text(e, "link2"), self._numbers(e, "margin", 1)[0]
            ),
        )
        return CollisionMargins(default, pairs)

    def _spheres(self, root: XmlElement) -> FrozenDict[str, tuple[CollisionSphere, ...]]:
        def sphere(e: XmlElement) -> CollisionSphere:
            x, y, z = self._numbers(e, "center", 3)
            return CollisionSphere((x, y, z), self._numbers(e, "radius", 1)[0])

        by_link: dict[str, tuple[CollisionSphere, ...]] = {}
        for element in root.all("link_sphere_approximation"):
            try:
                link = self._text(element, "link")
            except _Unreadable:
                continue
            if link in by_link:
                self._leave_out(
                    "SRDF003",
                    f"link {link!r} already has spheres; these are ignored",
                    element,
                    Severity.WARNING,
                )
            else:
                by_link[link] = self._all(element, "sphere", sphere)
        return FrozenDict(by_link)

    # ------------------------------------------------------------------------------------------
    # tools

    def _all(self, parent: XmlElement, tag: str, read: Callable[[XmlElement], T]) -> tuple[T, ...]:
        items: list[T] = []
        for element in parent.all(tag):
            try:
                items.append(read(element))
            except _Unreadable:
                # What was wrong is reported already, perhaps of a child; it is the element that is
                # left out.
                self.left_out.add(id(element))
        return tuple(items)

    def _first(
        self, parent: XmlElement, tag: str, read: Callable[[XmlElement], T]
    ) -> tuple[T, ...]:
        elements = parent.all(tag)
        for extra in elements[1:]:
            self._leave_out("SRDF003", f"a second <{tag}> is ignored", extra, Severity.WARNING)
        if not elements:
            return ()
        try:
            return (read(elements[0]),)
        except _Unreadable:
            return ()

    def _text(self, element: XmlElement, name: str) -> str:
        value = element.get(name)
        if not value:
            self._leave_out(
                "SRDF001", f"<{element.tag}> lacks the attribute {name}; it is ignored", element
            )
            raise _Unreadable
        return value

    def _numbers(
        self, element: XmlElement, name: str, count: int | None = None
    ) -> tuple[float, ...]:
        text = self._text(element, name)
        values = numbers_in(text)
        if not values or (count is not None and len(values) != count):
            needed = (
                "numbers" if count is None else "a number" if count == 1 else f"{count} numbers"
            )
            message = f"<{element.tag} {name}={text!r}>: {needed} needed; it is ignored"
            self._leave_out("SRDF002", message, element)
            raise _Unreadable
        return values

    def _leave_out(
        self, code: str, message: str, element: XmlElement, severity: Severity = Severity.ERROR
    ) -> None:
        self.left_out.add(id(element))
        self._add(code, severity, message, element, lost=self._named(element))

    def _named(self, element: XmlElement) -> str:
        """The element for a report, such as `joint j1 of group_state home`."""
        name = next(filter(None, map(element.get, ("name", "link", "group"))), "")
        parent = element.parent
        within = f" of {self._named(parent)}" if parent not in (None, self.document.root) else ""
        return f"{element.tag} {name}".rstrip() + within

    def _add(
        self,
        code: str,
        severity: Severity,
        message: str,
        element: XmlElement,
        links: Sequence[str] = (),
        lost: str = "",
    ) -> None:
        subject = FindingSubject(links=tuple(links), section="srdf")
        place = self.document.location(element)
        self.findings.append(
            Finding(code, severity, message, location=place, subject=subject, lost=lost)
        )
