"""cuRobo's robot configuration (YAML), of its versions 1 and 2: in and out."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from editor_app.core.formats.exchange.codec import (
    Choice,
    Codec,
    Conversion,
    ConvertOptions,
    Part,
    Subject,
    Writer,
    get_source,
)
from editor_app.core.formats.exchange.conversion import ConversionItem, ConversionReport, Fate
from editor_app.plugins.curobo import read, write

VERSION = Choice(
    "curobo_version",
    "cuRobo version",
    "version of cuRobo (default: the version of the input cuRobo file, else 2)",
    (("as in the input, else 2", None), ("2", "2"), ("1", "1")),
)
URDF_PATH = Choice(
    "curobo_urdf",
    "Path of the URDF",
    "path of the URDF in the cuRobo file: absolute, which cuRobo loads directly; or relative to "
    "the file's folder",
    (
        ("as in the input, else absolute", None),
        ("absolute", "absolute"),
        ("relative to the file", "relative"),
    ),
)


def _write(subject: Subject, output: Path, options: ConvertOptions) -> Conversion:
    aside = _aside(subject)
    before = aside.config.get("urdf_path") if aside is not None else None
    folder = aside.config.get("asset_root_path") if aside is not None else None
    urdf_path, asset_root_path, entry, notes = _paths(subject, output, options, before, folder)
    chosen = options.text("curobo_version") or (
        write.version_of(aside.config) if aside is not None else "2"
    )
    version: write.Version = "1" if chosen == "1" else "2"
    if aside is None:
        written = write.curobo_text(
            subject.robot, urdf_path, version, asset_root_path=asset_root_path
        )
        data, report = written.text.encode(), written.report
    else:
        home = aside.source.path.parent if aside.source.path is not None else None
        source, report, told = write.curobo_patched(
            aside, subject.robot, urdf_path, version, asset_root_path, inline=home != output.parent
        )
        data, notes = source.data, (*notes, *told)
    report = replace(report, entries=(entry, *report.entries))
    # What could not come into an XRDF is still in the text.
    reports = [
        _taken(r) if aside is not None and r.source.startswith("cuRobo") else r
        for r in subject.reports
    ]
    return replace(subject, reports=tuple(reports)).written([(output, data)], report, notes=notes)


def _aside(subject: Subject) -> write.Aside | None:
    """A cuRobo file that was read, or that is brought up to date now; the text of one takes what is
    otherwise."""
    if subject.existing is not None:
        return read.aside_of(subject.existing, subject.robot.urdf)
    aside = subject.aside.get(CODEC.name)
    return aside if isinstance(aside, write.Aside) else None


def _taken(report: ConversionReport) -> ConversionReport:
    kept = (Fate.LOST, Fate.KEPT)
    return replace(
        report, entries=tuple(e for e in report.entries if e.fate not in kept or e.is_unread)
    )


def _paths(
    subject: Subject, output: Path, options: ConvertOptions, before: object, folder: object
) -> tuple[str, str, ConversionItem, tuple[str, ...]]:
    """(urdf_path, asset_root_path, what the report says of them, notes)."""
    chosen = options.text("curobo_urdf")
    if chosen is None and isinstance(before, str) and before:
        return (
            before,
            str(folder or ""),
            ConversionItem(Fate.TAKEN, "urdf_path", f"{before}, as in the cuRobo file"),
            (),
        )
    source = subject.files.urdf
    path = source.source.path if source is not None else None
    if path is None:
        return (
            "",
            "",
            ConversionItem(
                Fate.LOST, "urdf_path", "the URDF is not a file: name it in the cuRobo file"
            ),
            (),
        )
    notes = (
        ()
        if path.is_file()
        else (
            f"The cuRobo file names {path}, which does not exist yet: convert to a URDF as well.",
        )
    )
    place = Path(os.path.abspath(path))
    if chosen == "relative":
        folder = os.path.abspath(output.parent)
        named, root = (
            Path(os.path.relpath(place, folder)),
            Path(os.path.relpath(place.parent, folder)),
        )
        detail = (
            f"{named.as_posix()}, relative to this file: set that folder as cuRobo's "
            "external_asset_path"
        )
    else:
        named, root = place, place.parent
        detail = (
            f"{named.as_posix()}, valid on this machine only; a path relative to the file is "
            "portable"
        )
    return (
        named.as_posix(),
        root.as_posix(),
        ConversionItem(Fate.TRANSLATED, "urdf_path", detail),
        notes,
    )


CODEC = Codec(
    name="curobo",
    title="cu&Robo YAML",
    pattern="*.yml *.yaml",
    recognise=lambda sample: read.is_curobo(sample.value),
    read=lambda file, context: read.read_curobo(get_source(file), context.urdf),
    joins=True,
    names_urdf=lambda sample: read.named_urdfs(sample.value),
    writer=Writer(
        _write,
        endings=(".curobo.yml", ".curobo.yaml"),
        proposal=".curobo.yml",
        holds=frozenset({Part.XRDF, Part.SPHERES}),
        takes=("ignore", "positions"),
        choices=(VERSION, URDF_PATH),
        patches=True,
    ),
)
