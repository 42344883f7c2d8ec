"""What the handles hold, moved and turned by a handle or in the view plane: a link, a tool by inverse kinematics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF, Qt

from editor_app.edit.commands import SetJoint, SetModifier
from editor_app.gui.bindings.quantity import LENGTH, turned_by
from editor_app.gui.poses import told_short
from editor_app.gui.reaching import SETTLE, Put
from editor_app.gui.viewport.camera import Array
from editor_app.gui.viewport.gizmo import Gizmo, Handle
from editor_app.gui.viewport.palette import scene_colours
from editor_app.gui.viewport.pointer import Hand, Pull, told_along, told_at
from editor_app.kinematics.inverse import Reach, ToolTarget
from editor_app.kinematics.transforms import (
    Matrix,
    fixed_transform_matrix,
    invert,
    matrix_origin,
    matrix_to_quaternion,
    origin_matrix,
)
from editor_app.model.change import Change
from editor_app.model.origin import Origin
from editor_app.model.urdf import Joint
from editor_app.model.xrdf import AddFrame, FixedTransform

#: Digits behind the point, of metres and radians: what a hand places is no finer than a micrometre.
DIGITS = 6


class FrameDrag(ABC):
    """A drag of `name`, which stood at the (4, 4) `pose` in the base frame. Esc puts it back."""

    def __init__(
        self, hand: Hand, name: str, pose: Array, handle: Handle | None, start: QPointF, moves: str = "",
        gizmo: Gizmo | None = None,
    ) -> None:  # fmt: skip
        """`moves`: what the hint says is moved; default: `name`. `gizmo`: the handles; default: the selection's."""
        self._session, self._scene, self._tell = hand
        self._name, self._pose, self._handle = name, pose.copy(), handle
        gizmo = gizmo or self._scene.gizmo
        self._pull = Pull(self._scene.camera, gizmo.position, gizmo.axes, handle, start)
        way = "in the view plane" if handle is None else f"{'about' if handle.is_ring else 'along'} {handle.name}"
        verb = "Turns" if self.is_turn else "Moves"
        self.hint = f"{verb} {moves or name} {way} · Shift: fine · Ctrl: steps · Esc puts it back"

    @property
    def is_turn(self) -> bool:
        """Whether a ring is dragged, which leaves the place."""
        return self._handle is not None and self._handle.is_ring

    def move(self, at: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        shift, turn = self._pull.to(at, modifiers)
        pose = self._pose.copy()
        pose[:3, 3] += shift
        pose[:3, :3] = turn @ pose[:3, :3]
        self._scene.pace.moved()
        words = self.take(pose)
        if self._handle is not None and self._handle.is_ring:
            words = f"{self._handle.name} {turned_by(self._pull.angle)}"
        self._tell(f"{self._name}\n{words}{self.problem()}", at)

    @abstractmethod
    def take(self, pose: Array) -> str:
        """Puts it to a (4, 4) pose in the base frame; gives the words about the place."""

    def problem(self) -> str:
        """A line about what keeps it from its place, with its line break."""
        return ""

    @abstractmethod
    def finish(self) -> None:
        """It stays where it is."""

    @abstractmethod
    def cancel(self) -> None:
        """It goes back to where it was."""


def hand_origin(matrix: Array) -> Origin:
    """A (4, 4) pose as a hand places it."""
    placed = matrix_origin(matrix)
    x, y, z, roll, pitch, yaw = (round(value, DIGITS) + 0.0 for value in (*placed.xyz, *placed.rpy))
    return Origin((x, y, z), (roll, pitch, yaw))


#: The joint that carries a link, or the number of the modifier that adds a frame, and the modifier.
Carrier = Joint | tuple[int, AddFrame]


class LinkDrag(FrameDrag):
    """One step; Esc puts it back. What hangs on the link moves along."""

    def __init__(
        self, hand: Hand, frame: str, carrier: Carrier, pose: Matrix, handle: Handle | None, start: QPointF
    ) -> None:
        super().__init__(hand, frame, pose, handle, start, f"the origin of {frame}")
        self._carrier, session = carrier, hand.session
        assert session.tree is not None
        if isinstance(carrier, Joint):
            parent, origin = carrier.parent, origin_matrix(carrier.origin)
        else:
            parent, origin = carrier[1].parent_frame_name, fixed_transform_matrix(carrier[1].fixed_transform)
        self._parent: Matrix = session.transforms[session.tree.index[parent]].copy()
        #: What the joint's position does, which stays.
        self._moved_by: Matrix = invert(self._parent @ origin) @ pose

    def take(self, pose: Matrix) -> str:
        origin = invert(self._parent) @ pose @ invert(self._moved_by)
        self._session.execute(self._change(origin), merge=("place", self._name))
        return f"{told_at(origin[:3, 3].tolist(), self._session.display)} in its parent"

    def finish(self) -> None:
        self._session.seal()

    def cancel(self) -> None:
        self._session.abandon()

    def _change(self, origin: Matrix) -> Change:
        placed = hand_origin(origin)
        if isinstance(self._carrier, Joint):
            # A turn that was not made keeps its digits.
            moved = placed if self.is_turn else replace(self._carrier.origin, xyz=placed.xyz)
            return SetJoint(self._carrier.name, replace(self._carrier, origin=moved))
        index, frame = self._carrier
        fixed = frame.fixed_transform
        wxyz = matrix_to_quaternion(origin[:3, :3]) if self.is_turn else fixed.orientation_wxyz
        return SetModifier(index, replace(frame, fixed_transform=FixedTransform(placed.xyz, wxyz)))


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
