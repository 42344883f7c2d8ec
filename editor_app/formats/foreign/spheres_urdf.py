"""XRDF's spheres as collision geometry in a copy of the URDF, and its pairs as Drake takes them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from editor_app.formats.exchange.codec import Choice, Codec, Conversion, ConvertOptions, Part, Subject, Writer
from editor_app.formats.exchange.report import Reporter, TextConversion
from editor_app.formats.exchange.sphere_urdf import spheres_urdf_text
from editor_app.formats.native.urdf import left_behind
from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.urdf import read_urdf
from editor_app.formats.xml import NewElement, apply_splices, insert_elements, set_attribute
from editor_app.model.counting import counted
from editor_app.model.findings import Location
from editor_app.model.xrdf import Xrdf

DRAKE = Choice(
    "drake",
    "Written for",
    "write the ignored pairs into a URDF with spheres as Drake's collision filter groups",
    (("any program", False), ("Drake (collision filter groups)", True)),
)
#: The beginning of the names of Drake's groups.
_GROUP = "masked_"


def with_filter_groups(text: SourceText, xrdf: Xrdf) -> TextConversion:
    """The URDF with Drake's collision filter groups: one for each link of an ignored pair, which leaves out the others.

    Raises FormatError for a text that is no URDF.
    """
    source = read_urdf(text)
    out = Reporter(f"XRDF {xrdf.format_version}", "URDF with Drake's elements")
    links = {link.name for link in source.urdf.links}
    section = xrdf.self_collision
    ignored = sorted(section.ignored_pairs()) if section is not None else []
    pairs = [pair for pair in ignored if pair.first in links and pair.second in links]
    if len(pairs) < len(ignored):
        out.lost("self_collision.ignore", f"{counted(len(ignored) - len(pairs), 'pair')} of frames that are no links")
    out.translated(
        "bodies that one joint connects", "not checked by Drake, unless adjacent_bodies_collision_filters is off"
    )
    if not pairs:
        return TextConversion(text.text, out.report())
    out.translated("self_collision.ignore", f"drake:collision_filter_group, {counted(len(pairs), 'pair')}")
    others: dict[str, list[str]] = {}
    for pair in pairs:
        others.setdefault(pair.first, []).append(pair.second)
        others.setdefault(pair.second, [])
    document, root = source.document, source.document.root
    groups = [_filter_group(link, ignored_links) for link, ignored_links in others.items()]
    splices = [insert_elements(document, root, groups, after=root.children[-1] if root.children else None)]
    if root.get("xmlns:drake") is None:
        splices += set_attribute(document, root, "xmlns:drake", "http://drake.mit.edu")
    return TextConversion(apply_splices(text.text, splices), out.report())


def _filter_group(link: str, others: Sequence[str]) -> NewElement:
    member = NewElement("drake:member", (("link", link),))
    ignored = (NewElement("drake:ignored_collision_filter_group", (("name", _GROUP + other),)) for other in others)
    return NewElement("drake:collision_filter_group", (("name", _GROUP + link),), (member, *ignored))


def _write(subject: Subject, output: Path, options: ConvertOptions) -> Conversion:
    robot, source = subject.robot, subject.files.urdf
    assert source is not None
    if not any(robot.xrdf.spheres_of(robot.xrdf.world_group or robot.xrdf.self_group).values()):
        raise FormatError(
            "There are no spheres that could become collision geometry",
            Location(subject.first_name),
            "Name an XRDF with spheres, or write the URDF as it is (--to urdf).",
        )
    written = spheres_urdf_text(source, robot.xrdf)
    text, reports = source.source.with_text(written.text), [written.report]
    if options.is_on(DRAKE.name):
        grouped = with_filter_groups(text, robot.xrdf)
        text, reports = text.with_text(grouped.text), [*reports, grouped.report]
    files = [(output, text.data)]
    # What is seen stays as it is.
    files += [(output.parent / name, data) for name, data in subject.files.meshes if _is_used(name, written.text)]
    notes = left_behind(source, output) if subject.files.stated is None else ()
    return Conversion(tuple(files), (*subject.reports, *reports), (*subject.notes, *notes))


def _is_used(name: str, urdf: str) -> bool:
    """Whether a URDF names a mesh; its materials and pictures go with the meshes of its folder."""
    if name.endswith(".obj"):
        return f'"{name}"' in urdf
    return f'"{name.rpartition("/")[0]}/' in urdf


def _suits(inputs: tuple[Codec, ...]) -> bool:
    """Whether a name that ends in .urdf means this: something says where spheres are, and no robot came as a whole."""
    return not any(codec.is_whole for codec in inputs) and [codec.name for codec in inputs] != ["urdf"]


CODEC = Codec(
    name="spheres-urdf",
    title="URDF &with spheres",
    pattern="*.urdf",
    writer=Writer(
        _write,
        endings=(".urdf",),
        proposal="_spheres.urdf",
        holds=frozenset({Part.LINKS, Part.SPHERES}),
        takes=("world", "merge"),
        choices=(DRAKE,),
        suits=_suits,
    ),
)
