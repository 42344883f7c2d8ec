"""Icons of one family, Phosphor as QtAwesome ships it, drawn in the palette's colours so that they follow the theme.

QtAwesome loads all its fonts (0.15 s of the start). Only one is needed, so its file is read here.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QIconEngine, QPainter, QPalette, QPixmap
from PySide6.QtWidgets import QApplication

from editor_app.gui.theme import colours
from editor_app.model.findings import Severity

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
    """The icon of a finding; without its colour where it is one of the robot before, and the present one is checked."""
    name, role = SEVERITY_ICONS[severity]
    return icon(name, role if is_known else "faint")


@lru_cache(maxsize=512)
def _icon(name: str, role: str) -> QIcon:
    return QIcon(_Glyph(_characters()[name], role))


@lru_cache(maxsize=1)
def _folder() -> Path:
    spec = find_spec("qtawesome")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("qtawesome, which brings the icons, is not installed")
    return Path(next(iter(spec.submodule_search_locations))) / "fonts"


@lru_cache(maxsize=1)
def _characters() -> dict[str, str]:
    file = next(_folder().glob("phosphor-charmap-*.json"))
    return {name: chr(int(code, 16)) for name, code in json.loads(file.read_text(encoding="utf-8")).items()}


@lru_cache(maxsize=1)
def _family() -> str:
    file = next(_folder().glob("phosphor-*.ttf"))
    return QFontDatabase.applicationFontFamilies(QFontDatabase.addApplicationFont(str(file)))[0]


class _Glyph(QIconEngine):
    """One character of the icon font."""

    def __init__(self, character: str, role: str) -> None:
        super().__init__()
        self._character = character
        self._role = role
        #: (width, height, colour) -> pixmap: the buttons over the view are drawn with each of its frames.
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
