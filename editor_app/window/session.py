"""The session: the open document, and the state of its window that belongs to no file.

Widgets talk to each other only through this object. Pose, hover, visibility and display options are
session state: outside the document, outside undo.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from time import monotonic
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Signal

from editor_app.core.arrays import F64
from editor_app.core.document.beside import Beside
from editor_app.core.document.document import Changed, Document
from editor_app.core.document.selection import Selection
from editor_app.core.model.features import RobotFeature
from editor_app.core.model.findings import Finding, SphereRef
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import Origin
from editor_app.core.model.pose import EMPTY_POSE, Pose
from editor_app.core.model.robot import CannotApply, Change, RobotDescription, TextChange
from editor_app.core.model.urdf import Urdf
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.tree import (
    KinematicTree,
    complete_pose,
    get_default_positions,
    get_tree,
)
from editor_app.window.reaching import Reaching, ShownIntervals, SphereLocks
from editor_app.window.timers import after
from editor_app.window.viewport.navigation import MouseScheme

#: Milliseconds between two moves of the mouse in a drag, where a step takes no longer.
REST_MS = 150
#: Milliseconds that count as a rest: after the first step, which is not measured yet, and at most.
_FIRST_REST_MS, _LONGEST_REST_MS = 450, 1500


class SphereRadius(StrEnum):
    """The radius that the viewport draws spheres with."""

    BARE = "bare"
    WORLD = "world"
    SELF = "self"


class LengthUnit(StrEnum):
    METRE = "m"
    MILLIMETRE = "mm"


class AngleUnit(StrEnum):
    RADIAN = "rad"
    DEGREE = "deg"


@dataclass(frozen=True, slots=True)
class DisplayOptions:
    """The display settings of the viewport, the units of shown numbers, and the mouse scheme."""

    visuals: bool = True
    collisions: bool = False
    spheres: bool = True
    frames: bool = False
    frame_names: bool = False
    joint_axes: bool = False
    grid: bool = True
    #: Tool centre points and end effectors of the SRDF.
    tools: bool = True
    sensors: bool = True
    mesh_opacity: float = 1.0
    sphere_opacity: float = 0.55
    sphere_radius: SphereRadius = SphereRadius.BARE
    parallel_projection: bool = False
    #: Spheres and links before the last change are drawn too.
    former: bool = False
    #: What is drawn too is the saved state, not the state before the last change.
    since_saved: bool = False
    #: The camera moves to what is selected in a list if it is small or out of sight.
    follow_selection: bool = True
    #: The panel Selection also shows a frame's rotation as quaternion and as axis with angle.
    rotation_forms: bool = False
    length_unit: LengthUnit = LengthUnit.MILLIMETRE
    angle_unit: AngleUnit = AngleUnit.DEGREE
    mouse: MouseScheme = MouseScheme.EDITOR


@dataclass(frozen=True, slots=True)
class Hover:
    """The object under the pointer, in any view."""

    link: str | None = None
    joint: str | None = None
    sphere: SphereRef | None = None
    feature: RobotFeature | None = None


class Session(QObject):
    """One per window. Signals carry (old, new) where views compare the two."""

    #: (Document): another robot was opened, or the robot was closed. Views rebuild themselves.
    document_opened = Signal(object)
    #: (old RobotDescription, new RobotDescription), after a step, undo or redo; compare parts by
    #: `is`.
    robot_changed = Signal(object, object)
    #: (robot at the last emission, new robot). Like robot_changed, but in a drag only when the
    #: mouse rests: for slow work.
    robot_settled = Signal(object, object)
    #: (KinematicTree): frames appeared or vanished, or joints changed; emitted before
    #: robot_changed.
    tree_changed = Signal(object)
    #: A drag has ended, or was taken back: the steps in it are one step now.
    step_ended = Signal()
    selection_changed = Signal(object)
    hover_changed = Signal(object)
    #: (Pose), complete. `transforms` belongs to it already.
    pose_changed = Signal(object)
    #: Emitted before joints are moved by hand: `transforms` still has the old pose.
    joints_moving = Signal()
    #: Emitted before the robot is posed, by hand or by a command: `transforms` still has the old
    #: pose.
    posing = Signal()
    #: (frozenset of locked joints).
    locked_changed = Signal(object)
    #: (frozenset of hidden frames).
    visibility_changed = Signal(object)
    #: DisplayOptions.
    display_changed = Signal(object)
    #: The document's history or its modified mark may have changed.
    history_changed = Signal()
    #: (name of the geometry group that is drawn and edited, or None).
    active_group_changed = Signal(object)
    #: (Beside): obstacles or stored poses changed, by a step, undo or redo.
    beside_changed = Signal(object)
    #: (joint -> calibrated origin, or None): the robot is drawn with these; they are not in the
    #: document.
    calibration_changed = Signal(object)
    #: (tuple of Finding), worst first.
    findings_changed = Signal(object)
    #: (bool): whether `findings` are complete and belong to the present robot.
    findings_known_changed = Signal(bool)
    #: Something was selected in a list: the view brings it into sight.
    look_requested = Signal()
    #: The view frames the selection.
    fit_requested = Signal()
    #: A sentence for the status bar.
    message = Signal(str)
    #: A sentence: why something was refused. It is shown over the view, without a dialog.
    refused = Signal(str)
    #: A sentence that is no refusal, shown in the same place.
    noticed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        #: Spheres that no fit changes.
        self.locks = SphereLocks(self)
        self.robot_changed.connect(self.locks.follow)
        self.document_opened.connect(lambda _: self.locks.clear())
        #: The document of an empty robot while no robot is open.
        self.document = Document.empty()
        self.has_robot = False
        self._unsubscribe: Callable[[], None] = self.document.subscribe(self._on_changed)
        #: Frames and joints after the modifiers.
        self.tree: KinematicTree = get_tree(self.document.robot)
        #: With a position for every movable joint; mimic joints follow theirs.
        self.pose: Pose = EMPTY_POSE
        #: (n, 4, 4) poses of `tree.frames` in the base frame at the present pose.
        self.transforms: F64 = np.zeros((0, 4, 4))
        #: The positions that were asked for.
        self._pose: Pose = EMPTY_POSE
        self.hover = Hover()
        self.hidden: frozenset[str] = frozenset()
        self.reaching = Reaching(self, self)
        self.document_opened.connect(lambda _: self.reaching.clear())
        #: The points of the chosen measurement: (frame, place in the frame in metres); empty
        #: without one.
        self.measured: tuple[tuple[str, tuple[float, float, float]], ...] = ()
        self.closed = ShownIntervals(lambda: self.robot, self)
        self.robot_changed.connect(self.closed.follow)
        self.document_opened.connect(lambda _: self.closed.show({}))
        #: Joints that do not move while the robot is posed by hand.
        self.locked: frozenset[str] = frozenset()
        self.display = DisplayOptions()
        #: The geometry group that the viewport draws and that new spheres go to.
        self.active_group: str | None = None
        self._beside = self.document.beside
        #: The state of the document that listeners received last.
        self._state = self.document.state
        self.findings: tuple[Finding, ...] = ()
        #: Whether all findings of the robot that settled last have come; and what
        #: `findings_known_changed` told last.
        self._looked_through, self._told_known = False, False
        #: Calibrated origins of joints in their parent links, drawn in place of the origins in the
        #: URDF.
        self.calibration: FrozenDict[str, Origin] | None = None
        self._calibrated: tuple[Urdf, Urdf] | None = None
        #: Steps merge into one at the moment: something is dragged, or a number turned.
        self.is_moving = False
        #: The robot of the last robot_settled, while a newer robot waits for it.
        self._settled: RobotDescription | None = None
        self._stepped = 0.0
        self._rest = after(self, self._settle)

    # -- the document

    @property
    def robot(self) -> RobotDescription:
        return self.document.robot

    def open(self, document: Document | None) -> None:
        """Shows `document` in the window; None closes the robot."""
        self._unsubscribe()
        self._rest.stop()
        self.is_moving, self._settled = False, None
        had_hidden, had_locked, had_findings = (
            self.hidden,
            self.locked,
            self.findings or self._told_known,
        )
        self.has_robot = document is not None
        self.document = document if document is not None else Document.empty()
        self._pose = EMPTY_POSE
        self.hover = Hover()
        self.hidden = frozenset()
        self.locked = frozenset()
        self.active_group = _preferred_group(self.robot)
        self.findings = ()
        self._looked_through = self._told_known = False
        self._beside, self._state = self.beside, self.document.state
        self._set_calibration(None)
        self._unsubscribe = self.document.subscribe(self._on_changed)
        self.tree = get_tree(self.robot)
        self._update_pose()
        self.document_opened.emit(self.document)
        self.active_group_changed.emit(self.active_group)
        self.selection_changed.emit(self.selection)
        self.pose_changed.emit(self.pose)
        if had_hidden:
            self.visibility_changed.emit(self.hidden)
        if had_locked:
            self.locked_changed.emit(self.locked)
        if had_findings:
            self.findings_changed.emit(self.findings)
        self.history_changed.emit()

    def execute(
        self,
        change: Change | TextChange,
        *,
        selection: Selection | None = None,
        merge: Hashable = None,
        beside: Beside | None = None,
    ) -> bool:
        """Execute a change by Document.execute. A refusal emits `refused` and returns False."""
        if not self.has_robot:
            return False
        self.is_moving = merge is not None
        try:
            self.document.execute(change, selection=selection, merge=merge, beside=beside)
        except CannotApply as error:
            self.refused.emit(str(error))
            return False
        return True

    @property
    def beside(self) -> Beside:
        """Obstacles, stored poses, and the motion through those poses."""
        return self.document.beside

    def set_beside(self, beside: Beside, label: str, *, merge: Hashable = None) -> None:
        """Set the scene and poses by Document.set_beside."""
        if self.has_robot:
            self.is_moving = merge is not None
            self.document.set_beside(beside, label, merge=merge)

    def seal(self) -> None:
        self.document.seal()
        self._end_motion()

    def abandon(self) -> None:
        self.document.abandon()
        self._end_motion()

    def undo(self) -> None:
        self.is_moving = False
        self.document.undo()

    def redo(self) -> None:
        self.is_moving = False
        self.document.redo()

    @property
    def is_settled(self) -> bool:
        """True if robot_settled was emitted for the present robot."""
        return self._settled is None

    # -- selection and hover

    @property
    def selection(self) -> Selection:
        return self.document.selection

    def select(self, selection: Selection) -> None:
        self.document.select(selection)

    def set_hover(self, hover: Hover) -> None:
        if hover != self.hover:
            self.hover = hover
            self.hover_changed.emit(hover)

    # -- kinematics and pose

    @property
    def free_pose(self) -> Pose:
        """The present positions of the joints that mimic no other."""
        return Pose({name: float(self.pose[name]) for name in self.tree.independent})

    def transform(self, frame: str) -> F64 | None:
        """(4, 4) pose of a frame; None when it is not in the tree."""
        if frame not in self.tree.index:
            return None
        return self.transforms[self.tree.index[frame]]  # type: ignore[no-any-return]

    @property
    def shown_robot(self) -> RobotDescription:
        """The robot that is drawn: the one of the document, with calibrated origins if they are
        shown."""
        return self._calibrated_robot(self.robot)

    def set_calibration(self, origins: FrozenDict[str, Origin] | None) -> None:
        """Draws the robot with other origins of joints; None: with the origins in the URDF. No step
        of the history."""
        if origins == self.calibration:
            return
        self._set_calibration(origins)
        if self._refresh_tree():
            self.tree_changed.emit(self.tree)
            self.pose_changed.emit(self.pose)

    def _set_calibration(self, origins: FrozenDict[str, Origin] | None) -> None:
        if origins != self.calibration:
            self.calibration, self._calibrated = origins, None
            self.calibration_changed.emit(origins)

    def _calibrated_robot(self, robot: RobotDescription) -> RobotDescription:
        if not self.calibration:
            return robot
        if self._calibrated is None or self._calibrated[0] is not robot.urdf:
            origins = self.calibration
            joints = tuple(
                replace(j, origin=origins.get(j.name, j.origin)) for j in robot.urdf.joints
            )
            self._calibrated = (robot.urdf, replace(robot.urdf, joints=joints))
        return robot.with_urdf(self._calibrated[1])

    def set_joint(self, joint: str, position: float) -> None:
        """Moves one joint (radians or metres), unless it is locked."""
        self.move_joints({joint: position})

    def move_joints(self, positions: Mapping[str, float]) -> None:
        """Moves several joints (radians or metres) at once. Locked joints stay."""
        self.joints_moving.emit()
        self.go_to(
            Pose(
                {
                    **self._pose,
                    **{name: v for name, v in positions.items() if name not in self.locked},
                }
            )
        )

    def set_locked(self, joint: str, locked: bool) -> None:
        """Locks a joint at its present position, or unlocks it."""
        if locked and joint in self.pose:
            # A joint that was never moved would follow the default.
            self._pose = self._pose.set(joint, self.pose[joint])
        joints = self.locked | {joint} if locked else self.locked - {joint}
        if joints != self.locked:
            self.locked = joints
            self.locked_changed.emit(joints)

    def go_to(self, pose: Pose) -> None:
        """Set a pose that the user chose by `set_pose`; the view keeps the robot in sight."""
        self.posing.emit()
        self.set_pose(pose)

    def set_pose(self, pose: Pose) -> None:
        """Poses the robot. Joints that `pose` lacks go to their default."""
        self._pose = pose
        self._update_pose()
        self.pose_changed.emit(self.pose)

    def _update_pose(self) -> None:
        tree = self.tree
        defaults = get_default_positions(tree, self.robot.xrdf)
        merged = Pose({**defaults, **{k: v for k, v in self._pose.items() if k in defaults}})
        self.pose = complete_pose(tree, merged)
        self.transforms = compute_forward(tree, self.pose)

    def _refresh_tree(self) -> bool:
        tree = get_tree(self.shown_robot)
        if tree is self.tree:
            return False
        self.tree = tree
        self._update_pose()
        return True

    # -- looking

    def set_hidden(self, hidden: frozenset[str]) -> None:
        if hidden != self.hidden:
            self.hidden = hidden
            self.visibility_changed.emit(hidden)

    def set_display(self, **changes: Any) -> None:
        """Changes fields of DisplayOptions."""
        display = replace(self.display, **changes)
        if display != self.display:
            self.display = display
            self.display_changed.emit(display)

    def set_active_group(self, name: str | None) -> None:
        if name != self.active_group:
            self.active_group = name
            self.active_group_changed.emit(name)

    # -- findings

    def set_findings(self, findings: tuple[Finding, ...]) -> None:
        ordered = tuple(sorted(findings, key=lambda f: (-f.severity, f.code)))
        if ordered != self.findings:
            self.findings = ordered
            self.findings_changed.emit(ordered)

    @property
    def findings_known(self) -> bool:
        """True if all findings of the present robot have come. Until then they are shown as of the
        robot before."""
        return self._looked_through and self.is_settled

    def set_findings_known(self, is_complete: bool) -> None:
        """Told by the feed: all findings of the robot that settled last have come, or some are
        awaited."""
        self._looked_through = is_complete
        self._tell_known()

    def _tell_known(self) -> None:
        if self.findings_known is not self._told_known:
            self._told_known = self.findings_known
            self.findings_known_changed.emit(self._told_known)

    def _on_changed(self, event: Changed) -> None:
        if event.new is not event.old:
            if self._refresh_tree():
                self.tree_changed.emit(self.tree)
                self.pose_changed.emit(self.pose)
            elif (
                event.new.xrdf.default_joint_positions is not event.old.xrdf.default_joint_positions
            ):
                # Joints that were not moved are at their default.
                self.posing.emit()
                self._update_pose()
                self.pose_changed.emit(self.pose)
            if event.new.xrdf.group(self.active_group) is None:
                self.set_active_group(_preferred_group(event.new))
            self.robot_changed.emit(event.old, event.new)
        if event.new_selection != event.old_selection:
            self.selection_changed.emit(event.new_selection)
        if self.beside is not self._beside:
            self._beside = self.beside
            self.beside_changed.emit(self._beside)
        is_first, before = self._settled is None, self._state
        self._state = self.document.state
        if is_first and self._state is before and event.new_selection != event.old_selection:
            # Another selection is no step: nothing that follows the history has anything to do.
            return
        if is_first:
            self._settled = event.old
        if not self.is_moving:
            self._settle()
        else:
            self._rest.start(self._time_to_rest(is_first))
            self._tell_known()
            if is_first:
                self.history_changed.emit()

    def _time_to_rest(self, is_first: bool) -> int:
        """Milliseconds without a step that count as a rest: more where a step and its frame take
        long."""
        before, self._stepped = self._stepped, monotonic()
        step = 1000 * (self._stepped - before)
        if is_first and step > 2 * _LONGEST_REST_MS:
            return _FIRST_REST_MS
        # The first step after a rest counts too: else a drag that is slower than the rest would
        # settle at every step.
        return min(max(_FIRST_REST_MS if is_first else REST_MS, round(3 * step)), _LONGEST_REST_MS)

    def _end_motion(self) -> None:
        was_moving, self.is_moving = self.is_moving, False
        if self._settled is not None:
            self._settle()
        if was_moving:
            self.step_ended.emit()

    def _settle(self) -> None:
        """Emits robot_settled: the mouse rests."""
        self._rest.stop()
        old, self._settled = self._settled, None
        if old is not None and self.robot is not old:
            self.robot_settled.emit(old, self.robot)
        self._tell_known()
        self.history_changed.emit()


def _preferred_group(robot: RobotDescription) -> str | None:
    groups = robot.xrdf.geometry or ()
    for name in (robot.xrdf.world_group, robot.xrdf.self_group):
        if name is not None and robot.xrdf.group(name) is not None:
            return name
    return groups[0].name if groups else None
