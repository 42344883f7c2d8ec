"""Prims as OpenUSD's text: values, properties that several kinds of prims share, and prims inside
prims."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.model.counting import format_list
from editor_app.core.model.near_names import find_free_name
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.space.kinematics.transforms import Matrix, matrix_to_quaternion
from editor_app.core.text.xml.morph import format_xml_number
from editor_app.plugins.usd.reading.values import PrimPath

#: How the prims of collision spheres begin, and names that a report lists.
_BALL, MOST_NAMES = "planning_sphere_", 6
#: Blanks before a line.
_DEEPEST = 64
_ESCAPES = {
    ord("\\"): "\\\\",
    ord('"'): '\\"',
    **{code: f"\\x{code:02x}" for code in (*range(32), 127)},
}


@dataclass(slots=True)
class Prim:
    """A prim with all prims inside it.

    `specifier` is def, over or class; `schemas` are its API schemas; `metadata` and `lines` (its
    properties) are lines of text.
    """

    name: str
    type_name: str = ""
    specifier: str = "def"
    schemas: list[str] = field(default_factory=list)
    metadata: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    children: list[Prim] = field(default_factory=list)


def layer_lines(head: Iterable[str], prims: Iterable[Prim]) -> str:
    """The text of a layer. `head` are the lines of its metadata."""
    return "\n".join(
        ["#usda 1.0", "(", *(f"    {line}" for line in head), ")", "", *_lines_of(prims), ""]
    )


def _lines_of(prims: Iterable[Prim]) -> Iterator[str]:
    """Not by recursion: a chain of links may be long."""
    waiting: list[tuple[Prim | None, str]] = []
    waiting += [(prim, "") for prim in reversed(list(prims))]
    while waiting:
        prim, indent = waiting.pop()
        if prim is None:
            yield f"{indent}}}"
            continue
        metadata = list(prim.metadata)
        if prim.schemas:
            metadata.append(f"prepend apiSchemas = [{', '.join(map(quoted, prim.schemas))}]")
        start = " ".join(
            word for word in (prim.specifier, prim.type_name, f'"{prim.name}"') if word
        )
        yield f"{indent}{start} (" if metadata else f"{indent}{start}"
        if metadata:
            yield from (f"{indent}    {line}" for line in metadata)
            yield f"{indent})"
        yield f"{indent}{{"
        yield from (f"{indent}    {line}" for line in prim.lines)
        waiting.append((None, indent))
        # Of a long chain, most of the text would be indentation.
        waiting += [(child, f"{indent}    "[:_DEEPEST]) for child in reversed(prim.children)]


def quoted(text: str) -> str:
    """A string of any characters."""
    return f'"{text.translate(_ESCAPES)}"'


def asset_text(path: str) -> str:
    """The path of a file; three marks for one that has the mark itself."""
    return "@@@" + path.replace("@@@", "\\@@@") + "@@@" if "@" in path else f"@{path}@"


def vector_text(values: Iterable[float]) -> str:
    """Numbers in parentheses, of a vector or a quaternion (w, x, y, z)."""
    return f"({', '.join(format_xml_number(value + 0.0) for value in values)})"


def with_display_name(prim: Prim, name: str) -> Prim:
    """Give a prim the name in the robot as its display name, where USD does not allow that name
    itself."""
    if name != prim.name:
        prim.metadata.append(f"displayName = {quoted(name)}")
    return prim


def place_lines(matrix: Matrix, scale: Sequence[float] | None = None) -> list[str]:
    """The lines of a place (4, 4) in the prim above, in metres; parts that change nothing are left
    out."""
    lines, order = [], []
    if matrix[:3, 3].any():
        lines.append(f"double3 xformOp:translate = {vector_text(matrix[:3, 3])}")
        order.append('"xformOp:translate"')
    if not np.array_equal(matrix[:3, :3], np.eye(3)):
        lines.append(f"quatd xformOp:orient = {vector_text(matrix_to_quaternion(matrix))}")
        order.append('"xformOp:orient"')
    if scale is not None:
        lines.append(f"double3 xformOp:scale = {vector_text(scale)}")
        order.append('"xformOp:scale"')
    return [*lines, f"uniform token[] xformOpOrder = [{', '.join(order)}]"] if order else []


class FindPrim(Protocol):
    """Returns the over of a prim. `inside`: prims are added below it."""

    def __call__(self, place: PrimPath, *, inside: bool = False) -> Prim: ...


def transform_lines(matrix: Matrix, *, resets: bool = False) -> list[str]:
    """Return the lines of an affine transform (4, 4) in the prim above, or with `resets` in the
    world.

    They take the place of all transforms that the prim has in other layers.
    """
    rows = ", ".join(vector_text(row) for row in matrix.T)
    names = ("!resetXformStack!", "xformOp:transform") if resets else ("xformOp:transform",)
    order = ", ".join(map(quoted, names))
    return [f"matrix4d xformOp:transform = ({rows})", f"uniform token[] xformOpOrder = [{order}]"]


def principal_moments(tensor: Matrix) -> tuple[Matrix, Matrix]:
    """Return the principal moments (3,) of an inertia tensor (3, 3), and the rotation (3, 3) to
    their axes."""
    moments, axes = np.linalg.eigh(tensor)
    if not np.count_nonzero(tensor - np.diag(np.diagonal(tensor))):
        moments, axes = np.diagonal(tensor), np.eye(3)
    return moments, axes * (1, 1, -1) if np.linalg.det(axes) < 0 else axes


def inertia_lines(moments: Matrix, axes: Matrix) -> list[str]:
    """Return the lines of principal moments (3,), in kg m² or the units of the stage, and their
    axes (3, 3)."""
    return [
        f"float3 physics:diagonalInertia = {vector_text(moments)}",
        f"quatf physics:principalAxes = {vector_text(matrix_to_quaternion(axes))}",
    ]


def newton_inertia(tensor: Matrix) -> str:
    """Return the line of an inertia tensor (3, 3) for Newton."""
    six = [tensor[i, k] for i, k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    return f"double[] newton:inertia = [{vector_text(six)[1:-1]}]"


def add_filtered(prim: Prim, targets: Sequence[str]) -> None:
    """Let a body touch none of these others."""
    if targets:
        prim.schemas.append("PhysicsFilteredPairsAPI")
        paths = ", ".join(f"<{path}>" for path in targets)
        prim.lines.append(f"prepend rel physics:filteredPairs = [{paths}]")


def ball_prefix(names: Iterable[str]) -> str:
    """The beginning of the names of spheres, which no other name has."""
    ball, every = _BALL, list(names)
    while any(each.startswith(ball) for each in every):
        ball = f"_{ball}"
    return ball


def sphere_prims(spheres: Iterable[CollisionSphere], ball: str, *, collide: bool) -> list[Prim]:
    """The collision spheres of a link: colliders, switched off unless they collide."""
    return [
        Prim(
            f"{ball}{index}",
            "Sphere",
            schemas=["PhysicsCollisionAPI"],
            lines=[
                f"bool physics:collisionEnabled = {'1' if collide else '0'}",
                'uniform token purpose = "guide"',
                f"float3[] extent = [{vector_text([-sphere.radius] * 3)}, "
                f"{vector_text([sphere.radius] * 3)}]",
                f"double radius = {format_xml_number(sphere.radius)}",
                f"double3 xformOp:translate = {vector_text(sphere.center)}",
                'uniform token[] xformOpOrder = ["xformOp:translate"]',
            ],
        )
        for index, sphere in enumerate(spheres)
    ]


def free_scopes(wished: Iterable[str], names: Iterable[str]) -> list[str]:
    """Names of scopes that no link has."""
    taken = set(names)
    return [find_free_name(wish, taken) for wish in wished]


def report_identifiers(changed: Sequence[str], out: Reporter, detail: str) -> None:
    """Report names that are other ones in USD."""
    if changed:
        out.translated("names of prims", f"{format_list(changed, MOST_NAMES)}: {detail}")
