"""Exceptions that nobody expected: a report to copy, the window stays alive, and a copy of the work can be saved."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import ClassVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from editor_app.gui.dialogs import Dialog, Role, source_lines
from editor_app.gui.widgets import PlainLabel, dress
from editor_app.model.printable import printable_lines
from editor_app.operations.fault_report import fault_report


class CrashDialog(Dialog):
    """Shows one report; more exceptions while it is open are appended."""

    def __init__(self, parent: QWidget | None, report: str, save_copy: Callable[[], object] | None) -> None:
        super().__init__(parent, "crash", "Something went wrong", (720, 420))
        heading = dress(PlainLabel("Something went wrong in the editor.", self), look="heading")
        message = PlainLabel(
            "Your document is still open and you can go on, but the last action may be incomplete: "
            "undo it, or save a copy of your work first. The report below helps to mend the defect.",
            self,
        )
        message.setWordWrap(True)
        self.text = source_lines(self, "Report", report)
        clipboard = QGuiApplication.clipboard()
        self.button("&Copy report", "copy", Role.ActionRole, lambda: clipboard.setText(self.text.toPlainText()))
        if save_copy is not None:
            self.button("&Save a copy…", "save_copy", Role.ActionRole, save_copy)
        self.button("&Go on", "go_on")
        self.lay_out(heading, message, (self.text, 1))

    def append(self, report: str) -> None:
        self.text.appendPlainText("\n" + report)


class CrashHandler(QObject):
    """Takes `sys.excepthook` while it is installed. Exceptions of other threads arrive by the signal."""

    caught = Signal(str)

    def __init__(
        self,
        parent: QWidget,
        *,
        context: Callable[[], str] = lambda: "",
        save_copy: Callable[[], Callable[[], object] | None] = lambda: None,
    ) -> None:
        super().__init__(parent)
        self._parent = parent
        self._context = context
        self._save_copy = save_copy
        self.dialog: CrashDialog | None = None
        self.caught.connect(self._show)

    #: Those that are installed: there is one hook for all windows.
    _installed: ClassVar[list[CrashHandler]] = []
    _before: ClassVar[Callable[..., object]] = sys.excepthook

    def install(self) -> None:
        """From now on exceptions come here while the window is the active one, or the last that was installed.

        Once is enough: the next times change nothing.
        """
        if not self._installed:
            CrashHandler._before, sys.excepthook = sys.excepthook, _dispatch
        if self not in self._installed:
            self._installed.append(self)

    def uninstall(self) -> None:
        """Exceptions go to the other windows, or where they went before."""
        if self in self._installed:
            self._installed.remove(self)
            if not self._installed:
                sys.excepthook = CrashHandler._before

    def show_trace(self, trace: str) -> None:
        """Shows a traceback that was caught elsewhere, as in a worker."""
        self.caught.emit(trace)

    def take(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """What `sys.excepthook` does."""
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        text = "".join(traceback.format_exception(kind, error, trace))
        sys.stderr.write(printable_lines(text))
        try:
            self.caught.emit(text)
        except RuntimeError:
            # The window is gone already; the terminal has the traceback.
            pass

    def _show(self, trace: str) -> None:
        try:
            context = self._context()
        except Exception:
            context = ""
        report = fault_report(trace, context)
        if self.dialog is not None:
            self.dialog.append(report)
            return
        self.dialog = CrashDialog(self._parent, report, self._save_copy())
        self.dialog.finished.connect(self._forget)
        self.dialog.open()

    def _forget(self, *_: object) -> None:
        self.dialog = None


def _dispatch(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    installed = CrashHandler._installed
    next((each for each in installed if each._parent.isActiveWindow()), installed[-1]).take(kind, error, trace)
