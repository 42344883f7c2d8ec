"""The camera turns to what another link is in front of, and goes along with a robot that moves out
of the view."""

from __future__ import annotations

from dataclasses import replace
from math import radians
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QObject

from editor_app.core.document.commands import SetSpheres
from editor_app.core.document.selection import Selection
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.plugins.motion.window.in_view import RobotInView
from editor_app.plugins.motion.window.player import Player
from tests.helpers.viewport import URDF, Stage, boxes, stage
from tests.helpers.windows import wait_until

SLIDING = URDF.replace('name="turn" type="revolute"', 'name="turn" type="prismatic"').replace(
    'lower="-3" upper="3"', 'lower="0" upper="6"'
)


def look_from_below(shown: Stage) -> Any:
    """The base is in front of the arm; selects a sphere of the arm as a list does, and gives its
    place."""
    scene, session = shown.scene, shown.session
    scene.framing.fit_all()
    scene.camera.set_view(replace(scene.camera.view, elevation=radians(-88.0)))
    ref = next(ref for ref in scene.table.refs if ref.frame == "arm")
    place = scene.table.world[scene.table.row[ref]][None]
    assert scene.aim.hidden_share(place, {"arm"}, scene.camera.eye) == 1.0
    session.select(Selection(spheres=(ref,)))
    session.look_requested.emit()
    wait_until(lambda: not scene.following.is_moving, 60)
    return place


def test_the_camera_turns_to_a_sphere_behind_another_link_and_goes_back(
    qapp: Any, tmp_path: Path
) -> None:
    with stage(boxes(tmp_path)) as shown:
        scene = shown.scene
        place = look_from_below(shown)
        assert scene.aim.hidden_share(place, {"arm"}, scene.camera.eye) == 0.0
        assert scene.following.is_seen(
            place + np.array([[0.1, 0, 0], [-0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]])
        )
        # What can be seen moves nothing.
        shown.session.look_requested.emit()
        assert not scene.following.is_moving
        scene.following.back()
        wait_until(lambda: not scene.following.is_moving, 60)
        assert scene.camera.view.elevation == pytest.approx(radians(-88.0))
        shown.session.set_display(follow_selection=False)
        before = scene.camera.view
        look_from_below(shown)
        assert scene.camera.view.elevation == pytest.approx(before.elevation)


def test_the_camera_stays_outside_of_the_mesh_that_a_tiny_sphere_lies_in(
    qapp: Any, tmp_path: Path
) -> None:
    with stage(boxes(tmp_path)) as shown:
        scene, session = shown.scene, shown.session
        ref = next(ref for ref in scene.table.refs if ref.frame == "base")
        corners = np.concatenate(scene.aim.drawn_meshes.bounds_points({"base"}))
        middle, size = corners.mean(axis=0), np.ptp(corners, axis=0)
        session.execute(SetSpheres(((ref, CollisionSphere(tuple(middle.tolist()), 1e-4)),)))
        scene.framing.fit_all()
        session.select(Selection(spheres=(ref,)))
        session.look_requested.emit()
        wait_until(lambda: not scene.following.is_moving, 60)
        assert (np.abs(np.array(scene.camera.eye) - middle) > 0.55 * size).any(), (
            "outside of the box"
        )


def test_a_robot_that_moves_out_of_the_view_is_followed_and_a_close_look_is_not(
    qapp: Any, tmp_path: Path
) -> None:
    with stage(boxes(tmp_path, urdf=SLIDING)) as shown:
        scene, owner = shown.scene, QObject()
        player = Player(shown.session, owner)
        RobotInView(player, scene, owner)
        player.set_trajectory(Trajectory(("turn",), ((0.0,), (6.0,)), (0.0, 3.0)))
        scene.framing.fit_all()
        start = scene.camera.view
        player.play()
        player.seek(2.9)
        assert not scene.framing.holds_robot()
        wait_until(lambda: scene.following.is_moving or scene.camera.view != start, 60)
        wait_until(lambda: not player.is_playing and not scene.following.is_moving, 60)
        assert scene.camera.view.distance > start.distance
        # Somebody looks at a part while it plays.
        player.seek(0.0)
        close = replace(start, distance=start.distance / 8)
        scene.camera.set_view(close)
        player.play()
        player.seek(2.9)
        wait_until(lambda: not player.is_playing, 60)
        assert scene.camera.view == close
        owner.deleteLater()


def test_the_end_of_a_short_motion_is_seen_though_the_camera_was_on_its_way(
    qapp: Any, tmp_path: Path
) -> None:
    with stage(boxes(tmp_path, urdf=SLIDING)) as shown:
        scene, owner = shown.scene, QObject()
        player = Player(shown.session, owner)
        RobotInView(player, scene, owner)
        player.set_trajectory(Trajectory(("turn",), ((0.0,), (12.0,)), (0.0, 3.0)))
        scene.framing.fit_all()
        player.play()
        # The camera begins to follow, and the motion is over before it has arrived.
        player.seek(1.0)
        assert scene.following.is_moving
        player.seek(3.0)
        player.pause()
        wait_until(lambda: not scene.following.is_moving and scene.framing.holds_robot(), 20)
        owner.deleteLater()
