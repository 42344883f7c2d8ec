"""MathML formulas of joints that are linear in one other joint: mimic joints, in radians and metres."""

from __future__ import annotations

from collections.abc import Callable

from editor_app.formats.foreign.collada.transforms import floats
from editor_app.formats.xml import XmlElement

#: Variable -> factor; the constant stands under None.
Linear = dict[str | None, float]


def linear(math: XmlElement) -> Linear | None:
    """The formula as a sum, None when it is not linear."""
    inner = [c for c in math.children if _local_name(c) != "annotation"]
    return _value(inner[0]) if len(inner) == 1 else None


def _value(element: XmlElement) -> Linear | None:
    tag = _local_name(element)
    if tag != "apply":
        return _leaf(element, tag)
    parts = [_value(child) for child in element.children[1:]]
    values = [part for part in parts if part is not None]
    operation = _OPERATIONS.get(_local_name(element.children[0])) if element.children else None
    return operation(values) if operation is not None and values and len(values) == len(parts) else None


def _leaf(element: XmlElement, tag: str) -> Linear | None:
    if tag == "cn":
        values = floats(element.text)
        return {None: values[0]} if len(values) == 1 else None
    leaves: dict[str, Linear] = {"csymbol": {element.text: 1.0}, "pi": {None: 3.141592653589793}}
    return leaves.get(tag)


def _local_name(element: XmlElement) -> str:
    return element.tag.rpartition(":")[2]


def _plus(parts: list[Linear]) -> Linear:
    return _sum([(part, 1.0) for part in parts])


def _minus(parts: list[Linear]) -> Linear:
    return _sum([(parts[0], 1.0 if len(parts) > 1 else -1.0), *((part, -1.0) for part in parts[1:])])


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
    "plus": _plus,
    "minus": _minus,
    "times": _times,
    "divide": _divide,
}
