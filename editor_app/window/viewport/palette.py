"""Colours of the viewport. Parts of the window that are imported before VTK take them from here."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from editor_app.core.arrays import F64
from editor_app.window.theme import Colours, colours

Rgb = tuple[float, float, float]

#: From Okabe-Ito and Tol's "muted", without blue (that is the selection) and red (that is an
#: error), ordered so that neighbours differ in lightness as well as in hue.
_LINK_COLOURS = (
    "#e69f00", "#009e73", "#cc79a7", "#ddcc77", "#7a4f9e", "#44aa99",
    "#a6761d", "#b3de69", "#aa4499", "#1b7837", "#f0a58f", "#8c8c3e",
)  # fmt: skip


def rgb(text: str) -> Rgb:
    """'#rrggbb' as three numbers in 0..1."""
    return int(text[1:3], 16) / 255.0, int(text[3:5], 16) / 255.0, int(text[5:7], 16) / 255.0


LINK_COLOURS: F64 = np.array([rgb(c) for c in _LINK_COLOURS])


@dataclass(frozen=True, slots=True)
class SceneColours:
    """`top` and `bottom` are the background's gradient, `ink` text and lines on it."""

    top: Rgb
    bottom: Rgb
    ink: Rgb
    paper: Rgb
    grid: Rgb
    #: What was, beside what is: neither selection nor warning.
    former: Rgb
    mesh: Rgb
    collision: Rgb
    tool: Rgb
    sensor: Rgb
    accent: Rgb
    error: Rgb
    grid_strength: float


#: Colours of a scene, light and dark, that are not the window's.
_TONES = {
    "top": ("#fbfcfd", "#3c4149"),
    "bottom": ("#d9dfe6", "#202327"),
    "ink": ("#2f353d", "#dfe4ea"),
    "paper": ("#ffffff", "#1c1f23"),
    "grid": ("#5d6672", "#aab3bf"),
    "former": ("#5a6470", "#e6ebf2"),
    "mesh": ("#c3c8ce", "#b9bfc7"),
    "collision": ("#3d7f63", "#8fd0b2"),
    "tool": ("#7a2fc4", "#d3a6ff"),
    "sensor": ("#0b7a75", "#5fd3c8"),
}


def scene_colours() -> SceneColours:
    """The colours that go with the window's present theme; ask again after `theme().changed`."""
    return _of(colours())


@cache
def _of(now: Colours) -> SceneColours:
    tones = {name: rgb(pair[now.is_dark]) for name, pair in _TONES.items()}
    return SceneColours(
        **tones,
        accent=rgb(now.accent),
        error=rgb(now.error),
        grid_strength=0.30 if now.is_dark else 0.42,
    )


#: x, y, z as everywhere, softened so that they do not shout.
AXES: tuple[Rgb, Rgb, Rgb] = (rgb("#e5484d"), rgb("#46a758"), rgb("#3e7bfa"))

#: The mark of a tool that is held: seen on dark hands and on light ones.
HELD_COLOUR: Rgb = rgb("#d6409f")
#: Faces of what the section plane cuts.
CUT_COLOUR: Rgb = rgb("#d8a657")
