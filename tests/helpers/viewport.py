"""A window with nothing but the viewport in it, on a robot of three boxes whose numbers are easy to
tell."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QObject, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QImage, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow

from editor_app.core.document.document import Document
from editor_app.core.document.opening import open_document
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.urdf import Box
from editor_app.window.actions.actions import ActionRegistry
from editor_app.window.session import Session
from editor_app.window.viewport.gizmo import _PLANE, Gizmo, Handle

URDF = """<robot name="boxes">
  <link name="base"><visual><geometry><box size="0.4 0.4 0.2"/></geometry></visual></link>
  <link name="arm">
    <visual><origin xyz="0 0 0.3"/><geometry><box size="0.1 0.1 0.6"/></geometry></visual>
    <collision><origin xyz="0 0 0.3"/><geometry><box size="0.12 0.12 0.6"/></geometry></collision>
  </link>
  <link name="tip"><visual><geometry><box size="0.2 0.06 0.06"/></geometry></visual></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 0.1" rpy="0 0 0.5"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="nod" type="revolute"><parent link="arm"/><child link="tip"/><origin xyz="0 0 0.7" rpy="0.4 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>
"""

XRDF = """format: xrdf
format_version: 1.0
default_joint_positions: {turn: 0.0, nod: 0.0}
cspace:
  joint_names: [turn, nod]
  acceleration_limits: [10.0, 10.0]
  jerk_limits: [500.0, 500.0]
tool_frames: [tip]
collision:
  geometry: balls
  buffer_distance: {arm: 0.02}
self_collision:
  geometry: balls
  buffer_distance: {arm: -0.2, tip: 0.01}
  ignore:
    base: [arm]
geometry:
  balls:
    spheres:
      base:
        - center: [0.0, 0.0, 0.0]
          radius: 0.27
      arm:
        - center: [0.0, 0.0, 0.2]
          radius: 0.09
        - center: [0.0, 0.0, 0.45]
          radius: 0.09
      tip:
        - center: [0.1, 0.0, 0.0]
          radius: 0.07
        - center: [-0.25, 0.0, 0.0]
          radius: -0.02
"""

BASE = SphereRef("balls", "base", 0)
LOW, HIGH = SphereRef("balls", "arm", 0), SphereRef("balls", "arm", 1)
TIP, HOLLOW = SphereRef("balls", "tip", 0), SphereRef("balls", "tip", 1)


def handle_tip(gizmo: Gizmo, handle: Handle) -> np.ndarray:
    """(3,) a point of the handle to grab it at, in the base frame."""
    if handle.is_ring:
        offset = gizmo._circle(handle)[5]
    elif handle.is_plane:
        offset = gizmo._drawn.sum(axis=1) - gizmo._drawn[:, handle.axis]
        offset = offset * sum(_PLANE) / 2
    else:
        offset = 0.7 * gizmo._drawn[:, handle.axis]
    place: np.ndarray = gizmo.position + offset * gizmo.length
    return place


@dataclass(frozen=True)
class Part:
    vertices: Any
    faces: Any
    rgba: Any = None
    uv: Any = None
    texture: Any = None
    name: str = ""


@dataclass(frozen=True)
class Geometry:
    parts: tuple[Part, ...]
    findings: tuple[object, ...] = ()


class BoxMeshes(QObject):
    """The boxes of a URDF as meshes, at once and in the frame of their link."""

    geometry_changed = Signal(tuple)
    finished = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._made: dict[tuple[str, str], Geometry] = {}

    def geometry(self, link: str, kind: str) -> Geometry | None:
        robot = self._session.robot
        urdf_link = robot.urdf.link(link)
        if urdf_link is None:
            return None
        if (link, kind) not in self._made:
            items = urdf_link.visuals if kind == "visual" else urdf_link.collisions
            self._made[link, kind] = Geometry(
                tuple(
                    box_part(i.geometry.size, i.origin.xyz)
                    for i in items
                    if isinstance(i.geometry, Box)
                )
            )
        return self._made[link, kind]

    def put(self, link: str, kind: str, geometry: Geometry) -> None:
        """Another mesh for a link, as when it is loaded later."""
        self._made[link, kind] = geometry
        self.geometry_changed.emit((link,))


def box_part(size: tuple[float, ...], at: tuple[float, ...]) -> Part:
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    faces = [
        [0, 1, 3],
        [0, 3, 2],
        [4, 6, 7],
        [4, 7, 5],
        [0, 4, 5],
        [0, 5, 1],
        [2, 3, 7],
        [2, 7, 6],
        [0, 2, 6],
    ]
    faces += [[0, 6, 4], [1, 5, 7], [1, 7, 3]]
    return Part(corners * np.array(size) + np.array(at), np.array(faces))


class Stage:
    """A shown viewport with what a test does to it; positions in pixels of the canvas."""

    def __init__(self, document: Document | None, size: tuple[int, int] = (520, 400)) -> None:
        from editor_app.plugins.measuring.window.feature import ViewAids
        from editor_app.window.viewport.actions import register
        from editor_app.window.viewport.view import Viewport

        self.session = Session()
        self.meshes = BoxMeshes(self.session)
        self.window = QMainWindow()
        self.view = Viewport(self.session, self.meshes)
        self.window.setCentralWidget(self.view)
        self.registry = ActionRegistry(self.session, self.window)
        register(self.registry, self.view, self.session)
        self.aids = ViewAids(self.view, self.session, self.registry)
        self.view.use_actions(self.registry)
        self.window.resize(*size)
        self.window.move(0, 0)
        self.session.open(document)
        self.window.show()
        QTest.qWaitForWindowExposed(self.window)
        self.focus()

    def focus(self) -> None:
        """Shortcuts count only in the active window."""
        self.window.activateWindow()
        QTest.qWaitForWindowActive(self.window)
        self.canvas.setFocus()
        self.settle()

    @property
    def canvas(self) -> Any:
        return self.view.canvas

    @property
    def scene(self) -> Any:
        return self.view.scene

    @property
    def camera(self) -> Any:
        return self.view.scene.camera

    @property
    def document(self) -> Document:
        return self.session.document

    def settle(self) -> None:
        for _ in range(3):
            QApplication.processEvents()

    def close(self) -> None:
        self.view.shutdown()
        self.window.close()
        self.window.deleteLater()
        QApplication.processEvents()

    # -- where things are

    def pixel(self, point: Any) -> QPoint:
        x, y, _ = self.camera.project(np.asarray(point, float))[0]
        return QPoint(round(float(x)), round(float(y)))

    def world(self, ref: SphereRef) -> Any:
        table = self.scene.table
        return table.world[table.row[ref]].copy()

    def at(self, ref: SphereRef) -> QPoint:
        return self.pixel(self.world(ref))

    def center(self, ref: SphereRef) -> tuple[float, float, float]:
        """As the document has it."""
        return self.sphere(ref).center

    def sphere(self, ref: SphereRef) -> Any:
        group = self.document.robot.xrdf.group(ref.group)
        assert group is not None
        return group.spheres[ref.frame][ref.index]

    # -- a hand on the mouse

    def click(
        self,
        at: QPoint,
        modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
        button: Qt.MouseButton = Qt.MouseButton.LeftButton,
    ) -> None:
        QTest.mouseClick(self.canvas, button, modifiers, at)
        self.settle()

    def hover(self, at: QPoint) -> None:
        self._send_move(at, Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier)
        self.settle()

    def press(
        self, at: QPoint, modifiers: Any = Qt.KeyboardModifier.NoModifier, button: Any = None
    ) -> None:
        QTest.mousePress(self.canvas, button or Qt.MouseButton.LeftButton, modifiers, at)

    def move(
        self, at: QPoint, modifiers: Any = Qt.KeyboardModifier.NoModifier, button: Any = None
    ) -> None:
        self._send_move(at, button or Qt.MouseButton.LeftButton, modifiers)

    def release(
        self, at: QPoint, modifiers: Any = Qt.KeyboardModifier.NoModifier, button: Any = None
    ) -> None:
        QTest.mouseRelease(self.canvas, button or Qt.MouseButton.LeftButton, modifiers, at)
        self.settle()

    def drag(
        self,
        start: QPoint,
        end: QPoint,
        modifiers: Any = Qt.KeyboardModifier.NoModifier,
        **more: Any,
    ) -> None:
        self.press(start, modifiers, **more)
        for k in range(1, 6):
            self.move(start + (end - start) * (k / 5), modifiers, **more)
        self.release(end, modifiers, **more)

    def wheel(
        self, at: QPoint, notches: float, modifiers: Any = Qt.KeyboardModifier.NoModifier
    ) -> None:
        place = QPointF(at)
        event = QWheelEvent(
            place,
            QPointF(self.canvas.mapToGlobal(at)),
            QPoint(),
            QPoint(0, round(120 * notches)),
            Qt.MouseButton.NoButton,
            modifiers,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(self.canvas, event)
        self.settle()

    def key(self, key: Qt.Key, modifiers: Any = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(self.canvas, key, modifiers)
        self.settle()

    def _send_move(self, at: QPoint, buttons: Qt.MouseButton, modifiers: Any) -> None:
        place = QPointF(at)
        event = QMouseEvent(
            QMouseEvent.Type.MouseMove,
            place,
            QPointF(self.canvas.mapToGlobal(at)),
            Qt.MouseButton.NoButton,
            buttons,
            modifiers,
        )
        QApplication.sendEvent(self.canvas, event)


def boxes(folder: Path, xrdf: str = XRDF, urdf: str = URDF) -> Document:
    """The robot of three boxes, opened from files in `folder`."""
    (folder / "boxes.urdf").write_text(urdf)
    (folder / "boxes.xrdf").write_text(xrdf)
    return open_document(folder / "boxes.urdf")


def take_picture(view: Any, options: Any = None) -> QImage:
    """A picture for a file, as the dialog takes it."""
    from editor_app.window.viewport.picture import Picture, PictureOptions

    picture = Picture(view.scene, view.canvas, options or PictureOptions())
    while not picture.is_done:
        picture.step()
    return picture.image


def save_picture(view: Any, path: Path, options: Any = None) -> None:
    """Writes a picture, as the dialog does. Raises OSError."""
    from editor_app.window.viewport.picture import PictureOptions, check_ending, write_picture

    check_ending(path, options or PictureOptions())
    write_picture(take_picture(view, options), path)


def label_of(view: Any) -> str:
    """The text beside the pointer, "" when there is none."""
    return view._label.text() if view._label.isVisible() else ""


@contextmanager
def stage(document: Document | None, size: tuple[int, int] = (520, 400)) -> Iterator[Stage]:
    """A Stage that is closed whatever happens."""
    shown = Stage(document, size)
    try:
        yield shown
    finally:
        shown.close()


@pytest.fixture
def shown(qapp: object, tmp_path: Path) -> Iterator[Stage]:
    """The robot of three boxes in a view of its own."""
    with stage(boxes(tmp_path)) as opened:
        yield opened
