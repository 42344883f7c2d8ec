"""Which attributes of URDF and SRDF name something, and which one stands at a place of a text that is being typed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.sax.saxutils import escape

from editor_app.edit.state import FileKind
from editor_app.model.references import Named
from editor_app.model.robot import RobotDescription
from editor_app.operations.named_things import described

LINK, JOINT, SRDF_GROUP = Named.LINK, Named.JOINT, Named.SRDF_GROUP
#: (element, attribute) -> what it names.
_URDF = {
    ("link", "name"): LINK,
    ("joint", "name"): JOINT,
    ("parent", "link"): LINK,
    ("child", "link"): LINK,
    ("mimic", "joint"): JOINT,
    ("gazebo", "reference"): LINK,
}
_SRDF = {
    ("link", "name"): LINK,
    ("joint", "name"): JOINT,
    ("passive_joint", "name"): JOINT,
    ("chain", "base_link"): LINK,
    ("chain", "tip_link"): LINK,
    ("disable_collisions", "link1"): LINK,
    ("disable_collisions", "link2"): LINK,
    ("enable_collisions", "link1"): LINK,
    ("enable_collisions", "link2"): LINK,
    ("disable_default_collisions", "link"): LINK,
    ("pair_margin", "link1"): LINK,
    ("pair_margin", "link2"): LINK,
    ("link_sphere_approximation", "link"): LINK,
    ("virtual_joint", "child_link"): LINK,
    ("end_effector", "parent_link"): LINK,
    ("end_effector", "group"): SRDF_GROUP,
    ("end_effector", "parent_group"): SRDF_GROUP,
    ("group_state", "group"): SRDF_GROUP,
    ("group_tcps", "group"): SRDF_GROUP,
    ("group", "name"): SRDF_GROUP,
    ("joint_property", "joint_name"): JOINT,
}
#: (file, kind of thing) -> the element that gives it its name.
_DEFINED = {
    (FileKind.URDF, LINK): "link",
    (FileKind.URDF, JOINT): "joint",
    (FileKind.SRDF, SRDF_GROUP): "group",
}
#: Where a thing of the URDF gets its name: nothing is offered there.
_GIVEN = (("link", "name"), ("joint", "name"))


def naming_attributes(kind: FileKind) -> dict[tuple[str, str], Named]:
    """(element, attribute) -> what it names, in a URDF or an SRDF."""
    return _URDF if kind is FileKind.URDF else _SRDF


def naming_attribute(
    text: str, offset: int, kind: FileKind, robot: RobotDescription | None = None
) -> tuple[AttributeSpot, Named, bool] | None:
    """The attribute at an offset, what it names, and whether it gives a thing its name; None where it names nothing.

    With a `robot`, an extension that refers to a joint is told from one that refers to a link.
    """
    spot = attribute_at(text, offset)
    named = naming_attributes(kind).get((spot.element, spot.attribute)) if spot is not None else None
    if spot is None or named is None:
        return None
    if robot is not None and spot.attribute == "reference" and not described(robot, named, spot.value):
        named = JOINT if described(robot, JOINT, spot.value) else named
    return spot, named, kind is FileKind.URDF and (spot.element, spot.attribute) in _GIVEN


def naming_element(text: str, named: Named, name: str, kind: FileKind) -> tuple[int, int] | None:
    """Start and end of a name in the element that gives it to a thing; None where the file has none."""
    given = _DEFINED.get((kind, named))
    if given is None:
        return None
    pattern = rf"<{given}\s[^<>]*?\bname\s*=\s*([\"'])({re.escape(escape(name, {chr(34): '&quot;'}))})\1"
    without_comments = re.sub(r"<!--.*?-->", lambda m: " " * len(m.group()), text, flags=re.DOTALL)
    match = re.search(pattern, without_comments)
    return None if match is None else match.span(2)


_TAG = re.compile(r"<([A-Za-z_][\w.:-]*)")
_OPEN_VALUE = re.compile(r"([A-Za-z_][\w.:-]*)\s*=\s*([\"'])([^\"'<]*)$")
#: No tag of a robot is longer.
_MOST = 4000


@dataclass(frozen=True, slots=True)
class AttributeSpot:
    """The value between its quotes, from `start` to `end`; without its second quote, as far as it goes on its line."""

    element: str
    attribute: str
    value: str
    start: int
    end: int


def attribute_at(text: str, offset: int) -> AttributeSpot | None:
    """The attribute whose value covers an offset, its ends included; None elsewhere, and in comments."""
    begin = text.rfind("<", max(0, offset - _MOST), offset)
    tag = _TAG.match(text, begin) if begin >= 0 else None
    if tag is None or text.rfind("-->", 0, offset) < text.rfind("<!--", 0, offset):
        return None
    match = _OPEN_VALUE.search(text[tag.end() : offset])
    if match is None or _closes(text[tag.end() : offset - len(match.group())]):
        return None
    start, quote = offset - len(match.group(3)), match.group(2)
    end = offset
    while end < len(text) and text[end] not in f"{quote}<>\r\n":
        end += 1
    return AttributeSpot(tag.group(1), match.group(1), text[start:end], start, end)


def _closes(part: str) -> bool:
    """Whether a tag ends in its part up to an attribute: `>` outside of quotes."""
    return ">" in re.sub(r"\"[^\"]*\"|'[^']*'", "", part)
