"""MathML formulas of joints that are linear in one other joint: mimic joints, in radians and metres."""

from __future__ import annotations

from editor_app.formats.foreign.collada.transforms import floats
from editor_app.formats.xml import XmlElement

#: Variable -> factor; the constant stands under None.
Linear = dict[str | None, float]


def linear(math: XmlElement) -> Linear | None:
    """The formula as a sum, None when it is not linear."""
    inner = [c for c in math.children if c.tag.rpartition(":")[2] != "annotation"]
    return _value(inner[0]) if len(inner) == 1 else None


def _value(element: XmlElement) -> Linear | None:
    tag = element.tag.rpartition(":")[2]
    if tag == "cn":
        values = floats(element.text)
        return {None: values[0]} if len(values) == 1 else None
    if tag == "csymbol":
        return {element.text: 1.0}
    if tag == "pi":
        return {None: 3.141592653589793}
    if tag != "apply" or not element.children:
        return None
    operation = element.children[0].tag.rpartition(":")[2]
    parts = [_value(c) for c in element.children[1:]]
    terms = [p for p in parts if p is not None]
    if len(terms) != len(parts) or not terms:
        return None
    if operation == "plus":
        return _sum([(p, 1.0) for p in terms])
    if operation == "minus":
        return _sum([(terms[0], 1.0 if len(terms) > 1 else -1.0), *((p, -1.0) for p in terms[1:])])
    if operation == "times":
        return _times(terms)
    if operation == "divide" and len(terms) == 2 and set(terms[1]) <= {None} and terms[1].get(None):
        return {k: v / terms[1][None] for k, v in terms[0].items()}
    return None


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
