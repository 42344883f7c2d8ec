"""Edits by hand: what a pressed button does until it is released, one class per kind of drag;
wheel, keys, delete."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import floor, log10

import numpy as np
from PySide6.QtCore import QObject, QPointF, QRectF, Qt

from editor_app.core.arrays import F64
from editor_app.core.document.commands.spheres import (
    AddSpheres,
    DeleteSpheres,
    DuplicateSpheres,
    SetSpheres,
    name_spheres,
)
from editor_app.core.document.selection import Selection
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.window.bindings.quantity import LENGTH
from editor_app.window.session import Session
from editor_app.window.timers import Wait, after
from editor_app.window.viewport.frame_drag import Hand, Pull, told_along
from editor_app.window.viewport.gizmo import Handle
from editor_app.window.viewport.navigation import EFFECTS, CameraMove
from editor_app.window.viewport.picking import SurfaceHit
from editor_app.window.viewport.scene import ViewScene
from editor_app.window.viewport.sphere_snaps import show_snap, snap
from editor_app.window.viewport.sphere_table import SphereTable

#: Decimals of a metre that hands can set: a micrometre.
_DECIMALS = 6
#: The wheel does not make a sphere smaller than this (metres).
_LEAST_RADIUS = 1e-4

Values = tuple[tuple[SphereRef, CollisionSphere], ...]


class Grabbed:
    """Spheres as they were when an edit began; every step of the edit starts from there."""

    def __init__(self, table: SphereTable, refs: Iterable[SphereRef], transforms: F64) -> None:
        pairs = [(r, s) for r in refs if r in table.row and (s := table.sphere(r)) is not None]
        # A frame that the structure does not have stands nowhere: its spheres cannot be moved in
        # space.
        pairs = [(r, s) for r, s in pairs if table.frame[table.row[r]] >= 0]
        self.refs: tuple[SphereRef, ...] = tuple(r for r, _ in pairs)
        self._spheres = [s for _, s in pairs]
        rows = table.rows_of(self.refs)
        self._local = np.array([s.center for s in self._spheres], float).reshape(-1, 3)
        self._rotations = (
            transforms[table.frame[rows], :3, :3] if len(rows) else np.zeros((0, 3, 3))
        )
        self.world: F64 = table.world[rows].copy()

    def __len__(self) -> int:
        return len(self.refs)

    def moved(self, offset: F64) -> Values:
        """All moved by the same (3,) offset in the base frame. Numbers that stay are left as they
        are written."""
        shifts = np.einsum("nji,j->ni", self._rotations, offset)
        centers = np.where(
            np.abs(shifts) < 1e-9, self._local, np.round(self._local + shifts, _DECIMALS)
        ).tolist()
        return tuple(
            (ref, CollisionSphere((x, y, z), sphere.radius))
            for ref, sphere, (x, y, z) in zip(self.refs, self._spheres, centers, strict=True)
        )

    def resized(self, by: float) -> Values:
        """All radii changed by the same length; what has a radius keeps one."""
        values = []
        for ref, sphere in zip(self.refs, self._spheres, strict=True):
            radius = round(sphere.radius + by, _DECIMALS)
            if sphere.radius > 0:
                radius = max(radius, min(_LEAST_RADIUS, sphere.radius))
            values.append((ref, CollisionSphere(sphere.center, radius)))
        return tuple(values)


def radius_step(radius: float, fine: bool) -> float:
    """Return the step of one notch of the wheel: about 2 % of the radius as a round number, a tenth
    of it when `fine`."""
    step = _rounded(max(abs(radius) * 0.025, 1e-4))
    return max(step / 10, 1e-5) if fine else step


def _rounded(value: float) -> float:
    """The largest of 1, 2, 5 · 10^k that is not above `value`."""
    power = 10.0 ** floor(log10(value) + 1e-9)
    factor = max(f for f in (1, 2, 5) if f * power <= value * (1 + 1e-9))
    return float(f"{factor * power:.6g}")


def new_radius(center: F64, neighbours: Sequence[CollisionSphere], extent: F64 | None) -> float:
    """A radius for a new sphere on a link: that of its neighbours, else one that suits the link's
    size.

    `center` (3,) and `neighbours` in the frame of the link; `extent` (3,) edges of the box around
    its mesh, metres.
    """
    sized = [s for s in neighbours if s.radius > 0]
    if sized:
        distances = [float(np.linalg.norm(np.array(s.center) - center)) for s in sized]
        nearest = sorted(zip(distances, (s.radius for s in sized), strict=True))[:3]
        radius = float(np.median([r for _, r in nearest]))
    elif extent is not None and float(np.max(extent)) > 0:
        # Half of the second edge fills a slender link across.
        radius = 0.5 * float(np.sort(extent)[1])
    else:
        radius = 0.05
    step = _rounded(max(radius * 0.05, 1e-4))
    return float(f"{max(step, round(radius / step) * step):.6g}")


def on_surface(point: F64) -> tuple[float, float, float]:
    """A centre as it is written, in the frame of the link."""
    x, y, z = (round(float(v), _DECIMALS) for v in point)
    return x, y, z


class _Run:
    """Edits that follow each other quickly and make one step: notches of the wheel, presses of an
    arrow key."""

    def __init__(self, kind: str, serial: int, grabbed: Grabbed) -> None:
        self.kind = kind
        self.key = ("viewport.run", serial)
        self.grabbed = grabbed
        self.amount = 0.0
        self.offset: F64 = np.zeros(3)
        self.at = QPointF()


class HandEdits(QObject):
    """Every run of quick edits of one kind is one step."""

    def __init__(self, hand: Hand, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._scene, self._label = hand
        self._run: _Run | None = None
        self._serial = itertools.count(1)
        self._pause = after(self, self.end_run, Wait.NUDGES)

    def is_turning_at(self, at: QPointF) -> bool:
        """Return whether a turn of the wheel that began near there has not ended yet."""
        run = self._run
        return run is not None and run.kind == "wheel" and (at - run.at).manhattanLength() < 12

    def turn(self, notches: float, fine: bool, at: QPointF) -> None:
        """Changes the radii by that many notches of the wheel."""
        run = self._begin_run("wheel")
        if run is None:
            return
        run.at = at
        first = self._scene.table.sphere(run.grabbed.refs[-1])
        if first is None:
            return
        run.amount += notches * radius_step(first.radius, fine)
        values = run.grabbed.resized(run.amount)
        if self._session.execute(
            SetSpheres(values, f"Resize {name_spheres(run.grabbed.refs)}"), merge=run.key
        ):
            display = self._session.display
            self._label(
                f"r {LENGTH.column(values[-1][1].radius, display)} {display.length_unit}", at
            )

    def _begin_run(self, kind: str) -> _Run | None:
        """The run that goes on, or a new one of the selected spheres; None when there is nothing to
        edit."""
        run = self._run
        grabbed = self._grabbed()
        if run is None or run.kind != kind or run.grabbed.refs != grabbed.refs:
            self.end_run()
            if not len(grabbed):
                return None
            self._session.seal()
            run = self._run = _Run(kind, next(self._serial), grabbed)
        self._pause.start()
        return run

    def _grabbed(self) -> Grabbed:
        return Grabbed(self._scene.table, self._session.selection.spheres, self._session.transforms)

    def end_run(self) -> None:
        """End the run: the next change is a separate step."""
        self._pause.stop()
        if self._run is not None:
            self._run = None
            self._session.seal()
            self._label("", QPointF())

    def nudge(self, direction: tuple[int, int, int], step: float) -> None:
        """Moves the selected spheres by `step` metres along the view's right, up and towards the
        viewer."""
        run = self._begin_run("nudge")
        if run is None:
            return
        camera = self._scene.camera
        axes = np.stack([camera.right, camera.up, camera.backward])
        run.offset = run.offset + np.array(direction, float) @ axes * step
        self._session.execute(
            SetSpheres(run.grabbed.moved(run.offset), f"Move {name_spheres(run.grabbed.refs)}"),
            merge=run.key,
        )

    def delete_selected(self) -> None:
        self.end_run()
        spheres = self._session.selection.spheres
        if spheres:
            self._session.execute(
                DeleteSpheres(spheres), selection=Selection(links=self._session.selection.links)
            )

    def duplicate_selected(self) -> None:
        """Copies beside their originals, to the right of the view; the copies are selected."""
        self.end_run()
        robot, scene = self._session.robot, self._scene
        grabbed = self._grabbed()
        if not len(grabbed):
            return
        change = DuplicateSpheres(grabbed.refs)
        refs = change.refs(robot)
        key = ("viewport.duplicate", next(self._serial))
        self._session.seal()
        if not self._session.execute(change, selection=Selection(spheres=refs), merge=key):
            return
        radii = scene.table.reach[scene.table.rows_of(refs)]
        copies = Grabbed(scene.table, refs, self._session.transforms)
        beside = scene.camera.right * max(float(radii.mean()), 0.002)
        self._session.execute(SetSpheres(copies.moved(beside), change.label), merge=key)
        self._session.seal()

    def select_spheres_of(self, links: tuple[str, ...]) -> None:
        """All spheres of the drawn group on these links; the links themselves where there are
        none."""
        spheres = tuple(r for r in self._scene.table.refs if r.frame in links)
        self._session.select(Selection(spheres=spheres) if spheres else Selection(links=links))


Modifiers = Qt.KeyboardModifier
_serial = itertools.count(1)


@dataclass
class CameraDrag:
    """Moves the camera by the distance since the last move; what lies at `anchor` follows the
    pointer of a pan."""

    scene: ViewScene
    last: QPointF
    way: CameraMove
    anchor: F64

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
    """A rubber band; spheres whose centre it holds are selected, or links where it holds no
    sphere."""

    session: Session
    scene: ViewScene
    start: QPointF
    show: Callable[[QRectF | None], None]
    adds: bool
    at: QPointF = field(default_factory=QPointF)
    hint: str = "Release to select · Ctrl: add to selection · Esc: cancel"

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
    """A drag that edits: every move is a change that joins one step, which ends or vanishes with
    the drag."""

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
    """Moves the selected spheres: in the view plane, along the surface with Shift, or by a handle
    of the gizmo."""

    def __init__(
        self, hand: Hand, start: QPointF, grabbed_sphere: SphereRef, handle: Handle | None
    ) -> None:
        super().__init__(hand)
        session, scene, _ = hand
        self._start, self._handle = start, handle
        self._grabbed = Grabbed(scene.table, session.selection.spheres, session.transforms)
        self._label = f"Move {name_spheres(self._grabbed.refs)}"
        self._ref, self._frame = grabbed_sphere, grabbed_sphere.frame
        self._sphere = scene.table.sphere(grabbed_sphere)
        self._center = scene.table.world[scene.table.row[grabbed_sphere]].copy()
        gizmo = scene.gizmo
        self._axes = gizmo.axes.copy()
        self._in_plane = Pull(scene.camera, self._center, self._axes, None, start)
        self._pull = self._in_plane
        if handle is not None:
            self._pull = Pull(scene.camera, gizmo.position, self._axes, handle, start)
            self.hint = f"Moves along {handle.name} · Ctrl: steps of 1 mm · Esc: cancel"
        else:
            self.hint = (
                "Moves in the view plane · Shift: along the surface · Ctrl: snaps · Esc: cancel"
            )

    def move(self, at: QPointF, modifiers: Modifiers) -> None:
        has_control, snapped = bool(modifiers & Modifiers.ControlModifier), None
        if modifiers & Modifiers.ShiftModifier and self._sphere is not None:
            offset = self._slide(at)
        else:
            steps = (
                modifiers & Modifiers.ControlModifier
                if self._handle is not None
                else Modifiers.NoModifier
            )
            offset, _ = self._pull.to(at, steps)
            if has_control and self._handle is None:
                snapped = snap(self._scene, self._frame, self._center + offset)
        if snapped is not None:
            offset = snapped.place - self._center
        show_snap(self._scene, snapped)
        self._scene.pace.moved()
        self._set(self._grabbed.moved(offset), self._label)
        away = self._away()
        words = [
            self._describe(offset),
            snapped.name if snapped is not None else "",
            _apart_words(*away) if away else "",
        ]
        self._tell("\n".join(filter(None, words)), at)

    def _away(self) -> tuple[str, float] | None:
        """The link that the dragged sphere has left, and how far it is from its mesh."""
        table, row = self._scene.table, self._scene.table.row.get(self._ref)
        if row is None:
            return None
        distance = self._scene.aim.height_over(self._frame, table.world[row])
        gap = 0.0 if distance is None else distance - float(table.radius[row])
        return (self._frame, gap) if gap > 0.0 and table.radius[row] > 0.0 else None

    def finish(self) -> None:
        super().finish()
        show_snap(self._scene, None)
        if away := self._away():
            self._session.refused.emit(
                f"{_apart_words(*away)} and covers nothing of it. Ctrl+Z puts it back."
            )

    def cancel(self) -> None:
        super().cancel()
        show_snap(self._scene, None)

    def _slide(self, at: QPointF) -> F64:
        """The centre goes where the link's mesh is under it; beside the mesh, to the nearest point
        of the mesh."""
        screen = self._scene.camera.project(self._center)[0]
        moved = at - self._start
        ray = self._scene.camera.ray(float(screen[0]) + moved.x(), float(screen[1]) + moved.y())
        hit = self._scene.aim.surface_at(ray, [self._frame])
        if hit is not None:
            offset: F64 = hit.point - self._center
            return offset
        free, _ = self._in_plane.to(at, Modifiers.NoModifier)
        nearest = self._scene.aim.nearest_on_surface(self._frame, self._center + free)
        return free if nearest is None else nearest - self._center

    def _describe(self, offset: F64) -> str:
        display = self._session.display
        text = f"{told_along(self._axes.T @ offset, display)}   {display.length_unit}"
        if self._sphere is not None:
            text += f"\nr {LENGTH.column(self._sphere.radius, display)} {display.length_unit}"
        if len(self._grabbed) > 1:
            text += f"   {len(self._grabbed)} spheres"
        return text


def _apart_words(frame: str, gap: float) -> str:
    return f"The sphere is {1000 * gap:.1f} mm away from {frame}"


class AddDrag(EditDrag):
    """Adds a sphere where the button was pressed; dragging on gives it another radius."""

    hint = "Drag to set the radius · release to keep it · Esc: cancel"

    def __init__(self, hand: Hand, hit: SurfaceHit, start: QPointF) -> None:
        super().__init__(hand)
        session, scene, _ = hand
        self._hit = hit
        self._ref: SphereRef | None = None
        sphere = sphere_for(session, scene, hit)
        group = session.active_group
        robot = session.robot
        if sphere is None or group is None:
            session.refused.emit("Create a geometry group first.")
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
        away = camera.metres_per_pixel(self._hit.point) * float(
            np.hypot(*(at - self._start).toTuple())
        )
        # A trembling hand keeps the proposed radius.
        radius = self._radius if away < 0.15 * self._radius else round(away, 4)
        display = self._session.display
        center = on_surface(_local(self._scene, self._hit))
        self._set(((self._ref, CollisionSphere(center, radius)),), self._label)
        self._tell(f"r {LENGTH.column(radius, display)} {display.length_unit}", at)


def sphere_for(session: Session, scene: ViewScene, hit: SurfaceHit) -> CollisionSphere | None:
    """The sphere that a click at `hit` would add."""
    robot = session.robot
    if scene.poses.get(hit.link) is None:
        return None
    local = _local(scene, hit)
    neighbours = robot.xrdf.listed_spheres(session.active_group, hit.link)
    return CollisionSphere(
        on_surface(local), new_radius(local, neighbours, scene.aim.extent(hit.link))
    )


def _local(scene: ViewScene, hit: SurfaceHit) -> F64:
    pose = scene.poses.get(hit.link)
    assert pose is not None
    local: F64 = (hit.point - pose[:3, 3]) @ pose[:3, :3]
    return local
