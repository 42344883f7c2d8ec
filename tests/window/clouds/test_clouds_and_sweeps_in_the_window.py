"""The panel Point cloud lists uncovered points and fits spheres as one step; the swept volume is
saved."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import editor_app
from editor_app.core.space.geometry.obj_and_stl import read_stl
from editor_app.plugins.clouds.files.ply import coloured_ply
from editor_app.plugins.motion.window.feature import MotionTools
from editor_app.window.main_window import MainWindow
from tests.helpers.fitting_windows import LONG, nothing_goes_on_running, nothing_of_qt_is_left
from tests.helpers.fitting_windows import window_alone as window
from tests.helpers.windows import open_in, settle, wait_until
from tests.margins.test_margins import write_arm
from tests.sweep.test_swept_volume import WAY

__all__ = ["nothing_goes_on_running", "nothing_of_qt_is_left", "window"]


def test_uncovered_points_are_listed_and_covered_in_one_step(
    window: MainWindow, tmp_path: Path
) -> None:
    open_in(window, write_arm(tmp_path))
    comparing, session = window.point_clouds.comparing, window.session
    # A cable in the air beside the base, and points on a sphere.
    cable = np.column_stack([np.full(40, 0.15), np.zeros(40), np.linspace(0.1, 0.25, 40)])
    scan = tmp_path / "scan.ply"
    points = np.vstack([cable, [[0.0, 0.0, 0.2]] * 5])
    scan.write_bytes(coloured_ply(points, np.zeros((45, 3), np.uint8)))
    comparing.open(scan)
    wait_until(lambda: comparing.comparison is not None, LONG)
    panel = window.docks.panel("clouds")
    assert panel.model.rowCount() == 1
    assert panel.state.text() == "scan.ply: 5 points covered, 40 uncovered"
    comparing.choose(0)
    assert session.selection.links == ("base",)
    text, first = session.document.xrdf_text, comparing.comparison
    window.registry.trigger("clouds.fit")
    wait_until(lambda: comparing.comparison is not first, LONG)
    assert comparing.comparison is not None
    assert comparing.comparison.gaps == ()
    session.undo()
    assert session.document.xrdf_text == text
    # A file without points says what is wrong with it, and the comparison stays.
    bad = tmp_path / "bad.pcd"
    bad.write_bytes(b"FIELDS x\nDATA ascii\n")
    comparing.open(bad)
    wait_until(lambda: comparing.trouble != "", LONG)
    assert "bad.pcd:1" in comparing.trouble
    session.open(None)
    settle(window)
    assert comparing.comparison is None


def test_the_swept_volume_of_the_motion_is_saved(window: MainWindow, tmp_path: Path) -> None:
    open_in(window, write_arm(tmp_path))
    session, sweeps = window.session, window.swept_volumes
    assert "Open a trajectory" in window.registry["motion.sweep"].toolTip()
    motion = editor_app.Trajectory(WAY.joints, WAY.points[:2])
    window.part(MotionTools).controller.set_trajectory(motion)
    stl = tmp_path / "swept.stl"
    sweeps.save(stl)
    wait_until(stl.is_file, LONG)
    (part,) = read_stl(stl.read_bytes()).parts
    assert len(part.faces) > 1000
    session.open(None)
    settle(window)
