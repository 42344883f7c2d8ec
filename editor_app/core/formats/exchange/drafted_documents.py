"""The documents of a robot that another program describes as a whole: URDF, SRDF, and a drafted
XRDF."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from editor_app.core.drafting import ControlPlan, ControlRequest, plan_control
from editor_app.core.formats.exchange.codec import RobotFiles
from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.formats.exchange.import_notes import ImportNote, with_import_note
from editor_app.core.formats.exchange.sphere_lists import count_spheres_on_links, with_spheres
from editor_app.core.formats.exchange.stated_values import StatedValues
from editor_app.core.formats.srdf import read_srdf, srdf_text
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.urdf.patch import urdf_text
from editor_app.core.formats.xrdf import XrdfSource, read_xrdf
from editor_app.core.formats.xrdf.draft import draft_xrdf
from editor_app.core.formats.xrdf.write import patch_text
from editor_app.core.model.counting import format_list
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.srdf import CollisionPair, Group, GroupState, Srdf
from editor_app.core.model.urdf import Urdf
from editor_app.core.model.xrdf import CollisionSphere, SelfCollisionSection, ignore_mapping
from editor_app.core.text.source import SourceText

#: The group of the SRDF that has the driven joints.
DRIVEN_GROUP = "actuated"
_MOST = 8


@dataclass(frozen=True)
class WholeRobot:
    """A robot as a file describes it, links and joints named as in `urdf`. Positions in rad or m.

    `driven`: joints that an actuator moves; empty where the file does not say. `states`: name ->
    position of each joint that moves; `state_item`: the file's word for one. `start`: where the
    file puts the joints. `pairs` are not checked. `tools`: links that the file marks; `order`:
    joints as the file numbers them.
    """

    urdf: Urdf
    driven: Collection[str] = ()
    states: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    state_item: str = "state"
    start: Mapping[str, float] = field(default_factory=dict)
    pairs: tuple[CollisionPair, ...] = ()
    spheres: Mapping[str, tuple[CollisionSphere, ...]] = field(default_factory=dict)
    meshes: Mapping[str, bytes] = field(default_factory=dict)
    tools: Sequence[str] = ()
    order: Sequence[str] = ()


def drafted_documents(
    robot: WholeRobot, path: Path, out: Reporter, choices: FrozenDict[str, str] | None = None
) -> RobotFiles:
    """The documents of a robot out of the file at `path`, with what `out` reports, as long as it is
    not changed.

    `choices`: the choices of the import, which a comment of the URDF names with the file; None
    writes no such comment.
    """

    def source(text: str, kind: str) -> SourceText:
        return SourceText.from_text(text, path.with_suffix(f".{kind}"))

    text = urdf_text(robot.urdf)
    if choices is not None:
        text = with_import_note(text, ImportNote(path, choices), path.parent)
    urdf = read_urdf(source(text, "urdf"))
    srdf = _srdf(robot, out)
    xrdf = _xrdf(urdf.value, srdf, robot)
    out.invented(
        "XRDF",
        "drafted: which joints are controlled, tool frames, acceleration limits; see its comments",
    )
    spheres = FrozenDict(robot.spheres)
    if spheres:
        out.taken("collision spheres", count_spheres_on_links(spheres))
        xrdf = read_xrdf(
            xrdf.source.with_text(patch_text(xrdf, with_spheres(xrdf.value, spheres))[0])
        )
    return RobotFiles(
        urdf=urdf,
        srdf=read_srdf(source(srdf_text(srdf), "srdf")),
        xrdf=xrdf,
        stated=StatedValues(spheres=spheres),
        meshes=tuple(robot.meshes.items()),
        report=out.report(),
        xrdf_is_draft=True,
    )


# -- the SRDF


def _srdf(robot: WholeRobot, out: Reporter) -> Srdf:
    free = [joint.name for joint in robot.urdf.joints if joint.is_movable and joint.mimic is None]
    leaders = {
        joint.name: joint.mimic.joint for joint in robot.urdf.joints if joint.mimic is not None
    }
    driven = {leaders.get(name, name) for name in robot.driven}
    joints = tuple(name for name in free if name in driven) if driven else tuple(free)
    states = _states(robot, joints, out) if joints else ()
    passive = tuple(name for name in free if name not in joints)
    if states and passive:
        detail = (
            f"a state has the joints of its group: {format_list(passive, _MOST)} only start there, "
            "in the XRDF"
        )
        out.lost(f"{robot.state_item} of joints without an actuator", detail)
    return Srdf(
        name=robot.urdf.name,
        groups=(Group(DRIVEN_GROUP, joints=joints),) if joints else (),
        states=states,
        passive_joints=passive,
        disabled_pairs=robot.pairs,
    )


def _states(robot: WholeRobot, joints: Sequence[str], out: Reporter) -> tuple[GroupState, ...]:
    states = [
        GroupState(name, DRIVEN_GROUP, FrozenDict({joint: (positions[joint],) for joint in joints}))
        for name, positions in robot.states.items()
    ]
    if states:
        detail = (
            f"states of the group {DRIVEN_GROUP}: {format_list([s.name for s in states], _MOST)}"
        )
        out.translated(robot.state_item, detail)
    return tuple(states)


# -- the XRDF


def _xrdf(urdf: Urdf, srdf: Srdf, robot: WholeRobot) -> XrdfSource:
    """A draft that begins where the file does, and ignores the pairs that the file leaves out."""
    plan = _marked(_driven(plan_control(urdf, srdf), urdf, srdf), urdf, srdf, robot)
    plan = _begun(plan, srdf, robot)
    # Without a path: no such file was read.
    drafted = read_xrdf(SourceText.from_text(draft_xrdf(urdf, plan)))
    section = drafted.value.self_collision or SelfCollisionSection()
    pairs = dict.fromkeys(section.ignored_pairs(), "") | {
        p.pair: p.reason or "" for p in srdf.disabled_pairs
    }
    section = replace(section, ignore=ignore_mapping(pairs, [link.name for link in urdf.links]))
    wanted = replace(drafted.value, self_collision=section)
    return read_xrdf(drafted.source.with_text(patch_text(drafted, wanted, pairs)[0]))


def _driven(plan: ControlPlan, urdf: Urdf, srdf: Srdf) -> ControlPlan:
    """Without joints that no actuator moves: they close a loop, or hang on a spring."""
    joints = tuple(name for name in plan.joints if name not in srdf.passive_joints)
    if not joints or joints == plan.joints:
        return plan
    rest = plan_control(urdf, srdf, ControlRequest(joints=joints))
    return replace(rest, guessed=True, reason=f"{plan.reason}, restricted to joints with actuators")


def _marked(plan: ControlPlan, urdf: Urdf, srdf: Srdf, robot: WholeRobot) -> ControlPlan:
    """With the tool frames that the file marks at the end of a chain, and its order of joints."""
    above = {joint.child: joint for joint in urdf.joints}
    inner: set[str] = set()
    for joint in urdf.joints:
        link: str | None = joint.parent if joint.name in plan.joints else None
        while link is not None and link not in inner:
            inner.add(link)
            link = above[link].parent if link in above else None
    tools = []
    for tool in robot.tools:
        link = tool
        while link in above and link not in inner and not above[link].is_movable:
            link = above[link].parent
        if link in above and link not in inner and above[link].name in plan.joints:
            tools.append(tool)
    if tools:
        rest = plan_control(urdf, srdf, ControlRequest(joints=plan.joints, tools=tuple(tools)))
        plan = replace(
            plan, tools=tuple(replace(each, reason="the file marks it") for each in rest.tools)
        )
    places = {name: place for place, name in enumerate(robot.order)}
    joints = sorted(plan.joints, key=lambda name: places.get(name, len(places)))
    return replace(plan, joints=tuple(joints))


def _begun(plan: ControlPlan, srdf: Srdf, robot: WholeRobot) -> ControlPlan:
    """At a state whose name says so, else at the first one, else where the file puts the joints."""
    states = plan.states or tuple(state.name for state in srdf.states[:1])
    at = robot.states[states[0]] if states else robot.start
    by_name = {joint.name: joint for joint in robot.urdf.joints}
    positions = {
        name: by_name[name].clamped(at.get(name, value)) for name, value in plan.positions.items()
    }
    locked = tuple(replace(each, position=positions[each.joint]) for each in plan.locked)
    return replace(plan, positions=FrozenDict(positions), locked=locked, states=states)
