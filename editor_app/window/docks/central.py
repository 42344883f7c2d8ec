"""The middle of the window: start page, waiting page, or the 3D view, with notices above it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QIcon
from PySide6.QtOpenGLWidgets import QOpenGLWidget
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QCommandLinkButton,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QTextEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from editor_app.core.resources import bundled
from editor_app.window.files.document_files import DocumentFiles
from editor_app.window.settings import Settings
from editor_app.window.timers import after
from editor_app.window.widgets import (
    STRETCH,
    OverFrame,
    PlainLabel,
    ThinBar,
    dress,
    empty,
    fill_layout,
    icon,
    no_mnemonic,
    plain_text,
)

_SHOWN = 6


class WelcomePage(QScrollArea):
    """Open, sample, recent files, and the hint that files can be dropped.

    It scrolls: the panels below it have the height that they are opened with, however many files
    are recent.
    """

    def __init__(
        self, settings: Settings, files: DocumentFiles, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._settings, self._files = settings, files
        self.setAccessibleName("Start page")
        title = PlainLabel("Open a robot", self)
        font = title.font()
        font.setPointSizeF(font.pointSizeF() * 1.7)
        title.setFont(font)
        what_it_is = (
            "An XRDF adds to a URDF: controlled joints, collision spheres, pairs of links to "
            "ignore."
        )
        how = "Drop a URDF here, together with its XRDF if that is in another folder. Or choose:"
        hints = [
            dress(PlainLabel(text, self), look="muted", wrap=True) for text in (what_it_is, how)
        ]
        what_opens = "Opens a URDF with the XRDF next to it, or drafts an XRDF"
        self.open_button = _link("Open…", what_opens, "folder-open", files.open_dialog)
        what_for = "A six-axis arm with a gripper to experiment with"
        self.sample_button = _link("Open the sample robot", what_for, "robot", files.open_sample)
        self.sample_button.setVisible(bundled() is not None)
        what_begins = "Starts with a single link"
        self.new_button = _link("New robot…", what_begins, "file-plus", files.new_robot)
        self._recent_title = dress(PlainLabel("Recent", self), look="heading")
        self._recent = fill_layout(QVBoxLayout(), spacing=0)

        column = QFrame(self)
        column.setMaximumWidth(640)
        column.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        inner = fill_layout(QVBoxLayout(column), title, *hints, spacing=6)
        inner.addSpacing(10)
        inner.addWidget(self.open_button)
        inner.addWidget(self.sample_button)
        inner.addWidget(self.new_button)
        inner.addSpacing(10)
        inner.addWidget(self._recent_title)
        inner.addLayout(self._recent)
        row = fill_layout(QHBoxLayout(), STRETCH, (column, 6), STRETCH)
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.addStretch(2)
        layout.addLayout(row)
        layout.addStretch(3)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(page)
        settings.recent_changed.connect(self.fill_recent)
        self.fill_recent()

    def fill_recent(self) -> None:
        empty(self._recent)
        entries = self._settings.recent[:_SHOWN]
        self._recent_title.setVisible(bool(entries))
        for urdf, xrdf in entries:
            button = dress(
                QToolButton(self), icon=icon("clock-counter-clockwise", "muted"), flat=True
            )
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            name, places = recent_words(urdf, xrdf)
            button.setText(no_mnemonic(f"{name}   in {_short(Path(urdf).parent)}"))
            button.setToolTip(plain_text(places))
            button.clicked.connect(partial(self._files.open_recent, urdf, xrdf))
            self._recent.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)


def recent_words(urdf: str, xrdf: str | None) -> tuple[str, str]:
    """Names and places of files that were opened together."""
    files = [urdf] if xrdf is None else [urdf, xrdf]
    return "  +  ".join(Path(file).name for file in files), "\n".join(files)


def _link(text: str, description: str, name: str, run: Callable[[], object]) -> QCommandLinkButton:
    button = dress(
        QCommandLinkButton(text, description), icon=icon(name, "accent"), run=lambda: run()
    )
    button.setIconSize(QSize(24, 24))
    button.setAccessibleDescription(description)
    return button


def _short(folder: Path, limit: int = 60) -> str:
    text = str(folder)
    home = str(Path.home())
    if text.startswith(home):
        text = "~" + text[len(home) :]
    return text if len(text) <= limit else "…" + text[-limit + 1 :]


_HIDE = "Hide this notice"
#: Pixels that a toast is wide at most, the usual first.
_WIDTHS = (620, 380, 260, 200)


class CentralArea(QWidget):
    """Shows one page at a time."""

    def __init__(self, welcome: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.notice = NoticeBar(self)
        self.waiting = WaitingPage(self)
        self._welcome = welcome
        self.view: QWidget | None = None
        self._pages = QStackedWidget(self)
        self._pages.addWidget(welcome)
        self._pages.addWidget(self.waiting)
        fill_layout(QVBoxLayout(self), self.notice, (self._pages, 1), margins=0, spacing=0)
        self.toast = Toast(self._pages)
        # Makes the window one for OpenGL from its first showing. Qt would take it off the screen
        # and make it anew when the view, its first widget with OpenGL, joins it: a black flash.
        QOpenGLWidget(self._pages).hide()

    def set_view(self, view: QWidget) -> None:
        self.view = view
        self._pages.addWidget(view)

    def show_welcome(self) -> None:
        self._pages.setCurrentWidget(self._welcome)

    def show_waiting(self, text: str) -> None:
        self.waiting.text.setText(text)
        self._pages.setCurrentWidget(self.waiting)

    def show_view(self) -> None:
        if self.view is None:
            return
        appears = self._pages.currentWidget() is not self.view
        self._pages.setCurrentWidget(self.view)
        self.toast.raise_()
        if appears and not _is_typing(self.window().focusWidget()):
            # Its keys work at once: a click on the place where it was going to be has been a click
            # into it.
            self.view.setFocus()


def _is_typing(focus: QWidget | None) -> bool:
    """Whether somebody is in the middle of a text, or in another window."""
    if QApplication.activeModalWidget() is not None or QApplication.activePopupWidget() is not None:
        return True
    if isinstance(focus, QLineEdit):
        return bool(focus.text())
    return isinstance(focus, (QPlainTextEdit, QTextEdit, QAbstractSpinBox))


class WaitingPage(QWidget):
    """Says what is being read, while there is nothing to look at yet."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = dress(PlainLabel(parent=self), align=Qt.AlignmentFlag.AlignCenter)
        self.bar = ThinBar("Progress", parent=self)
        self.bar.setFixedWidth(260)
        layout = fill_layout(QVBoxLayout(self), STRETCH)
        for widget in (self.text, self.bar):
            layout.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(1)
        layout.setSpacing(10)


class NoticeBar(QFrame):
    """One line beside the view that stays until it is answered: a file changed on disk, meshes are
    missing."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("notice")
        self._icon = PlainLabel(parent=self)
        self._text = dress(PlainLabel(parent=self), wrap=True)
        self._buttons = QHBoxLayout()
        self._last: QPushButton | None = None
        close = dress(
            QToolButton(self),
            name=_HIDE,
            tip=_HIDE,
            icon=icon("x", "muted"),
            flat=True,
            run=self.hide,
        )
        self._key = ""
        fill_layout(
            QHBoxLayout(self),
            self._icon,
            (self._text, 1),
            self._buttons,
            close,
            margins=(8, 3, 4, 3),
        )
        self.hide()

    @property
    def text(self) -> str:
        return self._text.text()

    def ask(
        self,
        key: str,
        text: str,
        choices: Sequence[tuple[str, Callable[[], object]]],
        sign: QIcon | None = None,
    ) -> None:
        """Shows `text` with a button for each choice; replaces what was there. `sign`: its icon
        (default: a warning).

        A choice hides the bar; one whose label ends in "…" only shows more, and the question stays.
        """
        self._key = key
        self._text.setText(text)
        self._icon.setPixmap((sign or icon("warning", "warning")).pixmap(16, 16))
        empty(self._buttons)
        self._last = None
        for label, run in choices:
            button = QPushButton(label, self)
            button.clicked.connect(partial(self._choose, run, not label.endswith("…")))
            self._buttons.addWidget(button)
            self._last = button
            # Qt would show it with the next events.
            button.show()
        self.show()

    def _choose(self, run: Callable[[], object], hides: bool, *_: object) -> None:
        focus = QApplication.focusWidget()
        had_focus = focus is not None and self.isAncestorOf(focus)
        if hides:
            self.hide()
        run()
        if hides and had_focus and self.isVisible() and self._last is not None:
            # It asks the next question: the keyboard goes on with it.
            self._last.setFocus()

    def dismiss(self, key: str) -> bool:
        """Hides the notice `key` if it is the one that is shown, and tells whether it was."""
        shown = self._key == key and not self.isHidden()
        if shown:
            self.hide()
        return shown


class Toast(OverFrame):
    """A sentence over the lower edge of the view for a few seconds: why something was refused, or
    what is notable."""

    SECONDS = 6

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self.setObjectName("toast")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._icon = PlainLabel(parent=self)
        self._text = dress(PlainLabel(parent=self), wrap=True)
        layout = fill_layout(QHBoxLayout(self), margins=(10, 6, 12, 6))
        layout.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self._text, 1)
        self._timer = after(self, self.dismiss, self.SECONDS * 1000)
        #: Where one of that size hides nothing; None: nowhere, or nothing can be hidden.
        self.find_place: Callable[[QSize], QPoint | None] = lambda _: None
        over.installEventFilter(self)
        self.hide()

    @property
    def text(self) -> str:
        return self._text.text()

    def tell(self, text: str, name: str = "warning-circle", role: str = "warning") -> None:
        self._text.setText(text)
        self._icon.setPixmap(icon(name, role).pixmap(18, 18))
        self._place()
        self.show()
        self.raise_()
        self._timer.start()

    def dismiss(self) -> None:
        self._timer.stop()
        self.hide()

    def withdraw(self, text: str) -> None:
        """Hides a sentence that has `text` in it: it does not hold any more."""
        if text in self._text.text():
            self.dismiss()

    def _place(self) -> None:
        over = self.parentWidget()
        if over is None:
            return
        words = self._text.fontMetrics().horizontalAdvance(self._text.text()) + 70
        # In a line where that hides nothing, else higher and narrower, beside what stands there.
        for width in (*_WIDTHS, _WIDTHS[0]):
            self.setFixedWidth(max(160, min(over.width() - 40, words, width)))
            self.adjustSize()
            place = self.find_place(self.size())
            if place is not None:
                break
        self.move(
            place or QPoint((over.width() - self.width()) // 2, over.height() - self.height() - 28)
        )
