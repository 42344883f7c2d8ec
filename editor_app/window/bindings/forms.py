"""Forms from tables: each row names the field of the document that it edits. One command sets every
field.

A row is a line in a panel's table: label, path of the field, unit, limits, choices, and whether the
field may be absent. Widgets, their values and the steps follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, TypeVar

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QToolButton, QWidget

from editor_app.core.document.commands.field_paths import Path, get_field, split_path
from editor_app.core.document.commands.fields import SetField, Target
from editor_app.core.document.commands.tools import join_changes
from editor_app.core.model.robot import Change, RobotDescription
from editor_app.window.bindings.choice_box import NameBox, TextField
from editor_app.window.bindings.number_field import NumberField, ScrubLabel, ShownNumber
from editor_app.window.bindings.panel import Panel, flat_button, row_of
from editor_app.window.bindings.quantity import NUMBER, Quantity
from editor_app.window.bindings.rows_model import Column
from editor_app.window.widgets import PlainLabel, fill_layout, plain_text

R = TypeVar("R")


@dataclass(frozen=True)
class Field:
    """A row of a form. Without a subclass: widgets of the panel (`beside`).

    `shown(thing)`: whether the row is shown. `title`: name of the step; {name} and {value} are
    filled in. `write(value)` makes another command than the one that sets the field; None when it
    did the work itself.
    """

    label: str
    path: Path = ""
    _: KW_ONLY
    #: Accessible name; by default the label.
    name: str = ""
    help: str = ""
    title: str = ""
    shown: Callable[[Any], bool] | None = None
    write: Callable[[Any], Change | None] | Callable[[Any], None] | None = None
    #: Buttons that belong to the row.
    beside: tuple[QWidget, ...] = ()


@dataclass(frozen=True)
class Number(Field):
    """A number, or several `parts` beside each other. `quantity` and `note` may depend on the
    thing.

    `read(thing)` gives all parts where they do not stand so in the model; `write` gets all of them
    then. A number that stands for `several(thing)` changes each by as much; `write_each` gets them
    all.

    `places`: which numbers of the tuple at `path` the parts are; the first ones in their order
    where it says nothing. `can_remove(thing)`: whether the file may do without it as things are;
    None where it never may.
    """

    quantity: Quantity | Callable[[Any], Quantity] = NUMBER
    parts: Sequence[str] = ()
    _: KW_ONLY
    places: Sequence[int] = ()
    limits: tuple[float | None, float | None] | None = None
    note: Callable[[Any], str] | None = None
    read: Callable[[Any], Sequence[float]] | None = None
    several: Callable[[Any], tuple[float, ...]] = lambda thing: ()
    write_each: Callable[[tuple[float, ...]], Change | None] | None = None
    can_remove: Callable[[Any], bool] | None = None
    step: float | None = None
    empty: str = "–"
    #: The names of the parts stand in front of each, in a line of its own below the label.
    named: bool = False

    def quantity_of(self, thing: Any) -> Quantity:
        return self.quantity(thing) if callable(self.quantity) else self.quantity


@dataclass(frozen=True)
class Text(Field):
    """A free text. An empty `optional` text removes the field."""

    _: KW_ONLY
    optional: bool = False
    placeholder: str = ""


@dataclass(frozen=True)
class ChoiceField(Field):
    """A name out of `choices(robot, thing)`. The choice `none` removes the field."""

    choices: Callable[[RobotDescription, Any], Sequence[str]] = lambda robot, thing: ()
    _: KW_ONLY
    #: For sentences: `There is no NOUN …`.
    noun: str = "name"
    none: str | None = None
    #: The value that a name stands for.
    value: Callable[[str], Any] = str


class Form(QObject):
    """The rows of a form in a layout, bound to the thing that `target` returns.

    `thing` gives what is shown where that is not what stands in the document; `reading` marks it.
    `part`: the rows are there only where the thing has this part. Fields are found by their paths,
    numbers of a vector one by one.
    """

    def __init__(
        self,
        panel: Panel,
        rows: Sequence[Field],
        target: Callable[[], Target | None],
        *,
        title: str = "Edit {name}",
        thing: Callable[[], Any] | None = None,
        reading: Callable[[ShownNumber], ShownNumber] | None = None,
        part: Path | None = None,
        layout: QFormLayout | None = None,
    ) -> None:
        super().__init__(panel)
        self.panel = panel
        self.rows = tuple(rows)
        self.target = target
        self._title = title
        self._shown_thing = thing
        self._reading = reading
        self._part = part
        self.layout = layout if layout is not None else panel.form()
        #: Path -> widget; numbers beside each other have a path each.
        self.fields: dict[str, Any] = {}
        self._places: list[tuple[Field, range]] = []
        for row in self.rows:
            start = self.layout.rowCount()
            self._add(row)
            self._places.append((row, range(start, self.layout.rowCount())))
        panel.fields.update(self.fields)
        panel.bind(self.show)

    def thing(self) -> Any:
        """The thing whose fields are shown; None without one."""
        if self._shown_thing is not None:
            return self._shown_thing()
        target = self.target()
        return target.read(self.panel.robot) if target is not None else None

    def set(self, row: Field, path: Path, value: Any) -> Change | None:
        """The command that sets a field; None without a thing."""
        if row.write is not None:
            return row.write(value)
        target = self.target()
        if target is None:
            return None
        return SetField(
            target, path, value, (row.title or self._title).format(name=target.title, value=value)
        )

    def show(self, _: object = None) -> None:
        """Shows the present values, and the rows that apply."""
        thing = self.thing()
        has_part = thing is not None and (
            self._part is None or get_field(thing, self._part) is not None
        )
        for row, places in self._places:
            shown = has_part and (row.shown is None or row.shown(thing))
            for place in places:
                self.layout.setRowVisible(place, shown)
            if isinstance(row, Text):
                self.fields[_key(row.path)].set_value(get_field(thing, row.path) or "")

    # -- widgets

    def _add(self, row: Field) -> None:
        if isinstance(row, Number) and row.parts:
            self._add_vector(row)
        elif isinstance(row, Number):
            field = self._number(row, row.name or row.label, row.path)
            beside = (
                *((self._remover(row, field),) if row.can_remove is not None else ()),
                *row.beside,
            )
            self._add_row(
                ScrubLabel(row.label, field), row_of(field, *beside) if beside else field, row
            )
        elif isinstance(row, Text | ChoiceField):
            widget: QWidget = self._text(row) if isinstance(row, Text) else self._choice(row)
            label = PlainLabel(row.label)
            label.setBuddy(widget)
            self._add_row(label, row_of(widget, *row.beside) if row.beside else widget, row)
        else:
            self._add_row(PlainLabel(row.label), row_of(*row.beside, stretch=-1), row)

    def _add_row(self, label: QWidget, widget: QWidget, row: Field) -> None:
        if row.help:
            label.setToolTip(plain_text(f"{row.help}\n{label.toolTip()}".strip()))
        self.layout.addRow(label, widget)

    def _add_vector(self, row: Number) -> None:
        path = split_path(row.path)
        places = row.places or range(len(row.parts))
        fields = [
            self._number(row, f"{row.name or row.label} {name}", (*path, i))
            for i, name in zip(places, row.parts, strict=True)
        ]
        if row.named:
            if row.label:
                self.layout.addRow(PlainLabel(row.label))
            self.layout.addRow(beside(row.parts, fields))
            return
        for field in fields:
            field.setMinimumWidth(44 if len(fields) < 4 else 34)
            field.hide_unit()
        line = row_of(*fields, *row.beside)
        layout = line.layout()
        assert isinstance(layout, QHBoxLayout)
        for i in range(len(fields)):
            layout.setStretch(i, 1)
        self._add_row(ScrubLabel(row.label, fields[0], with_unit=True), line, row)

    def _number(self, row: Number, name: str, path: Path) -> NumberField:
        place = int(split_path(path)[-1]) if row.parts else 0

        def write(value: float) -> Change | None:
            if row.read is None:
                return self.set(row, path, value)
            return self.set(
                row,
                row.path,
                tuple(value if i == place else v for i, v in enumerate(row.read(self.thing()))),
            )

        def read(robot: RobotDescription) -> ShownNumber:
            thing = self.thing()
            value = (
                row.read(thing)[place]
                if row.read is not None and thing is not None
                else get_field(thing, path)
            )
            quantity = row.quantity_of(thing) if thing is not None else NUMBER
            note = row.note(thing) if row.note is not None and thing is not None else ""
            several = row.several(thing) if thing is not None else ()
            reading = ShownNumber(
                value,
                note=note,
                empty=row.empty,
                quantity=quantity,
                limits=row.limits,
                several=several,
            )
            return self._reading(reading) if self._reading is not None else reading

        field = self.panel.number_field(name.strip(), NUMBER, read, write, row.write_each)
        if row.step is not None:
            field.set_step(row.step)
        self.fields[_key(path)] = field
        return field

    def _remover(self, row: Number, field: NumberField) -> QToolButton:
        def run() -> None:
            target, thing = self.target(), self.thing()
            if target is not None and self._can_remove(row, thing):
                title = f"Remove {row.label.lower()} of {target.title}"
                self.panel.execute(SetField(target, row.path, None, title))

        def show(_: RobotDescription) -> None:
            can = self._can_remove(row, self.thing())
            button.setVisible(can)
            field.is_clearable = can

        button = flat_button("x", f"Remove {row.label.lower()}", run=run)
        policy = button.sizePolicy()
        # The numbers stay in line with those that cannot be removed.
        policy.setRetainSizeWhenHidden(True)
        button.setSizePolicy(policy)
        field.cleared.connect(run)
        self.panel.bind(show)
        self.panel.removers[row.label] = button
        return button

    def _can_remove(self, row: Number, thing: Any) -> bool:
        return (
            get_field(thing, row.path) is not None
            and row.can_remove is not None
            and row.can_remove(thing)
        )

    def _text(self, row: Text) -> TextField:
        field = TextField(row.name or row.label)
        field.setPlaceholderText(row.placeholder)

        def edit(text: str) -> None:
            self.panel.execute(self.set(row, row.path, (text or None) if row.optional else text))

        field.edited.connect(edit)
        self.fields[_key(row.path)] = field
        return field

    def _choice(self, row: ChoiceField) -> NameBox:
        def choices(robot: RobotDescription) -> list[str]:
            thing = self.thing()
            return [] if thing is None else with_none(row, row.choices(robot, thing))

        def read(robot: RobotDescription) -> str | None:
            value = get_field(self.thing(), row.path)
            return str(value) if value is not None else row.none

        def write(text: str) -> Change | None:
            return self.set(row, row.path, None if text == row.none else row.value(text))

        box = self.panel.name_field(row.name or row.label, row.noun, choices, read, write)
        self.fields[_key(row.path)] = box
        return box


def field_column(
    row: Field,
    target: Callable[[R], Target],
    *,
    thing: Callable[[R], Any] = lambda item: item,
    robot: Callable[[], RobotDescription] | None = None,
    **looks: Any,
) -> Column[R]:
    """A column of a table: the same field of every row. `robot` gives the choices; `looks` as for
    `Column`."""

    def step(item: R, shown: Any) -> Change:
        value, goal = _value(row, shown), target(item)
        return SetField(
            goal, row.path, value, (row.title or "Edit {name}").format(name=goal.title, value=value)
        )

    def write(cells: list[tuple[R, Any]]) -> Change:
        return join_changes([step(item, value) for item, value in cells], f"Edit {len(cells)} rows")

    def read(item: R) -> Any:
        value = get_field(thing(item), row.path)
        return value if value is not None else row.none if isinstance(row, ChoiceField) else None

    def choices(item: R) -> Sequence[str]:
        present = robot() if robot is not None else None
        return (
            with_none(row, row.choices(present, thing(item)))
            if isinstance(row, ChoiceField) and present
            else ()
        )

    return Column(
        row.label,
        read if isinstance(row, Number) else lambda item: read(item) or "",
        write=write,
        quantity=(lambda item: row.quantity_of(thing(item))) if isinstance(row, Number) else None,
        choices=choices if isinstance(row, ChoiceField) else None,
        **looks,
    )


def _value(row: Field, value: Any) -> Any:
    if isinstance(row, Number):
        return float(value)
    text = str(value).strip()
    if isinstance(row, ChoiceField):
        return None if text == row.none else row.value(text)
    return text or None if isinstance(row, Text) and row.optional else text


def with_none(row: ChoiceField, names: Sequence[str]) -> list[str]:
    return [*((row.none,) if row.none is not None else ()), *names]


def beside(names: Sequence[str], fields: Sequence[NumberField]) -> QWidget:
    """Fields in one line, each behind its name."""
    line = QWidget()
    layout = fill_layout(QHBoxLayout(line), margins=0, spacing=3)
    for name, field in zip(names, fields, strict=True):
        field.setMinimumWidth(44)
        layout.addWidget(ScrubLabel(name, field))
        layout.addWidget(field, 1)
    return line


def _key(path: Path) -> str:
    return path if isinstance(path, str) else ".".join(map(str, path))
