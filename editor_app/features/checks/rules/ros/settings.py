"""joint_limits.yaml, kinematics.yaml and initial_positions.yaml against the robot that they are
about.

What is found while a package is opened has no rule:

ROS000 E a file of the package cannot be read
ROS010 I files of the package that were opened, and those that are missing
ROS011 I the SRDF is expanded from xacro
ROS012 W a controller of a joint that does not exist
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from editor_app.core.document.commands import Several
from editor_app.core.document.commands.cspace import SetLimits
from editor_app.core.document.commands.fields import OfInitialPositions, OfMotionLimit, SetField
from editor_app.core.model.counting import format_list
from editor_app.core.model.findings import Finding
from editor_app.core.model.keys import Named
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.near_names import nearest
from editor_app.core.model.profile import Profile
from editor_app.core.model.references import DocumentName
from editor_app.core.model.robot import Change
from editor_app.core.model.ros_settings import MotionLimit
from editor_app.core.model.srdf_groups import is_serial, list_planned_joints
from editor_app.core.model.urdf import Joint, JointType
from editor_app.features.checks.engine.fixes import corrected, offer
from editor_app.features.checks.engine.rule import ERROR, INFO, WARNING, CheckContext, flaw, rule

Kind = Literal["velocity", "acceleration", "jerk"]
KINDS: tuple[Kind, ...] = ("velocity", "acceleration", "jerk")
#: Shares of a limit that two files may differ by: rounding.
SAME = 1e-6
#: Parts of the names of MoveIt's solvers that take serial chains alone.
_SERIAL_SOLVERS = ("kdl", "lma")
#: Names that a sentence lists.
_LISTED = 4


@rule(
    "ROS001",
    "A value of the wrong type for its key",
    "urdf.joint",
    "limits kinematics positions",
    file="ros",
    also={
        "ROS002": "A whole number where ROS 2 needs a floating-point number",
        "ROS014": "A key that appears more than once",
        "ROS016": "A unit where ROS 2 needs a plain number",
    },
)
def check_unread_settings(c: CheckContext) -> Iterable[Finding]:
    for source in c.settings.values():
        yield from source.findings


@rule(
    "ROS003",
    "Settings of a joint that does not exist",
    "urdf.joint",
    "limits positions urdf",
    file="ros",
)
def check_settings_joints(c: CheckContext) -> Iterable[Finding]:
    tables: tuple[tuple[DocumentName, str, str, Iterable[str]], ...] = (
        (
            "limits",
            "joint_limits.yaml",
            "joint_limits",
            c.limits.joints if c.limits is not None else (),
        ),
        (
            "positions",
            "initial_positions.yaml",
            "initial_positions",
            c.positions.joints if c.positions else (),
        ),
    )
    for document, file, key, names in tables:
        for name in names:
            if name not in c.urdf_joints:
                near = nearest(name, c.urdf_joints)
                told = (
                    f"; did you mean {near!r}?" if near is not None and near not in names else "."
                )
                message = f"{file} names the joint {name!r}, which the robot does not have{told}"
                fixes = corrected(document, Named.JOINT, file, name, near if told != "." else None)
                place = c.place(document, key, name)
                yield flaw(WARNING, message, joints=(name,), fixes=fixes, location=place)


@rule(
    "ROS004",
    "A limit without effect: `has_…_limits` or its value is missing",
    "urdf.joint",
    "limits",
    file="ros",
)
def counting(c: CheckContext) -> Iterable[Finding]:
    for name, limit in _limits(c):
        for kind in KINDS:
            has, value = getattr(limit, f"has_{kind}_limits"), getattr(limit, f"max_{kind}")
            place = c.place("limits", "joint_limits", name)
            if has and value is None:
                message = (
                    f"{name!r} has has_{kind}_limits and no max_{kind}: MoveIt reports an error."
                )
                yield flaw(
                    ERROR,
                    message,
                    joints=(name,),
                    fixes=_set(name, f"has_{kind}_limits", False),
                    location=place,
                )
            elif has is None and value is not None:
                message = (
                    f"MoveIt ignores max_{kind} of {name!r}: has_{kind}_limits: true is missing."
                )
                yield flaw(
                    WARNING,
                    message,
                    joints=(name,),
                    fixes=_set(name, f"has_{kind}_limits", True),
                    location=place,
                )


@rule(
    "ROS015",
    "Joints of a group without a limit that MoveIt needs",
    "urdf.joint",
    "limits urdf srdf xrdf profile",
    file="ros",
)
def check_planned_joints(c: CheckContext) -> Iterable[Finding]:
    """MoveIt's time parametrisation (TOTG) refuses a motion of a joint without limits; before Iron
    it took 1 rad/s²."""
    rates: tuple[Literal["velocity", "acceleration"], ...] = ("acceleration", "velocity")
    for kind in rates if c.limits is not None else ():
        lacking = [name for name in _planned_joints(c) if not _planning_limit(c, name, kind)]
        if not lacking:
            continue
        message = (
            f"MoveIt plans no motion of {format_list(map(repr, lacking), _LISTED)}: MoveIt 2 Jazzy "
            "times a motion "
            f"only with has_{kind}_limits: true and a max_{kind} above 0."
        )
        of_xrdf = c.xrdf.limits_of(kind) if kind == "acceleration" else {}
        changes: list[Change] = []
        for name in lacking:
            limit = (
                c.limits.joints.get(name, MotionLimit()) if c.limits is not None else MotionLimit()
            )
            value = getattr(limit, f"max_{kind}") or of_xrdf.get(name)
            changes += (
                (*_set(name, f"has_{kind}_limits", True), *_set(name, f"max_{kind}", value))
                if value
                else ()
            )
        fixes = (
            (Several(f"Set the {kind} limits from the files", tuple(changes)),) if changes else ()
        )
        entries = [name for name in lacking if c.limits is not None and name in c.limits.joints]
        place = c.place("limits", "joint_limits", *entries[:1])
        severity = ERROR if c.profile is Profile.MOVEIT else WARNING
        yield flaw(severity, message, joints=lacking, fixes=fixes, location=place)


def _planned_joints(c: CheckContext) -> list[str]:
    """The joints that MoveIt plans: the joints of the groups; all that move where the SRDF has no
    group."""
    graph = KinematicGraph(c.urdf)
    groups = c.srdf.groups if c.srdf is not None else ()
    names = {
        name
        for group in groups
        if c.srdf is not None
        for name in list_planned_joints(c.srdf, group, graph)
    }
    return [name for name in graph.movable(c.urdf.joints) if name in names or not groups]


def _planning_limit(
    c: CheckContext, name: str, kind: Literal["velocity", "acceleration"]
) -> float | None:
    """The limit that MoveIt plans with, rad or m per s or s²: that of the file, for a velocity else
    the URDF's."""
    limit = c.limits.joints.get(name, MotionLimit()) if c.limits is not None else MotionLimit()
    of_urdf = c.urdf_joints[name].limit
    if kind == "velocity" and limit.has_velocity_limits is None and of_urdf is not None:
        return of_urdf.velocity
    return limit.velocity if kind == "velocity" else limit.acceleration


@rule("ROS005", "A velocity above the URDF's limit", "urdf.joint", "limits urdf", file="ros")
def velocities(c: CheckContext) -> Iterable[Finding]:
    for name, limit in _limits(c):
        joint = c.urdf_joints.get(name)
        allowed = joint.limit.velocity if joint is not None and joint.limit is not None else None
        if limit.velocity is not None and allowed and limit.velocity > allowed * (1.0 + SAME):
            message = (
                f"{name!r} may move at {limit.velocity:g} here, but at {allowed:g} in the URDF. "
                "MoveIt uses the "
                "former; the drives may not allow it."
            )
            place = c.place("limits", "joint_limits", name, "max_velocity")
            yield flaw(
                WARNING,
                message,
                joints=(name,),
                fixes=_set(name, "max_velocity", allowed),
                location=place,
            )


@rule("ROS006", "Acceleration or jerk differs from the XRDF", "cspace", "limits cspace", file="ros")
def accelerations(c: CheckContext) -> Iterable[Finding]:
    cspace = c.cspace
    kinds: tuple[Literal["acceleration", "jerk"], ...] = ("acceleration", "jerk")
    for index, name in enumerate((cspace.joint_names or ()) if cspace is not None else ()):
        limit = c.limits.joints.get(name) if c.limits is not None else None
        for kind in kinds if limit is not None else ():
            table = getattr(cspace, f"{kind}_limits") or ()
            here, of_xrdf = getattr(limit, kind), table[index] if index < len(table) else None
            if (
                here is not None
                and of_xrdf is not None
                and abs(here - of_xrdf) > SAME * max(abs(here), abs(of_xrdf))
            ):
                message = (
                    f"The {kind} limit of {name!r} is {here:g} here, and {of_xrdf:g} in the XRDF. "
                    "The timing of "
                    "motions uses the lower one."
                )
                fixes: tuple[Change, ...] = (
                    offer(
                        f"Set the {kind} of {name} to {here:g} in the XRDF",
                        SetLimits(kind, ((index, here),)),
                    ),
                    *_set(name, f"max_{kind}", of_xrdf),
                )
                place = c.place("limits", "joint_limits", name, f"max_{kind}")
                yield flaw(INFO, message, joints=(name,), fixes=fixes, location=place)


@rule("ROS007", "Positions beyond the limits of the URDF", "urdf.joint", "limits urdf", file="ros")
def positions(c: CheckContext) -> Iterable[Finding]:
    for name, limit in _limits(c):
        joint = c.urdf_joints.get(name)
        span = joint.position_limits if joint is not None else None
        for key, bound, sign in (("min_position", 0, -1.0), ("max_position", 1, 1.0)):
            value = getattr(limit, key)
            if joint is None or value is None:
                continue
            place = c.place("limits", "joint_limits", name, key)
            if joint.type is JointType.CONTINUOUS:
                message = (
                    f"{key} of {name!r}: MoveIt uses no position limits for continuous joints."
                )
                yield flaw(
                    WARNING, message, joints=(name,), fixes=_set(name, key, None), location=place
                )
            elif span is not None and sign * (value - span[bound]) > SAME:
                message = (
                    f"{key} of {name!r} is {_told(joint, value)}, but {_told(joint, span[bound])} "
                    "in the URDF. "
                    "MoveIt plans with the former."
                )
                yield flaw(
                    WARNING,
                    message,
                    joints=(name,),
                    fixes=_set(name, key, span[bound]),
                    location=place,
                )


@rule(
    "ROS008",
    "A solver for a group that does not exist",
    "srdf.groups",
    "kinematics srdf",
    file="ros",
)
def groups(c: CheckContext) -> Iterable[Finding]:
    if c.kinematics is None or c.srdf is None:
        return
    names = [group.name for group in c.srdf.groups]
    for name in c.kinematics.groups:
        if name not in names:
            near = nearest(name, names)
            free = near if near not in c.kinematics.groups else None
            message = (
                f"kinematics.yaml has a solver for the group {name!r}, which the SRDF does not "
                "have: MoveIt ignores it."
            )
            fixes = corrected("kinematics", Named.SRDF_GROUP, "kinematics.yaml", name, free)
            yield flaw(WARNING, message, fixes=fixes, location=c.place("kinematics", name))


@rule(
    "ROS017",
    "A solver for a group on several branches",
    "srdf.groups",
    "kinematics srdf urdf",
    file="ros",
)
def check_solvers(c: CheckContext) -> Iterable[Finding]:
    graph = KinematicGraph(c.urdf)
    for name, solver in (c.kinematics.groups if c.kinematics is not None else {}).items():
        group = c.srdf.group(name) if c.srdf is not None else None
        plugin = solver.kinematics_solver or ""
        is_serial_solver = any(word in plugin.lower() for word in _SERIAL_SOLVERS)
        if (
            c.srdf is not None
            and group is not None
            and is_serial_solver
            and not is_serial(c.srdf, group, graph)
        ):
            message = (
                f"{plugin} cannot solve the group {name!r}, whose joints are on several branches: "
                "MoveIt can "
                "plan it only to joint positions."
            )
            yield flaw(WARNING, message, location=c.place("kinematics", name))


@rule(
    "ROS009",
    "An initial position outside the joint's limits",
    "urdf.joint",
    "positions urdf",
    file="ros",
)
def check_initial_positions(c: CheckContext) -> Iterable[Finding]:
    for name, value in (c.positions.joints if c.positions is not None else {}).items():
        joint = c.urdf_joints.get(name)
        if joint is not None and abs(joint.clamped(value) - value) > SAME:
            message = (
                f"The initial position of {name!r}, {_told(joint, value)}, is outside its limits."
            )
            label = f"Set the initial position of {name} to {joint.clamped(value):g}"
            fix = SetField(OfInitialPositions(), ("joints", name), joint.clamped(value), label)
            place = c.place("positions", "initial_positions", name)
            yield flaw(WARNING, message, joints=(name,), fixes=(fix,), location=place)


def _limits(c: CheckContext) -> Iterator[tuple[str, MotionLimit]]:
    yield from c.limits.joints.items() if c.limits is not None else ()


def _set(joint: str, key: str, value: float | bool | None) -> tuple[Change, ...]:
    told = (
        f"Take {key} of {joint} out"
        if value is None
        else f"Set {key} of {joint} to {_spelled(value)}"
    )
    return (SetField(OfMotionLimit(joint), key, value, f"{told} (joint_limits.yaml)"),)


def _spelled(value: float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"


def _told(joint: Joint, value: float) -> str:
    return joint.position_text(value)
