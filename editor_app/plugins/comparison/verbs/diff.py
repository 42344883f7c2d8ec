"""The verb diff: what differs in meaning between two robots, and how far their frames are apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from editor_app.core.document import document
from editor_app.core.document.comparison import (
    Difference,
    compare_srdf,
    compare_urdf,
    compare_xrdfs,
)
from editor_app.core.formats.exchange.unread import unread_note
from editor_app.core.formats.file_part import FilePart
from editor_app.core.formats.moveit_package import find_srdf, find_xrdf
from editor_app.core.formats.registry import recognise_format
from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.frozen import brief
from editor_app.core.model.keys import Named
from editor_app.core.model.references import DOCUMENTS, reference_fields
from editor_app.core.model.robot import CannotApply
from editor_app.core.model.srdf import Srdf
from editor_app.core.model.urdf import Mesh, Urdf
from editor_app.core.model.xrdf import AddFrame, Xrdf
from editor_app.core.space.geometry.paths import resolve_mesh_path
from editor_app.core.space.kinematics import frame_deviations, tree
from editor_app.core.tasks.work import (
    Cancel,
    Progress,
    Refused,
    check_arguments,
    make_stoppable,
    never,
    silent,
)
from editor_app.core.text.source import SourceText
from editor_app.core.verbs import convert as conversions
from editor_app.core.verbs import reading_notes
from editor_app.core.verbs import robot_inputs as xacro

_READERS: Mapping[str, Callable[[SourceText], Any]] = {"srdf": read_srdf, "xrdf": read_xrdf}
#: Random configurations in which frames are compared.
SAMPLES = 4096


@dataclass(frozen=True)
class RobotDiff:
    """`differences`: "urdf", "srdf", "xrdf" -> what differs, for each kind of document that both
    robots have.

    `deviations`: of the frames of two URDFs. `notes`: what was left out.
    """

    differences: Mapping[str, tuple[Difference, ...]]
    deviations: frame_deviations.FrameDeviations | None
    notes: tuple[str, ...] = ()

    __repr__ = brief

    @property
    def is_same(self) -> bool:
        """True if nothing differs: neither what the documents say, nor where a frame is."""
        return not any(self.differences.values()) and self.is_same_mechanism

    @property
    def is_same_mechanism(self) -> bool:
        """True if every common frame was at one place in all configurations that were looked at."""
        frames = () if self.deviations is None else self.deviations.frames
        return not any(frame.is_seen for frame in frames)


@dataclass(frozen=True)
class RobotSide:
    """One side: the file that was named, and what it and those beside it say, by "urdf", "srdf",
    "xrdf".

    `notes`: the parts of these files that cannot be read.
    """

    path: Path
    documents: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    __repr__ = brief

    @staticmethod
    def of(given: document.Document) -> RobotSide:
        """An open robot as it is now."""
        robot = given.robot
        present = {"urdf": robot.urdf, "xrdf": robot.xrdf, "srdf": robot.srdf}
        name = given.urdf_path or given.xrdf_path or Path(robot.urdf.name or "robot")
        documents = {kind: value for kind, value in present.items() if value is not None}
        return RobotSide(name, documents, reading_notes.list_reading_notes(given))

    @staticmethod
    def read(path: Path, sources: Mapping[str, FilePart[Any]]) -> RobotSide:
        """The files behind `sources`, by "urdf", "srdf", "xrdf"."""
        notes = (unread_note(source.source.name, source.findings) for source in sources.values())
        documents = {kind: source.value for kind, source in sources.items()}
        return RobotSide(path, documents, tuple(filter(None, notes)))


@check_arguments
def diff(
    old: str | Path | document.Document | RobotSide,
    new: str | Path | document.Document | RobotSide,
    *,
    names: Sequence[str] = (),
    tolerance: float = 0.0,
    samples: int = SAMPLES,
    packages: Mapping[str, Path] | None = None,
    xacro_arguments: Mapping[str, str] | None = None,
    allow_xacro: bool = False,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> RobotDiff:
    """Compare two files of one kind: robot, SRDF, XRDF. URDFs are compared with the SRDFs and XRDFs
    next to them.

    A robot is a URDF, a xacro file, or a robot of another program (COLLADA, MJCF, SDF).

    An open document stands for its robot as it is now.

    `names`: "OLD=NEW" for links and joints that are called otherwise in the new robot; one * on
    each side stands for the rest of a name ("arm_*=left_arm_*"), and the first that fits counts.
    `tolerance`: numbers that differ by no more are equal (metres, radians, kilograms and so on).
    Frames of two URDFs are compared in `samples` random configurations and at the ends of every
    joint, see `frame_deviations`. Raises Refused, FormatError, OSError, Cancelled.
    """
    tell = make_stoppable(progress, cancel)
    if not tolerance >= 0.0:
        raise Refused(f"tolerance must be 0 or more, not {tolerance!r}")
    folders = dict(packages or {})
    sides = []
    for share, given in ((0.0, old), (0.2, new)):
        tell(share, "Reading")
        sides.append(
            read_side(
                given,
                packages=folders,
                xacro_arguments=xacro_arguments or {},
                allow_xacro=allow_xacro,
            )
        )
    before, after = rename_side(sides[0], names), sides[1]
    kinds = [kind for kind in DOCUMENTS if kind in before.documents and kind in after.documents]
    if not kinds:
        raise Refused(
            f"{before.path} is a file of the kind {' and '.join(before.documents)}, {after.path} "
            "of the kind "
            f"{' and '.join(after.documents)}: compare two files of the same kind"
        )
    names_differ = before.path.name != after.path.name
    shown = {
        id(side): side.path.name if names_differ else str(side.path) for side in (before, after)
    }
    notes = [
        *(note for side in (before, after) for note in side.notes),
        *(
            f"{shown[id(side)]} has an {kind.upper()}, {shown[id(other)]} has none: not compared."
            for side, other in ((before, after), (after, before))
            for kind in side.documents
            if kind not in other.documents
        ),
    ]
    tell(0.4, "Comparing")
    meshes = _MeshFiles(before, after, folders)
    differences: dict[str, tuple[Difference, ...]] = {
        kind: _compared(kind, before.documents[kind], after.documents[kind], tolerance, meshes)
        for kind in kinds
    }
    deviations = None
    if "urdf" in kinds:
        trees = tree.build_tree(before.documents["urdf"]), tree.build_tree(after.documents["urdf"])
        deviations = frame_deviations.frame_deviations(
            *trees, samples, lambda share: tell(0.5 + 0.5 * share, "Comparing frames")
        )
        if deviations is None:
            notes.append("The two have no link name in common: pair names with OLD=NEW (--names).")
    return RobotDiff(differences, deviations, tuple(notes))


def read_side(
    given: str | Path | document.Document | RobotSide,
    *,
    packages: Mapping[str, Path] | None = None,
    xacro_arguments: Mapping[str, str] | None = None,
    allow_xacro: bool = False,
    model: str | None = None,
) -> RobotSide:
    """Read a file with the files next to it, as one side of a comparison. `model`: which robot of a
    file with several.

    Raises Refused, FormatError, OSError.
    """
    if isinstance(given, RobotSide):
        return given
    if isinstance(given, (str, PathLike)):
        return _read(Path(given), packages or {}, xacro_arguments or {}, allow_xacro, model)
    if not isinstance(given, document.Document):
        raise Refused(
            "a robot to compare must be a file, an open robot (open_robot returns one) or a side, "
            f"not {given!r}"
        )
    return RobotSide.of(given)


def _read(
    path: Path,
    packages: Mapping[str, Path],
    arguments: Mapping[str, str],
    allow_xacro: bool,
    model: str | None,
) -> RobotSide:
    kind = recognise_format(path).name
    if kind == "xacro":
        xacro.refuse_untrusted(path, allow_xacro)
        text = xacro.expand_robot(path, arguments, packages)[0]
        return RobotSide.read(path, {"urdf": read_urdf(text), **_beside(path)})
    if kind == "urdf":
        return RobotSide.read(path, {"urdf": read_urdf(SourceText.read(path)), **_beside(path)})
    if kind in _READERS:
        return RobotSide.read(path, {kind: _READERS[kind](SourceText.read(path))})
    whole = conversions.read_whole_robot(path, packages, model)
    if whole is not None and whole.urdf is not None:
        # Its SRDF and XRDF are drafts.
        return RobotSide.read(path, {"urdf": whole.urdf})
    raise Refused(
        f"{path} is a {kind} file: only robots, SRDFs and XRDFs can be compared; convert it first"
    )


def _beside(path: Path) -> dict[str, Any]:
    files = {"srdf": find_srdf(path), "xrdf": find_xrdf(path)}
    return {
        kind: _READERS[kind](SourceText.read(file))
        for kind, file in files.items()
        if file is not None
    }


def _compared(
    kind: str, old: Any, new: Any, tolerance: float, meshes: _MeshFiles
) -> tuple[Difference, ...]:
    if kind == "urdf":
        return compare_urdf(old, new, tolerance, meshes)
    return (
        compare_srdf(old, new, tolerance) if kind == "srdf" else compare_xrdfs(old, new, tolerance)
    )


class _MeshFiles:
    """Whether two meshes have the same bytes; None where a file is not found."""

    def __init__(self, old: RobotSide, new: RobotSide, packages: Mapping[str, Path]) -> None:
        self._paths = old.path, new.path
        self._packages = packages
        self._answers: dict[tuple[str, str], bool | None] = {}

    def __call__(self, old: Mesh, new: Mesh) -> bool | None:
        names = old.filename, new.filename
        if names not in self._answers:
            self._answers[names] = self._are_same(*names)
        return self._answers[names]

    def _are_same(self, *names: str) -> bool | None:
        files = [
            resolve_mesh_path(name, path, self._packages)
            for name, path in zip(names, self._paths, strict=True)
        ]
        a, b = files
        if a is None or b is None:
            return None
        return a.samefile(b) or (
            a.stat().st_size == b.stat().st_size and a.read_bytes() == b.read_bytes()
        )


def rename_side(side: RobotSide, names: Sequence[str]) -> RobotSide:
    """Return a side with other names of links and joints, by rules "OLD=NEW". Raises Refused."""
    if not names:
        return side
    rename = _renaming(names)
    renamed = {kind: _renamed(kind, document, rename) for kind, document in side.documents.items()}
    return replace(side, documents=renamed)


def _renaming(names: Sequence[str]) -> Callable[[str], str]:
    """Raises Refused."""
    rules = []
    for rule in names:
        old, mark, new = rule.partition("=")
        if not mark or not old or not new or old.count("*") > 1 or old.count("*") != new.count("*"):
            raise Refused(
                f"{rule!r} is not a pair of names: write OLD=NEW, with one * on both sides or none"
            )
        rules.append((old.partition("*"), new))

    def rename(name: str) -> str:
        for (begin, star, end), new in rules:
            if star:
                fits = (
                    len(name) >= len(begin) + len(end)
                    and name.startswith(begin)
                    and name.endswith(end)
                )
                if fits:
                    return new.replace("*", name[len(begin) : len(name) - len(end)])
            elif name == begin:
                return new
        return name

    return rename


def _renamed(kind: str, document: Any, rename: Callable[[str], str]) -> Any:
    """The document with other names of links, added frames and joints, wherever they stand. Raises
    Refused."""
    try:
        for named in (Named.LINK, Named.JOINT):
            for field in reference_fields(named):
                if field.document == kind:
                    document = field.renamed(document, rename)
    except CannotApply:
        raise Refused(f"--names gives two entries of the {kind.upper()} the same name") from None
    return _with_names(document, rename)


def _with_names(document: Urdf | Srdf | Xrdf, rename: Callable[[str], str]) -> Urdf | Srdf | Xrdf:
    """The names that links, joints and added frames have themselves."""
    if isinstance(document, Urdf):
        links = tuple(replace(link, name=rename(link.name)) for link in document.links)
        return replace(
            document,
            links=links,
            joints=tuple(replace(j, name=rename(j.name)) for j in document.joints),
        )
    if isinstance(document, Xrdf) and document.modifiers is not None:
        modifiers = tuple(
            replace(each, frame_name=rename(each.frame_name), joint_name=rename(each.joint_name))
            if isinstance(each, AddFrame)
            else each
            for each in document.modifiers
        )
        return replace(document, modifiers=modifiers)
    return document
