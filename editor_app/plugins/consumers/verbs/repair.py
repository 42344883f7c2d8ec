"""The verb repair: applies the first fix of every error, so that a program that refused the robot
reads it.

This module decides, for every caller, the order of fixes, the source of missing limits, and what is
reported about them. Only the caller writes files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from editor_app.core.document.commands import SetJoint
from editor_app.core.document.commands.repairs import MapNames
from editor_app.core.document.document import Document
from editor_app.core.document.state import FileKind, State
from editor_app.core.document.texts import compute_text, written_source
from editor_app.core.document.writing import NO_INPUTS, write_files
from editor_app.core.model.findings import Finding, Severity
from editor_app.core.model.frozen import FrozenDict, brief
from editor_app.core.model.inputs import Inputs
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import CannotApply, Change, RobotDescription, TextChange
from editor_app.core.model.urdf import Joint, JointType, Limit, Urdf
from editor_app.core.tasks.work import Cancel, Cancelled, Refused, check_arguments, never
from editor_app.core.verbs.robot_texts import with_meshes_from
from editor_app.features.checks.engine.fixes import LIMIT_KEYS, completed_limits, write_limits
from editor_app.features.checks.engine.rule import RULES, CheckContext
from editor_app.features.checks.verbs.check import StateChecker
from editor_app.features.checks.verbs.safe_fixes import find_harm, preview_fix
from editor_app.features.masks.engine.default_overlaps import default_overlaps

#: Codes of limits that are missing, that leave nothing, or that are no numbers.
_LIMITS = ("XRDF901", "XRDF902", "URDF020")
#: A <limit> that is missing, or lacks what every reader of URDF needs: a finding of the reader,
#: without a fix.
_INCOMPLETE = "URDF022"
_MOVES = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)
#: Codes whose fix chooses one of several names.
_CHOICES = ("XRDF801", "XRDF802", "XRDF908")
#: More steps than any robot needs that can be repaired.
_MOST = 2000


class ValueOrigin(StrEnum):
    """Source of a number or name that was not in the file."""

    TOLD = "as specified"
    VENDOR = "from the manufacturer's URDF"
    INVENTED = "invented: replace it by the manufacturer's value"
    GUESSED = "guessed: please check"


@dataclass(frozen=True, slots=True)
class RepairStep:
    """One change: the finding's code ("" for a requested limit), a sentence, and the origin of its
    numbers.

    `origin` is None if only the spelling changed.
    """

    code: str
    text: str
    origin: ValueOrigin | None = None

    def __str__(self) -> str:
        told = f" ({self.origin})" if self.origin is not None else ""
        return f"{self.code + ': ' if self.code else ''}{self.text}{told}"


@dataclass(frozen=True, slots=True)
class Repair:
    """The changes that fix a robot for a program; nothing is changed or written yet.

    `texts`: the complete texts of the files that change, for `Document.replace_texts`. `state`: the
    fixed robot. `remaining`: the errors that no fix removes.
    """

    profile: Profile
    steps: tuple[RepairStep, ...]
    remaining: tuple[Finding, ...]
    texts: FrozenDict[FileKind, str]
    state: State

    __repr__ = brief

    @property
    def label(self) -> str:
        """The text in the undo menu."""
        return (
            f"Fix {len(self.steps)} {'error' if len(self.steps) == 1 else 'errors'} for "
            f"{self.profile.program}"
        )

    @property
    def warning(self) -> str:
        """Return what no finding reports although nothing is refused: "" where the robot has
        spheres."""
        if self.state.robot.xrdf.has_spheres:
            return ""
        return (
            "The robot has no spheres: planned motions would pass through obstacles and the robot "
            "itself."
        )

    @property
    def invented(self) -> tuple[RepairStep, ...]:
        """The steps whose numbers or names nobody wrote."""
        return tuple(
            step
            for step in self.steps
            if step.origin in (ValueOrigin.INVENTED, ValueOrigin.GUESSED)
        )


@check_arguments
def repair(
    document: Document,
    *,
    profile: Profile = Profile.CUROBO,
    vendor: Urdf | None = None,
    limits: Mapping[str, Limit] | None = None,
    cancel: Cancel = never,
) -> Repair:
    """Fix the errors that `profile` finds and that have a fix; the document stays unchanged.

    `document.replace_texts(repaired.texts, repaired.label)` applies the result as one step.
    `limits`: joint -> limits in radians or metres; they also replace existing limits. Limits that
    are missing, 0 or swapped come from here, then from the joint of the same name in `vendor`, else
    they are placeholders, which `Repair.invented` lists. Raises Refused if a joint of `limits` does
    not exist or does not move, or while text is being typed; Cancelled.
    """
    if document.state.typed:
        raise Refused("the typed text is not applied yet: apply or discard it first")
    return repair_state(document.state, profile, vendor=vendor, limits=limits, cancel=cancel)


def repair_state(
    state: State,
    profile: Profile,
    *,
    vendor: Urdf | None = None,
    limits: Mapping[str, Limit] | None = None,
    cancel: Cancel = never,
) -> Repair:
    """See `repair`."""
    work = _Work(
        state,
        profile,
        {j.name: j for j in (vendor.joints if vendor is not None else ())},
        dict(limits or {}),
    )
    work.write_told_limits()
    for _ in range(_MOST):
        if cancel():
            raise Cancelled
        if not work.step():
            break
    context = CheckContext(work.robot, work.state.xrdf_source, profile)
    # The rule measures by compiled code, which an installation for CI may lack.
    collisions = RULES["XRDF605"].findings(context) if default_overlaps(work.robot) else ()
    texts = {}
    for kind in FileKind:
        before, after = compute_text(state, kind), compute_text(work.state, kind)
        if after is not None and after != before:
            texts[kind] = after
    return Repair(
        profile, tuple(work.steps), (*work.remaining, *collisions), FrozenDict(texts), work.state
    )


@dataclass(slots=True)
class _Work:
    state: State
    profile: Profile
    vendor: Mapping[str, Joint]
    told: Mapping[str, Limit]
    steps: list[RepairStep] = field(default_factory=list)
    remaining: tuple[Finding, ...] = ()
    #: Finding, by code and message -> number of its fixes that were tried.
    tried: dict[tuple[str, str], int] = field(default_factory=dict)
    checker: StateChecker = field(default_factory=StateChecker)

    @property
    def robot(self) -> RobotDescription:
        return self.state.robot

    def step(self) -> bool:
        """Fix the first error that has an untried fix; return False if no error has one."""
        self.remaining = self._errors()
        if self._write_limits(self.remaining):
            return True
        for finding in self.remaining:
            key = (finding.code, finding.message)
            for fix in finding.fixes[self.tried.get(key, 0) :]:
                self.tried[key] = self.tried.get(key, 0) + 1
                if self._take(fix, finding.code):
                    return True
        return False

    def _take(self, fix: Change | TextChange, code: str) -> bool:
        """Apply a fix; one that adds an error, such as by cutting off parts, or a collision is left
        to a person."""
        before = self.state
        try:
            self.state = preview_fix(fix, before)
        except CannotApply:
            return False
        if self.state is before or find_harm(
            before.robot, self.remaining, self.robot, self._errors()
        ):
            self.state = before
            return False
        guessed = code in _CHOICES or isinstance(fix, MapNames)
        self.steps.append(RepairStep(code, fix.label, ValueOrigin.GUESSED if guessed else None))
        self._tell_new_c_space_numbers(code, before.robot)
        return True

    def _errors(self) -> tuple[Finding, ...]:
        findings = self.checker.check(self.state, self.profile)
        return tuple(
            f
            for f in findings
            if f.severity is Severity.ERROR and not f.code.startswith(("SRDF", "ROS"))
        )

    def write_told_limits(self) -> None:
        joints = {joint.name: joint for joint in self.robot.urdf.joints}
        for name, told in self.told.items():
            joint = joints.get(name)
            if joint is None:
                raise Refused(f"the URDF has no joint {name!r} to limit")
            if joint.type not in _MOVES:
                raise Refused(f"joint {name!r} is {joint.type}: it has no limits")
            old = joint.limit or Limit()
            values = {key: value for key in LIMIT_KEYS if (value := getattr(told, key)) is not None}
            new = replace(old, **values)
            self._set_limit(
                "", joint, new, {key: told for key, v in values.items() if getattr(old, key) != v}
            )

    def _write_limits(self, errors: Iterable[Finding]) -> bool:
        """The limits of all joints that lack them; False when there is no such joint."""
        joints = {joint.name: joint for joint in self.robot.urdf.joints}
        written = False
        for finding in errors:
            key = (finding.code, finding.message)
            if key in self.tried:
                continue
            names = [
                name
                for name in finding.subject.joints
                if name in joints and self._needs(finding, joints[name])
            ]
            if finding.code == _INCOMPLETE:
                names = [joint.name for joint in joints.values() if _lacks_limits(joint)]
            for joint in (j for j in self.robot.urdf.joints if j.name in names):
                self.tried[key] = len(finding.fixes)
                limit, origins = completed_limits(joint, *self._sources(joint))
                written |= self._set_limit(finding.code, joint, limit, origins)
        return written

    def _needs(self, finding: Finding, joint: Joint) -> bool:
        """Whether limits are to be written, rather than the joint be locked or made continuous."""
        if (
            finding.code not in _LIMITS
            or not finding.fixes
            or not isinstance(finding.fixes[0], SetJoint)
        ):
            return False
        return finding.fixes[:1] == write_limits(joint) or bool(self._sources(joint))

    def _sources(self, joint: Joint) -> list[Limit]:
        sources = [self.told[joint.name]] if joint.name in self.told else []
        vendor = self.vendor.get(joint.name)
        if vendor is not None and vendor.limit is not None and vendor.type is joint.type:
            sources.append(vendor.limit)
        return sources

    def _set_limit(
        self, code: str, joint: Joint, limit: Limit, origins: Mapping[str, Limit | None]
    ) -> bool:
        if limit == joint.limit:
            return False
        joints = tuple(
            replace(j, limit=limit) if j.name == joint.name else j for j in self.robot.urdf.joints
        )
        self.state = self.state.with_robot(
            self.robot.with_urdf(replace(self.robot.urdf, joints=joints))
        )
        by_origin: dict[ValueOrigin | None, list[str]] = {}
        for key, source in origins.items():
            by_origin.setdefault(self._origin(joint, source), []).append(
                f"{key} {getattr(limit, key):.6g}"
            )
        for origin, numbers in by_origin.items():
            self.steps.append(RepairStep(code, f"Joint {joint.name}: {', '.join(numbers)}", origin))
        return True

    def _origin(self, joint: Joint, source: Limit | None) -> ValueOrigin | None:
        if source is None:
            return ValueOrigin.INVENTED
        if source is self.told.get(joint.name):
            return ValueOrigin.TOLD
        return None if source is joint.limit else ValueOrigin.VENDOR

    def _tell_new_c_space_numbers(self, code: str, before: RobotDescription) -> None:
        """Record accelerations and jerks that a fix wrote into the XRDF: where the URDF has none,
        they are invented."""
        limits = {j.name: j.limit for j in self.robot.urdf.joints if j.limit is not None}
        for key in ("acceleration", "jerk"):
            old, new = _by_joint(before, key), _by_joint(self.robot, key)
            for name, value in new.items():
                nobodys = name not in old or (old[name] == 0 and value != 0)
                if nobodys and value != getattr(limits.get(name), key, None):
                    text = f"C-space joint {name}: {key} limit {value:g}"
                    self.steps.append(RepairStep(code, text, ValueOrigin.INVENTED))


def _lacks_limits(joint: Joint) -> bool:
    """Whether every reader of URDF refuses the joint for what its limits do not say."""
    limit = joint.limit
    if limit is None:
        return joint.type in (JointType.REVOLUTE, JointType.PRISMATIC)
    return joint.type in _MOVES and (limit.effort is None or limit.velocity is None)


def _by_joint(robot: RobotDescription, key: str) -> dict[str, float]:
    cspace = robot.xrdf.cspace
    if cspace is None or cspace.joint_names is None:
        return {}
    values = getattr(cspace, f"{key}_limits") or ()
    return dict(zip(cspace.joint_names, values, strict=False))


# -- writing somewhere else


def write_repaired(
    document: Document,
    repaired: Repair,
    folder: str | Path,
    *,
    overwrite: bool = False,
    inputs: Inputs = NO_INPUTS,
) -> tuple[Path, ...]:
    """Write URDF and XRDF to `folder`, which is created if missing, and return the written paths.

    Relative paths of meshes are adapted to the folder. `inputs`: other files that were read, such
    as the source of the limits. Raises ChangedOnDiskError if one of the read files changed on disk,
    SaveError if a file exists and `overwrite` is not set, if a file would replace its original, or
    if writing fails.
    """
    folder = Path(folder)
    urdf_path = document.urdf_path or Path("robot.urdf")
    xrdf_path = document.xrdf_path or urdf_path.with_suffix(".xrdf")
    state = repaired.state
    urdf_there = state.robot.urdf
    moved = with_meshes_from(urdf_there, urdf_path, folder / urdf_path.name)
    if moved is not urdf_there:
        state = state.with_robot(state.robot.with_urdf(moved))
    files = []
    for kind, path in (
        (FileKind.URDF, folder / urdf_path.with_suffix(".urdf").name),
        (FileKind.XRDF, folder / xrdf_path.name),
    ):
        text = compute_text(state, kind)
        assert text is not None
        files.append((path, written_source(state, kind, text, path).data))
    return write_files(files, document.inputs | inputs, overwrite=overwrite)
