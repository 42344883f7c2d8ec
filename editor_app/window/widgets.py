"""Helpers for widgets: icons, labels, properties (`dress`), layouts (`fill_layout`), Tab stops
(`tab_through`).

Text from files is shown as plain text: labels and tooltips of Qt show a text that looks like HTML
as HTML, and a link named `<img src='/dev/zero'>` would make the window read that file. Every label
of the window is a PlainLabel, every tooltip with a text that is not fixed goes through
`plain_text`, every text of a menu or a button through `no_mnemonic`; a test walks all of them with
hostile names.

Icons are characters of one font, Phosphor 1.3 (`resources/icons/phosphor`), drawn in the palette's
colours so that they follow the theme.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import pairwise
from typing import Any, TypeVar

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, QTimer, SignalInstance
from PySide6.QtGui import (
    QAction,
    QColor,
    QFont,
    QFontDatabase,
    QIcon,
    QIconEngine,
    QPainter,
    QPaintEvent,
    QPalette,
    QPixmap,
)
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QBoxLayout,
    QFormLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QMenu,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QToolButton,
    QWidget,
)

from editor_app.core.model.findings import Severity
from editor_app.core.resources import icon_font
from editor_app.window.theme import colours

#: Most pixmaps that one icon keeps, for its sizes, states and themes.
_KEPT = 32


def icon(name: str, role: str = "text") -> QIcon:
    """The icon `ph.name` (Phosphor). Raises KeyError when there is no such icon.

    `role` is a colour of the theme: text, muted, accent, faint, error, warning or info.
    """
    return _icon(name.removeprefix("ph."), role)


#: Name and colour of the icon of a finding.
SEVERITY_ICONS = {
    Severity.ERROR: ("x-circle", "error"),
    Severity.WARNING: ("warning", "warning"),
    Severity.INFO: ("info", "muted"),
}


def severity_icon(severity: Severity, is_known: bool = True) -> QIcon:
    """The icon of a finding; without its colour where it is one of the robot before, and the
    present one is checked."""
    name, role = SEVERITY_ICONS[severity]
    return icon(name, role if is_known else "faint")


@lru_cache(maxsize=512)
def _icon(name: str, role: str) -> QIcon:
    return QIcon(_Glyph(_characters()[name], role))


@lru_cache(maxsize=1)
def _characters() -> dict[str, str]:
    text = (icon_font().parent / "characters.json").read_text(encoding="utf-8")
    return {name: chr(int(code, 16)) for name, code in json.loads(text).items()}


@lru_cache(maxsize=1)
def _family() -> str:
    return QFontDatabase.applicationFontFamilies(
        QFontDatabase.addApplicationFont(str(icon_font()))
    )[0]


class _Glyph(QIconEngine):
    """One character of the icon font."""

    def __init__(self, character: str, role: str) -> None:
        super().__init__()
        self._character = character
        self._role = role
        #: (width, height, colour) -> pixmap: the buttons over the view are drawn with each of its
        #: frames.
        self._drawn: dict[tuple[int, int, int], QPixmap] = {}

    def clone(self) -> QIconEngine:
        return _Glyph(self._character, self._role)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        font = QFont(_family())
        font.setPixelSize(max(1, round(rect.height() * 0.94)))
        font.setStyleStrategy(QFont.StyleStrategy.NoFontMerging)
        painter.save()
        painter.setFont(font)
        painter.setPen(self._colour(mode, state))
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, self._character)
        painter.restore()

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        if size.isEmpty():
            # A button without a size yet.
            return QPixmap()
        key = size.width(), size.height(), self._colour(mode, state).rgba()
        if key in self._drawn:
            return self._drawn[key]
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        painter.end()
        if len(self._drawn) < _KEPT:
            self._drawn[key] = pixmap
        return pixmap

    def _colour(self, mode: QIcon.Mode, state: QIcon.State) -> QColor:
        palette = QApplication.palette()
        if mode == QIcon.Mode.Disabled:
            return palette.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.ButtonText)
        if self._role != "text":
            return QColor(getattr(colours(), self._role))
        if state == QIcon.State.On:
            return QColor(colours().accent)
        return palette.color(QPalette.ColorRole.ButtonText)


_Box = TypeVar("_Box", bound=QBoxLayout)
_Button = TypeVar("_Button", bound=QAbstractButton)
_Widget = TypeVar("_Widget", bound=QWidget)
#: An item of `fill_layout` that takes the room that is left.
STRETCH = None


#: Between these and the next character of a long name, a label may break its line; a space of no
#: width says so.
_BREAKS, _HERE = re.compile(r"(?<=[_/])(?=[^\W_])"), "\u200b"


class PlainLabel(QLabel):
    """A label that shows its text as plain text. Its text format must not be changed.

    With line breaks, long names are broken at their underscores: they would push what is beside
    them out of sight.
    """

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # Before the text is set: Qt interprets it then.
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)

    def setText(self, text: str) -> None:
        # What is copied out of a label is what the file says.
        is_copied = bool(self.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse)
        super().setText(_BREAKS.sub(_HERE, text) if self.wordWrap() and not is_copied else text)

    def setWordWrap(self, on: bool) -> None:
        super().setWordWrap(on)
        self.setText(self.text())

    def text(self) -> str:
        """The text as it was set."""
        return super().text().replace(_HERE, "")


def plain_text(text: str) -> str:
    """`text` for a tooltip, or for another place where Qt guesses whether it is HTML: it is shown
    as plain text."""
    if not GuiQt.mightBeRichText(text):
        return text
    return "<qt>" + html.escape(text).replace("\n", "<br>") + "</qt>"


def set_tooltip(widget: QWidget, text: str) -> None:
    """Sets the tooltip of a widget, as plain text. Nothing is done if the widget has it already."""
    if plain_text(text) != widget.toolTip():
        widget.setToolTip(plain_text(text))


def no_mnemonic(text: str) -> str:
    """`text` for a menu, tab or button, with & doubled: a single & would underline the next
    character."""
    return text.replace("&", "&&")


class OverFrame(QFrame):
    """A frame over another widget. It takes its place again when a watched widget changes its
    size."""

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self.setProperty("over", True)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False

    def _place(self) -> None:
        raise NotImplementedError


def dress(
    widget: _Widget,
    *,
    id: str = "",  # noqa: A002
    name: str = "",
    tip: str = "",
    hint: str = "",
    icon: QIcon | None = None,
    look: str = "",
    font: QFont | None = None,
    align: Qt.AlignmentFlag | None = None,
    flat: bool = False,
    wrap: bool = False,
    run: Callable[..., object] | SignalInstance | None = None,
) -> _Widget:
    """Sets the named properties of a widget, and returns it. Raises AttributeError for one that it
    lacks.

    `id`: object name; `name`: what screen readers say; `tip`: tooltip, shown as it is; `hint`:
    placeholder of an empty field; `look`: property of the style sheet ("muted", "heading"); `flat`:
    raised only under the pointer; `wrap`: its text breaks into lines; `run`: what a click does.
    """
    dressed: Any = widget
    if id:
        widget.setObjectName(id)
    if name:
        widget.setAccessibleName(name)
    if tip:
        widget.setToolTip(plain_text(tip))
    if look:
        widget.setProperty(look, True)
    setters = {"setPlaceholderText": hint, "setAutoRaise": flat, "setWordWrap": wrap}
    for set_value, value in setters.items():
        if value:
            getattr(dressed, set_value)(value)
    if icon is not None:
        dressed.setIcon(icon)
    if font is not None:
        widget.setFont(font)
    if align is not None:
        dressed.setAlignment(align)
    if run is not None:
        dressed.clicked.connect(run)
    return widget


def checkable(button: _Button, is_on: bool) -> _Button:
    """Makes a button stay pressed, or says so of a box, and how it is at first."""
    button.setCheckable(True)
    button.setChecked(is_on)
    return button


def action_button(action: QAction, parent: QWidget, *, is_icon_alone: bool = False) -> QToolButton:
    """A flat button that shows and runs an action."""
    button = dress(QToolButton(parent), flat=True)
    button.setDefaultAction(action)
    styles = Qt.ToolButtonStyle
    button.setToolButtonStyle(
        styles.ToolButtonIconOnly if is_icon_alone else styles.ToolButtonTextBesideIcon
    )
    button.setIconSize(QSize(16, 16))
    return button


def popup(menu: QMenu, place: QPoint) -> None:
    """Shows a menu at a place of the screen; it goes when it is closed."""
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.popup(place)


def grid(parent: QWidget | None = None, across: int = 6, down: int = 4) -> QGridLayout:
    """A grid without margins, with so many pixels between its columns and its rows."""
    box = QGridLayout(parent)
    box.setContentsMargins(0, 0, 0, 0)
    box.setHorizontalSpacing(across)
    box.setVerticalSpacing(down)
    return box


class WhenSeen(QObject):
    """Refreshes a view after the signals `on`: at once while it is seen, else when it is seen or
    `run` is called.

    Behind another tab, a panel is visible to Qt, but nothing of it is painted.
    """

    def __init__(
        self, view: QWidget, refresh: Callable[[], object], on: Iterable[SignalInstance]
    ) -> None:
        super().__init__(view)
        self._view, self._refresh = view, refresh
        self.is_due = False
        # A view that lists and tables cover is not painted itself.
        for painted in (view, *view.findChildren(QWidget, "qt_scrollarea_viewport")):
            painted.installEventFilter(self)
        for signal in on:
            signal.connect(self._follow)

    def run(self) -> None:
        """Refreshes what is due."""
        if self.is_due:
            self.is_due = False
            self._refresh()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show:
            self.run()
        elif self.is_due and event.type() == QEvent.Type.Paint:
            # Nothing is laid out anew in the middle of a frame.
            QTimer.singleShot(0, self, self.run)
        return False

    @property
    def _is_seen(self) -> bool:
        # `visibleRegion` leaves out what children cover, which may be all of the view.
        place, seen = self._view, self._view.rect()
        while (parent := place.parentWidget()) is not None and not place.isWindow():
            place, seen = parent, seen.translated(place.pos()) & parent.rect()
        return self._view.isVisible() and not seen.isEmpty()

    def _follow(self, *_: object) -> None:
        self.is_due = True
        if self._is_seen:
            self.run()


def empty(box: QBoxLayout) -> None:
    """Removes the widgets of a layout."""
    while (item := box.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()


def fill_layout(
    box: _Box,
    *items: QWidget | QLayout | tuple[QWidget | QLayout | None, int] | None,
    margins: int | tuple[int, int, int, int] | None = None,
    spacing: int | None = None,
) -> _Box:
    """Adds items to a layout, in order. A number beside an item is its stretch.

    Margins and spacing in pixels; margins: one for all sides, or left, top, right and bottom.
    """
    if margins is not None:
        box.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    if spacing is not None:
        box.setSpacing(spacing)
    for entry in items:
        item, share = entry if isinstance(entry, tuple) else (entry, 0)
        if item is STRETCH:
            box.addStretch(1)
        elif isinstance(item, QLayout):
            box.addLayout(item, share)
        elif item is not None:
            box.addWidget(item, share)
    return box


def side_by_side(*parts: tuple[QWidget, int]) -> QSplitter:
    """Widgets with bars between them, which move; the number of each is its share of the room that
    is won."""
    splitter = QSplitter(Qt.Orientation.Horizontal)
    splitter.setChildrenCollapsible(False)
    for place, (part, share) in enumerate(parts):
        splitter.addWidget(part)
        splitter.setStretchFactor(place, share)
    return splitter


def form_of(*rows: tuple[str, QWidget | QLayout | tuple[Any, ...]]) -> QFormLayout:
    """Widgets behind their labels, in rows; the items of a tuple stand beside each other, as in
    `fill_layout`."""
    form = QFormLayout()
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    for label, row in rows:
        form.addRow(label, fill_layout(QHBoxLayout(), *row) if isinstance(row, tuple) else row)
    return form


def set_property(widget: QWidget, name: str, value: object) -> None:
    """Sets a property that the style sheet reads, and draws the widget anew."""
    if widget.property(name) == value:
        return
    widget.setProperty(name, value)
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def tab_through(panel: QWidget, *last: QWidget) -> None:
    """Orders the Tab stops of `panel`: first those outside `last`, then those in each of `last`, in
    order."""
    groups: list[list[QWidget]] = [[] for _ in range(len(last) + 1)]
    for widget in _stops(panel):
        place = next(
            (i for i, part in enumerate(last) if part is widget or part.isAncestorOf(widget)), -1
        )
        groups[place + 1].append(widget)
    # The order is a ring. In a panel alone the first stop follows the last already, and Qt would
    # not move it.
    end = QWidget(panel)
    end.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    for first, second in pairwise([widget for group in groups for widget in group]):
        QWidget.setTabOrder(first, second)
    end.setParent(None)


def _stops(panel: QWidget) -> list[QWidget]:
    """The Tab stops of the panel, in the order in which they were made, each part as a whole.

    The chain itself is not walked: what `nextInFocusChain` gives, PySide takes for a child of the
    widget asked, and believes it gone when that one goes.
    """
    window = panel.window()
    # The line of a box that can be typed into goes with its box; the list that drops from it is a
    # window of its own.
    return [
        widget
        for widget in panel.findChildren(QWidget)
        if widget.window() is window
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.focusProxy() is None
    ]


class Counter(QToolButton):
    """A count with a sign. Hidden until it is shown."""

    def __init__(self, tip: str, show: Callable[[], object]) -> None:
        super().__init__()
        self.setAutoRaise(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(16, 16))
        self.setToolTip(plain_text(tip))
        self.clicked.connect(lambda: show())
        self.hide()

    def tell(self, text: str, sign: str, *, is_bad: bool) -> None:
        """Sets the text, with the red sign `sign`, or with the sign for "no problem"."""
        if text != self.text():
            self.setText(text)
            self.setAccessibleName(text)
            self.setIcon(icon(sign if is_bad else "check-circle", "error" if is_bad else "muted"))


class Scrolled(QScrollArea):
    """Frameless, and no stop of Tab; as wide as the lines need, beside the bar that may stand
    there."""

    def __init__(self, lines: QWidget) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._lines = lines
        self.setWidget(lines)

    def minimumSizeHint(self) -> QSize:
        lines = self._lines.minimumSizeHint()
        return QSize(
            lines.width() + self.verticalScrollBar().sizeHint().width(), min(lines.height(), 40)
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._lines and event.type() is QEvent.Type.LayoutRequest:
            # Qt counts the scroll bars only.
            self.updateGeometry()
        return super().eventFilter(watched, event)


class ThinBar(QWidget):
    """A progress bar: a share between 0 and 1, or, where it is not known how far the work is, a
    band that stands still.

    It paints when the window paints. QProgressBar repaints at once with every pixel that it gains;
    in a window with OpenGL each of these is a whole frame.
    """

    def __init__(self, name: str, height: int = 6, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFixedHeight(height)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.share: float | None = 0.0

    def set_share(self, share: float | None) -> None:
        """Values outside of 0 to 1 are moved to the ends; None: not known."""
        self.share = None if share is None else min(1.0, max(0.0, share))
        self.setAccessibleDescription(
            "running" if self.share is None else f"{round(100 * self.share)} %"
        )
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(80, self.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        now = colours()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        whole = QRectF(self.rect())
        radius = whole.height() / 2
        painter.setBrush(QColor(now.border))
        painter.drawRoundedRect(whole, radius, radius)
        start, length = (0.3, 0.4) if self.share is None else (0.0, self.share)
        if length > 0:
            left = whole.left() + start * whole.width()
            filled = QRectF(
                left, whole.top(), max(whole.height(), whole.width() * length), whole.height()
            )
            painter.setBrush(QColor(now.accent))
            painter.drawRoundedRect(filled, radius, radius)
        painter.end()
