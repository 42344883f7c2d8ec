"""The verb compose: a robot with a part attached to one of its links, as texts of URDF, XRDF and
SRDF.

Decided here, for every caller: what of the part comes along, what becomes of its names, and which
pairs between the two are ignored. Texts stay texts: the base's are spliced, and the part's come
with their comments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from editor_app.core.document.commands import PrefixNames, SetRobot
from editor_app.core.document.commands.lists import SetItems
from editor_app.core.document.commands.self_collision import MaskFile, SetMask
from editor_app.core.document.commands.urdf_robot import VERSIONS, find_root_link
from editor_app.core.document.document import Document
from editor_app.core.document.state import FileKind, State
from editor_app.core.formats.exchange.conversion import ConversionReport, Reporter
from editor_app.core.formats.srdf import SrdfSource, patch_srdf, read_srdf, srdf_text
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.urdf.patch import joint_element, patch_urdf
from editor_app.core.formats.xrdf.mask_reasons import read_reasons
from editor_app.core.formats.xrdf.write import patch_text
from editor_app.core.model.attached_part import AttachedPart
from editor_app.core.model.coercion import Validated
from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict, brief
from editor_app.core.model.keys import Named
from editor_app.core.model.near_names import find_free_name, hint
from editor_app.core.model.origin import Origin, Vector3
from editor_app.core.model.references import rename_references
from editor_app.core.model.robot import CannotApply, RobotDescription
from editor_app.core.model.srdf import Srdf
from editor_app.core.model.urdf import Joint, JointType
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.space.geometry.uncovered import uncovered
from editor_app.core.space.kinematics.transforms import build_origin_matrix, invert, matrix_origin
from editor_app.core.space.kinematics.tree import build_tree
from editor_app.core.tasks.work import (
    Cancel,
    PlacedRobot,
    Progress,
    Refused,
    check_arguments,
    never,
    run_job,
    silent,
)
from editor_app.core.tasks.work import scale_progress as share
from editor_app.core.text.source import SourceText
from editor_app.core.text.xml.attached_block import content_of, with_block
from editor_app.core.text.xml.splices import NewElement, render
from editor_app.core.text.yaml.attached_record import comments_in, with_record
from editor_app.core.verbs.open import open_robot
from editor_app.core.verbs.reading_notes import list_reading_notes
from editor_app.core.verbs.robot_texts import RobotTexts, has_xrdf, place_document, state_of
from editor_app.features.masks.engine.masks import Decision, MaskRow
from editor_app.features.masks.engine.results import AnalysisSettings
from editor_app.features.spheres.verbs.link_meshes import link_meshes
from editor_app.plugins.assembly.verbs.hand_variants import variant_named
from editor_app.plugins.assembly.verbs.joined_xrdf import NameClash, joined_xrdf, name_clashes
from editor_app.plugins.assembly.verbs.mounting import rigid_frames
from editor_app.plugins.assembly.verbs.pairs_between import PairsBetween, pairs_between
from editor_app.plugins.assembly.verbs.part_choices import PartChoices, choices_of, with_control

#: Configurations that look for collisions between the parts.
_SAMPLES = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class Attachment(Validated):
    """`part` hangs on the link `at` of what is there before it, its root at `xyz` (metres) and
    `rpy` (radians).

    `part`: an open robot, or the files of one: a URDF, with an XRDF and SRDF that are not the ones
    beside it. `prefix` is written before every name of the part. `frame`: the frame of the part,
    named as in its own file, that stands there in the place of the root; no joint moves it. `tools`
    and `joints`: just these tool frames and joints count, with the names of the assembly; None: as
    files say, and drafting guesses. `variant`: how a gripper stands by default: closed, half, open,
    or a state of its SRDF.
    """

    part: Document | tuple[Path, ...]
    at: str
    xyz: Vector3 = (0.0, 0.0, 0.0)
    rpy: Vector3 = (0.0, 0.0, 0.0)
    prefix: str = ""
    frame: str | None = None
    tools: tuple[str, ...] | None = None
    joints: tuple[str, ...] | None = None
    variant: str | None = None

    __repr__ = brief

    @property
    def files(self) -> tuple[Path, ...]:
        """The files of a part that is not open."""
        return () if isinstance(self.part, Document) else self.part


@dataclass(frozen=True, slots=True, eq=False)
class Assembly(RobotTexts):
    """The robot with its parts, in the order in which they were attached.

    `reports`: for each part what came of it and what did not. `between`: the pairs of one link of a
    part and one of what was there before it, with what was decided. `notes`: what a user has to
    look at. `choices`: for each part what could be chosen, with what counts by itself. `replaced`:
    the part whose place was taken.
    """

    parts: tuple[AttachedPart, ...]
    reports: tuple[ConversionReport, ...]
    between: tuple[MaskRow, ...]
    notes: tuple[str, ...]
    choices: tuple[PartChoices, ...] = ()
    replaced: AttachedPart | None = None

    @property
    def overlapping(self) -> tuple[MaskRow, ...]:
        """The pairs between the parts that are checked although their spheres overlap at the
        default, or always."""
        return tuple(row for row in self.between if row.decision is Decision.UNDECIDED)

    @property
    def label(self) -> str:
        """The text in the undo menu."""
        files = ", ".join(part.file for part in self.parts)
        return (
            f"Attach {files}"
            if self.replaced is None
            else f"Replace {self.replaced.file} by {files}"
        )


@check_arguments
def compose(
    base: Document,
    parts: Sequence[Attachment],
    output: str | Path | None = None,
    *,
    samples: int | None = None,
    certify: float = 10.0,
    seed: int = 0,
    executor: Executor | None = None,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> Assembly:
    """`base` with the parts attached, one after the other; the documents are left as they are.

    `output`: the URDF that is to be written, beside which XRDF and SRDF stand; names of meshes mean
    the same files from there. Default: where the base is. Spheres, buffers, modifiers, tools,
    c-space, positions, masks, groups and states of the parts come along. Raises Refused, also for
    names that both have; FormatError, Cancelled.
    """
    path = Path(output) if output is not None else base.urdf_path or Path("robot.urdf")
    if not parts:
        raise Refused("no part to attach")
    settings = AnalysisSettings(_SAMPLES if samples is None else samples, seed, certify)
    work = _Work(
        place_document(base, path), has_xrdf(base), dict(base.packages), settings, executor, cancel
    )
    work.notes += list_reading_notes(base)
    inputs = base.inputs
    for number, attachment in enumerate(parts):
        part = attachment.part
        document = part if isinstance(part, Document) else open_robot(*part, packages=base.packages)
        inputs |= document.inputs
        work.attach(
            document, attachment, share(progress, number / len(parts), (number + 1) / len(parts))
        )
    kinds = [FileKind.URDF, *([FileKind.XRDF] if work.has_xrdf else []), FileKind.SRDF]
    kept = tuple(kind for kind in kinds if work.state.source(kind) is not None)
    parts_told = (tuple(work.parts), tuple(work.reports), tuple(work.between), tuple(work.notes))
    return Assembly(work.state, kept, *parts_told, tuple(work.choices), inputs=inputs)


@dataclass(slots=True, eq=False)
class _Work:
    """The assembly as it grows."""

    state: State
    has_xrdf: bool
    packages: dict[str, Path]
    settings: AnalysisSettings
    executor: Executor | None
    cancel: Cancel
    parts: list[AttachedPart] = field(default_factory=list)
    reports: list[ConversionReport] = field(default_factory=list)
    between: list[MaskRow] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    choices: list[PartChoices] = field(default_factory=list)

    @property
    def path(self) -> Path:
        path = self.state.urdf_source.source.path
        assert path is not None
        return path

    def attach(self, document: Document, attachment: Attachment, progress: Progress) -> None:
        base = self.state.robot
        self.notes += list_reading_notes(document)
        file = document.urdf_path.name if document.urdf_path is not None else "the part"
        progress(0.0, f"Attaching {file} to {attachment.at}")
        out = Reporter(file, self.path.name)
        names = [link.name for link in base.urdf.links]
        if attachment.at not in names:
            near = hint(attachment.at, names)
            raise Refused(f"the robot has no link {attachment.at!r} to attach {file} to{near}")
        part = self._part(document, attachment.prefix, file)
        joint = self._mount(attachment, part.robot, file)
        frame = attachment.prefix + attachment.frame if attachment.frame else ""
        record = AttachedPart(
            joint.name,
            joint.child,
            joint.parent,
            file,
            attachment.prefix,
            attachment.xyz,
            attachment.rpy,
            frame,
        )
        urdf = self._urdf(part, joint, record, out)
        part_has_xrdf = has_xrdf(document)
        _tell_missing_xrdf(file, self.has_xrdf, part_has_xrdf, out)
        self.has_xrdf |= part_has_xrdf
        added = part.robot
        if not part_has_xrdf:
            # A draft of the part alone takes fingers for an arm: its tools and joints are guessed
            # on the whole robot.
            added = added.with_xrdf(replace(added.xrdf, tool_frames=None, cspace=None))
        joined = joined_xrdf(base, added, out)
        whole = RobotDescription(read_urdf(urdf).value, joined, part.robot.srdf)
        joined = self._chosen(whole, attachment, record, part_has_xrdf, out).xrdf
        srdf = self._joined_srdf(part.robot.srdf, out)
        robot = RobotDescription(whole.urdf, joined, srdf)
        self.packages.update(document.packages)
        between = self._judged(robot, part.robot, progress)
        reasons = {row.pair: row.reason for row in between.ignored}
        if part_has_xrdf:
            prefix = attachment.prefix
            written = read_reasons(document.xrdf_now)
            reasons |= {
                LinkPair.of(prefix + p.first, prefix + p.second): why for p, why in written.items()
            }
        comments = comments_in(document.xrdf_now.tree) if part_has_xrdf else ()
        xrdf = self._xrdf(robot, [row.pair for row in between.ignored], reasons, comments, record)
        srdf_source = self._srdf(part, srdf, between, record)
        self.state = state_of(urdf, xrdf, srdf_source)
        self._tell_pairs(between, file, out)
        self._tell_uncovered(robot, [link.name for link in part.robot.urdf.links])
        masses = [
            sum(link.inertial.mass for link in each.links if link.inertial)
            for each in (base.urdf, part.robot.urdf)
        ]
        out.taken("mass", f"{masses[1]:.6g} kg; with what was there {sum(masses):.6g} kg")
        self.parts.append(record)
        self.between += between.rows
        self.reports.append(out.report())

    # -- the part, with the names that it has in the assembly

    def _part(self, document: Document, prefix: str, file: str) -> State:
        base = self.state.robot
        state = place_document(document, self.path)
        robot = state.robot
        try:
            if base.urdf.version in VERSIONS:
                robot = SetRobot(version=base.urdf.version).apply(robot)
            if prefix:
                robot = PrefixNames(prefix).apply(robot)
        except CannotApply as error:
            raise Refused(f"{file}: {error}") from error
        clashes = name_clashes(base, robot)
        if clashes:
            names = {link.name for link in base.urdf.links} | {
                joint.name for joint in base.urdf.joints
            }
            wish = re.sub(r"[^\w-]+", "_", robot.urdf.name or "part").strip("_") or "part"
            taken = {name[: len(start)] for name in names for start in (f"{wish}_", f"{wish}_2_")}
            free = find_free_name(wish, {start.removesuffix("_") for start in taken})
            raise NameClash(
                f"{file} has names that the robot already has: {clashes}. --prefix {free}_ (in a "
                "script, "
                f"prefix='{free}_') adds a prefix to all names of the part",
                f"{free}_",
            )
        # A material that both define alike is defined once.
        materials = base.urdf.materials_by_name()
        defined = [m for m in robot.urdf.materials if materials.get(m.name) != m or not m.name]
        return state.with_robot(robot.with_urdf(replace(robot.urdf, materials=tuple(defined))))

    def _mount(self, attachment: Attachment, part: RobotDescription, file: str) -> Joint:
        urdf, at = self.state.robot.urdf, attachment.at
        root = find_root_link(part.urdf)
        if root is None:
            raise Refused(f"{file} has no root link to attach")
        joints = {joint.name for joint in (*urdf.joints, *part.urdf.joints)}
        name = find_free_name(f"{root.name}_mount", joints)
        origin = Origin(attachment.xyz, attachment.rpy)
        if attachment.frame:
            frames = rigid_frames(build_tree(part.urdf, part.xrdf.modifiers), root.name)
            pose = frames.get(attachment.prefix + attachment.frame)
            if pose is None:
                near = hint(
                    attachment.frame, [each.removeprefix(attachment.prefix) for each in frames]
                )
                raise Refused(f"{file} has no frame {attachment.frame!r} fixed to its root{near}")
            origin = matrix_origin(build_origin_matrix(origin) @ invert(pose))
        return Joint(name, JointType.FIXED, at, root.name, origin)

    def _chosen(
        self,
        robot: RobotDescription,
        attachment: Attachment,
        record: AttachedPart,
        is_written: bool,
        out: Reporter,
    ) -> RobotDescription:
        """With the tools, joints and positions that were asked for, or count by themselves."""
        choices = choices_of(robot, record.link, record.at, part_has_xrdf=is_written)
        self.choices.append(choices)
        chosen = robot
        if not is_written or (attachment.tools, attachment.joints) != (None, None):
            tools = choices.counted_tools if attachment.tools is None else attachment.tools
            joints = choices.counted_joints if attachment.joints is None else attachment.joints
            chosen = with_control(robot, tools, joints)
            for asked, names, word in (
                (attachment.tools, tools, "tool_frames"),
                (attachment.joints, joints, "cspace"),
            ):
                how = "as requested" if asked is not None else "as in a new XRDF of the whole robot"
                out.translated(word, f"{how}: {', '.join(names) or 'none'}")
        if attachment.variant is not None:
            variant = variant_named(robot, attachment.variant, record.link)
            chosen = SetItems("xrdf.default_joint_positions", variant.positions).apply(chosen)
            out.translated("variant", variant.told)
        self.has_xrdf |= (attachment.tools, attachment.joints, attachment.variant) != (
            None,
            None,
            None,
        )
        return chosen

    # -- the texts

    def _urdf(self, part: State, joint: Joint, record: AttachedPart, out: Reporter) -> SourceText:
        source, urdf = self.state.urdf_source, part.robot.urdf
        content = content_of(patch_urdf(part.urdf_source, urdf).written.document, record.prefix)
        mount = render(joint_element(joint).element(), "  ")
        for word, things in (
            ("links", urdf.links),
            ("joints", urdf.joints),
            ("materials", urdf.materials),
            ("transmissions", urdf.transmissions),
            ("extensions", urdf.extensions),
            ("sensors", urdf.sensors),
        ):
            if things:
                out.taken(word, str(len(things)))
        out.invented("joint", f"{joint.name}, fixed, from {joint.parent} to {joint.child}")
        return source.source.with_text(with_block(source.document, record, f"  {mount}\n{content}"))

    def _xrdf(
        self,
        robot: RobotDescription,
        pairs: Sequence[LinkPair],
        reasons: Mapping[LinkPair, str],
        comments: Sequence[tuple[str, str]],
        record: AttachedPart,
    ) -> SourceText:
        source, xrdf = self.state.xrdf_source, robot.xrdf
        if pairs and xrdf.self_collision is not None:
            xrdf = (
                SetMask.exactly(robot, MaskFile.XRDF, {*xrdf.ignored_pairs(), *pairs})
                .apply(robot)
                .xrdf
            )
        text, notes, _ = patch_text(source, xrdf, reasons)
        self.notes += notes
        kept = [(section, words) for section, words in comments if words not in reasons.values()]
        return source.source.with_text(with_record(source.source.text, text, record, kept))

    def _joined_srdf(self, part: Srdf | None, out: Reporter) -> Srdf | None:
        """The base's SRDF alone, or an empty one where the part has one: what the part says stands
        in its block."""
        base = self.state.robot.srdf
        if part is None:
            return base
        for word, things in (
            ("group", part.groups),
            ("state", part.states),
            ("end effector", part.end_effectors),
        ):
            if things:
                out.taken(f"{word}s", ", ".join(thing.name for thing in things))
        if part.tcps:
            out.taken("group_tcps", ", ".join(tcp.name for tcp in part.tcps))
        if part.disabled_pairs:
            out.taken(
                "disable_collisions",
                f"{format_count(len(part.disabled_pairs), 'pair')} within the part",
            )
        for virtual in part.virtual_joints:
            out.lost(
                "virtual_joint",
                f"{virtual.name}: the part is on the mount, not in {virtual.parent_frame}",
            )
        if base is not None and base.margins is not None and part.margins is not None:
            out.lost("collision_margins", "the base already has one")
        for key in part.configs:
            if base is not None and key in base.configs:
                out.lost(key, "the base already has one")
        return base if base is not None else Srdf(self.state.robot.urdf.name)

    def _srdf(
        self, part: State, base: Srdf | None, between: PairsBetween, record: AttachedPart
    ) -> SourceText | None:
        if base is None:
            return None
        source = self.state.srdf_source
        if source is None:
            path = self.path.with_suffix(".srdf")
            source = read_srdf(replace(SourceText.from_text(srdf_text(base)), path=path))
        links = {link.name for link in (*self.state.robot.urdf.links, *part.robot.urdf.links)}
        pairs = [
            (("link1", row.first), ("link2", row.second), ("reason", between.srdf_reason(row.pair)))
            for row in between.ignored
            if row.first in links and row.second in links
        ]
        content = (
            ""
            if part.srdf_source is None
            else _srdf_content(part, part.srdf_source, base, record.prefix)
        )
        lines = [
            *([content] if content else []),
            *(f"  {render(NewElement('disable_collisions', p))}" for p in pairs),
        ]
        if not lines:
            return source.source
        return source.source.with_text(with_block(source.document, record, "\n".join(lines)))

    # -- pairs between the part and what was there

    def _judged(
        self, robot: RobotDescription, part: RobotDescription, progress: Progress
    ) -> PairsBetween:
        tell = share(progress, 0.1, 0.95)
        run = partial(run_job, executor=self.executor, progress=tell, cancel=self.cancel)
        return pairs_between(
            PlacedRobot(robot, self.path, FrozenDict(self.packages)), part, self.settings, run
        )

    def _tell_pairs(self, between: PairsBetween, file: str, out: Reporter) -> None:
        if between.analysis is None:
            self.notes.append(
                f"No pair between {file} and the robot was checked, because spheres are missing on "
                "one side. "
                "Fit spheres, then run mask."
            )
            return
        checked = len(between.rows) - len(between.ignored)
        detail = f"{len(between.ignored)} ignored, each with its reason; {checked} checked"
        out.translated("pairs between the parts", f"{len(between.rows)}: {detail}")
        self.notes += between.told()

    def _tell_uncovered(self, robot: RobotDescription, links: Sequence[str]) -> None:
        """What spheres of the part leave uncovered of the links that they were fitted to."""
        spheres = robot.xrdf.spheres_of(robot.xrdf.world_group or robot.xrdf.self_group)
        covered = [link for link in links if spheres.get(link)]
        for mesh in link_meshes(
            PlacedRobot(robot, self.path, FrozenDict(self.packages)), covered
        ).meshes:
            surface = (mesh.vertices, mesh.faces)
            left = uncovered(
                surface,
                np.array(
                    [(*each.center, each.radius) for each in spheres[mesh.link] if each.radius > 0]
                ).reshape(-1, 4),
                surface,
            )
            if left.is_worth_telling:
                self.notes.append(f"{mesh.link}: {left.text('its surface')}.")


def _srdf_content(part: State, source: SrdfSource, base: Srdf, prefix: str) -> str:
    assert part.robot.srdf is not None
    robot = part.robot
    for virtual in part.robot.srdf.virtual_joints:
        robot = rename_references(robot, Named.JOINT, virtual.name, None, ("srdf",))
    srdf = robot.srdf
    assert srdf is not None
    configs = FrozenDict(
        {key: name for key, name in srdf.configs.items() if key not in base.configs}
    )
    margins = None if base.margins is not None else srdf.margins
    kept = replace(srdf, virtual_joints=(), configs=configs, margins=margins)
    return content_of(patch_srdf(source, kept).written.document, prefix)


def _tell_missing_xrdf(file: str, base_has: bool, part_has: bool, out: Reporter) -> None:
    if base_has and not part_has:
        out.invented(
            "XRDF",
            f"{file} has no XRDF: its joints and tools are guessed as in a new XRDF of the whole "
            "robot, without "
            "spheres",
        )
    elif part_has and not base_has:
        out.invented(
            "XRDF",
            "the base has no XRDF: its joints and tools are guessed as in a new XRDF, without "
            "spheres",
        )
