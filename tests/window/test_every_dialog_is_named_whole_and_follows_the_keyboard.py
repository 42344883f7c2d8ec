"""Every dialog: names for screen readers, no word cut off, Tab in the order in which one reads, Esc
and Enter."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QMessageBox,
    QPushButton,
)

from editor_app.core.document.selection import Selection
from editor_app.window.dialogs import BESIDE_TITLE, Answer, ask_unsaved, show_error
from editor_app.window.main_window import MainWindow
from tests.helpers.dialogs import OPENERS
from tests.helpers.focus_stops import (
    against_reading,
    focus_in,
    from_the_first,
    label,
    nameless,
    stops,
    tab_round,
)
from tests.helpers.narrow_places import too_narrow
from tests.helpers.windows import put_back, reopen, wait_until

PROGRAM = Path(__file__).resolve().parents[2] / "editor_app"
LONG = 60.0
_ROLE = QDialogButtonBox.ButtonRole
#: What Enter may do where nothing else has the focus: what the dialog is for, or leaving it.
GOOD_DEFAULTS = (_ROLE.AcceptRole, _ROLE.YesRole, _ROLE.RejectRole)


@dataclass(frozen=True)
class Seen:
    """What one dialog showed."""

    kind: str
    nameless: list[str]
    too_narrow: list[str]
    #: Pixels beside the title.
    room: int
    #: (place in the dialog, name) of each stop of Tab, in order.
    order: list[tuple[QRect, str]]
    missed: list[str]
    default: str
    default_role: QDialogButtonBox.ButtonRole | None
    is_closed_by_escape: bool


@pytest.fixture(scope="module")
def dialogs(
    one_window: MainWindow, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Seen]]:
    window = one_window
    reopen(window, tmp_path_factory.mktemp("robot"))
    window.session.select(Selection(links=("upper",)))
    yield {name: looked_at(window, name, tmp_path_factory.mktemp(name)) for name in OPENERS}
    put_back(window)


def looked_at(window: MainWindow, name: str, folder: Path) -> Seen:
    dialog = OPENERS[name](window, folder)
    wait_until(
        lambda: dialog.isVisible() and dialog.isActiveWindow() and focus_in(dialog) is not None,
        LONG,
    )
    # Layouts settle in a turn or two; what stays is a fault.
    settled(lambda: not too_narrow(dialog))
    order = tab_round(dialog)
    missed = [w for w in stops(dialog) if w.isVisible() and w.isEnabled() and w not in order]
    button = next((b for b in dialog.findChildren(QPushButton) if b.isDefault()), None)
    box = next(iter(dialog.findChildren(QDialogButtonBox)), None)
    seen = Seen(
        type(dialog).__name__,
        nameless(dialog),
        too_narrow(dialog),
        dialog.width() - dialog.fontMetrics().horizontalAdvance(dialog.windowTitle()),
        [(QRect(w.mapTo(dialog, QPoint(0, 0)), w.size()), label(w)) for w in order],
        [label(w) for w in missed],
        button.text() if button is not None else "",
        box.buttonRole(button) if box is not None and button is not None else None,
        escaped(dialog),
    )
    if not seen.is_closed_by_escape:
        dialog.reject()
    wait_until(lambda: QApplication.activeModalWidget() is None, LONG)
    return seen


def settled(condition: Callable[[], bool]) -> None:
    for _ in range(50):
        if condition():
            return
        QTest.qWait(5)


def escaped(dialog: QDialog) -> bool:
    widget = QApplication.focusWidget() or dialog
    QTest.keyClick(widget, Qt.Key.Key_Escape)
    return not dialog.isVisible()


def test_every_kind_of_dialog_is_looked_at(dialogs: dict[str, Seen]) -> None:
    derived = [
        pair
        for path in PROGRAM.rglob("*.py")
        for pair in re.findall(
            r"^class (\w+)\((?:dialogs\.)?(\w*Dialog)\)",
            path.read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    ]
    # What others derive from is no dialog by itself.
    kinds = {name for name, _ in derived} - {base for _, base in derived}
    assert len(kinds) > 8
    assert kinds <= {seen.kind for seen in dialogs.values()}


def test_every_stop_of_a_dialog_has_a_name(dialogs: dict[str, Seen]) -> None:
    bad = {name: seen.nameless for name, seen in dialogs.items() if seen.nameless}
    assert not bad, bad


def test_no_word_of_a_dialog_is_cut_off(dialogs: dict[str, Seen]) -> None:
    bad = {name: seen.too_narrow for name, seen in dialogs.items() if seen.too_narrow}
    assert not bad, bad


def test_the_title_of_a_dialog_is_not_cut_off(dialogs: dict[str, Seen]) -> None:
    narrow = {name: seen.room for name, seen in dialogs.items() if seen.room < BESIDE_TITLE}
    assert not narrow, narrow


def test_the_title_of_a_question_is_not_cut_off(qapp: QApplication) -> None:
    room: list[int] = []

    def close() -> None:
        box = QApplication.activeModalWidget()
        if not isinstance(box, QMessageBox):
            QTimer.singleShot(10, qapp, close)
            return
        room.append(box.width() - box.fontMetrics().horizontalAdvance(box.windowTitle()))
        box.reject()

    QTimer.singleShot(0, qapp, close)
    assert ask_unsaved(None, "a.xrdf") is Answer.CANCEL
    assert room[0] >= BESIDE_TITLE


@pytest.mark.parametrize("folder", ["a", "a_folder_with_a_name_that_is_rather_long" * 2])
def test_no_word_of_a_message_is_cut_off(qapp: QApplication, folder: str) -> None:
    """Qt reckons with letters that are not bold, and breaks no path."""
    box = show_error(None, "Not saved", f"/home/{folder}/ur10e.urdf is write-protected.")
    label = box.findChild(QLabel, "qt_msgbox_label")
    assert label is not None
    font = QFont(label.font())
    font.setBold(True)
    words = label.text().removeprefix("<b>").removesuffix("</b>").split()
    widest = max(QFontMetrics(font).horizontalAdvance(word) for word in words)
    QTest.qWaitForWindowExposed(box)
    assert label.contentsRect().width() >= widest
    box.close()


def test_tab_goes_through_a_dialog_as_one_reads_it(dialogs: dict[str, Seen]) -> None:
    bad = {
        name: steps
        for name, seen in dialogs.items()
        if (steps := against_reading(from_the_first(seen.order)))
    }
    assert not bad, bad
    missed = {name: seen.missed for name, seen in dialogs.items() if seen.missed}
    assert not missed, missed


def test_enter_does_what_a_dialog_is_for_and_escape_leaves_it(dialogs: dict[str, Seen]) -> None:
    bad = {
        name: seen.default
        for name, seen in dialogs.items()
        if seen.default_role not in (None, *GOOD_DEFAULTS)
    }
    assert not bad, bad
    assert not [name for name, seen in dialogs.items() if not seen.is_closed_by_escape]
