"""The accordion: folding, counts, badges, absent sections, and that a person without a mouse or in
a hurry gets on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLineEdit,
    QTableView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from editor_app.core.document.commands.lists import InsertItem
from editor_app.core.document.document import Document
from editor_app.core.document.selection import Selection
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.findings import Finding, FindingSubject, Severity
from editor_app.core.text.source import SourceText
from editor_app.window.bindings.rows_view import MOST_ROWS, RowsView
from editor_app.window.selection.panel import SelectionPanel
from editor_app.window.session import Session
from editor_app.window.xrdf.section_stack import SectionStack
from editor_app.window.xrdf.sections import SPECS
from tests.helpers.panels import shown, small_session
from tests.helpers.small_robot import XRDF_TEXT
from tests.helpers.windows import wait_until

pytestmark = pytest.mark.gui

EMPTY = "format: xrdf\nformat_version: 1.0\n"


@pytest.fixture
def session(qtbot: QtBot) -> Session:
    return small_session()


def opened(qtbot: QtBot, session: Session, width: int = 320) -> SectionStack:
    stack = shown(qtbot, SectionStack(session, SPECS), width)
    for section in stack.sections.values():
        section.set_open(True)
    QApplication.processEvents()
    return stack


def test_panels_are_made_when_they_are_first_shown(
    qtbot: QtBot, session: Session, tmp_path: Path
) -> None:
    store = QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat)
    stack = shown(qtbot, SectionStack(session, SPECS, store))
    assert stack.open_sections() == ("format",)
    assert len(stack.findChildren(QTableView)) == 0
    qtbot.mouseClick(stack.sections["cspace"].header, Qt.MouseButton.LeftButton)
    assert stack.sections["cspace"].panel.isVisible()
    stack.sections["format"].header.setFocus()
    qtbot.keyClick(stack.sections["format"].header, Qt.Key.Key_Space)
    assert stack.open_sections() == ("cspace",)
    again = SectionStack(session, SPECS, store)
    qtbot.addWidget(again)
    assert again.open_sections() == ("cspace",)


def test_headers_count_and_follow(qtbot: QtBot, session: Session) -> None:

    stack = opened(qtbot, session)
    label = stack.sections["tool_frames"].header._count
    assert label.text() == "2"
    session.execute(InsertItem("xrdf.tool_frames", "fore"))
    assert label.text() == "3"
    session.undo()
    assert label.text() == "2"
    session.open(None)
    assert label.text() == ""
    assert not stack.sections["tool_frames"].panel.isEnabled()


def test_findings_show_at_their_section(qtbot: QtBot, session: Session) -> None:
    stack = opened(qtbot, session)
    session.set_findings(
        (
            Finding(
                "XRDF402", Severity.ERROR, "No such frame.", ("collision", "buffer_distance", "x")
            ),
            Finding(
                "XRDF405",
                Severity.WARNING,
                "Too small.",
                subject=FindingSubject(section="world_collision"),
            ),
            Finding("XRDF101", Severity.ERROR, "No version.", ("format_version",)),
        )
    )
    badge = stack.sections["world_collision"].header.badge
    assert badge.isVisible()
    assert badge.text() == "1", "one error; the tooltip has the warning, too"
    assert badge.toolTip().splitlines() == ["XRDF402 No such frame.", "XRDF405 Too small."]
    assert stack.sections["format"].header.badge.isVisible()
    assert not stack.sections["cspace"].header.badge.isVisible()
    session.set_findings(())
    assert not badge.isVisible()


def test_many_findings_make_no_section_wider_than_its_column(
    qtbot: QtBot, session: Session
) -> None:
    # The least width, and the bar that scrolls takes some of it.
    stack = shown(qtbot, SectionStack(session, SPECS), 270)
    stack.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
    a_finding = Finding("XRDF301", Severity.ERROR, "Outside.")
    session.set_findings(
        tuple(replace(a_finding, path=(name,)) for name in stack.sections for _ in range(1000))
    )
    wait_until(lambda: stack.sections["cspace"].header.badge.text() == "1000")
    QApplication.processEvents()
    for name, section in stack.sections.items():
        assert section.header.minimumSizeHint().width() <= stack.viewport().width(), name


def test_every_section_can_be_added_and_removed(qtbot: QtBot) -> None:
    session = small_session(EMPTY)
    stack = opened(qtbot, session)
    for name, section in stack.sections.items():
        if name == "format":
            continue
        button = section.panel.add_button
        stack.reveal(name)
        assert button.isVisible(), name
        assert section.panel.purpose
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert getattr(session.robot.xrdf, name) is not None
        assert not button.isVisible()
        assert section.header.menu.isVisible()
    text = session.document.xrdf_text
    assert read_xrdf(SourceText.from_text(text)).value == session.document.robot.xrdf
    section = stack.sections["cspace"]
    section._remove()
    assert session.document.robot.xrdf.cspace is None
    assert section.panel.add_button.isVisible()
    while session.document.position:
        session.undo()
    assert session.document.xrdf_text == EMPTY


def test_reveal_scrolls_there(qtbot: QtBot, session: Session) -> None:
    stack = opened(qtbot, session)
    panel = stack.reveal("tool_frames")
    QApplication.processEvents()
    assert panel is not None
    assert panel.visibleRegion().isEmpty() is False
    assert stack.reveal("collision") is stack.sections["world_collision"].panel
    assert stack.reveal("nothing") is None


def test_what_is_unfolded_at_the_lower_edge_can_be_seen(qtbot: QtBot, session: Session) -> None:
    stack = opened(qtbot, session)
    for section in stack.sections.values():
        section.set_open(False)
    stack.resize(stack.width(), 330)
    qtbot.wait(20)
    section = stack.sections["cspace"]
    qtbot.mouseClick(section.header, Qt.MouseButton.LeftButton)
    qtbot.wait(20)
    shown = stack.viewport().rect()
    top = section.mapTo(stack.viewport(), QPoint(0, 0)).y()
    assert top >= 0, "the header stays"
    assert top + section.height() <= shown.height() or top == 0
    before = stack.verticalScrollBar().value()
    qtbot.mouseClick(section.header, Qt.MouseButton.LeftButton)
    assert stack.verticalScrollBar().value() <= before


def focusable(root: QWidget) -> list[QWidget]:
    kinds = (QLineEdit, QComboBox, QAbstractButton, QTableView)
    return [
        w for kind in kinds for w in root.findChildren(kind) if w.isVisible() and w.focusPolicy()
    ]


@pytest.mark.parametrize("width", [300, 320, 420])
def test_nothing_is_cut_off_and_everything_has_a_name(
    qtbot: QtBot, sample_urdf: Path, width: int
) -> None:
    session = Session()
    xrdf = read_xrdf(SourceText.read(sample_urdf.with_suffix(".xrdf")))
    session.open(Document(read_urdf(SourceText.read(sample_urdf)), xrdf))
    stack = opened(qtbot, session, width)
    assert stack.width() == width
    assert stack.horizontalScrollBarPolicy() == Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    content = stack.widget()
    assert content is not None
    assert content.width() <= stack.viewport().width()
    group = (xrdf.value.geometry or ())[0]
    holder = shown(qtbot, SelectionPanel(session), width)
    session.select(Selection(links=(next(iter(group.spheres)),)))
    for root in (content, holder.numbers):
        for widget in focusable(root):
            right = widget.mapTo(root, widget.rect().topRight()).x()
            assert right < root.width(), f"{widget} ends at {right} of {root.width()}"
            name = widget.accessibleName() or getattr(widget, "text", lambda: "")()
            inside = isinstance(widget.parentWidget(), QComboBox) or "qt_" in widget.objectName()
            assert name or inside or isinstance(widget.parentWidget(), QTableView), (
                f"{widget} has no name"
            )
    for section in stack.sections.values():
        section.set_open(True)
    # A style may come late, and headers grow with it.
    stack.setStyleSheet(f"{stack.styleSheet()} QHeaderView::section {{ padding: 9px; }}")
    qtbot.wait(20)
    for view in content.findChildren(RowsView):
        rows = min(view.model().rowCount(), MOST_ROWS)
        assert view.viewport().height() >= rows * view.rowHeight(0), (
            f"the last row of {view.accessibleName()}"
        )


def test_other_units_at_once(qtbot: QtBot, session: Session) -> None:
    from editor_app.window.session import AngleUnit, LengthUnit

    stack = opened(qtbot, session)
    view = stack.sections["default_joint_positions"].panel.findChildren(QTableView)[0]
    assert view.model().index(0, 1).data() == "28.6°"
    session.set_display(angle_unit=AngleUnit.RADIAN, length_unit=LengthUnit.METRE)
    assert view.model().index(0, 1).data() == "0.5000 rad"
    assert session.document.xrdf_text == XRDF_TEXT
