"""Measurements, a row each: named, shown, copied and removed one by one."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QMenu,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from editor_app.plugins.measuring.window import ruler
from editor_app.window.bindings.lists import OwnKeys, Rows
from editor_app.window.bindings.quantity import LENGTH
from editor_app.window.theme import tabular_font
from editor_app.window.widgets import action_button, fill_layout, plain_text, popup
from editor_app.window.workbench import Workbench

_NAME, _VALUE, _X, _Y, _Z, _BETWEEN = range(6)
_HEADS = ("Name", "Value", "x", "y", "z", "Between")
_EMPTY = (
    "No measurements. Press D (Measure), then click two points of the robot; Shift+click a third "
    "for an angle."
)


class MeasurementsPanel(QWidget):
    """Follows the ruler of the view, as soon as there is a view; the chosen row is the chosen note
    there."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._ruler: ruler.Ruler | None = None
        self.list = Rows("Measurements", _HEADS, _BETWEEN, self, numbers=(_X, _Y, _Z), words=_EMPTY)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.itemDoubleClicked.connect(
            lambda item, column: self.edit_name() if column == _NAME else None
        )
        self._head = QHBoxLayout()
        fill_layout(QVBoxLayout(self), self._head, (self.list, 1), margins=4)
        self.list.currentItemChanged.connect(self._choose)
        self.list.itemChanged.connect(self._take)
        self.list.customContextMenuRequested.connect(self._ask_menu)
        remove = partial(workbench.registry.trigger, "measure.remove")
        OwnKeys(self.list, {Qt.Key.Key_Delete: remove, Qt.Key.Key_F2: self.edit_name})
        self._refill()

    def edit_name(self) -> None:
        """Opens the name of the chosen note for typing."""
        item = self.list.currentItem()
        if item is not None:
            self.list.setFocus()
            self.list.editItem(item, _NAME)

    # -- following

    def set_ruler(self, ruler: ruler.Ruler) -> None:
        """Follow the ruler of the view, which is there now."""
        self._ruler = ruler
        for id_ in ("measure.tool", "measure.copy_all", "measure.clear"):
            self._head.addWidget(action_button(self._workbench.registry[id_], self))
        self._head.addStretch(1)
        ruler.changed.connect(self._refill)
        ruler.moved.connect(self._renew)
        self._refill()

    def _refill(self) -> None:
        notes = self._ruler.notes if self._ruler is not None else ()
        with QSignalBlocker(self.list):
            while self.list.topLevelItemCount() > len(notes):
                self.list.takeTopLevelItem(self.list.topLevelItemCount() - 1)
            while self.list.topLevelItemCount() < len(notes):
                item = self.list.add(("",) * len(_HEADS))
                item.setFlags(
                    item.flags() | Qt.ItemFlag.ItemIsEditable | Qt.ItemFlag.ItemIsUserCheckable
                )
                font = tabular_font(item.font(_VALUE))
                for column in (_VALUE, _X, _Y, _Z):
                    item.setFont(column, font)
            self._write()
            chosen = self._ruler.chosen if self._ruler is not None else None
            self.list.setCurrentIndex(self.list.model().index(-1 if chosen is None else chosen, 0))

    def _renew(self) -> None:
        """Other numbers in the same rows; a panel that is not seen costs nothing."""
        if self.isVisible():
            with QSignalBlocker(self.list):
                self._write()

    def _write(self) -> None:
        if self._ruler is None:
            return
        unit = LENGTH.unit(self._workbench.session.display)
        self.list.setHeaderLabels(
            ["Name", "Value", f"x {unit}", f"y {unit}", f"z {unit}", "Between"]
        )
        for index, note in enumerate(self._ruler.notes[: self.list.topLevelItemCount()]):
            item, told = self.list.topLevelItem(index), self._ruler.told(index)
            if item is None:
                continue
            value = told.value if told is not None else "no longer exists"
            if note.is_stale:
                value += " (shapes changed since)"
            along = told.columns if told is not None else ("", "", "")
            texts = (note.name or _default_name(index), value, *along, note.between)
            for column, text in enumerate(texts):
                if item.text(column) != text:
                    item.setText(column, text)
                    item.setToolTip(column, plain_text(text))
            item.setCheckState(
                _NAME, Qt.CheckState.Unchecked if note.is_hidden else Qt.CheckState.Checked
            )

    def showEvent(self, event: object) -> None:
        self._refill()

    # -- what the user does

    def _choose(self, item: QTreeWidgetItem | None, _: object) -> None:
        if self._ruler is not None:
            self._ruler.choose(self.list.indexOfTopLevelItem(item) if item is not None else None)

    def _take(self, item: QTreeWidgetItem, column: int) -> None:
        """A name was typed, or a check mark set."""
        if self._ruler is None or column != _NAME:
            return
        index = self.list.indexOfTopLevelItem(item)
        name = item.text(_NAME).strip()
        hidden = item.checkState(_NAME) is Qt.CheckState.Unchecked
        if hidden != self._ruler.notes[index].is_hidden:
            self._ruler.set_hidden(index, hidden)
        elif name != (self._ruler.notes[index].name or _default_name(index)):
            self._ruler.rename(index, name)

    def _ask_menu(self, place: QPoint) -> None:
        if self.list.itemAt(place) is None:
            return
        menu = QMenu(self)
        self._workbench.registry.fill_context_menu(menu, "note")
        popup(menu, self.list.viewport().mapToGlobal(place))


def _default_name(index: int) -> str:
    return f"Measurement {index + 1}"
