"""What the window shows without a robot: the ways to get one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QCommandLinkButton, QFrame, QHBoxLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from editor_app.gui.files.document_files import DocumentFiles
from editor_app.gui.icons import icon
from editor_app.gui.settings import Settings
from editor_app.gui.widgets import STRETCH, PlainLabel, dress, empty, fill, no_mnemonic, plain
from editor_app.resources import bundled

_SHOWN = 6


class WelcomePage(QWidget):
    """Open, sample, recent files, and the hint that files can be dropped."""

    def __init__(self, settings: Settings, files: DocumentFiles, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings, self._files = settings, files
        self.setAccessibleName("Start page")
        title = PlainLabel("Open a robot", self)
        font = title.font()
        font.setPointSizeF(font.pointSizeF() * 1.7)
        title.setFont(font)
        hint = PlainLabel("Drop a URDF here, with its XRDF if it stands elsewhere, or choose one below.", self)
        dress(hint, look="muted", wrap=True)
        what_opens = "A URDF; the XRDF beside it opens along, or a new one is drafted"
        self.open_button = _link("Open…", what_opens, "folder-open", files.open_dialog)
        what_for = "A six-axis arm with a gripper, to try things on"
        self.sample_button = _link("Open the sample robot", what_for, "robot", files.open_sample)
        self.sample_button.setVisible(bundled() is not None)
        what_begins = "A URDF with one link, to build a robot on"
        self.new_button = _link("New robot…", what_begins, "file-plus", files.new_robot)
        self._recent_title = dress(PlainLabel("Recent", self), look="heading")
        self._recent = fill(QVBoxLayout(), spacing=0)

        column = QFrame(self)
        column.setMaximumWidth(460)
        column.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        inner = fill(QVBoxLayout(column), title, hint, spacing=6)
        inner.addSpacing(10)
        inner.addWidget(self.open_button)
        inner.addWidget(self.sample_button)
        inner.addWidget(self.new_button)
        inner.addSpacing(10)
        inner.addWidget(self._recent_title)
        inner.addLayout(self._recent)
        row = fill(QHBoxLayout(), STRETCH, (column, 6), STRETCH)
        layout = QVBoxLayout(self)
        layout.addStretch(2)
        layout.addLayout(row)
        layout.addStretch(3)
        settings.recent_changed.connect(self.fill_recent)
        self.fill_recent()

    def fill_recent(self) -> None:
        empty(self._recent)
        entries = self._settings.recent[:_SHOWN]
        self._recent_title.setVisible(bool(entries))
        for urdf, xrdf in entries:
            button = dress(QToolButton(self), icon=icon("clock-counter-clockwise", "muted"), flat=True)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            name, places = recent_words(urdf, xrdf)
            button.setText(no_mnemonic(f"{name}   in {_short(Path(urdf).parent)}"))
            button.setToolTip(plain(places))
            button.clicked.connect(partial(self._files.open_recent, urdf, xrdf))
            self._recent.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)


def recent_words(urdf: str, xrdf: str | None) -> tuple[str, str]:
    """Names and places of files that were opened together."""
    files = [urdf] if xrdf is None else [urdf, xrdf]
    return "  +  ".join(Path(file).name for file in files), "\n".join(files)


def _link(text: str, description: str, name: str, run: Callable[[], object]) -> QCommandLinkButton:
    button = dress(QCommandLinkButton(text, description), icon=icon(name, "accent"), run=lambda: run())
    button.setIconSize(QSize(24, 24))
    button.setAccessibleDescription(description)
    return button


def _short(folder: Path, limit: int = 34) -> str:
    text = str(folder)
    home = str(Path.home())
    if text.startswith(home):
        text = "~" + text[len(home) :]
    return text if len(text) <= limit else "…" + text[-limit + 1 :]
