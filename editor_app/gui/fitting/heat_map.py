"""The coverage heat map: which links have it, with which values, kept up while spheres are dragged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from editor_app.gui.fitting.context import FitContext
from editor_app.gui.theme import colours, tabular_font, theme
from editor_app.model.robot import RobotDescription
from editor_app.tasks.fitting import as_rows

if TYPE_CHECKING:
    from editor_app.fitting.heat_map import DeviationMap
    from editor_app.fitting.links import LinkMesh
    from editor_app.gui.viewport.layers.heat_map import HeatMapLayer
    from editor_app.gui.viewport.view import Viewport

#: Triangles are cut until their edges are this share of the link's size, as long as there are not too many.
_EDGE = 1 / 45
_MOST_VERTICES = 40_000
#: Depths that the colours end at (metres).
_SCALES = (0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5)


class HeatMap(QObject):
    """A switch, and what it shows: the selected links, those of a proposal, or all."""

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
        self.scale = _SCALES[0]
        session = self._session
        session.document_opened.connect(lambda _: self._reset())
        session.selection_changed.connect(lambda _: self._rebuild())
        session.robot_changed.connect(self._on_robot)
        session.pose_changed.connect(lambda _: self._place())
        session.tree_changed.connect(lambda _: self._rebuild())
        session.visibility_changed.connect(lambda _: self._place())
        session.active_group_changed.connect(lambda _: self._refresh())
        context.proposed_changed.connect(self._on_proposed)
        context.kind_changed.connect(self._reset)
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
        if not on:
            self._reset()
        elif self._ready:
            self._rebuild()
        else:
            self._context.window_jobs.run_in_thread("Preparing the heat map", _prepare, lambda _: self._prepared())

    def toggle(self) -> None:
        self.set_on(not self._on)

    # -- following

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
            self._legend.show_scale(self.scale if self._maps else None)
        self._view.scene.redraw()

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


def subdivided(vertices: NDArray[Any], faces: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Finer triangles where edges are long, by halving edges: colours are interpolated between vertices."""
    v, f = np.asarray(vertices, float), np.asarray(faces, np.int64)
    if not len(f):
        return v, f.astype(np.int32)
    size = float(np.linalg.norm(np.ptp(v, axis=0)))
    for limit in (_EDGE, 2 * _EDGE, 4 * _EDGE):
        fine = _halved(v, f, limit * size)
        if len(fine[0]) <= max(_MOST_VERTICES, 2 * len(v)):
            return fine
    return v, f.astype(np.int32)


def _halved(v: NDArray[np.float64], f: NDArray[np.int64], edge: float) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    for _ in range(12):
        corners = v[f]
        lengths = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2)
        long = lengths.max(1) > edge
        if not long.any() or len(v) > 4 * _MOST_VERTICES:
            break
        # The longest edge is cut in the middle. Neighbours need not match: nothing moves, so there is no gap.
        first = lengths[long].argmax(1)
        rows = np.arange(len(first))
        t = f[long]
        a, b, c = t[rows, first], t[rows, (first + 1) % 3], t[rows, (first + 2) % 3]
        pairs = np.sort(np.stack([a, b], 1), axis=1)
        unique, inverse = np.unique(pairs, axis=0, return_inverse=True)
        middle = len(v) + inverse.ravel()
        v = np.vstack([v, v[unique].mean(1)])
        f = np.vstack([f[~long], np.stack([a, middle, c], 1), np.stack([middle, b, c], 1)])
    return v, f.astype(np.int32)


class Legend(QWidget):
    """The range of the colours, over the lower right corner of the view."""

    _SIZE = (214, 50)

    def __init__(self, view: QWidget) -> None:
        super().__init__(view)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName("Legend of the coverage heat map")
        self.setFixedSize(*self._SIZE)
        self._scale = 0.0
        theme().changed.connect(self.update)
        view.installEventFilter(self)
        self.hide()

    def show_scale(self, scale: float | None) -> None:
        """The depth of the full colour in metres; None hides it."""
        self.setVisible(scale is not None)
        if scale is not None:
            self._scale = scale
            self.setAccessibleDescription(f"Red: uncovered, blue: standing out, up to {1000 * scale:g} mm")
            self._place()
            self.raise_()
            self.update()

    def eventFilter(self, watched: QObject, event: Any) -> bool:
        if event.type() == event.Type.Resize:
            self._place()
        return False

    def _place(self) -> None:
        view = self.parentWidget()
        if view is not None:
            self.move(view.width() - self.width() - 10, view.height() - self.height() - 10)

    def paintEvent(self, event: QPaintEvent) -> None:
        from editor_app.gui.viewport.layers.heat_map import NEUTRAL, OUTSIDE, UNCOVERED

        now = colours()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = QColor(now.window)
        ground.setAlphaF(0.88)
        painter.setBrush(ground)
        painter.setPen(QPen(QColor(now.border), 1))
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), 5, 5)
        bar = QRectF(10, 20, self.width() - 20, 9)
        gradient = QLinearGradient(QPointF(bar.left(), 0), QPointF(bar.right(), 0))
        for place, colour in ((0.0, OUTSIDE), (0.5, NEUTRAL), (0.502, NEUTRAL * 0.7 + UNCOVERED * 0.3), (1, UNCOVERED)):
            gradient.setColorAt(place, QColor.fromRgbF(*(float(c) for c in colour)))
        painter.setBrush(gradient)
        painter.drawRect(bar)
        painter.setFont(tabular_font(self.font()))
        painter.setPen(QColor(now.text))
        top, bottom = QRectF(10, 2, bar.width(), 17), QRectF(10, 30, bar.width(), 17)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(top, Qt.AlignmentFlag.AlignLeft | middle, "stands out")
        painter.drawText(top, Qt.AlignmentFlag.AlignRight | middle, "uncovered")
        painter.setPen(QColor(now.muted))
        painter.drawText(bottom, Qt.AlignmentFlag.AlignLeft | middle, f"{1000 * self._scale:g} mm")
        painter.drawText(bottom, Qt.AlignmentFlag.AlignHCenter | middle, "0")
        painter.drawText(bottom, Qt.AlignmentFlag.AlignRight | middle, f"{1000 * self._scale:g} mm")
        painter.end()
