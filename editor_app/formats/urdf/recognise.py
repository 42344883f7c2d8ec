"""Files that are something else than a URDF: said in one clear sentence."""

from __future__ import annotations

import re
from pathlib import Path

from editor_app.formats.misnamed_files import HEAD, refuse_unread_kind, refuse_xrdf
from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.urdf.findings import Report, W
from editor_app.formats.xml import XmlDocument, XmlElement
from editor_app.model.findings import Location

_EXPRESSION = re.compile(r"\$\{[^}]*\}|\$\([^)]*\)")


class XacroFile(FormatError):
    """The file is xacro: it must be expanded (which evaluates Python expressions) before it is a URDF."""

    def __init__(self, reason: str, location: Location) -> None:
        super().__init__(
            f"This is a xacro file, not a URDF: {reason}",
            location,
            "Open it in the window, or expand it first: xrdf-editor convert FILE ROBOT.urdf --allow-xacro.",
        )


def refuse_other_text(source: SourceText) -> None:
    """Raises FormatError for what is recognised before it is parsed as XML."""
    refuse_unread_kind(Path(source.name), source.text[:HEAD].encode())
    refuse_xrdf(source, "a URDF", "Open the URDF that it belongs to.")


def refuse_other_root(document: XmlDocument) -> None:
    """Raises FormatError when the root is not that of a URDF, XacroFile for xacro."""
    root = document.root
    location = document.location(root)
    tag = root.tag.rpartition(":")[2]
    if tag == "COLLADA":
        remedy = "Import it as a COLLADA robot, or open the URDF that uses it as a mesh."
        raise FormatError("This is a COLLADA file", location, remedy)
    if tag != "robot":
        raise FormatError(f"The root element is <{root.tag}>; that of a URDF is <robot>", location)
    path = document.source.path
    if path is not None and path.suffix.lower() == ".xacro":
        raise XacroFile("its name ends in .xacro", location)
    commands = [c for c in root.children if c.tag.startswith("xacro:")]
    has_links = any(c.tag == "link" for c in root.children)
    for command in commands:
        if not has_links or command.tag in ("xacro:macro", "xacro:include", "xacro:property", "xacro:arg"):
            raise XacroFile(f"it uses <{command.tag}>", document.location(command))
    for part in root.children:
        if part.tag in ("link", "joint", "material"):
            for element in part.walk():
                for attribute in element.attributes:
                    match = _EXPRESSION.search(attribute.value)
                    if match is not None:
                        raise XacroFile(f"it uses {match.group()!r}", document.location(attribute))
    if not has_links and any(c.tag in ("group", "disable_collisions", "group_state") for c in root.children):
        raise FormatError("This is an SRDF file, not a URDF", location, "Open the URDF that it belongs to.")


def report_leftover_xacro(report: Report, root: XmlElement) -> None:
    """Expanded files may still hold xacro elements; every reader ignores them."""
    for element in root.children:
        if element.tag.startswith("xacro:"):
            report.add("URDF060", W, f"<{element.tag}> was not expanded by xacro and is ignored", element)
