"""The widgets of the fit panel and where they stand: links, figures and curve of one link, what is
asked for."""

from __future__ import annotations

import math
from collections.abc import Mapping

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolTip, QVBoxLayout, QWidget

from editor_app.core.model.counting import format_count, format_percent
from editor_app.core.model.frozen import FrozenDict
from editor_app.features.spheres.engine.results import Quality, Refusals
from editor_app.features.spheres.fit_session import FitStage, FitState
from editor_app.features.spheres.window.context import BudgetEstimates
from editor_app.features.spheres.window.figures import FiguresTable
from editor_app.features.spheres.window.fit_settings import FitForm
from editor_app.features.spheres.window.link_list import LinkList
from editor_app.window.bindings.panel import heading, muted_label, row_of
from editor_app.window.link_quality import ratio_text
from editor_app.window.session import Session
from editor_app.window.theme import colours, tabular_font, theme
from editor_app.window.widgets import (
    PlainLabel,
    Scrolled,
    ThinBar,
    dress,
    fill_layout,
    plain_text,
    side_by_side,
)


class QualityChart(QWidget):
    """Excess volume, or of an inside fit the volume that it leaves open, over the logarithm of the
    number; with an axis of its own at the right the share of the free configurations that the robot
    refuses, where it was measured.

    Points come one by one.
    """

    #: The number of spheres that was clicked.
    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Quality against number of spheres")
        self.setMinimumSize(190, 110)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._points: dict[int, Quality] = {}
        self._refusals: dict[int, Refusals] = {}
        self._current: int | None = None
        self._hover: int | None = None
        self._busy = False
        self._is_inside = False
        self._empty = "Fit one link to see quality against the number of spheres."
        theme().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(320, 160)

    @property
    def points(self) -> dict[int, Quality]:
        return dict(self._points)

    @property
    def refusals(self) -> dict[int, Refusals]:
        return dict(self._refusals)

    def set_points(
        self,
        points: dict[int, Quality],
        *,
        busy: bool = False,
        inside: bool = False,
        refusals: Mapping[int, Refusals] = FrozenDict(),
    ) -> None:
        """`inside`: of fits that stay inside, which have no excess: more spheres leave less of the
        volume open."""
        self._points, self._busy, self._is_inside = dict(points), busy, inside
        self._refusals = {number: refusals[number] for number in points if number in refusals}
        self.update()

    def value(self, number: int) -> float:
        """The share of the mesh's volume that is drawn for a number of spheres; 0 for a flat
        mesh."""
        quality = self._points[number]
        return (
            1.0 - (quality.volume_coverage or 0.0)
            if self._is_inside
            else quality.excess_ratio or 0.0
        )

    def set_current(self, number: int | None) -> None:
        """Marks the number that is fitted now."""
        self._current = number
        self.update()

    @property
    def knee(self) -> int | None:
        """The number farthest below the chord of the curve; None with fewer than three points."""
        return knee_of({n: self.value(n) for n in self._points})

    # -- geometry

    def _area(self) -> QRectF:
        # Each axis has its title above it; both do not fit beside each other in a narrow place.
        top, right = (36, 44) if self._refusals else (20, 14)
        return QRectF(self.rect()).adjusted(50, top, -right, -22)

    def _range(self) -> tuple[float, float, float]:
        numbers = [*self._points, *([self._current] if self._current else [])]
        top = max(map(self.value, self._points), default=1.0)
        return math.log(max(1, min(numbers))), math.log(max(2, *numbers, 2)), max(top * 1.08, 1e-6)

    def place(self, number: int, value: float, top: float | None = None) -> QPointF:
        """Return the position of a point in the widget; `top`: the end of its axis, by default the
        left axis."""
        area, (low, high, left) = self._area(), self._range()
        top = left if top is None else top
        x = area.left() + (math.log(max(1, number)) - low) / max(high - low, 1e-9) * area.width()
        return QPointF(x, area.bottom() - min(value / top, 1.0) * area.height())

    def _nearest(self, at: QPointF) -> int | None:
        if not self._points:
            return None
        return min(self._points, key=lambda n: abs(self.place(n, 0.0).x() - at.x()))

    # -- events

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        hover = self._nearest(event.position())
        if hover != self._hover:
            self._hover = hover
            self.update()
        if hover is not None:
            q = self._points[hover]
            text = (
                f"{hover} spheres: excess {ratio_text(q.excess_ratio)}, "
                f"{ratio_text(q.volume_coverage)} of the volume "
                f"inside, protrusion {1000 * q.protrusion_at_most:.1f} mm, "
                f"{100 * q.surface_coverage:.1f} % covered"
            )
            if (told := self._refusals.get(hover)) is not None:
                text += (
                    f".\nFalse collisions: {told.needless} of the free configurations; missed "
                    "collisions: "
                    f"{told.wrong} of the real ones\n({told.needless.of + told.wrong.of:,} random "
                    "configurations "
                    "with the current mask, buffers and other links)"
                )
            QToolTip.showText(event.globalPosition().toPoint(), text, self)

    def leaveEvent(self, event: object) -> None:
        self._hover = None
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        number = self._nearest(event.position())
        if number is not None and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(number)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        numbers = sorted(self._points)
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None or not numbers:
            super().keyPressEvent(event)
            return
        now = self._current or numbers[0]
        further = [n for n in numbers if (n > now if step > 0 else n < now)]
        if further:
            self.chosen.emit(further[0] if step > 0 else further[-1])

    def _refused_top(self) -> float:
        """The end of the right axis."""
        return (
            min(
                1.0,
                max((each.needless.value for each in self._refusals.values()), default=0.0) * 1.08,
            )
            or 0.01
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        now = colours()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(tabular_font(self.font()))
        painter.fillRect(self.rect(), QColor(now.base))
        painter.setPen(QPen(QColor(now.accent if self.hasFocus() else now.border), 1))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        if not self._points:
            painter.setPen(QColor(now.muted))
            text = "Computing…" if self._busy else self._empty
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(QRectF(self.rect()).adjusted(12, 8, -12, -8), flags, text)
            painter.end()
            return
        self._paint_axes(painter)
        self._paint_curve(painter)
        painter.end()

    def _paint_axes(self, painter: QPainter) -> None:
        now, area = colours(), self._area()
        _, _, top = self._range()
        painter.setPen(QColor(now.muted))
        title = ("Volume uncovered" if self._is_inside else "Excess volume") + (
            " (computing…)" if self._busy else ""
        )
        # Beside the text of the axis, whose uppermost line is as high.
        head = QRectF(area.left(), 2, self.width() - area.left() - 8, 17)
        painter.drawText(head, Qt.AlignmentFlag.AlignLeft, title)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        refused = self._refused_top()
        if self._refusals:
            painter.setPen(QColor(now.text))
            head = QRectF(2, 18, area.right(), 17)
            painter.drawText(head, Qt.AlignmentFlag.AlignRight, "■ False collisions")
        for share in (0.0, 0.5, 1.0):
            y = area.bottom() - share * area.height()
            painter.setPen(QPen(QColor(now.border), 1, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(QColor(now.muted))
            painter.drawText(QRectF(0, y - 9, area.left() - 5, 18), right, ratio_text(share * top))
            if self._refusals:
                painter.setPen(QColor(now.text))
                digits = 0 if refused > 0.05 else 1
                painter.drawText(
                    QRectF(area.right() + 5, y - 9, 40, 18), format_percent(share * refused, digits)
                )
        last = -1e9
        for number in sorted(self._points):
            x = self.place(number, 0.0).x()
            if x - last > 26:
                last = x
                where = QRectF(x - 20, area.bottom() + 3, 40, 17)
                painter.drawText(where, Qt.AlignmentFlag.AlignHCenter, str(number))

    def _paint_curve(self, painter: QPainter) -> None:
        now, area = colours(), self._area()
        accent = QColor(now.accent)
        if self._current is not None:
            x = self.place(self._current, 0.0).x()
            painter.setPen(QPen(accent, 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        places = [(n, self.place(n, self.value(n))) for n in sorted(self._points)]
        top = self._refused_top()
        refused = [
            self.place(n, each.needless.value, top) for n, each in sorted(self._refusals.items())
        ]
        painter.setPen(QPen(QColor(now.text), 1.5))
        painter.drawPolyline(refused)
        painter.setBrush(QColor(now.text))
        for place in refused:
            painter.drawRect(QRectF(place.x() - 2.5, place.y() - 2.5, 5, 5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(accent, 2))
        painter.drawPolyline([place for _, place in places])
        knee = self.knee if not self._busy else None
        for number, place in places:
            big = number in (self._hover, self._current)
            painter.setPen(QPen(accent, 2))
            painter.setBrush(accent if big else QColor(now.base))
            painter.drawEllipse(place, 5 if big else 3.5, 5 if big else 3.5)
            if number == knee:
                painter.setPen(QPen(QColor(now.text), 1.5))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(place, 8, 8)
                painter.drawText(
                    QRectF(place.x() + 10, place.y() - 20, 60, 17),
                    Qt.AlignmentFlag.AlignLeft,
                    "knee",
                )


def knee_of(values: Mapping[int, float]) -> int | None:
    """The number farthest below the chord between both ends, over log number; None with fewer than
    three points.

    Satopää et al., "Finding a Kneedle in a Haystack", 2011.
    """
    points = sorted((n, v) for n, v in values.items() if math.isfinite(v))
    if len(points) < 3:
        return None
    low, high = math.log(points[0][0]), math.log(points[-1][0])
    first, last = points[0][1], points[-1][1]
    if first - last <= 0 or high <= low:
        return points[0][0]
    return max(
        points,
        key=lambda p: 1 - (math.log(p[0]) - low) / (high - low) - (p[1] - last) / (first - last),
    )[0]


class FitLayout(QWidget):
    """Links at the left, settings and buttons at the right; between them the details, as long as
    one link is ticked.

    No button stands where another one stood before: a click that comes too late does nothing else
    than it was meant to.
    """

    def __init__(
        self, session: Session, estimates: BudgetEstimates, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.list = LinkList()
        self.selected_button = _button(
            "Selected", "Tick the selected links and follow the selection"
        )
        self.all_button = _button("All", "Tick all links")
        self.empty_button = _button("Without spheres", "Tick links without spheres")
        self.none_button = _button("None", "Untick all links")
        self.told = muted_label("")
        self.figures = FiguresTable()
        self.notes = dress(muted_label(""), align=Qt.AlignmentFlag.AlignTop)
        self.notes.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.progress = ThinBar("Progress of the fit", 5)
        self.chart = QualityChart()
        self.form = FitForm(session, estimates)
        self.title = heading("")
        self.start_button = _button(
            "Fit", "Fit spheres to the ticked links and compare them with the current ones"
        )
        self.cancel_button = _button("Cancel", "")
        self.next_button = _button("Compute the mask", "Next step for a new robot")
        self.accept_button = _button(
            "Accept", "Replace the current spheres by the fitted ones (Return)"
        )
        ticks = row_of(
            self.selected_button,
            self.all_button,
            self.empty_button,
            self.none_button,
            PlainLabel(),
            stretch=4,
        )
        self._links = _column((self.list, 1), (self.told, 0), (ticks, 0), least=200)
        figures = _column(
            (Scrolled(_column((self.figures, 0), (self.notes, 1))), 1),
            (self.progress, 0),
            least=325,
        )
        self.details = side_by_side((figures, 0), (self.chart, 0))
        buttons = row_of(
            self.start_button,
            self.cancel_button,
            self.next_button,
            PlainLabel(),
            self.accept_button,
            stretch=3,
        )
        settings = _column((self.title, 0), (Scrolled(self.form), 1), (buttons, 0))
        layout = fill_layout(QHBoxLayout(self), margins=(8, 6, 8, 6), spacing=12)
        for part, stretch in ((self._links, 4), (self.details, 8), (settings, 5)):
            layout.addWidget(part, stretch)
        self._row = layout
        QWidget.setTabOrder(self.form.amount.choice, self.form.amount.slider)

    def show_details(self, shown: bool) -> None:
        """Beside one link its figures and its curve; several links have a row each, which is
        wider."""
        self.details.setVisible(shown)
        self._row.setStretch(0, 4 if shown else 9)
        for button in (self.empty_button, self.none_button):
            button.setVisible(not shown)
        self.list.set_narrow(shown)

    def show_stage(self, state: FitState) -> None:
        """Show which buttons apply; move the focus when its button does not any more."""
        buttons = (self.start_button, self.cancel_button, self.next_button, self.accept_button)
        held = next((button for button in buttons if button.hasFocus()), None)
        count, has_fits, is_accepted = (
            len(state.fits),
            bool(state.fits),
            state.stage is FitStage.ACCEPTED,
        )
        self.start_button.setText("Refit" if has_fits or is_accepted else "Fit")
        may_start = state.one is not None or not state.is_running
        self.start_button.setEnabled(bool(state.ticked) and not state.is_guarded and may_start)
        self.start_button.setDefault(not has_fits and not is_accepted)
        self._show_cancel(state)
        self.next_button.setVisible(is_accepted and state.one is None)
        self.next_button.setDefault(self.next_button.isVisibleTo(self))
        self.accept_button.setEnabled(state.is_ready)
        self.accept_button.setDefault(has_fits)
        is_part = state.is_ready and count != len(state.ticked)
        self.accept_button.setText(f"Accept {format_count(count, 'link')}" if is_part else "Accept")
        if held is not None and (held.isHidden() or not held.isEnabled()):
            # The keyboard stays with the fit, and with its result.
            follows = self.accept_button if has_fits else self.start_button
            (self.cancel_button if state.is_running else follows).setFocus(
                Qt.FocusReason.OtherFocusReason
            )

    def _show_cancel(self, state: FitState) -> None:
        self.cancel_button.setText("Discard" if state.is_ready else "Cancel")
        keeps = "Stop; finished fits can still be accepted (Esc)"
        may_keep = state.is_running and state.one is None
        self.cancel_button.setToolTip(
            plain_text(keeps if may_keep else "Discard the proposal (Esc)")
        )
        self.cancel_button.setEnabled(
            state.is_running or (bool(state.fits) and not state.is_guarded)
        )


def _button(text: str, tip: str) -> QPushButton:
    return dress(QPushButton(text), tip=tip)


def _column(*rows: tuple[QWidget, int], least: int = 0) -> QWidget:
    part = QWidget()
    fill_layout(QVBoxLayout(part), *rows, margins=0, spacing=4)
    part.setMinimumWidth(least)
    return part
