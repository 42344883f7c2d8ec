"""The kinematics model and the two articulated systems around it."""

from __future__ import annotations

import math
from typing import Literal

from editor_app.core.model.urdf import Joint, JointType
from editor_app.core.text.xml.morph import build_piece, format_xml_number, format_xml_numbers
from editor_app.plugins.collada.embedded import written_type
from editor_app.plugins.collada.transforms import OPENRAVE, build_pose_matrix
from editor_app.plugins.collada.writing.state import MODEL, E, Writing, truth, write_pose

#: Ids and SIDs, as the writers that exist call them.
KINEMATICS, MOTION, INSTANCE = "robot0_kinematics", "robot0_motion", f"{MODEL}_inst"


def model_element(state: Writing, extras: tuple[E, ...]) -> E:
    """<kinematics_model>."""
    used = state.used()
    parts = [_joint(state, j) for j in used]
    parts.append(_links(state))
    parts += [f for f in (_formula(state, j) for j in used if j.mimic is not None) if f is not None]
    parts += state.pieces("formula")
    parts = [build_piece("technique_common", *parts), *extras, *state.pieces("kinematics_model")]
    return build_piece("kinematics_model", *parts, id=MODEL, name=state.robot.urdf.name or "robot")


def is_fixed(joint: Joint) -> bool:
    return written_type(joint) == JointType.FIXED


def bounds(joint: Joint) -> tuple[float, float] | None:
    """Limits in degrees, or metres; None without any."""
    if is_fixed(joint):
        return 0.0, 0.0
    limits = joint.position_limits
    if limits is None or not all(map(math.isfinite, limits)):
        return None
    return (
        limits
        if joint.type == JointType.PRISMATIC
        else (math.degrees(limits[0]), math.degrees(limits[1]))
    )


def _joint(state: Writing, joint: Joint) -> E:
    fixed = is_fixed(joint)
    if joint.type in (JointType.FLOATING, JointType.PLANAR):
        state.out.translated(
            f"joint {joint.name}",
            f"{joint.type}: a fixed joint, because COLLADA has no such joint here",
        )
    tag = "prismatic" if joint.type == JointType.PRISMATIC and not fixed else "revolute"
    axis = [build_piece("axis", text="1 0 0" if fixed else format_xml_numbers(joint.axis))]
    hard = state.pieces("hard_limits", joint.name)
    limits = bounds(joint)
    if hard:
        axis += hard[:1]
    elif limits is not None:
        axis.append(_limits(limits))
    parts = (build_piece(tag, *axis, sid="axis0"), *state.pieces("joint", joint.name))
    return build_piece("joint", *parts, name=joint.name, sid=state.joints[joint.name])


def _limits(values: tuple[float, float], inner: str | None = None) -> E:
    texts = [format_xml_number(v) for v in values]
    if inner is None:
        return build_piece(
            "limits", build_piece("min", text=texts[0]), build_piece("max", text=texts[1])
        )
    return build_piece(
        "limits",
        *(
            build_piece(t, build_piece(inner, text=x))
            for t, x in zip(("min", "max"), texts, strict=True)
        ),
    )


def _links(state: Writing) -> E:
    """The root with all others in it; put together from the leaves, since chains may be long."""
    elements: dict[str, E] = {}
    for name in reversed(state.order):
        attachments = tuple(
            build_piece(
                "attachment_full",
                *write_pose(build_pose_matrix(j.origin)),
                elements.pop(j.child),
                joint=state.joint_path(j.name),
            )
            for j in state.structure.outgoing.get(name, ())
        )
        elements[name] = build_piece("link", *attachments, sid=state.links[name], name=name)
    return elements[state.root]


def _formula(state: Writing, joint: Joint) -> E | None:
    mimic = joint.mimic
    if mimic is None or mimic.joint not in state.structure.joints or not joint.is_movable:
        return None
    leader = state.joint_path(mimic.joint)
    factor = build_piece("cn", text=format_xml_number(mimic.multiplier))
    product = build_piece(
        "apply",
        build_piece("times"),
        factor,
        build_piece("csymbol", text=leader, encoding="COLLADA"),
    )
    value = build_piece(
        "math",
        build_piece(
            "apply",
            build_piece("plus"),
            product,
            build_piece("cn", text=format_xml_number(mimic.offset)),
        ),
    )
    equations = (
        build_piece("equation", value, type="position"),
        build_piece("equation", build_piece("math", factor), type="first_partial", target=leader),
    )
    parts = (
        build_piece("target", build_piece("param", text=state.joint_path(joint.name))),
        build_piece("technique_common", value),
        build_piece("technique", *equations, profile=OPENRAVE),
    )
    return build_piece("formula", *parts, sid=f"{state.joints[joint.name]}_formula")


# -- articulated systems


def axis_parameters(state: Writing) -> list[str]:
    """SIDs of the parameters that stand for the axes and their values."""
    return [
        f"{INSTANCE}_{state.joints[j.name]}_{end}"
        for j in state.used()
        for end in ("axis0", "axis0_value")
    ]


def systems(state: Writing, extras: tuple[E, ...]) -> tuple[E, E]:
    """Two <articulated_system>: one with kinematics, one with motion."""
    name = state.robot.urdf.name or "robot"
    parameters = []
    for joint in state.used():
        sid = state.joints[joint.name]
        value = state.position(joint)
        value = value if joint.type == JointType.PRISMATIC else math.degrees(value)
        value = value if math.isfinite(value) and not is_fixed(joint) else 0.0
        axis = build_piece("SIDREF", text=f"{MODEL}/{sid}/axis0")
        parameters.append(build_piece("newparam", axis, sid=f"{INSTANCE}_{sid}_axis0"))
        inner = build_piece("float", text=format_xml_number(value))
        parameters.append(build_piece("newparam", inner, sid=f"{INSTANCE}_{sid}_axis0_value"))
    instance = build_piece("instance_kinematics_model", *parameters, url=f"#{MODEL}", sid=INSTANCE)
    infos = tuple(_kinematic_info(state, i, j) for i, j in enumerate(state.used()))
    frames = (
        build_piece("frame_origin", link=state.link_path(state.root)),
        build_piece("frame_tip", link=state.link_path(_tip(state))),
        *state.pieces("kinematics"),
    )
    block = build_piece("kinematics", instance, build_piece("technique_common", *infos, *frames))
    kinematics = build_piece("articulated_system", block, *extras, id=KINEMATICS, name=name)
    bound = tuple(
        build_piece(
            "newparam", build_piece("SIDREF", text=f"{KINEMATICS}/{sid}"), sid=f"motion_{sid}"
        )
        for sid in (INSTANCE, *axis_parameters(state))
    )
    inner = build_piece(
        "instance_articulated_system", *bound, url=f"#{KINEMATICS}", sid="kinematics_inst"
    )
    motions = tuple(_motion_info(state, i, j) for i, j in enumerate(state.used()))
    common = build_piece("technique_common", *motions, *state.pieces("motion"))
    motion = build_piece(
        "articulated_system", build_piece("motion", inner, common), id=MOTION, name=name
    )
    return kinematics, motion


def _tip(state: Writing) -> str:
    """The tool, else the link that is the most joints away from the root."""
    tools = [t for t in state.robot.xrdf.tool_frames or () if t in state.world]
    if tools:
        return tools[0]
    depths = state.depths()
    return max(depths, key=lambda n: depths[n])


def _kinematic_info(state: Writing, number: int, joint: Joint) -> E:
    xrdf, srdf = state.robot.xrdf, state.robot.srdf
    driven = xrdf.controlled
    fixed = is_fixed(joint)
    active = not fixed and joint.mimic is None
    if driven:
        active = joint.name in driven
    elif srdf is not None and joint.name in srdf.passive_joints:
        active = False
    kept = {k.text: k for k in state.kept if k.where == "axis_info" and k.owner == joint.name}
    first = [state.raw(t) for t in kept if t.lstrip().startswith("<newparam")]
    rest = [state.raw(t) for t in kept if not t.lstrip().startswith("<newparam")]
    parts = [*first, build_piece("active", truth(active)), build_piece("locked", truth(False))]
    if joint.name in driven and not fixed:
        parts.append(build_piece("index", build_piece("int", text=str(driven.index(joint.name)))))
    limits = bounds(joint)
    if limits is not None:
        parts.append(_limits(limits, "float"))
    axis = f"{MODEL}/{state.joints[joint.name]}/axis0"
    return build_piece("axis_info", *parts, *rest, sid=f"axis_info_inst{number}", axis=axis)


def _motion_info(state: Writing, number: int, joint: Joint) -> E:
    factor = 1.0 if joint.type == JointType.PRISMATIC else math.degrees(1)
    limit = joint.limit
    told = (joint.name, "velocity") not in state.invented
    numbers = (
        ("speed", limit.velocity if limit is not None and told else None),
        ("acceleration", _of_cspace(state, "acceleration", joint)),
        ("deceleration", limit.deceleration if limit is not None else None),
        ("jerk", _of_cspace(state, "jerk", joint)),
    )
    kept = [k.text for k in state.kept if k.where == "motion_axis_info" and k.owner == joint.name]
    first = [state.raw(t) for t in kept if t.lstrip().startswith("<newparam")]
    pieces = {
        t.lstrip()[1:].split(">")[0].split()[0]: t
        for t in kept
        if not t.lstrip().startswith("<newparam")
    }
    parts = []
    for tag, value in () if is_fixed(joint) else numbers:
        if value is not None and math.isfinite(value):
            parts.append(
                build_piece(tag, build_piece("float", text=format_xml_number(value * factor)))
            )
            pieces.pop(tag, None)
        elif tag in pieces:
            parts.append(state.raw(pieces.pop(tag)))
    parts += [state.raw(t) for t in pieces.values()]
    return build_piece("axis_info", *first, *parts, axis=f"{KINEMATICS}/axis_info_inst{number}")


def _of_cspace(state: Writing, kind: Literal["acceleration", "jerk"], joint: Joint) -> float | None:
    """The limit of the XRDF, else that of URDF 1.2."""
    value = state.robot.xrdf.limits_of(kind).get(joint.name)
    if value is None and joint.limit is not None:
        urdf_limit: float | None = getattr(joint.limit, kind)
        return urdf_limit
    return None if value is None else float(value)
