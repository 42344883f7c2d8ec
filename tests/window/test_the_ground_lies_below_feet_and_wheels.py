"""The grid is the ground: below the feet of what walks, in the base plane of what is mounted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from editor_app.core.verbs.open import open_robot
from tests.helpers.viewport import stage

pytestmark = pytest.mark.gui

BOX = '<collision><geometry><box size="0.1 0.1 {height}"/></geometry></collision>'
LEG = """
<link name="{side}_thigh">{box}</link><link name="{side}_foot">{box}</link>
<joint name="{side}_hip_pitch" type="revolute"><parent link="pelvis"/><child link="{side}_thigh"/>
  <origin xyz="0 {y} -0.2"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
<joint name="{side}_knee" type="revolute"><parent link="{side}_thigh"/><child link="{side}_foot"/>
  <origin xyz="0 0 -0.4"/><axis xyz="0 1 0"/><limit lower="0" upper="2" effort="1" velocity="1"/></joint>
"""


def test_a_robot_on_legs_stands_on_the_grid(qapp: object, tmp_path: Path) -> None:
    box = BOX.format(height=0.3)
    legs = "".join(
        LEG.format(side=side, y=y, box=box) for side, y in (("left", 0.2), ("right", -0.2))
    )
    path = tmp_path / "walker.urdf"
    path.write_text(f'<robot name="walker"><link name="pelvis">{box}</link>{legs}</robot>')
    with stage(open_robot(path)) as shown:
        heights = np.array(shown.scene.grid.labels.points)[:, 2]
        # Hip 0.2, knee 0.4 below it, and half of the foot's box; the ground lies a little below
        # what stands on it.
        assert np.ptp(heights) == 0.0
        assert -0.76 <= heights[0] <= -0.75
        shown.session.set_joint("left_knee", 1.5)
        assert (np.array(shown.scene.grid.labels.points)[:, 2] == heights[0]).all()


def test_an_arm_that_reaches_below_its_base_leaves_the_grid_in_the_base_plane(
    qapp: object, tmp_path: Path
) -> None:
    box = BOX.format(height=0.2)
    joint = (
        '<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/><origin xyz="0 0 '
        '{3}"/>'
    )
    joint += '<axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>'
    links = "".join(f'<link name="{name}">{box}</link>' for name in ("base", "upper", "fore"))
    path = tmp_path / "arm.urdf"
    joints = joint.format("j1", "base", "upper", 0.2) + joint.format("j2", "upper", "fore", 0.4)
    path.write_text(f'<robot name="arm">{links}{joints}</robot>')
    with stage(open_robot(path)) as shown:
        shown.session.set_joint("j1", 3.0)
        assert np.array(shown.scene.grid.labels.points)[:, 2] == pytest.approx(0.0)
