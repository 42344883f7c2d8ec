"""A table that shows a slice of the document and turns edits of its cells into changes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QMimeData, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QFont

from editor_app.core.document.commands import AllOf
from editor_app.core.document.commands.field_paths import get_field
from editor_app.core.model.counting import format_count
from editor_app.core.model.expressions import ExpressionError
from editor_app.core.model.robot import CannotApply, Change, RobotDescription
from editor_app.window.bindings.lists import ROOT, CellLook, Index, ReadTable
from editor_app.window.bindings.number_field import NumberSource
from editor_app.window.bindings.quantity import Quantity
from editor_app.window.session import Session
from editor_app.window.theme import tabular_font

Row = TypeVar("Row")
#: What is dragged: the number of a row. Only the table that it is of takes it.
MIME = "application/x-xrdf-editor-row"


@dataclass(frozen=True)
class Column(Generic[Row]):
    """One column. A cell with `quantity` is a number, with `choices` a name of these, else text.

    `read`: the value of a row, or its path in the row (see `get_field`). `write` gets rows with
    their new values and gives the change, for one cell or for many. `quantity` may depend on the
    row: where rows differ, each cell says its unit, and the header what the units have in common.
    `problem` marks a cell of a row, and says why; `unknown` does so for a value.
    """

    title: str
    read: Callable[[Row], Any] | str
    write: Callable[[list[tuple[Row, Any]]], Change] | None = None
    quantity: Quantity | Callable[[Row], Quantity | None] | None = None
    choices: Callable[[Row], Sequence[str]] | None = None
    limits: Callable[[Row], tuple[float | None, float | None]] | None = None
    origin: Callable[[Row], NumberSource] | None = None
    note: Callable[[Row], str] | None = None
    problem: Callable[[Row], str | None] | None = None
    unknown: Callable[[Any], str | None] | None = None
    #: Stands below the value, and is no part of it: rows of such a table have two lines.
    below: Callable[[Row], str] | None = None
    #: Takes the room that others leave.
    stretch: bool = False
    #: Text that is a count stands on the right, as numbers do.
    right: bool = False

    def value(self, row: Row) -> Any:
        """Return the value of a cell."""
        return get_field(row, self.read) if isinstance(self.read, str) else self.read(row)

    def fault(self, row: Row) -> str | None:
        """Return what is wrong with a cell; None for a right one."""
        if self.unknown is not None:
            return self.unknown(self.value(row))
        return self.problem(row) if self.problem is not None else None

    def quantity_of(self, row: Row) -> Quantity | None:
        return self.quantity(row) if callable(self.quantity) else self.quantity


class RowsModel(ReadTable[Row]):
    """Rows of `rows(robot)` in `columns`. `move(from, to)` makes the rows' order one that can be
    dragged.

    `apply(change, merge)` runs a change and says whether it was taken. `rejected` tells why an edit
    was not.
    """

    rejected = Signal(str)

    def __init__(
        self,
        session: Session,
        columns: Sequence[Column[Row]],
        rows: Callable[[RobotDescription], Sequence[Row]],
        apply: Callable[[Change, Hashable], bool],
        *,
        move: Callable[[int, int], Change] | None = None,
        parent: QObject | None = None,
    ) -> None:
        right = [
            i for i, column in enumerate(columns) if column.right or column.quantity is not None
        ]
        super().__init__([column.title for column in columns], right, parent)
        self._session = session
        self.columns = tuple(columns)
        self._make_rows = rows
        self._apply = apply
        self._move = move

    @property
    def can_move(self) -> bool:
        return self._move is not None

    def refresh(self, robot: RobotDescription) -> None:
        """Takes the rows from `robot`; rows keep their places, so that selection and open editors
        survive."""
        new = tuple(self._make_rows(robot))
        old = len(self.items)
        if len(new) > old:
            self.beginInsertRows(ROOT, old, len(new) - 1)
            self.items = new
            self.endInsertRows()
        elif len(new) < old:
            self.beginRemoveRows(ROOT, len(new), old - 1)
            self.items = new
            self.endRemoveRows()
        else:
            self.items = new
        if any(callable(column.quantity) for column in self.columns):
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.columns) - 1)
        if new:
            self.dataChanged.emit(self.index(0, 0), self.index(len(new) - 1, len(self.columns) - 1))

    def units_changed(self) -> None:
        """Shows the same rows in the session's present units."""
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.columns) - 1)
        self.refresh(self._session.robot)

    # -- editing

    def set_values(
        self, rows: Sequence[int], column: int, value: Any, merge: Hashable = None
    ) -> bool:
        """Gives the cells of `rows` in one column the same value, as one step."""
        return self.set_each(dict.fromkeys(rows, value), column, merge)

    def set_each(self, values: Mapping[int, Any], column: int, merge: Hashable = None) -> bool:
        """Gives the cells of one column the value of their row, as one step."""
        write = self.columns[column].write
        cells = [(self.items[row], value) for row, value in values.items() if row < len(self.items)]
        if write is None or not cells:
            return False
        try:
            change = write(cells)
        except CannotApply as error:
            self.rejected.emit(str(error))
            return False
        return self._apply(change, merge)

    def guessed_columns(self, rows: Sequence[int]) -> dict[int, list[int]]:
        """Return the columns that can be written and have guessed cells in `rows`: column -> rows
        of these cells."""
        cells = {
            place: [row for row in rows if column.origin(self.items[row]) is NumberSource.GUESSED]
            for place, column in enumerate(self.columns)
            if column.origin is not None and column.write is not None
        }
        return {place: guessed for place, guessed in cells.items() if guessed}

    def confirm(self, rows: Sequence[int], column: int) -> bool:
        """Give the guessed cells of `rows` their present values, as one step: of `column`, or of
        every column."""
        guessed = self.guessed_columns(rows)
        chosen = {column: guessed[column]} if column in guessed else guessed
        changes: list[Change] = []
        for place, places in chosen.items():
            spec = self.columns[place]
            assert spec.write is not None
            changes.append(
                spec.write([(self.items[row], spec.value(self.items[row])) for row in places])
            )
        number = sum(map(len, chosen.values()))
        return bool(changes) and self._apply(
            AllOf(tuple(changes), f"Confirm {format_count(number, 'guessed value')}"), None
        )

    def move_row(self, row: int, to: int) -> bool:
        if (
            self._move is None
            or row == to
            or not (0 <= row < len(self.items) and 0 <= to < len(self.items))
        ):
            return False
        return self._apply(self._move(row, to), None)

    def tsv(self, rows: Sequence[int], *, columns: Sequence[int] | None = None) -> str:
        """The rows as lines of cells with tabs between them, numbers with all their digits in the
        shown unit."""
        chosen = range(len(self.columns)) if columns is None else columns
        return "\n".join("\t".join(self._exact(row, column) for column in chosen) for row in rows)

    def paste(self, text: str, rows: Sequence[int], column: int) -> bool:
        """Writes lines of cells from the first of `rows` and `column` on; a single cell goes to all
        of `rows`."""
        cells = [line.split("\t") for line in text.rstrip("\n").splitlines()]
        robot = self._session.robot
        if not cells or not rows:
            return False
        if len(cells) == 1 and len(cells[0]) == 1:
            places, cells = list(rows), cells * len(rows)
        else:
            places = list(range(rows[0], min(rows[0] + len(cells), len(self.items))))
        changes: list[Change] = []
        count = 0
        try:
            for offset in range(max(map(len, cells))):
                place = column + offset
                if place >= len(self.columns) or self.columns[place].write is None:
                    continue
                # A column's change starts from the rows that the columns before it left.
                present = tuple(self._make_rows(robot))
                write = self.columns[place].write
                values = [
                    (present[row], self._parsed(row, place, line[offset]))
                    for row, line in zip(places, cells, strict=False)
                    if offset < len(line) and line[offset].strip()
                ]
                if values and write is not None:
                    changes.append(write(values))
                    robot = changes[-1].apply(robot)
                    count += len(values)
        except (ExpressionError, CannotApply) as error:
            self.rejected.emit(f"Nothing was pasted. {error}")
            return False
        if not changes:
            self.rejected.emit("Nothing was pasted, because these cells cannot be edited.")
            return False
        return self._apply(
            AllOf(tuple(changes), f"Paste {count} value{'s' if count > 1 else ''}"), None
        )

    def _parsed(self, row: int, column: int, text: str) -> Any:
        spec, values = self.columns[column], self.items[row]
        quantity = spec.quantity_of(values)
        if quantity is not None:
            return quantity.parse(text, self._session.display)
        text = text.strip()
        if spec.choices is not None and text not in spec.choices(values):
            raise ExpressionError(f"“{text}” is not a choice here.")
        return text

    def _exact(self, row: int, column: int) -> str:
        spec, values = self.columns[column], self.items[row]
        value, quantity = spec.value(values), spec.quantity_of(values)
        if value is None:
            return ""
        # What stands one above the other in a cell is one cell of a line all the same.
        text = str(value).replace("\n", " – ")
        return quantity.exact(value, self._session.display) if quantity is not None else text

    def title(self, column: int) -> str:
        spec = self.columns[column]
        common = self._common_quantity(spec)
        unit = (
            common.unit(self._session.display)
            if common is not None
            else self._per(spec).replace("/", "per ")
        )
        return f"{spec.title}\n{unit}" if unit else spec.title

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.EditRole:
            return self.columns[index.column()].value(self.items[index.row()])
        return super().data(index, role)

    def look(self, item: Row, column: int) -> CellLook:
        cell = self.columns[column], item
        return CellLook(
            partial(self._shown, *cell),
            colour=partial(self._colour, *cell),
            font=partial(self._font, *cell),
            tip=partial(self._tip, *cell),
        )

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        return role == Qt.ItemDataRole.EditRole and self.set_values(
            [index.row()], index.column(), value
        )

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.ItemIsDropEnabled if self.can_move else Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if self.columns[index.column()].write is not None:
            flags |= Qt.ItemFlag.ItemIsEditable
        if self.can_move:
            flags |= Qt.ItemFlag.ItemIsDragEnabled
        return flags

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        return [MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        mime = QMimeData()
        mime.setData(MIME, str(min(index.row() for index in indexes)).encode())
        return mime

    # -- how cells look

    def _common_quantity(self, column: Column[Row]) -> Quantity | None:
        if not callable(column.quantity):
            return column.quantity
        quantities = {column.quantity(row) for row in self.items}
        return quantities.pop() if len(quantities) == 1 else None

    def _per(self, column: Column[Row]) -> str:
        """What the units of rows have in common where they differ ("/s²"): said in the header, it
        leaves names room."""
        ends = {
            quantity.per for row in self.items if (quantity := column.quantity_of(row)) is not None
        }
        return ends.pop() if len(ends) == 1 and self._common_quantity(column) is None else ""

    def _shown(self, column: Column[Row], row: Row) -> str:
        value = column.value(row)
        if value is None:
            return "–"
        quantity = column.quantity_of(row)
        if quantity is None:
            return str(value) if column.below is None else f"{value}\n{column.below(row)}"
        text = quantity.column(value, self._session.display)
        unit = quantity.unit(self._session.display) if self._common_quantity(column) is None else ""
        unit = unit.removesuffix(self._per(column)) if unit else ""
        return f"{text}{'' if unit.startswith('°') or not unit else ' '}{unit}"

    def _font(self, column: Column[Row], row: Row) -> QFont:
        font: QFont = tabular_font()
        font.setItalic(column.origin is not None and column.origin(row) is not NumberSource.FILE)
        return font

    def _colour(self, column: Column[Row], row: Row) -> str:
        if column.fault(row):
            return "error"
        origin = column.origin(row) if column.origin is not None else NumberSource.FILE
        if origin is NumberSource.GUESSED:
            return "warning"
        return (
            "muted"
            if origin is NumberSource.DEFAULT
            or (column.write is None and column.quantity is not None)
            else ""
        )

    def _tip(self, column: Column[Row], row: Row) -> str:
        lines, value = [], column.value(row)
        problem = column.fault(row)
        if problem:
            lines.append(problem)
        quantity = column.quantity_of(row)
        if value is not None:
            lines.append(
                f"{value!r} {quantity.base_unit()}".strip() if quantity is not None else str(value)
            )
        if column.origin is not None:
            lines.append(column.origin(row).told)
        if column.note is not None:
            lines.append(column.note(row))
        return "\n".join(line for line in lines if line)
