"""The base of a panel: watches the document, refreshes what is bound, runs changes, and says what
was refused."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from typing import Any, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from editor_app.core.document.commands import AddSection, ConfirmGuesses
from editor_app.core.document.commands.field_paths import get_field
from editor_app.core.document.commands.list_rules import LIST_RULES
from editor_app.core.document.commands.lists import InsertItem, MoveItem, RemoveItems
from editor_app.core.document.selection import Selection
from editor_app.core.model.features import RobotFeature
from editor_app.core.model.guesses import NO_GUESSES
from editor_app.core.model.robot import Change, RobotDescription
from editor_app.window.bindings.choice_box import EntryField, NameBox
from editor_app.window.bindings.elision import WrappedLabel
from editor_app.window.bindings.number_field import NumberField, ShownNumber
from editor_app.window.bindings.quantity import Quantity
from editor_app.window.bindings.rows_model import Column, Row, RowsModel
from editor_app.window.bindings.rows_view import MOST_ROWS, RowsView
from editor_app.window.bindings.typed_fields import typed_fields
from editor_app.window.session import Hover, Session
from editor_app.window.widgets import STRETCH, PlainLabel, dress, fill_layout, icon, plain_text

_Widget = TypeVar("_Widget", bound=QWidget)
_Button = TypeVar("_Button", bound=QAbstractButton)


@dataclass(frozen=True, slots=True)
class ByValue:
    """Something small that a panel watches and that is made anew each time: compared by value."""

    value: object


@dataclass(frozen=True, slots=True)
class NewItemField:
    """A field of a line that adds something: a text that is made up, or one of the names `choices`.

    `name` is its accessible name, `noun` what is chosen, for sentences. `missing` is told while it
    is empty; one without it may be empty. `stays`: its value is kept for what is added next;
    `starts`: without a value, the first name is chosen.
    """

    name: str
    hint: str = ""
    noun: str = "name"
    choices: Callable[[RobotDescription], Sequence[str]] | None = None
    missing: str = ""
    stays: bool = False
    starts: bool = False


def link_pair(
    names: tuple[str, str],
    choices: Callable[[RobotDescription], Sequence[str]],
    missing: str,
    hints: tuple[str, str] = ("Link…", "Link…"),
) -> list[NewItemField]:
    """Two links to choose; `missing` is told of an empty one."""
    return [
        NewItemField(name, hint, "link", choices, missing)
        for name, hint in zip(names, hints, strict=True)
    ]


class MessageBar(QFrame):
    """One sentence that says why something was refused; gone with the next change or by its
    button."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("messageBar", True)
        self._label = dress(PlainLabel(), wrap=True)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        close = flat_button("x", "Close the message", run=self.hide)
        sign = PlainLabel()
        sign.setPixmap(icon("warning", "warning").pixmap(16, 16))
        layout = fill_layout(QHBoxLayout(self), margins=(6, 3, 3, 3))
        layout.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self._label, 1)
        layout.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    @property
    def text(self) -> str:
        return "" if self.isHidden() else self._label.text()

    def tell(self, sentence: str) -> None:
        self._label.setText(sentence)
        self.setAccessibleName(sentence)
        self.show()


class Panel(QWidget):
    """Subclasses set the class attributes, build their widgets in `build`, and bind them with the
    `…_field` methods.

    A panel that has nothing to show says why. One whose section is absent says what that is for,
    and offers to add it.
    """

    #: Field of Xrdf that the panel edits; None when it is not one section.
    section: str | None = None
    #: Paths of the parts of the robot that the panel shows, where it is not the section alone.
    shows = ""
    #: Shown when the section is absent: what it is for.
    purpose = ""
    #: What the button is called that adds the section; "" for none.
    add_text = ""
    #: Keys of the XRDF whose guessed values the panel marks and offers to confirm.
    guess_keys: tuple[str, ...] = ()
    #: Whether the panel shows the numbers of what is dragged in the view.
    follows_steps = False

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self._bound: list[Callable[[RobotDescription], None]] = []
        self._tables: list[RowsModel[Any]] = []
        self._fields: list[NumberField] = []
        #: Tables whose rows are features, and which one a row is.
        self._features: list[tuple[RowsView, Callable[[Any], RobotFeature]]] = []
        self._is_following = False
        #: The fields of the panel's forms by their paths, and the buttons that remove one by the
        #: label of its row.
        self.fields: dict[str, Any] = {}
        self.removers: dict[str, QToolButton] = {}
        self._stale = True
        self._executing = False
        #: The numbers of the panel are turned at the moment.
        self._in_hand = False
        self.messages = MessageBar(self)
        self._empty = self._make_empty()
        self._content = QWidget(self)
        self.body = fill_layout(QVBoxLayout(self._content), margins=0, spacing=6)
        fill_layout(
            QVBoxLayout(self),
            self.messages,
            self._empty,
            self._content,
            margins=(8, 6, 8, 8),
            spacing=6,
        )
        self._guesses = NO_GUESSES
        #: Whether values of this document were guessed since it was opened.
        self._had_guesses = False
        self.build()
        if self.guess_keys:
            self._offer_to_confirm()
        session.document_opened.connect(self._on_document)
        session.robot_changed.connect(self._on_step)
        session.robot_settled.connect(self._on_robot)
        session.tree_changed.connect(self._mark_stale)
        session.display_changed.connect(self._on_display)
        session.selection_changed.connect(self._follow_features)
        session.refused.connect(self._on_refused)
        self._on_display(session.display)
        self.refresh()

    @property
    def robot(self) -> RobotDescription:
        """The present robot; an empty one if none is open."""
        return self.session.robot

    # -- for subclasses

    def build(self) -> None:
        """Makes the widgets and adds them to `self.body`."""

    def watched(self, robot: RobotDescription) -> Sequence[object]:
        """The parts of the robot that the panel shows; compared by `is`, what is wrapped in ByValue
        by value."""
        paths = self.shows or (f"xrdf.{self.section}" if self.section else "xrdf")
        return tuple(get_field(robot, path) for path in paths.split())

    def update_view(self, robot: RobotDescription) -> None:
        """Update the unbound parts of the panel after a change."""

    def add_change(self, robot: RobotDescription) -> Change:
        """The change behind the button that adds the section."""
        section: Any = self.section
        return AddSection(section)

    def nothing(self) -> str | None:
        """Why there is nothing to show, None when there is."""
        is_absent = self.section is not None and getattr(self.robot.xrdf, self.section) is None
        return self.purpose if is_absent else None

    # -- running changes

    def execute(
        self, change: Change | None, merge: Hashable = None, selection: Selection | None = None
    ) -> bool:
        """Runs a change, and says whether it was taken; what is refused is said in the panel. None
        changes nothing."""
        if change is None:
            return False
        self.messages.hide()
        self._executing = True
        try:
            return self.session.execute(change, selection=selection, merge=merge)
        finally:
            self._executing = False

    def tell(self, sentence: str) -> None:
        """Says why something cannot be done."""
        self.messages.tell(sentence)

    # -- binding

    def bind(self, refresh: Callable[[RobotDescription], None]) -> None:
        """Calls `refresh` whenever what is watched changed."""
        self._bound.append(refresh)

    def number_field(
        self,
        name: str,
        quantity: Quantity,
        read: Callable[[RobotDescription], ShownNumber],
        write: Callable[[float], Change | None],
        write_each: Callable[[tuple[float, ...]], Change | None] | None = None,
    ) -> NumberField:
        """A field for one number of the document; with `write_each`, for many that may be changed
        by as much each."""
        field = NumberField(quantity, name)
        field.set_display(self.session.display)
        key = (id(self), name, id(field))

        def show(robot: RobotDescription) -> None:
            reading = read(robot)
            field.show_reading(reading if write_each is not None else replace(reading, several=()))

        field.edited.connect(lambda value, live: self.execute(write(value), key if live else None))
        if write_each is not None:
            field.edited_each.connect(
                lambda values, live: self.execute(write_each(values), key if live else None)
            )
        field.belong_to(self.session, self.tell)
        self._fields.append(field)
        self.bind(show)
        return field

    def name_field(
        self,
        name: str,
        noun: str,
        choices: Callable[[RobotDescription], Sequence[str]],
        read: Callable[[RobotDescription], str | None],
        write: Callable[[str], Change | None],
    ) -> NameBox:
        """A box for one name of the document, chosen from what exists."""
        box = NameBox(name, noun)

        def show(robot: RobotDescription) -> None:
            box.set_choices(choices(robot))
            box.set_value(read(robot), "Choose…")

        def edit(text: str) -> None:
            if not self.execute(write(text)):
                show(self.robot)

        box.chosen.connect(edit)
        box.rejected.connect(self.tell)
        typed_fields().watch(box)
        self.bind(show)
        return box

    def table(
        self,
        name: str,
        columns: Sequence[Column[Row]],
        rows: Callable[[RobotDescription], Sequence[Row]],
        *,
        move: Callable[[int, int], Change] | None = None,
        delete: Callable[[list[Row]], Change | None] | None = None,
        most_rows: int = MOST_ROWS,
        chosen: Callable[[list[Row]], Selection | None] | None = None,
        hovered: Callable[[Row], Hover] | None = None,
        feature: Callable[[Row], RobotFeature] | None = None,
        leads: bool = False,
    ) -> RowsView:
        """A table bound to rows of the document, at the end of the body.

        `chosen` and `hovered` say what rows mean elsewhere; an empty selection leaves the present
        one. `feature`: what a row is; one that is selected in the tree or the 3D view is chosen
        here. `leads`: the panel shows more about the chosen rows.
        """
        model: RowsModel[Row] = RowsModel(
            self.session, columns, rows, self.execute, move=move, parent=self
        )
        model.rejected.connect(self.tell)
        self._tables.append(model)
        self.bind(model.refresh)
        deletes = (lambda rows: self.execute(delete(rows))) if delete is not None else None
        view = RowsView(self.session, model, name, delete=deletes, most_rows=most_rows, parent=self)

        def choose(rows: list[Row]) -> None:
            selection = chosen(rows) if chosen is not None and not self._is_following else None
            if selection:
                self.session.select(selection)
            if leads:
                self.refresh()

        view.rows_selected.connect(choose)
        if hovered is not None:
            view.row_hovered.connect(
                lambda row: self.session.set_hover(Hover() if row is None else hovered(row))
            )
        if feature is not None:
            self._features.append((view, feature))
            self.bind(self._follow_features)
        return self.put(view)

    def list_table(
        self,
        path: str,
        name: str,
        columns: Sequence[Column[Any]],
        rows: Callable[[RobotDescription], Sequence[Any]] | None = None,
        *,
        key: Callable[[Any], Any] | None = None,
        **looks: Any,
    ) -> RowsView:
        """A table of a list of the model (see `LIST_RULES`): *Delete* removes items, and drags
        change an order.

        `rows`: without it, an item each; in a list with indices (index, item). `key`: of a row.
        `looks` as for `table`.
        """
        rules = LIST_RULES[path]
        row_key = key or rules.get_key or itemgetter(0)

        def list_rows(robot: RobotDescription) -> Sequence[Any]:
            entries = rules.list_entries(get_field(robot, path))
            return entries if rules.get_key is None else [item for _, item in entries]

        return self.table(
            name,
            columns,
            rows or list_rows,
            move=partial(MoveItem, path) if rules.has_indices else None,
            delete=lambda rows: RemoveItems(path, tuple(map(row_key, rows))),
            **looks,
        )

    def put(self, widget: _Widget, *more: QWidget | QLayout) -> _Widget:
        """Adds widgets at the end of the body, one below the other; returns the first one."""
        fill_layout(self.body, widget, *more)
        return widget

    def _follow_features(self, _: object) -> None:
        """Chooses the rows of features that are selected elsewhere."""
        for view, feature in self._features if self.isVisible() else ():
            places = {feature(row): place for place, row in enumerate(view.rows_model.items)}
            wanted = next(
                (f for f in reversed(self.session.selection.features) if f in places), None
            )
            if wanted is not None and places[wanted] not in view.selected_rows():
                self._is_following = True
                view.select_row(places[wanted])
                self._is_following = False

    def adder(
        self,
        view: RowsView,
        name: str,
        noun: str,
        choices: Callable[[RobotDescription], Sequence[str]],
        add: Callable[[str], Change] | str,
        placeholder: str,
    ) -> QWidget:
        """The line under a table, with a box and a button that add one of the names that are not in
        it yet.

        `add`: the change, or the path of the list that gets the name.
        """
        if isinstance(add, str):
            choices = partial(_list_missing, add, choices)
            add = partial(InsertItem, add)
        button = tool_button("plus", "Add", name=name)
        button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        entry = NewItemField(name, placeholder, noun, choices)
        (box,) = self.entries((entry,), lambda value: self.execute(add(value)), button)
        return self.under(view, row_of(box, button))

    def entries(
        self, fields: Sequence[NewItemField], add: Callable[..., bool], button: QAbstractButton
    ) -> list[Any]:
        """The widgets of `fields`, for the panel to place: EntryField or NameBox each.

        `button`, and Enter in the last text or in a box that is alone, call `add` with what stands
        in all of them; when it was taken, they are empty again.
        """
        widgets = [
            EntryField(f.name) if f.choices is None else NameBox(f.name, f.noun) for f in fields
        ]
        pairs = list(zip(fields, widgets, strict=True))

        def run() -> None:
            if not all(widget.commit() for widget in widgets):
                return
            values = [w.text().strip() if isinstance(w, EntryField) else w.value for w in widgets]
            for (field, widget), value in zip(pairs, values, strict=True):
                if not value and (field.missing or isinstance(widget, NameBox)):
                    self._ask_for(field, widget)
                    return
            if add(*values):
                for field, widget in pairs:
                    if isinstance(widget, EntryField):
                        widget.clear()
                    elif not field.stays:
                        widget.set_value(None, field.hint)
                if len(widgets) == 1:
                    widgets[0].setFocus()

        for field, widget in pairs:
            if isinstance(widget, NameBox):
                widget.rejected.connect(self.tell)
                self.bind(partial(_offer, field, widget, button))
            else:
                widget.setPlaceholderText(field.hint)
        if texts := [widget for widget in widgets if isinstance(widget, EntryField)]:
            texts[-1].returnPressed.connect(run)
        elif len(widgets) == 1 and isinstance(box := widgets[0], NameBox):
            box.entered.connect(lambda: run() if box.value else None)
        button.clicked.connect(run)
        return widgets

    def _ask_for(self, field: NewItemField, widget: Any) -> None:
        """Tells what is missing; of a name of which nothing is told, the list opens."""
        widget.setFocus()
        if field.missing:
            self.tell(field.missing)
        else:
            widget.showPopup()

    def under(self, view: RowsView, *left: QWidget) -> QWidget:
        """Adds the line under a table: what adds to it, then buttons for its rows."""
        buttons: list[QWidget] = []
        for key in ("up", "down", "delete"):
            action = view.row_actions.get(key)
            if action is not None:
                button = flat_button("", action.text())
                button.setDefaultAction(action)
                button.setToolTip(plain_text(f"{action.text()} ({action.shortcut().toString()})"))
                button.setAccessibleName(f"{action.text()}: {view.accessibleName()}")
                buttons.append(button)
        line = QWidget()
        room = [(widget, 1) for widget in left]
        fill_layout(QHBoxLayout(line), *(room or (STRETCH,)), *buttons, margins=0, spacing=2)
        return self.put(line)

    def form(self) -> QFormLayout:
        """Labelled rows; added to the body."""
        form = QFormLayout()
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(8)
        form.setVerticalSpacing(4)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.DontWrapRows)
        self.body.addLayout(form)
        return form

    # A bound method, not a lambda, wherever the session is connected: Qt lets go of it with the
    # panel.
    def refresh(self, *_: object) -> None:
        """Shows the present robot; waits until the panel is visible."""
        if not self.isVisible():
            self._stale = True
            return
        self._stale = False
        robot, why = self.session.robot, self.nothing()
        self.setEnabled(self.session.has_robot)
        self.why.setText(why or "")
        self._empty.setVisible(self.session.has_robot and why is not None)
        self._content.setVisible(self.session.has_robot and why is None)
        if not self.session.has_robot or why is not None:
            return
        for refresh in self._bound:
            refresh(robot)
        self.update_view(robot)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self.refresh()

    def _make_empty(self) -> QWidget:
        page = QWidget(self)
        #: Why there is nothing to show.
        self.why = muted_label("")
        layout = fill_layout(QVBoxLayout(page), self.why, margins=0)
        if self.add_text:
            add = dress(
                QPushButton(icon("plus"), self.add_text),
                run=lambda: self.execute(self.add_change(self.robot)),
            )
            self.add_button = compact(add)
            layout.addWidget(self.add_button)
        page.hide()
        return page

    def _on_document(self, _: object) -> None:
        self._had_guesses = False
        self.messages.hide()
        self.refresh()

    def _on_step(self, old: RobotDescription, new: RobotDescription) -> None:
        """While something is dragged, the panel follows whose numbers are in hand; the others when
        the mouse rests."""
        self._in_hand = self._in_hand or self._executing
        # An undo in the middle of a drag leaves nothing to settle: it is followed as a step.
        is_step = self.session.is_moving or not self.session.is_settled
        if is_step and (self.follows_steps or self._in_hand):
            self._on_robot(old, new)

    def _on_robot(self, old: RobotDescription, new: RobotDescription) -> None:
        if not self._executing:
            # What was refused is about the robot before.
            self.messages.hide()
        if self.session.is_settled:
            self._in_hand = False
        if self._stale or self.is_changed(old, new):
            self.refresh()

    def is_changed(self, old: RobotDescription, new: RobotDescription) -> bool:
        """Return whether what is watched differs."""
        if self.guess_keys and self._guesses != self.session.document.guesses:
            return True
        pairs = zip(self.watched(old), self.watched(new), strict=True)
        return any(a is not b and not (isinstance(a, ByValue) and a == b) for a, b in pairs)

    def _offer_to_confirm(self) -> None:
        """The line that says how many values are guessed, with the button that confirms them."""
        self.guessed = muted_label("")
        self.confirm = dress(
            QPushButton("Confirm"), tip="Keep the guessed values", run=self._confirm
        )
        policy = self.confirm.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.confirm.setSizePolicy(policy)
        self._guess_line = self.put(row_of(self.guessed, compact(self.confirm)))
        self.bind(self._show_guesses)

    def _show_guesses(self, _: object) -> None:
        self._guesses = self.session.document.guesses
        described = self._guesses.described(self.guess_keys)
        self.guessed.setText(f"Guessed: {described}." if described else "No value is guessed.")
        self.confirm.setVisible(bool(described))
        # The line stays until another document opens: nothing moves under the pointer that
        # confirmed.
        self._had_guesses = self._had_guesses or bool(described)
        self._guess_line.setVisible(self._had_guesses)

    def _confirm(self) -> None:
        self.execute(ConfirmGuesses(self.session.document.guesses.under(self.guess_keys)))

    def _mark_stale(self, _: object) -> None:
        # Emitted before robot_changed, which does the work; frames to choose from may be others
        # now.
        self._stale = True

    def _on_display(self, _: object) -> None:
        for field in self._fields:
            field.set_display(self.session.display)
        for model in self._tables:
            model.units_changed()
        self.refresh()

    def _on_refused(self, reason: str) -> None:
        if self._executing:
            self.tell(reason)


def _list_missing(
    path: str, choices: Callable[[RobotDescription], Sequence[str]], robot: RobotDescription
) -> Sequence[str]:
    """Return the choices that are not in a list yet."""
    return [name for name in choices(robot) if name not in (get_field(robot, path) or ())]


def _offer(
    field: NewItemField, box: NameBox, button: QAbstractButton, robot: RobotDescription
) -> None:
    """Shows the names that can be chosen now."""
    names = field.choices(robot) if field.choices is not None else ()
    box.set_choices(names)
    first = names[0] if field.starts and names else None
    hint = field.hint if names or field.missing else "All added"
    box.set_value(box.value if box.value in names else first, hint)
    if not field.missing:
        box.setEnabled(bool(names))
        button.setEnabled(bool(names))


def flat_button(icon_name: str, name: str, **looks: Any) -> QToolButton:
    """A small button that is an icon alone; `looks` as for `dress`."""
    button = dress(QToolButton(), look="flat", name=name, tip=name, **looks)
    if icon_name:
        button.setIcon(icon(icon_name))
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button


def set_button(button: QToolButton, icon_name: str, name: str) -> None:
    """Another sign and meaning for a button that is an icon alone."""
    if button.accessibleName() != name:
        button.setIcon(icon(icon_name))
        button.setAccessibleName(name)
    button.setToolTip(plain_text(name))


def tool_button(icon_name: str, text: str, **looks: Any) -> QToolButton:
    """A button with text that is no wider than it has to be, so that several stand beside each
    other."""
    button = QToolButton()
    if icon_name:
        button.setIcon(icon(icon_name))
    button.setText(text)
    button.setAccessibleName(text)
    # An icon without text stands in the middle.
    style = (
        Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        if text
        else Qt.ToolButtonStyle.ToolButtonIconOnly
    )
    button.setToolButtonStyle(style)
    button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return dress(button, **looks)


def compact(button: _Button) -> _Button:
    """Make a button as wide as its text, although its column is wider."""
    button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
    return button


def muted_label(text: str) -> QLabel:
    """A sentence that explains."""
    return dress(WrappedLabel(text), look="muted")


def heading(text: str) -> QLabel:
    return dress(PlainLabel(text), look="heading")


def row_of(*items: QWidget | QLayout | None, stretch: int | tuple[int, ...] = 0) -> QWidget:
    """Widgets beside each other; those numbered `stretch` take the room."""
    line = QWidget()
    shares = (stretch,) if isinstance(stretch, int) else stretch
    fill_layout(
        QHBoxLayout(line),
        *((item, int(i in shares)) for i, item in enumerate(items)),
        margins=0,
        spacing=4,
    )
    return line
