"""A drag of a sphere by real mouse events on the canvas, as a person would do it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from editor_app.edit.commands.spheres import AddSpheres
from editor_app.gui.viewport.view import Viewport
from editor_app.gui.window.main_window import MainWindow
from editor_app.model.xrdf import CollisionSphere

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
