"""A plane that cuts surfaces, spheres or both in the view. It belongs to the view: no undo step,
nothing is saved."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from PySide6.QtCore import QObject, QPointF, Signal
from vtkmodules.vtkCommonDataModel import vtkPlane

from editor_app.core.arrays import F64
from editor_app.core.document.document import Document
from editor_app.core.space.kinematics.transforms import transform
from editor_app.window.bindings.quantity import LENGTH
from editor_app.window.viewport.frame_drag import FrameDrag, Hand
from editor_app.window.viewport.gizmo import Handle
from editor_app.window.viewport.instrument import Instrument
from editor_app.window.viewport.palette import rgb
from editor_app.window.viewport.picking import WHOLE, HalfSpace
from editor_app.window.viewport.vtk_tools import set_cut

#: Name of the plane's outline among the overlays.
OUTLINE = "viewport.section"
#: Of arrow and rings: no axis, no selection, no error.
_COLOUR = rgb("#d99a1c")


class Cut(StrEnum):
    """Which things the plane cuts."""

    MESHES = "meshes"
    SPHERES = "spheres"
    BOTH = "both"


class SectionPlane(Instrument):
    """One per view. The side that the arrow points to is cut away."""

    #: On, off, another axis or side, other things: all but the steps of a drag.
    changed = Signal()

    def __init__(self, hand: Hand, parent: QObject) -> None:
        super().__init__(parent)
        self._hand = hand
        self._session, self._scene, _ = hand
        self.gizmo = self._scene.add_gizmo(arrows=(2,), planes=(), rings=(0, 1), colour=_COLOUR)
        self._scene.aid_names.append(OUTLINE)
        self._plane = vtkPlane()
        #: Whether the last frame was drawn with a cut.
        self._was_cut = False
        self._robot: object = None
        self._reach = 0.5
        self.is_on = False
        self.cut = Cut.BOTH
        #: The world axis 0..2 that the plane stood across before it was tilted.
        self.axis = 0
        self.position: F64 = np.zeros(3)
        #: Columns of (3, 3): two directions in the plane, and the arrow's.
        self.axes: F64 = _across(0)
        self._session.document_opened.connect(self._on_opened)

    # -- what menus do

    def toggle(self) -> None:
        """On through the middle of the robot, across the axis that was chosen last; or off."""
        self.is_on = not self.is_on
        if self.is_on:
            self._centre(self.axis)
        self._tell_all()

    def set_axis(self, axis: int) -> None:
        """Across the world's x, y or z (0..2), through the middle of the robot; puts the plane
        on."""
        self.is_on = True
        self._centre(axis)
        self._tell_all()

    def flip(self) -> None:
        self.axes = self.axes * np.array([-1.0, 1.0, -1.0])
        self._tell_all()

    def set_cut(self, cut: Cut) -> None:
        self.cut = cut
        self._tell_all()

    def place(self, position: F64, axes: F64) -> None:
        """Moves the plane to `position` (3,), with the columns of (3, 3) `axes` as its
        directions."""
        self.position, self.axes = position, axes
        self._apply()

    def _centre(self, axis: int) -> None:
        self.axis, self.axes = axis, _across(axis)
        self.position, self._reach = self._scene.framing.middle()

    # -- what the mouse does

    def handle_at(self, at: QPointF) -> Handle | None:
        """The handle under the pointer; the handles of what is selected come before."""
        if not self.is_on or self._scene.gizmo.pick(at.x(), at.y()) is not None:
            return None
        return self.gizmo.pick(at.x(), at.y())

    def holds(self, at: QPointF) -> bool:
        return self.handle_at(at) is not None

    def point_at(self, at: QPointF | None) -> bool:
        """Lights up the handle under the pointer; True when another one is lit than before."""
        return self.gizmo.set_hovered(self.handle_at(at) if at is not None else None)

    @property
    def hint(self) -> str:
        """The sentence about the handle under the pointer, "" when there is none."""
        handle = self.gizmo.hovered
        if handle is None:
            return ""
        return (
            f"Drag {'tilts' if handle.is_ring else 'moves'} the section plane · Shift: fine · "
            "Ctrl: steps"
        )

    def drag(self, start: QPointF) -> SectionDrag | None:
        """Start the drag of a press; None next to the handles."""
        handle = self.handle_at(start)
        return SectionDrag(self._hand, self, handle, start) if handle is not None else None

    # -- drawing

    def follow_camera(self) -> None:
        """Before each frame: surfaces and balls are cut in the coordinates of the camera, which may
        have moved."""
        if not self.is_on and not self._was_cut:
            return
        self._was_cut, scene = self.is_on, self._scene
        cut = self._half_space().seen_from(scene.camera.view_matrix()) if self.is_on else None
        for layer in scene.cut_layers:
            for actor in layer.actors:
                set_cut(actor, cut if self.cut is not Cut.SPHERES else None)
        for actor in (scene.spheres.actors[0], *scene.overlay.balls):
            set_cut(actor, cut if self.cut is not Cut.MESHES else None)

    def show_marks(self, shown: bool) -> None:
        """Outline and handles, which do not belong into a picture; the cut itself stays."""
        scene = self._scene
        if shown and self.is_on:
            self.gizmo.show(self.position, self.axes, rings=True)
            scene.overlay.set_lines(OUTLINE, self._outline(), np.array([*scene.accent, 0.7]))
        else:
            self.gizmo.hide()
            scene.overlay.remove(OUTLINE)

    def _outline(self) -> F64:
        corners = [
            self.position + self._reach * (u * self.axes[:, 0] + v * self.axes[:, 1])
            for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        ]
        return np.array([[corners[k], corners[(k + 1) % 4]] for k in range(4)])

    def _half_space(self) -> HalfSpace:
        kept: F64 = -self.axes[:, 2]
        return HalfSpace(kept, float(kept @ self.position))

    def _tell_all(self) -> None:
        self._apply()
        self.changed.emit()

    def _apply(self) -> None:
        scene = self._scene
        half = self._half_space() if self.is_on else WHOLE
        of_meshes = half if self.cut is not Cut.SPHERES else WHOLE
        of_spheres = half if self.cut is not Cut.MESHES else WHOLE
        self._plane.SetOrigin(*self.position)
        self._plane.SetNormal(*(-self.axes[:, 2]))
        crosses = scene.spheres.actors[1].GetMapper()
        crosses.RemoveAllClippingPlanes()
        if of_spheres is not WHOLE:
            crosses.AddClippingPlane(self._plane)
        scene.aim.cut_of_meshes, scene.aim.cut_of_spheres = of_meshes, of_spheres
        self.show_marks(True)
        scene.redraw()

    def _on_opened(self, document: Document) -> None:
        """Another robot is shown whole; the same one, read again, stays cut."""
        robot = document.urdf_path
        if robot is None or robot != self._robot:
            self.is_on = False
        self._robot = robot
        self._tell_all()


class SectionDrag(FrameDrag):
    """By the arrow along it, by a ring about it; Esc puts the plane back."""

    def __init__(self, hand: Hand, section: SectionPlane, handle: Handle, start: QPointF) -> None:
        pose = transform(section.axes, section.position)
        super().__init__(hand, "Section", pose, handle, start, "the section plane", section.gizmo)
        self._section = section

    def take(self, pose: F64) -> str:
        self._section.place(pose[:3, 3], pose[:3, :3])
        display = self._session.display
        return f"{LENGTH.signed(float(self._pull.along[2]), display)} {display.length_unit}"

    def finish(self) -> None:
        """It stays where it is."""

    def cancel(self) -> None:
        self._section.place(self._pose[:3, 3], self._pose[:3, :3])


def _across(axis: int) -> F64:
    """Columns: two world axes, and `axis` last, right-handed."""
    return np.eye(3)[:, [(axis + 1) % 3, (axis + 2) % 3, axis]]
