"""A part before it is attached: it stands translucent on its mount, and is dragged, turned, and put
face to face."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtCore import QObject, QPointF, Signal

from editor_app.core.arrays import F64
from editor_app.core.model.origin import Origin
from editor_app.core.space.geometry.flanges import Flange
from editor_app.core.space.geometry.link_geometry import LinkGeometry
from editor_app.core.space.geometry.mesh import MeshPart
from editor_app.core.space.kinematics.transforms import build_origin_matrix, invert, matrix_origin
from editor_app.plugins.assembly.verbs.mounting import PartLook, flange_of, mounted, rigid_frames
from editor_app.window.jobs import Jobs, JobSlot
from editor_app.window.session import Session
from editor_app.window.timers import after
from editor_app.window.viewport.camera import ViewRay, three
from editor_app.window.viewport.frame_drag import FrameDrag, Hand, hand_origin, told_at
from editor_app.window.viewport.gizmo import Grip, Handle
from editor_app.window.viewport.picking import SurfaceHit, pick_surface
from editor_app.window.viewport.scene import Meshes
from editor_app.window.viewport.view import Viewport

_OPACITY, _REACH = 0.6, 1000.0
_FACE = "part_preview.face"


class PartPreview(QObject):
    """One per dialog; `end` takes everything out of the view."""

    #: (Origin): where the frame of the part is on its link, by the mouse.
    placed = Signal(object)
    #: (str): the link whose face was clicked, if it is another one.
    link_asked = Signal(str)
    #: A drag is over, or a face was taken.
    settled = Signal()
    #: (str): what the mouse has to do next, "" for nothing.
    told = Signal(str)
    #: Esc in the view, with nothing else to leave.
    left = Signal()

    def __init__(
        self, view: Viewport, session: Session, shapes: Meshes, jobs: Jobs, parent: QObject
    ) -> None:
        super().__init__(parent)
        self.name, self.hint = "the part", ""
        self._view, self._session, self._shapes = view, session, shapes
        self._finding = JobSlot(jobs, quiet=True)
        self._look: PartLook | None = None
        self._at, self._frame = "", ""
        #: Where the frame of the part is on its link.
        self.origin = Origin()
        self._positions: Mapping[str, float] = {}
        self.step = np.pi / 2
        #: Whether clicks take faces; the face of the part that was clicked, in the frame that is
        #: placed.
        self.takes_faces = False
        self._face: Flange | None = None
        self._layer = view.scene.guests
        self._layer.set_display(True, _OPACITY)
        #: Shapes that are not drawn yet; links of the robot whose place the part takes.
        self._coming: list[tuple[str, tuple[MeshPart, ...]]] = []
        self._goes: frozenset[str] = frozenset()
        self._next = after(self, self._load_next)
        view.interaction.guest = self
        view.scene.grips.insert(0, self._grip)
        session.pose_changed.connect(self._draw)
        session.tree_changed.connect(self._draw)

    def end(self) -> None:
        """Nothing of the part is in the view any more. May be called twice."""
        self._finding.drop()
        self._next.stop()
        if self._view.interaction.guest is not self:
            return
        self.set_goes(frozenset())
        self._session.pose_changed.disconnect(self._draw)
        self._session.tree_changed.disconnect(self._draw)
        self._view.interaction.guest = None
        self._view.scene.grips.remove(self._grip)
        self._layer.clear()
        self._view.overlay.remove(_FACE)
        self._view.scene.place_gizmo()
        self._fit()

    def show(self, look: PartLook | None) -> None:
        """Another part; None: nothing until it is loaded."""
        self._look, self._frame, self._positions = look, "" if look is None else look.root, {}
        self._face = None
        self._layer.clear()
        self._coming = list(look.drawn.items())[::-1] if look is not None else []
        self._next.start()

    def _load_next(self) -> None:
        """One link a turn of the event loop: a large part does not hold the window up."""
        if self._coming:
            self._layer.set_geometry(*self._coming.pop())
            self._next.start()
            return
        self._draw()
        self._fit()

    def _fit(self) -> None:
        """A part that was shown is seen whole, unless a person moved the camera."""
        framing = self._view.scene.framing
        if self._look is not None and not framing.is_moved_by_hand:
            framing.fit_all()

    def set_goes(self, links: frozenset[str]) -> None:
        """Draws links of the robot faintly, whose place the part takes; clicks do not take their
        faces."""
        if links != self._goes:
            self._goes = links
            self._view.scene.set_ghosted(links)

    def place(self, at: str, origin: Origin, frame: str, positions: Mapping[str, float]) -> None:
        """The part's `frame` stands at `origin` of the link `at`, its joints at `positions`."""
        self._at, self.origin, self._frame, self._positions = at, origin, frame, positions
        self._draw()

    def set_takes_faces(self, takes: bool) -> None:
        """Return whether a click on a face of the robot puts the part there; one on the part before
        says by which face."""
        self.takes_faces, self._face = takes, None
        self._view.overlay.remove(_FACE)
        self._view.scene.place_gizmo()
        sentence = "Click a face of the robot for the part's frame, or first a face of the part."
        self._tell(sentence if takes else "")

    # -- what the view asks: gizmo.Guest

    def pick(self, ray: ViewRay) -> SurfaceHit | None:
        return pick_surface(
            ray, self._layer.surfaces, self._world(), self._layer.visible_links, _REACH
        )

    def click(self, ray: ViewRay, surface: SurfaceHit | None) -> bool:
        hit = self.pick(ray)
        is_nearer = hit is not None and (surface is None or hit.distance < surface.distance)
        if not self.takes_faces:
            return is_nearer
        if is_nearer and hit is not None:
            self._find_face(hit, of_part=True)
        elif surface is not None and surface.link not in self._goes:
            self._find_face(surface, of_part=False)
        return True

    def step_back(self) -> bool:
        if self.takes_faces:
            self.set_takes_faces(False)
            self.settled.emit()
        else:
            self.left.emit()
        return True

    # -- the mouse

    def move_to(self, pose: F64) -> Origin:
        """Puts the frame of the part to a (4, 4) pose in the base frame, as a hand does."""
        link = self._link_pose()
        self.set_origin(hand_origin(invert(link) @ pose if link is not None else pose))
        return self.origin

    def set_origin(self, origin: Origin) -> None:
        """Set the pose as a drag does, with a notification."""
        self.origin = origin
        self._draw()
        self.placed.emit(origin)

    def _grip(self) -> Grip | None:
        link = self._link_pose()
        # A click on a face is not to take a handle that lies over it.
        if link is None or self._look is None or self.takes_faces:
            return None
        pose = link @ build_origin_matrix(self.origin)
        return Grip(self.name, pose, partial(PartDrag, self._view.interaction.hand, self, pose))

    def _find_face(self, hit: SurfaceHit, *, of_part: bool) -> None:
        """Finds the face under a point, in a thread; the face of a link is where the part goes."""
        pose = (self._world() if of_part else self._view.scene.poses).get(hit.link)
        geometry = self._shape_of(hit.link, of_part=of_part)
        if pose is None or geometry is None:
            return
        turn = pose[:3, :3]
        local, outwards = (hit.point - pose[:3, 3]) @ turn, hit.normal @ turn

        def take(flange: Flange | None) -> None:
            if flange is None:
                return
            if of_part:
                self._take_face(hit.link, flange)
            else:
                self._stand_on(hit.link, flange)

        self._finding.run(
            "Finding the face", lambda _: flange_of(geometry, local, outwards), take, in_thread=True
        )

    def _shape_of(self, link: str, *, of_part: bool) -> LinkGeometry | None:
        if of_part:
            return None if self._look is None else self._look.shapes.get(link)
        kinds = (
            ("visual", "collision") if self._session.display.visuals else ("collision", "visual")
        )
        geometries = (self._shapes.geometry(link, kind) for kind in kinds)
        return next((each for each in geometries if each is not None and each.triangles), None)

    def _take_face(self, link: str, flange: Flange) -> None:
        if self._look is None:
            return
        poses = self._look.poses(self._positions)
        placed = invert(self._look.frames[self._frame]) @ poses[link]
        point = placed[:3, :3] @ flange.point + placed[:3, 3]
        way = placed[:3, :3] @ flange.direction
        self._face = Flange(flange.is_plane, three(point), three(way), flange.radius)
        self._mark()
        self._tell("Now click the matching face of the robot.")

    def _tell(self, sentence: str) -> None:
        self.hint = sentence
        self._view.interaction.refresh_hint()
        self.told.emit(sentence)

    def _stand_on(self, link: str, flange: Flange) -> None:
        tree = self._session.tree
        if link in tree.index and self._at in (frames := rigid_frames(tree, link)):
            # A frame that was chosen stays, where it moves with the face: as the flange's frame for
            # a hand.
            flange, link = _seen_from(invert(frames[self._at]), flange), self._at
        # On another link the part is turned as it is seen now.
        now, before = self._link_pose(), self._view.scene.poses.get(link)
        if before is None:
            return
        origin = (
            self.origin
            if now is None
            else matrix_origin(invert(before) @ now @ build_origin_matrix(self.origin))
        )
        face = self._face
        if link != self._at:
            self._at = link
            self.link_asked.emit(link)
        self.set_takes_faces(False)
        self.set_origin(mounted(flange, face, origin, self.step))
        self.settled.emit()

    # -- drawing

    def _link_pose(self) -> F64 | None:
        return self._view.scene.poses.get(self._at)

    def _world(self) -> dict[str, F64]:
        """(4, 4) of the part's frames in the base frame."""
        link = self._link_pose()
        if link is None or self._look is None or self._frame not in self._look.frames:
            return {}
        root = link @ build_origin_matrix(self.origin) @ invert(self._look.frames[self._frame])
        return {frame: root @ pose for frame, pose in self._look.poses(self._positions).items()}

    def _draw(self, *_: object) -> None:
        self._layer.set_poses(self._world())
        self._mark()
        self._view.scene.framing.update_bounds()
        self._view.scene.place_gizmo()

    def _mark(self) -> None:
        """A short line out of the face of the part that was clicked."""
        link = self._link_pose()
        if self._face is None or link is None:
            self._view.overlay.remove(_FACE)
            return
        pose = link @ build_origin_matrix(self.origin)
        start = pose[:3, :3] @ self._face.point + pose[:3, 3]
        end = start + pose[:3, :3] @ self._face.direction * max(self._face.radius or 0.0, 0.03)
        colour = np.array([*self._view.scene.accent, 1.0])
        self._view.overlay.set_lines(_FACE, np.stack([start, end])[None], colour, width=4.0)


def _seen_from(shift: F64, flange: Flange) -> Flange:
    """A face in another frame, to which the (4, 4) `shift` leads."""
    turn = shift[:3, :3]
    return replace(
        flange,
        point=three(turn @ flange.point + shift[:3, 3]),
        direction=three(turn @ flange.direction),
    )


class PartDrag(FrameDrag):
    """The part at its mount; Esc puts it back. Nothing is a step before it is attached."""

    def __init__(
        self, hand: Hand, preview: PartPreview, pose: F64, handle: Handle | None, start: QPointF
    ) -> None:
        super().__init__(hand, preview.name, pose, handle, start)
        self._preview, self._before = preview, preview.origin

    def take(self, pose: F64) -> str:
        return f"{told_at(self._preview.move_to(pose).xyz, self._session.display)} on its link"

    def finish(self) -> None:
        self._preview.settled.emit()

    def cancel(self) -> None:
        self._preview.set_origin(self._before)
        self._preview.settled.emit()
