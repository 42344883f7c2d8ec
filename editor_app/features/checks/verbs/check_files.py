"""The verb check for files that are not open: of any format that the editor opens, alone or
together.

A URDF (or xacro file, or COLLADA robot) is what XRDFs and SRDFs are checked against: the only one
that is named, else the one beside them that a window opens them with. What belongs together is
checked together, whichever file is named.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Literal

from editor_app.core.document.state import SETTINGS
from editor_app.core.document.writing import write_scratch_files
from editor_app.core.feature import hook
from editor_app.core.formats.exchange.codec import Codec
from editor_app.core.formats.exchange.conversion import ConversionItem, Fate
from editor_app.core.formats.exchange.unread import AS_READ
from editor_app.core.formats.moveit_package import package_root
from editor_app.core.formats.registry import recognise_format
from editor_app.core.formats.ros_settings import read_settings
from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.urdf import UrdfSource, read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.findings import Finding, Location, Severity
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Mesh, Urdf
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.space.geometry.paths import package_folder, package_of
from editor_app.core.tasks.work import Refused
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.verbs.convert import CONVERSION_ERRORS, convert, options_of_model
from editor_app.core.verbs.pairing import (
    is_imported,
    match,
    match_robot,
    names_in,
    names_of_robot,
    robot_beside,
)
from editor_app.core.verbs.robot_inputs import (
    expand_robot,
    expanded_srdf,
    is_xacro,
    refuse_idle_model,
    robot_files,
    settings_kind,
    takes_model,
)
from editor_app.features.checks.engine.readers import SOURCES, Use, uses
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import locate_findings, run_rules
from editor_app.features.checks.rules.urdf.readers import as_it_is_read

#: Part of a file's name -> code of the finding that it cannot be read; any other is that of an
#: XRDF.
_ROBOTS = ("urdf", "xacro", "dae", "zae", "sdf", "world", "mjcf", "usd", "usda", "usdc", "usdz")
_UNREADABLE = {"srdf": "SRDF000", **dict.fromkeys(_ROBOTS, "URDF000")}
#: What of a file of another program is not in the robot, and how much that matters.
_LOSSES = {Fate.LOST: Severity.WARNING, Fate.KEPT: Severity.INFO}
#: Codes of parts that cannot be read, and of parts that the editor's own formats have no place for.
_LOSS_CODES = {"urdf": ("URDF058", "URDF059"), "xrdf": ("XRDF008", "XRDF009")}
_PARTS = (".xrdf", ".xrdf.yaml", ".xrdf.yml", ".srdf")


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """`error`: why the file cannot be read; its sentence is then the one finding.

    `belongs_to`: the named file beside which a file that nobody named lies; None for a named file.
    `uses`: the features of a robot that some programs do not read, with the joints or links that
    have them.
    """

    path: Path
    findings: tuple[Finding, ...]
    error: FormatError | None = None
    belongs_to: Path | None = None
    uses: tuple[Use, ...] = ()


@dataclass(frozen=True, slots=True)
class _Wishes:
    profile: Profile
    slow: bool
    packages: Mapping[str, Path]
    xacro_arguments: Mapping[str, str]
    allow_xacro: bool
    beside: bool
    programs: bool
    model: str | None
    #: Where robots of other programs are written with their meshes, as URDFs.
    made: Path

    @property
    def mappings(self) -> FrozenDict[str, Path]:
        return FrozenDict({name: Path(folder) for name, folder in self.packages.items()})


def check_files(
    files: Iterable[str | Path],
    *,
    urdf: str | Path | None = None,
    profile: Profile = Profile.SPECIFICATION,
    slow: bool = False,
    packages: Mapping[str, Path] | None = None,
    xacro_arguments: Mapping[str, str] | None = None,
    allow_xacro: bool = False,
    beside: bool = False,
    programs: bool = False,
    model: str | None = None,
) -> tuple[CheckedFile, ...]:
    """Return the findings of each file, with their place in that file, in its order.

    XRDF, URDF, SRDF, xacro (only with `allow_xacro`: it runs Python expressions), COLLADA, MJCF and
    SDF robots, cuRobo and Lula files, lists of spheres: a file of another program is checked as the
    file that it would be converted to, with its own file as the place. Without a URDF, XRDF and
    SRDF are checked by the rules that need none.

    The URDF beside an XRDF or SRDF, and the XRDFs and SRDFs beside a URDF, are checked along. Not
    so with `urdf`, which all the others are checked against. With `beside`, the URDF beside a file
    counts before the only named one: for hooks, which name whatever changed. With `programs`, what
    each program refuses, changes or ignores of a robot is among the findings. `model`: which robot
    of a file with several.
    """
    choices = (
        Profile(profile),
        slow,
        packages or {},
        xacro_arguments or {},
        allow_xacro,
        beside,
        programs,
        model,
    )
    with TemporaryDirectory(prefix="xrdf-editor-") as made:
        return _check_together(files, urdf, _Wishes(*choices, Path(made)))


def _check_together(
    files: Iterable[str | Path], urdf: str | Path | None, wishes: _Wishes
) -> tuple[CheckedFile, ...]:
    named = dict.fromkeys(_files_of(files if urdf is None else (urdf, *files), wishes))
    settings = [path for path in named if settings_kind(path) is not None]
    named = {path: None for path in named if path not in settings}
    refuse_idle_model(wishes.model, named)
    codecs = {path: _codec(path) for path in named}
    forced = Path(urdf) if urdf is not None else _only_robot(codecs, wishes)
    along = {} if urdf is not None else _files_beside(codecs, forced, wishes)
    codecs |= {path: _codec(path) for path in along}
    robots, losses = _read_robots(codecs, wishes)
    along = dict(_leave_others_out(along, robots))
    codecs = {path: codec for path, codec in codecs.items() if path in named or path in along}
    robots = {path: source for path, source in robots.items() if path in codecs}
    checked = [_checked(path, codecs, robots, losses, forced, wishes) for path in codecs]
    checked += [_checked_settings(path, codecs, robots, forced, wishes) for path in settings]
    return tuple(replace(file, belongs_to=along.get(file.path)) for file in checked)


def _read_robots(
    codecs: Mapping[Path, Codec | FormatError], wishes: _Wishes
) -> tuple[dict[Path, UrdfSource | FormatError], dict[Path, tuple[Finding, ...]]]:
    """Return the robots of the files, or why they cannot be read, and what reading loses."""
    robots: dict[Path, UrdfSource | FormatError] = {}
    losses: dict[Path, tuple[Finding, ...]] = {}
    for path, codec in codecs.items():
        if isinstance(codec, Codec) and _is_robot(codec):
            try:
                robots[path], losses[path] = _read_robot(path, codec, wishes)
            except FormatError as error:
                robots[path] = error
    return robots, losses


def _files_of(files: Iterable[str | Path], wishes: _Wishes) -> Iterator[Path]:
    """The files that are named, and in the place of a folder the files of the robot in it."""
    for path in map(Path, files):
        if package_root(path) is None:
            yield path
        else:
            robot = robot_files(path, packages=wishes.packages, allow_xacro=wishes.allow_xacro)
            yield from (part for part in (robot.robot, robot.srdf) if part is not None)
            yield from (robot.settings or {}).values()


def _codec(path: Path) -> Codec | FormatError:
    try:
        return recognise_format(path)
    except FormatError as error:
        return error


def _only_robot(codecs: Mapping[Path, Codec | FormatError], wishes: _Wishes) -> Path | None:
    robots = [path for path, codec in codecs.items() if _is_robot(codec)]
    return robots[0] if len(robots) == 1 and not wishes.beside else None


def _files_beside(
    codecs: Mapping[Path, Codec | FormatError], forced: Path | None, wishes: _Wishes
) -> dict[Path, Path]:
    """Files that nobody named, each with the named file that it belongs to. Beside the only robot
    that is named, a kind of file that is named, too, brings no other of its kind along."""
    named = {path.absolute() for path in codecs}
    recognised_files = {path: codec for path, codec in codecs.items() if isinstance(codec, Codec)}
    kinds = (
        {codec.name for codec in recognised_files.values()}
        if _only_robot(codecs, wishes) is not None
        else set()
    )
    beside: dict[Path, Path] = {}
    for path, codec in recognised_files.items():
        robot = _home(path) if codec.name in ("xrdf", "srdf") and forced is None else None
        # Without leave to expand it, a xacro file is no help.
        is_readable = robot is not None and (robot.suffix.lower() != ".xacro" or wishes.allow_xacro)
        if robot is not None and is_readable and robot.absolute() not in named:
            beside.setdefault(robot, path)
    robots = [path for path, codec in recognised_files.items() if _is_robot(codec)]
    for robot in (*robots, *beside):
        beside.update(
            {
                path: robot
                for path in _parts_of(robot, kinds)
                if path.absolute() not in {*named, *beside}
            }
        )
    return beside


def _leave_others_out(
    along: Mapping[Path, Path], robots: Mapping[Path, UrdfSource | FormatError]
) -> Iterator[tuple[Path, Path]]:
    """Yield the files that nobody named, less those that have other names than a robot of another
    program, which is known only now that it is read. The same file name counts for more."""
    left_out: set[Path] = set()
    for path, home in along.items():
        robot, part = (path, home) if path in robots else (home, path)
        source = robots.get(robot)
        if isinstance(source, UrdfSource) and is_imported(robot) and robot.stem != part.stem:
            with contextlib.suppress(FormatError, OSError):
                if not match(names_in(part), names_of_robot(source.value)).fits:
                    left_out.add(path)
        if not left_out & {path, home}:
            yield path, home


def _parts_of(robot: Path, without: Collection[str]) -> list[Path]:
    """XRDF and SRDF files in the folder of a robot that belong to it, but for kinds in
    `without`."""
    parts = []
    for path in sorted(robot.parent.glob("*")):
        name = path.name.lower()
        kind = "srdf" if name.endswith(".srdf") else "xrdf"
        if name.endswith(_PARTS) and kind not in without and path.is_file():
            home = _home(path)
            if home is not None and home.absolute() == robot.absolute():
                parts.append(path)
    return parts


def _home(path: Path) -> Path | None:
    """The robot in the folder of an XRDF or SRDF that it belongs to.

    It is the one of its name, whatever the names inside: a URDF that lost them is a fault. Else the
    window's choice.
    """
    stem = path.name.removesuffix(path.suffix).removesuffix(".xrdf")
    robot = robot_beside(path.with_name(f"{stem}.xrdf"))
    if robot is None or (robot.suffix.lower() == ".xml" and not _is_robot(_codec(robot))):
        robot = match_robot([path], None, None).urdf
    return path.with_name(robot.name) if robot is not None else None


def _checked(
    path: Path,
    codecs: Mapping[Path, Codec | FormatError],
    robots: Mapping[Path, UrdfSource | FormatError],
    losses: Mapping[Path, tuple[Finding, ...]],
    forced: Path | None,
    wishes: _Wishes,
) -> CheckedFile:
    codec = codecs[path]
    try:
        if isinstance(codec, FormatError):
            raise codec
        if path in robots:
            source = robots[path]
            if isinstance(source, FormatError):
                raise source
            mappings = _mappings_from(path, source, wishes)
            context = CheckContext.of_texts(
                source, None, None, wishes.profile, source.source.path, mappings
            )
            findings = run_rules(context, slow=wishes.slow, files=("urdf",))
            for program in SOURCES if wishes.programs else ():
                findings = (*findings, *as_it_is_read(replace(context, profile=program)))
            is_urdf = codec.name == "urdf"
            if is_urdf or codec.name == "xacro":
                told = {(each.code, each.message) for each in findings}
                against = _against_stages(context, codecs, robots, wishes)
                findings = (
                    *findings,
                    *(each for each in against if (each.code, each.message) not in told),
                )
            placed = findings if is_urdf else _placed(findings, path, source.source.path)
            return CheckedFile(path, _sorted((*losses[path], *placed)), uses=uses(context))
        return CheckedFile(
            path, _sorted(_of_a_part(path, codec, _robot_of(path, robots, forced), wishes))
        )
    except FormatError as error:
        code = next(
            (_UNREADABLE[end] for end in path.name.lower().split(".") if end in _UNREADABLE),
            "XRDF001",
        )
        return CheckedFile(
            path, (Finding(code, Severity.ERROR, error.sentences, location=error.location),), error
        )


def _against_stages(
    context: CheckContext,
    codecs: Mapping[Path, Codec | FormatError],
    robots: Mapping[Path, UrdfSource | FormatError],
    wishes: _Wishes,
) -> Iterator[Finding]:
    """Yield what differs between a URDF with its XRDF and each USD that is named, for Isaac Sim.

    Raises FormatError for an XRDF or USD that cannot be read.
    """
    names = {path: codec.name for path, codec in codecs.items() if isinstance(codec, Codec)}
    stages = [
        path
        for path, name in names.items()
        if name == "usd" and not isinstance(robots.get(path), FormatError)
    ]
    compare = hook("stage") if stages and wishes.profile is Profile.ISAAC else None
    if compare is None:
        return
    masks = [path for path, name in names.items() if name == "xrdf"]
    if len(masks) == 1:
        xrdf = read_xrdf(SourceText.read(masks[0])).value
        context = replace(context, robot=context.robot.with_xrdf(xrdf), has_xrdf=True)
    for stage in stages:
        yield from compare.stage_differences(context, stage)


def _mappings_from(path: Path, urdf: UrdfSource, wishes: _Wishes) -> FrozenDict[str, Path]:
    """The folders of packages, also of those that meshes name: a robot that was converted is in
    another folder."""
    if urdf.source.path == path:
        return wishes.mappings
    shapes = (shape.geometry for link in urdf.value.links for shape in link.shapes)
    names = {package_of(shape.filename) for shape in shapes if isinstance(shape, Mesh)} - {None}
    folders = {
        name: package_folder(name, path, wishes.mappings) for name in names if name is not None
    }
    return FrozenDict(
        {**{n: folder for n, folder in folders.items() if folder is not None}, **wishes.mappings}
    )


def _of_a_part(
    path: Path, codec: Codec, robot: tuple[Path, UrdfSource] | None, wishes: _Wishes
) -> tuple[Finding, ...]:
    """The findings about an XRDF, SRDF, or what becomes an XRDF; `robot`: the URDF that it is
    checked against."""
    where, urdf = robot or (None, None)
    if codec.name == "srdf":
        srdf = read_srdf(_srdf_text(path, wishes))
        findings = run_rules(
            CheckContext.of_texts(urdf, None, srdf, wishes.profile, where), files=("srdf",)
        )
        return _placed(findings, path) if is_xacro(path) else findings
    is_xrdf = codec.name == "xrdf"
    text, losses = (
        (SourceText.read(path), ()) if is_xrdf else _converted(path, "xrdf", where, wishes)
    )
    xrdf = read_xrdf(text)
    context = CheckContext.of_texts(urdf, xrdf, None, wishes.profile, where, wishes.mappings)
    findings = locate_findings(run_rules(context, slow=wishes.slow, files=("xrdf",)), xrdf)
    return findings if codec.name == "xrdf" else (*losses, *_placed(findings, path))


def _checked_settings(
    path: Path,
    codecs: Mapping[Path, Codec | FormatError],
    robots: Mapping[Path, UrdfSource | FormatError],
    forced: Path | None,
    wishes: _Wishes,
) -> CheckedFile:
    """Settings of MoveIt, against the robot, XRDF and SRDF that are checked with them."""
    kind = settings_kind(path)
    assert kind is not None
    first = {codec.name: each for each, codec in codecs.items() if isinstance(codec, Codec)}
    try:
        source = read_settings(SETTINGS[kind], SourceText.read(path))
        _, urdf = _robot_of(path, robots, forced) or (None, None)
        xrdf = read_xrdf(SourceText.read(first["xrdf"])).value if "xrdf" in first else Xrdf()
        srdf = read_srdf(_srdf_text(first["srdf"], wishes)).value if "srdf" in first else None
        robot = RobotDescription(urdf.value if urdf is not None else Urdf(), xrdf, srdf)
        robot = robot.with_part(kind, source.value)
        settings = FrozenDict({kind: source})
        context = CheckContext(
            robot, profile=wishes.profile, has_urdf=urdf is not None, settings=settings
        )
        return CheckedFile(path, _sorted(run_rules(context, files=("ros",))))
    except FormatError as error:
        return CheckedFile(
            path, (Finding("ROS000", Severity.ERROR, str(error), location=error.location),), error
        )


def _srdf_text(path: Path, wishes: _Wishes) -> SourceText:
    if not is_xacro(path):
        return SourceText.read(path)
    _refuse_untrusted(path, wishes)
    return expanded_srdf(path, wishes.xacro_arguments, wishes.packages)


def _refuse_untrusted(path: Path, wishes: _Wishes) -> None:
    if not wishes.allow_xacro:
        remedy = "If you trust the file, use --allow-xacro."
        raise FormatError("A xacro file can run Python expressions", Location(str(path)), remedy)


def _robot_of(
    path: Path, robots: Mapping[Path, UrdfSource | FormatError], forced: Path | None
) -> tuple[Path, UrdfSource] | None:
    """None when there is no robot for a file, or it cannot be read."""
    chosen = forced
    if chosen is None and robots:
        home = _home(path)
        beside = [
            robot for robot in robots if home is not None and robot.absolute() == home.absolute()
        ]
        chosen = next(
            (robot for robot in (*beside, *robots) if robot in beside or robot.stem == path.stem),
            None,
        )
    source = robots.get(chosen) if chosen is not None else None
    if chosen is None or source is None or isinstance(source, FormatError):
        return None
    return source.source.path or chosen, source


def _is_robot(codec: Codec | FormatError) -> bool:
    return isinstance(codec, Codec) and (codec.is_whole or codec.name == "urdf")


def _read_robot(
    path: Path, codec: Codec, wishes: _Wishes
) -> tuple[UrdfSource, tuple[Finding, ...]]:
    """The URDF of a file, and what its format lost on the way there."""
    if codec.name == "xacro":
        _refuse_untrusted(path, wishes)
        return read_urdf(expand_robot(path, wishes.xacro_arguments, wishes.packages)[0]), ()
    is_urdf = codec.name == "urdf"
    text, losses = (
        (SourceText.read(path), ()) if is_urdf else _converted(path, "urdf", None, wishes)
    )
    return read_urdf(text), losses


def _converted(
    path: Path, to: Literal["urdf", "xrdf"], urdf: Path | None, wishes: _Wishes
) -> tuple[SourceText, tuple[Finding, ...]]:
    """Convert a file of another program, with a finding for each part that is lost or kept aside.

    It is written into a folder of its own below `wishes.made`, where its meshes are found.

    Raises FormatError.
    """
    inputs = [path] if urdf is None else [urdf, path]
    target = Path(mkdtemp(dir=wishes.made)) / path.with_suffix(f".{to}").name
    try:
        options = options_of_model(to, wishes.model if takes_model(path) else None)
        conversion = convert(inputs, target, options, packages=wishes.packages)
    except (*CONVERSION_ERRORS, Refused) as error:
        raise FormatError(str(error), Location(str(path))) from error
    write_scratch_files(conversion.files)
    reports = (report for report in conversion.reports if report.target != AS_READ)
    entries = (entry for report in reports for entry in report.entries)
    # A rule finds missing files whose names are kept.
    lost = (
        each for each in entries if each.is_unread or (each.fate in _LOSSES and not each.missing)
    )
    findings = tuple(_loss(path, to, entry) for entry in lost)
    return SourceText.from_bytes(conversion.files[0][1], target), findings


def _loss(path: Path, to: Literal["urdf", "xrdf"], entry: ConversionItem) -> Finding:
    severity = Severity.ERROR if entry.is_unread else _LOSSES[entry.fate]
    code = _LOSS_CODES[to][0 if entry.is_unread else 1]
    message = str(entry) if entry.fate in _LOSSES else f"{entry.item}: {entry.detail}"
    return Finding(code, severity, message, location=Location(str(path)))


def _placed(
    findings: Iterable[Finding], path: Path, made: Path | None = None
) -> tuple[Finding, ...]:
    """Lines of a text that is in no file are no places, nor is the folder of what was `made` of the
    file at `path`."""
    temporary, folder = (str(made.parent), str(path.parent)) if made is not None else ("", "")

    def sentence(finding: Finding) -> str:
        return finding.message.replace(temporary, folder) if temporary else finding.message

    at = Location(str(path))
    return tuple(
        replace(finding, message=sentence(finding), location=at, path=()) for finding in findings
    )


def _sorted(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda finding: finding.place))
