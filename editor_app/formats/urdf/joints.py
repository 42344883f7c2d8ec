"""Joints and transmissions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from editor_app.formats.urdf.findings import E, W
from editor_app.formats.urdf.values import Values
from editor_app.formats.xml import XmlElement
from editor_app.model.urdf import (
    Calibration,
    Dynamics,
    Extension,
    Joint,
    JointType,
    Limit,
    Mimic,
    SafetyController,
    Transmission,
)

Numbers = TypeVar("Numbers", Dynamics, SafetyController, Calibration)
_CHILDREN = (
    "origin",
    "parent",
    "child",
    "axis",
    "limit",
    "mimic",
    "dynamics",
    "safety_controller",
    "calibration",
)
#: The types of joints that move, but only so far.
_BOUNDED = (JointType.REVOLUTE, JointType.PRISMATIC)
#: The version of URDF that limits more than effort and velocity, and what else it limits.
_RECENT = (1, 2)
_NEWER = ("acceleration", "deceleration", "jerk")


def read_joint(values: Values, element: XmlElement) -> Joint:
    """Always gives a joint: what is missing is empty or has its default, and is reported."""
    report = values.report
    name = element.get("name")
    report.about(joint=name)
    if not name:
        report.add("URDF005", E, "a joint has no name", element)
    values.report_misspelt(element, attributes=("name", "type"), children=_CHILDREN)
    kind = _read_type(values, element, name or "")
    parent, child = _read_link(values, element, "parent"), _read_link(values, element, "child")
    extensions = tuple(
        Extension(c.tag, report.document.text_of(c), c.get("reference"))
        for c in element.children
        if c.tag not in _CHILDREN
    )
    return Joint(
        name or "",
        kind,
        parent,
        child,
        values.origin(element),
        _read_axis(values, element, kind),
        _read_limit(values, element, kind),
        _read_mimic(values, element),
        _read_numbers(values, element, "dynamics", Dynamics),
        _read_numbers(values, element, "safety_controller", SafetyController, demands="k_velocity", infinite="soft_"),
        _read_numbers(values, element, "calibration", Calibration),
        extensions,
    )


def read_transmission(values: Values, element: XmlElement) -> Transmission:
    kind = element.get("type")
    type_element = element.child("type")
    if kind is None and type_element is not None:
        kind = type_element.text
    return Transmission(
        element.get("name") or "",
        kind,
        tuple(j.get("name") or "" for j in element.all("joint")),
        tuple(a.get("name") or "" for a in element.all("actuator")),
        values.report.document.text_of(element),
    )


def _read_type(values: Values, element: XmlElement, name: str) -> JointType:
    text = element.get("type")
    try:
        return JointType(text or "")
    except ValueError:
        types = ", ".join(JointType)
        has = "no type" if text is None else f"the unknown type {text!r}"
        values.report.add("URDF007", E, f"joint {name!r} has {has}; it is taken as fixed. Types are {types}", element)
        return JointType.FIXED


def _read_link(values: Values, element: XmlElement, tag: str) -> str:
    child = values.child(element, tag)
    link = child.get("link") if child is not None else None
    if not link:
        values.report.add("URDF008", E, f"the joint lacks its {tag} link", child or element)
    return link or ""


def _read_axis(values: Values, element: XmlElement, kind: JointType) -> tuple[float, float, float]:
    default = (1.0, 0.0, 0.0)
    axis = values.child(element, "axis")
    if axis is None or kind in (JointType.FIXED, JointType.FLOATING):
        # urdfdom does not even look at it.
        return default
    values.report_misspelt(axis, attributes=("xyz",))
    if axis.attribute("xyz") is None:
        values.report.add("URDF045", W, "<axis> without xyz: (1, 0, 0) is taken here, (0, 0, 0) by urdfdom", axis)
        return default
    xyz = values.vector(axis, "xyz", 3)
    if xyz is None:
        return default
    if not any(xyz):
        values.report.add("URDF044", E, "the axis of the joint is zero; (1, 0, 0) is taken", axis)
    return xyz[0], xyz[1], xyz[2]


def _read_limit(values: Values, element: XmlElement, kind: JointType) -> Limit | None:
    limit = values.child(element, "limit")
    if limit is None:
        if kind in _BOUNDED:
            values.report.add("URDF022", E, f"a {kind} joint needs <limit>; without one it cannot move", element)
        return None
    recent = values.version >= _RECENT
    values.report_misspelt(limit, attributes=("lower", "upper", "effort", "velocity", *_NEWER))
    lower = values.number(limit, "lower", infinite=True)
    upper = values.number(limit, "upper", infinite=True)
    # Since 1.2, absent effort and velocity mean that there is no limit.
    read = values.number if recent else values.required
    effort, velocity = read(limit, "effort", infinite=True), read(limit, "velocity", infinite=True)
    for name in _NEWER:
        attribute = limit.attribute(name)
        if attribute is not None and not recent:
            values.report.add("URDF024", W, f'{name} needs <robot version="1.2">; urdfdom ignores it', attribute)
    _check_bounds(values, limit, kind, lower, upper)
    acceleration, deceleration, jerk = (values.number(limit, name) for name in _NEWER)
    _check_signs(values, limit, {"effort": effort, "velocity": velocity})
    if recent:
        _check_signs(values, limit, {"acceleration": acceleration, "deceleration": deceleration, "jerk": jerk})
    return Limit(lower, upper, effort, velocity, acceleration, deceleration, jerk)


def _check_bounds(values: Values, limit: XmlElement, kind: JointType, lower: float | None, upper: float | None) -> None:
    bounded, recent = kind in _BOUNDED, values.version >= _RECENT
    if bounded and recent and None in (limit.get("lower"), limit.get("upper")):
        values.report.add("URDF022", E, f"URDF 1.2 needs both lower and upper for a {kind} joint", limit)
    # A joint without bounds has no use for them, yet 1.2 does not take them in the wrong order.
    compared = bounded or (recent and None not in (lower, upper))
    if compared and (lower or 0.0) > (upper or 0.0):
        values.report.add(
            "URDF043", E, f"the lower limit {lower or 0.0:g} is above the upper limit {upper or 0.0:g}", limit
        )


def _check_signs(values: Values, limit: XmlElement, rates: Mapping[str, float | None]) -> None:
    for name, value in rates.items():
        if value is None or value >= 0:
            continue
        if values.version >= _RECENT:
            message = f"the {name} limit is negative ({value:g}), which URDF 1.2 does not allow"
            values.report.add("URDF047", E, message, limit.attribute(name) or limit)
        else:
            values.report.add("URDF046", W, f"the {name} limit is negative ({value:g})", limit)


def _read_mimic(values: Values, element: XmlElement) -> Mimic | None:
    mimic = values.child(element, "mimic")
    if mimic is None:
        return None
    values.report_misspelt(mimic, attributes=("joint", "multiplier", "offset"))
    joint = mimic.get("joint")
    if joint is None:
        values.report.add("URDF022", E, "<mimic> lacks the attribute joint; it is ignored", mimic)
        return None
    multiplier, offset = values.number(mimic, "multiplier"), values.number(mimic, "offset")
    return Mimic(joint, 1.0 if multiplier is None else multiplier, offset or 0.0)


def _read_numbers(
    values: Values, element: XmlElement, tag: str, kind: type[Numbers], *, demands: str = "", infinite: str = ""
) -> Numbers | None:
    """A part of a joint whose attributes are numbers, called as the fields of `kind`.

    `demands`: the attribute that it needs; `infinite`: how the names of those begin that may be infinite.
    """
    part = values.child(element, tag)
    if part is None:
        return None
    names = tuple(kind.__dataclass_fields__)
    values.report_misspelt(part, attributes=names)
    if kind is Dynamics and part.get("damping") is None and part.get("friction") is None:
        values.report.add("URDF022", E, "<dynamics> has neither damping nor friction", part)
    numbers = {}
    for name in names:
        read = values.required if name == demands else values.number
        numbers[name] = read(part, name, infinite=bool(infinite) and name.startswith(infinite))
    return kind(**numbers)
