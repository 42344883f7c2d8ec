"""Whether a file that was dropped is a trajectory or a scene; decided by suffix and the first lines."""

from __future__ import annotations

import re
from pathlib import Path

from editor_app.formats.trajectories.bags import is_bag
from editor_app.model.regular_file import other_kind

#: Bytes that are looked at.
_HEAD = 16_384
_TRAJECTORY = re.compile(r"""^\s*[{,]?\s*(?:-\s*)?["']?joint_names["']?\s*:|["']joint_names["']\s*:""", re.MULTILINE)
_SCENE = re.compile(r"""^format:\s*["']?xrdf-editor-scene|^(?:cuboid|blox)\s*:""", re.MULTILINE)


def is_trajectory(path: Path) -> bool:
    """CSV and bags by their name; JSON and YAML when they name joints."""
    if is_bag(path) or path.suffix.lower() == ".csv":
        return True
    return path.suffix.lower() in (".json", ".yaml", ".yml") and bool(
        _TRAJECTORY.search(text := _head(path))
        and not re.search(r"^(?:format|robot_cfg|geometry|cspace)\s*:", text, re.MULTILINE)
    )  # fmt: skip


def is_scene(path: Path) -> bool:
    """MoveIt's by its name, YAML by its content."""
    if path.suffix.lower() == ".scene":
        return True
    return path.suffix.lower() in (".yaml", ".yml") and bool(_SCENE.search(_head(path)))


def _head(path: Path) -> str:
    if other_kind(path) is not None:
        return ""
    try:
        with path.open("rb") as file:
            return file.read(_HEAD).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
