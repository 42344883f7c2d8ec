"""The table of a panel: edits in place, copies and pastes, reorders by dragging, and grows with its
rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, QPersistentModelIndex, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction, QDropEvent, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from editor_app.window.bindings.choice_box import NameBox, TextField
from editor_app.window.bindings.lists import DistinctCells, Index
from editor_app.window.bindings.number_field import NumberField
from editor_app.window.bindings.rows_model import MIME, RowsModel
from editor_app.window.bindings.typed_fields import typed_fields
from editor_app.window.session import Session
from editor_app.window.widgets import icon, popup

#: Rows that are shown before the table scrolls.
MOST_ROWS = 10


class CellDelegate(DistinctCells):
    """Number fields and name boxes as editors. Ctrl+Enter gives the value to all selected rows, or
    changes each."""

    def __init__(self, session: Session, view: RowsView) -> None:
        super().__init__(view)
        self._session = session
        self._view = view

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        model = self._view.rows_model
        column, row = model.columns[index.column()], model.items[index.row()]
        place = QPersistentModelIndex(index)
        name = f"{column.title}, row {index.row() + 1}"
        quantity = column.quantity_of(row)
        if quantity is not None:
            field = NumberField(quantity, name, parent)
            field.setMinimumWidth(0)
            field.set_display(self._session.display)
            if column.limits is not None:
                field.set_limits(*column.limits(row))
            field.others = lambda: max(0, len(self._view.selected_rows()) - 1)
            key = (id(model), "cell", index.row(), index.column(), id(field))
            field.edited.connect(
                lambda value, live: model.set_values(
                    [place.row()], place.column(), value, key if live else None
                )
            )
            field.belong_to(self._session, model.rejected)
            return field
        if column.choices is not None:
            box = NameBox(name, column.title.lower(), parent)
            box.set_choices(column.choices(row))
            box.chosen.connect(lambda text: self._choose(box, place, text))
            box.rejected.connect(model.rejected)
            typed_fields().watch(box)
            return box
        text_field = TextField(name, parent)
        text_field.edited.connect(
            lambda text: model.set_values([place.row()], place.column(), text)
        )
        return text_field

    def _choose(self, box: NameBox, place: QPersistentModelIndex, text: str) -> None:
        self._view.rows_model.set_values([place.row()], place.column(), text)
        self.closeEditor.emit(box, QStyledItemDelegate.EndEditHint.NoHint)

    def setEditorData(self, editor: Any, index: Index) -> None:
        value = index.data(Qt.ItemDataRole.EditRole)
        editor.set_value("" if isinstance(editor, TextField) and value is None else value)
        if isinstance(editor, NumberField) and not editor.hasFocus():
            editor.selectAll()

    def setModelData(self, editor: Any, model: Any, index: Index) -> None:
        editor.commit()

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        # A number with all its digits may need more room than its column has.
        rect = option.rect
        if isinstance(editor, NumberField):
            wanted = max(
                rect.width(),
                min(editor.fontMetrics().horizontalAdvance(editor.text() + "000") + 10, 150),
            )
            right = self._view.viewport().width()
            rect.setLeft(max(0, min(rect.left(), right - wanted)))
            rect.setWidth(min(wanted, right))
        editor.setGeometry(rect)

    def eventFilter(self, editor: Any, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape:
                # Takes back what is typed: the field would enter it when it loses the focus.
                editor.keyPressEvent(event)
            enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if (
                enter
                and event.modifiers() & Qt.KeyboardModifier.ControlModifier
                and isinstance(editor, NumberField)
            ):
                if self._view.write_typed(editor):
                    self.closeEditor.emit(editor, QStyledItemDelegate.EndEditHint.NoHint)
                return True
            leaves = enter or event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
            if leaves and not editor.commit():
                return True
            if enter:
                # Qt would let the key through to the view, which would open the editor again.
                self.closeEditor.emit(editor, QStyledItemDelegate.EndEditHint.NoHint)
                return True
        return super().eventFilter(editor, event)


class RowsView(QTableView):
    """Shows a RowsModel. `delete(rows)` is called by the Delete key and the menu; None: rows cannot
    be deleted."""

    #: Others are selected: the list of these rows of the model.
    rows_selected = Signal(object)
    #: The row of the model that the mouse is on; None when it left.
    row_hovered = Signal(object)

    def __init__(
        self,
        session: Session,
        model: RowsModel[Any],
        name: str,
        *,
        delete: Callable[[list[Any]], object] | None = None,
        most_rows: int = MOST_ROWS,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("rows", True)
        self.rows_model = model
        self._delete = delete
        self._most_rows = most_rows
        self.setModel(model)
        self.setItemDelegate(CellDelegate(session, self))
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.AnyKeyPressed
        )
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._show_menu)
        self.entered.connect(lambda index: self.row_hovered.emit(model.items[index.row()]))
        self.verticalHeader().hide()
        self.set_lines(1)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        header.setMinimumSectionSize(30)
        header.setResizeContentsPrecision(50)
        for place, column in enumerate(model.columns):
            mode = (
                QHeaderView.ResizeMode.Stretch
                if column.stretch
                else QHeaderView.ResizeMode.ResizeToContents
            )
            header.setSectionResizeMode(place, mode)
        if model.can_move:
            self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
            self.setDragDropOverwriteMode(False)
            self.setDropIndicatorShown(True)
        #: By name: copy, paste, apply, and, where they make sense, up, down, delete.
        self.row_actions = self._make_actions()
        for signal in (model.rowsInserted, model.rowsRemoved, model.modelReset):
            signal.connect(self._fit)
        # With its style, a header of two lines is higher than it was without.
        header.geometriesChanged.connect(self._fit)
        self.selectionModel().selectionChanged.connect(lambda *_: self._on_selection())
        self._fit()
        self._on_selection()

    # -- rows

    def selected_rows(self) -> tuple[int, ...]:
        return tuple(sorted({index.row() for index in self.selectionModel().selectedIndexes()}))

    @property
    def chosen(self) -> list[Any]:
        """The selected rows of the model, as they are now."""
        rows = self.rows_model.items
        return [rows[i] for i in self.selected_rows() if i < len(rows)]

    @property
    def last_chosen(self) -> Any:
        """The selected row of the model that comes last; None without one."""
        return next(reversed(self.chosen), None)

    def select_row(self, row: int, column: int = 0) -> None:
        self.setCurrentIndex(self.model().index(row, column))

    # -- what the menu and the keys do

    def copy_rows(self) -> None:
        columns = [i for i in range(len(self.rows_model.columns)) if not self.isColumnHidden(i)]
        QGuiApplication.clipboard().setText(
            self.rows_model.tsv(self.selected_rows(), columns=columns)
        )

    def paste_rows(self) -> None:
        place = max(self.currentIndex().column(), 0)
        columns = self.rows_model.columns
        text = QGuiApplication.clipboard().text()
        visible = [i for i in range(len(columns)) if not self.isColumnHidden(i)]
        # Whole rows, as they are copied, go back to where they came from.
        if text.splitlines() and len(text.splitlines()[0].split("\t")) == len(visible) > 1:
            place = visible[0]
        self.rows_model.paste(text, self.selected_rows(), place)

    def apply_to_selected(self) -> None:
        """Gives the value of the current cell to its column in all selected rows."""
        index = self.currentIndex()
        if index.isValid() and index.flags() & Qt.ItemFlag.ItemIsEditable:
            value = index.data(Qt.ItemDataRole.EditRole)
            self.rows_model.set_values(self.selected_rows(), index.column(), value)

    def confirm_selected(self) -> None:
        """Keeps the guessed values of the selected rows as they are; of the current cell, if it is
        guessed."""
        self.rows_model.confirm(self.selected_rows(), self.currentIndex().column())

    def write_typed(self, editor: NumberField) -> bool:
        """Write the text typed in the current cell to all selected rows as one step; False if a row
        refuses it."""
        index, model = self.currentIndex(), self.rows_model
        column = model.columns[index.column()]
        rows = [
            row
            for row in self.selected_rows() or (index.row(),)
            if column.value(model.items[row]) is not None
        ]
        if index.row() not in rows:
            rows.append(index.row())
        values = editor.typed_for_each([column.value(model.items[row]) or 0.0 for row in rows])
        if values is None:
            return False
        for row, value in zip(rows, values, strict=True):
            lower, upper = (
                column.limits(model.items[row]) if column.limits is not None else (None, None)
            )
            if (lower is not None and value < lower) or (upper is not None and value > upper):
                model.rejected.emit(f"Row {row + 1} would exceed its limits. Nothing was changed.")
                return False
        editor.setModified(False)
        return model.set_each(dict(zip(rows, values, strict=True)), index.column())

    def delete_selected(self) -> None:
        if self._delete is not None and self.chosen:
            self._delete(self.chosen)

    def move_selected(self, by: int) -> None:
        rows = self.selected_rows()
        if len(rows) == 1 and self.rows_model.move_row(rows[0], rows[0] + by):
            self.select_row(rows[0] + by, max(self.currentIndex().column(), 0))

    def _make_actions(self) -> dict[str, QAction]:
        def action(
            name: str, text: str, icon_name: str, slot: Callable[[], None], shortcut: Any = None
        ) -> QAction:
            new_action = QAction(icon(icon_name), text, self)
            new_action.triggered.connect(lambda *_: slot())
            if shortcut is not None:
                new_action.setShortcut(QKeySequence(shortcut))
                new_action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            self.addAction(new_action)
            actions[name] = new_action
            return new_action

        actions: dict[str, QAction] = {}
        standard = QKeySequence.StandardKey
        action("copy", "Copy", "copy", self.copy_rows, standard.Copy)
        action("paste", "Paste", "clipboard", self.paste_rows, standard.Paste)
        action("apply", "Apply to all selected rows", "rows", self.apply_to_selected, "Ctrl+Return")
        if any(
            column.origin is not None and column.write is not None
            for column in self.rows_model.columns
        ):
            action("confirm", "Confirm the guessed values", "check", self.confirm_selected)
        if self.rows_model.can_move:
            action("up", "Move up", "arrow-up", lambda: self.move_selected(-1), "Alt+Up")
            action("down", "Move down", "arrow-down", lambda: self.move_selected(1), "Alt+Down")
        if self._delete is not None:
            action("delete", "Delete", "trash", self.delete_selected, standard.Delete)
        return actions

    def _on_selection(self) -> None:
        rows = self.selected_rows()
        last = self.rows_model.rowCount() - 1
        enabled = {"up": len(rows) == 1 and rows[0] > 0, "down": len(rows) == 1 and rows[0] < last}
        for name, action in self.row_actions.items():
            action.setEnabled(enabled.get(name, bool(rows)))
        if "confirm" in self.row_actions:
            self.row_actions["confirm"].setEnabled(bool(self.rows_model.guessed_columns(rows)))
        self.row_actions["apply"].setEnabled(len(rows) > 1)
        self.rows_selected.emit(self.chosen)

    def _show_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.addActions(self.actions())
        popup(menu, self.viewport().mapToGlobal(place))

    # -- size

    def set_lines(self, count: int) -> None:
        """How many lines of text a row has room for."""
        self.verticalHeader().setDefaultSectionSize(
            self.fontMetrics().height() + (count - 1) * self.fontMetrics().lineSpacing() + 8
        )
        self._fit()

    def sizeHint(self) -> QSize:
        rows = min(max(self.rows_model.rowCount(), 1), self._most_rows)
        height = (
            self.horizontalHeader().sizeHint().height()
            if not self.horizontalHeader().isHidden()
            else 0
        )
        return QSize(
            240, height + rows * self.verticalHeader().defaultSectionSize() + 2 * self.frameWidth()
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def _fit(self, *_: object) -> None:
        self.setFixedHeight(self.sizeHint().height())
        self.updateGeometry()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.row_hovered.emit(None)

    def dropEvent(self, event: QDropEvent) -> None:
        # Qt would remove the dragged row by itself after a move.
        place = event.position().toPoint()
        index = self.indexAt(place)
        row = self.rows_model.rowCount() if not index.isValid() else index.row()
        if index.isValid() and place.y() > self.visualRect(index).center().y():
            row += 1
        dragged = int(bytes(event.mimeData().data(MIME).data()))
        self.rows_model.move_row(dragged, row - 1 if row > dragged else row)
        event.setDropAction(Qt.DropAction.IgnoreAction)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            index = self.currentIndex()
            editing = self.state() == QAbstractItemView.State.EditingState
            if index.isValid() and index.flags() & Qt.ItemFlag.ItemIsEditable and not editing:
                self.edit(index)
                event.accept()
                return
        super().keyPressEvent(event)
