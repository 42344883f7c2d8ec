"""The verb control: which chain of an open robot is controlled, chosen anew.

Decided here, for every caller: what can be chosen (a base, tools, a group of the SRDF), and what a
choice changes: the c-space, the tool frames and the default positions, with the reasons that a new
file would give.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from editor_app.core.document.commands import ReplaceXrdf
from editor_app.core.document.document import Document
from editor_app.core.document.opening import first_plan
from editor_app.core.drafting import NOTHING_ASKED, ControlPlan, ControlRequest, plan_control
from editor_app.core.drafting.bodies import BodyTree
from editor_app.core.drafting.control import joints_of
from editor_app.core.formats.xrdf import patch_xrdf, read_xrdf
from editor_app.core.formats.xrdf.draft import draft_xrdf
from editor_app.core.model.counting import format_count, format_list
from editor_app.core.model.robot import Change, Label, RobotDescription, TextChange
from editor_app.core.model.ros_settings import InitialPositions, MotionLimits
from editor_app.core.model.srdf import Srdf
from editor_app.core.model.urdf import Urdf
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.text.source import SourceText


@dataclass(frozen=True, slots=True)
class ControlChoice:
    """Something that can be asked for, and what it is called: "7 joints to panda_hand".

    `plan`: what the guess controls; None for what is planned when it is chosen.
    """

    request: ControlRequest
    label: str
    plan: ControlPlan | None = None

    def is_that_of(self, robot: RobotDescription) -> bool:
        """Return whether the XRDF controls what the guess does, with its tools."""
        joints, tools = robot.xrdf.controlled, robot.xrdf.tool_frames or ()
        plan = self.plan
        return plan is not None and (joints, tools) == (
            plan.joints,
            tuple(tool.frame for tool in plan.tools),
        )


def control_choices(
    urdf: Urdf, srdf: Srdf | None = None, base: str | None = None
) -> tuple[ControlChoice, ...]:
    """The guess first, then each of its chains, or other frames of its tool's body; groups of the
    SRDF; every joint.

    `base`: where chains begin; None: at the root.
    """
    guess = plan_control(urdf, srdf, ControlRequest(base=base))
    tools = format_list((tool.frame for tool in guess.tools), 2)
    choices = [
        ControlChoice(
            ControlRequest(base=base), _called(f"to {tools}" if tools else "", guess), guess
        )
    ]
    tree = BodyTree.of(urdf)
    for tool in guess.tools if len(guess.tools) > 1 else ():
        number = tree.movers_to(tool.frame) - tree.movers_to(guess.base)
        choices.append(
            ControlChoice(
                ControlRequest(base=base, tools=(tool.frame,)),
                f"{format_count(number, 'joint')} to {tool.frame} alone",
            )
        )
    if len(guess.tools) == 1:
        frame = guess.tools[0].frame
        others = (name for name in tree.members[tree.body[frame]] if name != frame)
        choices += [
            ControlChoice(ControlRequest(base=base, tools=(n,)), _called(f"to {n}", guess))
            for n in others
        ]
    if base is None:
        for group in srdf.groups if srdf is not None else ():
            number = len(joints_of(tree, srdf, group)) if srdf is not None else 0
            if number:
                choices.append(
                    ControlChoice(
                        ControlRequest(group=group.name),
                        f"{format_count(number, 'joint')}: group {group.name}",
                    )
                )
        every = tuple(joint.name for joint in tree.independent)
        if set(every) != set(guess.joints):
            choices.append(
                ControlChoice(
                    ControlRequest(joints=every), f"all {format_count(len(every), 'movable joint')}"
                )
            )
    return tuple(choices)


def control_bases(urdf: Urdf) -> tuple[str, ...]:
    """The links that a chain may begin at: the root, and those on the way to several links that
    still move."""
    tree = BodyTree.of(urdf)
    movers = tree.below_counts(lambda joint: joint.is_movable and joint.mimic is None)
    bases = [tree.root] if tree.root else []
    return (
        *bases,
        *(
            name
            for name in tree.links[1:]
            if movers[name] >= 2 and tree.above[name].type != "fixed"
        ),
    )


@dataclass(frozen=True, slots=True)
class TakePlan:
    """The step that makes a plan the c-space, the tool frames and the default positions of a new
    file's text.

    Its comments say what was guessed and why; other sections stay.
    """

    urdf: Urdf
    plan: ControlPlan
    limits: MotionLimits | None = None
    label = Label("Control {plan.joints:joint}")

    def apply_text(self, text: str) -> str:
        """Raises FormatError when the text cannot be read."""
        drafted = read_xrdf(
            SourceText.from_text(draft_xrdf(self.urdf, self.plan, limits=self.limits))
        )
        now = read_xrdf(SourceText.from_text(text)).value
        return patch_xrdf(drafted, _with_plan(now, drafted.value)).text


def plan_for_tools(
    urdf: Urdf,
    srdf: Srdf | None,
    request: ControlRequest,
    initial: InitialPositions | None = None,
) -> ControlPlan:
    """A job: the plan for a request. Raises CannotApply when it names what the robot does not
    have."""
    return first_plan(urdf, srdf, request, initial)


def control(
    document: Document, request: ControlRequest = NOTHING_ASKED, *, plan: ControlPlan | None = None
) -> Change | TextChange:
    """The step after which the robot is controlled as asked; the document is left as it is. `plan`:
    known already.

    A file that is not on disk yet is drafted anew, with its reasons; in another the values alone
    change. Raises CannotApply when the request names what the robot does not have.
    """
    robot: RobotDescription = document.robot
    plan = (
        plan if plan is not None else first_plan(robot.urdf, robot.srdf, request, robot.positions)
    )
    if document.xrdf_digest is None:
        return TakePlan(robot.urdf, plan, robot.limits)
    drafted = read_xrdf(
        SourceText.from_text(draft_xrdf(robot.urdf, plan, limits=robot.limits))
    ).value
    return ReplaceXrdf(_with_plan(robot.xrdf, drafted), TakePlan(robot.urdf, plan).label)


def _with_plan(xrdf: Xrdf, drafted: Xrdf) -> Xrdf:
    return replace(
        xrdf,
        cspace=drafted.cspace,
        tool_frames=drafted.tool_frames,
        default_joint_positions=drafted.default_joint_positions,
    )


def _called(where: str, plan: ControlPlan) -> str:
    return f"{format_count(len(plan.joints), 'joint')} {where}".strip()
