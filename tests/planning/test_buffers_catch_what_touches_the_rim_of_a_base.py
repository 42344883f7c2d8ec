"""Spheres of a base stay above the plane that it stands on; buffers grow as far as its rim is
uncovered."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

import editor_app
from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.model.scene import EMPTY_SCENE
from editor_app.core.tasks.work import PlacedRobot
from editor_app.plugins.motion.engine.mesh_motion import MeshMotion
from editor_app.plugins.motion.engine.model import MotionModel
from editor_app.plugins.motion.engine.self_buffers import Thresholds, uncovered_by
from editor_app.plugins.motion.verbs.collide import Geometry, mesh_motion, motion_model_of

#: A ball of 20 mm comes to the lower edge of a wall that stands on z = 0.
URDF = """<robot name="rim">
  <link name="base">
    <collision><origin xyz="0 0 0.06"/><geometry><box size="0.2 0.6 0.12"/></geometry></collision></link>
  <link name="slide"/>
  <link name="ball"><collision><geometry><sphere radius="0.02"/></geometry></collision></link>
  <joint name="along" type="prismatic">
    <parent link="base"/><child link="slide"/><origin xyz="0 0 -0.012"/><axis xyz="0 1 0"/>
    <limit lower="-0.28" upper="0.28" effort="10" velocity="1"/>
  </joint>
  <joint name="near" type="prismatic">
    <parent link="slide"/><child link="ball"/><axis xyz="1 0 0"/>
    <limit lower="0.1" upper="0.16" effort="10" velocity="1"/>
  </joint>
</robot>
"""


def _case(folder: Path) -> tuple[MotionModel, MeshMotion]:
    path = folder / "rim.urdf"
    path.write_text(URDF)
    rows = [
        f"      - {{center: [{x}, {y:.3f}, 0.06], radius: 0.06}}"
        for x in (-0.04, 0.0, 0.04)
        for y in np.arange(-0.3, 0.301, 0.03)
    ]
    path.with_suffix(".xrdf").write_text(
        "\n".join([
            "format: "
            "xrdf", "format_version: 1.0", "default_joint_positions: {along: 0.0, near: 0.15}",
            "cspace: {joint_names: [along, near], acceleration_limits: [1.0, 1.0], jerk_limits: "
            "[1.0, 1.0]}",
            "tool_frames: [ball]", "self_collision: {geometry: g, ignore: {}}", "geometry:", "  g:", "    spheres:",
            "      "
            "base:", *rows, "      ball:", "      - {center: [0.0, 0.0, 0.0], radius: 0.02}", "",
        ])
    )  # fmt: skip
    document = editor_app.open_robot(path, path.with_suffix(".xrdf"))
    meshes = mesh_motion(
        PlacedRobot(document.robot, path), EMPTY_SCENE, Geometry.MESHES, [], MaskFile.XRDF
    )
    return motion_model_of(document.robot, EMPTY_SCENE, MaskFile.XRDF), meshes


def test_a_base_grows_as_far_as_its_rim_is_uncovered_while_that_refuses_little(
    tmp_path: Path,
) -> None:
    model, meshes = _case(tmp_path)
    base, ball = map(model.spheres.frames.index, ("base", "ball"))
    # The lower edge is 60 mm aside and 60 mm below the centres: 84.9 mm away, midway between two of
    # them 86.2 mm.
    assert 0.0235 < uncovered_by(model, meshes, base) <= 0.0262
    assert uncovered_by(model, meshes, ball) == 0.0

    thresholds = Thresholds.of(model, meshes, model.random_values(2_000, 0))
    assert thresholds.verdict(model, {})[:2] == (0.0, 1.0)
    shrink = thresholds.with_rims(model, meshes, {})
    assert set(shrink) == {"base"}
    assert 0.0235 < -shrink["base"] <= 0.0262
    needless, missed, _ = thresholds.verdict(model, shrink)
    assert needless <= 0.003
    assert missed < 0.05
    # Others that shrink are met later.
    assert thresholds.with_rims(model, meshes, {"ball": 0.01})["base"] < shrink["base"]


def test_a_base_does_not_grow_into_the_default_position(tmp_path: Path) -> None:
    model, meshes = _case(tmp_path)
    thresholds = Thresholds.of(model, meshes, model.random_values(2_000, 0))
    near = np.where(np.array(model.variables) == "near", 0.105, 0.0)
    at_the_rim = replace(model, spheres=replace(model.spheres, default=near))
    # The centres are 65 mm aside and 72 mm above the ball: 97.0 mm, less both radii.
    assert 0.0165 < -thresholds.with_rims(at_the_rim, meshes, {})["base"] <= 0.0171
