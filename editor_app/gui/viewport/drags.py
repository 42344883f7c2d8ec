"""What a pressed button does until it is released: one class per kind of drag. Positions in pixels of the canvas."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt

from editor_app.edit.commands.spheres import AddSpheres, SetSpheres
from editor_app.edit.selection import Selection
from editor_app.gui.session import LengthUnit, Session
from editor_app.gui.viewport.camera import Array
from editor_app.gui.viewport.gizmo import Handle, along_handle
from editor_app.gui.viewport.navigation import CameraMove
from editor_app.gui.viewport.picking import SurfaceHit
from editor_app.gui.viewport.scene import Scene
from editor_app.gui.viewport.sphere_edits import Grabbed, Values, label_of, new_radius, on_surface
from editor_app.model.findings import SphereRef
from editor_app.model.xrdf import CollisionSphere

Modifiers = Qt.KeyboardModifier
_serial = itertools.count(1)
#: Ctrl on a handle moves in steps of this (metres).
_SNAP = 0.001
_CAMERA_HINTS = {
    CameraMove.ORBIT: "Orbits the view",
    CameraMove.PAN: "Pans the view",
    CameraMove.ZOOM: "Zooms the view",
    CameraMove.LOOK: "Looks around",
}


class Drag(Protocol):
    """`move` gets the position and the modifiers; exactly one of `finish` and `cancel` ends it."""

    @property
    def hint(self) -> str: ...

    def move(self, at: QPointF, modifiers: Modifiers) -> None: ...
    def finish(self) -> None: ...
    def cancel(self) -> None: ...


@dataclass
class CameraDrag:
    """Moves the camera by the distance since the last move; what lies at `anchor` follows the pointer of a pan."""

    scene: Scene
    last: QPointF
    way: CameraMove
    anchor: Array

    @property
    def hint(self) -> str:
        return _CAMERA_HINTS[self.way]

    def move(self, at: QPointF, modifiers: Modifiers) -> None:
        step = at - self.last
        self.last = at
        self.scene.move_camera(lambda: self._act(step.x(), step.y()))

    def _act(self, dx: float, dy: float) -> None:
        camera = self.scene.camera
        match self.way:
            case CameraMove.ORBIT:
                camera.orbit(dx, dy)
            case CameraMove.PAN:
                camera.pan(dx, dy, self.anchor)
            case CameraMove.ZOOM:
                camera.zoom(1.006**dy)
            case CameraMove.LOOK:
                camera.look(dx, dy)

    def finish(self) -> None:
        """The camera stays where it is."""

    def cancel(self) -> None:
        """Likewise: looking is not editing."""


@dataclass
class BoxDrag:
    """A rubber band; spheres whose centre it holds are selected, or links where it holds no sphere."""

    session: Session
    scene: Scene
    start: QPointF
    show: Callable[[QRectF | None], None]
    adds: bool
    at: QPointF = field(default_factory=QPointF)
    hint: str = "Release to select what is inside · Ctrl adds to the selection · Esc: nothing"

    def move(self, at: QPointF, modifiers: Modifiers) -> None:
        self.at = at
        self.adds = bool(modifiers & Modifiers.ControlModifier)
        self.show(QRectF(self.start, at).normalized())

    def finish(self) -> None:
        self.show(None)
        box = self.start.x(), self.start.y(), self.at.x(), self.at.y()
        spheres = self.scene.aim.spheres_in(*box)
        links = () if spheres else self.scene.aim.links_in(*box)
        if self.adds:
            old = self.session.selection
            spheres = tuple(dict.fromkeys((*old.spheres, *spheres)))
            links = tuple(dict.fromkeys((*old.links, *links)))
        self.session.select(Selection(links=links, spheres=spheres))

    def cancel(self) -> None:
        self.show(None)


class EditDrag:
    """A drag that edits: every move is a change that joins one step, which ends or vanishes with the drag."""

    hint = ""

    def __init__(self, session: Session, tell: Callable[[str, QPointF], None]) -> None:
        self._session = session
        self._tell = tell
        self._key = ("viewport.drag", next(_serial))
        self._refused = False
        session.seal()

    def _set(self, values: Values, label: str) -> None:
        if not self._refused:
            self._refused = not self._session.execute(SetSpheres(values, label), merge=self._key)

    def finish(self) -> None:
        self._session.seal()

    def cancel(self) -> None:
        self._session.abandon()
        self._session.seal()


class MoveDrag(EditDrag):
    """Moves the selected spheres: in the view plane, along the surface with Shift, or by a handle of the gizmo."""

    def __init__(
        self,
        session: Session,
        scene: Scene,
        start: QPointF,
        grabbed_sphere: SphereRef,
        handle: Handle | None,
        tell: Callable[[str, QPointF], None],
    ) -> None:
        super().__init__(session, tell)
        self._scene = scene
        self._start = start
        self._handle = handle
        self._grabbed = Grabbed(scene.table, session.selection.spheres, scene.transforms)
        self._label = label_of("Move", self._grabbed.refs)
        self._frame = grabbed_sphere.frame
        self._sphere = scene.table.sphere(grabbed_sphere)
        self._center = scene.table.world[scene.table.row[grabbed_sphere]].copy()
        self._axes = scene.gizmo.axes.copy()
        self._origin = scene.gizmo.position.copy()
        self._first = self._on_handle(start)
        self._first_in_plane = scene.camera.on_view_plane(start.x(), start.y(), self._center)
        if handle is not None:
            self.hint = f"Moves along {handle.name} · Ctrl: steps of 1 mm · Esc puts it back"
        else:
            self.hint = "Moves in the view plane · Shift: along the surface of the link · Esc puts it back"

    def move(self, at: QPointF, modifiers: Modifiers) -> None:
        offset: Array | None
        if modifiers & Modifiers.ShiftModifier and self._sphere is not None:
            offset = self._slide(at)
        elif self._handle is not None:
            offset = self._pull(at, bool(modifiers & Modifiers.ControlModifier))
        else:
            offset = self._in_plane(at)
        if offset is None:
            return
        self._scene.pace.moved()
        self._set(self._grabbed.moved(offset), self._label)
        self._tell(self._describe(offset), at)

    def _in_plane(self, at: QPointF) -> Array:
        camera = self._scene.camera
        place: Array = camera.on_view_plane(at.x(), at.y(), self._center)
        return place - self._first_in_plane

    def _on_handle(self, at: QPointF) -> Array | None:
        if self._handle is None:
            return None
        ray = self._scene.camera.ray(at.x(), at.y())
        return along_handle(self._origin, self._axes, self._handle, ray)

    def _pull(self, at: QPointF, snap: bool) -> Array | None:
        place = self._on_handle(at)
        if place is None or self._first is None:
            return None
        offset: Array = place - self._first
        if snap:
            offset = self._axes @ (np.round((self._axes.T @ offset) / _SNAP) * _SNAP)
        return offset

    def _slide(self, at: QPointF) -> Array:
        """The centre goes where the link's mesh is under it; beside the mesh, to the nearest point of the mesh."""
        screen = self._scene.camera.project(self._center)[0]
        moved = at - self._start
        ray = self._scene.camera.ray(float(screen[0]) + moved.x(), float(screen[1]) + moved.y())
        hit = self._scene.aim.surface_at(ray, [self._frame])
        if hit is not None:
            offset: Array = hit.point - self._center
            return offset
        free = self._in_plane(at)
        nearest = self._scene.aim.nearest_on_surface(self._frame, self._center + free)
        return free if nearest is None else nearest - self._center

    def _describe(self, offset: Array) -> str:
        unit = self._session.display.length_unit
        along = self._axes.T @ offset
        text = "   ".join(f"{n} {signed_length(v, unit)}" for n, v in zip("xyz", along, strict=True))
        text += f"   {unit}"
        if self._sphere is not None:
            text += f"\nr {length(self._sphere.radius, unit)} {unit}"
        if len(self._grabbed) > 1:
            text += f"   {len(self._grabbed)} spheres"
        return text


class AddDrag(EditDrag):
    """Adds a sphere where the button was pressed; dragging on gives it another radius."""

    hint = "Drag to set the radius · release to keep it · Esc: nothing"

    def __init__(
        self, session: Session, scene: Scene, hit: SurfaceHit, start: QPointF, tell: Callable[[str, QPointF], None]
    ) -> None:
        super().__init__(session, tell)
        self._scene = scene
        self._hit = hit
        self._ref: SphereRef | None = None
        sphere = sphere_for(session, scene, hit)
        group = session.active_group
        robot = session.robot
        if sphere is None or group is None or robot is None:
            session.refused.emit("There is no geometry group to add the sphere to; add one first.")
            return
        change = AddSpheres(group, hit.link, (sphere,))
        ref = change.refs(robot)[0]
        self._radius = sphere.radius
        self._label = change.label
        if session.execute(change, selection=Selection(spheres=(ref,)), merge=self._key):
            self._ref = ref
        self._start = start

    def move(self, at: QPointF, modifiers: Modifiers) -> None:
        if self._ref is None:
            return
        camera = self._scene.camera
        away = camera.metres_per_pixel(self._hit.point) * float(np.hypot(*(at - self._start).toTuple()))
        # A trembling hand keeps the proposed radius.
        radius = self._radius if away < 0.15 * self._radius else round(away, 4)
        unit = self._session.display.length_unit
        center = on_surface(_local(self._scene, self._hit))
        self._set(((self._ref, CollisionSphere(center, radius)),), self._label)
        self._tell(f"r {length(radius, unit)} {unit}", at)


def sphere_for(session: Session, scene: Scene, hit: SurfaceHit) -> CollisionSphere | None:
    """The sphere that a click at `hit` would add."""
    robot = session.robot
    if robot is None or scene.pose_of(hit.link) is None:
        return None
    local = _local(scene, hit)
    group = robot.xrdf.group(session.active_group)
    neighbours = group.spheres.get(hit.link, ()) if group is not None else ()
    return CollisionSphere(on_surface(local), new_radius(local, neighbours, scene.aim.extent(hit.link)))


def _local(scene: Scene, hit: SurfaceHit) -> Array:
    pose = scene.pose_of(hit.link)
    assert pose is not None
    local: Array = (hit.point - pose[:3, 3]) @ pose[:3, :3]
    return local


def length(value: float, unit: LengthUnit) -> str:
    """Metres as text in the unit that the window shows, without the unit."""
    return f"{value * 1000:.1f}" if unit is LengthUnit.MILLIMETRE else f"{value:.4f}"


def signed_length(value: float, unit: LengthUnit) -> str:
    """With a real minus sign, and a plus."""
    text = length(abs(value), unit)
    if float(text) == 0.0:
        return text
    return ("+" if value > 0 else "−") + text
