"""How near a tool came to its place, and what keeps it from more, in a sentence."""

from __future__ import annotations

import math

from editor_app.gui.bindings.quantity import LENGTH
from editor_app.gui.session import DisplayOptions
from editor_app.kinematics.inverse import Reach, ToolSolver


def told_short(reach: Reach, solver: ToolSolver, display: DisplayOptions) -> str:
    """How much is missing, and which joints keep the tool from more."""
    parts = []
    if max(reach.distances) > 1e-4:
        parts.append(f"{LENGTH.column(max(reach.distances), display)} {display.length_unit}")
    if max(reach.angles) > 1e-3:
        parts.append(f"{math.degrees(max(reach.angles)):.1f}°")
    text = f"{' and '.join(parts) or 'a little'} short"
    if not solver.chain.variables:
        return f"{text}: no joint that carries it is free"
    sides = []
    for name in reach.at_limits[:3]:
        k = solver.chain.variables.index(name)
        middle = 0.5 * (solver.chain.lower[k] + solver.chain.upper[k])
        sides.append(f"{name} at its {'upper' if reach.pose[name] > middle else 'lower'} limit")
    return f"{text}, {', '.join(sides)}" if sides else text
