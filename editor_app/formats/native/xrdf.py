"""XRDF: a file that was read stays as it is but for what changed; a new one is written in the order of the format."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from editor_app.formats.exchange.codec import (
    Codec,
    Conversion,
    ConvertOptions,
    Part,
    RobotFiles,
    Sample,
    Subject,
    Writer,
    source_of,
)
from editor_app.formats.exchange.report import ConversionReport, Entry, Fate, Reporter
from editor_app.formats.exchange.srdf_to_xrdf import REASONS
from editor_app.formats.xrdf import patch_xrdf, read_xrdf
from editor_app.formats.xrdf.write import patched_text, xrdf_text
from editor_app.model.counting import counted
from editor_app.model.robot import RobotDescription


def _recognise(sample: Sample) -> bool:
    value = sample.value
    return isinstance(value, dict) and ("format_version" in value or str(value.get("format")).lower() == "xrdf")


def _write(subject: Subject, output: Path, options: ConvertOptions) -> Conversion:
    robot, reports, notes = subject.robot, subject.reports, subject.notes
    base = read_xrdf(subject.existing) if subject.existing is not None else subject.files.xrdf
    if base is not None:
        # Comments and order of the file stay.
        text, told, unsaid = patched_text(base, robot.xrdf, subject.reasons)
        data, notes = base.source.with_text(text).data, (*notes, *told)
        reports = tuple(map(_without_comments, reports)) if unsaid else reports
    elif subject.draft is not None and subject.is_guessed and not subject.reasons:
        # The draft says which of its numbers are guesses.
        data = patch_xrdf(subject.draft, robot.xrdf).text.encode()
    else:
        data = xrdf_text(robot.xrdf, subject.reasons).encode()
    return Conversion(((output, data),), reports or (_same_report(robot),), notes)


def _same_report(robot: RobotDescription) -> ConversionReport:
    spheres = counted(sum(len(s) for g in robot.xrdf.geometry or () for s in g.spheres.values()), "sphere")
    out = Reporter("XRDF", f"XRDF {robot.xrdf.format_version}")
    out.taken("everything", spheres)
    return out.report()


def _without_comments(report: ConversionReport) -> ConversionReport:
    """The report of a file that has no room for reasons."""
    lost = Entry(Fate.LOST, REASONS, "XRDF has no place for them, and the list of this file none for comments")
    return replace(report, entries=tuple(lost if e.item == REASONS else e for e in report.entries))


CODEC = Codec(
    name="xrdf",
    title="&XRDF",
    pattern="*.xrdf *.yaml *.yml",
    endings=(".xrdf",),
    recognise=_recognise,
    read=lambda file, context: RobotFiles(xrdf=read_xrdf(source_of(file))),
    writer=Writer(
        _write,
        endings=(".xrdf", ".xrdf.yaml", ".xrdf.yml"),
        proposal=".xrdf",
        holds=frozenset({Part.XRDF, Part.SPHERES}),
        takes=("ignore", "positions"),
        needs_urdf=False,
    ),
)
