"""*Attach a part* beside the view: the part stands there, is dragged and put on faces; tools,
gripper, replacing."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from editor_app.core.document.selection import Selection
from editor_app.core.document.state import FileKind
from editor_app.plugins.assembly.verbs.assembly_parts import attached_parts
from editor_app.plugins.assembly.verbs.mounting import flange_of
from editor_app.plugins.assembly.window.attach_dialog import AttachDialog
from editor_app.window.bindings.choice_box import ChoiceBox
from editor_app.window.main_window import MainWindow
from editor_app.window.viewport.gizmo import Handle
from editor_app.window.viewport.picking import SurfaceHit
from editor_app.window.viewport.view import Viewport
from tests.helpers.gripper import gripper
from tests.helpers.robots import copy_of_sample
from tests.helpers.windows import button, open_window, settle, wait_until

NO_KEYS = Qt.KeyboardModifier.NoModifier


def dialog_of(window: MainWindow, action: str) -> AttachDialog:
    window.registry.trigger(action)
    return next(d for d in window.findChildren(AttachDialog) if d.isVisible())


def pick(box: ChoiceBox, value: str) -> None:
    box.setCurrentIndex(box.findData(value))
    box.activated.emit(box.currentIndex())


def seen(
    view: Viewport, dialog: AttachDialog, *, of_part: bool, link: str
) -> tuple[QPoint, SurfaceHit]:
    """A pixel at which a click means the part, or the link of the robot."""
    assert dialog.preview is not None
    width, height = view.canvas.width(), view.canvas.height()
    for y in range(60, height - 20, 9):
        for x in range(60, width - 60, 9):
            ray = view.scene.camera.ray(x, y)
            part, surface = dialog.preview.pick(ray), view.scene.aim.surface_at(ray)
            first = min(
                (hit for hit in (part, surface) if hit is not None),
                key=lambda hit: hit.distance,
                default=None,
            )
            is_free = view.scene.gizmo.pick(x, y) is None and view.scene.camera.is_free(x, y)
            if first is not None and first.link == link and (first is part) is of_part and is_free:
                return QPoint(x, y), first
    raise AssertionError(f"{link} is nowhere in the view")


def test_the_part_is_placed_in_the_view_and_nothing_is_left_of_it(
    tmp_path: Path, qapp: Any
) -> None:
    gripper(tmp_path / "hand")
    with open_window(tmp_path, copy_of_sample(tmp_path / "arm"), viewport=True) as window:
        wait_until(lambda: window.viewport is not None and not window.meshes.is_loading, 60)
        view, document = window.viewport, window.session.document
        assert view is not None
        before = {kind: document.text(kind) for kind in FileKind}
        dialog = dialog_of(window, "robot.attach")
        assert not dialog.isModal()
        assert dialog_of(window, "robot.attach") is dialog, "one for a window"
        dialog.choose(tmp_path / "hand" / "gripper.urdf")
        wait_until(lambda: dialog.look_of_part is not None and dialog.attached is not None, 60)
        window.session.select(Selection(links=("flange_link",)))
        assert dialog.link.currentData() == "flange_link", (
            "a link that is clicked is where it hangs"
        )
        wait_until(lambda: set(view.scene.guests.visible_links) == {"base", "left", "right"}, 30)
        assert dialog.preview is not None
        dialog.preview.show(dialog.look_of_part)
        assert not view.scene.guests.links, (
            "a large part comes link by link: the window does not wait for it"
        )
        wait_until(lambda: set(view.scene.guests.visible_links) == {"base", "left", "right"}, 30)
        grip = view.scene.grip
        assert grip is not None
        np.testing.assert_allclose(grip.pose, view.scene.poses["flange_link"])

        place = dialog.geometry()
        covers = [
            (cover.right - cover.left, cover.bottom - cover.top) for cover in view.overlays.covers()
        ]
        assert (place.width(), place.height()) in covers, (
            "what is fitted into the view stays beside the window"
        )

        # By its handles: the numbers follow, and Esc puts it back.
        drag = grip.drag(Handle(2, False), QPointF(300, 300))
        drag.move(QPointF(300, 260), NO_KEYS)
        assert abs(dialog.origin.xyz[2]) > 1e-4
        assert dialog.origin.xyz[:2] == (0.0, 0.0)
        drag.cancel()
        assert dialog.origin.xyz == (0.0, 0.0, 0.0)
        pick(dialog.frame, "tcp")
        pose = view.scene.poses["flange_link"]
        np.testing.assert_allclose(dialog.preview._world()["tcp"], pose, atol=1e-9)  # type: ignore[union-attr]
        pick(dialog.frame, "")
        button(dialog, "turn_z").click()
        assert dialog.origin.rpy == (0.0, 0.0, math.pi / 2)

        # Two clicks: the part's face, then the robot's.
        preview = dialog.preview
        assert preview is not None
        dialog.faces.setChecked(True)
        assert view.scene.grip is None, "no handle takes a click that is meant for a face"
        at, part = seen(view, dialog, of_part=True, link="base")
        QTest.mouseClick(view.canvas, Qt.MouseButton.LeftButton, NO_KEYS, at)
        wait_until(lambda: "Now click the matching face" in preview.hint, 30)
        assert view.interaction.hint.startswith("Now click"), "the status bar says it, too"
        assert "Now click the matching face" in dialog.summary.text()
        local = preview._world()["base"][:3, :3].T @ part.normal
        at, robot = seen(view, dialog, of_part=False, link="base_link")
        told: list[str] = []
        window.session.noticed.connect(told.append)
        QTest.mouseClick(view.canvas, Qt.MouseButton.LeftButton, NO_KEYS, at)
        wait_until(lambda: told, 30)
        assert told[0].startswith("The part is now attached to base_link, not to flange_link")
        window.central.toast.dismiss()
        wait_until(
            lambda: dialog.link.currentData() == "base_link" and not dialog.faces.isChecked(), 30
        )
        geometry, pose = (
            window.meshes.geometry("base_link", "visual"),
            view.scene.poses["base_link"],
        )
        assert geometry is not None
        turn = pose[:3, :3]
        flange = flange_of(geometry, (robot.point - pose[:3, 3]) @ turn, robot.normal @ turn)
        assert flange is not None
        lain = preview._world()["base"][:3, :3] @ local
        assert lain @ (turn @ flange.direction) == pytest.approx(-1.0, abs=1e-6), (
            "the two look at each other"
        )
        wait_until(lambda: dialog.attached is not None, 60)
        assert {kind: document.text(kind) for kind in FileKind} == before, (
            "nothing is changed before Attach"
        )

        # Esc in the view leaves nothing.
        view.canvas.setFocus()
        QTest.keyClick(view.canvas, Qt.Key.Key_Escape)
        settle(window)
        assert not any(d.isVisible() for d in window.findChildren(AttachDialog))
        assert view.scene.guests.links == ()
        assert view.interaction.guest is None
        assert len(view.overlays.covers()) == len(covers) - 1
        assert {kind: document.text(kind) for kind in FileKind} == before
        assert not document.is_modified


def test_what_counts_is_ticked_a_gripper_closed_and_a_part_replaced(
    tmp_path: Path, qapp: Any
) -> None:
    gripper(tmp_path / "hand")
    part = tmp_path / "hand" / "gripper.urdf"
    with open_window(tmp_path, copy_of_sample(tmp_path / "arm")) as window:
        document, session = window.session.document, window.session
        told: list[str] = []
        session.refused.connect(told.append)
        window.registry.trigger("robot.replace")
        assert "no part was attached" in told.pop().lower()
        session.select(Selection(links=("flange_link",)))
        dialog = dialog_of(window, "robot.attach")
        dialog.choose(part)
        wait_until(lambda: dialog.attached is not None, 60)
        tools, joints = (dialog.counted.topLevelItem(row) for row in range(2))
        assert tools is not None
        assert joints is not None
        names = {tools.child(row).text(0): tools.child(row) for row in range(tools.childCount())}  # type: ignore[union-attr]
        grip = joints.child(joints.childCount() - 1)
        assert grip is not None
        assert grip.text(0) == "gripper_grip"
        assert grip.checkState(0) is Qt.CheckState.Checked, "the part's XRDF controls it"
        pick(dialog.variant, "closed")
        grip.setCheckState(0, Qt.CheckState.Unchecked)
        assert names["gripper_tcp"] is not None
        wait_until(lambda: dialog.attached is not None, 60)
        button(dialog, "apply").click()
        wait_until(lambda: document.is_modified, 120)
        settle(window)
        xrdf = document.robot.xrdf
        assert xrdf.cspace is not None
        assert "gripper_grip" not in (xrdf.cspace.joint_names or ())
        assert xrdf.default_joint_positions is not None
        assert xrdf.default_joint_positions["gripper_grip"] == 0.0
        for message in window.findChildren(type(dialog)):
            message.close()
        session.select(Selection(links=("gripper_left",)))
        window.registry.trigger("robot.gripper_half")
        assert document.robot.xrdf.default_joint_positions["gripper_grip"] == 0.015  # type: ignore[index]

        steps = document.position
        dialog = dialog_of(window, "robot.replace")
        assert dialog.replaced.currentData() == "gripper_base"
        assert not dialog.link.isEnabled()
        wait_until(lambda: dialog._goes == {"gripper_base", "gripper_left", "gripper_right"}, 60)
        dialog.choose(part)
        wait_until(lambda: dialog.attached is not None, 60)
        assert dialog.prefix.text() == "gripper_", (
            "the prefix of the same file, whose names are free again"
        )
        assert dialog.windowTitle() == "Replace a part"
        (tmp_path / "claw.urdf").write_text(
            '<robot name="claw"><link name="claw"/></robot>', encoding="utf-8"
        )
        for typed in ("", "mine_"):
            dialog.prefix.insert(typed)
            dialog.choose(tmp_path / "claw.urdf")
            assert dialog.prefix.text() == typed, (
                "another part has no such prefix, if nobody typed it"
            )
        dialog.choose(part)
        dialog.prefix.setText("new_")
        dialog.prefix.textEdited.emit("new_")
        wait_until(lambda: dialog.attached is not None, 60)
        button(dialog, "apply").click()
        wait_until(lambda: document.position == steps + 1, 120)
        settle(window)
        assert [each.prefix for each in attached_parts(document)] == ["new_"]
        assert document.robot.urdf.link("gripper_base") is None
