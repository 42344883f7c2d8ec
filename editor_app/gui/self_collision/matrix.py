"""The matrix of link pairs: painted, with the mouse and the keys.

Below the diagonal stand the spheres; above it the same, or the second opinion of the meshes once there is one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip, QWidget

from editor_app.gui.self_collision.controller import MaskController
from editor_app.gui.self_collision.grouping import Grouping, Row
from editor_app.gui.self_collision.looks import (
    CLASS_NAMES,
    CLASS_ORDER,
    SIGNS,
    STATE_NAMES,
    STATE_ORDER,
    ColourBy,
    cell_colour,
    ink_on,
    number_mm,
)
from editor_app.gui.theme import colours, theme
from editor_app.model.xrdf import LinkPair
from editor_app.self_collision import MaskState, PairClass, PairEvidence
from editor_app.self_collision.results import explain

CELL = 19
_LABEL_LIMIT = 170
_HEAD_LIMIT = 96
_KEYS = frozenset(
    {
        Qt.Key.Key_M, Qt.Key.Key_U, Qt.Key.Key_N, Qt.Key.Key_B, Qt.Key.Key_R, Qt.Key.Key_Space, Qt.Key.Key_Return,
        Qt.Key.Key_Enter, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home,
        Qt.Key.Key_End, Qt.Key.Key_Escape,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cell:
    """What one place of the matrix shows: of a single pair, or the worst of several with their number."""

    pairs: tuple[LinkPair, ...]
    worst: PairEvidence
    state: MaskState
    count: int
    conflicts: int
    stale: bool

    @property
    def is_conflict(self) -> bool:
        return self.state in (MaskState.CONFLICT, MaskState.MISSING)


class MatrixView(QAbstractScrollArea):
    """Click: select and show the worst known configuration; Ctrl and Shift select several; see `keyPressEvent`."""

    #: A cell was clicked, or Enter pressed: the pair should be shown on the robot.
    pair_activated = Signal(object)
    menu_requested = Signal(QPoint)

    def __init__(self, controller: MaskController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._grouping = Grouping()
        self._rows: tuple[Row, ...] = ()
        self._cells: dict[tuple[int, int], Cell] = {}
        self._opinion: dict[tuple[int, int], Cell] = {}
        self._by = ColourBy.CLEARANCE
        self._current = (1, 0)
        self._anchor = (1, 0)
        self._hover: tuple[int, int] | None = None
        self.setObjectName("matrix")
        self.setAccessibleName("Self-collision matrix")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.viewport().setMouseTracking(True)
        controller.analysis_changed.connect(self.refresh)
        controller.mask_changed.connect(self.refresh)
        controller.opinion_changed.connect(self.refresh)
        controller.session.selection_changed.connect(self._on_selection)
        theme().changed.connect(self.viewport().update)
        self.refresh()

    # -- contents

    @property
    def rows(self) -> tuple[Row, ...]:
        return self._rows

    @property
    def grouping(self) -> Grouping:
        return self._grouping

    def set_colour_by(self, by: ColourBy) -> None:
        self._by = by
        self.viewport().update()

    def cell(self, row: int, column: int) -> Cell | None:
        """What stands at two rows of the matrix, whichever comes first."""
        return self._cells.get((max(row, column), min(row, column)))

    def refresh(self, *_: object) -> None:
        """Takes over what the controller knows now."""
        analysis = self._controller.analysis
        if analysis is None:
            self._rows, self._cells, self._opinion = (), {}, {}
            self._grouping.set_frames((), None)
        else:
            self._grouping.set_frames(analysis.model.frames, self._controller.session.tree)
            self._rows = self._grouping.rows()
            self._cells = self._collect(list(analysis))
            opinion = self._controller.opinion
            self._opinion = self._collect(list(opinion)) if opinion is not None else {}
        last = max(0, len(self._rows) - 1)
        self._current = (min(self._current[0], last), min(self._current[1], last))
        self._layout()
        self.viewport().update()

    def _collect(self, found: list[PairEvidence]) -> dict[tuple[int, int], Cell]:
        place = {frame: i for i, row in enumerate(self._rows) for frame in row.members}
        groups: dict[tuple[int, int], list[PairEvidence]] = {}
        for e in found:
            a, b = place.get(e.first), place.get(e.second)
            if a is not None and b is not None:
                groups.setdefault((max(a, b), min(a, b)), []).append(e)
        return {key: self._cell_of(inside) for key, inside in groups.items()}

    def _cell_of(self, inside: list[PairEvidence]) -> Cell:
        states = {e.pair: self._controller.state(e) for e in inside}

        def badness(e: PairEvidence) -> tuple[int, int, float]:
            return STATE_ORDER.index(states[e.pair]), CLASS_ORDER.index(e.kind), e.clearance_min

        worst = min(inside, key=badness)
        conflicts = sum(s in (MaskState.CONFLICT, MaskState.MISSING) for s in states.values())
        return Cell(
            tuple(e.pair for e in inside),
            worst,
            states[worst.pair],
            len(inside),
            conflicts,
            any(e.stale for e in inside),
        )

    # -- places

    def _layout(self) -> None:
        metrics = QFontMetrics(self.font())
        widths = [metrics.horizontalAdvance(row.label) + 14 * row.depth + 22 for row in self._rows]
        self._left = min(_LABEL_LIMIT, max(widths, default=60))
        tall = max((metrics.horizontalAdvance(row.label) for row in self._rows), default=40) + 10
        self._top = min(_HEAD_LIMIT, tall)
        size = CELL * len(self._rows)
        view = self.viewport().size()
        for bar, whole, room in (
            (self.horizontalScrollBar(), size + self._left + 4, view.width()),
            (self.verticalScrollBar(), size + self._top + 4, view.height()),
        ):
            bar.setRange(0, max(0, whole - room))
            bar.setPageStep(room)
            bar.setSingleStep(CELL)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._layout()
        super().resizeEvent(event)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        # Labels stay where they are, so that everything is painted anew.
        self.viewport().update()

    def sizeHint(self) -> QSize:
        size = CELL * max(4, len(self._rows))
        return QSize(min(700, size + self._left + 4), min(400, size + self._top + 4))

    def cell_rect(self, row: int, column: int) -> QRect:
        """In pixels of the viewport."""
        x = self._left + column * CELL - self.horizontalScrollBar().value()
        y = self._top + row * CELL - self.verticalScrollBar().value()
        return QRect(x, y, CELL, CELL)

    def place_at(self, point: QPoint) -> tuple[int, int] | None:
        """(row, column) under a point of the viewport; None beside the cells and on empty ones."""
        if point.x() < self._left or point.y() < self._top:
            return None
        column = (point.x() - self._left + self.horizontalScrollBar().value()) // CELL
        row = (point.y() - self._top + self.verticalScrollBar().value()) // CELL
        return (row, column) if self.cell(row, column) is not None else None

    def _label_at(self, point: QPoint) -> int | None:
        if point.x() < self._left and point.y() >= self._top:
            row = (point.y() - self._top + self.verticalScrollBar().value()) // CELL
        elif point.y() < self._top and point.x() >= self._left:
            row = (point.x() - self._left + self.horizontalScrollBar().value()) // CELL
        else:
            return None
        return row if 0 <= row < len(self._rows) else None

    # -- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        label = self._label_at(point)
        if label is not None and event.button() == Qt.MouseButton.LeftButton:
            self._grouping.toggle(self._rows[label].frame)
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
                self._grouping.collapsed.discard(self._rows[index].frame)
            self.refresh()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = self.place_at(event.position().toPoint())
        if place != self._hover:
            self._hover = place
            self.viewport().update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hover = None
        self.viewport().update()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tip_at(event.pos()), self.viewport())
            return True
        return super().viewportEvent(event)

    def tip_at(self, point: QPoint) -> str:
        """What the pointer is told there."""
        label = self._label_at(point)
        if label is not None:
            row = self._rows[label]
            if row.is_collapsed:
                return f"{row.frame} and {len(row.members) - 1} frames below it. Click to expand."
            return f"{row.frame}. Click to collapse what is below it." if row.has_children else row.frame
        place = self.place_at(point)
        return self._tip(place) if place is not None else ""

    def _tip(self, place: tuple[int, int]) -> str:
        cell, analysis = self.cell(*place), self._controller.analysis
        if cell is None or analysis is None:
            return ""
        e = cell.worst
        if cell.count == 1:
            text = f"<b>{e.first} – {e.second}</b><br>{STATE_NAMES[cell.state]}, {CLASS_NAMES[e.kind]}"
            text += f"<br>{explain(e, analysis)}"
        else:
            kinds = Counter(k.kind for p in cell.pairs if (k := analysis.get(p)) is not None)
            parts = ", ".join(f"{n} {CLASS_NAMES[k]}" for k, n in kinds.most_common())
            text = f"<b>{cell.count} pairs</b>: {parts}<br>"
            text += f"{cell.conflicts} conflicts<br>Worst: {e.first} – {e.second}, {number_mm(e.clearance_min)} mm"
        other = self._opinion.get((max(place), min(place)))
        if other is not None and cell.count == 1:
            text += f"<br>{self.opinion_text(e, other.worst)}"
        return text

    @staticmethod
    def opinion_text(spheres: PairEvidence, meshes: PairEvidence) -> str:
        """What the meshes say beside the spheres."""
        if meshes.clearance_min <= 0.0:
            return "The meshes collide, too."
        if spheres.clearance_min <= 0.0:
            return f"The meshes stay {number_mm(meshes.clearance_min)} mm apart: an artefact of the spheres."
        return f"The meshes come within {number_mm(meshes.clearance_min)} mm."

    # -- keys

    def event(self, event: QEvent) -> bool:
        # Single letters belong to the matrix while it has the focus, not to the window's shortcuts.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
            if plain and event.key() in _KEYS:
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows move (Shift: select), M mask, U unmask, R reset, N next conflict, Enter or Space show, B back."""
        key, controller = event.key(), self._controller
        steps = {
            Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0),
        }  # fmt: skip
        if key in steps:
            self._move(*steps[Qt.Key(key)], block=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End) and self._rows:
            self._current = self._anchor = (1, 0) if key == Qt.Key.Key_Home else (len(self._rows) - 1, 0)
            self._select_current()
        elif key == Qt.Key.Key_M:
            controller.mask(controller.selected)
        elif key == Qt.Key.Key_U:
            controller.unmask(controller.selected)
        elif key == Qt.Key.Key_R:
            controller.reset(controller.selected)
        elif key == Qt.Key.Key_N:
            back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            if not controller.next_conflict(-1 if back else 1):
                controller.session.message.emit("Mask and evidence agree: there is no conflict.")
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._activate()
        elif key == Qt.Key.Key_B or (key == Qt.Key.Key_Escape and controller.can_go_back):
            controller.back()
        else:
            super().keyPressEvent(event)

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
        places = [(r, k) for r in range(min(a, c), max(a, c) + 1) for k in range(min(b, d), max(b, d) + 1)]
        found = [cell for place in places if (cell := self.cell(*place)) is not None]
        self._controller.select(dict.fromkeys(pair for cell in found for pair in cell.pairs))
        self._reveal()

    def _activate(self) -> None:
        cell = self.cell(*self._current)
        if cell is None:
            return
        self._controller.select((*(p for p in cell.pairs if p != cell.worst.pair), cell.worst.pair))
        self.pair_activated.emit(cell.worst.pair)

    def _reveal(self) -> None:
        rect = self.cell_rect(*self._current)
        view = self.viewport().rect()
        for bar, low, high, first, last in (
            (self.horizontalScrollBar(), rect.left(), rect.right(), self._left, view.right()),
            (self.verticalScrollBar(), rect.top(), rect.bottom(), self._top, view.bottom()),
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

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        now = colours()
        painter.fillRect(self.viewport().rect(), QColor(now.base))
        if not self._rows:
            painter.end()
            return
        chosen = set(self._controller.selected)
        painter.save()
        painter.setClipRect(QRect(self._left, self._top, self.viewport().width(), self.viewport().height()))
        for row in self._visible(self._top, self.verticalScrollBar().value(), self.viewport().height()):
            for column in self._visible(self._left, self.horizontalScrollBar().value(), self.viewport().width()):
                self._paint_cell(painter, row, column, chosen)
        if self.hasFocus() and self.cell(*self._current) is not None:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(now.text), 1, Qt.PenStyle.DotLine))
            painter.drawRect(self.cell_rect(*self._current).adjusted(1, 1, -2, -2))
        painter.restore()
        self._paint_labels(painter)
        painter.end()

    def _visible(self, start: int, scrolled: int, room: int) -> range:
        first = max(0, scrolled // CELL)
        return range(first, min(len(self._rows), (scrolled + room - start) // CELL + 1))

    def _paint_cell(self, painter: QPainter, row: int, column: int, chosen: set[LinkPair]) -> None:
        now = colours()
        rect = self.cell_rect(row, column).adjusted(0, 0, -1, -1)
        cell = self.cell(row, column)
        if cell is None:
            if row == column:
                painter.fillRect(rect, QColor(now.window))
            return
        second = column > row and bool(self._opinion)
        shown = self._opinion.get((column, row)) if second else cell
        if shown is None:
            painter.fillRect(rect, QColor(now.window))
            return
        colour = cell_colour(shown.worst, self._by)
        faint = shown.worst.kind is PairClass.ADJACENT and not cell.is_conflict
        if faint:
            colour = QColor(now.window)
        painter.fillRect(rect, colour)
        ink = QColor(now.muted) if faint else ink_on(colour)
        if cell.stale:
            painter.fillRect(rect, QBrush(ink, Qt.BrushStyle.BDiagPattern))
        if cell.state is MaskState.IGNORED:
            # A corner cut off: left out of the check.
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(now.muted))
            corner = rect.topRight()
            painter.drawPolygon([corner, corner - QPoint(6, 0), corner + QPoint(0, 6)])
        text = SIGNS[shown.worst.kind] if shown.count == 1 else str(cell.conflicts or cell.count)
        if cell.is_conflict and not second:
            text = "!" if cell.count == 1 else text
            painter.setPen(QPen(QColor(now.error), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(rect.adjusted(1, 1, -1, -1))
        font = painter.font()
        font.setBold(cell.is_conflict)
        font.setPixelSize(12 if len(text) < 3 else 9)
        painter.setFont(font)
        painter.setPen(ink)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
        if chosen and any(pair in chosen for pair in cell.pairs):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(now.accent), 2))
            painter.drawRect(rect.adjusted(1, 1, 0, 0))

    def _paint_labels(self, painter: QPainter) -> None:
        now = colours()
        metrics = QFontMetrics(self.font())
        painter.setFont(self.font())
        lit: set[int] = set(self._hover or ())
        chosen = {f for pair in self._controller.selected for f in (pair.first, pair.second)}
        lit |= {i for i, row in enumerate(self._rows) if chosen.intersection(row.members)}
        painter.fillRect(QRect(0, 0, self._left, self.viewport().height()), QColor(now.base))
        painter.fillRect(QRect(0, 0, self.viewport().width(), self._top), QColor(now.base))
        for i, row in enumerate(self._rows):
            painter.setPen(QColor(now.text if i in lit else now.muted))
            if row.is_collapsed or i in lit:
                painter.setPen(QColor(now.text))
            rect = self.cell_rect(i, 0)
            if self._top - CELL < rect.top():
                # Names begin below the head; a row that is half hidden has none.
                area = QRect(0, rect.top(), self._left - 4, CELL)
                if rect.top() >= self._top - 2:
                    self._paint_row_label(painter, row, area, metrics)
            across = self.cell_rect(0, i)
            if across.left() >= self._left - 2:
                text = metrics.elidedText(row.label, Qt.TextElideMode.ElideMiddle, self._top - 8)
                painter.save()
                painter.translate(across.left() + CELL / 2, self._top - 4)
                painter.rotate(-90)
                painter.drawText(QRect(0, -CELL // 2, self._top, CELL), int(_LEFT), text)
                painter.restore()

    def _paint_row_label(self, painter: QPainter, row: Row, area: QRect, metrics: QFontMetrics) -> None:
        mark = "▸ " if row.is_collapsed else ""
        room = area.width() - 10 * row.depth
        text = metrics.elidedText(mark + row.label, Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(area, int(_RIGHT), text)


_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
