"""A drag of a tool by its handles: inverse kinematics at every step; where the tool cannot follow is shown."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF

from editor_app.gui.bindings.quantity import LENGTH
from editor_app.gui.reach_texts import told_short
from editor_app.gui.reaching import SETTLE, Put
from editor_app.gui.viewport.camera import Array
from editor_app.gui.viewport.gizmo import Handle
from editor_app.gui.viewport.palette import scene_colours
from editor_app.gui.viewport.posing.frame_drag import FrameDrag
from editor_app.gui.viewport.posing.pointer import Hand, told_along
from editor_app.kinematics.inverse import Reach, ToolTarget

_SHORT = "viewport.out of reach"


class ToolDrag(FrameDrag):
    """Moves `frame`; frames that are held stay where they are. What was put is known when the tool is let go."""

    def __init__(self, hand: Hand, frame: str, handle: Handle, start: QPointF) -> None:
        session = hand.session
        self._before = session.pose
        place = session.transform(frame)
        assert place is not None
        super().__init__(hand, frame, place, handle, start)
        self._along = handle.name
        self._solver = session.reaching.solver(frame)
        # The held ones stay where they are now, also where they cannot be held.
        self._held = session.reaching.targets(self._solver, place, turned=True)[1:]
        self._targets: tuple[ToolTarget, ...] = ()
        self._reach: Reach | None = None

    def take(self, pose: Array) -> str:
        tool, *_ = self._session.reaching.targets(self._solver, pose, turned=self.is_turn)
        self._targets = (tool, *self._held)
        self._follow(None)
        display = self._session.display
        return f"{told_along(self._pull.along, display, self._along)} {display.length_unit}"

    def problem(self) -> str:
        return f"\nstops {self._short()}" if self._reach is not None and not self._reach.is_reached else ""

    def finish(self) -> None:
        if self._targets:
            self._follow(SETTLE)
            if self._reach is not None and not self._reach.is_reached:
                self._session.message.emit(f"{self._name} stops {self._short()}.")
            self._session.reaching.set_put(Put(self._before, self._targets))
        self._scene.overlay.remove(_SHORT)

    def cancel(self) -> None:
        self._session.move_joints({name: self._before[name] for name in self._solver.chain.variables})
        self._scene.overlay.remove(_SHORT)

    def _follow(self, steps: int | None) -> None:
        solver, pose = self._solver, self._session.pose
        reach = solver.follow(self._targets, pose) if steps is None else solver.follow(self._targets, pose, steps)
        self._reach = reach
        self._session.move_joints({name: reach.pose[name] for name in solver.chain.variables})
        self._show_rest()

    def _show_rest(self) -> None:
        """A line from where each tool stops to where it is wanted."""
        tree = self._session.tree
        assert tree is not None
        assert self._reach is not None
        lines: list[list[Array]] = []
        texts: list[str] = []
        for target, distance in zip(self._targets, self._reach.distances, strict=True):
            if distance > 5e-4:
                lines.append([self._session.transforms[tree.index[target.frame]][:3, 3], target.position])
                texts.append(self._length(distance))
        colour = np.array([*scene_colours().error, 1.0])
        self._scene.overlay.set_lines(_SHORT, np.array(lines), colour, texts, width=3.0)

    def _short(self) -> str:
        assert self._reach is not None
        return told_short(self._reach, self._solver, self._session.display)

    def _length(self, value: float) -> str:
        display = self._session.display
        return f"{LENGTH.column(value, display)} {display.length_unit}"
