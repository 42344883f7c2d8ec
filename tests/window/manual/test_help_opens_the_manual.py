"""Help in the real window: F1 at a panel, a finding's page, search, back, what is new; the tour is
offered once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QColor, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialog,
    QDockWidget,
    QLineEdit,
    QPushButton,
    QWidget,
)

import editor_app
from editor_app.core.resources import changelog, sample_robot
from editor_app.features.checks.window.panel import FindingsPanel
from editor_app.plugins.manual import content
from editor_app.plugins.manual.content import DIALOGS, KEYS, NEWS, Manual, page_of_panel
from editor_app.plugins.manual.window.feature import OFFER, SEEN, STEPS, ManualWindow, Tour
from editor_app.window.main_window import MainWindow
from editor_app.window.theme import ThemeChoice, theme
from tests.helpers.action_specs import specs
from tests.helpers.documents import CLEAN
from tests.helpers.windows import focus, put_back, reopen, settle, wait_until

LONG = 60.0


@pytest.fixture(scope="module")
def with_manual(one_window: MainWindow) -> MainWindow:
    """The manual's window is made once and stays, as in the program."""
    assert not one_window.help.manual.isVisible()
    # No fit is made here: its process and its compiled engine would take longer than all tests.
    one_window.fitting.context.warm_preview = lambda: None  # type: ignore[method-assign]
    one_window.fitting.context.warm = lambda: None  # type: ignore[method-assign]
    for dock in ("self-collision", "fit", "findings"):
        # So have the panels that the tour shows, with menus that are windows.
        one_window.docks.panel(dock)
    return one_window


@pytest.fixture
def window(
    with_manual: MainWindow, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MainWindow]:
    one_window = with_manual
    reopen(
        one_window, tmp_path_factory.mktemp("robot"), CLEAN.replace("  elbow: 0.5", "  elbwo: 0.5")
    )
    yield one_window
    one_window.help.tour.leave()
    manual = one_window.help.manual
    manual.search.clear()
    manual.browser._wider.stop()
    manual.close()
    one_window.settings.store.remove(SEEN)
    put_back(one_window)


def press_f1(window: MainWindow, widget: QWidget) -> ManualWindow:
    """F1 with the focus in `widget`; the manual that opens."""
    window.activateWindow()
    QTest.qWaitForWindowActive(window)
    widget.setFocus()
    wait_until(lambda: QApplication.focusWidget() is widget, LONG)
    QTest.keyClick(widget, Qt.Key.Key_F1)
    manual = window.help.manual
    wait_until(manual.isVisible, LONG)
    return manual


def press_f1_in(window: MainWindow, dialog: QDialog, widget: QWidget) -> ManualWindow:
    """F1 with the focus in `widget` of a dialog."""
    dialog.activateWindow()
    wait_until(dialog.isActiveWindow, LONG)
    widget.setFocus()
    wait_until(lambda: QApplication.focusWidget() is widget, LONG)
    QTest.keyClick(widget, Qt.Key.Key_F1)
    manual = window.help.manual
    wait_until(lambda: manual.isVisible() and manual.isActiveWindow(), LONG)
    return manual


def heading_in_view(manual: ManualWindow) -> str:
    """The first heading that is on the page as it is scrolled."""
    block = manual.browser.cursorForPosition(manual.browser.viewport().rect().topLeft()).block()
    while block.isValid() and not block.blockFormat().headingLevel():
        block = block.next()
    return block.text()


def test_f1_opens_the_page_of_the_panel_that_has_the_focus(window: MainWindow) -> None:
    links = window.docks.show("links")
    manual = press_f1(window, links.filter)  # type: ignore[attr-defined]
    assert manual.browser.page == "panels/links.md"
    assert manual.browser.document().toPlainText().startswith("Links")
    manual.close()
    source = window.docks.show("source")
    manual = press_f1(window, source.file_box)  # type: ignore[attr-defined]
    assert manual.browser.page == "panels/source.md"


@pytest.mark.parametrize(
    ("action", "name", "page"),
    [("edit.preferences", "preferences", "window.md"), ("help.shortcuts", "shortcuts", "keys.md")],
)
def test_f1_in_a_dialog_opens_its_page_beside_it(
    window: MainWindow, action: str, name: str, page: str
) -> None:
    window.registry.trigger(action)
    dialog = window.findChild(QDialog, name)
    assert dialog is not None
    field = dialog.findChild(QComboBox) or dialog.findChild(QLineEdit)
    assert field is not None
    manual = press_f1_in(window, dialog, field)
    assert manual.browser.page == page
    # The dialog, which blocks its window, does not block the manual.
    wait_until(lambda: QApplication.focusWidget() is manual.browser, LONG)
    manual.close()
    dialog.reject()
    wait_until(lambda: window.findChild(QDialog, name) is None, LONG)


def test_every_dialog_has_its_page() -> None:
    folder, manual = Path(editor_app.__file__).parent, Manual()
    named = set()
    for file in folder.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        classes = re.findall(
            r"class \w+\((?:QDialog|PairsDialog)\).*?self\.setObjectName\(\"([\w-]+)\"\)",
            text,
            re.DOTALL,
        )
        shaped = re.findall(
            r"class \w+\((?:dialogs\.)?Dialog\).*?super\(\).__init__\([^\"]+\"([\w-]+)\"",
            text,
            re.DOTALL,
        )
        asked = re.findall(r"(?:_message_box|ask_text)\(\s*[\w.]+, \"([\w-]+)\"", text)
        named |= {*classes, *shaped, *asked}
    assert len(named) > 15
    assert named <= set(DIALOGS), "a dialog that no page is about"
    targets = {place.target for place in manual.places} | {NEWS, KEYS}
    assert {target for target in DIALOGS.values() if target not in targets} == set()


def test_every_panel_has_its_page(window: MainWindow) -> None:
    pages = Manual()
    docks = [d.objectName().removeprefix("dock.") for d in window.findChildren(QDockWidget)]
    assert len(docks) > 10
    assert [dock for dock in docks if not pages.has(page_of_panel(dock))] == []


def test_a_finding_leads_to_its_page(window: MainWindow) -> None:
    panel = window.docks.show("findings")
    assert isinstance(panel, FindingsPanel)
    settle(window)
    row = next(i for i, finding in enumerate(panel.shown) if finding.code == "XRDF601")
    panel.go_to(row)
    QTest.mouseClick(panel.help_button, Qt.MouseButton.LeftButton)
    manual = window.help.manual
    wait_until(manual.isVisible, LONG)
    assert manual.browser.source().fragment() == "xrdf601"
    wait_until(lambda: heading_in_view(manual) == "XRDF601", LONG)
    manual.close()
    # The panel shows the section that the finding is about, and may have given the focus away.
    window.docks.show("findings")
    manual = press_f1(window, panel.table)
    assert manual.browser.source().fragment() == "xrdf601"


def titles(manual: ManualWindow) -> list[str]:
    """What the list of contents shows."""
    items = (manual.contents.topLevelItem(i) for i in range(manual.contents.topLevelItemCount()))
    return [item.text(0) for item in items if item is not None]


def test_search_back_and_forward(window: MainWindow) -> None:
    window.help.open_page("start.md")
    manual = window.help.manual
    QTest.keyClicks(manual.search, "certified mean")
    assert titles(manual)[:2] == ["What certified means – Fits", "What certified means – Masks"]
    QTest.keyClick(manual.search, Qt.Key.Key_Return)
    assert manual.browser.page == "fits.md"
    QTest.mouseClick(manual.back, Qt.MouseButton.LeftButton)
    assert manual.browser.page == "start.md"
    QTest.mouseClick(manual.forward, Qt.MouseButton.LeftButton)
    assert manual.browser.page == "fits.md"
    QTest.keyClicks(manual.search, " zzz")
    assert titles(manual)[0] == "No page has these words."
    QTest.keyClick(manual.search, Qt.Key.Key_Escape)
    assert manual.search.text() == ""
    assert titles(manual)[0] == "First steps"


def test_down_leads_from_the_search_to_its_places(window: MainWindow) -> None:
    window.help.open_page("window.md")
    manual = window.help.manual
    focus(manual.search)
    QTest.keyClicks(manual.search, "certified mean")
    QTest.keyClick(manual.search, Qt.Key.Key_Down)
    wait_until(manual.contents.hasFocus, LONG)
    assert manual.contents.currentItem() is manual.contents.topLevelItem(0)
    QTest.keyClick(manual.contents, Qt.Key.Key_Return)
    assert manual.browser.page != "window.md"
    # A sentence that nothing was found is no row.
    focus(manual.search)
    QTest.keyClicks(manual.search, " zzz")
    QTest.keyClick(manual.search, Qt.Key.Key_Down)
    assert manual.search.hasFocus()


def test_only_files_of_the_manual_are_read(window: MainWindow) -> None:
    window.help.open_page("index.md")
    browser = window.help.manual.browser
    kind = QTextDocument.ResourceType.ImageResource.value
    assert not browser.loadResource(kind, QUrl("pictures/window.webp")).isNull()
    for outside in (
        "../../README.md",
        "https://example.org/a.webp",
        "file:///etc/hostname",
        "../icons/xrdf-editor.svg",
    ):
        assert browser.loadResource(kind, QUrl(outside)) is None
    browser.show_page("../../README.md")
    assert browser.page == "index.md"


def test_pictures_are_dimmed_on_a_dark_page_and_have_an_edge(window: MainWindow) -> None:
    browser = window.help.manual.browser
    browser.show_page("index.md")
    before = theme().choice
    corners, light = [], []
    for choice in (ThemeChoice.LIGHT, ThemeChoice.DARK):
        theme().choose(choice)
        picture = browser.loadResource(
            QTextDocument.ResourceType.ImageResource.value, QUrl("pictures/window.webp")
        )
        corners.append(picture.pixelColor(0, 0) == QColor(theme().colours.border))
        light.append(picture.scaled(1, 1).pixelColor(0, 0).lightness())
    theme().choose(before)
    assert all(corners)
    assert light[1] < 0.9 * light[0]
    # The page itself follows.
    wait_until(lambda: not browser._wider.isActive(), LONG)


def test_what_is_new_shows_the_changelog(window: MainWindow) -> None:
    window.registry.trigger("help.news")
    text = window.help.manual.browser.document().toPlainText()
    sections = re.findall(r"^## (.+)$", changelog().read_text(encoding="utf-8"), re.MULTILINE)
    assert text.startswith("What's new")
    assert QTextDocument(text).toPlainText().count("\n") > 5
    dated = [
        section for section in sections if re.fullmatch(r"\d[\d.]* - \d{4}-\d\d-\d\d", section)
    ]
    assert dated
    assert dated[0] in text


def test_what_is_new_leaves_out_headings_that_nothing_stands_under(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "CHANGELOG.md"
    text = (
        "# Changelog\n\n## Unreleased\n\n### Added\n\n### Fixed\n{}\n## 2.0.0 - "
        "2026-02-01\n\nWords.\n\n## 1.0.0\n"
    )
    monkeypatch.setattr(content, "changelog", lambda: file)
    file.write_text(text.format(""), encoding="utf-8")
    assert content.news().splitlines()[2:5] == ["## 2.0.0 - 2026-02-01", "", "Words."]
    file.write_text(text.format("- mended\n"), encoding="utf-8")
    assert content.news().split("\n\n")[1:4] == [
        "## Unreleased",
        "### Fixed\n- mended",
        "## 2.0.0 - 2026-02-01",
    ]
    # Newest first: lines are added at the end.
    file.write_text(text.format("- mended\n  once\n- again\n"), encoding="utf-8")
    assert content.news().split("\n\n")[2] == "### Fixed\n- again\n- mended\n  once"


def test_the_page_of_keys_has_those_that_count_now(window: MainWindow) -> None:
    keymap = window.settings.keymap
    wait_until(lambda: "robot.pose_zero" in window.registry, 60)
    keymap.choose("robot.pose_zero", ("Ctrl+Alt+0",))
    try:
        window.help.open_page("keys.md")
        shown = window.help.manual.browser.toPlainText()
    finally:
        keymap.choose("robot.pose_zero", None)
    assert "Ctrl+Alt+0" in shown
    assert "Current: XRDF Editor." in shown


def test_every_action_and_key_that_the_manual_names_is_there(window: MainWindow) -> None:
    labels = {f"{a.spec.menu}/{a.label}".replace("/", " › "): a for a in window.registry.actions}
    # The 3D view brings actions of its own, and is not made here.
    of_the_view = {
        f"{s.menu}/{s.text}".replace("/", " › ").translate({38: "", 8230: ""}): s.keys
        for s in specs()
    }
    menus = {
        s.menu.replace("/", " › ") for s in (*specs(), *(a.spec for a in window.registry.actions))
    }
    pattern = re.compile(r"\*\*([A-Z]\w+ › [^*]+)\*\*(?: \(`([^`]+)`\))?")
    named, wrong = 0, list[str]()
    for page in sorted(Manual().folder.rglob("*.md")):
        for written, key in pattern.findall(page.read_text(encoding="utf-8")):
            named += 1
            if written in labels:
                keys = {sequence.toString() for sequence in labels[written].qaction.shortcuts()}
            elif written in menus:
                keys = set()
            else:
                keys = set(of_the_view.get(written, "?").replace("Delete", "Del").split())
            if "?" in keys or (key and key not in keys):
                wrong.append(f"{page.name}: {written} {key}")
    assert wrong == []
    assert named > 40


def choose(tour: Tour, label: str) -> None:
    buttons = tour.strip.findChildren(QPushButton)
    button = next(each for each in buttons if each.text() == label and each.isVisible())
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_the_tour_is_offered_once_and_can_be_left(window: MainWindow) -> None:
    tour = window.help.tour
    window.session.open(None)
    tour.offer()
    assert tour.strip.isVisible()
    assert tour.strip.text == OFFER
    choose(tour, "Start the tour")
    wait_until(lambda: tour.step == 0, LONG)
    assert window.session.document.urdf_path == sample_robot()
    keymap = window.settings.keymap
    keymap.choose("edit.undo", ("Ctrl+Alt+Z",))
    keymap.choose("fit.robot", ())
    told = []
    for number in range(1, len(STEPS)):
        choose(tour, "Next")
        assert tour.step == number
        assert tour.strip.text.startswith(f"{number + 1} of 5")
        told.append(tour.strip.text)
    keymap.choose("edit.undo", None)
    keymap.choose("fit.robot", None)
    # Keys as they are now.
    for words in (
        "Ctrl+Alt+Z undoes",
        "Shift+F fits",
        "Spheres › Fit the whole robot the whole",
        "F7 shows",
        "F8 goes",
    ):
        assert words in " ".join(told)
    assert len(window.session.selection.spheres) == 1
    choose(tour, "Back")
    assert tour.step == len(STEPS) - 2
    choose(tour, "Skip")
    assert not tour.strip.isVisible()
    assert not window.session.document.is_modified
    tour.offer()
    assert not tour.strip.isVisible(), "it was seen"
    window.registry.trigger("help.tour")
    assert tour.strip.isVisible(), "it was asked for"
    settle(window)


def test_the_tour_that_was_declined_is_not_offered_again(window: MainWindow) -> None:
    tour = window.help.tour
    tour.offer()
    choose(tour, "No, thanks")
    tour.offer()
    assert not tour.strip.isVisible()


def test_a_heading_stays_in_view_when_the_page_gets_another_width(window: MainWindow) -> None:
    window.help.open_page("findings/xrdf.md#xrdf313")
    manual = window.help.manual
    wait_until(lambda: manual.isVisible() and heading_in_view(manual) == "XRDF313", LONG)
    for width in (manual.width() - 160, manual.width() + 90):
        manual.resize(width, manual.height())
        wait_until(lambda: abs(manual.browser.viewport().width() - manual.browser._width) > 8, LONG)
        wait_until(lambda: not manual.browser._wider.isActive(), LONG)
        assert heading_in_view(manual) == "XRDF313"
