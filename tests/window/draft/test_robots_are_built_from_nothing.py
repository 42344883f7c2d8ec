"""A robot from nothing in the window: base, three joints, a finger from an STL in millimetres;
saved, and planned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trimesh
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

import editor_app
from editor_app.core.drafting import ControlRequest
from editor_app.core.model.urdf import Cylinder, JointType, Mesh
from editor_app.core.verbs.new_link import bare_links
from editor_app.features.draft.verbs.control import control
from editor_app.features.draft.window.first_steps import ControlChooser
from editor_app.window import dialogs
from editor_app.window.actions.link_actions import NewLinkDialog
from editor_app.window.main_window import MainWindow
from editor_app.window.urdf.link import RobotPanel
from editor_app.window.urdf.shapes import ShapesPanel
from tests.helpers.windows import menu_action, open_window, settle, wait_until


def choose(box: Any, value: object) -> None:
    box.setCurrentIndex(box.findData(value))
    box.activated.emit(box.currentIndex())


def built(
    window: MainWindow, dialog: NewLinkDialog, name: str, axis: tuple[float, float, float]
) -> None:
    """One link of the chain, and on to the next."""
    dialog.name.setText(name)
    choose(dialog.axis, axis)
    QTest.mouseClick(dialog.next_button, Qt.MouseButton.LeftButton)
    assert window.session.selection.links == (name,)


def test_base_three_joints_and_a_finger_are_saved_and_planned(
    tmp_path: Path, qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    urdf, stl = tmp_path / "mine.urdf", tmp_path / "finger.stl"
    trimesh.creation.box((30.0, 20.0, 80.0)).export(stl)
    monkeypatch.setattr(dialogs, "save_target", lambda *_: urdf)
    monkeypatch.setattr(dialogs, "choose_file", lambda *_: str(stl))
    notices: list[str] = []
    with open_window(tmp_path) as window:
        window.session.noticed.connect(notices.append)
        menu_action(window, "File", "New robot").trigger()
        wait_until(lambda: window.session.has_robot)
        document = window.session.document
        assert urdf.read_text(encoding="utf-8").splitlines()[1] == '<robot name="mine">'
        # What comes first is in front: the base is selected, its shapes can be added.
        assert window.session.selection.links == ("base_link",)
        shapes = window.docks.show("urdf").reveal("urdf.shapes")
        assert isinstance(shapes, ShapesPanel)
        assert shapes.add_visual.isVisible()
        shapes.add_visual.click()
        wait_until(lambda: window.meshes.geometry("base_link", "visual") is not None)
        settle(window)
        window.registry.trigger("links.add_link")
        assert not window.registry["robot.gripper_open"].isEnabled(), "there are no fingers"
        dialog = window.findChild(NewLinkDialog)
        assert dialog is not None
        # The box of 100 mm is around the base's origin.
        assert [field.value for field in dialog.place] == [0.0, 0.0, 0.05]
        built(window, dialog, "turret", (0.0, 0.0, 1.0))
        assert [field.value for field in dialog.place] == [0.0, 0.0, 0.2]
        dialog.name.setText("turret")
        QTest.mouseClick(dialog.next_button, Qt.MouseButton.LeftButton)
        assert "turret" in dialog.told.text(), "a name that is taken is told"
        assert len(document.robot.urdf.links) == 2
        dialog.sizes[1].selectAll()
        QTest.keyClicks(dialog.sizes[1], "0.25 m")
        built(window, dialog, "lower", (0.0, 1.0, 0.0))
        assert [field.value for field in dialog.place] == [0.0, 0.0, 0.25]
        built(window, dialog, "upper", (0.0, 1.0, 0.0))
        dialog.name.setText("finger")
        choose(dialog.kind, JointType.FIXED)
        assert not dialog.axis.isEnabled()
        assert not dialog.range[0].isVisible()
        dialog.turn[2].selectAll()
        QTest.keyClicks(dialog.turn[2], "90deg")
        choose(dialog.shape, "mesh file")
        QTest.mouseClick(dialog.add_button, Qt.MouseButton.LeftButton)
        wait_until(lambda: document.robot.urdf.link("finger") is not None)
        [mount] = [each for each in document.robot.urdf.joints if each.child == "finger"]
        assert mount.origin.rpy == pytest.approx((0.0, 0.0, 1.5707963267948966))
        assert notices == ["finger.stl is 30 × 20 × 80 large: read as millimetres, scale 0.001."]
        settle(window)
        assert document.position == 5, "each link is one step"
        cspace = document.robot.xrdf.cspace
        assert cspace is not None
        assert cspace.joint_names == ("turret_joint", "lower_joint", "upper_joint")
        # No guess is shown as what the file controls; the guess, with its tool, is one step.
        chooser = ControlChooser()
        chooser.show_robot(document.robot)
        assert [chooser.control.itemText(i) for i in range(2)] == [
            "3 joints to finger",
            "3 joints to upper",
        ]
        assert chooser.control.currentIndex() == -1
        assert chooser.control.shown_text() == "3 joints, as edited"
        document.execute(control(document))
        chooser.was_taken(ControlRequest(), document.robot)
        chooser.show_robot(document.robot)
        assert chooser.control.currentText() == "3 joints to finger"
        chooser.deleteLater()
        settle(window)
        # Mass and inertia of all links, as one step.
        whole = window.docks.show("urdf").reveal("urdf.robot")
        assert isinstance(whole, RobotPanel)
        settle(window)
        middle = whole.compute.mapTo(whole, whole.compute.rect().center())
        assert whole.childAt(middle) is whole.compute, "nothing lies over it and takes the clicks"
        whole.compute.click()
        wait_until(lambda: not bare_links(document.robot.urdf))
        settle(window)
        assert not whole.compute.isEnabled()
        assert window.files.save()
    saved = editor_app.open_robot(urdf)
    assert [link.name for link in saved.robot.urdf.links] == [
        "base_link",
        "turret",
        "lower",
        "upper",
        "finger",
    ]
    lower, finger = saved.robot.urdf.link("lower"), saved.robot.urdf.link("finger")
    assert lower is not None
    assert finger is not None
    assert lower.visuals[0].geometry == lower.collisions[0].geometry == Cylinder(0.04, 0.25)
    assert lower.visuals[0].origin.xyz == (0.0, 0.0, 0.125), "it stands on its joint"
    assert finger.collisions[0].geometry == Mesh("finger.stl", (0.001, 0.001, 0.001))
    saved.execute(editor_app.fit(saved, number=4).change)
    way = editor_app.plan_to_random(saved, editor_app.default_pose(saved))
    assert way.path is not None
