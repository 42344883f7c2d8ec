"""Actions about where a tool is: its place copied as text, and a place that is pasted as its target."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from editor_app.gui.action_tables import PLACES
from editor_app.gui.actions import ActionRegistry
from editor_app.gui.reach_texts import told_short
from editor_app.gui.session import Session
from editor_app.operations.tool_places import PlaceText, frame_pose, parse_place, place_text
from editor_app.operations.work import Refused

_NAMES: dict[str, str] = {"urdf": "the origin of a URDF", "xrdf": "fixed_transform of an XRDF", "ros": "a pose of ROS"}


class ToolPlaces(QObject):
    """One per window."""

    def __init__(self, session: Session, registry: ActionRegistry, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        registry.add(PLACES, self)

    def frame(self) -> str | None:
        """The selected frame, else the first tool frame."""
        tree, robot = self._session.tree, self._session.robot
        if tree is None or robot is None:
            return None
        names = (*reversed(self._session.selection.frames), *(robot.xrdf.tool_frames or ()))
        return next((name for name in names if name in tree.index), None)

    def copy(self, kind: PlaceText) -> None:
        """The place of the frame, in the frame that the Selection panel tells it in."""
        frame, robot, tree = self.frame(), self._session.robot, self._session.tree
        if frame is None or robot is None or tree is None:
            return
        reference = self._session.reaching.reference
        place = frame_pose(robot, frame, reference if reference in tree.index else "", self._session.free_pose)
        QGuiApplication.clipboard().setText(place_text(place, kind))
        self._session.message.emit(f"{frame} in {place.reference} is in the clipboard as {_NAMES[kind]}.")

    def paste(self) -> None:
        """Brings the frame to the place in the clipboard; what is none is refused with the reason."""
        frame, session = self.frame(), self._session
        tree = session.tree
        if frame is None or tree is None:
            return
        try:
            place = parse_place(QGuiApplication.clipboard().text())
        except Refused as error:
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
            session.message.emit(f"{frame} is at the pasted place.")
        else:
            session.noticed.emit(f"{frame} stops {told_short(reach, solver, session.display)}.")
