"""What stands out in the view: what is selected, what the pointer is over, and what fades beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from editor_app.edit.features import features_of, links_of
from editor_app.edit.selection import Selection
from editor_app.gui.session import Hover, Session
from editor_app.gui.viewport.layers.features import FeatureLayer
from editor_app.gui.viewport.layers.frames import FrameLayer
from editor_app.gui.viewport.layers.meshes import MeshLayer
from editor_app.gui.viewport.layers.spheres import Marks, SphereLayer
from editor_app.model.features import FeatureKind


class Marked(Protocol):
    """The layers that mark something."""

    visuals: MeshLayer
    collisions: MeshLayer
    spheres: SphereLayer
    frames: FrameLayer
    features: FeatureLayer
    redraw: Callable[[], None]


class SceneMarks:
    """Tells the layers what to draw in other colours."""

    def __init__(self, session: Session, scene: Marked) -> None:
        self._session = session
        self._scene = scene
        self._is_shown = True
        self._faded: frozenset[str] = frozenset()

    def show(self, shown: bool) -> None:
        """Whether what is selected, or pointed at, is drawn in other colours."""
        if shown is not self._is_shown:
            self._is_shown = shown
            self.update()

    def update(self) -> None:
        """Marks what is selected, and what the pointer is over, now."""
        selection, hover, tree = self._session.selection, self._session.hover, self._session.tree
        if not self._is_shown:
            selection, hover = Selection(), Hover()
        pairs = {name for pair in selection.pairs for name in (pair.first, pair.second)}
        moved = {j.child for j in tree.joints if j.name in selection.joints} if tree else set()
        links = frozenset(selection.links) | pairs
        moved |= self._links_of_features(selection)
        # A sphere that is pointed at lights up itself, not its link as well.
        hovered = hover.link if hover.sphere is None else None
        if hovered is None and hover.joint is not None and tree is not None and tree.joint(hover.joint) is not None:
            hovered = tree.joint(hover.joint).child  # type: ignore[union-attr]
        for layer in (self._scene.visuals, self._scene.collisions):
            layer.set_marks(links | moved, hovered)
        self._scene.spheres.set_marks(Marks(selection.spheres, frozenset(links | moved), hover.sphere, self._faded))
        joints = frozenset(selection.joints) | ({hover.joint} if hover.joint else set())
        self._scene.frames.set_marks(frozenset(links), joints)
        self._scene.features.set_marks(frozenset(selection.features), hover.feature)

    def _links_of_features(self, selection: Selection) -> set[str]:
        """What a selected group or end effector consists of."""
        robot = self._session.robot
        if robot is None or not selection.features:
            return set()
        chosen = (p for p in features_of(robot) if p.feature in selection.features)
        groups = (p for p in chosen if p.feature.kind in (FeatureKind.GROUP, FeatureKind.END_EFFECTOR))
        return {link for placed in groups for link in links_of(robot, placed)}

    def set_faded(self, frames: frozenset[str]) -> None:
        """Draws the spheres of these frames faintly, until it is called with others."""
        if frames != self._faded:
            self._faded = frames
            self.update()
            self._scene.redraw()
