"""Every action with its keys, and what the mouse does in the view: to search in, and to choose other keys."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QGridLayout,
    QKeySequenceEdit,
    QLineEdit,
    QPushButton,
    QTreeWidgetItem,
    QWidget,
)

from editor_app.gui.actions import ActionRegistry
from editor_app.gui.bindings.lists import add_row, lead_down, rows_list, search_line
from editor_app.gui.dialogs import Dialog
from editor_app.gui.shortcuts.listing import Row, rows
from editor_app.gui.viewport.navigation import MouseScheme
from editor_app.gui.widgets import PlainLabel, dress

_NATIVE, _PORTABLE = QKeySequence.SequenceFormat.NativeText, QKeySequence.SequenceFormat.PortableText


class ShortcutsDialog(Dialog):
    """Keys take effect when they are set; the table follows."""

    def __init__(self, registry: ActionRegistry, scheme: MouseScheme, parent: QWidget | None = None) -> None:
        super().__init__(parent, "shortcuts", "Keyboard and mouse", (720, 620))
        self._registry = registry
        self._scheme = scheme
        self._rows: list[Row] = []
        self._items: list[QTreeWidgetItem] = []
        self.filter = search_line("Search", "Search for an action, keys or a menu", self)
        self.table = rows_list("Shortcuts", ("Keys", "Action", "Where"), 1, self)
        self.title = dress(PlainLabel("", self), look="heading")
        self.keys = dress(QKeySequenceEdit(self), name="New keys")
        self.keys.setMaximumSequenceLength(1)
        self.keys.setClearButtonEnabled(True)
        for line in self.keys.findChildren(QLineEdit):
            line.setAccessibleName("New keys")
        self.set_button = self._button("&Set", "Give the action these keys; none takes its keys away", self._set)
        self.reset_button = self._button("&Reset", "The keys that the action came with", self._reset)
        self.reset_all_button = self._button("Reset &all", "The keys that all actions came with", self._reset_all)
        self.told = dress(PlainLabel("", self), align=Qt.AlignmentFlag.AlignTop, wrap=True)
        self.told.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        grid = QGridLayout()
        grid.addWidget(self.title, 0, 0, 1, 4)
        for column, widget in enumerate((self.keys, self.set_button, self.reset_button, self.reset_all_button)):
            grid.addWidget(widget, 1, column)
        grid.addWidget(self.told, 2, 0, 1, 4)
        grid.setColumnStretch(0, 1)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Close).setAutoDefault(False)
        self.lay_out(self.filter, (self.table, 1), grid)
        self.filter.textChanged.connect(self._on_typed)
        self.filter.returnPressed.connect(self._to_keys)
        lead_down(self.filter, self.table)
        self.table.itemSelectionChanged.connect(self._show_row)
        self.table.itemActivated.connect(self._to_keys)
        self.keys.keySequenceChanged.connect(self._judge)
        self.keys.editingFinished.connect(self._prompt)
        registry.keymap.changed.connect(self._fill)
        self._fill()
        self._show_row()

    def _button(self, text: str, tip: str, run: Callable[[], object]) -> QPushButton:
        button = dress(QPushButton(text, self), tip=tip, run=run)
        button.setAutoDefault(False)
        return button

    # -- the table

    @property
    def row(self) -> Row | None:
        """The row that is selected; None without one."""
        chosen = self.table.selectedItems()
        return self._rows[self._items.index(chosen[0])] if chosen else None

    def select(self, action: str) -> None:
        """Selects the row of an action. Raises StopIteration when it is not there."""
        places = (item for item, row in zip(self._items, self._rows, strict=True) if row.action == action)
        self.table.setCurrentItem(next(places))

    def _fill(self, *_: object) -> None:
        chosen = self.row
        self._rows = rows(self._registry, self._scheme)
        changed = set(self._registry.keymap.chosen)
        while len(self._items) < len(self._rows):
            self._items.append(add_row(self.table, ("", "", "")))
        for item, row in zip(self._items, self._rows, strict=True):
            font = item.font(0)
            font.setBold(row.action in changed)
            # A cell that is as it was stays untouched: each change lets the list measure its columns again.
            if font != item.font(0):
                item.setFont(0, font)
            for column, text in enumerate((row.keys, row.label, row.place)):
                if item.text(column) != text:
                    item.setText(column, text)
        if chosen is not None and chosen.action is not None:
            self.select(chosen.action)
        self.reset_all_button.setEnabled(bool(changed))
        self._apply_filter(self.filter.text())

    def _apply_filter(self, text: str) -> None:
        for item in self._items:
            item.setHidden(not any(text.lower() in item.text(column).lower() for column in range(3)))

    def _on_typed(self, text: str) -> None:
        """The first row that is left is chosen, unless the chosen one is left."""
        self._apply_filter(text)
        left = [item for item in self._items if not item.isHidden()]
        if text and not any(item.isSelected() for item in left):
            if left:
                self.table.setCurrentItem(left[0])
            else:
                self.table.clearSelection()

    # -- the keys of a row

    def _to_keys(self, *_: object) -> None:
        if self.keys.isEnabled():
            self.keys.setFocus()

    def _show_row(self) -> None:
        row = self.row
        action = row.action if row is not None else None
        self.keys.setEnabled(action is not None)
        self.keys.clear()
        if row is None:
            self.title.setText("Choose a row to change its keys.")
        else:
            self.title.setText(row.label if action is not None else f"{row.keys}: what the mouse does is not changed")
        self.reset_button.setEnabled(action in self._registry.keymap.chosen)
        self._judge()

    @property
    def _wanted(self) -> str:
        return self.keys.keySequence().toString(_PORTABLE)

    def _prompt(self) -> None:
        # Qt puts words of its own there each time that keys were pressed or cleared.
        for line in self.keys.findChildren(QLineEdit):
            line.setPlaceholderText("Press the new keys")

    def _judge(self, *_: object) -> None:
        self._prompt()
        row, keys = self.row, self._wanted
        self.set_button.setEnabled(row is not None and row.action is not None)
        if row is None or row.action is None:
            self.told.setText("")
            return
        first = ", ".join(k.toString(_NATIVE) for k in self._registry.first_keys(row.action)) or "no keys"
        if not keys:
            now = row.keys or "no keys"
            self.told.setText(f"Now: {now}. It came with {first}." + (" Set takes its keys away." if row.keys else ""))
            return
        others = self._registry.users_of(keys, row.action)
        shown = self.keys.keySequence().toString(_NATIVE)
        if others:
            names = " and ".join(f"“{other.label}” ({other.spec.menu.split('/')[0]})" for other in others)
            verb = "has" if len(others) == 1 else "have"
            self.told.setText(f"{names} {verb} {shown} now. Set takes the keys from there.")
        else:
            self.told.setText(f"No other action has {shown}.")

    def _set(self) -> None:
        row, keys = self.row, self._wanted
        if row is None or row.action is None:
            return
        if keys:
            self._take_from_others(keys, row.action)
        self._registry.keymap.choose(row.action, (keys,) if keys else ())
        self._show_row()

    def _reset(self) -> None:
        row = self.row
        if row is None or row.action is None:
            return
        for sequence in self._registry.first_keys(row.action):
            self._take_from_others(sequence.toString(_PORTABLE), row.action)
        self._registry.keymap.choose(row.action, None)
        self._show_row()

    def _reset_all(self) -> None:
        for action in self._registry.keymap.chosen:
            self._registry.keymap.choose(action, None)
        self._show_row()

    def _take_from_others(self, keys: str, action: str) -> None:
        """Other actions that would answer to these keys of the action have them no more."""
        for other in self._registry.users_of(keys, action):
            rest = [k.toString(_PORTABLE) for k in other.qaction.shortcuts() if k.toString(_PORTABLE) != keys]
            self._registry.keymap.choose(other.id, rest)
