"""Every module that registers rules, in the order of their codes."""

from editor_app.checks.xrdf import (
    collision,
    cspace,
    curobo,
    default_positions,
    file,
    geometry,
    meshes,
    modifiers,
    sampled,
    self_collision,
    tool_frames,
)

__all__ = [
    "collision",
    "cspace",
    "curobo",
    "default_positions",
    "file",
    "geometry",
    "meshes",
    "modifiers",
    "sampled",
    "self_collision",
    "tool_frames",
]
