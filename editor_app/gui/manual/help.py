"""Help in the window: F1 opens the page of what has the focus, findings lead to their pages, a tour is offered once."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication, QDialog, QDockWidget, QWidget

from editor_app.gui.action_tables import MANUAL
from editor_app.gui.manual.content import FIRST, KEYS, Manual, page_of_dialog, page_of_finding, page_of_panel
from editor_app.gui.manual.tour import Tour
from editor_app.gui.manual.window import ManualWindow
from editor_app.gui.panels.findings.panel import FindingsPanel
from editor_app.gui.shortcuts.listing import keys_page
from editor_app.gui.workbench import Workbench


class Help(QObject):
    """Registers the actions of the Help menu; the manual's window is made when it is first asked for."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench.qt_window)
        self._workbench = workbench
        self._manual: ManualWindow | None = None
        self.tour = Tour(workbench, self)
        workbench.registry.add(MANUAL, self)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._follow_focus)

    def _follow_focus(self, _old: QWidget | None, now: QWidget | None) -> None:
        """A dialog blocks the window's keys: F1 is its own."""
        dialog = now.window() if now is not None else None
        owner = dialog
        while owner is not None and owner is not self._workbench.qt_window:
            owner = owner.parentWidget()
        if isinstance(dialog, QDialog) and owner is self._workbench.qt_window:
            action = self._workbench.registry["help.manual"]
            if action not in dialog.actions():
                dialog.addAction(action)

    @property
    def manual(self) -> ManualWindow:
        """The manual's window. Raises FileNotFoundError when the installation lacks the manual."""
        if self._manual is None:
            manual = Manual(generated={KEYS: self._keys_page})
            self._manual = ManualWindow(manual, self._workbench.settings.store, self._workbench.qt_window)
        return self._manual

    def open_here(self) -> None:
        """The page about the panel that has the focus."""
        self.open_page(self.page_in_focus())

    def open_page(self, target: str) -> None:
        """Shows a page of the manual, above the dialog that is open."""
        try:
            self._stand_on(QApplication.activeModalWidget())
            self.manual.open_page(target)
        except FileNotFoundError as error:
            self._workbench.session.refused.emit(f"The manual is not installed: {error}")

    def _stand_on(self, modal: QWidget | None) -> None:
        # A modal dialog blocks every window but those that belong to it.
        manual = self.manual
        if isinstance(modal, QDialog) and manual.parentWidget() is not modal:
            manual.setParent(modal, Qt.WindowType.Window)
            modal.finished.connect(self._take_back)

    def _take_back(self, *_: object) -> None:
        """The dialog goes; the manual stays."""
        manual = self.manual
        if manual.parentWidget() is not self._workbench.qt_window:
            shown = manual.isVisible()
            manual.setParent(self._workbench.qt_window, Qt.WindowType.Window)
            manual.setVisible(shown)

    def _keys_page(self) -> str:
        self._workbench.docks.panel("source")  # Made now, or its keys would not be there.
        return keys_page(self._workbench.registry, self._workbench.session.display.mouse)

    def show_finding(self, code: str) -> None:
        self.open_page(page_of_finding(code))

    def page_in_focus(self) -> str:
        """The page about the panel, finding or view that has the focus; without a robot, how to begin."""
        widget: QWidget | None = QApplication.focusWidget()
        while widget is not None:
            if isinstance(widget, QDialog):
                return page_of_dialog(widget.objectName())
            if isinstance(widget, FindingsPanel) and widget.current is not None:
                return page_of_finding(widget.current.code)
            if isinstance(widget, QDockWidget):
                return page_of_panel(widget.objectName().removeprefix("dock."))
            if widget is self._workbench.central.view:
                return page_of_panel("view")
            widget = widget.parentWidget()
        return FIRST if self._workbench.session.document is not None else "start.md"
