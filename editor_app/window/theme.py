"""Light and dark: the palette, the one accent colour, and the few lines of style sheet that Fusion
needs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory, QWidget


class ThemeChoice(StrEnum):
    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class Colours:
    """Colours as #rrggbb. `error` is for errors and overlaps only; accent and shades tell every
    other meaning."""

    is_dark: bool
    window: str
    base: str
    alternate: str
    button: str
    border: str
    #: Frames of fields and check boxes.
    frame: str
    text: str
    muted: str
    #: Units, and the placeholder of an empty field.
    hint: str
    #: Disabled widgets.
    faint: str
    accent: str
    accent_text: str
    #: Background of selected rows: the accent, toned down so that icons and numbers stay readable
    #: on it.
    selection: str
    hover: str
    error: str
    warning: str
    info: str
    tooltip: str


#: Light and dark.
_TONES = {
    "window": ("#f3f4f6", "#25282d"),
    "base": ("#ffffff", "#1c1f23"),
    "alternate": ("#f7f8fa", "#20242a"),
    "button": ("#fbfbfc", "#2f3339"),
    "border": ("#d0d4da", "#3d434b"),
    "frame": ("#9ea4ab", "#737c88"),
    "text": ("#1d2127", "#e4e7eb"),
    "muted": ("#5b6470", "#a3abb6"),
    "hint": ("#6b737e", "#878f9b"),
    "faint": ("#9aa2ad", "#6d7682"),
    "accent": ("#1769d2", "#4a9bff"),
    "accent_text": ("#ffffff", "#0c1218"),
    "selection": ("#cfe2fb", "#24476f"),
    "hover": ("#e8eef6", "#2e3640"),
    "error": ("#c62828", "#ff6b66"),
    "warning": ("#9a6200", "#e3ab47"),
    "info": ("#5b6470", "#a3abb6"),
    "tooltip": ("#ffffff", "#2f3339"),
}
LIGHT, DARK = (
    Colours(is_dark=bool(side), **{name: pair[side] for name, pair in _TONES.items()})
    for side in (0, 1)
)

#: How much darker than the window (percent) Fusion draws the frames of these.
_DARKER = 140
_FRAMED = (
    "QCheckBox",
    "QRadioButton",
    "QLineEdit",
    "QComboBox",
    "QAbstractSpinBox",
    "QTreeWidget",
    "QListWidget",
)


class Theme(QObject):
    """One per application; `changed` tells views that draw colours of their own to draw again."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.choice = ThemeChoice.SYSTEM
        self.colours = LIGHT
        self._app: QApplication | None = None

    def install(self, app: QApplication) -> None:
        """Sets the style Fusion and the palette, and follows the system from now on. To be called
        once."""
        if self._app is app:
            return
        self._app = app
        style = QStyleFactory.create("Fusion")
        if style is not None:
            app.setStyle(style)
        app.styleHints().colorSchemeChanged.connect(self._apply)
        app.focusChanged.connect(_show_focus)
        self._apply(force=True)

    def choose(self, choice: ThemeChoice) -> None:
        self.choice = choice
        self._apply()

    def _apply(self, *_: object, force: bool = False) -> None:
        app = QApplication.instance()
        if not isinstance(app, QApplication):
            return
        system_is_dark = app.styleHints().colorScheme() == Qt.ColorScheme.Dark
        dark = self.choice is ThemeChoice.DARK or (
            self.choice is ThemeChoice.SYSTEM and system_is_dark
        )
        colours = DARK if dark else LIGHT
        if colours is self.colours and not force:
            return
        self.colours = colours
        palette = _palette(colours)
        # Qt applies a new sheet to each widget once for every widget around it.
        app.setStyleSheet("")
        app.setPalette(palette)
        # Fusion frames these in a darker shade of the window, which is invisible on a dark window.
        framed = QPalette(palette)
        framed.setColor(QPalette.ColorRole.Window, QColor(colours.frame).lighter(_DARKER))
        for kind in _FRAMED:
            # The stub asks for bytes, which the binding refuses.
            app.setPalette(framed, kind)  # type: ignore[arg-type]
        app.setStyleSheet(_style_sheet(colours))
        self.changed.emit()


@cache
def theme() -> Theme:
    """The application's theme; made on first use."""
    return Theme()


def colours() -> Colours:
    """The present colours; ask again after `theme().changed`."""
    return theme().colours


def tabular_font(base: QFont | None = None) -> QFont:
    """The interface's font with figures of equal width, so that columns of numbers line up."""
    font = QFont(base) if base is not None else QFont(QApplication.font())
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def fixed_font() -> QFont:
    """For source text and reports."""
    return QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)


def _show_focus(_: QWidget | None, now: QWidget | None) -> None:
    """Qt draws the focus of buttons after Tab alone, not when F6, a search or a click gave it to
    them."""
    if now is not None:
        now.window().setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)


def _palette(c: Colours) -> QPalette:
    palette = QPalette()
    role = QPalette.ColorRole
    values = {
        role.Window: c.window,
        role.WindowText: c.text,
        role.Base: c.base,
        role.AlternateBase: c.alternate,
        role.Text: c.text,
        role.Button: c.button,
        role.ButtonText: c.text,
        role.BrightText: c.error,
        role.ToolTipBase: c.tooltip,
        role.ToolTipText: c.text,
        role.PlaceholderText: c.hint,
        role.Highlight: c.accent,
        role.HighlightedText: c.accent_text,
        role.Link: c.accent,
        role.LinkVisited: c.accent,
        role.Accent: c.accent,
        role.Mid: c.border,
        role.Midlight: c.hover,
        role.Light: c.button,
        role.Dark: c.border,
        role.Shadow: c.border,
    }
    for key, value in values.items():
        palette.setColor(key, QColor(value))
    for key in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, key, QColor(c.faint))
    palette.setColor(QPalette.ColorGroup.Disabled, role.Highlight, QColor(c.border))
    palette.setColor(QPalette.ColorGroup.Disabled, role.HighlightedText, QColor(c.muted))
    return palette


def _style_sheet(c: Colours) -> str:
    return f"""
QToolTip {{ color: {c.text}; background: {c.tooltip}; border: 1px solid {c.border}; padding: 3px; }}
QMainWindow::separator {{ background: {c.window}; width: 4px; height: 4px; }}
QMainWindow::separator:hover {{ background: {c.accent}; }}
QToolBar {{ border: none; border-bottom: 1px solid {c.border}; spacing: 2px; padding: 2px 4px; }}
QToolBar::separator {{ background: {c.border}; width: 1px; margin: 4px 5px; }}
QStatusBar {{ border-top: 1px solid {c.border}; }}
QStatusBar::item {{ border: none; }}
QAbstractItemView {{ selection-background-color: {c.selection}; selection-color: {c.text}; }}
QAbstractItemView::item:hover:!selected {{ background: {c.hover}; }}
QTreeWidget::item {{ padding: 2px 0px; }}
QSpinBox, QDoubleSpinBox {{ min-height: 1.4em; }}
QHeaderView::section {{ background: {c.window}; color: {c.muted}; border: none;
    border-bottom: 1px solid {c.border}; padding: 3px 6px; }}
QMenu {{ border: 1px solid {c.border}; }}
QMenu::item:selected {{ background: {c.selection}; color: {c.text}; }}
QMenuBar::item:selected {{ background: {c.selection}; color: {c.text}; }}
QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
QLabel[muted="true"] {{ color: {c.muted}; }}
QLabel[heading="true"] {{ font-weight: 600; }}
QLabel[error="true"] {{ color: {c.error}; }}
QLineEdit[figure="true"] {{ background: {c.base}; border: 1px solid {c.border}; border-radius: 3px; padding: 2px 4px;
    placeholder-text-color: {c.hint}; }}
QLineEdit[figure="true"]:focus {{ border: 1px solid {c.accent}; }}
QLineEdit[figure="true"][origin="default"] {{ color: {c.muted}; font-style: italic; }}
QLineEdit[figure="true"][origin="guessed"] {{ color: {c.warning}; font-style: italic; }}
QLineEdit[figure="true"][invalid="true"] {{ border: 1px solid {c.error}; }}
QLineEdit[figure="true"]:read-only {{ color: {c.muted}; background: {c.window}; }}
QLineEdit[figure="true"]:disabled {{ color: {c.faint}; background: {c.window}; placeholder-text-color: {c.faint}; }}
QComboBox[invalid="true"] {{ color: {c.error}; }}
QLabel[scrub="true"] {{ color: {c.muted}; }}
QLabel[scrub="true"]:hover {{ color: {c.accent}; }}
QLabel[unit="true"] {{ color: {c.hint}; }}
QLabel[chip="true"] {{ color: {c.accent}; font-weight: 600; }}
QTableView[rows="true"] {{ background: {c.base}; border: 1px solid {c.border}; border-radius: 3px;
    gridline-color: {c.border}; }}
QTableView[rows="true"]:focus {{ border: 1px solid {c.accent}; }}
QTableView[rows="true"]::item {{ padding: 0px 4px; }}
QTableView[rows="true"] QLineEdit {{ border-radius: 0px; padding: 0px 3px; }}
QFrame[messageBar="true"] {{ background: {c.base}; border: 1px solid {c.warning}; border-radius: 3px; }}
QFrame[sectionHeader="true"] {{ background: {c.window}; border: none; border-top: 1px solid {c.border}; }}
QFrame[sectionHeader="true"]:hover {{ background: {c.hover}; }}
QFrame[sectionHeader="true"]:focus {{ border: 1px solid {c.accent}; }}
#notice {{ background: {c.alternate}; border-bottom: 1px solid {c.border}; }}
#tour {{ background: {c.tooltip}; border-top: 1px solid {c.border}; }}
#palette, #palette QListView {{ background: {c.base}; }}
#palette {{ border: 1px solid {c.border}; border-radius: 8px; }}
QFrame[over="true"] {{ background: {c.tooltip}; border: 1px solid {c.border}; border-radius: 6px; }}
QToolButton[flat="true"] {{ border: none; border-radius: 3px; padding: 2px; }}
QToolButton[flat="true"]:hover {{ background: {c.hover}; }}
QToolButton[flat="true"]:focus {{ border: 1px solid {c.accent}; }}
"""
