"""Visuals, collisions, inertials, materials."""

from __future__ import annotations

from editor_app.formats.urdf.findings import E, W
from editor_app.formats.urdf.values import Values
from editor_app.formats.xml import XmlElement
from editor_app.model.urdf import (
    Ball,
    Box,
    Capsule,
    Collision,
    Cylinder,
    Geometry,
    Hydroelastic,
    Inertial,
    Material,
    Mesh,
    Proximity,
    Visual,
)

_INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_SHAPES = ("box", "cylinder", "sphere", "capsule", "mesh")
#: Shapes whose attributes are numbers, called as the fields of the model.
_ROUND: dict[str, type[Ball | Cylinder | Capsule]] = {"sphere": Ball, "cylinder": Cylinder, "capsule": Capsule}
_KINDS = {"visual": ("URDF030", "visual"), "collision": ("URDF031", "collision"), "inertial": ("URDF032", "inertial")}


def read_visual(values: Values, element: XmlElement, link: str) -> Visual | None:
    """None when it has no readable geometry."""
    mark = len(values.report.findings)
    values.report_misspelt(element, attributes=("name",), children=("origin", "geometry", "material"))
    geometry = _read_geometry(values, element)
    origin = values.origin(element)
    material = None
    material_element = values.child(element, "material")
    if material_element is not None and material_element.get("name") is None:
        values.report.add("URDF022", E, "the material of a visual needs a name (it may be empty)", material_element)
    _report_drop(values, element, link, mark, lost=geometry is None)
    if material_element is not None:
        # A colour that cannot be read costs the visual its material, and nothing else.
        material = read_material(values, material_element)
    return None if geometry is None else Visual(geometry, origin, material, element.get("name"))


def read_collision(values: Values, element: XmlElement, link: str) -> Collision | None:
    """None when it has no readable geometry."""
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
        values.report.add("URDF034", W, "a shape is either rigid or compliant: Drake refuses the file", element)
    numbers = {}
    for name in list(Proximity.__dataclass_fields__)[1:]:
        child = values.child(element, f"drake:{name}")
        numbers[name] = values.required(child, "value") if child is not None else None
    proximity = Proximity(chosen[0] if chosen else None, **numbers)
    return proximity if proximity != Proximity() else None


def read_inertial(values: Values, element: XmlElement, link: str) -> Inertial | None:
    """None when mass and inertia are both unreadable; what alone is unreadable is zero."""
    mark = len(values.report.findings)
    values.report_misspelt(element, children=("origin", "mass", "inertia"))
    origin = values.origin(element)
    mass_element, inertia_element = values.child(element, "mass"), values.child(element, "inertia")
    for tag, part in (("mass", mass_element), ("inertia", inertia_element)):
        if part is None:
            values.report.add("URDF022", E, f"<inertial> lacks <{tag}>", element)
    mass = values.required(mass_element, "value") if mass_element is not None else None
    moments = {name: values.required(inertia_element, name) for name in _INERTIA} if inertia_element is not None else {}
    if mass_element is not None and mass is not None and mass < 0:
        values.report.add("URDF050", E, f"the mass of link {link!r} is negative ({mass:g})", mass_element)
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
                    "URDF038", W, f"the colour {color.get('rgba')!r} is outside 0..1; urdfdom drops it", color
                )
            r, g, b, a = (min(max(n, 0.0), 1.0) for n in numbers)
            rgba = (r, g, b, a)
    texture = values.child(element, "texture")
    return Material(element.get("name") or "", rgba, texture.get("filename") if texture is not None else None)


def _report_drop(values: Values, element: XmlElement, link: str, mark: int, *, lost: bool) -> None:
    if not values.report.fatal_since(mark):
        return
    code, part = _KINDS[element.tag]
    rest = "with all visuals and collisions of the link" if part == "inertial" else "with all that follows in the link"
    outcome = "it is left out" if lost else "the editor takes what is readable"
    values.report.add(code, E, f"urdfdom silently drops this {part} of link {link!r}, {rest}; {outcome}", element)


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
        values.report.add("URDF033", W, f"<geometry> holds <{shape.tag}> already; <{extra.tag}> is ignored", extra)
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
            values.report.add("URDF024", W, '<capsule> needs <robot version="1.1">', shape, fatal=True)
        return kind(*sizes)  # type: ignore[arg-type]
    if shape.tag == "mesh":
        values.report_misspelt(shape, attributes=("filename", "scale"))
        filename = shape.get("filename")
        if filename is None:
            _missing(values, shape, "filename")
            return None
        if not filename.strip():
            values.report.add("URDF053", E, "the file name of a mesh is empty; the mesh is left out", shape)
            return None
        scale = values.vector(shape, "scale", 3) or (1.0, 1.0, 1.0)
        if 0.0 in scale:
            values.report.add("URDF052", E, f"the scale {shape.get('scale')!r} makes the mesh flat", shape)
        return Mesh(filename, (scale[0], scale[1], scale[2]))
    shapes = ", ".join(_SHAPES)
    values.report.add("URDF020", E, f"<{shape.tag}> is no geometry of URDF ({shapes})", shape)
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
            values.report.add("URDF051", E, f"a size of <{shape.tag}> is {sign}", shape, fatal=dropped)
            return
