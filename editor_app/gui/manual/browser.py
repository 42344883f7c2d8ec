"""Shows one page of the manual. Only files of the manual's folder are read, and nothing of the network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QResizeEvent, QTextBlock, QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextBrowser, QWidget

from editor_app.gui.manual.content import FIRST, Manual, slug
from editor_app.gui.theme import colours, theme
from editor_app.gui.timers import Wait, after

_SCHEME = "manual"
#: Pixels beside a picture: margins and the scroll bar.
_BESIDE = 48
#: Share of the light of a picture that a dark page takes.
_DIMMED = 0.22
#: Pixels above what was looked for.
_ABOVE = 8


class ManualBrowser(QTextBrowser):
    """`show_page` goes to a page such as "findings/xrdf.md#xrdf101"; QTextBrowser itself goes back and forward."""

    #: A link that leaves the manual was clicked.
    left = Signal(QUrl)

    def __init__(self, manual: Manual, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._manual = manual
        self._width = 0
        #: Where the scroll bar stood when the heading that was asked for had been brought to the top.
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
        """An edge, which a picture of a light window has not on a light page; on a dark page it does not dazzle."""
        now = colours()
        painter = QPainter(image)
        if now.is_dark:
            painter.fillRect(image.rect(), QColor.fromRgbF(0.0, 0.0, 0.0, _DIMMED))
        painter.setPen(QColor(now.border))
        painter.drawRect(image.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _fit_pictures(self) -> None:
        # The page is laid out anew: the heading that was asked for stays at the top until somebody scrolls, and what
        # else was there stays as far as pictures allow.
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
                self._bring_to_top(block)
                return
            block = block.next()

    def _bring_to_top(self, block: QTextBlock) -> None:
        layout = self.document().documentLayout()
        # All of it is laid out: a long page is so bit by bit, and until then the bar ends before the block.
        layout.documentSize()
        self.verticalScrollBar().setValue(round(layout.blockBoundingRect(block).top()) - _ABOVE)
        self._sought = self.verticalScrollBar().value()

    def _follow(self, url: QUrl) -> None:
        target = self.source().resolved(url) if url.isRelative() else url
        if target.scheme() != _SCHEME:
            self.left.emit(target)
        elif url.path():
            self.show_page(target.path().lstrip("/") + (f"#{target.fragment()}" if target.hasFragment() else ""))
        else:
            self.show_page(f"{self.page}#{url.fragment()}")
