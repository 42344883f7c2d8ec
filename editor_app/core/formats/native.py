"""The codecs of the documents that the editor opens: URDF (plain and xacro), XRDF, SRDF.

A file that was read stays as it is, byte for byte, but for what changed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from editor_app.core.formats.exchange.codec import (
    Choice,
    Codec,
    Conversion,
    ConvertOptions,
    InputFile,
    Offer,
    Part,
    ReadContext,
    RobotFiles,
    Sample,
    Subject,
    Writer,
    get_source,
    input_path,
)
from editor_app.core.formats.exchange.conversion import (
    ConversionItem,
    ConversionReport,
    Fate,
    Reporter,
)
from editor_app.core.formats.exchange.import_notes import read_import_note, with_import_note
from editor_app.core.formats.exchange.srdf_to_xrdf import REASONS
from editor_app.core.formats.exchange.xrdf_to_srdf import to_srdf
from editor_app.core.formats.misnamed_files import is_srdf_text
from editor_app.core.formats.srdf import SrdfSource, patch_srdf, read_srdf, srdf_text
from editor_app.core.formats.urdf import UrdfSource, XacroFile, read_urdf
from editor_app.core.formats.xrdf import XrdfSource, patch_xrdf, read_xrdf
from editor_app.core.formats.xrdf.guess_comments import (
    REST,
    START,
    guess_lines,
    guesses_of,
    with_guesses,
)
from editor_app.core.formats.xrdf.write import patch_text, xrdf_text
from editor_app.core.model.counting import format_count
from editor_app.core.model.findings import Location
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.guesses import POSITIONS, Guesses
from editor_app.core.model.regular_file import read_regular
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.srdf import Srdf
from editor_app.core.model.urdf import Mesh
from editor_app.core.text.source import FormatError, SourceText

# -- SRDF


GROUP = Choice("group", "Group", "group of the SRDF whose joints are controlled")
STATE = Choice("state", "State", "state of the SRDF to use as default posture")
TESSERACT = Choice(
    "tesseract",
    "Written for",
    "write Tesseract's additions to SRDF (margins, tcps)",
    (("MoveIt", False), ("Tesseract (margins, tools)", True)),
)


def _read_srdf(file: InputFile, context: ReadContext) -> RobotFiles:
    is_xacro = input_path(file).suffix.lower() == ".xacro"
    return RobotFiles(
        srdf=read_srdf(expansion(input_path(file), context) if is_xacro else get_source(file))
    )


def _offers_srdf(file: InputFile, context: ReadContext) -> Mapping[str, Offer]:
    srdf = read_srdf(get_source(file)).value
    offers: dict[str, Offer] = {}
    if len(srdf.groups) > 1:
        offers["group"] = (
            ("the only suitable group", None),
            *((g.name, g.name) for g in srdf.groups),
        )
    if srdf.states:
        names = dict.fromkeys(state.name for state in srdf.states)
        offers["state"] = (
            ("default, home or ready, if it exists", None),
            *((name, name) for name in names),
        )
    return offers


def _write_srdf(subject: Subject, output: Path, options: ConvertOptions) -> Conversion:
    existing = read_srdf(subject.existing) if subject.existing is not None else subject.files.srdf
    base = existing.value if existing is not None else None
    converted = to_srdf(
        subject.robot, subject.reasons, base=base, tesseract=options.is_on("tesseract")
    )
    return subject.written([(output, srdf_bytes(converted.srdf, existing))], converted.report)


def srdf_bytes(srdf: Srdf, existing: SrdfSource | None) -> bytes:
    """A new file, or the existing one brought up to date. Raises FormatError for what SRDF cannot
    hold."""
    if existing is None:
        return srdf_text(srdf).encode()
    return existing.source.with_text(patch_srdf(existing, srdf).text).data


SRDF = Codec(
    name="srdf",
    title="&SRDF",
    pattern="*.srdf",
    endings=(".srdf", ".srdf.xacro"),
    recognise=lambda sample: not sample.is_yaml and is_srdf_text(sample.source.text),
    read=_read_srdf,
    choices=(GROUP, STATE),
    offers=_offers_srdf,
    writer=Writer(
        _write_srdf,
        endings=(".srdf",),
        proposal=".srdf",
        holds=frozenset({Part.SRDF, Part.SPHERES}),
        takes=("ignore", "positions"),
        choices=(TESSERACT,),
        patches=True,
    ),
)


# -- xacro


def expansion(path: Path, context: ReadContext) -> SourceText:
    """Expand a xacro file. Raises XacroFile when the user did not permit it."""
    expand = context.surroundings.expand_xacro
    if expand is None:
        raise XacroFile("its name ends in .xacro", get_source(path).location(0))
    return expand(path)


def read_expanded_urdf(path: Path, context: ReadContext) -> RobotFiles:
    """The URDF that a file expands to. Raises XacroFile when the user did not permit it."""
    source = read_urdf(expansion(path, context))
    out = Reporter("xacro", "URDF")
    links, joints = (
        format_count(len(source.value.links), "link"),
        format_count(len(source.value.joints), "joint"),
    )
    out.translated("macros and expressions", f"expanded to {links} and {joints}")
    return RobotFiles(urdf=source, report=out.report())


XACRO = Codec(
    name="xacro",
    title="&xacro",
    pattern="*.xacro",
    endings=(".xacro",),
    read=lambda file, context: read_expanded_urdf(input_path(file), context),
    is_whole=True,
)


# -- URDF


#: Of a mesh that is copied.
_MOST_BYTES = 512 << 20


def _recognise_urdf(sample: Sample) -> bool:
    text = "" if sample.is_yaml else sample.source.text
    return "<robot" in text and not is_srdf_text(text)


def _read_urdf(file: InputFile, context: ReadContext) -> RobotFiles:
    source = get_source(file)
    try:
        return RobotFiles(urdf=read_urdf(source))
    except XacroFile:
        if context.surroundings.expand_xacro is None:
            raise
        return read_expanded_urdf(input_path(file), context)


def _write_urdf(subject: Subject, output: Path, options: ConvertOptions) -> Conversion:
    source = subject.files.urdf
    assert source is not None
    files = [(output, source.source.data), *_beside(subject, output)]
    if subject.files.stated is not None:
        files[0] = (output, _moved_note(source.source, output))
        files += meshes_along(source, output, {name for name, _ in subject.files.meshes})
        return Conversion(tuple(files), subject.reports, subject.notes)
    if subject.takes_meshes:
        files += meshes_along(source, output, ())
        return Conversion(tuple(files), _urdf_reports(subject), subject.notes)
    notes = (*subject.notes, *left_behind(source, output))
    return Conversion(tuple(files), _urdf_reports(subject), notes)


def _moved_note(source: SourceText, output: Path) -> bytes:
    """The text of an imported URDF, whose comment names the file that it came from relative to the
    output."""
    note = read_import_note(source)
    if note is None:
        return source.data
    return source.with_text(with_import_note(source.text, note, output.parent)).data


def _beside(subject: Subject, output: Path) -> list[tuple[Path, bytes]]:
    """The other documents of a robot that came as a whole, or changed with the URDF; and the meshes
    of the former."""
    robot, sources, is_whole = subject.robot, subject.files, subject.files.stated is not None
    files: list[tuple[Path, bytes]] = []
    if (
        sources.srdf is not None
        and robot.srdf is not None
        and (is_whole or "srdf" in subject.changed_beside)
    ):
        files.append((output.with_suffix(".srdf"), srdf_bytes(robot.srdf, sources.srdf)))
    if is_whole or "xrdf" in subject.changed_beside:
        if sources.xrdf is None:
            data = _marked(subject, xrdf_text(robot.xrdf, subject.reasons)).data
        else:
            data = sources.xrdf.source.with_text(patch_text(sources.xrdf, robot.xrdf)[0]).data
        xrdf = output.with_suffix(".xrdf")
        # An input that stays as it is need not be written.
        if sources.xrdf is None or (sources.xrdf.source.path, sources.xrdf.source.data) != (
            xrdf,
            data,
        ):
            files.append((xrdf, data))
    # The meshes' names are relative to the URDF.
    return files + [(output.parent / name, data) for name, data in sources.meshes]


def _urdf_reports(subject: Subject) -> tuple[ConversionReport, ...]:
    """What was done to the URDF itself, and that nothing else goes into it."""
    reports = [r for r in subject.reports if r.source in ("xacro", "URDF") or r.target == "URDF"]
    out = Reporter("URDF", "URDF")
    if not reports:
        out.taken("everything", "byte for byte")
    stay = (
        ["the XRDF"]
        if subject.files.xrdf is not None and "xrdf" not in subject.changed_beside
        else []
    )
    stay += (
        ["the SRDF"]
        if subject.files.srdf is not None and "srdf" not in subject.changed_beside
        else []
    )
    stay += [f"the file of {name}" for name in subject.others]
    stay += ["spheres"] if subject.has_sphere_list else []
    for item in stay:
        out.kept(
            item,
            "not part of a URDF: it stays in its file; --to spheres-urdf writes spheres into a "
            "URDF",
        )
    new_losses = (out.report(),) if out.entries else ()
    return (*(r for r in reports if r.entries), *new_losses)


def meshes_along(
    source: UrdfSource, output: Path, held: Collection[str]
) -> list[tuple[Path, bytes]]:
    """Copies of a new URDF's meshes, for a folder other than the one it was read from; but for
    `held`.

    Raises FormatError for meshes in folders above, which a copy would put anywhere.
    """
    home = source.source.path
    copies: list[tuple[Path, bytes]] = []
    for name in _gone(source, output):
        if name in held or home is None or not (home.parent / name).is_file():
            continue
        if ".." in Path(name).parts:
            remedy = f"Write the URDF into {home.parent}."
            raise FormatError(f"The mesh {name} cannot be copied", Location(str(output)), remedy)
        copies.append((output.parent / name, read_regular(home.parent / name, _MOST_BYTES)))
    return copies


def _gone(source: UrdfSource, output: Path) -> list[str]:
    """The names of meshes, relative to the URDF's folder, that mean nothing in the folder of
    `output`."""
    home = source.source.path
    shapes = [shape.geometry for link in source.value.links for shape in link.shapes]
    names = dict.fromkeys(
        s.filename for s in shapes if isinstance(s, Mesh) and s.filename and ":" not in s.filename
    )
    if home is None or output.parent.resolve() == home.parent.resolve():
        return []
    return [n for n in names if not Path(n).is_absolute() and not (output.parent / n).exists()]


def left_behind(source: UrdfSource, output: Path) -> tuple[str, ...]:
    """Return notes about meshes with relative names in a URDF that is written to another folder."""
    home, gone = source.source.path, _gone(source, output)
    if not gone or home is None:
        return ()
    return (
        f"{format_count(len(gone), 'mesh', 'meshes')} named relative to {home.parent} will not be "
        "found from "
        f"{output.parent}, for example {gone[0]}: copy them too, or write the URDF to the folder "
        "of the "
        "original.",
    )


URDF = Codec(
    name="urdf",
    title="UR&DF",
    pattern="*.urdf *.xml",
    recognise=_recognise_urdf,
    read=_read_urdf,
    writer=Writer(
        _write_urdf,
        endings=(".urdf",),
        proposal=".urdf",
        holds=frozenset({Part.LINKS, Part.SHAPES}),
        takes=("world", "merge"),
    ),
)


# -- XRDF


def _recognise_xrdf(sample: Sample) -> bool:
    value = sample.value
    return isinstance(value, dict) and (
        "format_version" in value or str(value.get("format")).lower() == "xrdf"
    )


def _write_xrdf(subject: Subject, output: Path, options: ConvertOptions) -> Conversion:
    robot, reports, notes = subject.robot, subject.reports, subject.notes
    base = read_xrdf(subject.existing) if subject.existing is not None else subject.files.xrdf
    if base is not None:
        # Comments and order of the file stay.
        text, told, unsaid = patch_text(base, robot.xrdf, subject.reasons)
        data, notes = _marked(subject, text, base).data, (*notes, *told)
        reports = tuple(map(_without_comments, reports)) if unsaid else reports
    elif subject.draft is not None and subject.is_guessed and not subject.reasons:
        # The draft says which of its numbers are guesses.
        data = patch_xrdf(subject.draft, robot.xrdf).text.encode()
    else:
        data = _marked(subject, xrdf_text(robot.xrdf, subject.reasons)).data
    return Conversion(((output, data),), reports or (_same_report(robot),), notes)


def _marked(subject: Subject, text: str, base: XrdfSource | None = None) -> SourceText:
    """The XRDF, `base` brought up to date, with comments on the values that no file states."""
    guesses, read = subject.guesses, subject.files.xrdf
    if base is not None and (read is None or read.source.text != base.source.text):
        parts = {**guesses_of(base).parts, **guesses.parts}
        guesses = Guesses(FrozenDict(parts)).left_in(subject.robot.xrdf)
    drafted = guesses_of(subject.draft).parts if subject.draft is not None else {}
    wordings = guess_lines(subject.draft) if subject.draft is not None else {}
    is_drafted = all(
        drafted.get(part) == guesses.parts[part] for part in guesses.under([POSITIONS])
    )
    source = SourceText.from_text(text) if base is None else base.source.with_text(text)
    where = START if is_drafted else REST
    return with_guesses(read_xrdf(source), guesses, wordings=wordings, where=where).source


def _same_report(robot: RobotDescription) -> ConversionReport:
    spheres = format_count(
        sum(len(s) for g in robot.xrdf.geometry or () for s in g.spheres.values()), "sphere"
    )
    out = Reporter("XRDF", f"XRDF {robot.xrdf.format_version}")
    out.taken("everything", spheres)
    return out.report()


def _without_comments(report: ConversionReport) -> ConversionReport:
    """The report of a file that has no room for reasons."""
    lost = ConversionItem(
        Fate.LOST,
        REASONS,
        "XRDF cannot store them, and the list in this file has no place for comments",
    )
    return replace(report, entries=tuple(lost if e.item == REASONS else e for e in report.entries))


XRDF = Codec(
    name="xrdf",
    title="&XRDF",
    pattern="*.xrdf *.yaml *.yml",
    endings=(".xrdf",),
    recognise=_recognise_xrdf,
    read=lambda file, context: RobotFiles(xrdf=read_xrdf(get_source(file))),
    writer=Writer(
        _write_xrdf,
        endings=(".xrdf", ".xrdf.yaml", ".xrdf.yml"),
        proposal=".xrdf",
        holds=frozenset({Part.XRDF, Part.SPHERES}),
        takes=("ignore", "positions"),
        needs_urdf=False,
        patches=True,
    ),
)


#: In the order in which they are offered.
CODECS = (URDF, XACRO, XRDF, SRDF)
