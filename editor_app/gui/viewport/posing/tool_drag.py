"""A drag of a tool by its handles: inverse kinematics at every step; where the tool cannot follow is shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from PySide6.QtCore import QPointF, Qt

from editor_app.gui.bindings.quantity import LENGTH
from editor_app.gui.session import Session
from editor_app.gui.signed_text import turned_by
from editor_app.gui.viewport.camera import Array
from editor_app.gui.viewport.gizmo import Handle
from editor_app.gui.viewport.palette import scene_colours
from editor_app.gui.viewport.posing.pointer import Pull, told_along
from editor_app.gui.viewport.scene import Scene
from editor_app.kinematics.inverse import Reach, ToolSolver, ToolTarget

Modifiers = Qt.KeyboardModifier
_SHORT = "viewport.out of reach"
#: Iterations when the tool is let go.
_SETTLE = 120
#: Joints that a position and a rotation take.
_FULL = 6


class ToolDrag:
    """Moves `frame`; `held` frames stay where they are. `ended` gets the targets when the tool is let go."""

    def __init__(
        self,
        session: Session,
        scene: Scene,
        frame: str,
        held: Sequence[str],
        handle: Handle,
        start: QPointF,
        tell: Callable[[str, QPointF], None],
        ended: Callable[[ToolDrag], None],
        *,
        keeps_rotation: bool,
    ) -> None:
        self._session, self._scene, self._handle, self._tell, self._ended = session, scene, handle, tell, ended
        self.before = session.pose
        tree = session.tree
        assert tree is not None
        places = {name: session.transforms[tree.index[name]].copy() for name in (frame, *held)}
        self._frame, self._place = frame, places[frame]
        self._held = [ToolTarget(name, places[name][:3, 3], places[name][:3, :3]) for name in held]
        self._solver = ToolSolver(tree, list(places), session.pose, session.locked)
        self._turns = handle.is_ring or (keeps_rotation and len(self._solver.chain.variables) >= _FULL)
        self._pull = Pull(scene.camera, scene.gizmo.position, scene.gizmo.axes, handle, start)
        self.targets: tuple[ToolTarget, ...] = ()
        self.reach: Reach | None = None
        kind = f"Turns {frame} about" if handle.is_ring else f"Moves {frame} along"
        self.hint = f"{kind} {handle.name} · Shift: fine · Ctrl: steps · Esc puts it back"

    def move(self, at: QPointF, modifiers: Modifiers) -> None:
        shift, turn = self._pull.to(at, modifiers)
        rotation = turn @ self._place[:3, :3] if self._turns else None
        self.targets = (ToolTarget(self._frame, self._place[:3, 3] + shift, rotation), *self._held)
        self._follow(None)
        self._tell(self._describe(), at)

    def finish(self) -> None:
        if self.targets:
            self._follow(_SETTLE)
            if self.reach is not None and not self.reach.is_reached:
                self._session.message.emit(f"{self._frame} stops {self._short()}.")
            self._ended(self)
        self._scene.overlay.remove(_SHORT)

    def cancel(self) -> None:
        self._session.move_joints({name: self.before[name] for name in self._solver.chain.variables})
        self._scene.overlay.remove(_SHORT)

    def _follow(self, steps: int | None) -> None:
        solver, pose = self._solver, self._session.pose
        reach = solver.follow(self.targets, pose) if steps is None else solver.follow(self.targets, pose, steps)
        self.reach = reach
        self._session.move_joints({name: reach.pose[name] for name in solver.chain.variables})
        self._show_rest()

    def _show_rest(self) -> None:
        """A line from where each tool stops to where it is wanted."""
        tree = self._session.tree
        assert tree is not None
        assert self.reach is not None
        lines: list[list[Array]] = []
        texts: list[str] = []
        for target, distance in zip(self.targets, self.reach.distances, strict=True):
            if distance > 5e-4:
                lines.append([self._session.transforms[tree.index[target.frame]][:3, 3], target.position])
                texts.append(self._length(distance))
        colour = np.array([*scene_colours().error, 1.0])
        self._scene.overlay.set_lines(_SHORT, np.array(lines), colour, texts, width=3.0)

    def _describe(self) -> str:
        if self._handle.is_ring:
            text = f"{self._frame}\n{self._handle.name} {turned_by(self._pull.angle)}"
        else:
            display = self._session.display
            moved = told_along(self._pull.along, display, self._handle.name)
            text = f"{self._frame}\n{moved} {display.length_unit}"
        if self.reach is not None and not self.reach.is_reached:
            text += f"\nstops {self._short()}"
        return text

    def _short(self) -> str:
        assert self.reach is not None
        parts = []
        if max(self.reach.distances) > 1e-4:
            parts.append(self._length(max(self.reach.distances)))
        if max(self.reach.angles) > 1e-3:
            parts.append(f"{math.degrees(max(self.reach.angles)):.1f}°")
        text = f"{' and '.join(parts) or 'a little'} short"
        if not self._solver.chain.variables:
            return f"{text}: no joint that carries it is free"
        names = self.reach.at_limits[:3]
        return f"{text}, {', '.join(names)} at the limit" if names else text

    def _length(self, value: float) -> str:
        display = self._session.display
        return f"{LENGTH.column(value, display)} {display.length_unit}"
