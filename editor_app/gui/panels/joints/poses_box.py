"""The list of poses beside the sliders, and a slider that blends between two of them."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from editor_app.gui.actions import ActionRegistry
from editor_app.gui.bindings.elision import ElidedLabel
from editor_app.gui.bindings.lists import OwnKeys
from editor_app.gui.panels.joints.pose_book import LIST_ACTIONS, Entry, Kind, PoseBook
from editor_app.gui.widgets import action_button, dress, fill, icon, plain, popup

_ENTRY = Qt.ItemDataRole.UserRole
_ICONS = {Kind.DEFAULT: "house-simple", Kind.STATE: "users-three", Kind.STORED: "bookmark-simple"}
_TIPS = {
    Kind.DEFAULT: "The default joint positions of the XRDF",
    Kind.STATE: "A state of the SRDF",
    Kind.STORED: "Stored by you",
}
#: Delete and F2 are about the poses in the list, not about the selected links and spheres.
_KEYS = {Qt.Key.Key_Delete: "pose.delete", Qt.Key.Key_F2: "pose.rename"}
_STEPS = 1000
WIDTH = 236
_HINT = "Blend two poses"


class PosesBox(QWidget):
    """A double-click or Return goes to a pose; two selected poses are blended by the slider."""

    #: An own entry got another name in the list; the list is filled anew only when its editor has closed.
    _renamed = Signal(object, str)

    def __init__(self, book: PoseBook, registry: ActionRegistry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._book = book
        self._registry = registry
        self._filling = False
        self.setFixedWidth(WIDTH)
        bar = fill(QHBoxLayout(), spacing=1)
        for name in LIST_ACTIONS:
            if name in registry:
                bar.addWidget(action_button(registry[name], self, is_icon_alone=True))
        bar.addStretch(1)
        self.list = dress(QListWidget(self), name="Poses")
        OwnKeys(self.list, {key: partial(registry.trigger, name) for key, name in _KEYS.items() if name in registry})
        self.list.setUniformItemSizes(True)
        self.list.setIconSize(QSize(14, 14))
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._ask_menu)
        self.list.itemSelectionChanged.connect(self._on_selection)
        self.list.itemActivated.connect(lambda item: book.go_to(item.data(_ENTRY)))
        self.list.itemChanged.connect(self._on_edited)
        self._renamed.connect(book.rename, Qt.ConnectionType.QueuedConnection)
        self.blend_label = dress(ElidedLabel(self, Qt.TextElideMode.ElideMiddle), look="muted")
        tip = "Blends between two poses that are selected in the list (Ctrl-click the second)"
        self.blend = dress(QSlider(Qt.Orientation.Horizontal, self), name="Blend between two poses", tip=tip)
        self.blend.setRange(0, _STEPS)
        self.blend.valueChanged.connect(self._on_blend)
        fill(QVBoxLayout(self), bar, (self.list, 1), self.blend_label, self.blend, margins=(6, 0, 0, 0), spacing=2)
        book.changed.connect(self._fill)
        book.chosen_changed.connect(self._follow)
        book.rename_asked.connect(self._edit)
        self._fill()

    # -- following

    def _fill(self) -> None:
        self._filling = True
        self.list.clear()
        for entry in self._book.entries():
            item = QListWidgetItem(icon(_ICONS[entry.kind], "muted"), entry.text)
            item.setData(_ENTRY, entry)
            item.setToolTip(plain(f"{_TIPS[entry.kind]}: {entry.text}"))
            if entry.kind is Kind.STORED:
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
            self.list.addItem(item)
        self._filling = False
        self._follow()

    def _follow(self) -> None:
        self._filling = True
        for item in self._items():
            item.setSelected(item.data(_ENTRY) in self._book.chosen)
            if self._book.chosen and item.data(_ENTRY) == self._book.chosen[-1]:
                self.list.scrollToItem(item)
        self._filling = False
        pair = self._pair()
        self.blend.setEnabled(pair is not None)
        self.blend_label.set_text(f"{pair[0].name} → {pair[1].name}" if pair is not None else _HINT)
        with QSignalBlocker(self.blend):
            self.blend.setValue(0)

    def _items(self) -> list[QListWidgetItem]:
        return [self.list.item(k) for k in range(self.list.count())]

    def _pair(self) -> tuple[Entry, Entry] | None:
        chosen = self._book.chosen
        return (chosen[0], chosen[1]) if len(chosen) == 2 else None

    # -- what the user does

    def _on_selection(self) -> None:
        if self._filling:
            return
        selected = [item.data(_ENTRY) for item in self._items() if item.isSelected()]
        before = [entry for entry in self._book.chosen if entry in selected]
        self._book.choose((*before, *(entry for entry in selected if entry not in before)))

    def _on_blend(self, value: int) -> None:
        pair = self._pair()
        if pair is not None:
            self._book.blend(*pair, value / _STEPS)

    def _edit(self) -> None:
        typed = next((e for e in self.list.viewport().findChildren(QLineEdit) if e.isVisible()), None)
        if typed is not None:
            # A name is being typed already.
            typed.setFocus()
            return
        for item in self._items():
            if self._book.chosen and item.data(_ENTRY) == self._book.chosen[0] and self.list.isVisible():
                self.list.setCurrentItem(item)
                self.list.editItem(item)

    def _on_edited(self, item: QListWidgetItem) -> None:
        if not self._filling:
            self._renamed.emit(item.data(_ENTRY), item.text())

    def _ask_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.addActions([self._registry[name] for name in LIST_ACTIONS if name in self._registry])
        popup(menu, self.list.viewport().mapToGlobal(place))
