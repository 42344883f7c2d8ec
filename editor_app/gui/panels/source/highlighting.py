"""Colours of YAML and XML in a text, line by line."""

from __future__ import annotations

import re
from dataclasses import dataclass

from PySide6.QtGui import QColor, QPalette, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from editor_app.gui.timers import after

#: So many lines take a few milliseconds.
_AT_ONCE = 300
#: States of a line: 0, or 1 when it ends in a comment; with this added, it is not coloured yet.
_WAITS = 2
_IN_COMMENT = (1, 1 + _WAITS)
_KEY = re.compile(r"""^\s*(?:-\s+)*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#'"\[{][^#]*?)\s*:(?=\s|$)""")
_FLOW_KEY = re.compile(r"""([A-Za-z_][\w.-]*|"[^"]*")\s*:(?=\s)""")
_NUMBER = re.compile(r"(?<![\w.\"'/-])[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.\"'/])")
_STRING = re.compile(r"""(?<!\w)"(?:[^"\\]|\\.)*"|(?<!\w)'(?:[^']|'')*'""")
_TAG = re.compile(r"</?([\w:.-]+)|<\?(\w+)")
_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*("[^"]*"|'[^']*')""")
_NUMBERS = re.compile(r"[-+\d.eE\s]+")
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*$")
_MARK = re.compile(r"(?<!\S)(?:[&*][\w.-]+|!\S*|<<(?=:)|---|\.\.\.)")


@dataclass(frozen=True, slots=True)
class Colours:
    """For light and for dark backgrounds; each reads at 4.5:1 or better."""

    key: str
    number: str
    string: str
    comment: str
    mark: str

    @staticmethod
    def for_palette(palette: QPalette) -> Colours:
        dark = palette.color(QPalette.ColorRole.Base).lightness() < 128
        if dark:
            return Colours("#7cc4ff", "#f2b880", "#a5d6a0", "#8b949e", "#d2a8ff")
        return Colours("#0b5cad", "#8a4500", "#1a6b2d", "#5f6873", "#7a2fb5")


class Highlighter(QSyntaxHighlighter):
    """Line by line, a long text in parts. YAML: keys, numbers, strings, comments; XML: tags, attributes, values."""

    def __init__(self, document: QTextDocument, palette: QPalette) -> None:
        super().__init__(document)
        self._formats: dict[str, QTextCharFormat] = {}
        self.is_xml = False
        #: How many lines more are coloured before the window has drawn again.
        self._room = _AT_ONCE
        self._next = 0
        self._rest = after(self, self._go_on)
        document.blockCountChanged.connect(self._look_again)
        self.set_palette(palette)

    def set_palette(self, palette: QPalette) -> None:
        colours = Colours.for_palette(palette)
        for name in Colours.__slots__:
            style = QTextCharFormat()
            style.setForeground(QColor(getattr(colours, name)))
            if name == "comment":
                style.setFontItalic(True)
            self._formats[name] = style
        self.rehighlight()

    def set_xml(self, is_xml: bool) -> None:
        if is_xml != self.is_xml:
            self.is_xml = is_xml
            self.rehighlight()

    @property
    def is_behind(self) -> bool:
        """Whether lines are left to be coloured."""
        return self._rest.isActive()

    def _look_again(self) -> None:
        self._next = 0

    def _go_on(self) -> None:
        self._room = _AT_ONCE
        block = self.document().findBlockByNumber(self._next)
        while block.isValid() and block.userState() < _WAITS:
            block = block.next()
        if block.isValid():
            self._next = block.blockNumber()
            # What follows has another state then, and is coloured as well, as far as there is room.
            self.rehighlightBlock(block)

    def highlightBlock(self, text: str) -> None:
        self._rest.start()
        if self._room <= 0:
            in_comment = self.is_xml and self._ends_in_comment(text)
            self.setCurrentBlockState(_WAITS + in_comment)
            return
        self._room -= 1
        if self.is_xml:
            self._highlight_xml(text)
            return
        self.setCurrentBlockState(0)
        for match in _NUMBER.finditer(text):
            self._paint(match.span(), "number")
        for match in _FLOW_KEY.finditer(text):
            self._paint(match.span(1), "key")
        key = _KEY.match(text)
        if key is not None:
            self._paint(key.span(1), "key")
        for match in _MARK.finditer(text):
            self._paint(match.span(), "mark")
        for match in _STRING.finditer(text):
            if key is None or match.start() >= key.end():
                self._paint(match.span(), "string")
        for match in _COMMENT.finditer(text):
            if text.count('"', 0, match.start()) % 2 == 0 and text.count("'", 0, match.start()) % 2 == 0:
                self._paint((match.start(), len(text)), "comment")

    def _highlight_xml(self, text: str) -> None:
        for match in _TAG.finditer(text):
            self._paint(match.span(1), "key")
        for match in _ATTRIBUTE.finditer(text):
            self._paint(match.span(1), "mark")
            self._paint(match.span(2), "number" if _NUMBERS.fullmatch(match.group(2)[1:-1]) else "string")
        # Comments go over lines: the state of a line says whether it ends inside one.
        self.setCurrentBlockState(0)
        start = 0 if self.previousBlockState() in _IN_COMMENT else text.find("<!--")
        while start >= 0:
            end = text.find("-->", start)
            stop = len(text) if end < 0 else end + 3
            self._paint((start, stop), "comment")
            if end < 0:
                self.setCurrentBlockState(1)
                return
            start = text.find("<!--", stop)

    def _ends_in_comment(self, text: str) -> bool:
        if text.rfind("<!--") > text.rfind("-->"):
            return True
        return "-->" not in text and self.previousBlockState() in _IN_COMMENT

    def _paint(self, span: tuple[int, int], name: str) -> None:
        self.setFormat(span[0], span[1] - span[0], self._formats[name])
