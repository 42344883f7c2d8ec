"""The coverage heat map: which links have it, with which values, kept up while spheres are dragged."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from editor_app.edit.document import Document
from editor_app.fitting.links import LinkMesh
from editor_app.gui.fitting.context import FitContext
from editor_app.gui.fitting.legend import Legend
from editor_app.gui.viewport import view
from editor_app.gui.viewport.layers import meshes as layer
from editor_app.model.counting import counted
from editor_app.model.robot import RobotDescription
from editor_app.operations.deviations import SCALES, Deviations
from editor_app.operations.link_fits import as_rows


class HeatMap(QObject):
    """A switch, and what it shows: the selected links, the links of a proposal, or all."""

    #: On or off.
    changed = Signal(bool)
    #: The values of these links are others: a frozenset of names.
    updated = Signal(object)

    def __init__(self, context: FitContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._session = context.session
        self._view: view.Viewport | None = None
        self._layer: layer.HeatMapLayer | None = None
        self._on = False
        self._ready = False
        self._deviations = Deviations()
        self._legend: Legend | None = None
        self._robot: Path | None = None
        self.scale = SCALES[0]
        session = self._session
        session.document_opened.connect(self._on_opened)
        session.robot_changed.connect(self._on_robot)
        session.active_group_changed.connect(lambda _: self._refresh())
        context.kind_changed.connect(self._reset)
        for signal in (session.pose_changed, session.visibility_changed):
            signal.connect(self._place)
        loaded = context.meshes.geometry_changed
        for signal in (session.selection_changed, session.tree_changed, context.proposed_changed, loaded):
            signal.connect(self._rebuild)
        context.bodies_changed.connect(self._rebuild)

    @property
    def is_on(self) -> bool:
        return self._on

    @property
    def links(self) -> frozenset[str]:
        """Links that have it now."""
        return self._deviations.links

    def values(self, link: str) -> NDArray[np.float64]:
        """Signed depths at the vertices (metres). Raises KeyError."""
        return self._deviations.values(link)

    def set_view(self, view: view.Viewport) -> None:
        self._view = view
        self._layer = layer.HeatMapLayer(view.canvas.main)
        view.scene.cut_layers.append(self._layer)
        self._legend = Legend(view)
        self._rebuild()

    def set_on(self, on: bool) -> None:
        """Loads the compiled part first, in a thread: that takes a moment the first time."""
        if on == self._on:
            return
        self._on = on
        self.changed.emit(on)
        if on:
            # A user who looks at the coverage is about to change it.
            self._context.warm_preview()
        if not on:
            self._reset()
        elif self._ready:
            self._rebuild()
        else:
            load, take = (lambda _: Deviations.load()), (lambda _: self._prepared())
            self._context.window_jobs.run("Preparing the heat map", load, take, in_thread=True)

    def toggle(self) -> None:
        self.set_on(not self._on)

    # -- following

    def _on_opened(self, document: Document | None) -> None:
        """Another robot is shown as it is; the same one, read again, keeps the heat map."""
        robot = document.urdf_path if document is not None else None
        if robot is None or robot != self._robot:
            self.set_on(False)
        self._robot = robot
        self._reset()

    def _prepared(self) -> None:
        self._ready = True
        self._rebuild()

    def _wanted(self) -> tuple[str, ...]:
        links = self._context.links_with_mesh()
        chosen = set(self._context.proposed) or set(self._session.selection.frames)
        return tuple(link for link in links if link in chosen) if chosen & set(links) else links

    def _rows(self, link: str) -> NDArray[np.float64]:
        proposed = self._context.proposed.get(link)
        return as_rows(self._context.present(link) if proposed is None else proposed)

    def _mesh(self, link: str) -> LinkMesh | None:
        """A proposal is measured on what it was fitted to, everything else as in the tree."""
        return self._context.mesh(link) if link in self._context.proposed else self._context.surfaces.usual(link)

    def _is_visual(self, link: str) -> bool:
        context = self._context
        return (context.kind_of(link) if link in context.proposed else context.surfaces.kind(link)) == "visual"

    def _rebuild(self, *_: object) -> None:
        if not self._on or not self._ready or self._layer is None or self._view is None:
            return
        wanted = self._wanted()
        for link in self.links - set(wanted):
            self._deviations.drop(link)
            self._layer.remove(link)
        for link in wanted:
            mesh = self._mesh(link)
            if mesh is not None and not self._deviations.has(mesh):
                self._layer.set_mesh(link, *self._deviations.add(mesh, self._rows(link)))
        # While something moves quickly, spheres are blended as they come and hide what is drawn after them.
        self._view.scene.spheres.draw_last()
        self._view.scene.set_replaced(self.links)
        self._refresh()

    def _refresh(self, links: frozenset[str] | None = None, *, rescale: bool = True) -> None:
        """New values for links (None: all); `rescale` may choose another range for the colours."""
        if self._layer is None or self._view is None or not self.links:
            return
        touched = self.links if links is None else links & self.links
        for link in touched:
            self._deviations.update(link, self._rows(link))
        if rescale:
            scale = self._deviations.scale()
            if scale != self.scale:
                self.scale, touched = scale, self.links
        for link in touched:
            self._layer.set_values(link, self.values(link), self.scale)
        self._place()
        self.updated.emit(touched)

    def _place(self, *_: object) -> None:
        if self._layer is None or self._view is None:
            return
        self._layer.set_hidden(self._session.hidden)
        self._layer.set_poses(self._view.scene.poses)
        if self._legend is not None:
            least, most = self._deviations.extremes()
            self._legend.show_scale(
                self.scale if self.links else None,
                buried=-least,
                uncovered=most,
                surface=visual_links(self.links, [link for link in self.links if self._is_visual(link)]),
            )
        self._view.scene.redraw()

    def _on_robot(self, old: RobotDescription, new: RobotDescription) -> None:
        if not self.links or new.xrdf.geometry is old.xrdf.geometry:
            return
        name = self._context.group
        before, now = old.xrdf.group(name), new.xrdf.group(name)
        if before is None or now is None:
            self._refresh()
            return
        changed = frozenset(k for k in self.links if before.spheres.get(k) is not now.spheres.get(k))
        if changed:
            # A range that breathes during a drag would hide what the drag does.
            self._refresh(changed, rescale=False)

    def _reset(self) -> None:
        shown = self.links
        self._deviations.clear()
        if shown and self._layer is not None and self._view is not None:
            self._layer.clear()
            self._view.scene.set_replaced(frozenset())
            self._place()
            # What was faded for it is drawn in full again.
            self.updated.emit(shown)
        self._rebuild()


def visual_links(links: Collection[str], visual: Collection[str]) -> str:
    """Which of the shown `links` are measured on visual shapes, for a legend; empty when none is."""
    if not visual:
        return ""
    if len(visual) == len(links):
        return "Of the visual shapes"
    return f"{next(iter(visual)) if len(visual) == 1 else counted(len(visual), 'link')}: of the visual shapes"
