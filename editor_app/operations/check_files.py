"""The verb check for files that are not open: of any format that the editor opens, alone or together.

A URDF (or xacro file, or COLLADA robot) is what XRDFs and SRDFs are checked against: the only one that is named, else
the one of the same name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from editor_app.checks.context import CheckContext
from editor_app.checks.runner import check, located
from editor_app.formats.exchange.codec import Codec, ConvertOptions
from editor_app.formats.registry import recognised
from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.srdf import read_srdf
from editor_app.formats.urdf import UrdfSource, read_urdf
from editor_app.formats.xrdf import read_xrdf
from editor_app.model.findings import Finding, Location, Severity
from editor_app.model.frozen import FrozenDict
from editor_app.model.robot import Profile, RobotDescription
from editor_app.model.urdf import Urdf
from editor_app.model.xrdf import Xrdf
from editor_app.operations.open import expanded
from editor_app.operations.work import Refused

__all__ = ["CheckedFile", "check_files"]


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """`error`: why the file cannot be read; its sentence is then the one finding."""

    path: Path
    findings: tuple[Finding, ...]
    error: FormatError | None = None


@dataclass(frozen=True, slots=True)
class _Wishes:
    profile: Profile
    slow: bool
    packages: Mapping[str, Path]
    xacro_arguments: Mapping[str, str]
    allow_xacro: bool


def check_files(
    files: Iterable[str | Path],
    *,
    profile: Profile = Profile.SPECIFICATION,
    slow: bool = False,
    packages: Mapping[str, Path] | None = None,
    xacro_arguments: Mapping[str, str] | None = None,
    allow_xacro: bool = False,
) -> tuple[CheckedFile, ...]:
    """What each file has wrong, with the place in that file, in the order of the file.

    XRDF, URDF, SRDF, xacro (only with `allow_xacro`: it runs Python expressions), COLLADA robots, cuRobo and Lula
    files, lists of spheres: what is none of the editor's own formats is checked as what it would be converted to, with
    its file as the place. Without a URDF, XRDF and SRDF are checked by the rules that need none.
    """
    wishes = _Wishes(profile, slow, packages or {}, xacro_arguments or {}, allow_xacro)
    codecs: dict[Path, Codec | FormatError] = {}
    for path in dict.fromkeys(map(Path, files)):
        try:
            codecs[path] = recognised(path)
        except FormatError as error:
            codecs[path] = error
    robots: dict[Path, UrdfSource | FormatError] = {}
    for path, codec in codecs.items():
        if isinstance(codec, Codec) and _is_robot(codec):
            try:
                robots[path] = _read_robot(path, codec, wishes)
            except FormatError as error:
                robots[path] = error
    return tuple(_checked(path, codec, robots, wishes) for path, codec in codecs.items())


def _checked(
    path: Path, codec: Codec | FormatError, robots: Mapping[Path, UrdfSource | FormatError], wishes: _Wishes
) -> CheckedFile:
    try:
        if isinstance(codec, FormatError):
            raise codec
        if path in robots:
            source = robots[path]
            if isinstance(source, FormatError):
                raise source
            context = CheckContext(
                RobotDescription(source.urdf, Xrdf()), urdf_source=source, has_xrdf=False, profile=wishes.profile
            )
            findings = check(context, files=("urdf",))
            is_urdf = codec.name == "urdf"
            return CheckedFile(path, _sorted(findings if is_urdf else _placed(findings, path)))
        return CheckedFile(path, _sorted(_of_a_part(path, codec, _robot_of(path, robots), wishes)))
    except FormatError as error:
        sentences = " ".join(_sentence(part) for part in (error.message, error.remedy) if part)
        code = {"urdf": "URDF000", "srdf": "SRDF000"}.get(path.suffix.lower().removeprefix("."), "XRDF001")
        return CheckedFile(path, (Finding(code, Severity.ERROR, sentences, location=error.location),), error)


def _of_a_part(path: Path, codec: Codec, robot: tuple[Path, UrdfSource] | None, wishes: _Wishes) -> tuple[Finding, ...]:
    """The findings about an XRDF, SRDF, or what becomes an XRDF; `robot`: the URDF that it is checked against."""

    urdf = robot[1].urdf if robot is not None else Urdf()
    where = robot[0] if robot is not None else None
    has_urdf = robot is not None
    packages = FrozenDict({name: Path(folder) for name, folder in wishes.packages.items()})
    if codec.name == "srdf":
        srdf = read_srdf(SourceText.read(path))
        context = CheckContext(
            RobotDescription(urdf, Xrdf(), srdf.srdf),
            profile=wishes.profile,
            has_urdf=has_urdf,
            urdf_path=where,
            srdf_source=srdf,
            has_xrdf=False,
        )
        return check(context, files=("srdf",))
    source = SourceText.read(path) if codec.name == "xrdf" else _converted(path, "xrdf", where)
    xrdf = read_xrdf(source)
    robot_description = RobotDescription(urdf, xrdf.xrdf)
    context = CheckContext(robot_description, xrdf, wishes.profile, has_urdf, where, packages)
    findings = located(check(context, slow=wishes.slow, files=("xrdf",)), xrdf)
    return findings if codec.name == "xrdf" else _placed(findings, path)


def _robot_of(path: Path, robots: Mapping[Path, UrdfSource | FormatError]) -> tuple[Path, UrdfSource] | None:
    """The only robot, else the one of the same name; None when there is none, or it cannot be read."""
    chosen = next(iter(robots)) if len(robots) == 1 else next((p for p in robots if p.stem == path.stem), None)
    source = robots[chosen] if chosen is not None else None
    return None if chosen is None or source is None or isinstance(source, FormatError) else (chosen, source)


def _is_robot(codec: Codec) -> bool:
    return codec.is_whole or codec.name == "urdf"


def _read_robot(path: Path, codec: Codec, wishes: _Wishes) -> UrdfSource:

    if codec.name == "xacro":
        if not wishes.allow_xacro:
            remedy = "Allow that where you trust the file: --allow-xacro."
            raise FormatError("A xacro file runs Python expressions of its own", Location(str(path)), remedy)
        return read_urdf(expanded(path, wishes.xacro_arguments, wishes.packages)[0])
    if codec.is_whole:
        return read_urdf(_converted(path, "urdf", None))
    return read_urdf(SourceText.read(path))


def _converted(path: Path, to: str, urdf: Path | None) -> SourceText:
    """What a file of another program becomes, in memory. Raises FormatError."""
    from editor_app.operations.convert import CONVERSION_ERRORS, convert

    inputs = [path] if urdf is None else [urdf, path]
    target = path.with_suffix(f".{to}")
    try:
        conversion = convert(inputs, target, ConvertOptions(to=to))
    except (*CONVERSION_ERRORS, Refused) as error:
        raise FormatError(str(error), Location(str(path))) from error
    return SourceText.from_bytes(conversion.files[0][1], target)


def _placed(findings: Iterable[Finding], path: Path) -> tuple[Finding, ...]:
    """Lines of a text that is in no file are no places."""
    return tuple(replace(finding, location=Location(str(path)), path=()) for finding in findings)


def _sorted(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(
        sorted(findings, key=lambda f: (f.location.line or 0, f.location.column or 0) if f.location else (0, 0))
    )


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
