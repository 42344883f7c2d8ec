"""Undo names the keys of poses; steps have the names of their links; bars and lists keep their
places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from editor_app.core.document.commands.spheres import name_spheres
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.scene import BoxShape
from editor_app.features.draft.window.first_steps import Card, FirstStep
from editor_app.features.masks.window.panel import OVERLAPS
from editor_app.window.main_window import MainWindow
from tests.helpers.windows import focus, open_window, reopen, settle, wait_until


def test_ctrl_z_after_posing_names_the_keys_of_poses(window: MainWindow) -> None:
    said: list[str] = []
    window.session.message.connect(said.append)
    undo = window.registry["edit.undo"]
    assert not undo.isEnabled()
    joint = window.session.tree.independent[0]
    window.session.set_joint(joint, 0.2)
    wait_until(undo.isEnabled)
    focus(window.docks.panel("links").tree)
    QTest.keyClick(
        window.docks.panel("links").tree, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier
    )
    wait_until(lambda: said)
    assert "Alt+Z" in said[-1]
    assert window.session.pose[joint] == 0.2, "the pose is left to its own keys"
    # After a step the keys undo that step alone.
    window.session.execute(_renamed(window))
    said.clear()
    window.registry.trigger("edit.undo")
    assert not any("Alt+Z" in each for each in said)


def _renamed(window: MainWindow) -> Any:
    from editor_app.core.document.commands import AddGroup

    return AddGroup("another")


def test_steps_name_the_link_of_their_spheres() -> None:
    one, two, other = SphereRef("g", "arm", 0), SphereRef("g", "arm", 1), SphereRef("g", "hand", 0)
    assert name_spheres((one,)) == "sphere 1 of arm"
    assert name_spheres((one, two)) == "2 spheres of arm"
    assert name_spheres((one, other)) == "2 spheres of 2 links"


def test_the_bar_of_self_collision_stays_where_it_is(qapp: Any, tmp_path: Path) -> None:
    with open_window(tmp_path, size=(1366, 768)) as window:
        reopen(window, tmp_path)
        panel = window.self_collision.show_panel()

        def places() -> list[QPoint]:
            return [
                each.mapTo(window, QPoint())
                for each in (panel.options_button, panel.write_button, *panel.tabs)
            ]

        wait_until(lambda: panel.isVisible() and panel.write_button.width() > 20)
        settle(window)
        QTest.qWait(30)
        before = places()
        for number in range(len(panel.pages)):
            panel.show_page(number)
            QTest.qWait(20)
            assert places() == before, panel.pages[number]
        panel.tabs[OVERLAPS].setText("At this pose (12)")
        panel.compute_button.setText("Cancel")
        QTest.qWait(20)
        assert places() == before


def test_the_scene_says_what_is_touched_without_moving_its_buttons(
    qapp: Any, tmp_path: Path
) -> None:
    with open_window(tmp_path, size=(1366, 768)) as window:
        reopen(window, tmp_path)
        panel = window.motion.show_panel()
        panel.tabs.setCurrentWidget(panel.scene)
        panel.scene.add("box", BoxShape((0.4, 0.4, 0.4)), (0.0, 0.0, 0.2))
        settle(window)
        places = []

        def rests() -> bool:
            """Whether the obstacle was compared with the robot, and the button was in one place for
            five looks."""
            QTest.qWait(40)
            places.append(panel.scene.add_button.mapTo(window, QPoint()).toTuple())
            return not window.jobs.running and len(set(places[-5:])) == 1 and len(places) >= 5

        wait_until(rests)
        before = panel.scene.add_button.mapTo(window, QPoint())
        for touches in ((("upper", "box", 0.01),), ()):
            panel.scene._tell_touches(touches)
            QTest.qWait(20)
            assert ("At this pose" in panel.scene.contacts.whole_text) is bool(touches)
            assert panel.scene.add_button.mapTo(window, QPoint()) == before


def test_the_last_button_of_the_card_stays_from_step_to_step(qapp: Any, tmp_path: Path) -> None:
    with open_window(tmp_path, size=(1366, 768), viewport=True) as window:
        window.start_background(offer=False)
        reopen(window, tmp_path)
        wait_until(lambda: window.viewport is not None and window.viewport.isVisible())
        assert window.viewport is not None
        card = Card(window.viewport)
        places = []
        for text, buttons in (
            ("Spheres and mask are set.", (("Save", "file.save"),)),
            (
                "To review: 2 errors and 14 warnings, 12 × “Spheres refuse many configurations”.",
                (("Save", "file.save"),),
            ),
            ("Guessed: C-space.", (("Show", "file.open"), ("Save", "file.save"))),
        ):
            card.show_step(FirstStep("save", text, buttons), window.registry)
            QTest.qWait(20)
            places.append(card.buttons[-1].mapTo(window, QPoint(card.buttons[-1].width(), 0)))
            assert card.geometry().right() < window.viewport.width() - 90, "beside the orientation"
        assert len(set(map(QPoint.toTuple, places))) == 1, places
        card.hide()
        card.deleteLater()


def test_two_links_head_the_matrix_with_their_names(qapp: Any, tmp_path: Path) -> None:
    from tests.helpers.documents import CLEAN, URDF
    from tests.helpers.windows import open_in

    (tmp_path / "arm.urdf").write_text(
        URDF.replace('"upper"', '"link_1"').replace('"lower"', '"link_2"')
    )
    (tmp_path / "arm.xrdf").write_text(CLEAN.replace("upper", "link_1").replace("lower", "link_2"))
    with open_window(tmp_path, size=(1366, 768)) as window:
        open_in(window, tmp_path / "arm.urdf")
        panel = window.self_collision.show_panel()
        wait_until(lambda: len(panel.matrix.rows) >= 2)
        heads = [row.label_without(panel.matrix.shared) for row in panel.matrix.rows]
        assert {"link_1", "link_2"} <= set(heads)
