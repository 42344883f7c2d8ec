"""What reading, writing and patching have in common: how spheres, pairs, their class and meshes are written."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from editor_app.formats.xml.morph import number_text, numbers_text
from editor_app.formats.xml.new_document import piece
from editor_app.formats.xml.splices import NewElement
from editor_app.model.xrdf import CollisionSphere, LinkPair

#: Class of the geoms that are spheres of the XRDF, and the beginning of the names of its pairs.
SPHERES, MASKED = "planning_spheres", "masked:"
#: The name of MuJoCo's body that does not move.
WORLD = "world"


def sphere_geom(sphere: CollisionSphere) -> NewElement:
    """In metres, in the axes of its body, which are the axes of the link."""
    place = {"pos": numbers_text(sphere.center), "size": number_text(sphere.radius)}
    return NewElement("geom", tuple({"class": SPHERES, **place}.items()))


def spheres_class(*, collide: bool) -> NewElement:
    """The class of all spheres: where they are drawn, and whether they touch anything. They weigh nothing."""
    bits = {} if collide else {"contype": "0", "conaffinity": "0"}
    geom = piece("geom", type="sphere", group="3", density="0", rgba="0.2 0.6 0.9 0.4", **bits)
    return NewElement("default", (("class", SPHERES),), (geom,))


def exclusions(pairs: Iterable[LinkPair]) -> list[NewElement]:
    return [
        piece("exclude", name=f"{MASKED} {pair.first} {pair.second}", body1=pair.first, body2=pair.second)
        for pair in sorted(pairs)
    ]


def obj_bytes(vertices: npt.NDArray[np.float64], faces: npt.NDArray[np.int_]) -> bytes:
    """A mesh as OBJ. `vertices` (n, 3) in metres, `faces` (m, 3) indices from 0."""
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in vertices.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist()]
    return ("\n".join(lines) + "\n").encode()
