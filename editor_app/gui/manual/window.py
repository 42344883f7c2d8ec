"""The manual's window: contents or what was searched for on the left, the page on the right."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSettings, Qt, QUrl
from PySide6.QtGui import QCloseEvent, QDesktopServices, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QToolButton, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from editor_app.gui.bindings.lists import add_row, lead_down, search_line
from editor_app.gui.icons import icon
from editor_app.gui.manual.browser import ManualBrowser
from editor_app.gui.manual.content import FIRST, Manual
from editor_app.gui.widgets import dress, fill
from editor_app.gui.window.on_screen import WholeOnScreen

_TARGET = Qt.ItemDataRole.UserRole
_GEOMETRY = "manual/geometry"


class ManualWindow(QWidget):
    """A window of its own beside the main one, which goes with it; Esc closes it."""

    def __init__(self, manual: Manual, store: QSettings, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self._manual = manual
        self._store = store
        self.setObjectName("manual")
        self.setWindowTitle("Manual")
        self.resize(1080, 720)
        self.browser = ManualBrowser(manual, self)
        self.browser.left.connect(self._open_outside)
        self.contents = dress(QTreeWidget(self), name="Contents of the manual")
        self.contents.setHeaderHidden(True)
        self.contents.setRootIsDecorated(False)
        self.contents.itemClicked.connect(self._go)
        self.contents.itemActivated.connect(self._go)
        self.search = search_line("Search the manual", "Search the manual", self)
        self.search.textChanged.connect(self._fill)
        self.search.returnPressed.connect(self._go_first)
        lead_down(self.search, self.contents)
        self.back = self._button("arrow-left", "Back", "Alt+Left", self.browser.backward)
        self.forward = self._button("arrow-right", "Forward", "Alt+Right", self.browser.forward)
        self.home = self._button("house", "First page", "Alt+Home", lambda: self.browser.show_page(FIRST))
        self.browser.backwardAvailable.connect(self.back.setEnabled)
        self.browser.forwardAvailable.connect(self.forward.setEnabled)
        self.browser.sourceChanged.connect(self._mark)
        self.back.setEnabled(False)
        self.forward.setEnabled(False)
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        find.activated.connect(self.search.setFocus)
        find.activated.connect(self.search.selectAll)
        bar = fill(QHBoxLayout(), self.back, self.forward, self.home, (self.search, 1), spacing=4)
        side = QWidget(self)
        fill(QVBoxLayout(side), bar, (self.contents, 1), margins=(6, 6, 0, 6))
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.addWidget(side)
        splitter.addWidget(self.browser)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([300, 780])
        splitter.setChildrenCollapsible(False)
        fill(QVBoxLayout(self), splitter, margins=0)
        self._on_screen = WholeOnScreen(self)
        geometry = store.value(_GEOMETRY)
        if geometry is not None:
            self.restoreGeometry(geometry)
        self._fill("")

    def open_page(self, target: str) -> None:
        """Brings the window to the front with that page."""
        if self.isHidden():
            self._on_screen.begin()
        self.show()
        self.raise_()
        self.activateWindow()
        self.browser.show_page(target)
        self.browser.setFocus()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._store.setValue(_GEOMETRY, self.saveGeometry())
        super().closeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.search.text():
            self.search.clear()
        else:
            self.close()

    def _button(self, name: str, text: str, keys: str, run: Callable[[], object]) -> QToolButton:
        button = dress(QToolButton(self), name=text, tip=f"{text}  ({keys})", icon=icon(name), flat=True, run=run)
        button.setShortcut(QKeySequence(keys))
        return button

    def _fill(self, words: str) -> None:
        """The contents; or, where something is searched for, the places that have it."""
        self.contents.clear()
        if words.strip():
            names = {page: title for _, links in self._manual.contents for title, page in links}
            places = self._manual.search(words)
            for place in places:
                page = names.get(place.page, place.page)
                text = place.title if place.anchor == "" or place.title == page else f"{place.title} – {page}"
                self._add(None, text, place.target)
            if not places:
                self._add(None, "Nothing has these words.", None)
            return
        for heading, links in self._manual.contents:
            group = self._add(None, heading, None)
            for title, page in links:
                self._add(group, title, page)
        self.contents.expandAll()
        self._mark()

    def _add(self, group: QTreeWidgetItem | None, text: str, target: str | None) -> QTreeWidgetItem:
        item = add_row(self.contents if group is None else group, (text,), target, {0: text})
        if target is None:
            item.setFlags(Qt.ItemFlag.ItemIsEnabled)
            font = item.font(0)
            font.setBold(True)
            item.setFont(0, font)
        return item

    def _mark(self, *_: object) -> None:
        """Selects the page that is shown in the contents."""
        for i in range(self.contents.topLevelItemCount()):
            group = self.contents.topLevelItem(i)
            for k in range(group.childCount() if group is not None else 0):
                item = group.child(k) if group is not None else None
                if item is not None and item.data(0, _TARGET) == self.browser.page:
                    self.contents.setCurrentItem(item)
                    return

    def _go(self, item: QTreeWidgetItem, *_: object) -> None:
        target = item.data(0, _TARGET)
        if target is not None:
            self.browser.show_page(target)

    def _go_first(self) -> None:
        item = self.contents.topLevelItem(0)
        if item is not None and self.search.text().strip():
            self._go(item)

    def _open_outside(self, url: QUrl) -> None:
        if url.scheme() == "https":
            QDesktopServices.openUrl(url)
