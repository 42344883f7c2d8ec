"""Convert: a robot out of files of any format, written in another one, with a report of what was
lost.

    options = ConvertOptions.of(group="panda_arm")
    conversion = convert(["panda.urdf", "panda.srdf"], "panda.xrdf", options)
    write_conversion(conversion)

Nothing is written before `write_conversion`: a `Conversion` holds the files that would be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from editor_app.core.document.body_choices import BodyChoices
from editor_app.core.document.choices import prepared
from editor_app.core.document.document import Document
from editor_app.core.document.state import SETTINGS, FileKind
from editor_app.core.document.writing import NO_INPUTS, write_files
from editor_app.core.formats import native
from editor_app.core.formats.exchange.codec import (
    MODEL,
    Codec,
    InputFile,
    Offer,
    Part,
    ReadContext,
    RobotFiles,
    Subject,
    Surroundings,
    Writer,
    input_path,
)
from editor_app.core.formats.exchange.codec import Conversion as Conversion
from editor_app.core.formats.exchange.codec import ConvertOptions as ConvertOptions
from editor_app.core.formats.exchange.conversion import ConversionReport, Fate, Reporter
from editor_app.core.formats.exchange.conversion import NeedsChoice as NeedsChoice
from editor_app.core.formats.exchange.gathering import Addition, Gathering, documents_of
from editor_app.core.formats.moveit_package import find_xrdf, package_root
from editor_app.core.formats.registry import codec_named, codecs, recognise_format, target
from editor_app.core.formats.urdf.patch import patch_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.formats.xrdf.draft import draft_xrdf
from editor_app.core.formats.xrdf.read import XrdfSource
from editor_app.core.formats.xrdf.versions import CannotConvert
from editor_app.core.model.findings import Location
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.inputs import Inputs, real_path
from editor_app.core.model.robot import CannotApply, RobotDescription
from editor_app.core.model.ros_settings import MotionLimits
from editor_app.core.model.urdf import Mesh, Urdf
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.space.geometry.loading import load_mesh
from editor_app.core.space.geometry.mesh import MeshPart
from editor_app.core.space.geometry.paths import resolve_mesh_path
from editor_app.core.tasks.task import Task, TaskReporter
from editor_app.core.tasks.work import Cancel, Progress, make_stoppable, never, run_job, silent
from editor_app.core.text.source import FormatError, MissingFileError, SourceText
from editor_app.core.verbs.robot_inputs import (
    expand_robot,
    expanded_srdf,
    robot_files,
    settings_kind,
)

#: What `convert` raises, each with a sentence for the user.
CONVERSION_ERRORS = (FormatError, NeedsChoice, CannotConvert, CannotApply)


def convert(
    inputs: Document | Sequence[str | InputFile],
    output: str | Path,
    options: ConvertOptions | None = None,
    *,
    bodies: BodyChoices | None = None,
    existing: SourceText | None = None,
    packages: Mapping[str, Path] | None = None,
    xacro_arguments: Mapping[str, str] | None = None,
    executor: Executor | None = None,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> Conversion:
    """The robot that `inputs` describe together, as files of another format; or the open robot,
    edits included.

    `bodies` is done to the robot on the way. `existing` is the output as it is, to be changed where
    it differs instead of written anew. `packages` are the folders of packages. `xacro_arguments`:
    None refuses xacro, which evaluates Python expressions of the file.

    Raises FormatError (file, line, remedy), NeedsChoice for groups and states that `options` has to
    name, CannotConvert for two geometry groups in XRDF 1.0, CannotApply for `bodies` that do not
    fit, Cancelled.
    """
    output, options = Path(output), options or ConvertOptions()
    files, of_package = _input_files(inputs, output, options, packages or {})
    xacro_arguments = None if xacro_arguments is None else {**of_package, **xacro_arguments}
    if executor is not None:
        choices: dict[str, Any] = {
            "bodies": bodies,
            "packages": packages,
            "xacro_arguments": xacro_arguments,
        }
        job = Task(convert, files, output, options, existing=existing, **choices)
        conversion = cast(
            Conversion, run_job(job, executor=executor, progress=progress, cancel=cancel)
        )
        return (
            replace(conversion, inputs=inputs.inputs)
            if isinstance(inputs, Document)
            else conversion
        )
    read = dict(Inputs.of(file for file in files if isinstance(file, Path)).digests)
    if isinstance(inputs, Document):
        read = dict(inputs.inputs.digests)
    if existing is not None and existing.path is not None:
        read[real_path(existing.path)] = existing.digest
    tick = make_stoppable(progress, cancel)
    surroundings = _surroundings(files, read, dict(packages or {}), xacro_arguments, tick)
    pairs = [(file, _codec_of(file)) for file in files]
    wanted = target(output, options)
    _refuse_idle_choices(options, [codec for _, codec in pairs], wanted, output)
    subject = _gathered(pairs, wanted, options, surroundings, tick)
    subject = replace(subject, existing=existing)
    assert wanted.writer is not None
    if existing is not None and not wanted.writer.patches:
        told = f"A file of {wanted.plain_title} is always rewritten completely"
        raise FormatError(
            told, Location(str(output)), "Overwrite it (--force), or name another file."
        )
    if bodies:
        subject = _changed(subject, wanted.writer.holds, bodies)
    tick(-1.0, f"Writing {output.name}")
    return replace(_written(subject, wanted, output, options), inputs=Inputs(FrozenDict(read)))


def write_conversion(
    conversion: Conversion,
    *,
    overwrite: bool = False,
    updating: Path | None = None,
    inputs: Inputs = NO_INPUTS,
) -> tuple[Path, ...]:
    """Writes all files that are not on the disk already, or none; gives the paths of those written.

    The files that were converted, and `inputs`, must not have changed since, and are never
    overwritten, but for `updating`. `overwrite` replaces other files that exist. Raises
    ChangedOnDiskError, SaveError.
    """
    in_place = () if updating is None else (updating,)
    return write_files(
        conversion.files, conversion.inputs | inputs, in_place=in_place, overwrite=overwrite
    )


def document_files(document: Document, to: str) -> tuple[SourceText, ...]:
    """The open robot, unsaved edits included, as inputs of a conversion to the format `to`.

    The SRDF goes along where the format stores it, or is next to it; where the mask of the XRDF is
    written, that of the SRDF would take its place.
    """
    writer = codec_named(to).writer
    holds = writer.holds if writer is not None else frozenset()
    kinds = [FileKind.URDF, FileKind.XRDF]
    if Part.SRDF in holds or (Part.SHAPES in holds and Part.SPHERES not in holds):
        kinds.append(FileKind.SRDF)
    if Part.SETTINGS in holds:
        kinds += SETTINGS
    return tuple(
        source for kind in kinds if (source := document_source(document, kind)) is not None
    )


def document_source(document: Document, kind: FileKind) -> SourceText | None:
    """One file of the open robot as it would be saved now; None when it has none. Raises
    FormatError."""
    text, source = document.text(kind), document.state.source(kind)
    if text is None:
        return None
    current = source.with_text(text) if source is not None else SourceText.from_text(text)
    if current.path is not None and current.path.suffix.lower() != ".xacro":
        return current
    beside = document.urdf_path or document.xrdf_path or Path("robot")
    return replace(current, path=beside.with_suffix(f".{kind}"))


# -- the steps


def _input_files(
    inputs: Document | Sequence[str | InputFile],
    output: Path,
    options: ConvertOptions,
    packages: Mapping[str, Path],
) -> tuple[list[InputFile], Mapping[str, str]]:
    """The files, and the arguments of xacro that a package says."""
    if isinstance(inputs, Document):
        return list(document_files(inputs, target(output, options).name)), {}
    files = [Path(file) if isinstance(file, str) else file for file in inputs]
    if not files:
        raise FormatError("There is nothing to convert", Location(str(output)), "Name a file.")
    paths = [file for file in files if isinstance(file, Path)]
    if all(package_root(path) is None for path in paths):
        return files, {}
    # In the place of a folder stands the robot in it; what is named beside it takes the place of
    # what it has.
    parts = [
        path
        for path in paths
        if package_root(path) is not None
        or settings_kind(path)
        or recognise_format(path) in native.CODECS
    ]
    robot = robot_files(*parts, packages=packages)
    xrdf = robot.xrdf or find_xrdf(
        robot.robot.with_name(f"{robot.robot.name.partition('.')[0]}.urdf")
    )
    of_robot = [path for path in (robot.robot, xrdf, robot.srdf) if path is not None]
    others = [file for file in files if file not in parts]
    return [*of_robot, *(robot.settings or {}).values(), *others], robot.arguments


def _refuse_idle_choices(
    options: ConvertOptions, read: Sequence[Codec], wanted: Codec, output: Path
) -> None:
    """Raises FormatError for a choice that no format here leaves to the user."""
    assert wanted.writer is not None
    taking_part = (*read, wanted, *(codec_named(name) for name, _ in wanted.writer.layout))
    asked = set().union(*map(_choices_of, taking_part))
    for name, value in options.choices.items():
        if value not in (None, False) and name not in asked:
            owners = " or ".join(
                codec.plain_title for codec in codecs() if name in _choices_of(codec)
            )
            message = (
                f"--{name.replace('_', '-')} applies to {owners or 'no format'}, and no file here "
                "has that format"
            )
            raise FormatError(
                message, Location(str(output)), "Remove the option, or name such a file."
            )


def _choices_of(codec: Codec) -> set[str]:
    writer = codec.writer
    return {
        choice.name for choice in (*codec.choices, *(writer.choices if writer is not None else ()))
    }


def _codec_of(file: InputFile) -> Codec:
    codec = recognise_format(input_path(file), file if isinstance(file, SourceText) else None)
    if codec.read is None:
        raise FormatError(
            f"{codec.plain_title} can be written, not read", Location(str(input_path(file)))
        )
    return codec


def _gathered(
    pairs: Sequence[tuple[InputFile, Codec]],
    wanted: Codec,
    options: ConvertOptions,
    surroundings: Surroundings,
    progress: Progress,
) -> Subject:
    context = ReadContext(options, surroundings)

    def read(file: InputFile, codec: Codec) -> Any:
        progress(-1.0, f"Reading {input_path(file).name}")
        assert codec.read is not None
        return codec.read(file, context)

    documents = documents_of(
        [read(file, codec) for file, codec in pairs if not codec.joins], wanted.name
    )
    urdf = documents.files.urdf
    context = replace(context, urdf=urdf.value if urdf is not None else None)
    additions = [
        Addition(codec.name, value, Location(str(input_path(file))))
        for file, codec in pairs
        if codec.joins and not isinstance(value := read(file, codec), RobotFiles)
    ]
    return Gathering(
        documents, additions, wanted, options, surroundings, str(input_path(pairs[0][0]))
    ).subject()


def _changed(subject: Subject, holds: frozenset[Part], bodies: BodyChoices) -> Subject:
    """The robot with what the user chose to be done to it on the way."""
    is_bare_urdf = Part.SPHERES not in holds and subject.files.stated is None
    # What a draft guesses is no reason for anything in a file that it does not go into.
    start = (
        subject.robot.with_xrdf(Xrdf())
        if subject.draft is not None and is_bare_urdf
        else subject.robot
    )
    robot, report = prepared(start, bodies)
    reports, notes, files = [*subject.reports, report], subject.notes, subject.files
    beside: frozenset[str] = frozenset()
    if is_bare_urdf:
        beside, change_report = _changed_beside(robot, start, files)
        reports.append(change_report)
    if robot.urdf is not start.urdf and files.urdf is not None:
        patched = patch_urdf(files.urdf, robot.urdf)
        files, notes = replace(files, urdf=patched.written), (*notes, *patched.notes)
        if Part.LINKS not in holds:
            notes = (
                *notes,
                "The URDF was changed too: convert to URDF with the same choices as well.",
            )
    return replace(
        subject,
        robot=robot,
        files=files,
        reports=tuple(reports),
        notes=notes,
        changed_beside=beside,
    )


def _changed_beside(
    robot: RobotDescription, start: RobotDescription, files: RobotFiles
) -> tuple[frozenset[str], ConversionReport]:
    """The documents that changed with the URDF, and are written beside it for that reason."""
    out = Reporter("XRDF and SRDF", "URDF")
    changed = []
    for name, old, new, is_given in (
        ("xrdf", start.xrdf, robot.xrdf, files.xrdf is not None),
        ("srdf", start.srdf, robot.srdf, files.srdf is not None),
    ):
        if old == new:
            continue
        if is_given:
            changed.append(name)
            out.translated(name.upper(), "changed with the URDF: written next to it")
        else:
            out.lost(
                "positions and ignored pairs",
                "a URDF cannot store them: name the XRDF among the inputs",
            )
    return frozenset(changed), out.report()


def _written(subject: Subject, wanted: Codec, output: Path, options: ConvertOptions) -> Conversion:
    assert wanted.writer is not None
    is_partial = Part.LINKS not in wanted.writer.holds
    before = len(subject.reports)
    conversion = _with_layout(
        wanted.writer.write(subject, output, options), subject, wanted.writer, output, options
    )
    reports = list(conversion.reports)
    if subject.draft is not None and is_partial:
        guesses = _guesses(subject)
        reports[before:] = [_without_losses(report, guesses) for report in reports[before:]]
    if subject.is_guessed and is_partial:
        # A report that says no more than that everything was taken over says nothing of what was
        # guessed.
        rest = reports if before else [r for r in reports if r.source != "XRDF"]
        reports = [_draft_report(subject.robot), *rest]
    is_for_planning = wanted.writer.holds == {Part.XRDF, Part.SPHERES} and wanted.name != "xrdf"
    if is_for_planning and not subject.robot.xrdf.has_spheres:
        told = "The file has no spheres: programs that read it detect no collisions of the robot."
        conversion = replace(conversion, notes=(*conversion.notes, told))
    if subject.unread:
        reports = [*subject.unread, *map(_of_what_was_read, reports)]
    return replace(conversion, reports=(*reports, *_unread_elsewhere(subject.reports, reports)))


def _unread_elsewhere(
    given: Sequence[ConversionReport], written: Sequence[ConversionReport]
) -> Iterator[ConversionReport]:
    """What readers of other formats did not understand, where a writer passes over their
    reports."""
    told = {entry for report in written for entry in report.entries}
    for report in given:
        entries = tuple(entry for entry in report.entries if entry.is_unread and entry not in told)
        if entries:
            yield replace(report, entries=entries)


def _of_what_was_read(report: ConversionReport) -> ConversionReport:
    """The report of a writer, which got nothing of what could not be read."""
    entries = (
        replace(e, item="everything else") if e.item == "everything" else e for e in report.entries
    )
    return replace(report, entries=tuple(entries))


def _with_layout(
    conversion: Conversion, subject: Subject, writer: Writer, output: Path, options: ConvertOptions
) -> Conversion:
    """With the files that other formats write into the folder."""
    alone = replace(subject, reports=(), notes=(), existing=None, takes_meshes=True)
    files, reports, notes = dict(conversion.files), list(conversion.reports), list(conversion.notes)
    for name, place in writer.layout:
        part = codec_named(name).writer
        assert part is not None
        more = part.write(alone, output / place, options)
        files.update(more.files)
        # What one file has no room for stands in another one of the folder.
        reports += [report.kept_beside() for report in more.reports if report.entries]
        notes += more.notes
    return replace(
        conversion, files=tuple(files.items()), reports=tuple(reports), notes=tuple(notes)
    )


def _guesses(subject: Subject) -> tuple[str, ...]:
    """The items of reports that were only guessed, and so cannot be lost."""
    stated = subject.files.stated
    guesses: tuple[str, ...] = (
        () if stated is not None and stated.accelerations else ("cspace.acceleration_limits",)
    )
    if subject.is_guessed:
        guesses += ("self_collision.ignore", "tool_frames", "default_joint_positions")
    return guesses


def _without_losses(report: ConversionReport, guesses: tuple[str, ...]) -> ConversionReport:
    kept = (
        e
        for e in report.entries
        if e.fate != Fate.LOST or not guesses or not e.item.startswith(guesses)
    )
    return replace(report, entries=tuple(kept))


def _draft_report(robot: RobotDescription) -> ConversionReport:
    """What a URDF alone gives, and what is guessed."""
    out = Reporter("URDF", f"XRDF {robot.xrdf.format_version}")
    out.translated(
        "joints", "default positions, c-space; limits that the URDF lacks are placeholders"
    )
    out.translated("structure", "pairs of linked bodies are ignored; a tool frame is guessed")
    return out.report()


def _draft(urdf: Urdf, limits: MotionLimits | None = None) -> XrdfSource:
    return read_xrdf(SourceText.from_text(draft_xrdf(urdf, limits=limits)))


# -- what formats need of the parts above them


def _surroundings(
    files: Sequence[InputFile],
    read: dict[Path, str | None],
    packages: dict[str, Path],
    xacro_arguments: Mapping[str, str] | None,
    progress: Progress,
) -> Surroundings:
    """`read` also gets the meshes that are loaded, as they are before."""
    loaded: dict[tuple[Mesh, Path | None], tuple[MeshPart, ...]] = {}

    def load(mesh: Mesh, beside: Path | None) -> tuple[MeshPart, ...]:
        key = (mesh, beside)
        if key not in loaded:
            progress(-1.0, f"Loading {mesh.filename.rsplit('/', 1)[-1]}")
            path = resolve_mesh_path(mesh.filename, beside or input_path(files[0]), packages)
            read.update(Inputs.of(() if path is None else (path,)).digests)
            loaded[key] = load_mesh(path, mesh.scale).parts if path is not None else ()
        return loaded[key]

    def expand(path: Path) -> SourceText:
        progress(-1.0, f"Expanding {path.name}")
        if path.name.lower().endswith(".srdf.xacro"):
            return expanded_srdf(path, xacro_arguments or {}, packages)
        return expand_robot(path, xacro_arguments or {}, packages)[0]

    return Surroundings(_draft, None if xacro_arguments is None else expand, load, packages)


def read_whole_robot(
    path: Path, packages: Mapping[str, Path] | None = None, model: str | None = None
) -> RobotFiles | None:
    """Read a file that is a robot of another program; None for other files. `model`: which robot of
    several.

    Raises OSError, FormatError.
    """
    try:
        codec = recognise_format(path)
    except FormatError:
        return None
    if codec.read is None or not codec.is_whole or codec in native.CODECS:
        return None
    surroundings = _surroundings([path], {}, dict(packages or {}), None, silent)
    return cast(
        "RobotFiles", codec.read(path, ReadContext(options_of_model("urdf", model), surroundings))
    )


def options_of_model(to: str | None, model: str | None) -> ConvertOptions:
    """Return the options for a robot of a file with several; `model` None: the only one."""
    return ConvertOptions(to, choices=FrozenDict({} if model is None else {MODEL.name: model}))


# -- the same in a process of its own


@dataclass(frozen=True, slots=True)
class ConversionOutcome:
    """`conversion` is None if `error` gives the reason; `offers` are the choices that the files
    leave to the user.

    `missing`: for each file that was not found and that the user can locate, its possible names.
    """

    conversion: Conversion | None
    error: str = ""
    offers: tuple[tuple[str, Offer], ...] = ()
    missing: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class PreviewJob:
    """A conversion (as of `convert`) that is looked at before it is done. `ask` is the input that
    may leave something to the user."""

    inputs: tuple[InputFile, ...]
    output: Path
    options: ConvertOptions
    bodies: BodyChoices = BodyChoices()
    existing: SourceText | None = None
    packages: tuple[tuple[str, Path], ...] = ()
    ask: InputFile | None = None
    urdf: Urdf | None = None

    def __call__(self, reporter: TaskReporter) -> ConversionOutcome:
        offers: tuple[tuple[str, Offer], ...] = ()
        if self.ask is not None:
            surroundings = _surroundings([self.ask], {}, dict(self.packages), None, silent)
            offers = tuple(
                offers_of(self.ask, ReadContext(self.options, surroundings, self.urdf)).items()
            )
        choices: dict[str, Any] = {"bodies": self.bodies, "existing": self.existing}
        # What the user did not choose is the first offer, as it is shown.
        defaults = {name: offer[0][1] for name, offer in offers if offer[0][1] is not None}
        options = replace(self.options, choices=FrozenDict({**defaults, **self.options.choices}))
        try:
            choices |= {"packages": dict(self.packages), "progress": reporter.progress}
            conversion = convert(self.inputs, self.output, options, **choices)
            names = [
                entry.missing
                for read in conversion.reports
                for entry in read.entries
                if entry.missing
            ]
            return ConversionOutcome(conversion, "", offers, tuple(dict.fromkeys(names)))
        except (*CONVERSION_ERRORS, ValueError, OSError) as error:
            missing = (error.names,) if isinstance(error, MissingFileError) and error.names else ()
            return ConversionOutcome(None, str(error), offers, missing)


def offers_of(file: InputFile, context: ReadContext) -> Mapping[str, Offer]:
    """Return the choices that a file leaves to the user: groups of an SRDF, robots of a COLLADA
    file…; {} if broken."""
    try:
        codec = _codec_of(file)
        return codec.offers(file, context) if codec.offers is not None else {}
    except (FormatError, OSError):
        # The conversion says what is wrong.
        return {}
