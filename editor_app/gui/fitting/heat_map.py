"""The coverage heat map: which links have it, with which values, kept up while spheres are dragged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from editor_app.gui.fitting.context import FitContext
from editor_app.gui.fitting.legend import Legend
from editor_app.gui.fitting.subdivision import subdivided
from editor_app.model.robot import RobotDescription
from editor_app.operations.link_fits import as_rows

if TYPE_CHECKING:
    from editor_app.edit.document import Document
    from editor_app.fitting.heat_map import DeviationMap
    from editor_app.fitting.links import LinkMesh
    from editor_app.gui.viewport.layers.heat_map import HeatMapLayer
    from editor_app.gui.viewport.view import Viewport

#: Depths that the colours end at (metres).
_SCALES = (0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5)


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
        self._view: Viewport | None = None
        self._layer: HeatMapLayer | None = None
        self._on = False
        self._ready = False
        self._maps: dict[str, tuple[LinkMesh, DeviationMap]] = {}
        self._legend: Legend | None = None
        self._robot: Path | None = None
        self.scale = _SCALES[0]
        session = self._session
        session.document_opened.connect(self._on_opened)
        session.selection_changed.connect(lambda _: self._rebuild())
        session.robot_changed.connect(self._on_robot)
        session.pose_changed.connect(lambda _: self._place())
        session.tree_changed.connect(lambda _: self._rebuild())
        session.visibility_changed.connect(lambda _: self._place())
        session.active_group_changed.connect(lambda _: self._refresh())
        context.proposed_changed.connect(self._on_proposed)
        context.kind_changed.connect(self._reset)
        context.bodies_changed.connect(lambda _: self._rebuild())
        context.meshes.geometry_changed.connect(lambda _: self._rebuild())

    @property
    def is_on(self) -> bool:
        return self._on

    @property
    def links(self) -> frozenset[str]:
        """Links that have it now."""
        return frozenset(self._maps)

    def values(self, link: str) -> NDArray[np.float64]:
        """Signed depths at the vertices (metres). Raises KeyError."""
        return self._maps[link][1].values

    def set_view(self, view: Viewport) -> None:
        from editor_app.gui.viewport.layers.heat_map import HeatMapLayer

        self._view = view
        self._layer = HeatMapLayer(view.canvas.main)
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
            self._context.window_jobs.run_in_thread("Preparing the heat map", _prepare, lambda _: self._prepared())

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

    def _rebuild(self) -> None:
        if not self._on or not self._ready or self._layer is None or self._view is None:
            return
        from editor_app.fitting.heat_map import DeviationMap

        wanted = self._wanted()
        for link in set(self._maps) - set(wanted):
            del self._maps[link]
            self._layer.remove(link)
        for link in wanted:
            mesh = self._context.mesh(link)
            if mesh is None or (link in self._maps and self._maps[link][0] is mesh):
                continue
            vertices, faces = subdivided(mesh.vertices, mesh.faces)
            self._layer.set_mesh(link, vertices, faces)
            self._maps[link] = (mesh, DeviationMap(vertices, self._rows(link)))
        # While something moves quickly, spheres are blended as they come and hide what is drawn after them.
        self._view.scene.spheres.draw_last()
        shown = frozenset(self._maps)
        self._view.scene.set_replaced(shown)
        self._refresh()

    def _refresh(self, links: frozenset[str] | None = None, *, rescale: bool = True) -> None:
        """New values for links (None: all); `rescale` may choose another range for the colours."""
        if self._layer is None or self._view is None or not self._maps:
            return
        touched = frozenset(self._maps) if links is None else links & frozenset(self._maps)
        for link in touched:
            self._maps[link][1].update(self._rows(link))
        if rescale:
            scale = _range_of([deviation.values for _, deviation in self._maps.values()])
            if scale != self.scale:
                self.scale, touched = scale, frozenset(self._maps)
        for link in touched:
            self._layer.set_values(link, self._maps[link][1].values, self.scale)
        self._place()
        self.updated.emit(touched)

    def _place(self) -> None:
        if self._layer is None or self._view is None:
            return
        self._layer.set_hidden(self._session.hidden)
        self._layer.set_poses(self._view.scene.poses)
        if self._legend is not None:
            least, most = self._extremes()
            self._legend.show_scale(self.scale if self._maps else None, stands_out=-least, uncovered=most)
        self._view.scene.redraw()

    def _extremes(self) -> tuple[float, float]:
        """Smallest and greatest value of what is shown (metres); infinite where there is no sphere."""
        values = [deviation.values for _, deviation in self._maps.values() if len(deviation.values)]
        if not values:
            return 0.0, 0.0
        return min(float(v.min()) for v in values), max(float(v.max()) for v in values)

    def _on_proposed(self) -> None:
        if self._on:
            self._rebuild()

    def _on_robot(self, old: RobotDescription, new: RobotDescription) -> None:
        if not self._maps or new.xrdf.geometry is old.xrdf.geometry:
            return
        name = self._context.group
        before, now = old.xrdf.group(name), new.xrdf.group(name)
        if before is None or now is None:
            self._refresh()
            return
        changed = frozenset(k for k in self._maps if before.spheres.get(k) is not now.spheres.get(k))
        if changed:
            # A range that breathes during a drag would hide what the drag does.
            self._refresh(changed, rescale=False)

    def _reset(self) -> None:
        self._maps.clear()
        if self._layer is not None and self._view is not None:
            self._layer.clear()
            self._view.scene.set_replaced(frozenset())
            self._place()
        self._rebuild()


def _prepare(report: object) -> None:
    from editor_app.fitting.heat_map import DeviationMap

    points = np.zeros((4, 3))
    spheres = np.array([[0.0, 0, 0, 1], [1, 0, 0, 1], [2, 0, 0, 1], [3, 0, 0, 1]])
    warm = DeviationMap(points, spheres)
    spheres[0, 0] = 0.1
    warm.update(spheres)


def _range_of(values: list[NDArray[np.float64]]) -> float:
    finite = np.concatenate([np.abs(v[np.isfinite(v)]) for v in values]) if values else np.zeros(0)
    most = float(np.percentile(finite, 99)) if len(finite) else 0.0
    return next((s for s in _SCALES if s >= most), _SCALES[-1])
