"""What an export says of the parts of a robot, item by item, beyond what the writers tell themselves."""

from __future__ import annotations

from collections.abc import Callable

from editor_app.formats.foreign.collada.embedded_masks import is_manipulator
from editor_app.formats.foreign.collada.writing.kinematics import bounds, is_fixed
from editor_app.formats.foreign.collada.writing.state import Writing
from editor_app.model.counting import counted
from editor_app.model.srdf import Srdf
from editor_app.model.urdf import Joint
from editor_app.model.xrdf import Xrdf

#: What libxml2 takes without being told to take more.
_COMMON_DEPTH = 250
_ALONE = "told to this editor alone"
#: Parts of joints that COLLADA has no words for, and whether a joint has one.
_PARTS_ALONE: dict[str, Callable[[Joint], bool]] = {
    "effort": lambda joint: joint.limit is not None and joint.limit.effort not in (None, 0.0),
    "dynamics": lambda joint: joint.dynamics is not None,
    "safety_controller": lambda joint: joint.safety is not None,
    "calibration": lambda joint: joint.calibration is not None,
}


def report_parts(state: Writing) -> None:
    """Adds the entries; the geometry must have been written."""
    _urdf(state)
    _xrdf(state, state.robot.xrdf)
    if state.robot.srdf is not None:
        _srdf(state, state.robot.srdf)


def _urdf(state: Writing) -> None:
    out, urdf = state.out, state.robot.urdf
    out.translated("links and joints", f"{len(state.world)} and {len(state.world) - 1}")
    # COLLADA's links stand in each other, with an attachment between.
    deep = 2 * max(state.depths().values())
    if deep > _COMMON_DEPTH:
        out.translated("chain", f"nested {deep} deep: some programs that read XML stop at {_COMMON_DEPTH}")
    links = [link for link in urdf.links if link.name in state.world]
    for kind, number, where in (
        ("visual", sum(len(link.visuals) for link in links), "in the nodes of the scene"),
        ("collision", sum(len(link.collisions) for link in links), "as bind_instance_geometry, environment"),
    ):
        written = number - sum(k == kind for _, k, _ in set(state.unwritten))
        if written > 0:
            out.translated(kind, f"{counted(written, 'shape')} {where}")
    masses = sum(link.inertial is not None for link in links)
    if masses:
        out.translated("inertial", f"{counted(masses, 'rigid_body', 'rigid bodies')} with principal moments")
    _joints(state, [j for j in state.used() if not is_fixed(j)])


def _joints(state: Writing, joints: list[Joint]) -> None:
    out = state.out
    limited = sum(bounds(j) is not None for j in joints)
    if limited:
        out.translated("limit", f"of {counted(limited, 'joint')}: axis_info, in degrees and metres")
    mimics = [j for j in joints if j.mimic is not None and j.mimic.joint in state.structure.joints]
    if mimics:
        out.translated("mimic", counted(len(mimics), "formula", "formulas"))
    numbers = {part: sum(map(has_part, joints)) for part, has_part in _PARTS_ALONE.items()}
    if alone := [f"{part} of {counted(number, 'joint')}" for part, number in numbers.items() if number]:
        out.kept("joints", f"{', '.join(alone)}: {_ALONE}")


def _xrdf(state: Writing, xrdf: Xrdf) -> None:
    out = state.out
    names = xrdf.controlled
    if names:
        limits = xrdf.cspace is not None and (xrdf.cspace.acceleration_limits or xrdf.cspace.jerk_limits)
        more = ", acceleration and jerk of its motion" if limits else ""
        out.translated("cspace", f"{counted(len(names), 'joint')}: active and index of axis_info{more}")
    if any((xrdf.default_joint_positions or {}).values()):
        out.translated("default_joint_positions", "values of the joints in the scene")
    alone = [
        ("tool_frames", bool(xrdf.tool_frames)),
        ("modifiers", bool(xrdf.modifiers)),
        (
            "buffer_distance",
            any(s is not None and s.buffer_distance for s in (xrdf.world_collision, xrdf.self_collision)),
        ),
        ("spheres against obstacles", xrdf.self_group is not None and xrdf.world_group not in (None, xrdf.self_group)),
    ]
    if present := [name for name, is_used in alone if is_used]:
        out.kept(", ".join(present), _ALONE)


def _srdf(state: Writing, srdf: Srdf) -> None:
    out = state.out
    hands = {e.group for e in srdf.end_effectors}
    for group in srdf.groups:
        if not is_manipulator(srdf, group) and group.name not in hands:
            out.kept(f"group {group.name}", f"no chain, which a manipulator is; {_ALONE}")
    if srdf.states:
        out.kept("group_state", f"{counted(len(srdf.states), 'state')}: {_ALONE}")
    if srdf.virtual_joints:
        out.kept("virtual_joint", f"{', '.join(v.name for v in srdf.virtual_joints)}: {_ALONE}")
    if srdf.end_effectors:
        names = ", ".join(e.name for e in srdf.end_effectors)
        out.translated("end_effector", f"{names}: gripper joints of the manipulator they belong to, where there is one")
