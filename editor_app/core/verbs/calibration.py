"""The calibration file that an SRDF of Tesseract names: other joint origins, which only the window
shows."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from editor_app.core.document import document
from editor_app.core.document.commands.srdf_parts import WriteCalibration
from editor_app.core.formats.srdf.places import CalibratedOrigins, read_calibration
from editor_app.core.model.counting import format_list
from editor_app.core.space.geometry.paths import resolve_mesh_path
from editor_app.core.space.kinematics.transforms import build_pose_matrix
from editor_app.core.tasks.work import Refused
from editor_app.core.text.source import FormatError, SourceText

CONFIG = "calibration_config"
#: The name of the file that the SRDF names, in the place of a path.
OF_SRDF = "srdf"
#: Joints that a sentence names.
_MOST = 4
#: Metres, and entries of rotation matrices, that two origins may differ by: rounding.
_SAME = 1e-9


def config_path(robot: document.Document, filename: str) -> Path | None:
    """Return the file next to the SRDF or URDF, or where meshes of that name are found; None
    without one."""
    for base in (robot.srdf_path, robot.urdf_path):
        if base is not None and "://" not in filename and (base.parent / filename).is_file():
            return base.parent / filename
    return resolve_mesh_path(filename, robot.urdf_path, robot.packages)


def calibrate(robot: document.Document, file: str) -> WriteCalibration:
    """The step that gives joints the origins in a calibration file; `file` "srdf": the file that
    the SRDF names.

    Raises Refused, FormatError, OSError.
    """
    named = (
        robot.robot.srdf.configs.get(CONFIG)
        if robot.robot.srdf is not None and file == OF_SRDF
        else file
    )
    if named is None:
        raise Refused("the SRDF names no calibration_config: name the file")
    return WriteCalibration(_read(robot, named).origins)


def calibration_note(robot: document.Document) -> str:
    """A sentence that the named calibration is not applied; "" where there is none, or the URDF
    agrees with it."""
    named = robot.robot.srdf.configs.get(CONFIG) if robot.robot.srdf is not None else None
    if named is None:
        return ""
    try:
        calibration = _read(robot, named)
    except (FormatError, OSError, Refused) as error:
        return (
            f"the calibration {named} cannot be read, so the joint origins of the URDF are used: "
            f"{error}"
        )
    origins = {joint.name: joint.origin for joint in robot.robot.urdf.joints}
    moved = [
        name
        for name, origin in calibration.origins.items()
        if name in origins
        and not np.allclose(
            build_pose_matrix(origin), build_pose_matrix(origins[name]), rtol=0.0, atol=_SAME
        )
    ]
    if not moved:
        return ""
    return (
        f"the calibration {named} is not applied: the URDF's origins of "
        f"{format_list(moved, _MOST)} are used; `edit "
        "--calibrate srdf` writes the calibrated origins to the URDF"
    )


def _read(robot: document.Document, filename: str) -> CalibratedOrigins:
    path = config_path(robot, filename)
    if path is None:
        raise Refused(f"{filename} was not found next to the SRDF")
    return read_calibration(SourceText.read(path))
