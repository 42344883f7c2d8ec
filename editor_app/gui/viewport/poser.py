"""What posing knows: which joint a link turns, which tool has the handles, where the held ones are marked."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import QObject, QPointF

from editor_app.gui.bindings.quantity import joint_quantity
from editor_app.gui.viewport.aim import Pick
from editor_app.gui.viewport.camera import Array
from editor_app.gui.viewport.frame_drag import ToolDrag
from editor_app.gui.viewport.gizmo import Grip, Handle
from editor_app.gui.viewport.joint_drag import MARKS, JointDrag, show_joint
from editor_app.gui.viewport.palette import HELD_COLOUR
from editor_app.gui.viewport.pointer import Hand
from editor_app.kinematics.structure import KinematicTree, TreeJoint
from editor_app.model.urdf import JointType

#: Name of the marks of held tools among the overlays.
HELD = "viewport.held"
#: Pixels within which the pointer is at a mark.
_NEAR = 14.0
#: Size of a mark, of a frame's axes.
_SIZE = 0.85


def _diamond() -> Array:
    """(12, 2, 3) the edges of an octahedron; the first, which carries the name, is one at its upper side."""
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
        session.pose_changed.connect(lambda _: self.mark_held())
        session.tree_changed.connect(lambda _: self.mark_held())
        session.selection_changed.connect(lambda _: self.mark_held())
        self._reaching.changed.connect(self.mark_held)

    def _on_opened(self, _: object) -> None:
        self._link, self._up = "", 0
        self.mark_held()

    # -- joints of links

    def joints_above(self, link: str) -> list[tuple[TreeJoint, TreeJoint]]:
        """From `link` to the root: (joint that a drag turns, joint that carries the link), without locked joints."""
        tree = self._session.tree
        pairs: list[tuple[TreeJoint, TreeJoint]] = []
        if tree is None or link not in tree.index:
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
        """What a drag of `link` turns, and by what; None when nothing above it can be moved."""
        pairs = self.joints_above(link)
        return pairs[min(self._chosen(link), len(pairs) - 1)] if pairs else None

    def joint_drag(self, link: str, grabbed: Array, start: QPointF) -> JointDrag | None:
        """None when no joint above the link can be moved."""
        held = self.joint_of(link)
        if held is None:
            return None
        return JointDrag(self._hand, *held, grabbed, start)

    def point_at(self, pick: Pick | None) -> str:
        """Shows the joint that a drag would turn; the sentence about it."""
        link = pick.link if pick is not None else None
        held = self.joint_of(link) if link is not None else None
        tree = self._session.tree
        if held is None or link is None or pick is None or pick.point is None or tree is None:
            self._scene.overlay.remove(MARKS)
            if link is not None:
                return f"{link}: no joint above it can be moved"
            orbit = self._session.display.mouse.navigation.orbit
            beside = f"{orbit} beside the robot orbits"
            return f"Drag a link to turn its joint, a handle to move the tool · {beside} · Esc: select"
        joint, carrier = held
        pose = self._session.transforms[tree.index[carrier.child]]
        closed = self._session.closed.of(carrier.name)
        show_joint(self._scene, carrier, pose, self._session.pose[carrier.name], pick.point, closed)
        quantity = joint_quantity(joint.type is JointType.PRISMATIC)
        now = quantity.described(self._session.pose[joint.name], self._session.display)
        verb = "slides" if joint.type is JointType.PRISMATIC else "turns"
        hint = f"{link} · drag {verb} {joint.name} (now {now})"
        return f"{hint} · Tab: the joint above · click: its handles · Alt-drag orbits"

    def leave(self) -> None:
        """Nothing is pointed at."""
        self._scene.overlay.remove(MARKS)

    # -- tools

    @property
    def tool(self) -> str | None:
        """The frame that has the handles: what is selected, else the first tool frame, else the end of the c-space."""
        tree, robot = self._session.tree, self._session.robot
        if tree is None or robot is None:
            return None
        named = (*reversed(self._session.selection.frames), *(robot.xrdf.tool_frames or ()))
        return next((name for name in named if self._is_moved(tree, name)), None) or self._end(tree)

    def _is_moved(self, tree: KinematicTree, frame: str) -> bool:
        return frame in tree.index and any(joint.is_movable for joint in tree.path(tree.root, frame))

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

    def mark_held(self) -> None:
        """Marks each tool that would stay where it is in a drag that begins now: a diamond with the tool's name."""
        poses, size = self._held_poses(), _SIZE * self._scene.frames.look.length
        lines = [pose[:3, 3] + size * _DIAMOND @ pose[:3, :3].T for pose in poses.values()]
        texts = [f"held: {name}" if not edge else "" for name in poses for edge in range(len(_DIAMOND))]
        colour = np.array([*HELD_COLOUR, 1.0])
        self._scene.overlay.set_lines(HELD, np.array(lines), colour, texts, width=2.5)

    def _held_poses(self) -> dict[str, Array]:
        if not self._is_on or not self._reaching.held:
            return {}
        tool = self.tool
        poses = {name: self._session.transform(name) for name in self._reaching.held if name != tool}
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
        """The handles of the tool."""
        frame = self.tool
        pose = self._session.transform(frame) if frame is not None else None
        return None if frame is None or pose is None else Grip(frame, pose, partial(self._drag_tool, frame))

    def _drag_tool(self, frame: str, handle: Handle | None, start: QPointF) -> ToolDrag:
        assert handle is not None, "a tool is dragged by its handles"
        return ToolDrag(self._hand, frame, handle, start)
