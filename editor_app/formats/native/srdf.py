"""SRDF of MoveIt and Tesseract: what an XRDF says, beside what the SRDF said before."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from editor_app.formats.exchange.codec import (
    Choice,
    Codec,
    Conversion,
    ConvertOptions,
    InputFile,
    Offer,
    Part,
    ReadContext,
    RobotFiles,
    Subject,
    Writer,
    path_of,
    source_of,
)
from editor_app.formats.exchange.xrdf_to_srdf import to_srdf
from editor_app.formats.misnamed_files import is_srdf_text
from editor_app.formats.native.xacro import expansion
from editor_app.formats.srdf import SrdfSource, patch_srdf, read_srdf, srdf_text
from editor_app.model.srdf import Srdf
from editor_app.model.urdf import Urdf

GROUP = Choice("group", "Group", "group of the SRDF whose joints are controlled")
STATE = Choice("state", "State", "state of the SRDF that becomes the default posture")
TESSERACT = Choice(
    "tesseract",
    "Written for",
    "write Tesseract's additions to SRDF (margins, tcps)",
    (("MoveIt", False), ("Tesseract (margins, tools)", True)),
)


def _read(file: InputFile, context: ReadContext) -> RobotFiles:
    is_xacro = path_of(file).suffix.lower() == ".xacro"
    return RobotFiles(srdf=read_srdf(expansion(path_of(file), context) if is_xacro else source_of(file)))


def _offers(file: InputFile, urdf: Urdf | None) -> Mapping[str, Offer]:
    srdf = read_srdf(source_of(file)).srdf
    offers: dict[str, Offer] = {}
    if len(srdf.groups) > 1:
        offers["group"] = (("the only one that fits", None), *((g.name, g.name) for g in srdf.groups))
    if srdf.states:
        names = dict.fromkeys(state.name for state in srdf.states)
        offers["state"] = (("default, home or ready, if there is one", None), *((name, name) for name in names))
    return offers


def _write(subject: Subject, output: Path, options: ConvertOptions) -> Conversion:
    existing = read_srdf(subject.existing) if subject.existing is not None else subject.files.srdf
    base = existing.srdf if existing is not None else None
    converted = to_srdf(subject.robot, subject.reasons, base=base, tesseract=options.is_on("tesseract"))
    files = ((output, srdf_bytes(converted.srdf, existing)),)
    return Conversion(files, (*subject.reports, converted.report), subject.notes)


def srdf_bytes(srdf: Srdf, existing: SrdfSource | None) -> bytes:
    """A new file, or the existing one brought up to date. Raises FormatError for what SRDF cannot hold."""
    if existing is None:
        return srdf_text(srdf).encode()
    return existing.source.with_text(patch_srdf(existing, srdf).text).data


CODEC = Codec(
    name="srdf",
    title="&SRDF",
    pattern="*.srdf",
    endings=(".srdf", ".srdf.xacro"),
    recognise=lambda sample: not sample.is_yaml and is_srdf_text(sample.source.text),
    read=_read,
    choices=(GROUP, STATE),
    offers=_offers,
    writer=Writer(
        _write,
        endings=(".srdf",),
        proposal=".srdf",
        holds=frozenset({Part.SRDF, Part.SPHERES}),
        takes=("ignore", "positions"),
        choices=(TESSERACT,),
    ),
)
