"""A drag of a tool by its handles: inverse kinematics at every step; where the tool cannot follow is shown."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPointF, Qt

from editor_app.gui.bindings.quantity import LENGTH
from editor_app.gui.reach_texts import told_short
from editor_app.gui.reaching import SETTLE, Put
from editor_app.gui.session import Session
from editor_app.gui.signed_text import turned_by
from editor_app.gui.viewport.camera import Array
from editor_app.gui.viewport.gizmo import Handle
from editor_app.gui.viewport.palette import scene_colours
from editor_app.gui.viewport.posing.pointer import Pull, told_along
from editor_app.gui.viewport.scene import Scene
from editor_app.kinematics.inverse import Reach, ToolTarget
from editor_app.kinematics.transforms import transform

Modifiers = Qt.KeyboardModifier
_SHORT = "viewport.out of reach"


class ToolDrag:
    """Moves `frame`; frames that are held stay where they are. What was put is known when the tool is let go."""

    def __init__(
        self,
        session: Session,
        scene: Scene,
        frame: str,
        handle: Handle,
        start: QPointF,
        tell: Callable[[str, QPointF], None],
    ) -> None:
        self._session, self._scene, self._handle, self._tell = session, scene, handle, tell
        self.before = session.pose
        tree = session.tree
        assert tree is not None
        self._frame, self._place = frame, session.transforms[tree.index[frame]].copy()
        self._solver = session.reaching.solver(frame)
        # The held ones stay where they are now, also where they cannot be held.
        self._held = session.reaching.targets(self._solver, self._place, turned=True)[1:]
        self._pull = Pull(scene.camera, scene.gizmo.position, scene.gizmo.axes, handle, start)
        self.targets: tuple[ToolTarget, ...] = ()
        self.reach: Reach | None = None
        kind = f"Turns {frame} about" if handle.is_ring else f"Moves {frame} along"
        self.hint = f"{kind} {handle.name} · Shift: fine · Ctrl: steps · Esc puts it back"

    def move(self, at: QPointF, modifiers: Modifiers) -> None:
        shift, turn = self._pull.to(at, modifiers)
        place = transform(turn @ self._place[:3, :3], self._place[:3, 3] + shift)
        tool, *_ = self._session.reaching.targets(self._solver, place, turned=self._handle.is_ring)
        self.targets = (tool, *self._held)
        self._follow(None)
        self._tell(self._describe(), at)

    def finish(self) -> None:
        if self.targets:
            self._follow(SETTLE)
            if self.reach is not None and not self.reach.is_reached:
                self._session.message.emit(f"{self._frame} stops {self._short()}.")
            self._session.reaching.set_put(Put(self.before, self.targets))
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
        return told_short(self.reach, self._solver, self._session.display)

    def _length(self, value: float) -> str:
        display = self._session.display
        return f"{LENGTH.column(value, display)} {display.length_unit}"
