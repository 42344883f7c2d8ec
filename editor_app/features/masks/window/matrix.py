"""The matrix of link pairs, with the mouse and the keys.

Below the diagonal stand the spheres; above it the same, or the second opinion of the meshes once
there is one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from html import escape

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QMenu, QToolTip, QWidget

from editor_app.core.model.xrdf import LinkPair
from editor_app.features.masks.engine.results import explain_evidence
from editor_app.features.masks.window import looks
from editor_app.features.masks.window.controller import MaskController
from editor_app.features.masks.window.grouping import (
    GREATEST,
    NOTHING_SHARED,
    SMALLEST,
    Cell,
    Grouping,
    MatrixRow,
    Places,
    collect,
    shared_parts,
)
from editor_app.features.masks.window.painting import paint_cell, row_text
from editor_app.window.bindings.elision import DistinctNames
from editor_app.window.theme import colours, theme
from editor_app.window.widgets import WhenSeen, plain_text, popup

_LABEL_LIMIT = 170
_HEAD_LIMIT = 56
_STEPS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}
_SHOW = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_ENDS = (Qt.Key.Key_Home, Qt.Key.Key_End)
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class MatrixView(QAbstractScrollArea):
    """Click: select and show the worst known configuration; Ctrl and Shift select several; see
    `keyPressEvent`."""

    menu_requested = Signal(QPoint)
    #: Whether rows are collapsed may be another now.
    rows_changed = Signal(bool)

    def __init__(self, controller: MaskController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self.grouping = Grouping()
        self._rows: tuple[MatrixRow, ...] = ()
        self._cells: dict[tuple[int, int], Cell] = {}
        self._opinion: dict[tuple[int, int], Cell] = {}
        self.colour_by = looks.ColourBy.CLEARANCE
        self._current = (1, 0)
        self._anchor = (1, 0)
        self._hover: tuple[int, int] | None = None
        self._hover_label: int | None = None
        self.places = Places()
        self.heads_lie = False
        #: What the names of all frames begin and end with, and the labels leave out.
        self.shared = NOTHING_SHARED
        #: Cuts the labels that are too long where they differ.
        self.names = DistinctNames()
        self.setObjectName("matrix")
        self.setAccessibleName("Self-collision matrix")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.viewport().setMouseTracking(True)
        # A matrix that is not seen costs nothing before it is asked for.
        told_by = (controller.analysis_changed, controller.mask_changed, controller.opinion_changed)
        self._seen = WhenSeen(self, self.refresh, told_by)
        controller.session.selection_changed.connect(self._on_selection)
        theme().changed.connect(self.viewport().update)
        self.refresh()

    # -- contents

    @property
    def rows(self) -> tuple[MatrixRow, ...]:
        self._seen.run()
        return self._rows

    @property
    def has_opinion(self) -> bool:
        self._seen.run()
        return bool(self._opinion)

    def opinion_at(self, row: int, column: int) -> Cell | None:
        """Return the cell of the second opinion."""
        self._seen.run()
        return self._opinion.get((max(row, column), min(row, column)))

    def set_colour_by(self, by: looks.ColourBy) -> None:
        self.colour_by = by
        self.viewport().update()

    def cell(self, row: int, column: int) -> Cell | None:
        """Return the cell of two rows of the matrix, in either order."""
        self._seen.run()
        return self._cells.get((max(row, column), min(row, column)))

    def refresh(self, *_: object) -> None:
        """Takes over what the controller knows now."""
        state = self._controller.state
        analysis = state.grounds
        if analysis is None:
            self._rows, self._cells, self._opinion = (), {}, {}
            self.grouping.set_frames((), self._controller.session.tree)
        else:
            self.grouping.set_frames(analysis.model.frames, self._controller.session.tree)
            self._rows = self.grouping.rows()
            self._cells = collect(state.pairs, self._rows, state)
            self._opinion = collect(state.opinion_pairs, self._rows, state)
        last = max(0, len(self._rows) - 1)
        self._current = (min(self._current[0], last), min(self._current[1], last))
        self.rows_changed.emit(any(row.is_collapsed for row in self._rows))
        self._layout()
        self.viewport().update()

    # -- places

    def _layout(self) -> None:
        metrics, places = QFontMetrics(self.font()), self.places
        # Whole names, where all of them fit above their cells.
        heads = [
            metrics.horizontalAdvance(row.label_without(NOTHING_SHARED)) + 10 for row in self._rows
        ]
        places.count, places.left = len(self._rows), max((head + 14 for head in heads), default=60)
        is_wide = max(heads, default=0) <= places.widest(self.viewport().width())
        self.shared = NOTHING_SHARED if is_wide else shared_parts(self.grouping.frames)
        self.names.set_names(row.label_without(self.shared) for row in self._rows)
        widths = [metrics.horizontalAdvance(row_text(row, self.shared)) + 14 for row in self._rows]
        tall = [
            metrics.horizontalAdvance(row.label_without(self.shared)) + 10 for row in self._rows
        ]
        places.count = len(self._rows)
        # Names take what the cells leave, else no more than their share.
        spare = self.viewport().width() - places.count * GREATEST - 4
        places.left = min(max(_LABEL_LIMIT, spare), max(widths, default=60))
        height = self.viewport().height()
        spare = height - places.count * SMALLEST - 4
        # Names lie above wide cells, and stand above narrow ones.
        self.heads_lie = max(tall, default=50) <= places.widest(self.viewport().width())
        places.top = (
            metrics.lineSpacing() + 8
            if self.heads_lie
            else min(max(_HEAD_LIMIT, height // 3, spare), max(tall, default=50))
        )
        if self.has_opinion:
            places.left = max(
                places.left,
                metrics.horizontalAdvance(f"above: {self._controller.state.opinion_of}") + 12,
            )
            places.top = max(places.top, 2 * metrics.lineSpacing() + 8)
        view = self.viewport().size()
        places.fit(view.width(), view.height())
        width, height = places.whole
        for bar, whole, room, step in (
            (self.horizontalScrollBar(), width + places.left + 4, view.width(), places.across),
            (self.verticalScrollBar(), height + places.top + 4, view.height(), places.cell),
        ):
            bar.setRange(0, max(0, whole - room))
            bar.setPageStep(room)
            bar.setSingleStep(step)
        self._scrolled()

    def _scrolled(self) -> None:
        self.places.x, self.places.y = (
            self.horizontalScrollBar().value(),
            self.verticalScrollBar().value(),
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        # What it explains is elsewhere now.
        QToolTip.hideText()
        self._layout()
        super().resizeEvent(event)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        # Labels stay where they are, so that everything is painted anew.
        self._scrolled()
        self.viewport().update()

    def sizeHint(self) -> QSize:
        size = self.places.cell * max(4, len(self._rows))
        return QSize(min(700, size + self.places.left + 4), min(400, size + self.places.top + 4))

    def cell_rect(self, row: int, column: int) -> QRect:
        """In pixels of the viewport."""
        return self.places.rect(row, column)

    def place_at(self, point: QPoint) -> tuple[int, int] | None:
        """(row, column) under a point of the viewport; None beside the cells and on empty ones."""
        place = self.places.at(point)
        return place if place is not None and self.cell(*place) is not None else None

    # -- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        label = self.places.label_at(point)
        if label is not None and event.button() == Qt.MouseButton.LeftButton:
            self.grouping.toggle(self._rows[label].frame)
            self.refresh()
            return
        place = self.place_at(point)
        if place is None:
            return
        cell = self.cell(*place)
        assert cell is not None
        if event.button() == Qt.MouseButton.RightButton:
            if not set(cell.pairs) & set(self._controller.selected):
                self._current = self._anchor = place
                self._controller.select(cell.pairs)
            self.menu_requested.emit(event.globalPosition().toPoint())
            return
        if event.button() != Qt.MouseButton.LeftButton:
            return
        modifiers = event.modifiers()
        self._current = place
        if modifiers & Qt.KeyboardModifier.ShiftModifier:
            self._select_block()
        elif modifiers & Qt.KeyboardModifier.ControlModifier:
            chosen = dict.fromkeys(self._controller.selected)
            inside = all(pair in chosen for pair in cell.pairs)
            for pair in cell.pairs:
                chosen.pop(pair, None)
            self._controller.select((*chosen, *(() if inside else cell.pairs)))
            self._anchor = place
        else:
            self._anchor = place
            self._activate()
        self.viewport().update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        place = self.place_at(event.position().toPoint())
        if place is not None and (cell := self.cell(*place)) is not None and cell.count > 1:
            for index in place:
                if self._rows[index].is_collapsed:
                    self.grouping.toggle(self._rows[index].frame)
            self.refresh()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        place, label = self.place_at(point), self.places.label_at(point)
        if (place, label) != (self._hover, self._hover_label):
            self._hover, self._hover_label = place, label
            folds = label is not None and self._rows[label].has_children
            self.viewport().setCursor(
                Qt.CursorShape.PointingHandCursor if folds else Qt.CursorShape.ArrowCursor
            )
            self.viewport().update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """With Ctrl: larger or smaller cells, around the pointer."""
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().wheelEvent(event)
            return
        self.zoom_by(1.15 ** (event.angleDelta().y() / 120), event.position().toPoint())
        event.accept()

    def zoom_by(self, factor: float, around: QPoint | None = None) -> None:
        """Cells larger by `factor`, as far as they stay legible; without a change they fill the
        place again."""
        places = self.places
        point = around or self.viewport().rect().center()
        before = (
            (point.x() - places.left + places.x) / places.across,
            (point.y() - places.top + places.y) / places.cell,
        )
        places.zoom = min(max(places.zoom * factor, 0.4), 4.0)
        self._layout()
        for bar, cells, size, offset in (
            (self.horizontalScrollBar(), before[0], places.across, point.x() - places.left),
            (self.verticalScrollBar(), before[1], places.cell, point.y() - places.top),
        ):
            bar.setValue(round(cells * size - offset))
        self._scrolled()
        self.viewport().update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hover = self._hover_label = None
        self.viewport().update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        # That of the cells comes with the press; that of the names folds rows.
        if self.places.label_at(event.pos()) is not None:
            popup(self.make_label_menu(), event.globalPos())

    def make_label_menu(self) -> QMenu:
        """Folds and unfolds all rows."""
        menu = QMenu(self)
        menu.addAction(
            "Collapse all branches", partial(self._fold, self.grouping.collapse_branches)
        )
        unfold = menu.addAction("Expand all", partial(self._fold, self.grouping.expand_all))
        unfold.setEnabled(bool(self.grouping.collapsed))
        return menu

    def _fold(self, change: Callable[[], None]) -> None:
        change()
        self.refresh()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tip_at(event.pos()), self.viewport())
            return True
        return super().viewportEvent(event)

    def tip_at(self, point: QPoint) -> str:
        """Return the tooltip at a point, as HTML if it is more than a name."""
        label = self.places.label_at(point)
        if label is not None:
            row = self._rows[label]
            if row.is_collapsed:
                return plain_text(
                    f"{row.frame} and {len(row.members) - 1} frames below it. Click to expand."
                )
            return plain_text(
                f"{row.frame}. Click to collapse the frames below it."
                if row.has_children
                else row.frame
            )
        place = self.place_at(point)
        return self._tip(place) if place is not None else ""

    def _tip(self, place: tuple[int, int]) -> str:
        cell, analysis = self.cell(*place), self._controller.state.grounds
        if cell is None or analysis is None:
            return ""
        e = cell.worst
        if cell.count == 1:
            names = escape(f"{e.first} – {e.second}")
            text = f"<b>{names}</b><br>{looks.STATE_NAMES[cell.state]}, {looks.CLASS_NAMES[e.kind]}"
            text += f"<br>{escape(explain_evidence(e, analysis))}"
            beside = self._controller.state.words_beside(e.pair)
            if beside:
                text += f"<br>{escape(beside[:1].upper() + beside[1:])}."
        else:
            kinds = Counter(k.kind for p in cell.pairs if (k := analysis.get(p)) is not None)
            parts = ", ".join(f"{n} {looks.CLASS_NAMES[k]}" for k, n in kinds.most_common())
            text = f"<b>{cell.count} pairs</b>: {parts}<br>"
            worst = escape(f"{e.first} – {e.second}")
            text += f"{cell.conflicts} conflicts"
            if e.clearance_min < float("inf"):
                text += f"<br>Worst: {worst}, {looks.number_mm(e.clearance_min)} mm"
        other = self._opinion.get((max(place), min(place)))
        if other is not None and cell.count == 1:
            text += f"<br>{escape(looks.opinion_text(e, other.worst))}"
        return text

    # -- keys

    def event(self, event: QEvent) -> bool:
        # Keys that move here belong to the matrix while it has the focus, not to the window's
        # shortcuts.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            plain = event.modifiers() in (
                Qt.KeyboardModifier.NoModifier,
                Qt.KeyboardModifier.KeypadModifier,
            )
            if plain and event.key() in (*_STEPS, *_SHOW, *_ENDS):
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows move (Shift: select), Enter or Space show, + and − zoom, Ctrl+0 fits; PairKeys has
        the letters."""
        key = event.key()
        if key in _STEPS:
            self._move(
                *_STEPS[Qt.Key(key)],
                block=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier),
            )
        elif key in _ENDS and self._rows:
            self._current = self._anchor = (
                (1, 0) if key == Qt.Key.Key_Home else (len(self._rows) - 1, 0)
            )
            self._select_current()
        elif key in _SHOW:
            self._activate()
        elif not self._zoom(event):
            super().keyPressEvent(event)

    def _zoom(self, event: QKeyEvent) -> bool:
        """Whether the key stands for another size of the cells."""
        key = event.key()
        if key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            self.zoom_by(
                1 / 1.15 if key == Qt.Key.Key_Minus else 1.15,
                self.cell_rect(*self._current).center(),
            )
        elif key == Qt.Key.Key_0 and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom_by(1 / self.places.zoom)
        else:
            return False
        return True

    def _move(self, down: int, right: int, *, block: bool) -> None:
        row, column = self._current
        for _ in range(len(self._rows)):
            row, column = row + down, column + right
            if not (0 <= row < len(self._rows) and 0 <= column < len(self._rows)):
                return
            if self.cell(row, column) is not None:
                break
        else:
            return
        self._current = (row, column)
        if block:
            self._select_block()
        else:
            self._anchor = self._current
            self._select_current()

    def _select_current(self) -> None:
        cell = self.cell(*self._current)
        if cell is not None:
            self._controller.select(cell.pairs)
        self._reveal()

    def _select_block(self) -> None:
        (a, b), (c, d) = self._anchor, self._current
        places = [
            (r, k) for r in range(min(a, c), max(a, c) + 1) for k in range(min(b, d), max(b, d) + 1)
        ]
        cells = [cell for place in places if (cell := self.cell(*place)) is not None]
        self._controller.select(dict.fromkeys(pair for cell in cells for pair in cell.pairs))
        self._reveal()

    def _activate(self) -> None:
        cell = self.cell(*self._current)
        if cell is None:
            return
        self._controller.select_and_show(
            cell.worst.pair, (p for p in cell.pairs if p != cell.worst.pair)
        )

    def _reveal(self) -> None:
        rect = self.cell_rect(*self._current)
        view = self.viewport().rect()
        for bar, low, high, first, last in (
            (self.horizontalScrollBar(), rect.left(), rect.right(), self.places.left, view.right()),
            (self.verticalScrollBar(), rect.top(), rect.bottom(), self.places.top, view.bottom()),
        ):
            if low < first:
                bar.setValue(bar.value() - (first - low))
            elif high > last:
                bar.setValue(bar.value() + high - last)
        self.viewport().update()

    def _on_selection(self, selection: object) -> None:
        chosen = self._controller.selected
        if chosen:
            place = {frame: i for i, row in enumerate(self._rows) for frame in row.members}
            a, b = place.get(chosen[-1].first), place.get(chosen[-1].second)
            if a is not None and b is not None and {a, b} != set(self._current):
                self._current = self._anchor = (max(a, b), min(a, b))
                self._reveal()
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        self._paint(painter)
        painter.end()

    def _paint(self, painter: QPainter) -> None:
        """All of it, as far as it can be seen."""
        now, places = colours(), self.places
        room = self.viewport().size()
        painter.fillRect(self.viewport().rect(), QColor(now.base))
        if not self.rows:
            return
        chosen = set(self._controller.selected)
        painter.save()
        painter.setClipRect(QRect(places.left, places.top, room.width(), room.height()))
        for row in places.rows_in_view(room.height()):
            for column in places.columns_in_view(room.width()):
                self._paint_place(painter, row, column, chosen)
        if self.hasFocus() and self.cell(*self._current) is not None:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(now.text), 1, Qt.PenStyle.DotLine))
            painter.drawRect(places.rect(*self._current).adjusted(1, 1, -2, -2))
        painter.restore()
        self._paint_labels(painter)

    def _paint_place(self, painter: QPainter, row: int, column: int, chosen: set[LinkPair]) -> None:
        rect = self.places.rect(row, column).adjusted(0, 0, -1, -1)
        cell = self.cell(row, column)
        second = column > row and self.has_opinion
        shown = self.opinion_at(row, column) if second else cell
        if cell is None or shown is None:
            if row == column or cell is not None:
                painter.fillRect(rect, QColor(colours().window))
            return
        colour = looks.cell_colour(shown.worst, self.colour_by)
        if (
            second
            and self.colour_by is looks.ColourBy.CLEARANCE
            and shown.worst.clearance_min <= 0.0
        ):
            # Of meshes that collide nobody says how deep.
            colour = looks.clearance_colour(-looks.FULL / 2)
        paint_cell(painter, rect, cell, shown, colour, second=second, by=self.colour_by)
        if chosen and any(pair in chosen for pair in cell.pairs):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(colours().accent), 2))
            painter.drawRect(rect.adjusted(1, 1, 0, 0))

    def _paint_labels(self, painter: QPainter) -> None:
        now, places = colours(), self.places
        window = self.viewport().size()
        metrics = QFontMetrics(self.font())
        width_of = metrics.horizontalAdvance
        painter.setFont(self.font())
        names = {f for pair in self._controller.selected for f in (pair.first, pair.second)}
        lit = set(self._hovered()) | {
            i for i, row in enumerate(self.rows) if names.intersection(row.members)
        }
        painter.fillRect(QRect(0, 0, places.left, window.height()), QColor(now.base))
        painter.fillRect(QRect(0, 0, window.width(), places.top), QColor(now.base))
        for i, row in enumerate(self.rows):
            painter.setPen(QColor(now.text if row.is_collapsed or i in lit else now.muted))
            beside, above = places.rect(i, 0), places.rect(0, i)
            # A name that is half below the head, or half beyond the names of the rows, is left out.
            if beside.top() >= places.top - 2:
                area = QRect(0, beside.top(), places.left - 4, places.cell)
                mark = row_text(row, self.shared, unfold=self._hover_label == i)[
                    : -len(row.label_without(self.shared))
                ]
                room = area.width() - metrics.horizontalAdvance(mark)
                painter.drawText(
                    area,
                    int(_RIGHT),
                    mark + self.names.cut(row.label_without(self.shared), room, width_of),
                )
            if above.left() < places.left - 2:
                continue
            if self.heads_lie:
                text = self.names.cut(row.label_without(self.shared), places.across - 4, width_of)
                area = QRect(above.left(), 0, places.across, places.top - 4)
                painter.drawText(
                    area, int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom), text
                )
            else:
                text = self.names.cut(row.label_without(self.shared), places.top - 8, width_of)
                painter.save()
                painter.translate(above.left() + places.across / 2, places.top - 4)
                painter.rotate(-90)
                painter.drawText(
                    QRect(0, -places.across // 2, places.top, places.across), int(_LEFT), text
                )
                painter.restore()
        if self.has_opinion:
            painter.setPen(QColor(now.muted))
            corner = QRect(4, 2, places.left - 8, places.top - 6)
            words = f"above: {self._controller.state.opinion_of}\nbelow: spheres"
            painter.drawText(
                corner, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom), words
            )

    def _hovered(self) -> tuple[int, ...]:
        """The rows under the pointer."""
        return self._hover or (() if self._hover_label is None else (self._hover_label,))
