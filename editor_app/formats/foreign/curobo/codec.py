"""cuRobo's robot configuration as one codec."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from editor_app.formats.exchange.codec import (
    Choice,
    Codec,
    Conversion,
    ConvertOptions,
    Part,
    Subject,
    Writer,
    source_of,
)
from editor_app.formats.exchange.report import ConversionReport, Entry, Fate
from editor_app.formats.foreign.curobo.read import aside_of, is_curobo, named_urdfs, read_curobo
from editor_app.formats.foreign.curobo.write import NOTHING_ASIDE, Aside, Version, curobo_text

VERSION = Choice("curobo_version", "cuRobo version", "version of cuRobo", (("2", "2"), ("1", "1")))
URDF_PATH = Choice(
    "curobo_urdf",
    "Path of the URDF",
    "how the cuRobo file names the URDF: absolute, which cuRobo loads as it is; or relative to the file's folder",
    (("as it was read, else absolute", None), ("absolute", "absolute"), ("relative to the file", "relative")),
)


def _write(subject: Subject, output: Path, options: ConvertOptions) -> Conversion:
    aside = _aside(subject)
    urdf_path, asset_root_path, entry, notes = _paths(subject, output, options, aside)
    version: Version = "1" if options.text("curobo_version") == "1" else "2"
    written = curobo_text(subject.robot, urdf_path, version, asset_root_path=asset_root_path, aside=aside)
    report = replace(written.report, entries=(entry, *written.report.entries))
    reports = tuple(_without_losses(r, aside) for r in subject.reports)
    return Conversion(((output, written.text.encode()),), (*reports, report), (*subject.notes, *notes))


def _aside(subject: Subject) -> Aside:
    """What a cuRobo file said that was read, or that is brought up to date now."""
    if subject.existing is not None:
        return aside_of(subject.existing)
    aside = subject.aside.get(CODEC.name, NOTHING_ASIDE)
    return aside if isinstance(aside, Aside) else NOTHING_ASIDE


def _paths(
    subject: Subject, output: Path, options: ConvertOptions, aside: Aside
) -> tuple[str, str, Entry, tuple[str, ...]]:
    """(urdf_path, asset_root_path, what the report says of them, notes)."""
    chosen = options.text("curobo_urdf")
    before = aside.kinematics.get("urdf_path")
    if chosen is None and isinstance(before, str) and before:
        folder = str(aside.kinematics.get("asset_root_path") or "")
        return before, folder, Entry(Fate.TAKEN, "urdf_path", f"{before}, as in the cuRobo file"), ()
    source = subject.files.urdf
    path = source.source.path if source is not None else None
    if path is None:
        return "", "", Entry(Fate.LOST, "urdf_path", "the URDF is no file: name it in the cuRobo file"), ()
    notes = (
        () if path.is_file() else (f"The cuRobo file names {path}, which is not there yet: convert to a URDF as well.",)
    )
    place = Path(os.path.abspath(path))
    if chosen == "relative":
        folder = os.path.abspath(output.parent)
        named, root = Path(os.path.relpath(place, folder)), Path(os.path.relpath(place.parent, folder))
        detail = f"{named.as_posix()}, from the folder of this file: give cuRobo that folder as external_asset_path"
    else:
        named, root = place, place.parent
        detail = f"{named.as_posix()}, which holds on this machine only, unless the path is chosen relative to the file"
    return named.as_posix(), root.as_posix(), Entry(Fate.TRANSLATED, "urdf_path", detail), notes


def _without_losses(report: ConversionReport, aside: Aside) -> ConversionReport:
    """What a cuRobo file said goes back into one: the report of reading it told it as lost, or kept aside."""
    back = {*aside.kinematics, *aside.outer, *(f"cspace.{key}" for key in (*aside.cspace, *aside.by_joint))}
    if not report.source.startswith("cuRobo"):
        return report
    return replace(report, entries=tuple(e for e in report.entries if e.item not in back or e.fate == Fate.TAKEN))


CODEC = Codec(
    name="curobo",
    title="cu&Robo YAML",
    pattern="*.yml *.yaml",
    recognise=lambda sample: is_curobo(sample.value),
    read=lambda file, context: read_curobo(source_of(file), context.urdf),
    joins=True,
    names_urdf=lambda sample: named_urdfs(sample.value),
    writer=Writer(
        _write,
        endings=(".curobo.yml", ".curobo.yaml"),
        proposal=".curobo.yml",
        holds=frozenset({Part.XRDF, Part.SPHERES}),
        takes=("ignore", "positions"),
        choices=(VERSION, URDF_PATH),
    ),
)
