"""Elements of an SRDF that Tesseract refuses or misreads, by its sources; pairs and margins without
effect.

Read: `srdf/src` of tesseract-robotics/tesseract c3f7109. It does not load a robot whose SRDF has
one part that it refuses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from editor_app.core.document.commands import SetSrdf
from editor_app.core.formats.srdf.read import SrdfSource
from editor_app.core.model.findings import Finding
from editor_app.core.text.xml.document import XmlElement
from editor_app.features.checks.engine.rule import ERROR, INFO, WARNING, CheckContext, flaw, rule


@rule(
    "SRDF033",
    "A pair of a link with itself",
    "srdf",
    "srdf_source",
    file="srdf",
    also={"SRDF034": "A negative margin", "SRDF035": "A part that Tesseract refuses"},
)
def tesseract_findings(c: CheckContext) -> Iterable[Finding]:
    source = c.srdf_source
    if source is None:
        return
    yield from _check_pairs(source)
    yield from _check_margins(source)
    for element, message in _refused_parts(source) if source.value.is_tesseract else ():
        text = f"Tesseract does not load the robot: {message}"
        yield flaw(ERROR, text, code="SRDF035", location=source.document.location(element))


def _check_pairs(source: SrdfSource) -> Iterator[Finding]:
    srdf, root = source.value, source.document.root
    margins = [
        pair
        for section in root.all("collision_margins")
        for pair in source.items(section, "pair_margin")
    ]
    pairs = [
        pair
        for tag in ("disable_collisions", "enable_collisions")
        for pair in source.items(root, tag)
    ]
    without = replace(
        srdf,
        disabled_pairs=tuple(pair for pair in srdf.disabled_pairs if pair.link1 != pair.link2),
        enabled_pairs=tuple(pair for pair in srdf.enabled_pairs if pair.link1 != pair.link2),
        margins=srdf.margins
        and replace(
            srdf.margins,
            pairs=tuple(pair for pair in srdf.margins.pairs if pair.link1 != pair.link2),
        ),
    )
    fix = SetSrdf(without, "Delete the pairs of a link with itself")
    for element in (*pairs, *margins):
        link = element.get("link1") or ""
        if link == element.get("link2"):
            message = (
                f"<{element.tag}> has the link {link!r} twice: a link is not checked against itself"
            )
            place = source.document.location(element)
            yield flaw(WARNING, message, links=(link,), fixes=(fix,), location=place)


def _check_margins(source: SrdfSource) -> Iterator[Finding]:
    margins = source.value.margins
    section = source.document.root.child("collision_margins")
    if margins is None or section is None:
        return
    message = "is negative: links may overlap by {:g} mm before Tesseract reports a contact"
    if margins.default_margin < 0:
        text = f"default_margin {message.format(-1e3 * margins.default_margin)}"
        yield flaw(WARNING, text, code="SRDF034", location=source.document.location(section))
    for pair, element in zip(margins.pairs, source.items(section, "pair_margin"), strict=True):
        if pair.margin < 0:
            text = (
                f"the margin of {pair.link1!r} and {pair.link2!r} "
                f"{message.format(-1e3 * pair.margin)}"
            )
            place = source.document.location(element)
            yield flaw(INFO, text, code="SRDF034", links=(pair.link1, pair.link2), location=place)


def _refused_parts(source: SrdfSource) -> Iterator[tuple[XmlElement, str]]:
    """(element, what is wrong with it)"""
    root = source.document.root
    for section in root.all("collision_margins")[:1]:
        if section.get("default_margin") is None:
            yield section, "<collision_margins> has no default_margin"
    for block in source.items(root, "group_tcps"):
        if not block.all("tcp"):
            yield block, "<group_tcps> has no <tcp>"
        for tcp in source.items(block, "tcp"):
            if tcp.get("rpy") is None and tcp.get("wxyz") is None:
                yield tcp, f"the tool centre point {tcp.get('name')!r} has neither rpy nor wxyz"
    virtual = {joint.name for joint in source.value.virtual_joints}
    for tag in ("group", "group_state"):
        for element in source.items(root, tag):
            joints = element.all("joint")
            if tag == "group_state" and not joints:
                yield element, f"the state {element.get('name')!r} has no joint"
            for joint in joints:
                if joint.get("name") in virtual:
                    yield (
                        joint,
                        f"it has no virtual joints, and <{tag}> names {joint.get('name')!r}",
                    )
