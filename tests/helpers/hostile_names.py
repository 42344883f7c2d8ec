"""The sample robot with names that look like HTML, and what of a window's texts Qt would take for
HTML."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any, cast

from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt
from PySide6.QtGui import QAction, QFont, QTextDocument
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QGroupBox,
    QHeaderView,
    QLabel,
    QMenu,
    QTabBar,
    QTextEdit,
    QWidget,
)

from tests.helpers.robots import sample_urdf

#: Read as HTML it is an image and a bold word; read as a menu's text it has a mnemonic.
MARK = "PWN"
HOSTILE = f"<img src='n.png'><b>{MARK}</b>&Q"
_ROWS = 400


def hostile_robot(folder: Path, stem: str = HOSTILE.replace("/", "|")) -> Path:
    """URDF, XRDF and SRDF in which robot, links, joints, groups, states, tools and comments are
    hostile; the URDF."""
    source = sample_urdf()
    shutil.copytree(source.parent / "meshes", folder / "meshes")
    texts = {
        suffix: source.with_suffix(suffix).read_text() for suffix in (".urdf", ".srdf", ".xrdf")
    }
    names = {
        n
        for s in (".urdf", ".srdf")
        for n in re.findall(r'<(?!material|sensor)\w+ name="([^"]+)"', texts[s])
    }
    names |= {"grasp_frame", "grasp_joint", "heron_spheres"}
    word = re.compile(
        r"(?<![\w/.])("
        + "|".join(sorted(map(re.escape, names), key=len, reverse=True))
        + r")(?![\w/.])"
    )
    for suffix, text in texts.items():
        if suffix == ".xrdf":
            # Not in comments: a quoted name there is a comment all the same.
            text = word.sub(lambda m: f'"{m[1]}{HOSTILE}"', text) + f"# {HOSTILE}\n"
        else:
            text = (
                re.sub(
                    r'="([^"]+)"',
                    lambda m: f'="{word.sub(lambda n: n[1] + escape(HOSTILE), m[1])}"',
                    text,
                )
                + f"<!-- {HOSTILE} -->\n"
            )
        (folder / f"{stem}{suffix}").write_text(text)
    return folder / f"{stem}.urdf"


def taken_for_html(text: str, form: Qt.TextFormat = Qt.TextFormat.AutoText) -> bool:
    """Whether Qt would show an image or a bold word where `text` holds hostile names."""
    if form == Qt.TextFormat.PlainText or (
        form == Qt.TextFormat.AutoText and not GuiQt.mightBeRichText(text)
    ):
        return False
    document = QTextDocument()
    document.setHtml(text)
    return _has_markup(document)


def _has_markup(document: QTextDocument) -> bool:
    if "￼" in document.toPlainText():
        return True
    block = document.begin()
    while block.isValid():
        # Iterable, though PySide6 does not tell the type checker.
        for place in cast(Any, block):
            piece = place.fragment()
            # In bold as a whole is our own doing; the name alone in bold is the name's.
            if (
                piece.text().strip() == MARK
                and piece.charFormat().fontWeight() > QFont.Weight.Normal
            ):
                return True
        block = block.next()
    return False


def underlined(text: str) -> bool:
    """Whether the & of a hostile name would be a mnemonic."""
    return MARK in text and "&Q" in text.replace("&&", "")


def mistaken() -> list[str]:
    """What is wrong with any text of any widget, item or menu that exists now, in words."""
    faults: set[str] = set()
    for widget in QApplication.allWidgets():
        name = f"{type(widget).__name__} {widget.objectName() or widget.accessibleName()!r}"
        for part, text, form in _texts(widget):
            if taken_for_html(text, form):
                faults.add(f"{name}: {part} is HTML: {text[:120]!r}")
        for part, text in _mnemonics(widget):
            if underlined(text):
                faults.add(f"{name}: {part} has a mnemonic: {text[:120]!r}")
    return sorted(faults)


def _texts(widget: QWidget) -> Iterator[tuple[str, str, Qt.TextFormat]]:
    auto = Qt.TextFormat.AutoText
    yield "tooltip", widget.toolTip(), auto
    yield "what's this", widget.whatsThis(), auto
    if isinstance(widget, QLabel):
        yield "text", widget.text(), widget.textFormat()
    if isinstance(widget, QTextEdit):
        yield "text", widget.toHtml(), Qt.TextFormat.RichText
    if isinstance(widget, QTabBar):
        for i in range(widget.count()):
            yield f"tooltip of tab {i}", widget.tabToolTip(i), auto
    if isinstance(widget, QMenu) and widget.toolTipsVisible():
        for action in widget.actions():
            yield "tooltip of an action", action.toolTip(), auto
    if isinstance(widget, QHeaderView):
        model = widget.model()
        for i in range(widget.count() if model is not None else 0):
            yield (
                f"tooltip of section {i}",
                _text(model.headerData(i, widget.orientation(), _TIP)),
                auto,
            )
    elif isinstance(widget, QAbstractItemView) and widget.model() is not None:
        for index in _indexes(widget.model()):
            yield "tooltip of an item", _text(index.data(_TIP)), auto
            yield "what's this of an item", _text(index.data(Qt.ItemDataRole.WhatsThisRole)), auto


_TIP = Qt.ItemDataRole.ToolTipRole


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _indexes(model: QAbstractItemModel, parent: QModelIndex | None = None) -> Iterator[QModelIndex]:
    parent = QModelIndex() if parent is None else parent
    for row in range(min(model.rowCount(parent), _ROWS)):
        # A list does not tell its number of columns.
        column = 0
        while model.hasIndex(row, column, parent):
            yield model.index(row, column, parent)
            column += 1
        first = model.index(row, 0, parent)
        if model.rowCount(first):
            yield from _indexes(model, first)


def _mnemonics(widget: QWidget) -> Iterator[tuple[str, str]]:
    if isinstance(widget, QAbstractButton):
        yield "text", widget.text()
    if isinstance(widget, QGroupBox):
        yield "title", widget.title()
    if isinstance(widget, QTabBar):
        for i in range(widget.count()):
            yield f"tab {i}", widget.tabText(i)
    if isinstance(widget, QMenu):
        yield "title", widget.title()
        for action in widget.actions():
            yield "action", _shown(action)


def _shown(action: QAction) -> str:
    return action.text() if action.isVisible() else ""
