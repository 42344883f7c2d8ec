"""The coverage heat map: which links have it, with which values, kept up while spheres are dragged;
and its legend."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QLinearGradient, QPaintEvent
from PySide6.QtWidgets import QWidget

from editor_app.core.arrays import F64
from editor_app.core.document.document import Document
from editor_app.core.model.counting import format_count
from editor_app.core.model.robot import RobotDescription
from editor_app.features.spheres.verbs.deviations import SCALES, SurfaceDeviations
from editor_app.features.spheres.verbs.link_fits import stack_spheres
from editor_app.features.spheres.window.context import FitContext
from editor_app.features.spheres.window.strip import Strip
from editor_app.window.theme import colours, tabular_font, theme
from editor_app.window.viewport import view
from editor_app.window.viewport.layers import meshes as layer
from editor_app.window.viewport.strip import ground_painter


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
        self.is_on = False
        self._ready = False
        self._deviations = SurfaceDeviations()
        self._legend: HeatMapLegend | None = None
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
        for signal in (
            session.selection_changed,
            session.tree_changed,
            context.proposed_changed,
            loaded,
        ):
            signal.connect(self._rebuild)
        context.bodies_changed.connect(self._rebuild)

    @property
    def links(self) -> frozenset[str]:
        """Links that have it now."""
        return self._deviations.links

    def values(self, link: str) -> F64:
        """Signed depths at the vertices (metres). Raises KeyError."""
        return self._deviations.values(link)

    def set_view(self, view: view.Viewport) -> None:
        self._view = view
        self._layer = layer.HeatMapLayer(view.canvas.main)
        view.scene.cut_layers.append(self._layer)
        self._legend = HeatMapLegend(view)
        self._rebuild()

    def set_on(self, on: bool) -> None:
        """Loads the compiled part first, in a thread: that takes a moment the first time."""
        if on == self.is_on:
            return
        self.is_on = on
        self.changed.emit(on)
        if on:
            # A user who looks at the coverage is about to change it.
            self._context.warm_preview()
        if not on:
            self._reset()
        elif self._ready:
            self._rebuild()
        else:
            load, take = (lambda _: SurfaceDeviations.load()), (lambda _: self._prepared())
            self._context.window_jobs.run("Preparing the heat map", load, take, in_thread=True)

    def toggle(self) -> None:
        self.set_on(not self.is_on)

    # -- following

    def _on_opened(self, document: Document) -> None:
        """Another robot is shown as it is; the same one, read again, keeps the heat map."""
        robot = document.urdf_path
        if robot is None or robot != self._robot:
            self.set_on(False)
        self._robot = robot
        self._reset()

    def _prepared(self) -> None:
        self._ready = True
        self._rebuild()

    def _rows(self, link: str) -> F64:
        proposed = self._context.proposed.get(link)
        return stack_spheres(self._context.present(link) if proposed is None else proposed)

    def _is_visual(self, link: str) -> bool:
        context = self._context
        return (
            context.kind_of(link) if link in context.proposed else context.surfaces.kind(link)
        ) == "visual"

    def _rebuild(self, *_: object) -> None:
        if not self.is_on or not self._ready or self._layer is None or self._view is None:
            return
        links = self._context.links_with_mesh()
        chosen = set(self._context.proposed) or set(self._session.selection.frames)
        wanted = tuple(link for link in links if link in chosen) if chosen & set(links) else links
        for link in self.links - set(wanted):
            self._deviations.drop(link)
            self._layer.remove(link)
        for link in wanted:
            # A proposal is measured on what it was fitted to, everything else as in the tree.
            mesh = (
                self._context.mesh(link)
                if link in self._context.proposed
                else self._context.surfaces.usual(link)
            )
            if mesh is not None and not self._deviations.has(mesh):
                self._layer.set_mesh(link, *self._deviations.add(mesh, self._rows(link)))
        # While something moves quickly, spheres are blended as they come and hide what is drawn
        # after them.
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
        self._layer.set_poses(self._view.scene.poses, self._session.hidden)
        if self._legend is not None:
            least, most = self._deviations.extremes()
            self._legend.show_scale(
                self.scale if self.links else None,
                buried=-least,
                uncovered=most,
                surface=visual_links(
                    self.links, [link for link in self.links if self._is_visual(link)]
                ),
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
        changed = frozenset(
            k for k in self.links if before.spheres.get(k) is not now.spheres.get(k)
        )
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
    """Which of the shown `links` are measured on visual shapes, for a legend; empty when none
    is."""
    if not visual:
        return ""
    if len(visual) == len(links):
        return "Shows visual shapes"
    return (
        f"{next(iter(visual)) if len(visual) == 1 else format_count(len(visual), 'link')}: of the "
        "visual shapes"
    )


class HeatMapLegend(QWidget):
    """The range of the colours, over the lower right corner of the view."""

    #: Pixels; the width grows with the font, so that the two sentences below the bar never meet.
    _LEAST, _HEIGHT, _LINE = 226, 66, 16

    def __init__(self, view: QWidget) -> None:
        super().__init__(view)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName("Legend of the coverage heat map")
        metrics = QFontMetrics(tabular_font(self.font()))
        wanted = 2 * metrics.horizontalAdvance("farthest 888.8 mm") + 36
        self.setFixedSize(max(self._LEAST, wanted), self._HEIGHT)
        #: Which links are measured on other than their collision shapes; empty when none is.
        self.surface = ""
        self._scale = 0.0
        self._buried = self._uncovered = ""
        theme().changed.connect(self.update)
        view.installEventFilter(self)
        self.hide()

    def show_scale(
        self, scale: float | None, *, buried: float = 0.0, uncovered: float = 0.0, surface: str = ""
    ) -> None:
        """The depth of the full colour, and the greatest depths that are shown, in metres; no scale
        hides it.

        `surface`: which links are measured on other than their collision shapes; it has a line of
        its own.
        """
        self.setVisible(scale is not None)
        if scale is not None:
            self._scale = scale
            # Another measure than how far spheres stand out, which can be less.
            self._buried, self._uncovered = _depth(buried, "deepest"), _depth(uncovered, "farthest")
            self.setAccessibleDescription(
                f"Blue: buried, the mesh lies so deep under the spheres, {self._buried}; red: "
                "uncovered,"
                f" {self._uncovered}; full colour at {1000 * scale:g} mm"
                + (f"; {surface}" if surface else "")
            )
            self.surface = surface
            self.setFixedHeight(self._HEIGHT + (self._LINE if surface else 0))
            self._place()
            self.raise_()
            self.update()

    @property
    def figures(self) -> tuple[str, str]:
        """The texts of the greatest depths: buried, uncovered."""
        return self._buried, self._uncovered

    def eventFilter(self, watched: QObject, event: Any) -> bool:
        if event.type() in (event.Type.Resize, event.Type.LayoutRequest):
            self._place()
        return False

    def _place(self) -> None:
        view = self.parentWidget()
        if view is not None:
            place = QRect(
                view.width() - self.width() - 10,
                view.height() - self.height() - 10,
                *self.size().toTuple(),
            )
            for strip in view.findChildren(Strip):
                if not strip.isHidden() and strip.geometry().intersects(place):
                    # Its buttons come first.
                    place.moveBottom(strip.geometry().top() - 6)
            self.setGeometry(place)

    def paintEvent(self, event: QPaintEvent) -> None:
        now = colours()
        painter = ground_painter(self)
        bar = QRectF(10, 20, self.width() - 20, 9)
        gradient = QLinearGradient(bar.topLeft(), bar.topRight())
        for place, colour in (
            (0.0, layer.OUTSIDE),
            (0.5, layer.NEUTRAL),
            (0.502, layer.NEUTRAL * 0.7 + layer.UNCOVERED * 0.3),
            (1, layer.UNCOVERED),
        ):
            gradient.setColorAt(place, QColor.fromRgbF(*(float(c) for c in colour)))
        painter.setBrush(gradient)
        painter.drawRect(bar)
        painter.setFont(tabular_font(self.font()))
        scale = f"{1000 * self._scale:g} mm"
        surface = painter.fontMetrics().elidedText(
            self.surface, Qt.TextElideMode.ElideMiddle, int(bar.width())
        )
        flags = (
            Qt.AlignmentFlag.AlignLeft,
            Qt.AlignmentFlag.AlignHCenter,
            Qt.AlignmentFlag.AlignRight,
        )
        for y, ink, texts in (
            (2, now.text, ("buried", "", "uncovered")),
            (30, now.muted, (scale, "0", scale)),
            (46, now.text, (self._buried, "", self._uncovered)),
            (46 + self._LINE, now.muted, (surface, "", "")),
        ):
            painter.setPen(QColor(ink))
            for flag, text in zip(flags, texts, strict=True):
                painter.drawText(
                    QRectF(10, y, bar.width(), 17), flag | Qt.AlignmentFlag.AlignVCenter, text
                )
        painter.end()


def _depth(metres: float, word: str) -> str:
    if metres == float("inf"):
        return "no sphere"
    return f"{word} {1000 * metres:.1f} mm" if metres > 5e-5 else "nowhere"
