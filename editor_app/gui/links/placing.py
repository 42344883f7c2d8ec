"""Handles at the selected link: dragging them moves the origin of its joint, or the transform of an added frame."""

from __future__ import annotations

from functools import partial

from editor_app.gui.files.expansions import read_only
from editor_app.gui.session import Session
from editor_app.gui.viewport import gizmo, link_drag, view
from editor_app.gui.workbench import Workbench
from editor_app.model.urdf import Joint
from editor_app.model.xrdf import AddFrame


class LinkPlacing:
    """Whether the handles are shown; off at the start, since a drag of a link selects or orbits otherwise."""

    def __init__(self, workbench: Workbench) -> None:
        self._session: Session = workbench.session
        self._view: view.Viewport | None = None
        self.is_on = False
        workbench.viewport_ready.connect(self._set_view)

    def flip(self) -> None:
        """Shows the handles, or hides them."""
        self.is_on = not self.is_on
        if self._view is not None:
            self._view.scene.place_gizmo()

    def _set_view(self, viewport: view.Viewport) -> None:
        self._view = viewport
        viewport.scene.grips.append(self._grip)
        viewport.scene.place_gizmo()

    def _grip(self) -> gizmo.Grip | None:
        selection, tree = self._session.selection, self._session.tree
        if not self.is_on or self._view is None or tree is None or len(selection.links) != 1 or selection.spheres:
            return None
        (frame,) = selection.links
        carrier = carrier_of(self._session, frame)
        if carrier is None or frame not in tree.index:
            return None
        pose = self._session.transforms[tree.index[frame]]
        drag = partial(link_drag.LinkDrag, self._view.interaction.hand, frame, carrier, pose.copy())
        return gizmo.Grip(frame, pose, drag)


def carrier_of(session: Session, frame: str) -> Joint | tuple[int, AddFrame] | None:
    """The joint that carries a link, or the modifier that adds a frame with its place; None for others."""
    robot = session.robot
    if robot is None:
        return None
    for place, each in enumerate(robot.xrdf.modifiers or ()):
        if isinstance(each, AddFrame) and each.frame_name == frame:
            return place, each
    return robot.urdf.joint_to(frame) if read_only(session) is None else None
