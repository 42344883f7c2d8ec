"""Model -> text without loss: what differs from the URDF as read is spliced into the text as read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.urdf.reader import UrdfSource, read_urdf
from editor_app.formats.urdf.sensors import sensor_element, sensor_items
from editor_app.formats.urdf.wanted import DRAKE, urdf_element
from editor_app.formats.xml import XmlElement, apply_splices
from editor_app.formats.xml.morph import document_text, morph
from editor_app.model.findings import Location
from editor_app.model.urdf import Extension, Urdf

#: What an edit uncovers (an axis that a fixed joint had in vain) is seen only when the result is read.
_ROUNDS = 3


@dataclass(frozen=True, eq=False)
class UrdfPatch:
    """`text` is to be saved; `notes` say what the user should look at."""

    text: str
    notes: tuple[str, ...]
    written: UrdfSource


def patch_urdf(source: UrdfSource, urdf: Urdf) -> UrdfPatch:
    """The text of `source` with what differs in `urdf` written into it; the result was read again and compared.

    Embedded extensions and transmissions stay as they are but for their text, where that was changed as a whole, and
    the names that they refer to.
    Raises FormatError for a model that cannot be written, or that needs a newer URDF version than the file states.
    """
    if urdf is source.urdf or urdf == source.urdf:
        return UrdfPatch(source.source.text, (), source)
    now = source
    place = source.document.location(source.document.root)
    for turn in range(_ROUNDS):
        try:
            # The texts of embedded elements first; names that were changed after them then.
            now = _once(now, urdf, verbatim=turn == 0)
        except ValueError as error:
            raise FormatError(f"The change cannot be written as URDF: {error}", place) from None
        if _comparable(now.urdf) == _comparable(urdf):
            return UrdfPatch(now.source.text, _notes(source.urdf, urdf, now), now)
    names = _differences(now.urdf, urdf)
    remedy = "Numbers must be finite and names not empty."
    if source.urdf.version in ("1.0", "1.1"):
        remedy += " quat_xyzw and capsules need version 1.1; acceleration, deceleration and jerk 1.2."
    raise FormatError(f"The change of {names} cannot be written as URDF {source.urdf.version}", place, remedy)


def urdf_text(urdf: Urdf) -> str:
    """A whole file for a model, without embedded extensions. Raises FormatError."""
    bare = replace(urdf, extensions=(), transmissions=())
    bare = replace(
        bare,
        links=tuple(replace(link, extensions=()) for link in bare.links),
        joints=tuple(replace(joint, extensions=()) for joint in bare.joints),
    )
    try:
        robot = urdf_element(bare).element()
        text = document_text(replace(robot, children=(*robot.children, *map(sensor_element, bare.sensors))))
    except ValueError as error:
        raise FormatError(f"It cannot be written as URDF: {error}", Location("<new URDF>")) from None
    written = read_urdf(SourceText.from_text(text)).urdf
    if written != bare:
        raise FormatError(f"{_differences(written, bare)} cannot be written as URDF", Location("<new URDF>"))
    return text


def _once(source: UrdfSource, urdf: Urdf, *, verbatim: bool) -> UrdfSource:
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
    old, new = (urdf_element(u, verbatim=verbatim, drake=drake) for u in (source.urdf, urdf))
    sensors = sensor_items(urdf.sensors, source.urdf.sensors, source.document, source.sensor_elements)
    old, new = (
        replace(w, items=(*w.items, *robot_sensors)) for w, robot_sensors in zip((old, new), sensors, strict=True)
    )
    splices = morph(source.document, root, old, new, items)
    return read_urdf(source.source.with_text(apply_splices(source.source.text, splices)))


def _comparable(urdf: Urdf) -> Urdf:
    """Without the verbatim text of extensions, which holds the names that were changed in it."""

    def bare(extensions: tuple[Extension, ...]) -> tuple[Extension, ...]:
        return tuple(Extension(e.tag, "", e.reference) for e in extensions)

    return replace(
        urdf,
        links=tuple(replace(link, extensions=bare(link.extensions)) for link in urdf.links),
        joints=tuple(replace(joint, extensions=bare(joint.extensions)) for joint in urdf.joints),
        transmissions=tuple(replace(t, text="") for t in urdf.transmissions),
        extensions=bare(urdf.extensions),
    )


def _differences(a: Urdf, b: Urdf) -> str:
    a, b = _comparable(a), _comparable(b)
    names = [n for n in Urdf.__dataclass_fields__ if getattr(a, n) != getattr(b, n)]
    if names in (["links"], ["joints"]):
        pairs = zip(getattr(a, names[0]), getattr(b, names[0]), strict=False)
        names = [f"{names[0][:-1]} {new.name!r}" for old, new in pairs if old != new][:3] or names
    return ", ".join(names)


def _notes(old: Urdf, new: Urdf, written: UrdfSource) -> tuple[str, ...]:
    """Old names of what was renamed that still stand in embedded text, which no editor can be sure about."""
    gone = _names(old) - _names(new)
    notes = []
    for element in (*written.extension_elements, *written.transmission_elements):
        text = written.document.text_of(element)
        for name in sorted(n for n in gone if n and re.search(rf"(?<![\w-]){re.escape(n)}(?![\w-])", text)):
            place = written.document.location(element)
            notes.append(f"{place}: <{element.tag}> still says {name!r}")
    return tuple(notes)


def _names(urdf: Urdf) -> set[str]:
    return {link.name for link in urdf.links} | {joint.name for joint in urdf.joints}
