"""Colours of the viewport, light and dark. Colours of links tell apart for colour-blind eyes and never change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from editor_app.gui.theme import colours

Rgb = tuple[float, float, float]

#: From Okabe-Ito and Tol's "muted", without blue (that is the selection) and red (that is an error), ordered so that
#: neighbours differ in lightness as well as in hue.
_LINK_COLOURS = (
    "#e69f00", "#009e73", "#cc79a7", "#ddcc77", "#7a4f9e", "#44aa99",
    "#a6761d", "#b3de69", "#aa4499", "#1b7837", "#f0a58f", "#8c8c3e",
)  # fmt: skip


def rgb(text: str) -> Rgb:
    """'#rrggbb' as three numbers in 0..1."""
    return int(text[1:3], 16) / 255.0, int(text[3:5], 16) / 255.0, int(text[5:7], 16) / 255.0


LINK_COLOURS: NDArray[np.float64] = np.array([rgb(c) for c in _LINK_COLOURS])


@dataclass(frozen=True, slots=True)
class SceneColours:
    """`top` and `bottom` are the background's gradient, `ink` text and lines on it."""

    top: Rgb
    bottom: Rgb
    ink: Rgb
    paper: Rgb
    grid: Rgb
    grid_strength: float
    #: What was, beside what is: neither selection nor warning.
    former: Rgb
    mesh: Rgb
    collision: Rgb
    accent: Rgb
    tool: Rgb
    sensor: Rgb
    error: Rgb


def scene_colours() -> SceneColours:
    """The colours that go with the window's present theme; ask again after `theme().changed`."""
    now = colours()
    accent, error = rgb(now.accent), rgb(now.error)
    if now.is_dark:
        return SceneColours(
            top=rgb("#3c4149"),
            bottom=rgb("#202327"),
            ink=rgb("#dfe4ea"),
            paper=rgb("#1c1f23"),
            grid=rgb("#aab3bf"),
            grid_strength=0.30,
            former=rgb("#e6ebf2"),
            mesh=rgb("#b9bfc7"),
            collision=rgb("#8fd0b2"),
            accent=accent,
            tool=rgb("#d3a6ff"),
            sensor=rgb("#5fd3c8"),
            error=error,
        )
    return SceneColours(
        top=rgb("#fbfcfd"),
        bottom=rgb("#d9dfe6"),
        ink=rgb("#2f353d"),
        paper=rgb("#ffffff"),
        grid=rgb("#5d6672"),
        grid_strength=0.42,
        former=rgb("#5a6470"),
        mesh=rgb("#c3c8ce"),
        collision=rgb("#3d7f63"),
        accent=accent,
        tool=rgb("#7a2fc4"),
        sensor=rgb("#0b7a75"),
        error=error,
    )


#: x, y, z as everywhere, softened so that they do not shout.
AXES: tuple[Rgb, Rgb, Rgb] = (rgb("#e5484d"), rgb("#46a758"), rgb("#3e7bfa"))

#: Arrow and rings of the section plane: no axis, no selection, no error.
SECTION_COLOUR: Rgb = rgb("#d99a1c")
#: The mark of a tool that is held: seen on dark hands and on light ones.
HELD_COLOUR: Rgb = rgb("#d6409f")
#: Faces of what the section plane cuts.
CUT_COLOUR: Rgb = rgb("#d8a657")
