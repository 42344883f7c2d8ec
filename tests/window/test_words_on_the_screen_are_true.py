"""Words in the real window, held against the state that they speak of."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from editor_app.core.document.commands.lists import InsertItem
from editor_app.core.document.saving import save_document
from editor_app.core.document.selection import Selection
from editor_app.core.model.findings import SphereRef
from editor_app.features.checks.window.panel import FindingsPanel
from editor_app.features.spheres.verbs.link_figures import LinkFigures
from editor_app.features.spheres.window.figures import Summary, written
from editor_app.features.spheres.window.link_list import result_text
from editor_app.window.docks.central import Toast
from editor_app.window.history.panel import HistoryPanel
from editor_app.window.joints.panel import JointsPanel
from editor_app.window.link_quality import ShownQuality, ratio_text
from editor_app.window.main_window import MainWindow
from editor_app.window.selection.panel import SelectionNumbers
from editor_app.window.viewport.view import HiddenNote
from tests.helpers.windows import settle, wait_until

LONG = 60.0


def test_none_are_said_to_be_there_only_when_it_is_known(window: MainWindow) -> None:
    panel = cast(FindingsPanel, window.docks.show("findings"))
    window.session.set_findings(())
    window.feed.expect("somebody slow")
    assert window.status.problems.text() == "Checking…"
    assert panel.empty.text() == "Checking…"
    wait_until(lambda: window.feed._awaited == {"somebody slow"} and not window.feed.is_busy, LONG)
    window.session.set_findings(())
    assert window.status.problems.text() == "Checking…"
    window.feed.report("somebody slow", ())
    window.session.set_findings(())
    assert window.status.problems.text() == "No findings"
    assert panel.empty.text() == "No problems found."
    window.session.execute(InsertItem("xrdf.tool_frames", "hand"))
    assert not window.feed.is_known


def test_history_says_which_step_is_on_disk(window: MainWindow) -> None:
    panel = cast(HistoryPanel, window.docks.show("history"))
    document = window.session.document

    def rows() -> list[str]:
        return [panel.model.index(row, 0).data() for row in range(panel.model.rowCount())]

    window.session.execute(InsertItem("xrdf.tool_frames", "hand"))
    window.session.execute(InsertItem("xrdf.tool_frames", "lower"))
    assert [row.endswith("saved") for row in rows()] == [True, False, False]
    save_document(document)
    panel.refresh()
    assert [row.endswith("saved") for row in rows()] == [False, False, True]
    document.undo()
    assert [row.endswith("saved") for row in rows()] == [False, False, True]


def test_volumes_are_told_as_a_person_would() -> None:
    assert [ratio_text(value) for value in (0.853, 1.5, 2.34, 50.11, 7505.0)] == [
        "85 %",
        "150 %",
        "234 %",
        "5\u202f011 %",
        "750\u202f500 %",
    ]
    assert written(50.11, "percent") == "5\u202f011 %"


def _is_laid_out(panel: SelectionNumbers) -> bool:
    place, layout = panel.parentWidget(), panel.layout()
    assert place is not None
    assert layout is not None
    return panel.height() == max(place.height(), layout.totalHeightForWidth(panel.width()))


def test_buttons_stay_where_they_are_while_figures_are_stale(window: MainWindow) -> None:
    window.docks.show("selection")
    (panel,) = window.findChildren(SelectionNumbers)
    window.session.select(Selection(spheres=(SphereRef("spheres", "upper", 0),)))
    settle(window)
    noted = LinkFigures(
        1,
        note="No mesh to measure: "
        + "the spheres alone are known, and that is a long sentence. " * 3,
    )
    buttons = (panel.delete, panel.add, panel.duplicate, panel.copy)
    places = []
    shown: list[ShownQuality]
    # The scroll area gives it no more width than there is.
    assert panel.minimumSizeHint().width() <= 266
    for shown in (
        [ShownQuality(None, False)],
        [ShownQuality(None, True)],
        [ShownQuality(noted, True)],
        [ShownQuality(None, False)],
    ):
        panel.quality.show_links(shown)
        QTest.qWait(0)
        wait_until(lambda: _is_laid_out(panel), 60)
        places.append([button.mapTo(window, QPoint(0, 0)) for button in buttons])
        assert panel.quality.note.isVisible() == (shown[0].figures is not None)
    assert places == [places[0]] * len(places)
    assert panel.quality.state.whole_text == "Measuring…"


def test_a_button_that_is_pressed_again_is_still_under_the_mouse(window: MainWindow) -> None:
    """From a link to its first sphere, to a second, to none: other numbers come and go below the
    buttons."""
    window.docks.show("selection")
    (panel,) = window.findChildren(SelectionNumbers)
    session = window.session
    session.select(Selection(links=("upper",)))
    settle(window)
    add, delete = (
        button.mapTo(window, button.rect().center()) for button in (panel.add, panel.delete)
    )

    def press(place: QPoint) -> None:
        widget = window.childAt(place)
        assert widget is not None
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=widget.mapFrom(window, place))
        settle(window)

    def number() -> int:
        return len(session.robot.xrdf.spheres_of(session.active_group).get("upper", ()))

    before = number()
    press(add)
    press(add)
    assert number() == before + 2
    press(delete)
    assert number() == before + 1
    # Now the link is selected: there is no sphere to delete, and no other button has come into that
    # place.
    press(delete)
    assert number() == before + 1
    assert not panel.delete.isEnabled()
    assert panel.delete.toolTip() == "Select spheres first."
    session.select(Selection())
    press(delete)
    assert number() == before + 1
    for _ in range(3):
        session.undo()
    assert number() == before


def test_what_planners_hold_and_what_posing_holds_have_other_signs(window: MainWindow) -> None:
    panel = cast(JointsPanel, window.docks.show("joints"))
    row = next(iter(panel.rows.values()))
    row.show_mark(None, locked=True)
    row.show_locked(True)
    size = row.lock.iconSize()
    anchor = row.mark.pixmap().scaled(size).toImage()
    assert anchor != row.lock.icon().pixmap(size).toImage()
    assert row.mark.toolTip() != row.lock.toolTip()


def test_a_page_without_obstacles_says_what_to_do(window: MainWindow) -> None:
    panel = window.docks.show("motion")
    panel.tabs.setCurrentWidget(panel.scene)  # type: ignore[attr-defined]
    scene = panel.scene  # type: ignore[attr-defined]
    wait_until(scene.empty.isVisible)
    assert not scene.name.isVisible()
    from editor_app.core.model.scene import SphereShape

    scene.add("sphere", SphereShape(0.2))
    wait_until(lambda: not scene.empty.isVisible())
    assert scene.name.isVisible()
    assert scene.name.text() == "sphere"
    scene._remove()
    wait_until(scene.empty.isVisible)


def test_figures_of_a_fit_sort_as_numbers_and_stand_beside_those_of_the_fit_before(
    window: MainWindow,
) -> None:
    window.registry.trigger("fit.robot")
    rows = window.fitting.fit_panel.list
    rows.set_links(("base", "upper", "lower"))

    def column(number: int) -> list[str]:
        items = [rows.topLevelItem(k) for k in range(rows.topLevelItemCount())]
        return [item.text(number) for item in items if item is not None]

    for link, count, out in (("base", 9, 0.0102), ("upper", 10, 0.0021), ("lower", 100, 0.1)):
        rows.show_fit(link, Summary(count, 0.9999, protrusion_max=out, excess=0.5), "✓ certified")
    assert column(3) == ["9", "10", "100"]
    assert column(4) == ["99.9"] * 3, "100 means all of it"
    rows.sortByColumn(5, Qt.SortOrder.DescendingOrder)
    assert column(5) == ["100.0", "10.2", "2.1"]
    rows.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
    assert column(0) == ["base", "upper", "lower"]
    rows.start_bar("upper")
    assert column(3)[1] == "(10)"
    rows.show_fit("upper", Summary(12, 1.0, protrusion_max=0.0011, excess=50.11), "✓ certified")
    assert [column(number)[1] for number in (3, 4, 5, 6)] == [
        "12 (10)",
        "100 (99.9)",
        "1.1 (2.1)",
        "5011 (50)",
    ]
    rows.clear_results(rows.links)
    assert column(3) == ["(9)", "(12)", "(100)"], "what was not taken over is only compared with"


def test_the_view_says_what_of_the_robot_is_not_drawn(window: MainWindow) -> None:
    keys = {"view.show_all": "Alt+H", "view.spheres": "S"}
    place = QWidget(window)
    note = HiddenNote(window.session, lambda action: keys.get(action, ""), place)
    assert note.isHidden()
    window.session.set_hidden(frozenset(("upper", "lower")))
    assert note.text() == "Hidden: 2 links (Alt+H)"
    window.session.set_display(spheres=False, visuals=False)
    assert note.text() == "Hidden: 2 links (Alt+H), spheres (S), meshes"
    assert not note.isHidden()
    window.session.set_hidden(frozenset())
    window.session.set_display(spheres=True, visuals=True)
    assert note.isHidden()
    place.deleteLater()


def drag_over(window: MainWindow, *paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    copy, left, none = (
        Qt.DropAction.CopyAction,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(400, 300), copy, data, left, none))
    return data


def test_what_hovers_over_the_window_is_told_what_will_become_of_it(
    window: MainWindow, tmp_path: Path
) -> None:
    folder = tmp_path / "robots"
    folder.mkdir()
    (folder / "arm.urdf").write_text((tmp_path / "arm.urdf").read_text())
    (tmp_path / "notes.txt").write_text("nothing")
    toast = window.central.toast
    for path, words in (
        (tmp_path / "arm.urdf", "Drop to open the robot arm.urdf"),
        (tmp_path / "arm.xrdf", "Drop to open arm.xrdf for the matching robot"),
        (tmp_path / "notes.txt", "notes.txt: not a file that can be opened"),
        (tmp_path, "Drop to open the robot arm.urdf in"),
        (folder, "Drop to open the robot arm.urdf in robots"),
    ):
        data = drag_over(window, path)
        wait_until(partial(says, toast, words), LONG)
    QApplication.sendEvent(window, QDragLeaveEvent())
    assert not toast.isVisible()
    data = drag_over(window, folder)
    drop = QDropEvent(
        QPointF(400, 300),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(window, drop)
    wait_until(
        lambda: (
            window.session.has_robot and window.session.document.urdf_path == folder / "arm.urdf"
        ),
        LONG,
    )
    settle(window)


def says(toast: Toast, words: str) -> bool:
    return toast.isVisible() and toast.text.startswith(words)


def test_nearly_black_parts_are_drawn_light_enough_for_shade_to_be_seen() -> None:
    from editor_app.window.viewport.layers.meshes import readable_colour

    assert readable_colour((0.004, 0.004, 0.004)).min() >= 0.2
    red = readable_colour((0.3, 0.0, 0.0))
    assert red[0] > red[1] == red[2], "the hue is kept"
    assert tuple(readable_colour((0.2, 0.5, 0.7))) == (0.2, 0.5, 0.7)


def test_notes_of_a_fit_follow_as_sentences() -> None:
    notes = ("1 duplicate triangle was skipped.", "3 % of the surface lies enclosed inside.")
    result = SimpleNamespace(
        quality=object(),
        spheres=[0],
        notes=notes,
        certificate=SimpleNamespace(holds=True, band_m=0.0),
    )
    fit: Any = SimpleNamespace(result=result, shared_with=("left_hand",))
    assert result_text(fit) == (
        f"✓ certified, same mesh as left_hand. {notes[0]} {notes[1]}",
        False,
    )
    result.notes = ()
    assert result_text(fit) == ("✓ certified, same mesh as left_hand", False)
