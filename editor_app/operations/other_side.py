"""The link on the other side of a robot, and where the mirror image of a link's spheres lies in its frame."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from editor_app.fitting.results import Placement
from editor_app.kinematics.forward import forward
from editor_app.kinematics.transforms import apply, invert
from editor_app.kinematics.tree import KinematicTree

Floats = npt.NDArray[np.float64]

#: Words of names that change the side, in both directions.
_SIDES = ("left right", "l r", "lh rh", "lf rf", "fl fr", "rl rr", "bl br", "hl hr", "ll rl", "la ra", "1 2")
#: How far the boxes around two meshes may lie apart, in diagonals, so that one counts as the mirror image of the other.
_APART = 0.15


@dataclass(frozen=True, eq=False)
class OtherSide:
    """`placement`: points of the link's frame into that of `link`. `apart`: how far the mirror image of the box around
    its mesh lies from the box around the other mesh (m), `size`: the diagonal of that one (m)."""

    link: str
    placement: Placement
    apart: float
    size: float

    @property
    def is_image(self) -> bool:
        return self.apart <= max(_APART * self.size, 1e-3)


def names_on_the_other_side(name: str, names: Collection[str]) -> list[str]:
    """Which of `names` differ from it in one word for a side: left_finger and right_finger, LHip and RHip."""
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^A-Za-z\d]+", name)
    result = []
    for place, word in enumerate(words):
        for pair in _SIDES:
            one, two = pair.split()
            for side, other in ((one, two), (two, one)):
                if word.lower() == side:
                    new = other.upper() if word.isupper() else other.title() if word.istitle() else other
                    result.append("".join((*words[:place], new, *words[place + 1 :])))
    return [candidate for candidate in dict.fromkeys(result) if candidate in names]


def other_side(
    tree: KinematicTree,
    frame: str,
    candidates: Collection[str],
    vertices: Callable[[str], Floats | None],
) -> OtherSide | None:
    """Which of the candidates lies best where the mirror image of `frame` is; None without candidates.

    `vertices`: of the mesh of a frame, in the frame (n, 3); None where it has none. All joints at 0, about a plane half
    way between the two, square to an axis of the frame that both hang on, or of the base.
    """
    world = forward(tree, {})
    placed = {name: world[tree.index[name]] for name in (frame, *candidates)}
    clouds = {name: _cloud(vertices(name)) for name in placed}
    images = (
        image
        for other in candidates
        for base in (world[tree.index[_common(tree, frame, other)]], np.eye(4))
        for image in _images(frame, other, base, placed, clouds)
    )
    return min(images, key=lambda image: image.apart, default=None)


def _cloud(vertices: Floats | None) -> Floats:
    return np.zeros((1, 3)) if vertices is None or not len(vertices) else vertices


def _common(tree: KinematicTree, first: str, second: str) -> str:
    """The last frame that both hang on."""
    path = tree.path(first, second)
    above = {first, *(joint.parent for joint in path)} - {joint.child for joint in path}
    return next(iter(above))


def _images(
    frame: str, other: str, base: Floats, placed: Mapping[str, Floats], clouds: Mapping[str, Floats]
) -> Iterator[OtherSide]:
    """One for each axis of the base."""
    into_base = invert(base)
    one, two = into_base @ placed[frame], into_base @ placed[other]
    points, others = apply(one, clouds[frame]), apply(two, clouds[other])
    low, high = others.min(axis=0), others.max(axis=0)
    back = invert(two)
    for axis in range(3):
        flip = np.eye(4)
        flip[axis, axis] = -1.0
        flip[axis, 3] = (points.min(axis=0) + points.max(axis=0) + low + high)[axis] / 2
        image = apply(flip, points)
        apart = float(max(np.abs(image.min(axis=0) - low).max(), np.abs(image.max(axis=0) - high).max()))
        whole = back @ flip @ one
        yield OtherSide(other, Placement(whole[:3, :3], whole[:3, 3]), apart, float(np.linalg.norm(high - low)))
