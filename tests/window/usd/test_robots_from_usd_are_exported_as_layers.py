"""A robot that was opened from a USD in the window, edited, and exported as a layer over that
USD."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from editor_app.core.document import commands
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.window.files.importing import Exporting
from tests.helpers.windows import open_window, wait_until
from tests.window.test_missing_assets_are_located_in_the_window import preview

pytest.importorskip("pxr", reason="the extra is not installed")

from tests.usd.test_usd_becomes_a_robot import ARM, HEAD


def test_the_dialog_proposes_a_layer_that_holds_the_edit_alone(qapp: Any, tmp_path: Path) -> None:
    stage = tmp_path / "arm.usda"
    stage.write_text(HEAD + ARM)
    original = stage.read_bytes()
    with open_window(tmp_path) as window:
        window.files.open_paths([stage])
        preview(window).accept_button.click()
        wait_until(lambda: window.session.has_robot, 60)
        assert window.session.document.robot.urdf.name == "arm"
        sphere = CollisionSphere((0.0, 0.0, 0.2), 0.0625)
        group = window.session.active_group
        assert group is not None
        window.session.execute(
            commands.SetFittedSpheres(group, FrozenDict({"upper": (sphere,)}), "Fit")
        )
        exporting = window.findChild(Exporting)
        assert exporting is not None
        layer = tmp_path / "arm_edited.usda"
        dialog = exporting.export("usd", layer)
        assert dialog is not None
        wait_until(lambda: not dialog.is_working, 60)
        assert (
            dialog.boxes["usd_form"].currentText() == "only the changes, as a layer over arm.usda"
        )
        if picture := os.environ.get("PICTURE"):
            dialog.screen().grabWindow(0).save(picture)
        dialog.accept_button.click()
        wait_until(layer.is_file, 30)
    text = layer.read_text()
    assert "subLayers = [@./arm.usda@]" in text
    assert "0.0625" in text
    assert "physics:mass" not in text
    assert stage.read_bytes() == original

    # Opened instead of the USD, the layer is the robot with the edit.
    with open_window(tmp_path) as window:
        window.files.open_paths([layer])
        preview(window).accept_button.click()
        wait_until(lambda: window.session.has_robot, 60)
        robot = window.session.document.robot
        assert {link.name for link in robot.urdf.links} >= {"base", "upper"}
        assert robot.xrdf.spheres_of(robot.xrdf.self_group)["upper"] == (sphere,)
