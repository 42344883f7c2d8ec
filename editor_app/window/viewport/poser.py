"""Posing by hand: the joint that a link turns and how a drag turns it, the tool that has the
handles, held tools."""

from __future__ import annotations

import math
from functools import partial
from itertools import product

import numpy as np
from PySide6.QtCore import QObject, QPointF, Qt

from editor_app.core.arrays import F64
from editor_app.core.model.closed_interval import ClosedInterval
from editor_app.core.model.urdf import JointType
from editor_app.core.space.kinematics.structure import KinematicTree, TreeJoint
from editor_app.core.space.kinematics.transforms import across
from editor_app.window.bindings.quantity import joint_quantity
from editor_app.window.poses import clamped
from editor_app.window.session import Session
from editor_app.window.theme import colours
from editor_app.window.viewport.aim import Pick
from editor_app.window.viewport.frame_drag import SNAP_ANGLE, Hand, Pointer, ToolDrag, Turning
from editor_app.window.viewport.gizmo import Grip, Handle, along_handle
from editor_app.window.viewport.palette import HELD_COLOUR, rgb, scene_colours
from editor_app.window.viewport.scene import ViewScene

MARKS = "viewport.joint"
_PIECES = 48
#: By these factors arcs of a closed interval are larger than the joint's arc; together they make a
#: band.
_OUTSIDE = (1.06, 1.09, 1.12)
#: Pixels: half of the axis, and between what the arc's radius stays.
_AXIS, _SMALL, _LARGE = 110.0, 36.0, 170.0


def show_joint(session: Session, scene: ViewScene, joint: TreeJoint, grabbed: F64) -> None:
    """The joint's axis with its range: an arc, or a line, where an arc goes through `grabbed` (3,)
    if that is near.

    Closed intervals are drawn beside it, in one colour where meshes close them, in another where
    spheres alone do.
    """
    pose, value = session.transforms[session.tree.index[joint.child]], session.pose[joint.name]
    closed = session.closed.of(joint.name)
    pixel = scene.camera.metres_per_pixel(pose[:3, 3])
    axis = pose[:3, :3] @ joint.axis
    foot = pose[:3, 3]
    accent, ink = (*scene.accent, 1.0), (*scene.accent, 0.45)
    lines: list[F64] = []
    tints: list[tuple[float, ...]] = []

    def add(points: F64, colour: tuple[float, ...]) -> None:
        lines.extend(points)
        tints.extend([colour] * len(points))

    add(np.array([[foot - _AXIS * pixel * axis, foot + _AXIS * pixel * axis]]), ink)
    if joint.type is JointType.PRISMATIC:
        add(_slide(joint, axis, foot, value, 14.0 * pixel), accent)
        aside = foot + 7.0 * pixel * across(axis)[0]
        for each in closed:
            add(
                np.array([[aside + (end - value) * axis for end in (each.lower, each.upper)]]),
                _colour(each),
            )
    else:
        foot = foot + axis * float(axis @ (grabbed - foot))
        arm = grabbed - foot
        length = float(np.linalg.norm(arm))
        arm = arm / length if length > 1e-6 else across(axis)[0]
        radius = float(np.clip(length, _SMALL * pixel, _LARGE * pixel))
        add(_arc(joint, axis, foot, arm * radius, value), ink)
        for each, outside in product(closed, _OUTSIDE):
            add(_closed_arc(each, axis, foot, arm * radius * outside, value), _colour(each))
        add(np.array([[foot, foot + arm * radius]]), accent)
    scene.overlay.set_lines(MARKS, np.array(lines), np.array(tints))


def _arc(joint: TreeJoint, axis: F64, foot: F64, arm: F64, value: float) -> F64:
    """From limit to limit, with a stroke at each; a circle where a whole turn is free."""
    lower, upper = joint.limits or (-math.inf, math.inf)
    is_whole = not upper - lower < 2 * math.pi
    angles = (
        np.linspace(-math.pi, math.pi, _PIECES + 1)
        if is_whole
        else np.linspace(lower, upper, _PIECES + 1) - value
    )
    points = _turned(axis, foot, arm, angles)
    lines = np.stack([points[:-1], points[1:]], axis=1)
    if is_whole:
        return lines
    ends = np.array(
        [[foot + 0.86 * (p - foot), foot + 1.14 * (p - foot)] for p in (points[0], points[-1])]
    )
    return np.concatenate([lines, ends])


def _closed_arc(interval: ClosedInterval, axis: F64, foot: F64, arm: F64, value: float) -> F64:
    """The part of an interval that half a turn either way reaches."""
    lower, upper = (
        min(max(end - value, -math.pi), math.pi) for end in (interval.lower, interval.upper)
    )
    count = max(1, math.ceil(_PIECES * (upper - lower) / (2 * math.pi))) if upper > lower else 0
    points = _turned(axis, foot, arm, np.linspace(lower, upper, count + 1))
    return np.stack([points[:-1], points[1:]], axis=1)


def _turned(axis: F64, foot: F64, arm: F64, angles: F64) -> F64:
    """`foot` + `arm` turned about `axis` by each of the angles, by Rodrigues' formula (n, 3)."""
    along = axis * float(axis @ arm)
    return (
        foot
        + along
        + np.cos(angles)[:, None] * (arm - along)
        + np.sin(angles)[:, None] * np.cross(axis, arm)
    )


def _colour(interval: ClosedInterval) -> tuple[float, ...]:
    return (*(scene_colours().error if interval.by_meshes else rgb(colours().warning)), 1.0)


def _slide(joint: TreeJoint, axis: F64, foot: F64, value: float, tick: float) -> F64:
    """From limit to limit, with a stroke at each; a metre where there is no limit."""
    ends = dict(zip((-1.0, 1.0), joint.limits or (-math.inf, math.inf), strict=True))
    steps = [limit - value if math.isfinite(limit) else side for side, limit in ends.items()]
    strokes = [foot + (limit - value) * axis for limit in ends.values() if math.isfinite(limit)]
    lines = [[foot + step * axis for step in steps]]
    lines += [[end - tick * side, end + tick * side] for end in strokes for side in across(axis)]
    return np.array(lines)


Modifiers = Qt.KeyboardModifier
#: Metres that Ctrl rounds a sliding joint to.
_SNAP = 0.01


class JointDrag:
    """`carrier` is the joint that carries what was grabbed, `joint` the one that it follows:
    itself, or by mimic."""

    def __init__(
        self, hand: Hand, joint: TreeJoint, carrier: TreeJoint, grabbed: F64, start: QPointF
    ) -> None:
        session, scene, self._tell = hand
        self._session, self._scene = session, scene
        self.joint, self._carrier = joint, carrier
        self._before = session.pose
        tree = session.tree
        follow = tree.follows[carrier.name]
        self._factor = follow.multiplier or 1.0
        pose = session.transforms[tree.index[carrier.child]]
        self._local = pose[:3, :3].T @ (grabbed - pose[:3, 3])
        self._pointer = Pointer(start)
        axis = pose[:3, :3] @ carrier.axis
        self._place, self._axes = pose[:3, 3].copy(), np.column_stack([axis, *across(axis)])
        self._is_sliding = carrier.type is JointType.PRISMATIC
        self._first = self._slid(start) if self._is_sliding else 0.0
        self._turning = (
            None if self._is_sliding else Turning(scene.camera, self._place, axis, grabbed, start)
        )
        self.hint = (
            f"Turns {joint.name} · Tab: the joint above · Shift: fine · Ctrl: steps · Esc: cancel"
        )
        if self._is_sliding:
            self.hint = self.hint.replace("Turns", "Slides", 1)

    def move(self, at: QPointF, modifiers: Modifiers) -> None:
        place = self._pointer.follow(at, modifiers)
        moved = (
            self._turning.angle(place)
            if self._turning is not None
            else self._slid(place) - self._first
        )
        wanted = self._before[self.joint.name] + moved / self._factor
        if modifiers & Modifiers.ControlModifier:
            step = _SNAP if self.joint.type is JointType.PRISMATIC else SNAP_ANGLE
            wanted = round(wanted / step) * step
        value = clamped(self.joint, wanted)
        self._session.move_joints({self.joint.name: value})
        self._show()
        self._tell(self._describe(value, is_stopped=abs(value - wanted) > 1e-9), at)

    def finish(self) -> None:
        self._scene.overlay.remove(MARKS)

    def cancel(self) -> None:
        self._session.move_joints({self.joint.name: self._before[self.joint.name]})
        self._scene.overlay.remove(MARKS)

    def _slid(self, at: QPointF) -> float:
        ray = self._scene.camera.ray(at.x(), at.y())
        place = along_handle(self._place, self._axes, Handle(0, False), ray)
        return 0.0 if place is None else float((place - self._place) @ self._axes[:, 0])

    def _show(self) -> None:
        pose = self._session.transforms[self._session.tree.index[self._carrier.child]]
        grabbed = pose[:3, :3] @ self._local + pose[:3, 3]
        show_joint(self._session, self._scene, self._carrier, grabbed)

    def _describe(self, value: float, *, is_stopped: bool) -> str:
        display = self._session.display
        quantity = joint_quantity(self.joint.type is JointType.PRISMATIC)
        text = f"{self.joint.name}\n{quantity.described(value, display)}"
        if self.joint.limits is not None:
            text += f"   ({quantity.described_range(self.joint.limits, display)})"
        return f"{text}\nat its limit" if is_stopped else text


#: Name of the marks of held tools among the overlays.
HELD = "viewport.held"
#: Pixels within which the pointer is at a mark.
_NEAR = 14.0
#: Size of a mark, of a frame's axes.
_SIZE = 0.85


def _diamond() -> F64:
    """(12, 2, 3) the edges of an octahedron; the first, which carries the name, is one at its upper
    side."""
    tips = np.concatenate([np.eye(3), -np.eye(3)])
    pairs = [(i, j) for i in range(6) for j in range(i + 1, 6) if j - i != 3]
    pairs.sort(key=lambda pair: 2 not in pair)
    return tips[pairs]


_DIAMOND = _diamond()


class Poser(QObject):
    """One per view."""

    def __init__(self, hand: Hand, parent: QObject) -> None:
        super().__init__(parent)
        self._hand = hand
        session, self._scene, _ = hand
        self._session = session
        self._reaching = session.reaching
        self._link = ""
        self._up = 0
        #: Whether the tool for posing is the one that the mouse has.
        self._is_on = False
        session.document_opened.connect(self._on_opened)
        for signal in (
            session.pose_changed,
            session.tree_changed,
            session.selection_changed,
            self._reaching.changed,
        ):
            signal.connect(self.mark_held)

    def _on_opened(self, _: object) -> None:
        self._link, self._up = "", 0
        self.mark_held()

    # -- joints of links

    def joints_above(self, link: str) -> list[tuple[TreeJoint, TreeJoint]]:
        """From `link` to the root: (joint that a drag turns, joint that carries the link), without
        locked joints."""
        tree = self._session.tree
        pairs: list[tuple[TreeJoint, TreeJoint]] = []
        if link not in tree.index:
            return pairs
        for carrier in reversed(tree.path(tree.root, link)):
            follow = tree.follows.get(carrier.name)
            if follow is None or follow.source is None or follow.source in self._session.locked:
                continue
            joint = tree.joints[tree.joint_index[follow.source]]
            limits = joint.limits
            if follow.multiplier and (limits is None or limits[1] > limits[0]):
                pairs.append((joint, carrier))
        return pairs

    def turn_up(self, link: str, step: int) -> None:
        """The next joint above (or below, -1) the one that `link` turns now."""
        count = len(self.joints_above(link))
        if count:
            self._up = (self._chosen(link) + step) % count

    def _chosen(self, link: str) -> int:
        if link != self._link:
            self._link, self._up = link, 0
        return self._up

    def joint_of(self, link: str) -> tuple[TreeJoint, TreeJoint] | None:
        """Return the joint that a drag of `link` turns, and its leader; None if no joint above it
        can move."""
        pairs = self.joints_above(link)
        return pairs[min(self._chosen(link), len(pairs) - 1)] if pairs else None

    def joint_drag(self, link: str, grabbed: F64, start: QPointF) -> JointDrag | None:
        """Start the drag of a link; None if no joint above it can move."""
        held = self.joint_of(link)
        if held is None:
            return None
        return JointDrag(self._hand, *held, grabbed, start)

    def point_at(self, pick: Pick | None) -> str:
        """Shows the joint that a drag would turn; the sentence about it."""
        link = pick.link if pick is not None else None
        held = self.joint_of(link) if link is not None else None
        if held is None or pick is None or pick.point is None:
            self._scene.overlay.remove(MARKS)
            if link is not None:
                return f"{link}: no joint above it can be moved"
            orbit = self._session.display.mouse.orbit
            beside = f"{orbit} on the background: orbit"
            return (
                f"Drag a link to turn its joint, a handle to move the tool · {beside} · Esc: select"
            )
        joint, carrier = held
        show_joint(self._session, self._scene, carrier, pick.point)
        quantity = joint_quantity(joint.type is JointType.PRISMATIC)
        now = quantity.described(self._session.pose[joint.name], self._session.display)
        verb = "slides" if joint.type is JointType.PRISMATIC else "turns"
        hint = f"{link} · drag {verb} {joint.name} (now {now})"
        return f"{hint} · Tab: the joint above · click: its handles · Alt-drag orbits"

    def leave(self) -> None:
        self._scene.overlay.remove(MARKS)

    # -- tools

    @property
    def tool(self) -> str | None:
        """The frame that has the handles: what is selected, else the first tool frame, else the end
        of the c-space."""
        tree, robot = self._session.tree, self._session.robot
        named = (*reversed(self._session.selection.frames), *(robot.xrdf.tool_frames or ()))
        return next((name for name in named if self._is_moved(tree, name)), None) or self._end(tree)

    def _is_moved(self, tree: KinematicTree, frame: str) -> bool:
        return frame in tree.index and any(
            joint.is_movable for joint in tree.path(tree.root, frame)
        )

    def _end(self, tree: KinematicTree) -> str | None:
        """The frame that most joints carry."""
        counts = [0] * len(tree.frames)
        for i, joint in enumerate(tree.joints, 1):
            counts[i] = counts[tree.parent[i]] + (joint.is_movable and joint.mimic is None)
        most = max(counts, default=0)
        return tree.frames[counts.index(most)] if most else None

    def set_on(self, is_on: bool) -> None:
        """Tools that are held are marked while the mouse poses."""
        self._is_on = is_on
        self.mark_held()

    def mark_held(self, *_: object) -> None:
        """Marks each tool that would stay where it is in a drag that begins now: a diamond with the
        tool's name."""
        poses, size = self._held_poses(), _SIZE * self._scene.frames.look.length
        lines = [pose[:3, 3] + size * _DIAMOND @ pose[:3, :3].T for pose in poses.values()]
        texts = [
            f"held: {name}" if not edge else "" for name in poses for edge in range(len(_DIAMOND))
        ]
        colour = np.array([*HELD_COLOUR, 1.0])
        self._scene.overlay.set_lines(HELD, np.array(lines), colour, texts, width=2.5)

    def _held_poses(self) -> dict[str, F64]:
        if not self._is_on or not self._reaching.held:
            return {}
        tool = self.tool
        poses = {
            name: self._session.transform(name) for name in self._reaching.held if name != tool
        }
        return {name: pose for name, pose in poses.items() if pose is not None}

    def held_at(self, at: QPointF) -> str | None:
        """The tool whose mark is under the pointer."""
        camera, poses = self._scene.camera, self._held_poses()
        places = np.array([pose[:3, 3] for pose in poses.values()]).reshape(-1, 3)
        half = 0.7 * _SIZE * self._scene.frames.look.length
        reach = np.array([max(_NEAR, half / camera.metres_per_pixel(place)) for place in places])
        nearest = camera.nearest(places, at.x(), at.y(), reach)
        return None if nearest is None else list(poses)[nearest]

    def grip(self) -> Grip | None:
        frame = self.tool
        pose = self._session.transform(frame) if frame is not None else None
        return (
            None
            if frame is None or pose is None
            else Grip(frame, pose, partial(self._drag_tool, frame))
        )

    def _drag_tool(self, frame: str, handle: Handle | None, start: QPointF) -> ToolDrag:
        assert handle is not None, "a tool is dragged by its handles"
        return ToolDrag(self._hand, frame, handle, start)
