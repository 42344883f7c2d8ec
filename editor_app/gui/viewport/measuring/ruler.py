"""What was measured, drawn in the view until it is cleared; it stays with the links when they move."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, QPointF, Signal

from editor_app.geometry.measuring import Place, angle_at, distance
from editor_app.gui.bindings.quantity import ANGLE, LENGTH
from editor_app.gui.session import Session
from editor_app.gui.viewport.aim import Pick
from editor_app.gui.viewport.camera import Array
from editor_app.gui.viewport.scene import Scene
from editor_app.model.findings import SphereRef

_NOTES, _PENDING = "viewport.measured", "viewport.measuring"
#: The origin of a frame that is drawn is pointed at within so many pixels.
_NEAR = 9.0
#: How far along its arms an angle is marked.
_ARC = 0.3


@dataclass(frozen=True)
class Anchor:
    """What is measured from: `local` (3,) in metres and the face's `normal` (3,), both in the frame; or a sphere."""

    frame: str
    name: str
    local: tuple[float, float, float] = (0.0, 0.0, 0.0)
    normal: tuple[float, float, float] | None = None
    sphere: SphereRef | None = None


class Ruler(QObject):
    """One per view. A note has two anchors for a distance, three for an angle at the second, one for a radius."""

    #: Notes came or went.
    changed = Signal()

    def __init__(self, session: Session, scene: Scene, tell: Callable[[str, QPointF], None], parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._scene, self._tell = session, scene, tell
        self.notes: tuple[tuple[Anchor, ...], ...] = ()
        self.pending: Anchor | None = None
        session.document_opened.connect(lambda _: self.clear())
        for signal in (session.pose_changed, session.robot_changed, session.display_changed):
            signal.connect(self._draw)

    # -- what the mouse does

    def click(self, pick: Pick, at: QPointF, *, extends: bool) -> None:
        """The first click takes a place, the second measures to another; `extends` makes the last distance an angle."""
        anchor = self.anchor_of(pick, at)
        if anchor is None:
            self._session.refused.emit("Measure from the surface of a link, a sphere, or a frame that is shown.")
            return
        if extends and self.pending is None and self.notes and len(self.notes[-1]) == 2:
            self._set((*self.notes[:-1], (*self.notes[-1], anchor)), None)
        elif self.pending is None:
            self._set(self.notes, anchor)
        elif anchor == self.pending and anchor.sphere is not None:
            self._set((*self.notes, (anchor,)), None)
        elif anchor != self.pending:
            self._set((*self.notes, (self.pending, anchor)), None)
        self._tell("", at)

    def point_at(self, pick: Pick | None, at: QPointF) -> str:
        """Shows at the pointer what a click would take; the sentence about it."""
        anchor = self.anchor_of(pick, at) if pick is not None else None
        self._scene.overlay.remove(_PENDING)
        if anchor is None:
            self._tell("", at)
        else:
            self._tell(self._preview(anchor), at)
        self._scene.redraw()
        if self.pending is not None:
            return "Click where the distance ends · the same sphere again: its radius · Esc: another start"
        more = " · Shift-click: angle with the last distance" if self.notes and len(self.notes[-1]) == 2 else ""
        return f"Click where to measure from: a surface, a sphere, a frame that is shown{more} · Esc: select"

    def _preview(self, anchor: Anchor) -> str:
        place = self.place(anchor)
        start = self.place(self.pending) if self.pending is not None else None
        if place is None or start is None or anchor == self.pending:
            return anchor.name
        self._scene.overlay.set_lines(
            _PENDING, np.array([[start.point, place.point]]), np.array([*self._scene.accent, 0.6])
        )
        display = self._session.display
        parts = zip("xyz", distance(start, place).along, strict=True)
        along = "   ".join(f"{name} {LENGTH.rounded(value, display)}" for name, value in parts)
        return f"{anchor.name}\n{self._words(start, place)}\n{along}   {LENGTH.unit(display)}"

    def back(self) -> bool:
        """Gives up the place that was taken; False when there is none."""
        if self.pending is None:
            return False
        self._set(self.notes, None)
        return True

    def leave(self) -> None:
        """Another tool: the notes stay."""
        self.back()
        self._scene.overlay.remove(_PENDING)
        self._tell("", QPointF())

    def clear(self) -> None:
        """Takes all notes away."""
        self._set((), None)

    # -- places

    def anchor_of(self, pick: Pick | None, at: QPointF) -> Anchor | None:
        """A frame that is drawn comes before a sphere, a sphere before a surface."""
        if pick is None:
            return None
        frame = self._frame_at(at)
        if frame is not None:
            return Anchor(frame, f"origin of {frame}")
        if pick.sphere is not None:
            name = f"centre of sphere {pick.sphere.index + 1} of {pick.sphere.frame}"
            return Anchor(pick.sphere.frame, name, sphere=pick.sphere)
        pose = self._scene.pose_of(pick.surface.link) if pick.surface is not None else None
        if pick.surface is None or pose is None:
            return None
        turn: Array = pose[:3, :3]
        local, normal = turn.T @ (pick.surface.point - pose[:3, 3]), turn.T @ pick.surface.normal
        return Anchor(pick.surface.link, f"surface of {pick.surface.link}", _three(local), _three(normal))

    def _frame_at(self, at: QPointF) -> str | None:
        tree = self._session.tree
        if tree is None or not self._session.display.frames:
            return None
        seen = self._scene.camera.project(self._session.transforms[:, :3, 3])
        away = np.hypot(seen[:, 0] - at.x(), seen[:, 1] - at.y())
        away[~(seen[:, 2] > 0)] = np.inf
        nearest = int(np.argmin(away))
        return tree.frames[nearest] if away[nearest] <= _NEAR else None

    def place(self, anchor: Anchor) -> Place | None:
        """Where it is at the present pose; None when it is no more."""
        table = self._scene.table
        if anchor.sphere is not None:
            row = table.row.get(anchor.sphere)
            return None if row is None else Place(table.world[row].copy(), radius=float(table.shown[row]))
        pose = self._scene.pose_of(anchor.frame)
        if pose is None:
            return None
        normal = None if anchor.normal is None else pose[:3, :3] @ np.array(anchor.normal)
        return Place(pose[:3, :3] @ np.array(anchor.local) + pose[:3, 3], normal)

    # -- notes

    def texts(self) -> list[str]:
        """What the notes say, in the units of the window."""
        return [text for text, _ in self._drawn()]

    def _drawn(self) -> list[tuple[str, list[Array]]]:
        """Per note its text and its segments (2, 3); the first one carries the text."""
        drawn = []
        for note in self.notes:
            places = [place for anchor in note if (place := self.place(anchor)) is not None]
            if len(places) == len(note):
                drawn.append(self._note(places))
        return drawn

    def _note(self, places: list[Place]) -> tuple[str, list[Array]]:
        display = self._session.display
        if len(places) == 1:
            radius = places[0].radius or 0.0
            end = places[0].point + np.array([abs(radius), 0.0, 0.0])
            return f"r {LENGTH.described(radius, display)}", [np.array([places[0].point, end])]
        points = [place.point for place in places]
        if len(places) == 2:
            return self._words(*places), [np.array(points)]
        one, corner, other = points
        mark = np.array([corner + _ARC * (one - corner), corner + _ARC * (other - corner)])
        try:
            text = ANGLE.described(angle_at(places[1], places[0], places[2]), display)
        except ValueError:
            text = "no angle"
        return text, [mark, np.array([one, corner]), np.array([corner, other])]

    def _words(self, one: Place, other: Place) -> str:
        display = self._session.display
        measured = distance(one, other)
        text = LENGTH.described(measured.length, display)
        if measured.gap is not None:
            text += f" · gap {LENGTH.described(measured.gap, display)}"
        if measured.faces is not None:
            text += f" · faces {ANGLE.described(measured.faces, display)}"
        return text

    def _set(self, notes: tuple[tuple[Anchor, ...], ...], pending: Anchor | None) -> None:
        told = notes != self.notes
        self.notes, self.pending = notes, pending
        self._scene.overlay.remove(_PENDING)
        self._draw()
        if told:
            self.changed.emit()

    def _draw(self, *_: object) -> None:
        if not self.notes and _NOTES not in self._scene.overlay.names:
            return
        drawn = self._drawn()
        ends = [segment for _, segments in drawn for segment in segments]
        labels = [text if k == 0 else "" for text, segments in drawn for k in range(len(segments))]
        self._scene.overlay.set_lines(
            _NOTES, np.array(ends).reshape(-1, 2, 3), np.array([*self._scene.accent, 1.0]), labels
        )
        self._scene.redraw()


def _three(values: Array) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z
