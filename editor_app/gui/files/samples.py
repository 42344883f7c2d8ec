"""The robot to try things on that comes with the editor."""

from __future__ import annotations

from pathlib import Path

from editor_app.resources import sample_robot


def bundled() -> Path | None:
    """The URDF of the robot that comes with the editor; None when the installation lacks its resources."""
    try:
        return sample_robot()
    except FileNotFoundError:
        return None
