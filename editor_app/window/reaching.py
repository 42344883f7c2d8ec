"""State of the session next to the document: how tools reach places, locked spheres, closed
intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from editor_app.core.model.closed_interval import ClosedInterval
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.pose import Pose
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.space.kinematics.inverse import Reach, ToolSolver, ToolTarget
from editor_app.core.space.kinematics.structure import KinematicTree
from editor_app.core.space.kinematics.transforms import Matrix

#: Weight of a joint that moves last.
LAST = 0.05
#: Iterations when a tool is let go, or put to a place.
SETTLE = 120
#: Random beginnings where the way from the present posture does not reach: fewer than 0.1 s.
_TRIES = 24
#: Joints that a position takes with a rotation, with a tilt.
_NEEDED = {"rotation": 6, "tilt": 5, "": 0}


class Keep(StrEnum):
    """The part of a tool's rotation that is kept while it moves."""

    ROTATION = "rotation"
    TILT = "tilt"
    NOTHING = ""


@dataclass(frozen=True)
class Put:
    """The pose before a tool was dragged, or put to a place by numbers, and where it was to go."""

    before: Pose
    targets: tuple[ToolTarget, ...]


class Posed(Protocol):
    """The robot that is posed: the session."""

    @property
    def tree(self) -> KinematicTree: ...
    @property
    def pose(self) -> Pose: ...
    @property
    def locked(self) -> frozenset[str]: ...
    def transform(self, frame: str) -> Matrix | None: ...
    def move_joints(self, positions: Mapping[str, float]) -> None: ...


class Reaching(QObject):
    """One per session."""

    #: What is kept or held, which joints move last, or what was put.
    changed = Signal()

    def __init__(self, session: Posed, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self.keeps = Keep.ROTATION
        #: Tools that stay where they are while another one moves.
        self.held: tuple[str, ...] = ()
        #: Joints that move only where the others cannot.
        self.last: frozenset[str] = frozenset()
        #: The frame in which places are told and typed; "" is the base frame.
        self.reference = ""
        self.put: Put | None = None
        #: What was put by numbers last, and the pose then: what is typed next goes on from there.
        self._typed: tuple[str, Pose] | None = None

    def clear(self) -> None:
        """Another robot."""
        had_any = self.held or self.last or self.reference or self.put is not None
        self.held, self.last, self.reference = (), frozenset(), ""
        self.put, self._typed = None, None
        if had_any:
            self.changed.emit()

    def keep(self, keeps: Keep) -> None:
        self.keeps = keeps
        self.changed.emit()

    def hold(self, frame: str, *, held: bool) -> None:
        """Return whether a tool stays where it is while another one moves."""
        others = tuple(name for name in self.held if name != frame)
        self.held = (*others, frame) if held else others
        self.changed.emit()

    def set_last(self, joint: str, *, last: bool) -> None:
        """Return whether a joint moves only where the others cannot bring a tool to its place."""
        self.last = self.last | {joint} if last else self.last - {joint}
        self.changed.emit()

    def set_reference(self, frame: str) -> None:
        self.reference = frame
        self.changed.emit()

    def set_put(self, put: Put) -> None:
        self.put, self._typed = put, None
        self.changed.emit()

    def end_series(self) -> None:
        """End the series: the next typed place starts from the pose of that time."""
        self._typed = None

    # -- moving

    def solver(self, frame: str, still: str = "") -> ToolSolver:
        """For a tool and those that are held, from the present pose; joints that carry the frame
        `still` stay."""
        tree = self._session.tree
        others = [name for name in self.held if name != frame and name in tree.index]
        path = tree.path(tree.root, still) if still in tree.index and still != frame else ()
        follows = (tree.follows.get(joint.name) for joint in path)
        stay = {
            follow.source for follow in follows if follow is not None and follow.source is not None
        }
        weights = dict.fromkeys(self.last, LAST)
        return ToolSolver(
            tree, [frame, *others], self._session.pose, {*self._session.locked, *stay}, weights
        )

    def targets(self, solver: ToolSolver, place: Matrix, *, turned: bool) -> tuple[ToolTarget, ...]:
        """The tool at `place` (4, 4), held ones where they are. Not `turned`: of its rotation what
        is kept counts."""
        frame, *others = solver.chain.frames
        keeps = Keep.ROTATION if turned else self.keeps
        if not turned and len(solver.chain.variables) < _NEEDED[keeps]:
            keeps = Keep.NOTHING
        rotation = None if keeps is Keep.NOTHING else place[:3, :3]
        target = ToolTarget(frame, place[:3, 3], rotation, keeps is Keep.TILT)
        poses = {name: self._session.transform(name) for name in others}
        held = [
            ToolTarget(name, at[:3, 3].copy(), at[:3, :3].copy())
            for name, at in poses.items()
            if at is not None
        ]
        return (target, *held)

    def go(
        self, frame: str, place: Matrix, *, turned: bool, live: bool = False
    ) -> tuple[Reach, ToolSolver]:
        """Brings a frame to `place` (4, 4) in the base frame, or as near as it comes.

        Joints that carry the frame of reference stay. The nearest posture from the present one; if
        that does not reach, and the step is not one of a gesture (`live`), any other one.
        """
        session = self._session
        before = session.pose
        if (
            self._typed is not None
            and self._typed[0] == frame
            and self._typed[1] == before
            and self.put is not None
        ):
            before = self.put.before
        solver = self.solver(frame, self.reference)
        targets = self.targets(solver, place, turned=turned)
        reach = solver.follow(targets, session.pose, SETTLE)
        if not reach.is_reached and not live:
            other = solver.search(targets, session.pose, _TRIES)[0]
            reach = other if other.is_reached else reach
        reach = solver.settled(targets, reach)
        session.move_joints({name: reach.pose[name] for name in solver.chain.variables})
        self.set_put(Put(before, targets))
        self._typed = (frame, session.pose)
        return reach, solver


class SphereLocks(QObject):
    """Spheres that no fit and no tool changes.

    Locks go by the spheres themselves, so that they stay when others are deleted, and come back
    with an undo; a locked sphere that is moved or resized by hand stays locked.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._locked: set[tuple[str, str, CollisionSphere]] = set()

    def of(self, robot: RobotDescription, group: str, frame: str) -> tuple[CollisionSphere, ...]:
        """The locked spheres of a frame, in the order of its list."""
        return tuple(s for s in _spheres(robot, group, frame) if (group, frame, s) in self._locked)

    def holds(self, robot: RobotDescription, ref: SphereRef) -> bool:
        """Return whether a sphere is there and locked."""
        spheres = _spheres(robot, ref.group, ref.frame)
        return (
            ref.index < len(spheres) and (ref.group, ref.frame, spheres[ref.index]) in self._locked
        )

    def toggle(self, robot: RobotDescription, refs: Iterable[SphereRef]) -> None:
        """Locks the spheres; unlocks them where all are locked."""
        refs = tuple(refs)
        keys = {
            (r.group, r.frame, spheres[r.index])
            for r in refs
            if r.index < len(spheres := _spheres(robot, r.group, r.frame))
        }
        self._locked = self._locked - keys if keys <= self._locked else self._locked | keys
        self.changed.emit()

    def follow(self, old: RobotDescription, new: RobotDescription) -> None:
        """A locked sphere that took another place in the same row of its list takes its lock
        along."""
        for group, frame in {(group, frame) for group, frame, _ in self._locked}:
            before, now = _spheres(old, group, frame), _spheres(new, group, frame)
            if before is not now and len(before) == len(now):
                self._locked |= {
                    (group, frame, b)
                    for a, b in zip(before, now, strict=True)
                    if (group, frame, a) in self._locked
                }

    def clear(self) -> None:
        """Another robot."""
        if self._locked:
            self._locked.clear()
            self.changed.emit()


def _spheres(robot: RobotDescription, group: str, frame: str) -> tuple[CollisionSphere, ...]:
    return robot.xrdf.listed_spheres(group, frame)


class ShownIntervals(QObject):
    """Closed intervals of joints, as sliders and the view show them.

    The intervals of the robot for which they were found: a step hides them, undo shows them again.
    """

    changed = Signal()

    def __init__(self, robot: Callable[[], object], parent: QObject) -> None:
        """`robot`: the present one."""
        super().__init__(parent)
        self._present = robot
        self._robot: object = None
        self._intervals: dict[str, tuple[ClosedInterval, ...]] = {}

    def show(self, intervals: dict[str, tuple[ClosedInterval, ...]]) -> None:
        """Joint -> intervals of the present robot."""
        before, self._robot, self._intervals = self._intervals, self._present(), intervals
        if before or intervals:
            self.changed.emit()

    def of(self, joint: str) -> tuple[ClosedInterval, ...]:
        """Return the closed intervals of the present robot, ascending; none before they were
        searched."""
        return self._intervals.get(joint, ()) if self._robot is self._present() else ()

    def follow(self, *_: object) -> None:
        """The robot changed."""
        if self._intervals:
            self.changed.emit()
