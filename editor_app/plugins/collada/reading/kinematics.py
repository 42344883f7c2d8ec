"""Links, joints, limits and formulas.

T_link = T_parent · Π(transforms of the link), T_att = T_link · Π(transforms of the attachment); the
child starts at T_att, and the joint's axis is expressed there. The URDF's frame of a link is where
it is attached: a link's own transforms go into its geometry, its inertia and the origins of its
children.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from editor_app.core.model.origin import Origin
from editor_app.core.model.srdf import Srdf
from editor_app.core.model.urdf import Joint, JointType, Limit, Link, Mimic
from editor_app.core.text.source import FormatError
from editor_app.core.text.xml.document import XmlElement
from editor_app.core.text.xml.morph import (
    build_piece,
    format_xml_number,
    format_xml_numbers,
    line_text,
)
from editor_app.plugins.collada.reading.parameters import reference_in
from editor_app.plugins.collada.reading.state import ColladaReading, Model
from editor_app.plugins.collada.transforms import (
    OPENRAVE,
    RADIAN_WRITERS,
    Kept,
    Matrix,
    axis_angle,
    build_origin,
    build_pose_matrix,
    each,
    find_children,
    floats,
    floats_in,
    inner,
    product,
)

#: Children of axis_info that have a place in URDF, SRDF or XRDF; the others are kept word for word.
_KINEMATIC = ("active", "locked", "index", "limits")
_MOTION = ("speed", "acceleration", "jerk")
#: Parameters of OpenRAVE's motions -> what they are an upper bound of.
_HARD = {"hardMaxVel": "speed", "hardMaxAccel": "acceleration", "hardMaxJerk": "jerk"}
_Range = tuple[float | None, float | None]


def read_model(state: ColladaReading, model: Model, frame: Matrix, lead: Matrix) -> str:
    """Adds the links and joints of a model; gives the name of its root.

    The root's frame stands at `frame` in the robot's; what is in it is turned by `lead`.

    Raises FormatError for a model without links.
    """
    common = model.element.child("technique_common")
    tops = common.all("link") if common is not None else []
    if common is None or not tops:
        raise FormatError(
            "The kinematics model has no links", state.documents.location(model.element)
        )
    _definitions(state, model, common)
    infos: dict[str, tuple[XmlElement | None, XmlElement | None]] = {}
    by_sid: dict[str, str] = {}
    for info in each(model.kinematics, "kinematics", "technique_common", "axis_info"):
        reference = info.get("axis") or ""
        parts = reference.split("/")
        if len(parts) > 2 and parts[0] not in model.keys and not set(parts) & model.keys:
            continue
        key = "/".join(parts[-2:])
        by_sid[info.get("sid") or ""] = key
        infos[key] = (info, None)
    for info in each(model.motion, "motion", "technique_common", "axis_info"):
        reference = info.get("axis") or ""
        name = by_sid.get(reference.split("/")[-1], "/".join(reference.split("/")[-2:]))
        infos[name] = (infos.get(name, (None, None))[0], info)
    model.infos = infos
    root = _link(state, model, tops[0], frame, lead)
    for other in tops[1:]:
        state.out.lost(
            f"link {other.get('name') or other.get('sid')}", "a second root; a URDF has one"
        )
    return root


def _definitions(state: ColladaReading, model: Model, common: XmlElement) -> None:
    for element in common.children:
        joint: XmlElement | None = element
        if element.tag == "instance_joint":
            joint = state.documents.find(element.get("url"), element)
        elif element.tag != "joint":
            continue
        sid = element.get("sid") or (joint.get("sid") if joint is not None else None) or ""
        if joint is not None and sid:
            model.definitions[sid] = joint
            model.joints[sid] = state.free(joint.get("name") or sid, "joint")


@dataclass(frozen=True, eq=False)
class _Attachment:
    """What hangs on a link: `frame` is the link's in the robot's frame, `transform` the link's own
    transforms."""

    element: XmlElement
    parent: str
    frame: Matrix
    transform: Matrix


def _link(
    state: ColladaReading,
    model: Model,
    element: XmlElement,
    frame: Matrix,
    lead: Matrix | None = None,
) -> str:
    """Adds a link and all that hangs on it; not by recursion, since chains may be long."""
    name, waiting = _one_link(state, model, element, frame, lead)
    waiting.reverse()
    while waiting:
        below = _attachment(state, model, waiting.pop())
        waiting += reversed(below)
    return name


def _one_link(
    state: ColladaReading,
    model: Model,
    element: XmlElement,
    frame: Matrix,
    lead: Matrix | None = None,
) -> tuple[str, list[_Attachment]]:
    sid = element.get("sid") or f"link{len(state.links)}"
    name = state.free(element.get("name") or sid, "link")
    state.called[name] = element.get("name") or sid
    model.links[sid] = name
    transform = product(element.children, state.documents.unit(element))
    if lead is not None:
        # The root's frame is the URDF's own; standing upright is a transform of what is in it.
        transform = lead @ transform
    state.link_transforms[name], state.world[name] = transform, frame
    state.links.append(Link(name))
    attachments = []
    for attachment in element.children:
        if attachment.tag in ("attachment_start", "attachment_end"):
            state.out.lost(
                f"{attachment.tag} {attachment.get('joint')}",
                "a closed loop, which URDF does not have",
            )
        elif attachment.tag == "attachment_full":
            attachments.append(_Attachment(attachment, name, frame, transform))
    return name, attachments


def _attachment(state: ColladaReading, model: Model, attached: _Attachment) -> list[_Attachment]:
    """Adds the joints and the link of an attachment; gives what hangs on the link."""
    attachment, transform = attached.element, attached.transform
    sid = (attachment.get("joint") or "").split("/")[-1]
    definition = model.definitions.get(sid)
    link = attachment.child("link")
    if definition is None or link is None:
        line = state.documents.location(attachment)
        state.out.lost(f"attachment of {sid}", f"{line}: its joint or its link does not exist")
        return []
    local = transform @ product(attachment.children, state.documents.unit(attachment))
    world = attached.frame @ local
    axes = [e for e in definition.children if e.tag in ("revolute", "prismatic")]
    name = model.joints[sid]
    if sid in model.used:
        name = state.free(name, "joint")
        line = state.documents.location(attachment)
        state.out.translated(
            f"joint {name}",
            f"{line}: a second use of {model.joints[sid]}; it is independent in a URDF",
        )
    model.used.add(sid)
    if len(axes) > 1:
        state.out.translated(
            f"joint {name}", f"its {len(axes)} axes became joints with links between them"
        )
    current, origin = attached.parent, build_origin(local)
    for i, axis in enumerate(axes[:-1]):
        between = state.free(f"{name}_{axis.get('sid') or i}_link", "link")
        state.links.append(Link(between))
        state.link_transforms[between], state.world[between] = np.eye(4), world
        joint = _joint(
            state, model, sid, axis, state.free(f"{name}_{axis.get('sid') or i}", "joint")
        )
        model.axes[f"{sid}/{axis.get('sid') or ''}"] = joint.name
        state.joints.append(replace(joint, parent=current, child=between, origin=origin))
        current, origin = between, Origin()
    child, below = _one_link(state, model, link, world)
    last = (
        _joint(state, model, sid, axes[-1], name) if axes else Joint(name, JointType.FIXED, "", "")
    )
    state.joints.append(replace(last, parent=current, child=child, origin=origin))
    for extra in definition.all("extra"):
        state.keep("joint", extra, name)
    return below


def _joint(state: ColladaReading, model: Model, sid: str, axis: XmlElement, name: str) -> Joint:
    kinematic, motion = model.infos.get(f"{sid}/{axis.get('sid') or ''}", (None, None))
    is_revolute = axis.tag == "revolute"
    scale = math.radians(1) if is_revolute else 1.0
    xyz = _direction(axis)
    hard, soft = (_limits(state, element, is_revolute) for element in (axis, kinematic))
    limits = soft or hard
    # Speeds and what follows from them: to radians and metres.
    is_in_radians = motion is not None and state.documents.of(motion).tool in RADIAN_WRITERS
    factor = (
        1.0 if is_in_radians else scale if is_revolute else state.documents.unit(motion or axis)
    )
    _keep_info(state, kinematic, motion, name, factor / scale)
    if state.flag(kinematic, "locked", False) or not any(xyz):
        if limits not in (None, (0.0, 0.0)):
            state.out.translated(f"joint {name}", "locked: a fixed joint")
        if any(xyz):
            state.locked[name] = is_revolute, xyz
        return Joint(name, JointType.FIXED, "", "")
    _keep_hard_limits(state, hard, soft, name)
    _control(state, kinematic, name)
    kind = JointType.CONTINUOUS if limits is None else JointType.REVOLUTE
    lower, upper = (_scaled(v, scale) for v in limits or (None, None))
    limit = Limit(
        lower, upper, None, _speed(state, motion, name, factor, factor if is_in_radians else scale)
    )
    return Joint(name, kind if is_revolute else JointType.PRISMATIC, "", "", axis=xyz, limit=limit)


def _speed(
    state: ColladaReading, motion: XmlElement | None, name: str, factor: float, hard_factor: float
) -> float | None:
    """The highest speed, in rad/s or m/s; acceleration and jerk are noted in the state.

    They do not go into the URDF: that would need version 1.2, which most readers refuse. XRDF has a
    place for them.
    """
    values = {key: _scaled(state.number(motion, key), factor) for key in _MOTION}
    _within_hardware(state, motion, name, values, hard_factor)
    for key, table in (("acceleration", state.acceleration), ("jerk", state.jerk)):
        value = values[key]
        if value is not None:
            table[name] = value
    return values["speed"]


def _direction(axis: XmlElement) -> tuple[float, float, float]:
    vector = floats_in(axis, "axis")
    return (vector[0], vector[1], vector[2]) if len(vector) == 3 else (1.0, 0.0, 0.0)


def _keep_hard_limits(
    state: ColladaReading, hard: _Range | None, soft: _Range | None, name: str
) -> None:
    if hard is None or soft is None or hard == soft:
        return
    ends = (
        build_piece(tag, text=format_xml_number(v))
        for tag, v in zip(("min", "max"), hard, strict=True)
        if v is not None
    )
    state.kept.append(Kept("hard_limits", line_text(build_piece("limits", *ends)), name))
    state.out.kept(f"limits of joint {name}", "limits of the hardware; the controller's are used")


def _control(state: ColladaReading, kinematic: XmlElement | None, name: str) -> None:
    state.active[name] = state.flag(kinematic, "active", True)
    place = state.number(kinematic, "index")
    if place is not None:
        state.index[name] = int(place)


def _within_hardware(
    state: ColladaReading,
    motion: XmlElement | None,
    name: str,
    values: dict[str, float | None],
    factor: float,
) -> None:
    """OpenRAVE's limits of the hardware are parameters without an element; what is faster is cut to
    them."""
    for parameter in each(motion, "newparam"):
        key = _HARD.get(parameter.get("sid") or "")
        hard = state.parameters.number(parameter)
        told = values.get(key or "")
        if key is not None and hard and told is not None and told > hard * factor:
            values[key] = hard * factor
            detail = f"{told:g} exceeds the hardware limit: {hard * factor:g}, as in OpenRAVE"
            state.out.translated(f"{key} of joint {name}", detail)


def _keep_info(
    state: ColladaReading,
    kinematic: XmlElement | None,
    motion: XmlElement | None,
    name: str,
    ratio: float,
) -> None:
    """`ratio`: from the numbers of the file to the numbers of an exported one, which has degrees
    and metres."""
    for where, info, read_tags in (
        ("axis_info", kinematic, _KINEMATIC),
        ("motion_axis_info", motion, _MOTION),
    ):
        kept = []
        # SIDs of the parameters that only the elements that are read stand for; they are read with
        # those.
        inside = [e for c in find_children(info) if c.tag in read_tags for e in c.walk()]
        read = frozenset(e.text.strip() or e.get("ref") or "" for e in inside if e.tag == "param")
        for child in find_children(info):
            if child.tag not in read_tags and child.tag != "extra" and child.get("sid") not in read:
                kept.append(child.get("sid") or child.tag)
                value = state.number(info, child.tag)
                if child.tag == "deceleration" and ratio != 1 and value is not None:
                    scaled = build_piece(
                        "deceleration", build_piece("float", text=format_xml_number(value * ratio))
                    )
                    state.kept.append(Kept(where, line_text(scaled), name))
                else:
                    state.keep(where, child, name)
        if kept:
            state.out.kept(f"axis_info of {name}", f"{', '.join(kept)}: verbatim in the URDF")


def _limits(state: ColladaReading, element: XmlElement | None, is_revolute: bool) -> _Range | None:
    """(min, max) as far as they are told; lengths in metres, by the unit of the file that the
    element stands in."""
    limits = inner(element, "limits")
    if element is None or limits is None:
        return None
    unit = 1.0 if is_revolute else state.documents.unit(element)
    low, high = state.number(limits, "min"), state.number(limits, "max")
    return None if low is None and high is None else (_scaled(low, unit), _scaled(high, unit))


def _scaled(value: float | None, unit: float) -> float | None:
    if value is None:
        return None
    scaled = value * unit
    # 50 rad/s² are so many degrees that their product with a degree is 49.99999999999999.
    short = float(f"{scaled:.13g}")
    return short if abs(short - scaled) <= 4 * math.ulp(scaled) else scaled


def read_formulas(state: ColladaReading, model: Model) -> None:
    """Mimic joints; what is not linear in one other joint is kept word for word."""
    for element in find_children(model.element, "technique_common"):
        formula: XmlElement | None = element if element.tag == "formula" else None
        if element.tag == "instance_formula":
            formula = state.documents.find(element.get("url"), element)
        if formula is not None:
            _formula(state, formula)


def _formula(state: ColladaReading, formula: XmlElement) -> None:
    target = formula.child("target")
    name = state.joint(
        state.parameters.address(reference_in(target) or "", target) if target is not None else ""
    )
    math_element = _position(formula)
    value = linear(math_element) if math_element is not None else None
    value = _with_parameters(state, formula, value)
    variables = [v for v in value or {} if v is not None]
    leader = state.joint(variables[0]) if len(variables) == 1 else None
    if name is None or value is None or leader is None or leader == name:
        state.out.kept(
            f"formula of {name or 'no joint'}",
            "not linear in one other joint; verbatim in the URDF",
        )
        state.keep("formula", formula)
        return
    mimic = Mimic(leader, value[variables[0]], value.get(None, 0.0))
    state.joints = [
        replace(j, mimic=mimic) if j.name == name and j.is_movable else j for j in state.joints
    ]
    state.out.translated(f"formula of {name}", f"mimics {leader}")


def _with_parameters(
    state: ColladaReading, formula: XmlElement, value: Linear | None
) -> Linear | None:
    """Variables that are parameters: of a joint by its address, of a number as part of the
    constant."""
    if value is None:
        return None
    result: Linear = {}
    for key, factor in value.items():
        address = None if key is None else state.parameters.address(key, formula)
        is_joint = key is None or state.joint(address) is not None
        number = None if is_joint else state.parameters.constant(str(key), formula)
        place, amount = (address, factor) if number is None else (None, factor * number)
        result[place] = result.get(place, 0.0) + amount
    return result


def _position(formula: XmlElement) -> XmlElement | None:
    """The equation of the position: the common one, else that of OpenRAVE."""
    position_math = inner(formula, "technique_common", "math")
    if position_math is None:
        for other in (t for t in formula.all("technique") if t.get("profile") == OPENRAVE):
            equation = next((e for e in other.all("equation") if e.get("type") == "position"), None)
            position_math = inner(equation, "math") or position_math
    return position_math


def controlled(state: ColladaReading) -> tuple[str, ...]:
    """The joints that are driven, in the order of their indices; none when the file does not number
    them."""
    movable = {j.name for j in state.joints if j.is_movable and j.mimic is None}
    driven = [n for n in state.index if n in movable and state.active.get(n, True)]
    return tuple(sorted(driven, key=lambda n: state.index[n]))


def passive(state: ColladaReading, srdf: Srdf) -> Srdf:
    """The SRDF with the joints that nothing drives; none when the numbers of others say who is
    driven."""
    if state.index:
        return srdf
    idle = tuple(
        j.name
        for j in state.joints
        if j.is_movable and j.mimic is None and not state.active.get(j.name, True)
    )
    if idle:
        state.out.translated("active", f"passive joints: {', '.join(idle)}")
    return replace(srdf, passive_joints=idle)


def keep_rest(state: ColladaReading, model: Model) -> None:
    """Keep the rest of the kinematics of the whole robot: its frames, its effectors."""
    for system, tag, where in (
        (model.kinematics, "kinematics", "kinematics"),
        (model.motion, "motion", "motion"),
    ):
        for child in find_children(system, tag, "technique_common"):
            if (
                child.tag in ("frame_tcp", "frame_object")
                and (link := state.link(child.get("link"))) is not None
            ):
                state.kept.append(Kept(where, _frame(state, child, link)))
                state.out.kept(child.tag, f"on {link}: in the URDF as in COLLADA")
            elif child.tag in ("effector_info", "frame_tcp", "frame_object"):
                state.keep(where, child)
                state.out.kept(child.tag, "verbatim in the URDF")


def _frame(state: ColladaReading, element: XmlElement, link: str) -> str:
    """A frame on a link, word for word where the link has its own frame there and lengths are
    metres."""
    unit = state.documents.unit(element)
    if unit == 1 and np.array_equal(state.link_transforms[link], np.eye(4)):
        return state.documents.text_of(element)
    origin = build_origin(state.link_transforms[link] @ product(element.children, unit))
    move = build_piece("translate", text=format_xml_numbers(origin.xyz))
    turn = build_piece("rotate", text=format_xml_numbers(axis_angle(build_pose_matrix(origin))))
    return line_text(build_piece(element.tag, move, turn, link=element.get("link") or ""))


#: Variable -> factor; the constant stands under None.
Linear = dict[str | None, float]


def linear(math: XmlElement) -> Linear | None:
    """The formula as a sum, None when it is not linear."""
    terms = [c for c in math.children if c.tag != "annotation"]
    return _value(terms[0]) if len(terms) == 1 else None


def _value(element: XmlElement) -> Linear | None:
    if element.tag != "apply":
        return _leaf(element)
    parts = [_value(child) for child in element.children[1:]]
    values = [part for part in parts if part is not None]
    operation = _OPERATIONS.get(element.children[0].tag) if element.children else None
    return (
        operation(values)
        if operation is not None and values and len(values) == len(parts)
        else None
    )


def _leaf(element: XmlElement) -> Linear | None:
    if element.tag == "cn":
        values = floats(element.text)
        return {None: values[0]} if len(values) == 1 else None
    leaves: dict[str, Linear] = {"csymbol": {element.text: 1.0}, "pi": {None: 3.141592653589793}}
    return leaves.get(element.tag)


def _divide(parts: list[Linear]) -> Linear | None:
    if len(parts) != 2 or not set(parts[1]) <= {None}:
        return None
    divisor = parts[1].get(None)
    return {key: factor / divisor for key, factor in parts[0].items()} if divisor else None


def _times(parts: list[Linear]) -> Linear | None:
    factor = 1.0
    variable: Linear | None = None
    for part in parts:
        if set(part) <= {None}:
            factor *= part.get(None, 0.0)
        elif variable is None:
            variable = part
        else:
            return None
    return {None: factor} if variable is None else {k: v * factor for k, v in variable.items()}


def _sum(parts: list[tuple[Linear, float]]) -> Linear:
    result: Linear = {}
    for part, factor in parts:
        for key, value in part.items():
            result[key] = result.get(key, 0.0) + factor * value
    return result


_OPERATIONS: dict[str, Callable[[list[Linear]], Linear | None]] = {
    "plus": lambda parts: _sum([(part, 1.0) for part in parts]),
    "minus": lambda parts: _sum(
        [(parts[0], 1.0 if len(parts) > 1 else -1.0), *((part, -1.0) for part in parts[1:])]
    ),
    "times": _times,
    "divide": _divide,
}
