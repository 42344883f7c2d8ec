"""What keys and mouse do, as rows for the dialog and as a page of the manual."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QKeySequence

from editor_app.gui.action_tables import IN_PAIRS
from editor_app.gui.actions import MENUS, Action, ActionRegistry
from editor_app.gui.viewport.navigation import CameraMove, MouseScheme

#: What the mouse does in the view in every scheme.
MOUSE = (
    ("Click / Ctrl+click", "Select a sphere or a link / add it to the selection"),
    ("Drag a sphere", "Move the selected spheres in the plane of the view"),
    ("Shift + drag a sphere", "Slide it along the surface of the mesh"),
    ("Wheel over the selection", "Change the radius of the selected spheres"),
    ("Drag a link, posing by hand (P)", "Turn its joint; Shift: fine, Ctrl: in steps"),
    ("Tab, posing by hand", "Turn the joint above instead"),
    ("Drag an arrow or ring of the tool", "Move or turn the tool; the arm follows"),
    ("Click an obstacle", "Give it handles; drag it or them"),
    ("Wheel", "Zoom to the pointer"),
    ("B, then drag", "Select spheres or links by a box"),
    ("Esc", "One step back: the drag, the mode, the selection"),
)
IN_VIEW = "In the 3D view"
#: What keys do in the matrix and the lists of pairs, beside the ones of actions.
PAIR_KEYS = (
    ("Return, Space", "Show the selected pair on the robot"),
    ("[", "The closer configuration before"),
    ("]", "The next closest configuration"),
    ("Esc", "Back to my pose"),
)
#: What keys do in the text of Source, beside the ones of the actions of its menu.
SOURCE_KEYS = (
    ("Ctrl+F", "Find"),
    ("Ctrl+H", "Find and replace"),
    ("Ctrl+Return", "Read what was typed"),
    ("Ctrl+Z, Ctrl+Shift+Z", "Undo and redo, in text and window alike"),
    ("Enter, Tab", "Take the name that is offered"),
    ("Tab, Shift+Tab", "Move the selected lines one level in or out"),
)
IN_SOURCE = "In the text of Source"
_HEAD = ("| Keys | Action |", "| --- | --- |")
_SOURCE_MENU = "Edit/Source text"
#: Window managers take Alt-drags before a window can have them.
_ALT_DRAGS = (
    "Where nothing turns while Alt is held, the window manager takes Alt-drags for moving windows. Give that to the",
    "Super key instead: KDE Plasma in *System Settings › Window Management › Window Behavior › Window Actions*, Xfce",
    "in *Window Manager Tweaks › Accessibility*, Cinnamon in *Windows › Behavior*, MATE in *Windows › Behaviour*;",
    "in Openbox take the bindings `A-Left`, `A-Middle` and `A-Right` of the context `Frame` out of `rc.xml`. GNOME has",
    "Super from the beginning.",
)


@dataclass(frozen=True, slots=True)
class Row:
    """`action` is None for what the mouse does, and for keys that cannot be changed."""

    keys: str
    label: str
    place: str
    action: str | None = None


def rows(registry: ActionRegistry, scheme: MouseScheme) -> list[Row]:
    """Every action by its menu, those without keys at the end; pairs and the mouse."""
    actions = [
        Row(keys_text(action), action.label, _place(action), action.id)
        for action in sorted(registry.actions, key=_menu_rank)
    ]
    mouse = [Row(keys, effect, IN_VIEW) for keys, effect in (*scheme.navigation.rows(), *MOUSE)]
    pairs = [Row(keys, effect, IN_PAIRS) for keys, effect in PAIR_KEYS]
    source = [Row(keys, effect, IN_SOURCE) for keys, effect in SOURCE_KEYS]
    return [row for row in actions if row.keys] + source + pairs + mouse + [row for row in actions if not row.keys]


def _menu_rank(action: Action) -> int:
    menu = action.spec.menu.split("/")[0]
    return MENUS.index(menu) if menu in MENUS else len(MENUS)


def _place(action: Action) -> str:
    menu = action.spec.menu.replace("/", " › ")
    return f"{menu}: {action.spec.place[:1].lower()}{action.spec.place[1:]}" if action.spec.place else menu


def keys_text(action: Action, *, native: bool = True) -> str:
    """The keys of an action now, as one text."""
    form = QKeySequence.SequenceFormat.NativeText if native else QKeySequence.SequenceFormat.PortableText
    return ", ".join(sequence.toString(form) for sequence in action.qaction.shortcuts())


def keys_page(registry: ActionRegistry, scheme: MouseScheme, *, native: bool = True) -> str:
    """The manual's page about keys and mouse, in Markdown, with the keys as they are now."""
    lines = [
        "# Keys and mouse",
        "",
        "**Help › Keyboard and mouse** (`Ctrl+F1`) lists all keys, finds them, and changes them: choose a row, press",
        "the new keys, *Set*. Keys that another action has are named before they are taken from it; *Reset* gives an",
        "action its first keys back. Menus, tooltips, the search box and this page of the window's manual follow.",
        "",
        "Keys without Ctrl, Alt or Shift count while the 3D view or the panel that they belong to has the focus.",
        "",
        "## Mouse in the 3D view",
        "",
        "**View › Mouse** chooses the program whose habits the mouse follows; the line at the bottom of the window",
        "tells what the buttons do. Spheres, handles and posed links are dragged with the left button in all of them.",
        "",
        "| Program | Turn | Move | Zoom, beside the wheel | Select by a box |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [_scheme_line(one) for one in MouseScheme]
    if native:
        lines += ["", f"Chosen now: {scheme.program}."]
    lines += ["", *_ALT_DRAGS, "", "| Mouse | What it does |", "| --- | --- |"]
    lines += [f"| {_cell(keys)} | {_cell(effect)} |" for keys, effect in MOUSE]
    menus = dict.fromkeys(a.spec.menu.split("/")[0] for a in registry.actions if a.qaction.shortcuts())
    for menu in sorted(menus, key=lambda name: (name == "Help", name)):
        lines += _menu_lines(registry, menu, native)
    return "\n".join(lines) + "\n"


def _menu_lines(registry: ActionRegistry, menu: str, native: bool) -> list[str]:
    """The section of a menu: the keys of its actions, then those that count in one panel alone."""
    actions = [a for a in registry.actions if a.spec.menu.split("/")[0] == menu and a.qaction.shortcuts()]
    actions.sort(key=first_label)
    lines = ["", f"## {menu}", "", *_HEAD]
    lines += [_action_line(a, native) for a in actions if not a.spec.place and a.spec.menu != _SOURCE_MENU]
    if menu == "Edit":
        lines += ["", f"{IN_SOURCE}:", "", *_HEAD]
        lines += [_action_line(a, native) for a in actions if a.spec.menu == _SOURCE_MENU]
        lines += [f"| {_cell(keys)} | {_cell(effect)} |" for keys, effect in SOURCE_KEYS]
    if menu == "Mask":
        lines += ["", f"{IN_PAIRS}:", "", *_HEAD]
        lines += [_action_line(a, native) for a in actions if a.spec.place]
        lines += [f"| {_cell(keys)} | {_cell(effect)} |" for keys, effect in PAIR_KEYS]
    return lines


def _action_line(action: Action, native: bool) -> str:
    return f"| {_cell(keys_text(action, native=native))} | {_cell(first_label(action))} |"


def first_label(action: Action) -> str:
    """The label without what it says about the present step: "Undo: Move sphere" is "Undo"."""
    return action.label.split(":")[0]


def _scheme_line(scheme: MouseScheme) -> str:

    navigation = scheme.navigation
    cells = [
        " or ".join(navigation.gestures(move)) or "–" for move in (CameraMove.ORBIT, CameraMove.PAN, CameraMove.ZOOM)
    ]
    look = navigation.gestures(CameraMove.LOOK)
    cells[0] += f"; {look[0]} looks around" if look else ""
    box = navigation.box.removesuffix(": box") or "B, then drag"
    return f"| {scheme.program} | {' | '.join(cells)} | {box} |"


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "\\<").replace("*", "\\*")
