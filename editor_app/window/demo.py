"""Drives the window without a person: drags a sphere, fits a link, computes the mask, saves a copy
and a picture."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, QTimer
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from editor_app.core.document.commands.spheres import AddSpheres
from editor_app.core.document.selection import Selection
from editor_app.core.model.printable import printable_lines
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.resources import bundled
from editor_app.window.main_window import MainWindow
from editor_app.window.viewport.view import Viewport

#: A robot with large meshes takes a while to decode and draw without a GPU.
TIMEOUT = 300.0
#: Seconds from one look to the next.
_TICK = 0.05
_STEPS = 8
_DISTANCE = 30.0


class _Failed(Exception):
    """Said at the end; nothing is driven any more."""


class Demo(QObject):
    """`exit_code` is 0 when the picture and the saved copy are there."""

    def __init__(self, window: MainWindow, folder: Path, paths: list[Path]) -> None:
        super().__init__(window)
        self._window = window
        self._folder = folder
        self._paths = paths
        self._error = ""
        self._drawn = False
        self.exit_code = 1
        window.files.not_saved.connect(self._fail)
        window.files.failed.connect(
            lambda title, text, detail: self._fail(f"{title}: {text} {detail}")
        )
        window.crash.caught.connect(self._fail)
        window.viewport_ready.connect(
            lambda view: view.complete_frame_drawn.connect(self._on_drawn)
        )

    def start(self) -> None:
        """Drives the window once the event loop runs, then ends the application."""
        QTimer.singleShot(0, self, self._run)

    def _on_drawn(self) -> None:
        self._drawn = True

    def _fail(self, text: str) -> None:
        self._error = self._error or text

    def _run(self) -> None:
        try:
            self._drive()
        except _Failed as error:
            self._fail(str(error))
        self.exit_code = 1 if self._error else 0
        if self._error:
            sys.stderr.write(f"{printable_lines(self._error.rstrip())}\n")
        QApplication.exit(self.exit_code)

    def _wait(self, condition: Callable[[], object]) -> None:
        """Works off events and frames until the condition holds."""
        end = monotonic() + TIMEOUT
        while not condition():
            if monotonic() > end:
                raise _Failed(f"waited {TIMEOUT:.0f} s for nothing")
            self._pause(1)

    def _pause(self, ticks: int) -> None:
        for _ in range(ticks):
            QApplication.processEvents()
            if self._error:
                raise _Failed
            sleep(_TICK)

    def _drive(self) -> None:
        window, session = self._window, self._window.session
        paths = self._paths
        sample = bundled()
        if not paths and sample is not None:
            paths = [sample]
        self._folder.mkdir(parents=True, exist_ok=True)
        window.resize(1600, 1000)
        window.open_files(paths)
        self._wait(lambda: session.has_robot and window.viewport is not None)
        self._wait(lambda: not window.meshes.is_loading and self._drawn)
        self._pause(10)
        document = session.document
        before = document.robot
        self._drag_a_sphere()
        if document.robot == before:
            raise _Failed("no sphere could be moved")
        self._pause(20)
        self._fit_and_mask()
        stem = (document.xrdf_path or document.urdf_path or Path("robot")).stem
        target = self._folder / f"{stem}.xrdf"
        xrdf_path = document.xrdf_path
        if xrdf_path is not None and xrdf_path.exists() and target.resolve() == xrdf_path.resolve():
            target = self._folder / f"{stem}_copy.xrdf"
        if not window.files.save_copy(target):
            return
        self._pause(10)
        picture = self._folder / f"{stem}.png"
        if not window.grab().save(str(picture)):
            raise _Failed(f"the picture could not be written to {picture}")

    def _fit_and_mask(self) -> None:
        """As the menus do it: the work runs in the background, the mask is computed and not
        written."""
        session, registry = self._window.session, self._window.registry
        panel = self._window.fitting.fit_panel
        links = self._window.fitting.context.links_with_mesh()
        if not links:
            return
        session.select(Selection(links=(min(links),)))
        registry.trigger("fit.links")
        self._wait(lambda: panel.is_ready)
        # A fit may give the spheres that the link has: then there is nothing to accept.
        if registry["fit.accept"].isEnabled():
            registry.trigger("fit.accept")
        registry.trigger("mask.compute")
        self._wait(registry["mask.write"].isEnabled)

    def _drag_a_sphere(self) -> None:
        """Each event is drawn before the next; adds a sphere first when the robot has none."""
        viewport, session = self._window.viewport, self._window.session
        assert viewport is not None
        place = find_sphere(viewport)
        if place is None:
            session.set_display(mesh_opacity=0.4, spheres=True)
            self._pause(1)
            place = find_sphere(viewport)
        if place is None and session.active_group is not None:
            ball = CollisionSphere((0.0, 0.0, 0.0), 0.05)
            session.execute(AddSpheres(session.active_group, session.tree.frames[-1], (ball,)))
            self._pause(1)
            place = find_sphere(viewport)
        if place is None:
            return
        canvas, none = viewport.canvas, Qt.MouseButton.NoButton
        way = QPointF(_DISTANCE, -_DISTANCE / 2)
        _send(canvas, QEvent.Type.MouseMove, place, buttons=none)
        self._pause(1)
        _send(canvas, QEvent.Type.MouseButtonPress, place, Qt.MouseButton.LeftButton)
        for step in range(1, _STEPS + 1):
            _send(canvas, QEvent.Type.MouseMove, place + way * (step / _STEPS))
            self._pause(1)
        _send(canvas, QEvent.Type.MouseButtonRelease, place + way, Qt.MouseButton.LeftButton, none)
        self._pause(1)


def find_sphere(viewport: Viewport) -> QPointF | None:
    """Return the point of the canvas nearest to the middle at which a sphere can be picked."""
    table, scene = viewport.scene.table, viewport.scene
    if not len(table.refs):
        return None
    middle = QPointF(viewport.canvas.width() / 2, viewport.canvas.height() / 2)
    places = [QPointF(float(x), float(y)) for x, y, *_ in scene.camera.project(table.world)]
    places.sort(key=lambda p: (p - middle).manhattanLength())
    inside = viewport.canvas.rect().adjusted(60, 60, -60, -60)
    for place in places:
        # The handles of a selection, and the switches at the edge, lie above the spheres.
        if (
            inside.contains(place.toPoint())
            and scene.aim.pick(place.x(), place.y()).sphere is not None
        ):
            return place
    return None


def _send(
    target: QWidget,
    kind: QEvent.Type,
    at: QPointF,
    button: Qt.MouseButton = Qt.MouseButton.NoButton,
    buttons: Qt.MouseButton = Qt.MouseButton.LeftButton,
) -> None:
    screen_place = target.mapToGlobal(at)
    event = QMouseEvent(kind, at, screen_place, button, buttons, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(target, event)
