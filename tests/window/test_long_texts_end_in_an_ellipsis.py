"""What does not fit ends in an ellipsis, keeps the part in which names differ, and is told in full
by its tooltip."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent, QImage, QStandardItem, QStandardItemModel, QTextLayout
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QStyleOptionViewItem,
    QTableView,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from editor_app.core.document.selection import Selection
from editor_app.features.spheres.window.figures import Summary
from editor_app.features.spheres.window.link_list import LinkList
from editor_app.window.bindings.choice_box import ChoiceBox, CutLine, NameBox, TextField
from editor_app.window.bindings.elision import ElidedLabel
from editor_app.window.bindings.lists import DistinctCells
from editor_app.window.widgets import PlainLabel, dress
from tests.helpers.windows import open_window, settle, wait_until

LEFT, RIGHT = "left_hand_index_distal_link", "left_hand_index_medial_link"


def ink_at_the_end(widget: QWidget, right: int) -> bool:
    """Whether something is painted in the last two columns before `right`, frames apart."""
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
    rows = range(5, image.height() - 5)
    paper = image.pixelColor(right - 1, 5).value()
    return any(
        abs(image.pixelColor(x, y).value() - paper) > 60
        for x in (right - 2, right - 1)
        for y in rows
    )


def test_a_choice_ends_in_an_ellipsis_and_its_tooltip_tells_the_whole(qapp: Any) -> None:
    box = ChoiceBox()
    box.addItem("Collision meshes, or visual ones")
    box.setToolTip("What is fitted")
    box.resize(box.sizeHint())
    assert box.shown_text() == box.currentText(), "at the width that it asks for"
    box.resize(90, box.height())
    box.show()
    assert box.shown_text().endswith("…")
    box.event(QHelpEvent(QEvent.Type.ToolTip, QPoint(5, 5), box.mapToGlobal(QPoint(5, 5))))
    wait_until(lambda: QToolTip.text() == "Collision meshes, or visual ones\nWhat is fitted", 60)
    QToolTip.hideText()
    wait_until(lambda: not QToolTip.isVisible(), 60)
    box.deleteLater()


def test_names_in_boxes_that_differ_look_different_and_are_whole_while_typed(qapp: Any) -> None:
    place = QWidget()
    layout = QVBoxLayout(place)
    boxes = [NameBox("Link", "link", place) for _ in range(2)]
    for box, name in zip(boxes, (LEFT, RIGHT), strict=True):
        box.set_choices((LEFT, RIGHT))
        box.set_value(name)
        box.setFixedWidth(110)
        layout.addWidget(box)
    place.show()
    lines = [box.lineEdit() for box in boxes]
    assert all(isinstance(line, CutLine) for line in lines)
    shown = [line.shown_text() for line in lines if isinstance(line, CutLine)]
    assert shown[0] != shown[1]
    assert all("…" in text for text in shown)
    for line in lines:
        assert line is not None
        assert not ink_at_the_end(line, line.width()), "no letter is cut in two"
    place.activateWindow()
    boxes[0].setFocus()
    wait_until(lambda: QApplication.focusWidget() is boxes[0], 60)
    first = lines[0]
    assert isinstance(first, CutLine)
    assert first.shown_text() == LEFT
    place.deleteLater()


def test_a_field_for_a_name_is_cut_while_nobody_types_in_it(qapp: Any) -> None:
    field = TextField("Name")
    field.set_value(LEFT)
    field.resize(100, field.sizeHint().height())
    field.show()
    beginning, _, end = field.shown_text().partition("…")
    assert len(beginning) > 1
    assert LEFT.startswith(beginning)
    assert len(end) > 1
    assert LEFT.endswith(end)
    assert not ink_at_the_end(field, field.width() - 2)
    field.resize(400, field.height())
    assert field.shown_text() == LEFT
    field.deleteLater()


def test_each_line_of_a_cell_is_cut_by_itself(qapp: Any) -> None:
    view, model = QTableView(), QStandardItemModel()
    for first, second in (("base_link", LEFT), ("base_link", RIGHT)):
        model.appendRow([QStandardItem(f"{first}\n{second}")])
    view.setModel(model)
    cells = DistinctCells(view)
    view.setItemDelegate(cells)
    texts = []
    for row in range(2):
        option = QStyleOptionViewItem()
        option.initFrom(view)
        option.widget = view
        option.rect.setRect(0, 0, 110, 40)
        cells.initStyleOption(option, model.index(row, 0))
        texts.append(option.text.split("\u2028"))
    assert [lines[0] for lines in texts] == ["base_link", "base_link"]
    assert texts[0][1] != texts[1][1]
    assert all("…" in lines[1] for lines in texts)
    view.deleteLater()
    model.deleteLater()


def test_a_cut_name_fits_so_that_the_style_cuts_nothing_more(qapp: Any) -> None:
    names = [f"j2s6s200_link_finger_{part}" for part in ("1", "2", "tip_1", "tip_2")]
    view, model = QTableView(), QStandardItemModel()
    for name in names:
        model.appendRow([QStandardItem(name)])
    view.setModel(model)
    cells = DistinctCells(view)
    view.setItemDelegate(cells)
    for size in (12.0, 12.5, 13.0, 13.7):
        font = view.font()
        font.setPointSizeF(size * 0.75)
        for width, row in product(range(90, 190), range(4)):
            option = QStyleOptionViewItem()
            option.initFrom(view)
            option.widget = view
            option.font = font
            option.rect.setRect(0, 0, width, 20)
            cells.initStyleOption(option, model.index(row, 0))
            layout = QTextLayout(option.text, font)
            layout.beginLayout()
            line = layout.createLine()
            line.setLineWidth(1000.0)
            layout.endLayout()
            assert 0.0 < line.naturalTextWidth() <= cells.room(option), (option.text, width)
    view.deleteLater()
    model.deleteLater()


def test_a_hint_leaves_its_last_parts_out_whole(qapp: Any) -> None:
    label = ElidedLabel(between=" · ")
    label.set_text("Drag orbits · right drag pans · wheel zooms")
    label.show()
    width = label.fontMetrics().horizontalAdvance("Drag orbits · right drag pans · whe")
    label.resize(width, 20)
    assert label.text() == "Drag orbits · right drag pans"
    assert label.toolTip() == "Drag orbits · right drag pans · wheel zooms"
    label.resize(2 * width, 20)
    assert label.text() == label.whole_text
    label.deleteLater()


def test_names_of_links_to_fit_have_the_room_of_arrows_while_nothing_is_sorted(qapp: Any) -> None:
    rows = LinkList()
    rows.set_links([LEFT, RIGHT])
    for link in (LEFT, RIGHT):
        rows.show_fit(
            link, Summary(4, 1.0, protrusion_max=0.04, excess=2.5), "✓ certified", bad=False
        )
    rows.resize(700, 160)
    rows.show()
    header = rows.header()
    wait_until(lambda: header.sectionSize(0) > 60, 60)
    assert not header.isSortIndicatorShown()
    unsorted = header.sectionSize(0)
    header.setSortIndicator(2, Qt.SortOrder.AscendingOrder)
    wait_until(lambda: header.sectionSize(0) < unsorted, 60)
    assert header.isSortIndicatorShown(), "by which column is seen"
    header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
    wait_until(lambda: header.sectionSize(0) == unsorted, 60)
    rows.deleteLater()


def test_a_long_name_is_broken_and_pushes_nothing_out_of_its_column(
    qapp: Any, tmp_path: Path
) -> None:
    name = "left_arm_shoulder_elbow_wrist_segment_7_link"
    label = dress(PlainLabel(name), wrap=True)
    assert label.text() == name
    assert label.minimumSizeHint().width() < label.fontMetrics().horizontalAdvance(name) / 2
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setText(f"{name}!")
    assert QLabel.text(label) == f"{name}!", "what is copied out of it is what the file says"
    urdf = tmp_path / "long.urdf"
    urdf.write_text(
        f'<robot name="robot_of_{name}"><link name="{name}"/></robot>', encoding="utf-8"
    )
    with open_window(tmp_path, urdf) as window:
        panel = window.docks.show("selection")
        window.session.select(Selection(links=(name,)))
        settle(window)
        assert panel.numbers.title.text() == name
        for column in (panel, window.docks.show("xrdf")):
            settle(window)
            assert column.widget().minimumSizeHint().width() <= column.viewport().width()
