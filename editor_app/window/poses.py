"""Poses that the user asks for by name, the poses before the present one, and the places of
tools."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from editor_app.core.model.pose import Pose
from editor_app.core.space.kinematics.inverse import Reach, ToolSolver
from editor_app.core.space.kinematics.tree import TreeJoint
from editor_app.core.tasks import work
from editor_app.core.verbs import tool_places
from editor_app.window.actions.action_tables import PLACES, POSE_HISTORY, ROTATION_FORMS
from editor_app.window.actions.actions import ActionRegistry
from editor_app.window.bindings.quantity import LENGTH
from editor_app.window.session import DisplayOptions, Session
from editor_app.window.timers import Wait


def clamped(joint: TreeJoint, position: float) -> float:
    """The nearest position within the limits."""
    if joint.limits is None:
        return position
    lower, upper = joint.limits
    return min(max(position, lower), upper)


def go(session: Session, name: str) -> None:
    """To one of NAMED, or with "default" to the default joint positions of the XRDF."""
    tree = session.tree
    if name == "default":
        session.go_to(
            Pose({joint: session.pose[joint] for joint in session.locked if joint in session.pose})
        )
    else:
        joints = (tree.joint(joint) for joint in tree.independent)
        session.move_joints(
            {joint.name: NAMED[name](joint) for joint in joints if joint is not None}
        )


#: Where a joint is in a pose that has a name; locked joints stay.
NAMED: dict[str, Callable[[TreeJoint], float]] = {
    "zero": lambda joint: clamped(joint, 0.0),
    "middle": lambda joint: sum(joint.span) / 2,
    "random": lambda joint: random.uniform(*joint.span),
}


#: Poses that are kept.
MOST = 200
#: Radians and metres that nobody sees: a motion ends where its goal was put, but for the solver's
#: last digits.
_SEEN = 1e-6


class PoseHistory(QObject):
    """One per window. A pose counts when the joints had come to rest: a drag, or a motion that is
    played, is one."""

    def __init__(self, session: Session, registry: ActionRegistry, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._poses: list[Pose] = []
        self._place = 0
        #: The last pose, and when the joints moved to it.
        self._present, self._moved = session.free_pose, 0.0
        self._going = False
        session.document_opened.connect(self._on_opened)
        session.pose_changed.connect(self._on_pose)
        registry.add(POSE_HISTORY, self)

    @property
    def before(self) -> bool:
        """True if there is a pose to go back to."""
        return self._nearest(range(self._place, -1, -1)) is not None

    @property
    def after(self) -> bool:
        """True if there is a pose to go forward to."""
        return self._nearest(range(self._place + 1, len(self._poses))) is not None

    def back(self) -> None:
        # The present one is a pose to come back to as well.
        self._keep(self._session.free_pose)
        self._go(self._nearest(range(self._place, -1, -1)))

    def forward(self) -> None:
        self._go(self._nearest(range(self._place + 1, len(self._poses))))

    def _nearest(self, places: Iterable[int]) -> int | None:
        """The first of these places whose pose moves a joint; what is locked by now does not
        move."""
        free = {
            joint: at
            for joint, at in self._session.free_pose.items()
            if joint not in self._session.locked
        }
        kept = (k for k in places if k < len(self._poses))
        return next(
            (
                k
                for k in kept
                if any(
                    abs(self._poses[k].get(joint, at) - at) > _SEEN for joint, at in free.items()
                )
            ),
            None,
        )

    def _go(self, place: int | None) -> None:
        if place is not None:
            self._place, self._going = place, True
            try:
                self._session.move_joints(self._poses[place])
            finally:
                self._going = False

    def _keep(self, pose: Pose) -> None:
        if pose and not (self._poses and _same(self._poses[self._place], pose)):
            self._poses = [*self._poses[: self._place + 1], pose][-MOST:]
            self._place = len(self._poses) - 1

    def _on_pose(self, _: object) -> None:
        now, pose = time.monotonic(), self._session.free_pose
        if not self._going:
            if now - self._moved > Wait.JOINTS_REST / 1000.0:
                self._keep(self._present)
            if self._poses and not _same(self._poses[self._place], pose):
                # What came after the pose that is left comes no more.
                self._poses = self._poses[: self._place + 1]
        self._present, self._moved = pose, now

    def _on_opened(self, _: object) -> None:
        self._present = self._session.free_pose
        self._poses, self._place = [self._present] if self._present else [], 0


def _same(one: Pose, other: Pose) -> bool:
    return one.keys() == other.keys() and all(
        abs(one[joint] - other[joint]) <= _SEEN for joint in one
    )


def told_short(reach: Reach, solver: ToolSolver, display: DisplayOptions) -> str:
    """How much is missing, and which joints keep the tool from more."""
    parts = []
    if max(reach.distances) > 1e-4:
        parts.append(f"{LENGTH.column(max(reach.distances), display)} {display.length_unit}")
    if max(reach.angles) > 1e-3:
        parts.append(f"{math.degrees(max(reach.angles)):.1f}°")
    text = f"{' and '.join(parts) or 'a little'} short"
    if not solver.chain.variables:
        return f"{text}: all joints that move it are locked"
    sides = []
    for name in reach.at_limits[:3]:
        k = solver.chain.variables.index(name)
        is_upper = abs(solver.chain.upper[k] - reach.pose[name]) < abs(
            reach.pose[name] - solver.chain.lower[k]
        )
        sides.append(f"{name} at its {'upper' if is_upper else 'lower'} limit")
    return f"{text}, {', '.join(sides)}" if sides else text


_NAMES: dict[str, str] = {
    "urdf": "the origin of a URDF",
    "xrdf": "fixed_transform of an XRDF",
    "ros": "a pose of ROS",
}


class ToolPlaces(QObject):
    """One per window."""

    def __init__(self, session: Session, registry: ActionRegistry, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        registry.add((*PLACES, *ROTATION_FORMS), self)

    def frame(self) -> str | None:
        """The selected frame, else the first tool frame."""
        tree, robot = self._session.tree, self._session.robot
        names = (*reversed(self._session.selection.frames), *(robot.xrdf.tool_frames or ()))
        return next((name for name in names if name in tree.index), None)

    def is_forms(self) -> bool:
        return self._session.display.rotation_forms

    def flip_forms(self) -> None:
        self._session.set_display(rotation_forms=not self.is_forms())

    def copy(self, kind: tool_places.PlaceText) -> None:
        """The place of the frame, in the frame that the Selection panel tells it in."""
        frame, robot, tree = self.frame(), self._session.robot, self._session.tree
        if frame is None:
            return
        reference = self._session.reaching.reference
        place = tool_places.frame_pose(
            robot, frame, reference if reference in tree.index else "", self._session.free_pose
        )
        QGuiApplication.clipboard().setText(tool_places.place_text(place, kind))
        self._session.message.emit(f"{frame} in {place.reference} copied as {_NAMES[kind]}.")

    def paste(self) -> None:
        """Brings the frame to the place in the clipboard; what is none is refused with the
        reason."""
        frame, session = self.frame(), self._session
        tree = session.tree
        if frame is None:
            return
        try:
            place = tool_places.parse_place(QGuiApplication.clipboard().text())
        except work.Refused as error:
            session.refused.emit(f"{str(error)[:1].upper()}{str(error)[1:]}")
            return
        reference = session.reaching.reference
        base = session.transform(reference if reference in tree.index else tree.root)
        now = session.transform(frame)
        assert base is not None
        assert now is not None
        goal = base @ place.matrix
        if place.position is None:
            goal[:3, 3] = now[:3, 3]
        if place.rotation is None:
            goal[:3, :3] = now[:3, :3]
        reach, solver = session.reaching.go(frame, goal, turned=place.rotation is not None)
        if reach.is_reached:
            session.message.emit(f"{frame} moved to the pasted target.")
        else:
            session.noticed.emit(f"{frame} stops {told_short(reach, solver, session.display)}.")
