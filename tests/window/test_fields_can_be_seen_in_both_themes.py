"""Frames of fields, boxes to tick and results of fits stand out from what is around them, light and
dark."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QColor, QImage, QPalette
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QMainWindow,
    QMenu,
    QRadioButton,
    QSlider,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from editor_app.features.spheres.window.link_list import LinkList
from editor_app.window.bindings.number_field import NumberField, NumberSource
from editor_app.window.bindings.panel import Panel
from editor_app.window.bindings.quantity import LENGTH
from editor_app.window.docks.docks import DockSpec, _Dock
from editor_app.window.session import Session
from editor_app.window.theme import DARK, LIGHT, Colours, ThemeChoice, theme


@pytest.fixture(params=[ThemeChoice.LIGHT, ThemeChoice.DARK], ids=str)
def colours(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[ThemeChoice]:
    before = theme().choice
    theme().install(qapp)
    theme().choose(request.param)
    yield request.param
    theme().choose(before)


def luminance(colour: QColor) -> float:
    """Relative luminance, as WCAG defines it."""
    parts = (colour.redF(), colour.greenF(), colour.blueF())
    linear = [v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: QColor, other: QColor) -> float:
    a, b = sorted((luminance(one), luminance(other)))
    return (b + 0.05) / (a + 0.05)


@pytest.mark.parametrize("kind", [QLineEdit, QCheckBox, QRadioButton, QComboBox])
def test_frames(qtbot: QtBot, colours: ThemeChoice, kind: type[QWidget]) -> None:
    page = QWidget()
    layout = QVBoxLayout(page)
    # Takes the focus, whose frame has the accent.
    layout.addWidget(QLineEdit("first"))
    widget = kind()
    layout.addWidget(widget)
    qtbot.addWidget(page)
    page.resize(200, 120)
    page.show()
    qtbot.waitExposed(page)
    picture: QImage = page.grab().toImage()
    ratio = picture.devicePixelRatio()
    place = widget.geometry()
    around = QColor(theme().colours.window)
    y = place.center().y() * ratio
    row = [picture.pixelColor(int((place.left() + x) * ratio), int(y)) for x in range(6)]
    enough = 1.8 if colours is ThemeChoice.LIGHT else 2.5
    assert max(contrast(pixel, around) for pixel in row) > enough
    assert picture.pixelColor(2, 2) == around, "the page itself keeps its colour"


def strongest(picture: QImage, around: QColor) -> float:
    """The contrast of what stands out most from its surroundings."""
    pixels = [
        picture.pixelColor(x, y) for y in range(picture.height()) for x in range(picture.width())
    ]
    return max(contrast(pixel, around) for pixel in pixels)


def test_a_menu_over_the_window_has_an_edge(qtbot: QtBot, colours: ThemeChoice) -> None:
    menu = QMenu()
    menu.addAction("Only")
    qtbot.addWidget(menu)
    menu.popup(QPoint(20, 20))
    qtbot.waitExposed(menu)
    picture: QImage = menu.grab().toImage()
    edge = picture.pixelColor(0, picture.height() // 2)
    for ground in (theme().colours.window, theme().colours.base):
        assert contrast(edge, QColor(ground)) > 1.3
    menu.close()


def test_knobs_of_sliders_and_buttons_of_docks_are_seen(qtbot: QtBot, colours: ThemeChoice) -> None:
    window = QMainWindow()
    page = QWidget()
    slider = QSlider(Qt.Orientation.Horizontal, page)
    slider.resize(120, 24)
    dock = _Dock(DockSpec("links", "Links", "tree-structure", "left", lambda: page), window)
    window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
    qtbot.addWidget(window)
    window.resize(400, 200)
    window.show()
    qtbot.waitExposed(window)
    around = QColor(theme().colours.window)
    # The left end is the knob's.
    assert strongest(slider.grab(QRect(0, 0, 12, 24)).toImage(), around) > 1.8
    buttons = [button for button in dock.findChildren(QAbstractButton) if button.isVisible()]
    assert len(buttons) == 2
    for button in buttons:
        assert strongest(button.grab().toImage(), around) > 3.0, button.objectName()


def test_results_of_fits_can_be_read_after_the_colours_changed(
    qtbot: QtBot, colours: ThemeChoice
) -> None:
    rows = LinkList()
    qtbot.addWidget(rows)
    rows.set_links(("arm", "hand"))
    # Of a list that was never shown, Qt keeps the colours until it is.
    rows.show()
    qtbot.waitExposed(rows)
    rows.show_weights({})
    rows.set_result("arm", "certified")
    rows.set_result("hand", "open", bad=True)
    theme().choose(ThemeChoice.DARK if colours is ThemeChoice.LIGHT else ThemeChoice.LIGHT)
    paper = QColor(theme().colours.base)
    for place in range(2):
        row = rows.topLevelItem(place)
        assert row is not None
        cells = {
            column: row.foreground(column).color()
            for column in range(rows.columnCount())
            if row.text(column)
        }
        assert len(cells) >= 3, "name, weight and result"
        for column, colour in cells.items():
            # A cell without a colour of its own has that of the window's text.
            has_own = row.data(column, Qt.ItemDataRole.ForegroundRole) is not None
            shown = colour if has_own else rows.palette().text().color()
            assert contrast(shown, paper) > 3.0, row.text(column)


@pytest.mark.parametrize("colours_of", [LIGHT, DARK], ids=["light", "dark"])
def test_words_can_be_read_on_what_they_stand_on(colours_of: Colours) -> None:
    """4.5 as WCAG asks of text (1.4.3); what cannot be used is free of it."""
    c = colours_of
    for name in ("text", "muted", "accent", "error", "warning", "info"):
        for ground in ("window", "base", "alternate"):
            assert contrast(QColor(getattr(c, name)), QColor(getattr(c, ground))) >= 4.5, (
                name,
                ground,
            )
    # In fields alone.
    assert contrast(QColor(c.hint), QColor(c.base)) >= 4.5


@pytest.mark.parametrize("origin", [NumberSource.DEFAULT, NumberSource.GUESSED, NumberSource.FILE])
def test_what_stands_in_an_empty_field_can_be_read(
    qtbot: QtBot, colours: ThemeChoice, origin: NumberSource
) -> None:
    """Its unit has the same colour. A style sheet would give half of the field's own."""
    field = NumberField(LENGTH, "World buffer")
    field.set_value(None, origin=origin, empty="as it is")
    qtbot.addWidget(field)
    field.show()
    qtbot.waitExposed(field)
    seen = field.palette().color(QPalette.ColorRole.PlaceholderText)
    assert seen.alpha() == 255
    assert contrast(seen, QColor(theme().colours.base)) >= 4.5


class StyleChanges(QObject):
    number = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.number += event.type() is QEvent.Type.StyleChange
        return False


def test_a_change_of_colours_gives_a_widget_its_style_a_few_times(
    qtbot: QtBot, qapp: QApplication
) -> None:
    """However deep it lies, and in a panel as anywhere: 3,000 widgets took the window two
    seconds."""
    theme().install(qapp)
    outermost = QWidget()
    parent: QWidget = Panel(Session(outermost))
    parent.setParent(outermost)
    for _ in range(12):
        parent = QWidget(parent)
    innermost = NumberField(LENGTH, "x", parent)
    qtbot.addWidget(outermost)
    outermost.show()
    qtbot.waitExposed(outermost)
    counter = StyleChanges()
    innermost.installEventFilter(counter)
    before = theme().choice
    theme().choose(ThemeChoice.LIGHT if theme().colours.is_dark else ThemeChoice.DARK)
    theme().choose(before)
    innermost.removeEventFilter(counter)
    assert 2 <= counter.number <= 4, "once without a sheet, and once with the new one"
