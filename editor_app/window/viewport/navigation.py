"""Mouse schemes: which button, with which key, moves the camera how, as in the programs that people
come from.

What a drag begins on stays the same in all of them: spheres, handles and posed links are dragged
with the left button, and Alt with the left button orbits, for touchpads and mice without a third
button. Sources: Blender's manual, "3D Viewport › Navigating"; Onshape's help, "View navigation";
Omniverse's documentation, "Viewport › Navigation"; RViz's user guide, "Orbital camera".
"""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import Qt

_Button = Qt.MouseButton
_Key = Qt.KeyboardModifier
_LEFT, _MIDDLE, _RIGHT = _Button.LeftButton, _Button.MiddleButton, _Button.RightButton
_NONE, _SHIFT, _CTRL, _ALT = (
    _Key.NoModifier,
    _Key.ShiftModifier,
    _Key.ControlModifier,
    _Key.AltModifier,
)
_BUTTONS = {_LEFT: "drag", _MIDDLE: "middle drag", _RIGHT: "right drag"}
_KEYS = {_NONE: "", _SHIFT: "Shift-", _CTRL: "Ctrl-", _ALT: "Alt-"}


class CameraMove(StrEnum):
    """The verbs that hints use."""

    ORBIT = "orbits"
    PAN = "pans"
    ZOOM = "zooms"
    LOOK = "looks around"


#: What a move does to the view, and the hint while it goes on.
EFFECTS = {
    CameraMove.ORBIT: ("Turn the view", "Orbits the view"),
    CameraMove.PAN: ("Move the view", "Pans the view"),
    CameraMove.ZOOM: ("Zoom", "Zooms the view"),
    CameraMove.LOOK: ("Look around from the camera position", "Looks around"),
}


class MouseScheme(StrEnum):
    """The value is what the settings keep."""

    EDITOR = "editor"
    BLENDER = "blender"
    ONSHAPE = "onshape"
    ISAAC = "isaac"
    RVIZ = "rviz"

    @property
    def program(self) -> str:
        """The program whose habits they are."""
        return _SCHEMES[self][0]

    @property
    def drags(self) -> dict[tuple[Qt.MouseButton, Qt.KeyboardModifier], CameraMove]:
        """A button and the one key held with it; beside the robot, the left button without one may
        box."""
        return _SCHEMES[self][1]

    def move(self, button: Qt.MouseButton, modifiers: Qt.KeyboardModifier) -> CameraMove | None:
        """Return the camera move of a drag; None for a left drag that selects by a box."""
        if button == _LEFT and modifiers & _ALT:
            return CameraMove.ORBIT
        held = modifiers & (_SHIFT | _CTRL | _ALT)
        move = self.drags.get((button, held))
        # A key that means nothing with this button is not in the way; Shift with the left one draws
        # a box.
        boxes = button == _LEFT and modifiers & _SHIFT
        return move if move is not None or boxes else self.drags.get((button, _NONE))

    @property
    def box(self) -> str:
        """How hints name the drag that selects by a box; "" where that takes a tool of its own."""
        if (_LEFT, _NONE) not in self.drags:
            return "drag: box"
        return "" if (_LEFT, _SHIFT) in self.drags else "Shift-drag: box"

    @property
    def orbit(self) -> str:
        """The first drag that orbits, as a hint names it."""
        return self.gestures(CameraMove.ORBIT)[0]

    def gestures(self, move: CameraMove) -> tuple[str, ...]:
        """The drags that do this, as hints name them; Alt with the left button goes without
        saying."""
        named = tuple(
            _KEYS[key] + _BUTTONS[button] for (button, key), m in self.drags.items() if m is move
        )
        return tuple(n for n in named if n != "Alt-drag") or named

    @property
    def hint(self) -> str:
        """One line for the status bar."""
        parts = []
        for move in CameraMove:
            every = self.gestures(move)
            gestures = [g for g in every if "-" not in g] or list(every[:1])
            if move is CameraMove.ZOOM:
                gestures.append("wheel")
            if gestures:
                parts.append(f"{' or '.join(gestures)} {move}")
        text = " · ".join([*parts, self.box] if self.box else parts)
        return text[0].upper() + text[1:]

    def rows(self) -> tuple[tuple[str, str], ...]:
        """(drags, what they do to the view) for the list of keys and mouse."""
        rows = [
            (" / ".join(g[0].upper() + g[1:] for g in self.gestures(move)), text)
            for move, (text, _) in EFFECTS.items()
            if self.gestures(move)
        ]
        return (*rows, ("Alt-drag", "Turn the view, also over a sphere or handle"))


#: Program and drags of each scheme.
_SCHEMES = {
    MouseScheme.EDITOR: (
        "XRDF Editor",
        {
            (_LEFT, _NONE): CameraMove.ORBIT,
            (_LEFT, _ALT): CameraMove.ORBIT,
            (_RIGHT, _NONE): CameraMove.PAN,
            (_MIDDLE, _NONE): CameraMove.PAN,
            (_MIDDLE, _SHIFT): CameraMove.ORBIT,
            (_MIDDLE, _CTRL): CameraMove.ZOOM,
        },
    ),
    MouseScheme.BLENDER: (
        "Blender",
        {
            (_MIDDLE, _NONE): CameraMove.ORBIT,
            (_MIDDLE, _SHIFT): CameraMove.PAN,
            (_MIDDLE, _CTRL): CameraMove.ZOOM,
            (_LEFT, _ALT): CameraMove.ORBIT,
        },
    ),
    MouseScheme.ONSHAPE: (
        "Onshape",
        {
            (_RIGHT, _NONE): CameraMove.ORBIT,
            (_MIDDLE, _NONE): CameraMove.PAN,
            (_RIGHT, _CTRL): CameraMove.PAN,
            (_LEFT, _ALT): CameraMove.ORBIT,
        },
    ),
    MouseScheme.ISAAC: (
        "Isaac Sim",
        {
            (_LEFT, _ALT): CameraMove.ORBIT,
            (_MIDDLE, _NONE): CameraMove.PAN,
            (_RIGHT, _ALT): CameraMove.ZOOM,
            (_RIGHT, _NONE): CameraMove.LOOK,
        },
    ),
    MouseScheme.RVIZ: (
        "RViz",
        {
            (_LEFT, _NONE): CameraMove.ORBIT,
            (_LEFT, _ALT): CameraMove.ORBIT,
            (_MIDDLE, _NONE): CameraMove.PAN,
            (_LEFT, _SHIFT): CameraMove.PAN,
            (_RIGHT, _NONE): CameraMove.ZOOM,
        },
    ),
}
