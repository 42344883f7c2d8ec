"""Keys of all actions and what the mouse does: to search in, to choose other keys, and as a page of
the manual."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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

from editor_app.window.actions.action_tables import IN_PAIRS
from editor_app.window.actions.actions import MENUS, Action, ActionRegistry
from editor_app.window.bindings.lists import Rows, lead_down, search_line
from editor_app.window.dialogs import Dialog
from editor_app.window.viewport.navigation import CameraMove, MouseScheme
from editor_app.window.widgets import PlainLabel, dress

#: What the mouse does in the view in every scheme.
MOUSE = (
    ("Click / Ctrl+click", "Select a sphere or a link / add it to the selection"),
    ("Drag a sphere", "Move the selected spheres in the plane of the view"),
    ("Shift + drag a sphere", "Slide it along the surface of the mesh"),
    ("Wheel over the selection", "Change the radius of the selected spheres"),
    ("Drag a link, posing by hand (P)", "Turn its joint; Shift: fine, Ctrl: in steps"),
    ("Tab, posing by hand", "Turn the joint above instead"),
    ("Drag an arrow or ring of the tool", "Move or turn the tool; the arm follows"),
    ("Click an obstacle", "Show its handles; drag it or a handle"),
    ("Wheel", "Zoom to the pointer"),
    ("B, then drag", "Select spheres or links with a box"),
    ("Esc", "One step back: the drag, the mode, the selection"),
)
IN_VIEW = "In the 3D view"
#: What keys do in the matrix and the lists of pairs, beside the ones of actions.
PAIR_KEYS = (
    ("Return, Space", "Show the selected pair on the robot"),
    ("[", "Previous closer configuration"),
    ("]", "Next closest configuration"),
    ("Esc", "Restore my pose"),
)
#: What keys do in the text of Source, beside the ones of the actions of its menu.
SOURCE_KEYS = (
    ("Ctrl+F", "Find"),
    ("Ctrl+H", "Find and replace"),
    ("Ctrl+Return", "Apply the typed text"),
    ("Ctrl+Z, Ctrl+Shift+Z", "Undo and redo, in the text and in the window"),
    ("Enter, Tab", "Accept the suggested name"),
    ("Tab, Shift+Tab", "Move the selected lines one level in or out"),
)
IN_SOURCE = "In the text of Source"
_HEAD = ("| Keys | Action |", "| --- | --- |")
_SOURCE_MENU = "Edit/Source text"
#: Menu of actions whose keys count in one panel alone -> that panel, and its other keys.
_PANELS = {"Edit": (IN_SOURCE, SOURCE_KEYS), "Mask": (IN_PAIRS, PAIR_KEYS)}
#: Window managers take Alt-drags before a window can have them.
_ALT_DRAGS = (
    "If Alt-drag does not turn the view, the window manager uses Alt to move windows. Let it use "
    "the Super key",
    "instead: KDE Plasma in *System Settings › Window Management › Window Behavior › Window "
    "Actions*, Xfce",
    "in *Window Manager Tweaks › Accessibility*, Cinnamon in *Windows › Behavior*, MATE in "
    "*Windows › Behaviour*;",
    "in Openbox remove the bindings `A-Left`, `A-Middle` and `A-Right` of the context `Frame` "
    "from `rc.xml`. GNOME",
    "uses Super by default.",
)


@dataclass(frozen=True, slots=True)
class KeyRow:
    """`action` is None for what the mouse does, and for keys that cannot be changed."""

    keys: str
    label: str
    place: str
    action: str | None = None


def rows(registry: ActionRegistry, scheme: MouseScheme) -> list[KeyRow]:
    """Every action by its menu, those without keys at the end; pairs and the mouse."""
    actions = [
        KeyRow(keys_text(action), action.label, _place(action), action.id)
        for action in sorted(registry.actions, key=_menu_rank)
    ]
    mouse = [KeyRow(keys, effect, IN_VIEW) for keys, effect in (*scheme.rows(), *MOUSE)]
    pairs = [KeyRow(keys, effect, IN_PAIRS) for keys, effect in PAIR_KEYS]
    source = [KeyRow(keys, effect, IN_SOURCE) for keys, effect in SOURCE_KEYS]
    return (
        [row for row in actions if row.keys]
        + source
        + pairs
        + mouse
        + [row for row in actions if not row.keys]
    )


def _menu_rank(action: Action) -> int:
    menu = action.spec.menu.split("/")[0]
    return MENUS.index(menu) if menu in MENUS else len(MENUS)


def _place(action: Action) -> str:
    menu = action.spec.menu.replace("/", " › ")
    return (
        f"{menu}: {action.spec.place[:1].lower()}{action.spec.place[1:]}"
        if action.spec.place
        else menu
    )


def keys_text(action: Action, *, native: bool = True) -> str:
    """The keys of an action now, as one text."""
    form = (
        QKeySequence.SequenceFormat.NativeText
        if native
        else QKeySequence.SequenceFormat.PortableText
    )
    return ", ".join(sequence.toString(form) for sequence in action.qaction.shortcuts())


def keys_page(registry: ActionRegistry, scheme: MouseScheme, *, native: bool = True) -> str:
    """The manual's page about keys and mouse, in Markdown, with the keys as they are now."""
    lines = [
        "# Keys and mouse",
        "",
        "## When you need this",
        "",
        "You look for a key or a mouse button, or want to change one.",
        "",
        "1. Open **Help › Keyboard and mouse** (`Ctrl+F1`), which lists all keys, and find the "
        "action.",
        "2. Select its row, press the new keys, and click *Set*. The dialog warns if another "
        "action has these keys.",
        "3. Click *Reset* to restore the default keys.",
        "",
        "Menus, tooltips, the search box and this page in the window show the current keys. Keys "
        "without Ctrl, Alt or",
        "Shift work while the 3D view or their panel has the focus.",
        "",
        "## Mouse in the 3D view",
        "",
        "**View › Mouse** selects the mouse style of another program. The status bar shows what "
        "the buttons do.",
        "Spheres, handles and posed links are dragged with the left button in every style.",
        "",
        "| Program | Turn | Move | Zoom (besides the wheel) | Select by a box |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [_scheme_line(one) for one in MouseScheme]
    if native:
        lines += ["", f"Current: {scheme.program}."]
    lines += ["", *_ALT_DRAGS, "", "| Mouse | What it does |", "| --- | --- |"]
    lines += [f"| {_cell(keys)} | {_cell(effect)} |" for keys, effect in MOUSE]
    menus = dict.fromkeys(
        a.spec.menu.split("/")[0] for a in registry.actions if a.qaction.shortcuts()
    )
    for menu in sorted(menus, key=lambda name: (name == "Help", name)):
        lines += _menu_lines(registry, menu, native)
    return "\n".join(lines) + "\n"


def _menu_lines(registry: ActionRegistry, menu: str, native: bool) -> list[str]:
    """The section of a menu: the keys of its actions, then those that count in one panel alone."""
    actions = [
        a for a in registry.actions if a.spec.menu.split("/")[0] == menu and a.qaction.shortcuts()
    ]
    actions.sort(key=first_label)
    inside = [a for a in actions if a.spec.place or a.spec.menu == _SOURCE_MENU]
    lines = [
        "",
        f"## {menu}",
        "",
        *_HEAD,
        *(_action_line(a, native) for a in actions if a not in inside),
    ]
    if menu in _PANELS:
        place, others = _PANELS[menu]
        lines += ["", f"{place}:", "", *_HEAD, *(_action_line(a, native) for a in inside)]
        lines += [f"| {_cell(keys)} | {_cell(effect)} |" for keys, effect in others]
    return lines


def _action_line(action: Action, native: bool) -> str:
    return f"| {_cell(keys_text(action, native=native))} | {_cell(first_label(action))} |"


def first_label(action: Action) -> str:
    """The label without what it says about the present step: "Undo: Move sphere" is "Undo"."""
    return action.label.split(":")[0]


def _scheme_line(scheme: MouseScheme) -> str:
    cells = [
        " or ".join(scheme.gestures(move)) or "–"
        for move in (CameraMove.ORBIT, CameraMove.PAN, CameraMove.ZOOM)
    ]
    look = scheme.gestures(CameraMove.LOOK)
    cells[0] += f"; {look[0]} looks around" if look else ""
    box = scheme.box.removesuffix(": box") or "B, then drag"
    return f"| {scheme.program} | {' | '.join(cells)} | {box} |"


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "\\<").replace("*", "\\*")


_NATIVE, _PORTABLE = (
    QKeySequence.SequenceFormat.NativeText,
    QKeySequence.SequenceFormat.PortableText,
)


class ShortcutsDialog(Dialog):
    """Keys take effect when they are set; the table follows."""

    def __init__(
        self, registry: ActionRegistry, scheme: MouseScheme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent, "shortcuts", "Keyboard and mouse", (720, 620))
        self._registry = registry
        self._scheme = scheme
        self._rows: list[KeyRow] = []
        self._items: list[QTreeWidgetItem] = []
        self.filter = search_line("Search", "Search for an action, keys or a menu", self)
        self.table = Rows("Shortcuts", ("Keys", "Action", "Where"), 1, self)
        self.title = dress(PlainLabel("", self), look="heading")
        self.keys = dress(QKeySequenceEdit(self), name="New keys")
        self.keys.setMaximumSequenceLength(1)
        self.keys.setClearButtonEnabled(True)
        for line in self.keys.findChildren(QLineEdit):
            line.setAccessibleName("New keys")
        self.set_button = self._button(
            "&Set", "Assign these keys; empty removes the keys", self._set
        )
        self.reset_button = self._button(
            "&Reset", "Restore the default keys of this action", self._reset
        )
        self.reset_all_button = self._button(
            "Reset &all", "Restore the default keys of all actions", self._reset_all
        )
        self.told = dress(PlainLabel("", self), align=Qt.AlignmentFlag.AlignTop, wrap=True)
        self.told.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        grid = QGridLayout()
        grid.addWidget(self.title, 0, 0, 1, 4)
        for column, widget in enumerate(
            (self.keys, self.set_button, self.reset_button, self.reset_all_button)
        ):
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
    def row(self) -> KeyRow | None:
        """The row that is selected; None without one."""
        chosen = self.table.selectedItems()
        return self._rows[self._items.index(chosen[0])] if chosen else None

    def select(self, action: str) -> None:
        """Selects the row of an action. Raises StopIteration when it is not there."""
        places = (
            item for item, row in zip(self._items, self._rows, strict=True) if row.action == action
        )
        self.table.setCurrentItem(next(places))

    def _fill(self, *_: object) -> None:
        chosen = self.row
        self._rows = rows(self._registry, self._scheme)
        changed = set(self._registry.keymap.chosen)
        while len(self._items) < len(self._rows):
            self._items.append(self.table.add(("", "", "")))
        for item, row in zip(self._items, self._rows, strict=True):
            font = item.font(0)
            font.setBold(row.action in changed)
            # A cell that is as it was stays untouched: each change lets the list measure its
            # columns again.
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
            item.setHidden(
                not any(text.lower() in item.text(column).lower() for column in range(3))
            )

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
            self.title.setText("Select a row to change its keys.")
        else:
            self.title.setText(
                row.label if action is not None else f"{row.keys}: mouse actions cannot be changed"
            )
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
        first = (
            ", ".join(k.toString(_NATIVE) for k in self._registry.first_keys(row.action))
            or "no keys"
        )
        if not keys:
            now = row.keys or "no keys"
            self.told.setText(
                f"Now: {now}. Default: {first}." + (" Set removes its keys." if row.keys else "")
            )
            return
        others = self._registry.users_of(keys, row.action)
        shown = self.keys.keySequence().toString(_NATIVE)
        if others:
            names = " and ".join(
                f"“{other.label}” ({other.spec.menu.split('/')[0]})" for other in others
            )
            verb = "has" if len(others) == 1 else "have"
            self.told.setText(f"{names} {verb} {shown} now. Set reassigns the keys.")
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
            rest = [
                k.toString(_PORTABLE)
                for k in other.qaction.shortcuts()
                if k.toString(_PORTABLE) != keys
            ]
            self._registry.keymap.choose(other.id, rest)
