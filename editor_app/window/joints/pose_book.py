"""The poses that a robot can go to by name: its default, the states of the SRDF, and what a person
stored."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from editor_app.core.document.beside import Beside, write_poses
from editor_app.core.document.replacing import SaveError
from editor_app.core.model.pose import Pose
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import JointType
from editor_app.core.space.kinematics.tree import get_default_positions
from editor_app.core.tasks.work import Refused
from editor_app.core.verbs.pose_texts import parse_pose, pose_text
from editor_app.window.actions.action_tables import NAMED_POSES
from editor_app.window.actions.actions import ActionRegistry, Reason
from editor_app.window.docks.docks import Docks
from editor_app.window.session import Session

#: Actions of the list of poses, in the order of its buttons.
LIST_ACTIONS = tuple(spec.id for spec in NAMED_POSES)


class PoseKind(StrEnum):
    DEFAULT = "default"
    STATE = "state"
    STORED = "stored"


@dataclass(frozen=True, slots=True)
class PoseEntry:
    """`pose` names the joints that it moves; `group` is the group of an SRDF state."""

    kind: PoseKind
    name: str
    pose: Pose
    group: str = ""

    @property
    def text(self) -> str:
        return f"{self.name} · {self.group}" if self.group else self.name


class PoseBook(QObject):
    """One per window. The stored poses are in the document; every change of them is kept for the
    robot's URDF."""

    #: Entries came, went, or are called otherwise.
    changed = Signal()
    #: Other entries are chosen.
    chosen_changed = Signal()
    #: The chosen entry is to get another name.
    rename_asked = Signal()

    def __init__(
        self, session: Session, docks: Docks, registry: ActionRegistry, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._docks = docks
        self._session = session
        self._stored = session.beside.poses
        #: What a list has selected, in the order in which it was selected.
        self.chosen: tuple[PoseEntry, ...] = ()
        session.document_opened.connect(self._on_opened)
        session.robot_changed.connect(self._on_robot)
        session.beside_changed.connect(self._on_beside)
        registry.add(NAMED_POSES, self)
        self.chosen_changed.connect(registry.refresh_later)

    def _on_opened(self, _: object) -> None:
        self._stored = self._session.beside.poses
        self.choose(())
        self.changed.emit()

    def _on_robot(self, old: RobotDescription, new: RobotDescription) -> None:
        defaults = old.xrdf.default_joint_positions, new.xrdf.default_joint_positions
        if new.srdf is not old.srdf or defaults[0] is not defaults[1]:
            self.changed.emit()

    def _on_beside(self, beside: Beside) -> None:
        if beside.poses is self._stored:
            return
        self._stored = beside.poses
        path = self._session.document.urdf_path
        if path is not None:
            try:
                write_poses(path, beside.poses)
            except (SaveError, OSError) as error:
                self._session.refused.emit(
                    f"The poses could not be stored and last for this session only: {error}"
                )
        entries = self.entries()
        self.choose(tuple(entry for entry in self.chosen if entry in entries))
        self.changed.emit()

    def entries(self) -> list[PoseEntry]:
        """The default, the SRDF's states, stored poses."""
        robot, tree = self._session.robot, self._session.tree
        if not tree.independent:
            return []
        entries = [PoseEntry(PoseKind.DEFAULT, "Default", get_default_positions(tree, robot.xrdf))]
        for state in robot.srdf.states if robot.srdf is not None else ():
            positions = {
                joint: values[0] for joint, values in state.positions.items() if len(values) == 1
            }
            entries.append(PoseEntry(PoseKind.STATE, state.name, Pose(positions), state.group))
        return [
            *entries,
            *(PoseEntry(PoseKind.STORED, name, pose) for name, pose in self._stored.items()),
        ]

    def choose(self, entries: tuple[PoseEntry, ...]) -> None:
        if entries != self.chosen:
            self.chosen = entries
            self.chosen_changed.emit()

    # -- stored ones

    def store(self) -> PoseEntry | None:
        """The present pose under the first free name; chosen."""
        pose = self._session.free_pose
        if not pose:
            return None
        beside, name = self._session.beside.with_pose(pose)
        self._session.set_beside(beside, f"Store {name}")
        entry = PoseEntry(PoseKind.STORED, name, pose)
        self.choose((entry,))
        return entry

    def rename(self, entry: PoseEntry, name: str) -> None:
        """Another name for a stored pose; one that is taken is refused."""
        name = " ".join(name.split())
        if entry.kind is not PoseKind.STORED or not name or name == entry.name:
            self.changed.emit()
            return
        try:
            beside = self._session.beside.with_renamed(entry.name, name)
        except ValueError:
            self._session.refused.emit(f"A pose named {name} already exists.")
            self.changed.emit()
            return
        self._session.set_beside(beside, f"Rename {entry.name}")
        self.choose((PoseEntry(PoseKind.STORED, name, entry.pose),))

    def delete(self, entries: tuple[PoseEntry, ...]) -> None:
        """Stored ones among them; a motion through them passes them by."""
        names = [entry.name for entry in entries if entry.kind is PoseKind.STORED]
        deleted = ", ".join(names)
        self._session.set_beside(self._session.beside.without(names), f"Delete {deleted}")
        self._session.message.emit(f"{deleted} deleted. Ctrl+Z restores it.")

    # -- going there

    def go_to(self, entry: PoseEntry) -> None:
        """The joints that the entry names go there; locked ones stay."""
        positions = {
            joint: value for joint, value in entry.pose.items() if joint in self._session.pose
        }
        self._session.move_joints(positions)
        missing = [joint for joint in entry.pose if joint not in positions]
        if missing:
            self._session.noticed.emit(
                f"{entry.name} has joints that are not in this robot: {', '.join(missing)}."
            )

    def blend(self, one: PoseEntry, other: PoseEntry, share: float) -> None:
        """Between two poses: 0 is the first, 1 the other; joints that only one of them names go
        there."""
        tree = self._session.tree
        moved: dict[str, float] = {}
        for name in tree.independent:
            a, b = (
                one.pose.get(name, other.pose.get(name)),
                other.pose.get(name, one.pose.get(name)),
            )
            if a is None or b is None:
                continue
            joint = tree.joint(name)
            # A joint without end takes the shorter way round.
            endless = (
                joint is not None and joint.limits is None and joint.type is not JointType.PRISMATIC
            )
            way = math.remainder(b - a, 2 * math.pi) if endless else b - a
            moved[name] = a + share * way if share < 1.0 else b
        self._session.move_joints(moved)

    # -- actions

    def one_pose(self) -> bool:
        return len(self.chosen) == 1

    def no_stored(self) -> Reason:
        if any(entry.kind is PoseKind.STORED for entry in self.chosen):
            return None
        return "Select a pose that you stored. Edit the default in XRDF and states in SRDF."

    def go_to_chosen(self) -> None:
        self.go_to(self.chosen[0])

    def rename_chosen(self) -> None:
        """The name is typed in the list of poses."""
        self._docks.show("joints")
        self.rename_asked.emit()

    def store_and_name(self) -> None:
        if self.store() is not None:
            self.rename_chosen()

    def delete_chosen(self) -> None:
        self.delete(self.chosen)

    def paste(self) -> None:
        """Goes to the pose in the clipboard, and tells what it left out; what is none is refused
        with the reason."""
        robot = self._session.robot
        try:
            pose = parse_pose(robot, QGuiApplication.clipboard().text())
        except Refused as error:
            self._session.refused.emit(f"{str(error)[:1].upper()}{str(error)[1:]}")
            return
        self._session.move_joints(pose)
        sentences, is_notable = pose.told(self._session.locked)
        (self._session.noticed if is_notable else self._session.message).emit(sentences)

    def copy(self, kind: Literal["yaml", "python"]) -> None:
        """The present pose into the clipboard, in radians and metres."""
        QGuiApplication.clipboard().setText(pose_text(self._session.free_pose, kind))
        name = {"python": "Python", "yaml": "YAML"}[kind]
        self._session.message.emit(f"Pose copied as {name}.")
