"""The geometry of all links of a robot, each file loaded once, as the window's jobs load it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from editor_app.core.model.urdf import Urdf
from editor_app.core.space.geometry.link_geometry import (
    Kind,
    LinkGeometry,
    MeshStore,
    link_geometry,
)

KINDS: tuple[Kind, ...] = ("visual", "collision")


def robot_geometry(urdf: Urdf, urdf_path: Path | None) -> Iterator[LinkGeometry]:
    """Link by link: all visuals, then all collisions."""
    store = MeshStore(urdf_path, None)
    for kind in KINDS:
        for link in urdf.links:
            if link.visuals if kind == "visual" else link.collisions:
                yield link_geometry(urdf, urdf_path, link, kind, store=store)
