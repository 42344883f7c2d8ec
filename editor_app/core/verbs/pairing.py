"""Which files belong together: what a file is by its content, and which robot the names in an XRDF
or SRDF fit."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain, takewhile
from pathlib import Path

from editor_app.core.document.state import FileKind
from editor_app.core.formats import registry
from editor_app.core.formats.exchange.codec import ConvertOptions, Sample
from editor_app.core.formats.misnamed_files import UnreadKind, refuse_unread_kind
from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.trajectories.bags import is_bag
from editor_app.core.formats.xrdf import SECTION_ORDER, read_xrdf
from editor_app.core.model.keys import Named
from editor_app.core.model.references import DocumentName, reference_fields
from editor_app.core.model.regular_file import other_kind
from editor_app.core.model.srdf import Srdf
from editor_app.core.model.urdf import Urdf
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.verbs.convert import CONVERSION_ERRORS, convert

#: From this share of its names on, a file is taken to belong to a robot without a question.
MOSTLY = 0.5
#: Bounds of the search for robots: folders up and down, entries looked at, robots read, and their
#: size in bytes.
_UP, _DOWN, _MOST_ENTRIES, _MOST_ROBOTS, _MOST_BYTES = 2, 3, 4000, 200, 8_000_000

#: Endings of robots of other programs that an XRDF may belong to.
_WHOLE = (".usd", ".usda", ".usdc", ".usdz")
_NATIVE = ("urdf", "xacro", "xrdf", "srdf")
_YAML = (".xrdf", ".yaml", ".yml", ".json")
_NAMED = re.compile(r"""<(?:link|joint)\s[^<>]*?\bname\s*=\s*["']([^"'${}]+)["']""")
_XRDF_KEYS = re.compile(rf"^(?:{'|'.join(SECTION_ORDER)})\s*:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class NameMatch:
    """How many of the names in an XRDF or SRDF a robot has. `urdf` is None for a robot that is
    open."""

    urdf: Path | None
    present: int
    missing: tuple[str, ...]

    @property
    def total(self) -> int:
        return self.present + len(self.missing)

    @property
    def share(self) -> float:
        """0…1; a file without names fits every robot."""
        return self.present / self.total if self.total else 1.0

    @property
    def fits(self) -> bool:
        """True if most names exist."""
        return self.share >= MOSTLY

    def described(self) -> str:
        """For a sentence: "41 of 43 names"."""
        return f"{self.present} of {self.total} names" if self.total else "no names to compare"


# -- what a file is


def recognise_file(path: Path) -> str | None:
    """The name of the format of a file, by its content before its name; None where neither tells.

    A broken file is what its name says. Raises FormatError when it cannot be opened.
    """
    suffix = path.suffix.lower()
    if suffix == ".urdf":
        return "urdf"
    if suffix in _YAML:
        source = SourceText.read(path)
        if (foreign := registry.foreign_codec(source)) is not None:
            return foreign.name
        return "xrdf" if suffix == ".xrdf" or _XRDF_KEYS.search(source.text) else None
    try:
        return registry.recognise_format(path).name
    except FormatError:
        return None


# -- names


def names_in_xrdf(xrdf: Xrdf) -> frozenset[str]:
    """The links, frames and joints that an XRDF speaks of, less the frames and joints that it adds
    itself."""
    added = ((each.frame_name, each.joint_name) for each in xrdf.added_frames)
    return _names_referred_to("xrdf", xrdf).difference(*added)


def names_in_srdf(srdf: Srdf) -> frozenset[str]:
    """The links and joints that an SRDF speaks of, less the virtual joints that it adds itself."""
    added = ((joint.name, joint.parent_frame) for joint in srdf.virtual_joints)
    return _names_referred_to("srdf", srdf).difference(*added)


def _names_referred_to(name: DocumentName, document: Xrdf | Srdf) -> frozenset[str]:
    fields = (*reference_fields(Named.LINK, (name,)), *reference_fields(Named.JOINT, (name,)))
    return frozenset(chain.from_iterable(field.names(document) for field in fields))


def names_in(path: Path) -> frozenset[str]:
    """The names that an XRDF or SRDF speaks of. Raises FormatError."""
    source = SourceText.read(path)
    if path.suffix.lower() == ".srdf" or source.text.lstrip().startswith("<"):
        return names_in_srdf(read_srdf(source).value)
    return names_in_xrdf(read_xrdf(source).value)


def names_of_robot(urdf: Urdf) -> frozenset[str]:
    """Its links and joints."""
    return frozenset((*(link.name for link in urdf.links), *(joint.name for joint in urdf.joints)))


# -- which robot


def match(names: Iterable[str], robot: frozenset[str], urdf: Path | None = None) -> NameMatch:
    """How well the names of a file fit the names of a robot."""
    wanted = frozenset(names)
    return NameMatch(urdf, len(wanted & robot), tuple(sorted(wanted - robot)))


def robots_for(
    file: Path, names: frozenset[str], also: Sequence[Path] = ()
) -> tuple[NameMatch, ...]:
    """URDFs that an XRDF or SRDF may belong to, best first: by names, then by how near they lie,
    then by their name.

    Looked for in its folder, those inside it, and two folders up; `also` are more, such as those
    opened lately. A robot with none of the names is named only where no robot has any.
    """
    matches = []
    for urdf in dict.fromkeys(
        (*_urdfs_near(file.absolute().parent), *(path.absolute() for path in also))
    ):
        robot = _names_in_urdf(urdf)
        if robot:
            matches.append(match(names, robot, urdf))
    alike = [candidate for candidate in matches if candidate.present]
    return tuple(sorted(alike or matches, key=lambda candidate: _rank(file.absolute(), candidate)))


def _rank(file: Path, candidate: NameMatch) -> tuple[float, int, float, str]:
    assert candidate.urdf is not None
    alike = SequenceMatcher(None, file.stem.lower(), candidate.urdf.stem.lower()).ratio()
    return -candidate.share, _steps(file.parent, candidate.urdf.parent), -alike, str(candidate.urdf)


def _steps(start: Path, end: Path) -> int:
    """Folders up and down from one folder to the other."""
    common = len(
        list(takewhile(lambda both: both[0] == both[1], zip(start.parts, end.parts, strict=False)))
    )
    return len(start.parts) + len(end.parts) - 2 * common


def _urdfs_near(folder: Path) -> list[Path]:
    urdfs: list[Path] = []
    budget = _MOST_ENTRIES
    seen: set[Path] = set()
    for root in (folder, *list(folder.parents)[:_UP]):
        # The folder of all robots, or the root of the disk, is none to search.
        if root == root.parent or root == Path.home():
            break
        waiting = [(root, 0)]
        while waiting and budget > 0 and len(urdfs) < _MOST_ROBOTS:
            current, depth = waiting.pop(0)
            if current in seen:
                continue
            seen.add(current)
            for entry in _entries(current):
                budget -= 1
                if entry.suffix.lower() == ".urdf":
                    urdfs.append(entry)
                elif (
                    depth < _DOWN
                    and not entry.is_symlink()
                    and entry.is_dir()
                    and not entry.name.startswith(".")
                ):
                    waiting.append((entry, depth + 1))
    return urdfs


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


@dataclass(frozen=True, slots=True)
class RobotParts:
    """Files that were dropped or named together, by kind; the first of each kind."""

    robot: Path | None = None
    is_xacro: bool = False
    xrdf: Path | None = None
    srdf: Path | None = None
    #: To be imported: cuRobo, Lula, lists of spheres, COLLADA.
    foreign: Path | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        """Its XRDF and SRDF."""
        return tuple(path for path in (self.xrdf, self.srdf) if path is not None)


def sorted_parts(paths: Iterable[Path]) -> RobotParts:
    """Sort files by kind; the name decides for a file that cannot be read."""
    first: dict[str, Path] = {}
    for path in paths:
        try:
            name = recognise_file(path)
        except (FormatError, OSError):
            name = {".xml": "urdf", ".xrdf": "xrdf", ".yaml": "xrdf", ".yml": "xrdf"}.get(
                path.suffix.lower()
            )
        if name is not None:
            first.setdefault(name, path)
    foreign = next((path for name, path in first.items() if name not in _NATIVE), None)
    robot = first.get("urdf")
    xacro = first.get("xacro") if robot is None else None
    return RobotParts(
        robot or xacro, xacro is not None, first.get("xrdf"), first.get("srdf"), foreign
    )


def unread_kind(paths: Iterable[Path]) -> UnreadKind | None:
    """Why the first of some files is not read that is of a known kind beyond the formats: MJCF,
    USD, a mesh…"""
    for path in paths:
        try:
            refuse_unread_kind(path)
        except UnreadKind as refusal:
            return refusal
    return None


@dataclass(frozen=True, slots=True)
class RobotMatch:
    """The robot that an XRDF or SRDF belongs to: the open one, the one at `urdf`, or one to ask
    for."""

    is_open: bool = False
    urdf: Path | None = None
    #: For the question, best first; `NameMatch.urdf` is None for the robot that is open.
    matches: tuple[NameMatch, ...] = ()


def match_robot(
    files: Sequence[Path],
    open_robot: frozenset[str] | None,
    open_urdf: Path | None,
    also: Sequence[Path] = (),
) -> RobotMatch:
    """Decides by names. `open_robot` has the names of the robot that is open, `also` more robots to
    ask about.

    A robot of the same stem in the same folder comes first, then the open one, then the only one in
    the folder; each only when it has most of the names. Where the open robot is from another folder
    and has the names, too, nobody knows. Names of a file that is broken are not known: they fit.
    """
    names: set[str] = set()
    for path in files:
        with contextlib.suppress(FormatError, OSError):
            names |= names_in(path)
    wanted = frozenset(names)
    now = match(wanted, open_robot) if open_robot is not None else None
    if wanted and now is not None and now.fits:
        return _home_beside_open_robot(files[0], wanted, now, open_urdf)
    beside = robot_beside(files[0])
    if beside is not None and beside != open_urdf:
        fit_of_beside = _match_file(wanted, beside)
        if fit_of_beside is None or fit_of_beside.fits:
            return RobotMatch(urdf=beside)
    if now is not None and now.fits:
        return RobotMatch(is_open=True)
    matches = robots_for(files[0], wanted, also)
    only = _only_robot_beside(files[0], matches, has_names=bool(wanted)) if now is None else None
    if only is not None:
        return RobotMatch(urdf=only)
    listed = [m for m in matches if m.urdf != open_urdf]
    if now is not None:
        place = next((i for i, m in enumerate(listed) if m.share <= now.share), len(listed))
        listed.insert(place, now)
    return RobotMatch(matches=tuple(listed))


def _home_beside_open_robot(
    file: Path, wanted: frozenset[str], now: NameMatch, open_urdf: Path | None
) -> RobotMatch:
    """Return the open robot, which has the names of a file, or a question if a robot in its folder
    has them, too."""
    folder, beside = file.absolute().parent, robot_beside(file)
    if (
        open_urdf is not None
        and open_urdf.absolute().parent == folder
        and beside in (None, open_urdf)
    ):
        return RobotMatch(is_open=True)
    matches = (
        m for m in robots_for(file, wanted) if m.fits and m.urdf is not None and m.urdf != open_urdf
    )
    near = [m for m in matches if m.urdf is not None and m.urdf.parent == folder]
    return RobotMatch(matches=(*near, now)) if near else RobotMatch(is_open=True)


def _only_one_beside(file: Path, matches: Sequence[NameMatch]) -> Path | None:
    """The URDF of the only robot in the folder of a file that has the file's names; None for none
    or several."""
    folder = file.absolute().parent
    urdfs = [m.urdf for m in matches if m.fits and m.urdf is not None and m.urdf.parent == folder]
    return urdfs[0] if len(urdfs) == 1 else None


def _only_robot_beside(file: Path, matches: Sequence[NameMatch], *, has_names: bool) -> Path | None:
    """The only URDF in the folder of a file that has its names, or the only robot of another
    program there."""
    folder = file.absolute().parent
    if any(m.fits and m.urdf is not None and m.urdf.parent == folder for m in matches):
        return _only_one_beside(file, matches) if has_names else None
    robots = [path for path in _entries(folder) if is_imported(path) and path.is_file()]
    return robots[0] if len(robots) == 1 else None


def home_of_foreign(file: Path, also: Sequence[Path] = ()) -> RobotMatch:
    """The robot that a file of another program (cuRobo, Lula, spheres) belongs to, while none is
    open.

    The URDF that the file itself names comes first, where it has the names in the file and lies
    below one of the folders above it; any other file that it names is asked about, since it comes
    from a stranger. Then those near it. Raises FormatError for a file that cannot be read.
    """
    names = _names_in_foreign(file)
    named = _named_urdfs(file)
    folders = file.absolute().parents[: _UP + 1]
    for urdf in named:
        candidate = _match_file(names, urdf)
        if (
            candidate is not None
            and candidate.fits
            and any(urdf.is_relative_to(folder) for folder in folders)
        ):
            return RobotMatch(urdf=urdf)
    matches = robots_for(file, names, (*named, *also))
    only = _only_one_beside(file, matches)
    if names and only is not None and not named:
        return RobotMatch(urdf=only)
    return RobotMatch(matches=matches)


def _names_in_foreign(file: Path) -> frozenset[str]:
    try:
        conversion = convert([file], file.with_suffix(".xrdf"), ConvertOptions(to="xrdf"))
    except CONVERSION_ERRORS:
        # Not everything can be read without its robot.
        return frozenset()
    return names_in_xrdf(read_xrdf(SourceText.from_bytes(conversion.files[0][1])).value)


def _named_urdfs(file: Path) -> list[Path]:
    """The URDFs that are there of those that the file names, relative to its folder or to one above
    it."""
    codec = registry.recognise_format(file)
    if codec.names_urdf is None:
        return []
    urdfs = []
    for name in codec.names_urdf(Sample(file)):
        for folder in file.absolute().parents[: _UP + 3]:
            # cuRobo's own files name their robots below `assets`, beside the folder that they are
            # in.
            for place in (folder / name, folder / "assets" / name):
                if place.suffix.lower() in (".urdf", ".xml") and place.is_file():
                    urdfs.append(Path(os.path.normpath(place)))
    return list(dict.fromkeys(urdfs))


def robot_beside(file: Path) -> Path | None:
    """The robot of the same stem in the folder of a file; absolute."""
    stem = file.absolute().with_suffix("")
    for suffix in (".urdf", ".xml", ".xacro", ".urdf.xacro", *_WHOLE):
        candidate = stem.with_name(stem.name + suffix)
        if candidate.is_file():
            return candidate
    return None


def is_imported(robot: Path) -> bool:
    """Return whether a robot that `match_robot` gives is a file of another program, which is
    imported first."""
    return robot.suffix.lower() in _WHOLE


def _match_file(names: frozenset[str], urdf: Path) -> NameMatch | None:
    """None for a xacro file or one of another program, whose names are known when it is expanded or
    imported."""
    if urdf.suffix.lower() == ".xacro" or is_imported(urdf):
        return None
    robot = _names_in_urdf(urdf)
    return match(names, robot, urdf) if robot else None


def _names_in_urdf(urdf: Path) -> frozenset[str]:
    try:
        if not urdf.is_file() or urdf.stat().st_size > _MOST_BYTES:
            return frozenset()
        return frozenset(_NAMED.findall(SourceText.read(urdf).text))
    except (FormatError, OSError):
        return frozenset()


# -- which files for a robot


def offered_beside(urdf: Path, robot: frozenset[str], kind: FileKind) -> NameMatch | None:
    """The XRDF or SRDF of another stem in a URDF's folder that is the only one, or the only one
    that fits.

    In the `NameMatch`, `urdf` is the file that is offered. One of which no name exists is not
    offered.
    """
    suffixes = (".srdf",) if kind is FileKind.SRDF else (".xrdf", ".xrdf.yaml", ".xrdf.yml")
    files = [
        path for path in _entries(urdf.absolute().parent) if path.name.lower().endswith(suffixes)
    ]
    matches = []
    for path in files[:_MOST_ROBOTS]:
        try:
            matches.append(match(names_in(path), robot, path))
        except (FormatError, OSError):
            continue
    likely = [candidate for candidate in matches if candidate.present]
    if len(files) == 1:
        return likely[0] if likely else None
    fitting = [candidate for candidate in likely if candidate.fits]
    return fitting[0] if len(fitting) == 1 else None


# -- trajectories and scenes, by suffix and the first lines

#: Bytes that are looked at.
_HEAD = 16_384
_TRAJECTORY = re.compile(
    r"""^\s*[{,]?\s*(?:-\s*)?["']?joint_names["']?\s*:|["']joint_names["']\s*:""", re.MULTILINE
)
#: Lists of names and of positions, as a JointState has them.
_NAMES, _POSITIONS = (
    re.compile(rf"""(?:^|[{{,])[ \t]*["']?{key}["']?[ \t]*:[ \t]*(?:\[|$)""", re.MULTILINE)
    for key in ("name", "position")
)
_SCENE = re.compile(r"""^format:\s*["']?xrdf-editor-scene|^(?:cuboid|blox)\s*:""", re.MULTILINE)


def is_trajectory(path: Path) -> bool:
    """CSV and bags by their name; JSON and YAML when they name joints, or list names and positions
    (JointState)."""
    if is_bag(path) or path.suffix.lower() == ".csv":
        return True
    return path.suffix.lower() in (".json", ".yaml", ".yml") and bool(
        (
            _TRAJECTORY.search(text := _head(path))
            or (_NAMES.search(text) and _POSITIONS.search(text))
        )
        and not re.search(r"^(?:format|robot_cfg|geometry|cspace)\s*:", text, re.MULTILINE)
    )


def is_scene(path: Path) -> bool:
    """MoveIt's by its name, YAML by its content."""
    if path.suffix.lower() == ".scene":
        return True
    return path.suffix.lower() in (".yaml", ".yml") and bool(_SCENE.search(_head(path)))


def _head(path: Path) -> str:
    if other_kind(path) is not None:
        return ""
    try:
        with path.open("rb") as file:
            return file.read(_HEAD).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
