"""One robot out of what several files contribute to it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from editor_app.core.formats.exchange.codec import (
    Codec,
    ConvertOptions,
    Part,
    RobotFiles,
    Subject,
    Surroundings,
)
from editor_app.core.formats.exchange.conversion import (
    ConversionReport,
    NeedsChoice,
    Reporter,
    XrdfConversion,
    choose_group,
)
from editor_app.core.formats.exchange.settings_losses import settings_losses
from editor_app.core.formats.exchange.sphere_lists import (
    SphereList,
    is_all_spheres,
    spheres_in_urdf,
    with_sphere_list,
)
from editor_app.core.formats.exchange.srdf_to_xrdf import to_xrdf
from editor_app.core.formats.exchange.stated_values import brought_up_to_date, with_stated
from editor_app.core.formats.exchange.strange_names import strange_names
from editor_app.core.formats.exchange.unread import unread_report
from editor_app.core.formats.ros_settings import SETTINGS_KINDS
from editor_app.core.formats.urdf import UrdfSource
from editor_app.core.formats.xrdf import convert_version
from editor_app.core.formats.xrdf.guess_comments import guesses_of
from editor_app.core.formats.xrdf.mask_reasons import read_reasons
from editor_app.core.formats.xrdf.versions import CannotConvert, Differing
from editor_app.core.model.findings import Location
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.guesses import (
    PLACEHOLDERS,
    POSITIONS,
    GuessedPart,
    Guesses,
    added_placeholders,
    get_values,
)
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.srdf import Srdf
from editor_app.core.model.srdf_groups import list_planned_joints
from editor_app.core.model.urdf import Urdf
from editor_app.core.model.xrdf import LinkPair, SelfCollisionSection, Xrdf
from editor_app.core.text.source import FormatError

#: Keys of an XRDF with a value for each joint.
_PER_JOINT = (POSITIONS, *PLACEHOLDERS)


@dataclass(frozen=True)
class GatheredDocuments:
    """The documents of a robot out of several files.

    `sphere_urdf` is a second URDF, which gives its spheres alone. `unread`: for each document, the
    parts that its reader left out.
    """

    files: RobotFiles
    reports: tuple[ConversionReport, ...]
    sphere_urdf: UrdfSource | None = None
    unread: tuple[ConversionReport, ...] = ()


def documents_of(contributions: Iterable[RobotFiles], target: str = "") -> GatheredDocuments:
    """The documents of one robot, which is written as `target`. Raises FormatError for two files of
    a kind."""
    files, sphere_urdf = RobotFiles(), None
    reports: list[ConversionReport] = []
    unread: list[ConversionReport] = []
    for one in contributions:
        unread += _unread_reports(one, target)
        if one.report is not None:
            reports.append(one.report)
        if one.urdf is not None and files.urdf is not None:
            if one.stated is not None or (files.stated is not None and one.xrdf is not None):
                raise FormatError("There are two robots", one.urdf.source.location(0), "Name one.")
            if sphere_urdf is not None:
                raise FormatError(
                    "There are three URDFs",
                    one.urdf.source.location(0),
                    "Name one robot, and one URDF of spheres.",
                )
            sphere_urdf = one.urdf
            continue
        _refuse_twice(one, files)
        xrdf_of = _with_xrdf(one, files)
        files = RobotFiles(
            one.urdf or files.urdf,
            xrdf_of.xrdf,
            one.srdf or files.srdf,
            one.stated or files.stated,
            one.meshes or files.meshes,
            xrdf_is_draft=xrdf_of.xrdf_is_draft,
            settings=FrozenDict({**files.settings, **one.settings}),
        )
    return GatheredDocuments(files, tuple(reports), sphere_urdf, tuple(unread))


def _unread_reports(files: RobotFiles, target: str) -> Iterator[ConversionReport]:
    sources = {"URDF": files.urdf, "XRDF": files.xrdf, "SRDF": files.srdf, **files.settings}
    for kind, source in sources.items():
        if source is not None:
            name = source.source.path.name if source.source.path is not None else ""
            title = name if kind in files.settings else f"{kind} {name}".rstrip()
            report = unread_report(title, source.findings, is_patched=kind.lower() == target)
            if report.entries:
                yield report


def _refuse_twice(one: RobotFiles, files: RobotFiles) -> None:
    """Raises FormatError for two SRDF files, or settings of one kind; a robot's own SRDF gives way
    to a file."""
    if (
        one.srdf is not None
        and files.srdf is not None
        and one.stated is None
        and files.stated is None
    ):
        raise FormatError("There are two SRDF files", Location(one.srdf.source.name), "Name one.")
    for kind in one.settings:
        if kind in files.settings:
            place = Location(one.settings[kind].source.name)
            raise FormatError(
                f"There are two files of the kind {SETTINGS_KINDS[kind][0]}", place, "Name one."
            )


def _with_xrdf(one: RobotFiles, files: RobotFiles) -> RobotFiles:
    """Which of the two has the robot's XRDF: a draft gives way to a file."""
    if one.xrdf is None or files.xrdf is None:
        return files if one.xrdf is None else one
    if not one.xrdf_is_draft and not files.xrdf_is_draft:
        raise FormatError("There are two XRDF files", Location(one.xrdf.source.name), "Name one.")
    return files if one.xrdf_is_draft else one


@dataclass(frozen=True)
class Addition:
    """The content that a file of the format `codec` adds to the documents."""

    codec: str
    value: XrdfConversion | SphereList
    place: Location


@dataclass
class Gathering:
    """One robot out of `documents` and `additions`, as far as the format `target` needs it.

    `reports` grow as the steps are taken; `reasons` says why pairs are masked.
    """

    documents: GatheredDocuments
    additions: Sequence[Addition]
    target: Codec
    options: ConvertOptions
    surroundings: Surroundings
    first_name: str

    def __post_init__(self) -> None:
        assert self.target.writer is not None
        self.needs_urdf, self.holds = self.target.writer.needs_urdf, self.target.writer.holds
        self.files = self.documents.files
        self.configs = [(a, a.value) for a in self.additions if isinstance(a.value, XrdfConversion)]
        self.lists = [a.value for a in self.additions if isinstance(a.value, SphereList)]
        self.reports = list(self.documents.reports)
        self.reasons: dict[LinkPair, str] = (
            dict(read_reasons(self.files.xrdf)) if self.files.xrdf is not None else {}
        )
        #: Values of the XRDF that no file states.
        self.guesses = (
            dict(guesses_of(self.files.xrdf).parts) if self.files.xrdf is not None else {}
        )

    def subject(self) -> Subject:
        """Raises FormatError, NeedsChoice, CannotConvert."""
        files = self.files
        xrdf = self._configured(files.xrdf.value if files.xrdf is not None else None)
        urdf = self._urdf(xrdf)
        draft = None
        if xrdf is None:
            draft = self.surroundings.draft(urdf, self._setting("limits"))
            self.guesses = dict(guesses_of(draft).parts)
            xrdf = self._without_guesses_beside_groups(draft.value)
        if files.srdf is not None and not self._srdf_goes_along(draft is not None):
            xrdf = self._with_srdf(files.srdf.value, urdf, xrdf)
        elif files.srdf is not None:
            self._refuse_idle_choice(files.srdf.value, urdf, xrdf)
        if files.stated is not None and draft is not None:
            stated = with_stated(xrdf, files.stated, urdf, self.options.text("group") is None)
            self._note(stated, files.stated.parts, added_placeholders(xrdf, stated, urdf))
            xrdf = stated
        xrdf = self._with_spheres(xrdf, urdf, draft is not None)
        robot = RobotDescription(urdf, xrdf, files.srdf.value if files.srdf is not None else None)
        if Part.SETTINGS not in self.holds:
            self.reports += settings_losses(files.settings, robot)
        subject = Subject(
            self._in_version(robot),
            files,
            self.surroundings,
            draft,
            FrozenDict(self.reasons),
            others=tuple(addition.codec for addition, _ in self.configs),
            has_sphere_list=bool(self.lists) or self.documents.sphere_urdf is not None,
            aside=FrozenDict((addition.codec, config.aside) for addition, config in self.configs),
            first_name=self.first_name,
            unread=(*self.documents.unread, *strange_names(files)),
            guesses=Guesses(FrozenDict(self.guesses)).left_in(robot.xrdf),
        )
        return replace(subject, reports=tuple(self.reports))

    def _configured(self, xrdf: Xrdf | None) -> Xrdf | None:
        """What a file of another program says wins over the XRDF, which keeps what that says
        nothing of."""
        if len(self.configs) > 1:
            raise FormatError(
                "There are two files of cuRobo or Lula", self.configs[1][0].place, "Name one."
            )
        for _, config in self.configs:
            urdf = self.files.urdf.value if self.files.urdf is not None else None
            joined = brought_up_to_date(xrdf, config, urdf) if xrdf is not None else config
            self.reports.append(joined.report)
            xrdf = joined.xrdf
            stated = {
                (key, joint) for key in _PER_JOINT for joint in get_values(config.xrdf, key)
            } - config.guesses
            self._note(xrdf, stated, joined.guesses)
        return xrdf

    def _note(
        self, xrdf: Xrdf, stated: Iterable[GuessedPart], guesses: Container[GuessedPart]
    ) -> None:
        """Note which values of the XRDF a file states, and which are this program's."""
        for part in stated:
            self.guesses.pop(part, None)
        values = {
            (key, joint): value
            for key in _PER_JOINT
            for joint, value in get_values(xrdf, key).items()
        }
        self.guesses |= {part: value for part, value in values.items() if part in guesses}

    def _urdf(self, xrdf: Xrdf | None) -> Urdf:
        if self.files.urdf is not None:
            return self.files.urdf.value
        if self.needs_urdf or xrdf is None or self.files.srdf is not None:
            place = Location(self.first_name)
            raise FormatError(
                "The robot's URDF is needed for this", place, "Name it among the inputs."
            )
        return Urdf()

    def _without_guesses_beside_groups(self, xrdf: Xrdf) -> Xrdf:
        """What the groups of an SRDF say takes the place of a draft's guesses; placeholders alone
        stay."""
        if self.files.srdf is None or not self.files.srdf.value.groups:
            return xrdf
        bare, self.guesses = SelfCollisionSection(xrdf.self_group), {}
        return replace(
            xrdf, tool_frames=None, default_joint_positions=None, self_collision=bare, cspace=None
        )

    def _srdf_goes_along(self, is_drafted: bool) -> bool:
        """Whether the SRDF is written as it is, or not at all, so that the XRDF needs nothing of
        it."""
        is_complete = self.files.stated is not None and self.files.xrdf is not None
        takes_both = Part.SRDF in self.holds and not is_drafted
        takes_neither = Part.SPHERES not in self.holds and self.files.stated is None
        return is_complete or takes_both or takes_neither

    def _refuse_idle_choice(self, srdf: Srdf, urdf: Urdf, xrdf: Xrdf) -> None:
        """Raises FormatError, NeedsChoice for a group or state that would change nothing."""
        group, state = self.options.text("group"), self.options.text("state")
        graph = KinematicGraph(urdf)
        chosen = choose_group(srdf, graph, group) if group is not None else None
        is_controlled = chosen is None or set(list_planned_joints(srdf, chosen, graph)) == set(
            xrdf.controlled
        )
        idle = "state" if state is not None else "group" if not is_controlled else ""
        if idle:
            message = (
                f"--{idle} applies to a new XRDF only; {self.target.plain_title} uses the values "
                "in the files"
            )
            raise FormatError(message, Location(self.first_name), f"Leave out --{idle}.")

    def _with_srdf(self, srdf: Srdf, urdf: Urdf, xrdf: Xrdf) -> Xrdf:
        group, state = self.options.text("group"), self.options.text("state")
        settings = self._setting("limits"), self._setting("positions")
        needs_joints = Part.LINKS not in self.holds and Part.SRDF not in self.holds
        try:
            converted = to_xrdf(srdf, urdf, group=group, state=state, base=xrdf, settings=settings)
        except NeedsChoice:
            if needs_joints or group is not None or state is not None:
                raise
            # The other files are what was asked for; a draft of the joints is as good a beginning
            # as any.
            bare, draft = (
                replace(srdf, groups=(), states=(), tcps=()),
                self.surroundings.draft(urdf, settings[0]),
            )
            self.guesses = dict(guesses_of(draft).parts)
            converted = to_xrdf(bare, urdf, base=draft.value)
        if self.target.name != "srdf":
            self.reports.append(
                converted.report.kept_beside() if Part.SHAPES in self.holds else converted.report
            )
        self.reasons.update(converted.reasons)
        self._note(converted.xrdf, (), converted.guesses)
        return converted.xrdf

    def _setting(self, kind: str) -> Any:
        source = self.files.settings.get(kind)
        return source.value if source is not None else None

    def _with_spheres(self, xrdf: Xrdf, urdf: Urdf, is_drafted: bool) -> Xrdf:
        lists = list(self.lists)
        second = self.documents.sphere_urdf
        if second is not None:
            listed = spheres_in_urdf(second.value)
            if not listed.spheres:
                place = second.source.location(0)
                told = (
                    "Of a second URDF only the spheres are used, and this one has no spheres as "
                    "collision geometry"
                )
                raise FormatError(told, place, "Open or convert it separately.")
            lists.append(listed)
        elif is_drafted and not lists and Part.SHAPES not in self.holds and is_all_spheres(urdf):
            # A URDF with spheres, by itself.
            lists.append(spheres_in_urdf(urdf))
        seen: set[str] = set()
        for listed in lists:
            xrdf = with_sphere_list(xrdf, listed, urdf)
            self.reports.append(listed.report)
            twice = [name for name in listed.spheres if name in seen]
            seen.update(listed.spheres)
            if twice:
                out = Reporter("lists of spheres", "the robot")
                out.lost(
                    f"spheres of {', '.join(twice)}",
                    "a later list has the same links and replaces them",
                )
                self.reports.append(out.report())
        return xrdf

    def _in_version(self, robot: RobotDescription) -> RobotDescription:
        version, xrdf = self.options.xrdf_version, robot.xrdf
        if version is None and (self.options.merge_groups or self.options.keep_group is not None):
            raise CannotConvert(
                "Geometry groups are merged or left out only for format version 1.0 "
                "(--xrdf-version 1.0)."
            )
        if version is None or xrdf.format_version == version:
            differing_of(xrdf, self.options)
            return robot
        changed = convert_version(robot, version, differing=differing_of(xrdf, self.options))
        out = Reporter(f"XRDF {xrdf.format_version}", f"XRDF {version}")
        for note in changed.notes:
            out.translated("version", note)
        self.reports.append(out.report())
        return robot.with_xrdf(changed.xrdf)


def differing_of(xrdf: Xrdf, options: ConvertOptions) -> Differing:
    """Decide how two groups are written, by the choices of the user. Raises CannotConvert for a
    group that serves nothing."""
    if options.keep_group is None:
        return "merge" if options.merge_groups else "refuse"
    if options.merge_groups:
        raise CannotConvert("Either merge two geometry groups or keep one, not both.")
    if options.keep_group == xrdf.world_group:
        return "world"
    if options.keep_group == xrdf.self_group:
        return "self"
    used = [
        repr(name)
        for name in dict.fromkeys((xrdf.world_group, xrdf.self_group))
        if name is not None
    ]
    raise CannotConvert(
        f"The geometry group {options.keep_group!r} is not in use; in use: "
        f"{' and '.join(used) or 'none'}."
    )
