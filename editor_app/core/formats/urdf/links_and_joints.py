"""Visuals, collisions, inertials, materials; joints and transmissions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from editor_app.core.formats.urdf.findings import E, W
from editor_app.core.formats.urdf.values import Values
from editor_app.core.model.urdf import (
    Ball,
    Box,
    Calibration,
    Capsule,
    Collision,
    Cylinder,
    Dynamics,
    Extension,
    Geometry,
    Hydroelastic,
    Inertial,
    Joint,
    JointType,
    Limit,
    Material,
    Mesh,
    Mimic,
    Proximity,
    SafetyController,
    Transmission,
    Visual,
)
from editor_app.core.text.xml.document import XmlElement

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


def read_urdf_joint(values: Values, element: XmlElement) -> Joint:
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
        _read_numbers(
            values,
            element,
            "safety_controller",
            SafetyController,
            demands="k_velocity",
            infinite="soft_",
        ),
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
        message = f"joint {name!r} has {has}; it is read as fixed. Types are {types}"
        values.report.add("URDF007", E, message, element, lost=True)
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
        values.report.add(
            "URDF045",
            W,
            "<axis> without xyz: read as (1, 0, 0) here, as (0, 0, 0) by urdfdom",
            axis,
        )
        return default
    xyz = values.vector(axis, "xyz", 3)
    if xyz is None:
        return default
    if not any(xyz):
        values.report.add(
            "URDF044", E, "the axis of the joint is zero; (1, 0, 0) is used", axis, lost=True
        )
    return xyz[0], xyz[1], xyz[2]


def _read_limit(values: Values, element: XmlElement, kind: JointType) -> Limit | None:
    limit = values.child(element, "limit")
    if limit is None:
        if kind in _BOUNDED:
            values.report.add(
                "URDF022", E, f"a {kind} joint needs <limit>; without one it cannot move", element
            )
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
            values.report.add(
                "URDF024", W, f'{name} needs <robot version="1.2">; urdfdom ignores it', attribute
            )
    _check_bounds(values, limit, kind, lower, upper)
    acceleration, deceleration, jerk = (values.number(limit, name) for name in _NEWER)
    _check_signs(values, limit, {"effort": effort, "velocity": velocity})
    if recent:
        _check_signs(
            values,
            limit,
            {"acceleration": acceleration, "deceleration": deceleration, "jerk": jerk},
        )
    return Limit(lower, upper, effort, velocity, acceleration, deceleration, jerk)


def _check_bounds(
    values: Values, limit: XmlElement, kind: JointType, lower: float | None, upper: float | None
) -> None:
    bounded, recent = kind in _BOUNDED, values.version >= _RECENT
    if bounded and recent and None in (limit.get("lower"), limit.get("upper")):
        values.report.add(
            "URDF022", E, f"URDF 1.2 needs both lower and upper for a {kind} joint", limit
        )
    # A joint without bounds has no use for them, yet 1.2 does not take them in the wrong order.
    compared = bounded or (recent and None not in (lower, upper))
    if compared and (lower or 0.0) > (upper or 0.0):
        values.report.add(
            "URDF043",
            E,
            f"the lower limit {lower or 0.0:g} is above the upper limit {upper or 0.0:g}",
            limit,
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
        values.report.add(
            "URDF022", E, "<mimic> lacks the attribute joint; it is ignored", mimic, lost=True
        )
        return None
    multiplier, offset = values.number(mimic, "multiplier"), values.number(mimic, "offset")
    return Mimic(joint, 1.0 if multiplier is None else multiplier, offset or 0.0)


def _read_numbers(
    values: Values,
    element: XmlElement,
    tag: str,
    kind: type[Numbers],
    *,
    demands: str = "",
    infinite: str = "",
) -> Numbers | None:
    """A part of a joint whose attributes are numbers, called as the fields of `kind`.

    `demands`: the attribute that it needs; `infinite`: how the names of those begin that may be
    infinite.
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


_INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_SHAPES = ("box", "cylinder", "sphere", "capsule", "mesh")
#: Shapes whose attributes are numbers, called as the fields of the model.
_ROUND: dict[str, type[Ball | Cylinder | Capsule]] = {
    "sphere": Ball,
    "cylinder": Cylinder,
    "capsule": Capsule,
}
_KINDS = {
    "visual": ("URDF030", "visual"),
    "collision": ("URDF031", "collision"),
    "inertial": ("URDF032", "inertial"),
}


def read_visual(values: Values, element: XmlElement, link: str) -> Visual | None:
    """Read a shape; None if it has no readable geometry."""
    mark = len(values.report.findings)
    values.report_misspelt(
        element, attributes=("name",), children=("origin", "geometry", "material")
    )
    geometry = _read_geometry(values, element)
    origin = values.origin(element)
    material = None
    material_element = values.child(element, "material")
    if material_element is not None and material_element.get("name") is None:
        values.report.add(
            "URDF022",
            E,
            "the material of a visual needs a name (it may be empty)",
            material_element,
        )
    _report_drop(values, element, link, mark, lost=geometry is None)
    if material_element is not None:
        # A colour that cannot be read costs the visual its material, and nothing else.
        material = read_material(values, material_element)
    return None if geometry is None else Visual(geometry, origin, material, element.get("name"))


def read_urdf_collision(values: Values, element: XmlElement, link: str) -> Collision | None:
    """Read a shape; None if it has no readable geometry."""
    mark = len(values.report.findings)
    values.report_misspelt(element, attributes=("name",), children=("origin", "geometry"))
    geometry = _read_geometry(values, element)
    origin = values.origin(element)
    _report_drop(values, element, link, mark, lost=geometry is None)
    # What is wrong here is nothing to urdfdom, which does not read it.
    drake = values.child(element, "drake:proximity_properties")
    proximity = None if drake is None else _read_proximity(values, drake)
    return None if geometry is None else Collision(geometry, origin, element.get("name"), proximity)


def _read_proximity(values: Values, element: XmlElement) -> Proximity | None:
    """None where none of its elements is one that the model knows."""
    kinds = [(kind, element.all(f"drake:{kind}_hydroelastic")) for kind in Hydroelastic]
    chosen = [kind for kind, elements in kinds if elements]
    if len(chosen) > 1:
        values.report.add(
            "URDF034", W, "a shape is either rigid or compliant: Drake refuses the file", element
        )
    numbers = {}
    for name in list(Proximity.__dataclass_fields__)[1:]:
        child = values.child(element, f"drake:{name}")
        numbers[name] = values.required(child, "value") if child is not None else None
    proximity = Proximity(chosen[0] if chosen else None, **numbers)
    return proximity if proximity != Proximity() else None


def read_inertial(values: Values, element: XmlElement, link: str) -> Inertial | None:
    """Read mass and inertia; None if both are unreadable, zero for the one that is."""
    mark = len(values.report.findings)
    values.report_misspelt(element, children=("origin", "mass", "inertia"))
    origin = values.origin(element)
    mass_element, inertia_element = values.child(element, "mass"), values.child(element, "inertia")
    for tag, part in (("mass", mass_element), ("inertia", inertia_element)):
        if part is None:
            values.report.add("URDF022", E, f"<inertial> lacks <{tag}>", element)
    mass = values.required(mass_element, "value") if mass_element is not None else None
    moments = (
        {name: values.required(inertia_element, name) for name in _INERTIA}
        if inertia_element is not None
        else {}
    )
    if mass_element is not None and mass is not None and mass < 0:
        values.report.add(
            "URDF050", E, f"the mass of link {link!r} is negative ({mass:g})", mass_element
        )
    for name in ("ixx", "iyy", "izz"):
        value = moments.get(name)
        if value is not None and value < 0:
            message = f"the moment of inertia {name} of link {link!r} is negative ({value:g})"
            values.report.add("URDF054", W, message, inertia_element or element)
    lost = mass is None and all(value is None for value in moments.values())
    _report_drop(values, element, link, mark, lost=lost)
    if lost:
        return None
    ixx, ixy, ixz, iyy, iyz, izz = (moments.get(name) or 0.0 for name in _INERTIA)
    return Inertial(mass or 0.0, (ixx, ixy, ixz, iyy, iyz, izz), origin)


def read_material(values: Values, element: XmlElement) -> Material:
    """A material as it stands there, perhaps only a name."""
    values.report_misspelt(element, attributes=("name",), children=("color", "texture"))
    rgba: tuple[float, float, float, float] | None = None
    color = values.child(element, "color")
    if color is not None:
        numbers = values.vector(color, "rgba", 4)
        if numbers is not None:
            if not all(0 <= n <= 1 for n in numbers):
                values.report.add(
                    "URDF038",
                    W,
                    f"the colour {color.get('rgba')!r} is outside 0..1; urdfdom drops it",
                    color,
                )
            r, g, b, a = (min(max(n, 0.0), 1.0) for n in numbers)
            rgba = (r, g, b, a)
    texture = values.child(element, "texture")
    return Material(
        element.get("name") or "", rgba, texture.get("filename") if texture is not None else None
    )


def _report_drop(values: Values, element: XmlElement, link: str, mark: int, *, lost: bool) -> None:
    if not values.report.fatal_since(mark):
        return
    code, part = _KINDS[element.tag]
    rest = (
        "with all visuals and collisions of the link"
        if part == "inertial"
        else "with everything after it in the link"
    )
    outcome = "it is left out" if lost else "the editor keeps the readable parts"
    if lost:
        values.report.lose_element(mark, part)
    values.report.add(
        code, E, f"urdfdom silently drops this {part} of link {link!r}, {rest}; {outcome}", element
    )


def _read_geometry(values: Values, parent: XmlElement) -> Geometry | None:
    element = values.child(parent, "geometry")
    if element is None:
        values.report.add("URDF022", E, f"<{parent.tag}> lacks <geometry>", parent)
        return None
    if not element.children:
        values.report.add("URDF022", E, "<geometry> is empty", element)
        return None
    shape = element.children[0]
    for extra in element.children[1:]:
        values.report.add(
            "URDF033", W, f"<geometry> already has <{shape.tag}>; <{extra.tag}> is ignored", extra
        )
    if shape.tag == "box":
        size = values.vector(shape, "size", 3)
        if size is None:
            _missing(values, shape, "size")
            return None
        _positive(values, shape, *size)
        return Box((size[0], size[1], size[2]))
    if shape.tag in _ROUND:
        kind = _ROUND[shape.tag]
        sizes = [values.required(shape, name) for name in kind.__dataclass_fields__]
        if None in sizes:
            return None
        _positive(values, shape, *(size for size in sizes if size is not None))
        if kind is Capsule and values.version < (1, 1):
            values.report.add(
                "URDF024", W, '<capsule> needs <robot version="1.1">', shape, fatal=True
            )
        return kind(*sizes)  # type: ignore[arg-type]
    if shape.tag == "mesh":
        values.report_misspelt(shape, attributes=("filename", "scale"))
        filename = shape.get("filename")
        if filename is None:
            _missing(values, shape, "filename")
            return None
        if not filename.strip():
            values.report.add(
                "URDF053", E, "the file name of a mesh is empty; the mesh is left out", shape
            )
            return None
        scale = values.vector(shape, "scale", 3) or (1.0, 1.0, 1.0)
        if 0.0 in scale:
            values.report.add(
                "URDF052", E, f"the scale {shape.get('scale')!r} makes the mesh flat", shape
            )
        return Mesh(filename, (scale[0], scale[1], scale[2]))
    shapes = ", ".join(_SHAPES)
    values.report.add("URDF020", E, f"<{shape.tag}> is not a URDF geometry ({shapes})", shape)
    return None


def _missing(values: Values, shape: XmlElement, name: str) -> None:
    if shape.attribute(name) is None:
        values.report.add("URDF022", E, f"<{shape.tag}> lacks the attribute {name}", shape)


def _positive(values: Values, shape: XmlElement, *sizes: float) -> None:
    for size in sizes:
        if size <= 0:
            sign = "zero" if size == 0 else f"negative ({size:g})"
            # Up to 1.1 urdfdom takes them as they are.
            dropped = values.version >= (1, 2)
            values.report.add(
                "URDF051", E, f"a size of <{shape.tag}> is {sign}", shape, fatal=dropped
            )
            return
