"""Measuring by the mouse: notes are drawn until they are taken away, and follow the links when they
move."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QObject, QPointF, Signal

from editor_app.core.arrays import F64
from editor_app.core.document.document import Document
from editor_app.core.document.selection import NOTHING, Selection, followed_sphere
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.space.geometry.distance import SurfacePoint, angle_at, distance
from editor_app.window.bindings.quantity import ANGLE, LENGTH
from editor_app.window.viewport.aim import Pick
from editor_app.window.viewport.camera import three
from editor_app.window.viewport.frame_drag import Hand
from editor_app.window.viewport.instrument import Instrument
from editor_app.window.viewport.picking import near_segments
from editor_app.window.viewport.tools import Tool


@dataclass(frozen=True)
class Anchor:
    """A place on the robot: `local` (3,) in metres and the face's `normal` (3,), both in the frame;
    or a sphere.

    `sphere_then` is the sphere as it was when it was seen last. `is_lost`: the sphere is no more.
    `is_stale`: the shapes of the link are others than those that were measured.
    """

    frame: str
    local: tuple[float, float, float] = (0.0, 0.0, 0.0)
    normal: tuple[float, float, float] | None = None
    sphere: SphereRef | None = None
    sphere_then: CollisionSphere | None = None
    is_lost: bool = False
    is_stale: bool = False

    @property
    def point(self) -> tuple[float, float, float]:
        """The place in the frame, metres."""
        return self.local if self.sphere_then is None else self.sphere_then.center

    @property
    def name(self) -> str:
        if self.sphere is not None:
            return f"centre of sphere {self.sphere.index + 1} of {self.frame}"
        return f"origin of {self.frame}" if self.normal is None else f"surface of {self.frame}"


@dataclass(frozen=True)
class Note:
    """Two anchors for a distance, three for an angle at the second, one for a radius."""

    anchors: tuple[Anchor, ...]
    name: str = ""
    is_hidden: bool = False

    @property
    def is_stale(self) -> bool:
        return any(anchor.is_stale for anchor in self.anchors)

    @property
    def between(self) -> str:
        """From where to where."""
        names = [anchor.name for anchor in self.anchors]
        if len(names) == 3:
            return f"at {names[1]}, between {names[0]} and {names[2]}"
        return " → ".join(names)


def followed(note: Note, old: RobotDescription, new: RobotDescription) -> Note:
    """The note on the changed robot: spheres that were renumbered are still the same spheres."""
    anchors = tuple(_followed(anchor, old, new) for anchor in note.anchors)
    # The same object where nothing is different.
    return note if anchors == note.anchors else replace(note, anchors=anchors)


def _followed(anchor: Anchor, old: RobotDescription, new: RobotDescription) -> Anchor:
    if anchor.sphere is not None:
        return (
            anchor
            if new.xrdf.geometry is old.xrdf.geometry
            else _followed_sphere(anchor, anchor.sphere, old, new)
        )
    if anchor.normal is None or anchor.is_stale or new.urdf is old.urdf:
        return anchor
    before, now = old.urdf.link(anchor.frame), new.urdf.link(anchor.frame)
    if (
        before is None
        or now is None
        or (before.visuals, before.collisions) == (now.visuals, now.collisions)
    ):
        return anchor
    return replace(anchor, is_stale=True)


def _followed_sphere(
    anchor: Anchor, ref: SphereRef, old: RobotDescription, new: RobotDescription
) -> Anchor:
    before, now = (robot.xrdf.listed_spheres(ref.group, ref.frame) for robot in (old, new))
    if before is now:
        return anchor
    if anchor.is_lost:
        # It comes back with its sphere, as by an undo.
        places = [k for k, sphere in enumerate(now) if sphere == anchor.sphere_then]
        place = min(places, key=lambda k: abs(k - ref.index), default=None)
        return (
            anchor
            if place is None
            else replace(anchor, sphere=replace(ref, index=place), is_lost=False)
        )
    at = followed_sphere(ref, old, new)
    if at is None:
        return replace(anchor, sphere_then=before[ref.index], is_lost=True)
    return replace(anchor, sphere=at, sphere_then=now[at.index]) if at.index < len(now) else anchor


_NOTES, _CHOSEN, _PENDING = "viewport.measured", "viewport.measured.chosen", "viewport.measuring"
#: The view's tool that measures.
TOOL = "measure"
#: The origin of a frame that is drawn is pointed at within so many pixels.
_NEAR = 9.0
#: How far along its arms an angle is marked.
_ARC = 0.3


#: A line is pointed at within so many pixels.
_LINE = 4.0


class Told(NamedTuple):
    """A note in words: what was measured, its parts along the axes of the base, "" where it has
    none.

    `columns`: the parts again, with as many decimals in each note, to stand below each other.
    """

    value: str
    along: tuple[str, str, str] = ("", "", "")
    columns: tuple[str, str, str] = ("", "", "")


class _Drawn(NamedTuple):
    """`segments` (2, 3) each, the first of which carries the text."""

    number: int
    text: str
    segments: list[F64]


class Ruler(Instrument):
    """One per view: takes places by the mouse, keeps the notes, and draws them."""

    tool = TOOL
    #: Notes came or went, or are called, shown or chosen otherwise.
    changed = Signal()
    #: The numbers of the notes may be others.
    moved = Signal()
    #: The chosen note is to get a name.
    rename_asked = Signal()

    def __init__(self, hand: Hand, parent: QObject) -> None:
        super().__init__(parent)
        session, self._scene, self._tell = hand
        self._session = session
        self.notes: tuple[Note, ...] = ()
        #: Number of the note that keys and menus act on.
        self.chosen: int | None = None
        self.pending: Anchor | None = None
        self._drawn: list[_Drawn] = []
        self._document = session.document
        session.document_opened.connect(self._on_opened)
        session.robot_changed.connect(self._on_robot)
        session.selection_changed.connect(self._on_selection)
        for signal in (session.pose_changed, session.display_changed):
            signal.connect(self._draw)

    # -- what the mouse does

    def click(self, pick: Pick, at: QPointF, *, extends: bool) -> None:
        """The first click takes a place, the second measures to another; `extends` makes the last
        distance an angle."""
        anchor = self.anchor_of(pick, at)
        if anchor is None:
            self._session.refused.emit(
                "Measure from the surface of a link, a sphere, or a visible frame."
            )
            return
        if extends and self._can_extend:
            last = self.notes[-1]
            self._set((*self.notes[:-1], replace(last, anchors=(*last.anchors, anchor))), None)
        elif self.pending is None:
            self._set(self.notes, anchor)
        elif anchor == self.pending and anchor.sphere is not None:
            self._set((*self.notes, Note((anchor,))), None)
        elif anchor != self.pending:
            self._set((*self.notes, Note((self.pending, anchor))), None)
        self._tell("", at)

    def take_click(self, at: QPointF, tool: str) -> bool:
        """A click on a measurement chooses it; places are measured from beside its text alone."""
        note = None
        if tool in (Tool.SELECT, TOOL) and self.pending is None:
            note = self.note_at(at, lines=tool is Tool.SELECT)
        if note is not None:
            self._session.select(NOTHING)
        self.choose(note)
        return note is not None

    def menu_at(self, at: QPointF) -> str:
        if (note := self.note_at(at)) is not None:
            self.choose(note)
        return "" if note is None else "note"

    @property
    def has_chosen(self) -> bool:
        return self.chosen is not None

    def delete(self) -> None:
        if self.chosen is not None:
            self.remove(self.chosen)

    def step_back(self, tool: str) -> bool:
        if tool == TOOL and self.back():
            return True
        had_chosen = self.has_chosen
        self.choose(None)
        return had_chosen

    def tool_hint(self, pick: Pick | None, at: QPointF) -> str:
        """Shows at the pointer what a click would take; the sentence about it."""
        anchor = self.anchor_of(pick, at) if pick is not None else None
        self._scene.overlay.remove(_PENDING)
        if anchor is None:
            self._tell("", at)
        else:
            self._tell(self._preview(anchor), at)
        if self.pending is not None:
            return "Click the end point · same sphere again: radius · Esc: new start"
        more = " · Shift-click: angle with the last distance" if self._can_extend else ""
        return f"Click a start point: a surface, sphere or visible frame{more} · Esc: select"

    @property
    def _can_extend(self) -> bool:
        return self.pending is None and bool(self.notes) and len(self.notes[-1].anchors) == 2

    def _preview(self, anchor: Anchor) -> str:
        place = self.place(anchor)
        start = self.place(self.pending) if self.pending is not None else None
        if place is None or start is None or anchor == self.pending:
            return anchor.name
        self._scene.overlay.set_lines(
            _PENDING, np.array([[start.point, place.point]]), np.array([*self._scene.accent, 0.6])
        )
        parts = zip("xyz", self._along(start, place), strict=True)
        along = "   ".join(f"{name} {value}" for name, value in parts)
        return (
            f"{anchor.name}\n{self._words(start, place)}\n{along}   "
            f"{LENGTH.unit(self._session.display)}"
        )

    def _along(
        self, start: SurfacePoint, end: SurfacePoint, *, zeros: bool = False
    ) -> tuple[str, str, str]:
        display = self._session.display
        x, y, z = (
            LENGTH.rounded(value, display, zeros=zeros) for value in distance(start, end).along
        )
        return x, y, z

    def back(self) -> bool:
        """Gives up the place that was taken; False when there is none."""
        had_place = self.pending is not None
        self._set(self.notes, None)
        return had_place

    def leave(self) -> None:
        """Another tool: the notes stay."""
        self.back()
        self._tell("", QPointF())

    def clear(self) -> None:
        self._set((), None)

    # -- single notes

    def choose(self, index: int | None) -> None:
        """Makes a note the one that keys and menus act on; None: no note."""
        if index != self.chosen and (index is None or index < len(self.notes)):
            self.chosen = index
            self._draw()
            self.changed.emit()

    def remove(self, index: int) -> None:
        """Takes one note away. Raises IndexError."""
        del (notes := list(self.notes))[index]
        self.chosen = None
        self._set(tuple(notes), self.pending)

    def rename(self, index: int, name: str) -> None:
        """Gives a note a name of its own, or with "" none. Raises IndexError."""
        self._exchange(index, replace(self.notes[index], name=name.strip()))

    def set_hidden(self, index: int, hidden: bool) -> None:
        """Leaves a note out of the view, or shows it again. Raises IndexError."""
        self._exchange(index, replace(self.notes[index], is_hidden=hidden))

    def _exchange(self, index: int, note: Note) -> None:
        self._set((*self.notes[:index], note, *self.notes[index + 1 :]), self.pending)

    def note_at(self, at: QPointF, *, lines: bool = True) -> int | None:
        """Number of the note whose text, or line, is drawn under the pointer."""
        scene = self._scene
        camera = scene.camera
        for name, notes in (
            (_CHOSEN, self._shown(chosen=True)),
            (_NOTES, self._shown(chosen=False)),
        ):
            for drawn, (point, width, height) in zip(
                notes, scene.overlay.texts_of(name), strict=False
            ):
                x, y, depth = camera.project(point)[0]
                if depth > 0 and 0 <= at.x() - x <= width and abs(at.y() - y) <= height / 2:
                    return drawn.number
        for drawn in self._drawn if lines else ():
            ends = [camera.project(segment) for segment in drawn.segments]
            if any(
                (e[:, 2] > 0).all() and near_segments(e[:1, :2], e[1:, :2], at.x(), at.y()) <= _LINE
                for e in ends
            ):
                return drawn.number
        return None

    def _shown(self, *, chosen: bool) -> list[_Drawn]:
        return [drawn for drawn in self._drawn if (drawn.number == self.chosen) is chosen]

    def line_of(self, index: int) -> str:
        """A note as a line of text, for another program. Raises IndexError."""
        note, told = self.notes[index], self.told(index)
        if told is None:
            return f"{note.name or 'Measurement'}: no longer exists ({note.between})"
        along = ", ".join(
            f"{name} {value}" for name, value in zip("xyz", told.along, strict=True) if value
        )
        more = f" ({along} {LENGTH.unit(self._session.display)})" if along else ""
        return (f"{note.name}: " if note.name else "") + f"{told.value}{more}, {note.between}"

    # -- places

    def anchor_of(self, pick: Pick | None, at: QPointF) -> Anchor | None:
        """A frame that is drawn comes before a sphere, a sphere before a surface."""
        if pick is None:
            return None
        frame = self._frame_at(at)
        if frame is not None:
            return Anchor(frame)
        if pick.sphere is not None:
            then = self._scene.table.sphere(pick.sphere)
            return Anchor(pick.sphere.frame, sphere=pick.sphere, sphere_then=then)
        pose = self._scene.poses.get(pick.surface.link) if pick.surface is not None else None
        if pick.surface is None or pose is None:
            return None
        turn: F64 = pose[:3, :3]
        local, normal = turn.T @ (pick.surface.point - pose[:3, 3]), turn.T @ pick.surface.normal
        return Anchor(pick.surface.link, three(local), three(normal))

    def _frame_at(self, at: QPointF) -> str | None:
        tree = self._session.tree
        if not self._session.display.frames:
            return None
        nearest = self._scene.camera.nearest(
            self._session.transforms[:, :3, 3], at.x(), at.y(), _NEAR
        )
        return None if nearest is None else tree.frames[nearest]

    def place(self, anchor: Anchor) -> SurfacePoint | None:
        """Return the place of the anchor at the present pose; None if it is gone."""
        table = self._scene.table
        if anchor.is_lost:
            return None
        if anchor.sphere is not None:
            row = table.row.get(anchor.sphere)
            return (
                None
                if row is None
                else SurfacePoint(table.world[row].copy(), radius=float(table.shown[row]))
            )
        pose = self._scene.poses.get(anchor.frame)
        if pose is None:
            return None
        normal = None if anchor.normal is None else pose[:3, :3] @ np.array(anchor.normal)
        return SurfacePoint(pose[:3, :3] @ np.array(anchor.local) + pose[:3, 3], normal)

    # -- notes

    def told(self, index: int) -> Told | None:
        """A note at the present pose; None when one of its places is no more. Raises IndexError."""
        places = self._places(self.notes[index])
        if places is None:
            return None
        display = self._session.display
        if len(places) == 1:
            return Told(f"r {LENGTH.described(places[0].radius or 0.0, display)}")
        if len(places) == 2:
            return Told(
                self._words(*places), self._along(*places), self._along(*places, zeros=True)
            )
        try:
            return Told(ANGLE.described(angle_at(places[1], places[0], places[2]), display))
        except ValueError:
            return Told("no angle")

    def _places(self, note: Note) -> list[SurfacePoint] | None:
        places = [place for anchor in note.anchors if (place := self.place(anchor)) is not None]
        return places if len(places) == len(note.anchors) else None

    def _all_drawn(self) -> list[_Drawn]:
        drawn = []
        for index, note in enumerate(self.notes):
            places, told = self._places(note), self.told(index)
            if places is None or told is None or note.is_hidden:
                continue
            text = f"{note.name}: {told.value}" if note.name else told.value
            drawn.append(
                _Drawn(
                    index,
                    text + (" · shapes changed since" if note.is_stale else ""),
                    _segments(places),
                )
            )
        return drawn

    def _words(self, one: SurfacePoint, other: SurfacePoint) -> str:
        display = self._session.display
        measured = distance(one, other)
        text = LENGTH.described(measured.length, display)
        if measured.gap is not None:
            text += f" · gap {LENGTH.described(measured.gap, display)}"
        if measured.faces is not None:
            text += f" · faces {ANGLE.described(measured.faces, display)}"
        return text

    def _set(self, notes: tuple[Note, ...], pending: Anchor | None) -> None:
        told = notes != self.notes
        self.notes, self.pending = notes, pending
        if self.chosen is not None and self.chosen >= len(notes):
            self.chosen = None
        self._scene.overlay.remove(_PENDING)
        self._draw()
        if told:
            self.changed.emit()

    def _on_opened(self, document: Document) -> None:
        """Another robot has nothing measured; the same one, read again, keeps its notes."""
        before, self._document = self._document, document
        if before.urdf_path == document.urdf_path:
            self._on_robot(before.robot, document.robot)
        else:
            self.clear()

    def _on_robot(self, old: RobotDescription, new: RobotDescription) -> None:
        self.notes = tuple(followed(note, old, new) for note in self.notes)
        self._draw()

    def _on_selection(self, selection: Selection) -> None:
        if selection:
            self.choose(None)

    def _draw(self, *_: object) -> None:
        if not self.notes and not self._drawn:
            return
        self._drawn = self._all_drawn()
        accent = self._scene.accent
        for name, strong in ((_NOTES, False), (_CHOSEN, True)):
            shown = self._shown(chosen=strong)
            ends = [segment for drawn in shown for segment in drawn.segments]
            labels = [
                drawn.text if k == 0 else "" for drawn in shown for k in range(len(drawn.segments))
            ]
            width = 4.5 if strong else 2.0
            points = np.array(ends).reshape(-1, 2, 3)
            self._scene.overlay.set_lines(name, points, np.array([*accent, 1.0]), labels, width)
        self.moved.emit()


def _segments(places: list[SurfacePoint]) -> list[F64]:
    """(2, 3) each; the first one carries the text."""
    points = [place.point for place in places]
    if len(points) == 1:
        return [
            np.array([points[0], points[0] + np.array([abs(places[0].radius or 0.0), 0.0, 0.0])])
        ]
    if len(points) == 2:
        return [np.array(points)]
    one, corner, other = points
    mark = np.array([corner + _ARC * (one - corner), corner + _ARC * (other - corner)])
    return [mark, np.array([one, corner]), np.array([corner, other])]
