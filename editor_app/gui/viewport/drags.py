"""What a pressed button does until it is released: one class per kind of drag. Positions in pixels of the canvas."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt

from editor_app.edit.commands.spheres import AddSpheres, SetSpheres
from editor_app.edit.selection import Selection
from editor_app.gui.bindings.quantity import LENGTH
from editor_app.gui.session import Session
from editor_app.gui.viewport.camera import Array
from editor_app.gui.viewport.frame_drag import Hand, Pull, told_along
from editor_app.gui.viewport.gizmo import Handle
from editor_app.gui.viewport.navigation import EFFECTS, CameraMove
from editor_app.gui.viewport.picking import SurfaceHit
from editor_app.gui.viewport.scene import Scene
from editor_app.gui.viewport.sphere_edits import Grabbed, Values, label_of, new_radius, on_surface
from editor_app.model.findings import SphereRef
from editor_app.model.xrdf import CollisionSphere

Modifiers = Qt.KeyboardModifier
_serial = itertools.count(1)


@dataclass
class CameraDrag:
    """Moves the camera by the distance since the last move; what lies at `anchor` follows the pointer of a pan."""

    scene: Scene
    last: QPointF
    way: CameraMove
    anchor: Array

    @property
    def hint(self) -> str:
        return EFFECTS[self.way][1]

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

    def __init__(self, hand: Hand) -> None:
        self._session, self._scene, self._tell = hand
        self._key = ("viewport.drag", next(_serial))
        self._refused = False
        self._session.seal()

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

    def __init__(self, hand: Hand, start: QPointF, grabbed_sphere: SphereRef, handle: Handle | None) -> None:
        super().__init__(hand)
        session, scene, _ = hand
        self._start, self._handle = start, handle
        self._grabbed = Grabbed(scene.table, session.selection.spheres, session.transforms)
        self._label = label_of("Move", self._grabbed.refs)
        self._frame = grabbed_sphere.frame
        self._sphere = scene.table.sphere(grabbed_sphere)
        self._center = scene.table.world[scene.table.row[grabbed_sphere]].copy()
        gizmo = scene.gizmo
        self._axes = gizmo.axes.copy()
        self._in_plane = Pull(scene.camera, self._center, self._axes, None, start)
        self._pull = self._in_plane
        if handle is not None:
            self._pull = Pull(scene.camera, gizmo.position, self._axes, handle, start)
            self.hint = f"Moves along {handle.name} · Ctrl: steps of 1 mm · Esc puts it back"
        else:
            self.hint = "Moves in the view plane · Shift: along the surface of the link · Esc puts it back"

    def move(self, at: QPointF, modifiers: Modifiers) -> None:
        if modifiers & Modifiers.ShiftModifier and self._sphere is not None:
            offset = self._slide(at)
        else:
            steps = Modifiers.NoModifier if self._handle is None else modifiers & Modifiers.ControlModifier
            offset, _ = self._pull.to(at, steps)
        self._scene.pace.moved()
        self._set(self._grabbed.moved(offset), self._label)
        self._tell(self._describe(offset), at)

    def _slide(self, at: QPointF) -> Array:
        """The centre goes where the link's mesh is under it; beside the mesh, to the nearest point of the mesh."""
        screen = self._scene.camera.project(self._center)[0]
        moved = at - self._start
        ray = self._scene.camera.ray(float(screen[0]) + moved.x(), float(screen[1]) + moved.y())
        hit = self._scene.aim.surface_at(ray, [self._frame])
        if hit is not None:
            offset: Array = hit.point - self._center
            return offset
        free, _ = self._in_plane.to(at, Modifiers.NoModifier)
        nearest = self._scene.aim.nearest_on_surface(self._frame, self._center + free)
        return free if nearest is None else nearest - self._center

    def _describe(self, offset: Array) -> str:
        display = self._session.display
        text = f"{told_along(self._axes.T @ offset, display)}   {display.length_unit}"
        if self._sphere is not None:
            text += f"\nr {LENGTH.column(self._sphere.radius, display)} {display.length_unit}"
        if len(self._grabbed) > 1:
            text += f"   {len(self._grabbed)} spheres"
        return text


class AddDrag(EditDrag):
    """Adds a sphere where the button was pressed; dragging on gives it another radius."""

    hint = "Drag to set the radius · release to keep it · Esc: nothing"

    def __init__(self, hand: Hand, hit: SurfaceHit, start: QPointF) -> None:
        super().__init__(hand)
        session, scene, _ = hand
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
        display = self._session.display
        center = on_surface(_local(self._scene, self._hit))
        self._set(((self._ref, CollisionSphere(center, radius)),), self._label)
        self._tell(f"r {LENGTH.column(radius, display)} {display.length_unit}", at)


def sphere_for(session: Session, scene: Scene, hit: SurfaceHit) -> CollisionSphere | None:
    """The sphere that a click at `hit` would add."""
    robot = session.robot
    if robot is None or scene.poses.get(hit.link) is None:
        return None
    local = _local(scene, hit)
    group = robot.xrdf.group(session.active_group)
    neighbours = group.spheres.get(hit.link, ()) if group is not None else ()
    return CollisionSphere(on_surface(local), new_radius(local, neighbours, scene.aim.extent(hit.link)))


def _local(scene: Scene, hit: SurfaceHit) -> Array:
    pose = scene.poses.get(hit.link)
    assert pose is not None
    local: Array = (hit.point - pose[:3, 3]) @ pose[:3, :3]
    return local
