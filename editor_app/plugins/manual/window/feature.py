"""Help: the window of the manual, F1 for the page of what has the focus, pages of findings, a tour
that is offered."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QSettings, Qt, QUrl, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QColor,
    QDesktopServices,
    QImage,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QResizeEvent,
    QShortcut,
    QTextBlock,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDockWidget,
    QHBoxLayout,
    QTextBrowser,
    QToolButton,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from editor_app.core.document.selection import Selection
from editor_app.core.model.findings import SphereRef
from editor_app.core.resources import bundled
from editor_app.features.checks.window.panel import FindingsPanel
from editor_app.plugins.manual.content import (
    FIRST,
    KEYS,
    Manual,
    page_of_dialog,
    page_of_finding,
    page_of_panel,
    slug,
)
from editor_app.plugins.manual.window.actions import MANUAL
from editor_app.window.actions.actions import ActionRegistry
from editor_app.window.actions.keys_dialog import keys_page, keys_text
from editor_app.window.bindings.lists import Rows, lead_down, search_line, thing_of
from editor_app.window.docks.central import NoticeBar
from editor_app.window.start import WholeOnScreen
from editor_app.window.theme import colours, theme
from editor_app.window.timers import Wait, after
from editor_app.window.widgets import dress, fill_layout, icon, side_by_side
from editor_app.window.window_part import WindowPart
from editor_app.window.workbench import Workbench

_SCHEME = "manual"
#: Pixels beside a picture: margins and the scroll bar.
_BESIDE = 48
#: Share of the light of a picture that a dark page takes.
_DIMMED = 0.22
#: Pixels above what was looked for.
_ABOVE = 8


class ManualBrowser(QTextBrowser):
    """`show_page` goes to a page such as "findings/xrdf.md#xrdf101"; QTextBrowser itself goes back
    and forward."""

    #: A link that leaves the manual was clicked.
    left = Signal(QUrl)

    def __init__(self, manual: Manual, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._manual = manual
        self._width = 0
        #: Where the scroll bar stood when the heading that was asked for had been brought to the
        #: top.
        self._sought = 0
        self.setAccessibleName("Page of the manual")
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.document().setDocumentMargin(16)
        self.anchorClicked.connect(self._follow)
        self._wider = after(self, self._fit_pictures, Wait.MANUAL_WIDTH, on=(theme().changed,))

    @property
    def page(self) -> str:
        """The page that is shown, without anchor."""
        return self.source().path().lstrip("/")

    def show_page(self, target: str) -> None:
        """A page that is not there shows the first."""
        page, _, anchor = target.partition("#")
        url = QUrl()
        url.setScheme(_SCHEME)
        url.setPath(f"/{page if self._manual.has(page) else FIRST}")
        if anchor:
            url.setFragment(anchor)
        self.setSource(url)

    def doSetSource(
        self,
        name: QUrl | str,
        type: QTextDocument.ResourceType = QTextDocument.ResourceType.UnknownResource,  # noqa: A002 - Qt's name
    ) -> None:
        url = QUrl(name)
        self._width = self.viewport().width()
        super().doSetSource(url, QTextDocument.ResourceType.MarkdownResource)
        if url.hasFragment():
            self._scroll_to(url.fragment())

    def loadResource(self, type: int, name: QUrl | str) -> Any:  # noqa: A002 - Qt's name
        url = QUrl(name)
        path = (self.source().resolved(url) if url.isRelative() else url).path().lstrip("/")
        if self._manual.has(path):
            return self._manual.text(path)
        file = (self._manual.folder / path).resolve()
        if file.parent == (self._manual.folder / "pictures").resolve() and file.is_file():
            return self._picture(file)
        return None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if abs(self.viewport().width() - self._width) > 8:
            self._wider.start()
        else:
            # While a page is read, the scroll bar goes and comes back: that is no other width.
            self._wider.stop()

    def _picture(self, file: Path) -> QImage:
        """No wider than the page, sharp on screens of any density."""
        image = QImage(str(file))
        ratio = self.devicePixelRatioF()
        room = max(200, round((self.viewport().width() - _BESIDE) * ratio))
        if image.width() > room:
            image = image.scaledToWidth(room, Qt.TransformationMode.SmoothTransformation)
        image = image.convertToFormat(QImage.Format.Format_RGB32)
        self._frame(image)
        image.setDevicePixelRatio(ratio)
        return image

    def _frame(self, image: QImage) -> None:
        """An edge, which a picture of a light window has not on a light page; on a dark page it
        does not dazzle."""
        now = colours()
        painter = QPainter(image)
        if now.is_dark:
            painter.fillRect(image.rect(), QColor.fromRgbF(0.0, 0.0, 0.0, _DIMMED))
        painter.setPen(QColor(now.border))
        painter.drawRect(image.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _fit_pictures(self) -> None:
        # The page is laid out anew: the heading that was asked for stays at the top until somebody
        # scrolls, and what else was there stays as far as pictures allow.
        bar = self.verticalScrollBar()
        has_been_scrolled = bar.value() != self._sought
        share = bar.value() / max(1, bar.maximum())
        self.reload()
        if has_been_scrolled or not self.source().hasFragment():
            bar.setValue(round(share * bar.maximum()))

    def _scroll_to(self, anchor: str) -> None:
        block: QTextBlock = self.document().begin()
        while block.isValid():
            if block.blockFormat().headingLevel() and slug(block.text()) == anchor:
                self.setTextCursor(QTextCursor(block))
                layout, bar = self.document().documentLayout(), self.verticalScrollBar()
                # All of it is laid out: a long page is so bit by bit, and until then the bar ends
                # before the block.
                layout.documentSize()
                bar.setValue(round(layout.blockBoundingRect(block).top()) - _ABOVE)
                self._sought = bar.value()
                return
            block = block.next()

    def _follow(self, url: QUrl) -> None:
        target = self.source().resolved(url) if url.isRelative() else url
        if target.scheme() != _SCHEME:
            self.left.emit(target)
        elif url.path():
            self.show_page(
                target.path().lstrip("/")
                + (f"#{target.fragment()}" if target.hasFragment() else "")
            )
        else:
            self.show_page(f"{self.page}#{url.fragment()}")


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
        self.contents = Rows("Contents of the manual", ("",), 0, self)
        self.contents.setHeaderHidden(True)
        self.contents.itemClicked.connect(self._go)
        self.contents.itemActivated.connect(self._go)
        self.search = search_line("Search the manual", "Search the manual", self)
        self.search.textChanged.connect(self._fill)
        self.search.returnPressed.connect(self._go_first)
        lead_down(self.search, self.contents)
        self.back = self._button("arrow-left", "Back", "Alt+Left", self.browser.backward)
        self.forward = self._button("arrow-right", "Forward", "Alt+Right", self.browser.forward)
        self.home = self._button(
            "house", "First page", "Alt+Home", lambda: self.browser.show_page(FIRST)
        )
        self.browser.backwardAvailable.connect(self.back.setEnabled)
        self.browser.forwardAvailable.connect(self.forward.setEnabled)
        self.browser.sourceChanged.connect(self._mark)
        self.back.setEnabled(False)
        self.forward.setEnabled(False)
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        find.activated.connect(self.search.setFocus)
        find.activated.connect(self.search.selectAll)
        bar = fill_layout(
            QHBoxLayout(), self.back, self.forward, self.home, (self.search, 1), spacing=4
        )
        side = QWidget(self)
        fill_layout(QVBoxLayout(side), bar, (self.contents, 1), margins=(6, 6, 0, 6))
        splitter = side_by_side((side, 0), (self.browser, 1))
        splitter.setSizes([300, 780])
        fill_layout(QVBoxLayout(self), splitter, margins=0)
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
        button = dress(
            QToolButton(self),
            name=text,
            tip=f"{text}  ({keys})",
            icon=icon(name),
            flat=True,
            run=run,
        )
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
                text = (
                    place.title
                    if place.anchor == "" or place.title == page
                    else f"{place.title} – {page}"
                )
                self._add(None, text, place.target)
            if not places:
                self._add(None, "No page has these words.", None)
            return
        for heading, links in self._manual.contents:
            group = self._add(None, heading, None)
            for title, page in links:
                self._add(group, title, page)
        self._mark()

    def _add(self, group: QTreeWidgetItem | None, text: str, target: str | None) -> QTreeWidgetItem:
        item = self.contents.add((text,), target, group, tips={0: text})
        if target is None:
            item.setFlags(Qt.ItemFlag.ItemIsEnabled)
            font = item.font(0)
            font.setBold(True)
            item.setFont(0, font)
        return item

    def _mark(self, *_: object) -> None:
        """Selects the page that is shown in the contents."""
        pages = (
            row
            for row in self.contents.rows()
            if row.parent() and thing_of(row) == self.browser.page
        )
        if (page := next(pages, None)) is not None:
            self.contents.setCurrentItem(page)

    def _go(self, item: QTreeWidgetItem, *_: object) -> None:
        target = thing_of(item)
        if target is not None:
            self.browser.show_page(target)

    def _go_first(self) -> None:
        item = self.contents.topLevelItem(0)
        if item is not None and self.search.text().strip():
            self._go(item)

    def _open_outside(self, url: QUrl) -> None:
        if url.scheme() == "https":
            QDesktopServices.openUrl(url)


#: Set when the tour was taken, left or declined: it is not offered again.
SEEN = "tour/seen"
OFFER = "New here? Take a five-step tour."


def _select_sphere(workbench: Workbench) -> None:
    robot = workbench.session.robot
    group = robot.xrdf.group(robot.xrdf.world_group)
    if group is not None:
        frame = max(group.spheres, key=lambda name: len(group.spheres[name]), default=None)
        if frame is not None:
            workbench.session.select(Selection(spheres=(SphereRef(group.name, frame, 0),)))


def _show(dock: str) -> Callable[[Workbench], object]:
    return lambda workbench: workbench.docks.show(dock)


#: What is said, with actions ("{file.save}") in the place of their keys, and what is shown while it
#: is said.
STEPS: tuple[tuple[str, Callable[[Workbench], object]], ...] = (
    (
        "A robot with its collision spheres. Drag the background to orbit, turn the wheel to zoom, "
        "click to select. "
        "The sliders below move the joints.",
        _show("joints"),
    ),
    (
        "One sphere is selected. Drag it, turn the wheel over it to change its radius, or type its "
        "numbers on the "
        "right. {edit.undo} undoes each step.",
        _select_sphere,
    ),
    (
        "Fit finds the spheres for you: {fit.links} fits the selected link, {fit.robot} the whole "
        "robot. You see the "
        "figures of both before you accept.",
        _show("fit"),
    ),
    (
        "Self-collision: Compute the mask finds which links can collide, with proofs. "
        "{mask.next_conflict} shows each conflict on the robot.",
        _show("self-collision"),
    ),
    (
        "Findings lists problems and fixes them; {view.next_finding} goes to the next. "
        "{file.save} writes only edited lines. {help.manual} opens the manual page of the current "
        "panel.",
        _show("findings"),
    ),
)


def _with_keys(text: str, registry: ActionRegistry) -> str:
    """`text` with the keys that its actions have now; one without keys is named as in the menus."""
    actions = {action.id: action for action in registry.actions}

    def keys(match: re.Match[str]) -> str:
        action = actions[match[1]]
        return keys_text(action) or f"{action.spec.menu} › {action.label}"

    return re.sub(r"\{([\w.]+)\}", keys, text)


class Tour(QObject):
    """The strip is made when it is first shown."""

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._strip: NoticeBar | None = None
        #: Index of the step that is shown; None for the offer, and when no tour is on.
        self.step: int | None = None
        self._starting = False
        workbench.session.document_opened.connect(self._on_opened)

    @property
    def strip(self) -> NoticeBar:
        if self._strip is None:
            self._strip = dress(NoticeBar(self._workbench.central), id="tour", name="Tour")
            layout = self._workbench.central.layout()
            assert layout is not None
            layout.addWidget(self._strip)
        return self._strip

    def offer(self) -> None:
        """At a start without a robot, when it was not seen yet."""
        if not self._workbench.settings.store.value(SEEN) and bundled() is not None:
            self._ask(OFFER, ("No, thanks", self.leave), ("Start the tour", self.begin))

    def begin(self) -> None:
        """Opens the sample robot, if another or none is open, and shows the first step."""
        sample = bundled()
        if sample is None:
            self._workbench.session.refused.emit("The sample robot is not installed.")
            return
        if self._workbench.session.document.urdf_path == sample:
            self._tell(0)
            return
        self._starting = True
        self._workbench.files.open_sample()

    def leave(self) -> None:
        """Ends the tour, or declines it: it is not offered again."""
        self._workbench.settings.store.setValue(SEEN, "true")
        self._starting = False
        self.step = None
        if self._strip is not None:
            self._strip.hide()

    def _ask(self, text: str, *choices: tuple[str, Callable[[], object]]) -> None:
        self.strip.ask("tour", text, choices, icon("compass", "muted"))

    def _tell(self, step: int) -> None:
        self._workbench.settings.store.setValue(SEEN, "true")
        self.step = step
        text, show = STEPS[step]
        show(self._workbench)
        back = (("Back", partial(self._tell, step - 1)),) if step else ()
        is_last = step == len(STEPS) - 1
        following = ("Finish", self.leave) if is_last else ("Next", partial(self._tell, step + 1))
        told = f"{step + 1} of {len(STEPS)}: {_with_keys(text, self._workbench.registry)}"
        self._ask(told, ("Skip", self.leave), *back, following)

    def _on_opened(self, document: object) -> None:
        if self._starting and self._workbench.session.has_robot:
            self._starting = False
            self._tell(0)
        elif self._strip is not None and self._strip.isVisible() and not self._starting:
            # Another robot, or none: the steps would speak of what is not there. The offer may come
            # again.
            self.step = None
            self._strip.hide()


class Help(WindowPart):
    """Registers the actions of the Help menu; the manual's window is made when it is first asked
    for."""

    name = "help"

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        self._manual: ManualWindow | None = None
        self.tour = Tour(workbench, self)
        workbench.registry.add(MANUAL, self)
        workbench.feed.explain = self.show_finding
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
            self._manual = ManualWindow(
                manual, self._workbench.settings.store, self._workbench.qt_window
            )
        return self._manual

    def welcome(self) -> None:
        self.tour.offer()

    def open_here(self) -> None:
        """The page about the panel that has the focus."""
        self.open_page(self.page_in_focus())

    def open_page(self, target: str) -> None:
        """Shows a page of the manual, above the dialog that is open."""
        try:
            modal, manual = QApplication.activeModalWidget(), self.manual
            # A modal dialog blocks every window but those that belong to it.
            if isinstance(modal, QDialog) and manual.parentWidget() is not modal:
                manual.setParent(modal, Qt.WindowType.Window)
                modal.finished.connect(self._take_back)
            manual.open_page(target)
        except FileNotFoundError as error:
            self._workbench.session.refused.emit(f"The manual is not installed: {error}")

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
        """The page about the panel, finding or view that has the focus; without a robot, how to
        begin."""
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
        return FIRST if self._workbench.session.has_robot else "start.md"


PART = Help
