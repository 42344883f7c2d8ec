"""Poses that a person stored: in the state folder, one file for each URDF; never in the robot's own files."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path

from editor_app.edit.replacing import write_atomically
from editor_app.edit.state_folder import state_folder
from editor_app.model.frozen import FrozenDict
from editor_app.model.pose import Pose
from editor_app.model.regular_file import read_regular

_FORMAT = "xrdf-editor-poses"
_MOST_BYTES = 4_000_000


def poses_file(urdf: Path) -> Path:
    """Where the poses of the robot at `urdf` are kept."""
    digest = hashlib.sha256(os.fsencode(os.path.realpath(urdf))).hexdigest()[:24]
    return state_folder() / "poses" / f"{digest}.json"


def read_poses(urdf: Path) -> FrozenDict[str, Pose]:
    """Name -> joint -> radians or metres, as stored; none where the file is missing or says something else."""
    try:
        data = json.loads(read_regular(poses_file(urdf), _MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return FrozenDict()
    if not isinstance(data, dict) or data.get("format") != _FORMAT or not isinstance(data.get("poses"), list):
        return FrozenDict()
    return FrozenDict(pose for entry in data["poses"] if (pose := _pose(entry)) is not None)


def write_poses(urdf: Path, poses: Mapping[str, Pose]) -> None:
    """Replaces what is stored; without poses the file goes. Raises SaveError and OSError."""
    path = poses_file(urdf)
    if not poses:
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    data = {
        "format": _FORMAT,
        "urdf": os.path.realpath(urdf),
        "poses": [{"name": name, "joints": dict(pose)} for name, pose in poses.items()],
    }
    write_atomically(path, json.dumps(data, indent=1).encode())


def _pose(entry: object) -> tuple[str, Pose] | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str) or not entry["name"]:
        return None
    joints = entry.get("joints")
    if not isinstance(joints, dict):
        return None
    values = {name: value for name, given in joints.items() if (value := _position(given)) is not None}
    return (entry["name"], FrozenDict(values)) if len(values) == len(joints) else None


def _position(value: object) -> float | None:
    if not isinstance(value, (int, float)):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None
