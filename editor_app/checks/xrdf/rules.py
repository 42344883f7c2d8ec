"""Every module that registers rules, in the order of their codes."""

from editor_app.checks.xrdf import (
    bare_surface,
    collision,
    cspace,
    curobo,
    default_positions,
    file,
    geometry,
    meshes,
    modifiers,
    mount,
    sampled,
    self_collision,
    tool_chains,
    tool_frames,
    verdicts,
)

__all__ = [
    "bare_surface",
    "collision",
    "cspace",
    "curobo",
    "default_positions",
    "file",
    "geometry",
    "meshes",
    "modifiers",
    "mount",
    "sampled",
    "self_collision",
    "tool_chains",
    "tool_frames",
    "verdicts",
]
