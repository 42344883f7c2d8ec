"""The COLLADA robot specification in its order: each element is read and written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.space.geometry.mesh import MeshPart
from editor_app.plugins.collada.read import read_collada_robot
from editor_app.plugins.collada.write import OriginalTexts, collada_files
from tests.helpers.collada_robot import ROBOT
from tests.helpers.robots import srdf_of, stated_of, text_of, urdf_of
from tests.helpers.seed_documents.collada import (
    COLLADA_ROWS,
    OPENRAVE_READS,
    OPENRAVE_SENSORS,
    ColladaRow,
)

#: What every mesh looks like: only that it is there matters here.
TRIANGLE = [MeshPart(np.eye(3), np.array([[0, 1, 2]], dtype=np.int32))]


def _read(text: str, folder: Path) -> tuple[str, str]:
    """(all that is read, the export in COLLADA's own words)."""
    path = folder / "robot.dae"
    path.write_text(text, encoding="utf-8")
    collada = read_collada_robot(path)
    urdf = urdf_of(collada)
    srdf = srdf_of(collada) if collada.srdf is not None else None
    robot = RobotDescription(urdf, Xrdf(), srdf)
    (_, data), *_ = collada_files(
        robot, folder / "again.dae", lambda _: TRIANGLE, OriginalTexts("", "", "")
    )[0]
    limits = "".join(
        f"acceleration of {joint}: {value}\n"
        for joint, value in stated_of(collada).accelerations.items()
    )
    return text_of(collada.urdf) + text_of(collada.srdf) + limits, data.decode()


@pytest.mark.parametrize("row", COLLADA_ROWS, ids=lambda r: r.item)
def test_it_is_read_and_written_because_it_stands_in_the_file(
    row: ColladaRow, tmp_path: Path
) -> None:
    assert ROBOT.count(row.piece) == 1, "the row names one place"
    texts, exported = _read(ROBOT, tmp_path)
    assert row.read in texts
    assert row.written in exported
    # Under another name it is something else, so what is read came from this very place.
    without, _ = _read(ROBOT.replace(row.piece, _spoilt(row.piece)), tmp_path)
    assert without.count(row.read) < texts.count(row.read)


def _spoilt(piece: str) -> str:
    """Without the element, or with another value of the last attribute."""
    if piece.startswith("<") and (piece.endswith("/>") or "</" in piece):
        return ""
    head, value, rest = piece.rpartition('="')
    return f"{head}{value}no_{rest}"


#: What of a row OpenRAVE's reader would have to look for: (what it stands in, its name).
LOOKED_FOR = {
    "interface_type: interface": ("interface_type", "interface"),
    "interface_type: plugin": ("interface_type", "plugin"),
    "manipulator: name": ("manipulator", "name"),
    "manipulator: frame_origin": ("manipulator", "frame_origin"),
    "manipulator: frame_tip": ("manipulator", "frame_tip"),
    "manipulator: frame_tip: translate": ("frame_tip", "translate"),
    "manipulator: frame_tip: rotate": ("frame_tip", "rotate"),
    "manipulator: gripper_joint": ("manipulator", "gripper_joint"),
    "manipulator: closing_direction": ("gripper_joint", "closing_direction"),
    "manipulator: iksolver": ("iksolver", "type"),
    "manipulator: iksolver: free_joint, stepsize": ("iksolver", "free_joint"),
    "manipulator: iksolver: interface_type": ("iksolver", "interface_type"),
    "collision: bind_instance_geometry, environment": ("collision", "bind_instance_geometry"),
    "collision: bind_instance_geometry, self": ("collision", "bind_instance_geometry"),
    "collision: ignore_link_pair": ("collision", "ignore_link_pair"),
    "library_sensors: a sensor without attachment": ("library_sensors", "sensor"),
    "attach_sensor": ("attach_sensor", "instance_sensor"),
    "attach_sensor: frame_origin: translate": ("attach_sensor", "frame_origin"),
    "formula: technique OpenRAVE: equation": ("equation", "position"),
    "planning weights": ("axis_info", "planning_weight"),
    "geometric primitives": ("geometry", "geometry_info"),
    "physics: mass of an instance": ("instance_rigid_body", "mass"),
    "motion: speed": ("axis_info", "speed"),
    "motion: acceleration": ("axis_info", "acceleration"),
}


@pytest.mark.parametrize("row", COLLADA_ROWS, ids=lambda r: r.item)
def test_a_row_is_marked_where_openrave_does_not_look_for_it(row: ColladaRow) -> None:
    if row.item.startswith("sensor: "):
        kind, _, names = row.item.removeprefix("sensor: ").partition(": ")
        element = names.split(",")[0].split(" ")[0]
        reads = kind in OPENRAVE_SENSORS and (not element or element in OPENRAVE_SENSORS[kind])
    else:
        inside, name = LOOKED_FOR[row.item]
        reads = name in OPENRAVE_READS.get(inside, ())
    assert reads == (not row.left_out)
