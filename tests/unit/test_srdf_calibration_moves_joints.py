"""Calibration files of Tesseract put joints elsewhere, and say what they cannot."""

from __future__ import annotations

import numpy as np
import pytest

from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.srdf.places import read_calibration
from editor_app.formats.urdf import read_urdf
from editor_app.kinematics.forward import forward
from editor_app.kinematics.tree import build_tree
from tests.helpers.robots import sample_urdf

TEXT = """calibration:
  joints:
    base_yaw_joint:
      position: {x: 1, y: 2, z: 3}
      orientation: {x: 0, y: 0, z: 1, w: 1}
    nowhere_joint:
      position: {x: 1, y: 2, z: 3}
      orientation: {x: 0, y: 0, z: 0, w: 1}
    bad_joint:
      position: {x: a lot}
"""


def test_the_frames_below_a_calibrated_joint_move_with_it() -> None:
    calibration = read_calibration(SourceText.from_text(TEXT))
    assert len(calibration.notes) == 1
    assert "bad_joint" in calibration.notes[0]
    urdf = read_urdf(SourceText.read(sample_urdf())).urdf
    moved = calibration.applied(urdf)
    assert [a.name for a, b in zip(urdf.joints, moved.joints, strict=True) if a != b] == ["base_yaw_joint"]
    tree = build_tree(moved)
    pose = forward(tree, {})[tree.index["shoulder_link"]]
    assert np.allclose(pose[:3, 3], (1, 2, 3))
    assert np.allclose(pose[:3, 0], (0, 1, 0))


def test_other_files_are_refused() -> None:
    with pytest.raises(FormatError, match="calibration"):
        read_calibration(SourceText.from_text("cspace: []\n"))
