"""One rule = one function from a context to findings, registered with its code and what it depends
on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from editor_app.core.document.state import FileKind
from editor_app.core.formats.ros_settings import SettingsSource
from editor_app.core.formats.srdf import SrdfSource
from editor_app.core.formats.urdf import UrdfSource
from editor_app.core.formats.xrdf import XrdfSource
from editor_app.core.model.findings import (
    Finding,
    FindingSubject,
    Location,
    Severity,
    SphereRef,
    YamlPath,
)
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.model_cost import ModelCost
from editor_app.core.model.near_names import whether_meant
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import Change, RobotDescription, TextChange
from editor_app.core.model.ros_settings import InitialPositions, MotionLimits, Solvers
from editor_app.core.model.srdf import Srdf
from editor_app.core.model.urdf import Joint, Urdf
from editor_app.core.model.xrdf import (
    AddFrame,
    CollisionSection,
    CSpace,
    GeometryGroup,
    Modifier,
    SelfCollisionSection,
    Xrdf,
)
from editor_app.core.progress import Progress, silent
from editor_app.core.space.kinematics.tree import KinematicTree, get_tree
from editor_app.features.checks.engine.memory import RuleMemory

File = Literal["xrdf", "urdf", "srdf", "ros"]
RuleFunction = Callable[["CheckContext"], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class Rule:
    """`inputs` are names of CheckContext attributes: while they are the same objects, the findings
    are too.

    `needs_urdf`: says nothing when no URDF is given. `slow`: needs meshes or sampling, runs in the
    background. `profile`: says something for this profile alone.
    """

    code: str
    title: str
    section: str
    inputs: tuple[str, ...]
    function: RuleFunction
    needs_urdf: bool
    slow: bool
    #: Which file the rule is about: it says nothing when that file is not given.
    file: File = "xrdf"
    #: Other codes that the function gives, with their titles.
    also: FrozenDict[str, str] = FrozenDict()
    profile: Profile | None = None

    def findings(self, context: CheckContext) -> Iterator[Finding]:
        """Yield the findings of the function, by default with the code and section of the rule."""
        if self.profile is not None and context.profile is not self.profile:
            return
        for finding in self.function(context):
            subject = finding.subject
            if subject.section == "":
                finding = replace(finding, subject=replace(subject, section=self.section))
            yield finding if finding.code else replace(finding, code=self.code)

    @property
    def titles(self) -> dict[str, str]:
        """Code -> title."""
        return {self.code: self.title, **self.also}


RULES: dict[str, Rule] = {}


def rule(
    code: str,
    title: str,
    section: str,
    inputs: str,
    *,
    needs_urdf: bool | None = None,
    slow: bool = False,
    file: File = "xrdf",
    also: Mapping[str, str] = FrozenDict(),
    profile: Profile | None = None,
) -> Callable[[RuleFunction], RuleFunction]:
    """Registers a function as the rule `code`; `inputs` are the attributes it reads, separated by
    blanks.

    A rule of the XRDF that reads the URDF needs it, unless `needs_urdf` says that it does without.
    Raises ValueError when another function has that code.
    """

    def register(function: RuleFunction) -> RuleFunction:
        registered = RULES.get(code)
        # A module whose import failed half-way, for want of memory, is imported again: its rules
        # replace themselves.
        if registered is not None and _name(registered.function) != _name(function):
            raise ValueError(f"rule {code} is registered twice")
        names = tuple(inputs.split())
        needs = "urdf" in names if needs_urdf is None else needs_urdf
        RULES[code] = Rule(
            code, title, section, names, function, needs, slow, file, FrozenDict(also), profile
        )
        return function

    return register


def flaw(
    severity: Severity,
    message: str,
    path: YamlPath = (),
    *,
    links: Iterable[str] = (),
    joints: Iterable[str] = (),
    spheres: Iterable[SphereRef] = (),
    fixes: Iterable[Change | TextChange] = (),
    section: str = "",
    code: str = "",
    location: Location | None = None,
) -> Finding:
    """Build a finding of a rule; `code` and `section` are the rule's by default."""
    subject = FindingSubject(tuple(links), tuple(joints), tuple(spheres), section)
    return Finding(code, severity, message, path, location, subject, tuple(fixes))


def _name(function: RuleFunction) -> tuple[str, str]:
    return function.__module__, function.__qualname__


ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO


@dataclass(frozen=True, eq=False)
class CheckContext:
    """`has_urdf` is False when only the XRDF is given: then `robot.urdf` is empty and stands for
    nothing.

    `source` is the XRDF's text as it would be saved, None when the rules about spelling are not
    wanted.
    """

    robot: RobotDescription
    source: XrdfSource | None = None
    profile: Profile = Profile.SPECIFICATION
    has_urdf: bool = True
    urdf_path: Path | None = None
    #: Package or prefix -> folder, as geometry.paths takes it.
    mappings: FrozenDict[str, Path] = FrozenDict()
    #: The texts of URDF and SRDF as they would be saved; None when the rules about them are not
    #: wanted.
    urdf_source: UrdfSource | None = None
    srdf_source: SrdfSource | None = None
    #: False when there is no XRDF: then `robot.xrdf` is empty and stands for nothing.
    has_xrdf: bool = True
    #: MoveIt's settings as they would be saved.
    settings: FrozenDict[FileKind, SettingsSource[Any]] = FrozenDict()
    #: Of spheres and mask against the meshes, where it was measured before: rules tell the same
    #: figures then.
    cost: ModelCost | None = None
    #: Results that slow rules share, and keep for the next check.
    memory: RuleMemory = field(default_factory=RuleMemory)
    #: Called between the steps of slow rules; ends them by raising.
    tick: Progress = silent

    @classmethod
    def of_texts(
        cls,
        urdf: UrdfSource | None,
        xrdf: XrdfSource | None,
        srdf: SrdfSource | None,
        profile: Profile,
        urdf_path: Path | None,
        mappings: FrozenDict[str, Path] = FrozenDict(),
    ) -> CheckContext:
        """Build the context of the given texts."""
        parts = (
            urdf.value if urdf else Urdf(),
            xrdf.value if xrdf else Xrdf(),
            srdf.value if srdf else None,
        )
        is_given = urdf is not None, xrdf is not None
        return cls(
            RobotDescription(*parts),
            xrdf,
            profile,
            is_given[0],
            urdf_path,
            mappings,
            urdf,
            srdf,
            is_given[1],
        )

    @property
    def xrdf(self) -> Xrdf:
        return self.robot.xrdf

    @property
    def urdf(self) -> Urdf:
        return self.robot.urdf

    @property
    def srdf(self) -> Srdf | None:
        return self.robot.srdf

    @property
    def limits(self) -> MotionLimits | None:
        return self.robot.limits

    @property
    def kinematics(self) -> Solvers | None:
        return self.robot.kinematics

    @property
    def positions(self) -> InitialPositions | None:
        return self.robot.positions

    def place(self, document: str, *path: str) -> Location | None:
        """Return the location of a key in MoveIt's settings; `document` is a value of FileKind."""
        source = self.settings.get(FileKind(document))
        return source.location(*path) if source is not None else None

    @property
    def version(self) -> str | None:
        return self.xrdf.format_version

    @property
    def xrdf_format(self) -> str | None:
        return self.xrdf.format

    @property
    def is_v2(self) -> bool:
        return self.version == "2.0"

    @property
    def modifiers(self) -> tuple[Modifier, ...] | None:
        return self.xrdf.modifiers

    @property
    def geometry(self) -> tuple[GeometryGroup, ...] | None:
        return self.xrdf.geometry

    @property
    def world(self) -> CollisionSection | None:
        return self.xrdf.world_collision

    @property
    def self_collision(self) -> SelfCollisionSection | None:
        return self.xrdf.self_collision

    @property
    def defaults(self) -> FrozenDict[str, float] | None:
        return self.xrdf.default_joint_positions

    @property
    def cspace(self) -> CSpace | None:
        return self.xrdf.cspace

    @property
    def tool_frames(self) -> tuple[str, ...] | None:
        return self.xrdf.tool_frames

    @property
    def world_key(self) -> str:
        """The key of the obstacle section in the file's version."""
        return "world_collision" if self.is_v2 else "collision"

    @cached_property
    def tree(self) -> KinematicTree:
        """The kinematic structure after the modifiers."""
        return get_tree(self.robot)

    @cached_property
    def frames(self) -> frozenset[str]:
        return frozenset(self.tree.frames)

    @cached_property
    def urdf_links(self) -> frozenset[str]:
        return frozenset(link.name for link in self.urdf.links)

    @cached_property
    def urdf_joints(self) -> dict[str, Joint]:
        return {joint.name: joint for joint in reversed(self.urdf.joints)}

    @cached_property
    def tree_joints(self) -> frozenset[str]:
        return frozenset(joint.name for joint in self.tree.joints)

    @cached_property
    def added_frames(self) -> dict[str, AddFrame]:
        return {m.frame_name: m for m in self.modifiers or () if isinstance(m, AddFrame)}

    def why_no_frame(self, name: str) -> str:
        """Why `name` is not in the kinematic structure (never there, or cut off by the new base);
        ends the sentence."""
        if name in self.added_frames and name not in self.tree.removed_frames:
            return f"the added frame {name!r} cannot be created (see its modifier)."
        if name in self.urdf_links or name in self.added_frames:
            return (
                f"{name!r} is not in the subtree of the base frame {self.tree.root!r}, so it is "
                "cut off."
            )
        return f"{name!r} is not a frame of the robot{whether_meant(name, self.frames)}"

    def why_no_joint(self, name: str) -> str:
        """Why `name` is no joint of the kinematic structure; ends the sentence."""
        if name in self.urdf_joints:
            return f"joint {name!r} is above the base frame {self.tree.root!r}, so it is cut off."
        return (
            f"{name!r} is not a joint of the "
            f"robot{whether_meant(name, (j.name for j in self.tree.joints))}"
        )
