"""XRDF's spheres as collision geometry in a copy of the URDF, and its pairs as Drake takes them."""

from __future__ import annotations

from pathlib import Path

from editor_app.core.formats.exchange.codec import (
    Choice,
    Codec,
    Conversion,
    ConvertOptions,
    Part,
    Subject,
    Writer,
)
from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.formats.exchange.drake import gazebo_contacts, with_filter_groups
from editor_app.core.formats.exchange.sphere_lists import spheres_urdf_text
from editor_app.core.formats.native import left_behind
from editor_app.core.model.findings import Location
from editor_app.core.text.source import FormatError

DRAKE = Choice(
    "drake",
    "Written for",
    "write a URDF with spheres for Drake: ignored pairs as its collision filter groups, Gazebo's "
    "friction and "
    "stiffness as its proximity properties",
    (("any program", False), ("Drake (filter groups, contact)", True)),
)


def _write(subject: Subject, output: Path, options: ConvertOptions) -> Conversion:
    robot, source = subject.robot, subject.files.urdf
    assert source is not None
    if not any(robot.xrdf.spheres_of(robot.xrdf.world_group or robot.xrdf.self_group).values()):
        raise FormatError(
            "No spheres to convert to collision geometry",
            Location(subject.first_name),
            "Fit spheres, or name an XRDF with spheres. For the URDF without spheres use the "
            "format urdf.",
        )
    is_for_drake, out = options.is_on(DRAKE.name), Reporter("URDF", "URDF with Drake's elements")
    contacts = gazebo_contacts(source.value, out) if is_for_drake else {}
    written = spheres_urdf_text(source, robot.xrdf, contacts)
    text, reports = source.source.with_text(written.text), [written.report]
    if is_for_drake:
        grouped = with_filter_groups(text, robot.xrdf)
        text, reports = (
            text.with_text(grouped.text),
            [*reports, grouped.report, *([out.report()] if out.entries else [])],
        )
    files = [(output, text.data)]
    # What is seen stays as it is.
    files += [
        (output.parent / name, data)
        for name, data in subject.files.meshes
        if _is_used(name, written.text)
    ]
    notes = left_behind(source, output) if subject.files.stated is None else ()
    return subject.written(files, *reports, notes=notes)


def _is_used(name: str, urdf: str) -> bool:
    """Whether a URDF names a mesh; its materials and pictures go with the meshes of its folder."""
    if name.endswith(".obj"):
        return f'"{name}"' in urdf
    return f'"{name.rpartition("/")[0]}/' in urdf


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
        is_named=True,
    ),
)
