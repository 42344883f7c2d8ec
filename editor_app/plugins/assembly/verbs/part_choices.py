"""Choices for an attached part, as in a first draft: the tool frames, the controlled joints, how it
stands.

Decided here, for every caller: what can be chosen, what is chosen by itself, and what a choice
changes in the XRDF. What files say counts; of a part without an XRDF drafting guesses on the whole
robot: behind an arm, fingers are locked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from editor_app.core.document.commands import AddCSpace, RemoveJoints
from editor_app.core.document.commands.lists import InsertItem, RemoveItems
from editor_app.core.drafting import ControlPlan, plan_control
from editor_app.core.drafting.words import says, tool_rank
from editor_app.core.model.near_names import hint
from editor_app.core.model.robot import RobotDescription
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.tasks.work import Refused
from editor_app.core.verbs.link_roles import control_joint
from editor_app.plugins.assembly.verbs.hand_variants import Variant, hand_variants


@dataclass(frozen=True, slots=True)
class Countable:
    """A frame that may be a tool, or a joint that may be controlled; `counts`: by itself, for the
    `reason`."""

    name: str
    counts: bool
    reason: str


@dataclass(frozen=True, slots=True)
class PartChoices:
    """The choices for the whole assembly; `variants` concern the part alone, empty without
    fingers."""

    tools: tuple[Countable, ...] = ()
    joints: tuple[Countable, ...] = ()
    variants: tuple[Variant, ...] = ()

    @property
    def counted_tools(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.tools if each.counts)

    @property
    def counted_joints(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.joints if each.counts)


def choices_of(robot: RobotDescription, root: str, at: str, *, part_has_xrdf: bool) -> PartChoices:
    """`robot`: the assembly with the joined XRDF and the part's SRDF. `root`: the first link of the
    part, on `at`."""
    tree = get_tree(robot)
    # What a broken robot leaves hanging in the air has no tree.
    below = tree.subtree(root) if root in tree.index else ()
    guessed = frozenset[str]() if part_has_xrdf else frozenset(below)
    plan = plan_control(robot.urdf, robot.srdf)
    tools = _tools(robot, plan, below, at, guessed)
    variants = hand_variants(robot, root) if root in tree.index else ()
    return PartChoices(tools, _joints(robot, plan, guessed), variants)


def _tools(
    robot: RobotDescription,
    plan: ControlPlan,
    below: Sequence[str],
    at: str,
    guessed: frozenset[str],
) -> tuple[Countable, ...]:
    """`guessed`: the frames that no XRDF says anything of."""
    drafted = {tool.frame: tool.reason for tool in plan.tools}
    written = robot.xrdf.tool_frames or ()
    tools = {
        name: Countable(name, True, "a tool frame of its XRDF")
        for name in written
        if name not in guessed
    }
    tools |= {name: Countable(name, True, why) for name, why in drafted.items() if name in guessed}
    for name in (*written, *drafted, at, *filter(_may_be_tool, below)):
        if name not in tools and name in get_tree(robot).index:
            why = (
                "the part is attached to it"
                if name == at
                else "it has the usual name of a tool frame"
            )
            tools[name] = Countable(name, False, drafted.get(name) or why)
    return tuple(tools.values())


def _joints(
    robot: RobotDescription, plan: ControlPlan, guessed: frozenset[str]
) -> tuple[Countable, ...]:
    locked = {each.joint: each.reason for each in plan.locked}
    controlled = robot.xrdf.controlled
    joints = []
    for joint in get_tree(robot).joints:
        if joint.is_movable and joint.mimic is None:
            is_guessed = joint.child in guessed
            counts = joint.name in (plan.joints if is_guessed else controlled)
            reason = plan.reason if is_guessed else "in the c-space of its XRDF"
            why_not = locked.get(joint.name, "it is not in the c-space of its XRDF")
            joints.append(Countable(joint.name, counts, reason if counts else why_not))
    return tuple(joints)


def with_control(
    robot: RobotDescription, tools: Sequence[str], joints: Sequence[str]
) -> RobotDescription:
    """Just these tool frames and controlled joints; what stays keeps its order and its limits.
    Raises Refused."""
    tree = get_tree(robot)
    movers = [joint.name for joint in tree.joints if joint.is_movable and joint.mimic is None]
    written = robot.xrdf.tool_frames or ()
    present = robot.xrdf.controlled
    # What the files say wrongly is for check to tell.
    _refuse_others(tools, (*written, *tree.frames), "frame", "a tool")
    _refuse_others(joints, (*present, *movers), "independent joint", "controlled")
    gone = tuple(i for i, name in enumerate(written) if name not in tools)
    robot = RemoveItems("xrdf.tool_frames", gone).apply(robot)
    for name in dict.fromkeys(tools):
        if name not in written:
            robot = InsertItem("xrdf.tool_frames", name).apply(robot)
    if robot.xrdf.cspace is None and joints:
        robot = AddCSpace().apply(robot)
    if present:
        robot = RemoveJoints(
            tuple(i for i, name in enumerate(present) if name not in joints)
        ).apply(robot)
    for name in dict.fromkeys(joints):
        if name not in present:
            robot = control_joint(robot, name).apply(robot)
    return robot


def _refuse_others(names: Sequence[str], allowed: Iterable[str], kind: str, role: str) -> None:
    choices = list(allowed)
    for name in names:
        if name not in choices:
            raise Refused(
                f"the assembly has no {kind} {name!r} that can be {role}{hint(name, choices)}"
            )


def _may_be_tool(name: str) -> bool:
    return tool_rank(name) > 0 and says("sensor", name) is None
