"""Drives the window without a person: drags a sphere, fits a link, computes the mask, saves a copy and a picture."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, QTimer
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from editor_app.edit.commands.spheres import AddSpheres
from editor_app.edit.selection import Selection
from editor_app.gui.files.samples import bundled
from editor_app.gui.viewport.view import Viewport
from editor_app.gui.window.main_window import MainWindow
from editor_app.model.printable import printable_lines
from editor_app.model.xrdf import CollisionSphere

#: A robot with large meshes takes a while to decode and draw without a GPU.
TIMEOUT = 300.0
_TICK = 50


class Demo(QObject):
    """`exit_code` is 0 when the picture and the saved copy are there."""

    def __init__(self, window: MainWindow, folder: Path, paths: list[Path]) -> None:
        super().__init__(window)
        self._window = window
        self._folder = folder
        self._paths = paths
        self._error = ""
        self._drawn = False
        self._steps = self._script()
        self._until: Callable[[], bool] = lambda: True
        self._waited = 0.0
        self._timer = QTimer(self, interval=_TICK)
        self._timer.timeout.connect(self._tick)
        self.exit_code = 1
        window.files.not_saved.connect(self._fail)
        window.files.failed.connect(lambda title, text, detail: self._fail(f"{title}: {text} {detail}"))
        window.crash.caught.connect(self._fail)
        window.viewport_ready.connect(lambda view: view.complete_frame_drawn.connect(self._on_drawn))

    def start(self) -> None:
        self._timer.start()

    # -- inside

    def _on_drawn(self) -> None:
        self._drawn = True

    def _tick(self) -> None:
        if self._error:
            self._quit(1)
            return
        if not self._until():
            self._waited += _TICK / 1000
            if self._waited > TIMEOUT:
                self._fail(f"waited {TIMEOUT:.0f} s for nothing")
            return
        self._waited = 0.0
        try:
            self._until = next(self._steps)
        except StopIteration:
            self._quit(0)

    def _script(self) -> Iterator[Callable[[], bool]]:
        """Each yielded condition is waited for."""
        window, session = self._window, self._window.session
        paths = self._paths
        sample = bundled()
        if not paths and sample is not None:
            paths = [sample]
        self._folder.mkdir(parents=True, exist_ok=True)
        window.resize(1600, 1000)
        window.open_files(paths)
        yield lambda: session.document is not None and window.viewport is not None
        yield lambda: not window.meshes.is_loading and self._drawn
        yield _pause(10)
        document = session.document
        assert document is not None
        before = document.robot
        yield from drag_a_sphere(window)
        if document.robot == before:
            self._fail("no sphere could be moved")
            return
        yield _pause(20)
        yield from self._fit_and_mask()
        stem = (document.xrdf_path or document.urdf_path or Path("robot")).stem
        target = self._folder / f"{stem}.xrdf"
        xrdf_path = document.xrdf_path
        if xrdf_path is not None and xrdf_path.exists() and target.resolve() == xrdf_path.resolve():
            target = self._folder / f"{stem}_copy.xrdf"
        if not window.files.save_copy(target):
            return
        yield _pause(10)
        picture = self._folder / f"{stem}.png"
        if not window.grab().save(str(picture)):
            self._fail(f"the picture could not be written to {picture}")

    def _fit_and_mask(self) -> Iterator[Callable[[], bool]]:
        """As the menus do it: the work runs in the background, the mask is computed and not written."""
        session, registry = self._window.session, self._window.registry
        robot = session.robot
        links = self._window.fitting.context.links_with_mesh()
        if not links:
            return
        session.select(Selection(links=(min(links),)))
        registry.trigger("fit.links")

        def accepted() -> bool:
            # As the key does: nothing happens before the fit is done.
            registry.trigger("fit.accept")
            return session.robot != robot

        yield accepted
        registry.trigger("mask.compute")
        yield registry["mask.write"].isEnabled

    def _fail(self, text: str) -> None:
        self._error = self._error or text

    def _quit(self, code: int) -> None:
        self._timer.stop()
        self.exit_code = code
        if self._error:
            sys.stderr.write(f"{printable_lines(self._error.rstrip())}\n")
        application = QApplication.instance()
        if application is not None:
            application.exit(code)


def _pause(ticks: int) -> Callable[[], bool]:
    """A condition that holds after so many looks: events and frames are worked off meanwhile."""
    left = iter(range(ticks))
    return lambda: next(left, None) is None


_STEPS = 8
_DISTANCE = 30.0


def drag_a_sphere(window: MainWindow) -> Iterator[Callable[[], bool]]:
    """Yields between the events so that each is drawn; adds a sphere first when the robot has none."""
    viewport, session = window.viewport, window.session
    assert viewport is not None
    place = find_sphere(viewport)
    if place is None:
        session.set_display(mesh_opacity=0.4, spheres=True)
        yield lambda: True
        place = find_sphere(viewport)
    if place is None and session.tree is not None and session.active_group is not None:
        ball = CollisionSphere((0.0, 0.0, 0.0), 0.05)
        session.execute(AddSpheres(session.active_group, session.tree.frames[-1], (ball,)))
        yield lambda: True
        place = find_sphere(viewport)
    if place is None:
        return
    canvas = viewport.canvas
    _send(canvas, QEvent.Type.MouseMove, place, buttons=Qt.MouseButton.NoButton)
    yield lambda: True
    _send(canvas, QEvent.Type.MouseButtonPress, place, Qt.MouseButton.LeftButton)
    for step in range(1, _STEPS + 1):
        at = place + QPointF(_DISTANCE, -_DISTANCE / 2) * (step / _STEPS)
        _send(canvas, QEvent.Type.MouseMove, at)
        yield lambda: True
    end = place + QPointF(_DISTANCE, -_DISTANCE / 2)
    _send(canvas, QEvent.Type.MouseButtonRelease, end, Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton)
    yield lambda: True


def find_sphere(viewport: Viewport) -> QPointF | None:
    """Where on the canvas a sphere can be picked, nearest to the middle."""
    table, scene = viewport.scene.table, viewport.scene
    if not len(table.refs):
        return None
    middle = QPointF(viewport.canvas.width() / 2, viewport.canvas.height() / 2)
    places = [QPointF(float(x), float(y)) for x, y, *_ in scene.camera.project(table.world)]
    places.sort(key=lambda p: (p - middle).manhattanLength())
    inside = viewport.canvas.rect().adjusted(60, 60, -60, -60)
    for place in places:
        # The handles of a selection, and the switches at the edge, lie above the spheres.
        if inside.contains(place.toPoint()) and scene.pick(place.x(), place.y()).sphere is not None:
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
