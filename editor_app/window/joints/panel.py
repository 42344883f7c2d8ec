"""The panel that poses the robot: a row for each movable joint."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import islice

from PySide6.QtCore import QPoint, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QScrollArea,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from editor_app.core.model.robot import RobotDescription
from editor_app.core.space.kinematics.tree import TreeJoint
from editor_app.window.actions.actions import ActionRegistry
from editor_app.window.bindings.elision import DistinctNames, ElidedLabel
from editor_app.window.bindings.lists import OwnKeys, search_line
from editor_app.window.joints.joint_row import JointRow
from editor_app.window.joints.pose_book import LIST_ACTIONS, PoseBook, PoseEntry, PoseKind
from editor_app.window.poses import clamped
from editor_app.window.session import AngleUnit, LengthUnit, Session
from editor_app.window.timers import after
from editor_app.window.widgets import (
    STRETCH,
    PlainLabel,
    action_button,
    dress,
    fill_layout,
    grid,
    icon,
    plain_text,
    popup,
    tab_through,
)

_ENTRY = Qt.ItemDataRole.UserRole
_ICONS = {
    PoseKind.DEFAULT: "house-simple",
    PoseKind.STATE: "users-three",
    PoseKind.STORED: "bookmark-simple",
}
_TIPS = {
    PoseKind.DEFAULT: "The default joint positions of the XRDF",
    PoseKind.STATE: "A state of the SRDF",
    PoseKind.STORED: "Stored in your settings",
}
#: Delete and F2 are about the poses in the list, not about the selected links and spheres.
_KEYS = {Qt.Key.Key_Delete: "pose.delete", Qt.Key.Key_F2: "pose.rename"}
_STEPS = 1000
WIDTH = 236


class PosesBox(QWidget):
    """A list of poses; a double-click or Return goes to one. A slider that blends appears for two
    selected poses."""

    #: An own entry got another name in the list; the list is filled anew only when its editor has
    #: closed.
    _renamed = Signal(object, str)

    def __init__(
        self, book: PoseBook, registry: ActionRegistry, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._book = book
        self._registry = registry
        self.setFixedWidth(WIDTH)
        bar = fill_layout(QHBoxLayout(), spacing=1)
        fill_layout(
            bar,
            *(action_button(registry[name], self, is_icon_alone=True) for name in LIST_ACTIONS),
            STRETCH,
        )
        self.list = dress(QListWidget(self), name="Poses")
        OwnKeys(self.list, {key: partial(registry.trigger, name) for key, name in _KEYS.items()})
        self.list.setUniformItemSizes(True)
        self.list.setIconSize(QSize(14, 14))
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._ask_menu)
        self.list.itemSelectionChanged.connect(self._on_selection)
        self.list.itemActivated.connect(lambda item: book.go_to(item.data(_ENTRY)))
        self.list.itemChanged.connect(
            lambda item: self._renamed.emit(item.data(_ENTRY), item.text())
        )
        self._renamed.connect(book.rename, Qt.ConnectionType.QueuedConnection)
        self.blend_label = dress(ElidedLabel(self, Qt.TextElideMode.ElideMiddle), look="muted")
        tip = "Blend between two selected poses (Ctrl-click the second)"
        self.blend = dress(
            QSlider(Qt.Orientation.Horizontal, self), name="Blend between two poses", tip=tip
        )
        self.blend.setRange(0, _STEPS)
        for widget in (self.blend_label, self.blend):
            policy = widget.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            widget.setSizePolicy(policy)
        self.blend.valueChanged.connect(self._on_blend)
        fill_layout(
            QVBoxLayout(self),
            bar,
            (self.list, 1),
            self.blend_label,
            self.blend,
            margins=(6, 0, 0, 0),
            spacing=2,
        )
        book.changed.connect(self._fill)
        book.chosen_changed.connect(self._follow)
        book.rename_asked.connect(self._edit)
        self._fill()

    # -- following

    def _fill(self) -> None:
        with QSignalBlocker(self.list):
            self.list.clear()
            for entry in self._book.entries():
                item = QListWidgetItem(icon(_ICONS[entry.kind], "muted"), entry.text)
                item.setData(_ENTRY, entry)
                item.setToolTip(plain_text(f"{_TIPS[entry.kind]}: {entry.text}"))
                if entry.kind is PoseKind.STORED:
                    item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
                self.list.addItem(item)
        self._follow()

    def _follow(self) -> None:
        with QSignalBlocker(self.list):
            for item in self._items():
                item.setSelected(item.data(_ENTRY) in self._book.chosen)
                if self._book.chosen and item.data(_ENTRY) == self._book.chosen[-1]:
                    self.list.scrollToItem(item)
        pair = self._pair()
        for widget in (self.blend_label, self.blend):
            widget.setVisible(pair is not None)
        self.blend_label.set_text(f"{pair[0].name} → {pair[1].name}" if pair is not None else "")
        with QSignalBlocker(self.blend):
            self.blend.setValue(0)

    def _items(self) -> list[QListWidgetItem]:
        return [self.list.item(k) for k in range(self.list.count())]

    def _pair(self) -> tuple[PoseEntry, PoseEntry] | None:
        chosen = self._book.chosen
        return (chosen[0], chosen[1]) if len(chosen) == 2 else None

    # -- what the user does

    def _on_selection(self) -> None:
        selected = [item.data(_ENTRY) for item in self._items() if item.isSelected()]
        before = [entry for entry in self._book.chosen if entry in selected]
        self._book.choose((*before, *(entry for entry in selected if entry not in before)))

    def _on_blend(self, value: int) -> None:
        pair = self._pair()
        if pair is not None:
            self._book.blend(*pair, value / _STEPS)

    def _edit(self) -> None:
        typed = next(
            (e for e in self.list.viewport().findChildren(QLineEdit) if e.isVisible()), None
        )
        if typed is not None:
            # A name is being typed already.
            typed.setFocus()
            return
        for item in self._items():
            if (
                self._book.chosen
                and item.data(_ENTRY) == self._book.chosen[0]
                and self.list.isVisible()
            ):
                self.list.setCurrentItem(item)
                self.list.editItem(item)

    def _ask_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.addActions([self._registry[name] for name in LIST_ACTIONS])
        popup(menu, self.list.viewport().mapToGlobal(place))


_NAME_WIDTH = 190
#: Pixels that a name takes beside its letters.
_NAME_MARGIN = 10
#: Up to so many joints all rows are made; of more, those in sight: a row is ten widgets, 4 ms.
_ALL_AT_ONCE = 24
#: Rows that one turn of the event loop makes.
_ROWS_A_TURN = 4
#: Pixels between two columns, and between two rows.
_GAP = 18
_ROW_GAP = 2
#: Pixels around the panel's contents and below its bar.
_MARGIN = 4
#: Actions shown as buttons, in this order.
BUTTONS = (
    "robot.pose_zero",
    "robot.pose_default",
    "robot.pose_middle",
    "robot.pose_random",
    "robot.make_default",
)


class JointsPanel(QWidget):
    """Rows in as few columns as show all of them, so that sliders are long; at most as many as
    there is room for."""

    def __init__(self, session: Session, registry: ActionRegistry, book: PoseBook) -> None:
        super().__init__()
        self._session = session
        #: The movable joints by name, and the rows that were made for them.
        self._joints: dict[str, TreeJoint] = {}
        self.rows: dict[str, JointRow] = {}
        #: The joints' names, which are cut where they differ.
        self._names = DistinctNames()
        self._columns = 0
        #: Line and column of each joint that the filter lets through.
        self._places: dict[str, tuple[int, int]] = {}
        self.filter = search_line("Filter joints", "Filter joints", self)
        self.filter.setMaximumWidth(220)
        self.filter.textChanged.connect(self._arrange)
        self.angle_button = self._unit_button(
            "Angles in degrees or radians", "angle_unit", AngleUnit
        )
        self.length_button = self._unit_button(
            "Lengths in millimetres or metres", "length_unit", LengthUnit
        )
        bar = fill_layout(
            QHBoxLayout(),
            (self.filter, 1),
            self.angle_button,
            self.length_button,
            STRETCH,
            spacing=4,
        )
        self._bar = bar
        fill_layout(bar, *(action_button(registry[name], self) for name in BUTTONS))
        self._inner = QWidget(self)
        self._grid = grid(self._inner, _GAP, _ROW_GAP)
        self.area = QScrollArea(self)
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setWidget(self._inner)
        self._around = after(self, lambda: self._make_rows_within(self.area.viewport().height()))
        self.area.verticalScrollBar().valueChanged.connect(self._make_rows_in_sight)
        self.empty = dress(
            PlainLabel(parent=self), look="muted", align=Qt.AlignmentFlag.AlignCenter
        )
        layout = fill_layout(QVBoxLayout(self), bar, margins=_MARGIN, spacing=_MARGIN)
        self.poses = PosesBox(book, registry, self)
        fill_layout(
            layout,
            (fill_layout(QHBoxLayout(), (self.area, 1), (self.empty, 1), self.poses, spacing=0), 1),
        )

        session.document_opened.connect(self._rebuild)
        session.tree_changed.connect(self._rebuild)
        session.robot_changed.connect(self._on_robot)
        session.pose_changed.connect(self._follow_pose)
        session.selection_changed.connect(self._follow_selection)
        session.display_changed.connect(self._follow_units)
        session.locked_changed.connect(self._follow_locked)
        session.reaching.changed.connect(self._mark)
        session.closed.changed.connect(self._follow_closed)
        self._rebuild()

    # -- following

    def _rebuild(self, *_: object) -> None:
        tree = self._session.tree
        names = tree.movable
        joints = {name: joint for name in names if (joint := tree.joint(name)) is not None}
        kept = {
            name: row
            for name, row in self.rows.items()
            if name in joints and row.can_show(joints[name])
        }
        is_same = len(kept) == len(self.rows) and list(joints) == list(self._joints)
        self._joints = joints
        for name, row in kept.items():
            row.set_joint(joints[name])
        if is_same and self.rows:
            self._follow_all(kept)
            return
        for row in self.rows.values():
            if kept.get(row.joint.name) is not row:
                self._grid.removeWidget(row)
                row.hide()
                row.deleteLater()
        self.rows = kept
        self._names.set_names(joints)
        # Arranges the rows: no number of columns fits yet.
        self._columns = 0
        self._make_rows(list(joints)[:1])
        self._follow_units()
        self._follow_selection()
        tab_through(self, self._inner, self.poses)

    def _make_rows(self, names: Iterable[str]) -> None:
        """Make the rows of these joints that were not made yet."""
        made = {name: self._row(self._joints[name]) for name in names if name not in self.rows}
        rows = {**self.rows, **made}
        self.rows = {name: rows[name] for name in self._joints if name in rows}
        # Names end and sliders begin at one place, whatever the column.
        letters = self.fontMetrics()
        width = (
            max((letters.horizontalAdvance(name) for name in self._joints), default=0)
            + _NAME_MARGIN
        )
        for row in self.rows.values():
            row.name.setFixedWidth(min(width, _NAME_WIDTH))
        self._follow_all(made)

    def _follow_all(self, rows: Mapping[str, JointRow]) -> None:
        """Bring rows to what the session says."""
        self._follow_pose()
        self._follow_locked()
        self._follow_closed()
        self._mark()
        for row in rows.values():
            row.set_units(self._session.display)

    def _row(self, joint: TreeJoint) -> JointRow:
        row = JointRow(self._session, joint, self._inner, self._names)
        row.field.returnPressed.connect(partial(self._to_next_number, row))
        row.hide()
        return row

    def _on_robot(self, old: RobotDescription, new: RobotDescription) -> None:
        before, now = old.xrdf, new.xrdf
        if (
            now.default_joint_positions is not before.default_joint_positions
            or now.cspace is not before.cspace
        ):
            self._mark()

    def _mark(self) -> None:
        robot = self._session.robot
        defaults: Mapping[str, float] = robot.xrdf.default_joint_positions or {}
        controlled = robot.xrdf.controlled
        for name, row in self.rows.items():
            position = defaults.get(name)
            outside = position is not None and clamped(row.joint, position) != position
            row.show_mark(
                "Its default position is outside the limits." if outside else None,
                locked=bool(controlled) and name not in controlled and row.joint.mimic is None,
                last=name in self._session.reaching.last,
            )

    def _follow_locked(self, *_: object) -> None:
        for name, row in self.rows.items():
            row.show_locked(name in self._session.locked)

    def _follow_closed(self) -> None:
        for name, row in self.rows.items():
            row.show_closed(self._session.closed.of(name))

    def _follow_pose(self, *_: object) -> None:
        pose = self._session.pose
        for name, row in self.rows.items():
            position = pose.get(name, 0.0)
            if position != row.position:
                row.set_position(position)

    def _follow_selection(self, *_: object) -> None:
        selected = set(self._session.selection.joints)
        for name, row in self.rows.items():
            row.show_selected(name in selected)
        last = next(reversed(self._session.selection.joints), None)
        if last in self._shown():
            self.area.ensureVisible(0, self._top_of(last), 0, 4)
            self._make_rows_in_sight()
            if last in self.rows:
                self.area.ensureWidgetVisible(self.rows[last], 0, 4)

    def _follow_units(self, *_: object) -> None:
        display = self._session.display
        self.angle_button.setText("deg" if display.angle_unit is AngleUnit.DEGREE else "rad")
        self.length_button.setText(display.length_unit.value)
        for row in self.rows.values():
            row.set_units(display)
        self._align_numbers()
        if self._fitting() != self._columns:
            self._arrange()

    def _align_numbers(self) -> None:
        """Numbers of all columns end at one place; radians are wider than degrees."""
        width = max((row.field.width() for row in self.rows.values()), default=0)
        for row in self.rows.values():
            row.field.setFixedWidth(width)

    # -- acting

    def _to_next_number(self, row: JointRow) -> None:
        """Return enters a number and goes on to the next, as in a table; the last one keeps the
        focus."""
        rows = [
            shown
            for name in self._shown()
            if (shown := self.rows.get(name)) and shown.field.isEnabled()
        ]
        following = rows[rows.index(row) + 1 :] if row in rows else []
        if following and row.field.commit():
            following[0].field.setFocus(Qt.FocusReason.TabFocusReason)
            self.area.ensureWidgetVisible(following[0], 0, 4)

    # -- layout

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._fitting() != self._columns:
            self._arrange()
        else:
            self._make_rows_in_sight()

    def _fitting(self) -> int:
        room = self.width() - 30 - self.poses.width()
        row = next(iter(self.rows.values()), None)
        if row is None:
            return 1
        beside = max(1, (room + _GAP) // (row.name.width() + row.rest_width + _GAP))
        # The area below the bar has its new height only after the panel was resized.
        height = self.height() - self._bar.sizeHint().height() - 3 * _MARGIN
        below = max(1, (height + _ROW_GAP) // (row.sizeHint().height() + _ROW_GAP))
        return min(beside, max(1, -(-len(self._shown()) // below)))

    def _shown(self) -> list[str]:
        """The joints that the filter lets through."""
        text = self.filter.text().strip().lower()
        return [name for name in self._joints if text in name.lower()]

    def _arrange(self, *_: object) -> None:
        shown = self._shown()
        self._columns = self._fitting()
        for row in self.rows.values():
            self._grid.removeWidget(row)
            row.hide()
        # Down the columns first: the joints of a chain stand below each other.
        height = -(-len(shown) // self._columns) if shown else 1
        used = -(-len(shown) // height)
        for column in range(max(used, self._grid.columnCount())):
            self._grid.setColumnStretch(column, 1 if column < used else 0)
        for line in range(max(self._grid.rowCount(), height) + 1):
            self._grid.setRowStretch(line, 1 if line == height else 0)
            self._grid.setRowMinimumHeight(line, self._row_height if line < height else 0)
        self._places = {name: (i % height, i // height) for i, name in enumerate(shown)}
        self._make_rows_in_sight()
        self.area.setVisible(bool(shown))
        self.empty.setVisible(not shown)
        if not self._session.has_robot:
            self.empty.setText("Open a robot to see its joints.")
        elif not self._joints:
            self.empty.setText("This robot has no movable joint.")
        else:
            self.empty.setText("No joint matches the filter.")

    @property
    def _row_height(self) -> int:
        return max((row.sizeHint().height() for row in islice(self.rows.values(), 1)), default=0)

    def _top_of(self, name: str) -> int:
        """Pixels from the top of the rows to the row of a joint."""
        return self._places[name][0] * (self._row_height + _ROW_GAP)

    def _make_rows_in_sight(self, *_: object) -> None:
        """Make and place the rows of the joints that can be seen; rows a page above and below
        follow."""
        self._make_rows_within(0)
        self._around.start()

    def _make_rows_within(self, margin: int) -> None:
        """Make and place the rows of the joints in sight, and of `margin` pixels above and
        below."""
        page = self.area.viewport().height()
        lowest = max((line for line, _ in self._places.values()), default=0) * (
            self._row_height + _ROW_GAP
        )
        # After a change of the filter, the bar is still where it was.
        top = min(self.area.verticalScrollBar().value(), lowest)
        first, last = top - margin - self._row_height, top + page + margin
        is_short = len(self._joints) <= _ALL_AT_ONCE
        names = [name for name in self._places if is_short or first <= self._top_of(name) <= last]
        missing = [name for name in names if name not in self.rows]
        if not missing and all(self._grid.indexOf(self.rows[name]) >= 0 for name in names):
            return
        self._make_rows(missing[:_ROWS_A_TURN])
        self._align_numbers()
        for name in names:
            row = self.rows.get(name)
            if row is not None and self._grid.indexOf(row) < 0:
                self._grid.addWidget(row, *self._places[name])
                row.show()
        if missing:
            tab_through(self, self._inner, self.poses)
        if len(missing) > _ROWS_A_TURN:
            self._around.start()

    def _unit_button(
        self, tip: str, name: str, units: type[AngleUnit] | type[LengthUnit]
    ) -> QToolButton:
        """A click changes to the other one of two units."""

        def switch() -> None:
            present = getattr(self._session.display, name)
            self._session.set_display(**{name: next(unit for unit in units if unit is not present)})

        button = dress(QToolButton(self), name=tip, tip=tip, flat=True, run=switch)
        button.setMinimumWidth(38)
        return button
