"""Edits of the selected spheres without a drag: the wheel, arrow keys, delete, duplicate."""

from __future__ import annotations

import itertools

import numpy as np
from PySide6.QtCore import QObject, QPointF

from editor_app.edit.commands.spheres import DeleteSpheres, DuplicateSpheres, SetSpheres
from editor_app.edit.selection import Selection
from editor_app.gui.bindings.quantity import LENGTH
from editor_app.gui.timers import Wait, after
from editor_app.gui.viewport.camera import Array
from editor_app.gui.viewport.posing.pointer import Hand
from editor_app.gui.viewport.sphere_edits import Grabbed, label_of, radius_step


class _Run:
    """Edits that follow each other quickly and make one step: notches of the wheel, presses of an arrow key."""

    def __init__(self, kind: str, serial: int, grabbed: Grabbed) -> None:
        self.kind = kind
        self.key = ("viewport.run", serial)
        self.grabbed = grabbed
        self.amount = 0.0
        self.offset: Array = np.zeros(3)
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
        """Whether a turn of the wheel that began near there has not ended yet."""
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
        if self._session.execute(SetSpheres(values, label_of("Resize", run.grabbed.refs)), merge=run.key):
            display = self._session.display
            self._label(f"r {LENGTH.column(values[-1][1].radius, display)} {display.length_unit}", at)

    def _begin_run(self, kind: str) -> _Run | None:
        """The run that goes on, or a new one of the selected spheres; None when there is nothing to edit."""
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
        """What follows is a step of its own."""
        self._pause.stop()
        if self._run is not None:
            self._run = None
            self._session.seal()
            self._label("", QPointF())

    def nudge(self, direction: tuple[int, int, int], step: float) -> None:
        """Moves the selected spheres by `step` metres along the view's right, up and towards the viewer."""
        run = self._begin_run("nudge")
        if run is None:
            return
        camera = self._scene.camera
        axes = np.stack([camera.right, camera.up, camera.backward])
        run.offset = run.offset + np.array(direction, float) @ axes * step
        self._session.execute(
            SetSpheres(run.grabbed.moved(run.offset), label_of("Nudge", run.grabbed.refs)), merge=run.key
        )

    def delete_selected(self) -> None:
        self.end_run()
        spheres = self._session.selection.spheres
        if spheres:
            self._session.execute(DeleteSpheres(spheres), selection=Selection(links=self._session.selection.links))

    def duplicate_selected(self) -> None:
        """Copies beside their originals, to the right of the view; the copies are selected."""
        self.end_run()
        robot, scene = self._session.robot, self._scene
        grabbed = self._grabbed()
        if robot is None or not len(grabbed):
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
        """All spheres of the drawn group on these links; the links themselves where there are none."""
        spheres = tuple(r for r in self._scene.table.refs if r.frame in links)
        self._session.select(Selection(spheres=spheres) if spheres else Selection(links=links))
