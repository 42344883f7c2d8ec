"""Transmissions and embedded extensions of the selected link and joint, as they stand in the file,
and edited there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QPlainTextEdit, QPushButton

from editor_app.core.document.commands.tools import join_changes
from editor_app.core.document.commands.urdf_texts import (
    AddEmbedded,
    EmbeddedPlace,
    Home,
    SetEmbedded,
)
from editor_app.core.document.selection import NOTHING
from editor_app.core.document.texts import TypedFault
from editor_app.core.formats.urdf.embedded import transmission_template
from editor_app.core.model.counting import format_count
from editor_app.core.model.robot import CannotApply, Change, RobotDescription
from editor_app.core.model.urdf import Joint, Link
from editor_app.window.bindings.panel import muted_label, row_of, tool_button
from editor_app.window.bindings.rows_model import Column
from editor_app.window.bindings.typed_fields import UndoKeys
from editor_app.window.theme import fixed_font
from editor_app.window.urdf.panel import UrdfPanel
from editor_app.window.widgets import dress


@dataclass(frozen=True, slots=True)
class TextRow:
    """One element: where it stands, what it is, what it speaks of."""

    place: EmbeddedPlace
    tag: str
    about: str
    text: str


class TextsPanel(UrdfPanel):
    """Elements outside of URDF, which are kept byte by byte; their text is edited as a whole."""

    def build(self) -> None:
        columns: list[Column[TextRow]] = [
            Column("Element", "tag"),
            Column("Of", "about", stretch=True, note=lambda row: row.text),
        ]
        self.view = self.table(
            "Embedded elements", columns, lambda robot: self.rows(), delete=self._delete
        )
        self.view.rows_selected.connect(lambda _: self._selected(None))
        self.none = self.put(muted_label(""))
        tip = "Add a simple transmission for the selected joint"
        self.add_transmission = tool_button(
            "plus", "Transmission", tip=tip, run=self._add_transmission
        )
        tip = "Add an empty <gazebo> element for the selected link"
        self.add_extension = tool_button("plus", "Gazebo", tip=tip, run=self._add_extension)
        self.under(self.view, self.add_transmission, self.add_extension)
        self.text = self.put(dress(QPlainTextEdit(), name="Text of the element", font=fixed_font()))
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setMinimumHeight(140)
        self.text.setTabChangesFocus(True)
        self.text.textChanged.connect(self._on_typed)
        self.text.installEventFilter(self)
        UndoKeys(self.text)
        self.apply = dress(
            QPushButton("Apply"), tip="Write this text into the URDF (Ctrl+Return)", run=self._apply
        )
        self.revert = dress(QPushButton("Revert"), tip="Discard the typed text", run=self._revert)
        self.put(row_of(self.apply, self.revert))
        QShortcut(
            QKeySequence("Ctrl+Return"),
            self.text,
            self._apply,
            context=Qt.ShortcutContext.WidgetShortcut,
        )
        self._shown: tuple[EmbeddedPlace, str] | None = None
        self._filling = False
        self.bind(self._show)
        self.session.history_changed.connect(self._fill)

    def nothing(self) -> None:
        return None

    def rows(self) -> list[TextRow]:
        """The elements of the selection; without one, all of the robot."""
        source = self.source
        # As they are written now: names that were changed meanwhile stand in them already.
        urdf = source.value if source is not None else self.robot.urdf
        link, joint = self.link, self.joint
        names = {x.name for x in (link, joint) if x is not None}
        rows = []
        for home, owners, chosen in (
            (Home.LINK, urdf.links, link),
            (Home.JOINT, urdf.joints, joint),
        ):
            rows += _rows_of(
                home, owners, chosen.name if chosen is not None else None if names else ""
            )
        for i, t in enumerate(urdf.transmissions):
            if not names or names & set(t.joints):
                rows.append(
                    TextRow(
                        EmbeddedPlace(Home.TRANSMISSIONS, i),
                        "transmission",
                        ", ".join(t.joints),
                        t.text,
                    )
                )
        for i, e in enumerate(urdf.extensions):
            if not names or e.reference in names:
                rows.append(
                    TextRow(EmbeddedPlace(Home.ROBOT, i), e.tag, e.reference or "the robot", e.text)
                )
        return rows

    def _why_none(self, robot: RobotDescription) -> str:
        names = " and ".join(x.name for x in (self.link, self.joint) if x is not None)
        urdf = robot.urdf
        others = len(urdf.transmissions) + len(urdf.extensions)
        others += sum(len(x.extensions) for x in urdf.links) + sum(
            len(y.extensions) for y in urdf.joints
        )
        if not names or not others:
            return "The URDF has no transmissions, Gazebo elements or other extensions."
        has = f"The robot has {format_count(others, 'other element')}. Press Esc to list all."
        return f"None for {names}. {has}"

    def current(self) -> TextRow | None:
        """The chosen element, else the first."""
        return next(reversed(self.view.chosen), next(iter(self.view.rows_model.items), None))

    def _show(self, robot: RobotDescription) -> None:
        row = self.current()
        for widget in (self.view, self.text, self.apply, self.revert):
            widget.setVisible(row is not None)
        self.none.setVisible(row is None)
        self.none.setText(self._why_none(robot))
        joint = self.joint
        self.add_transmission.setEnabled(joint is not None and joint.is_movable)
        self._shown = (row.place, row.text) if row is not None else None
        self._fill()

    def show_place(self, place: EmbeddedPlace) -> None:
        """Chooses an element, with the cursor in its text."""
        if all(row.place != place for row in self.rows()):
            # Without a selection, all are listed.
            self.session.select(NOTHING)
        self.refresh()
        for number, row in enumerate(self.view.rows_model.items):
            if row.place == place:
                self.view.select_row(number)
        self.text.setFocus()

    def _fill(self) -> None:
        """Shows the text of the element, as typed if something was typed for it."""
        document, shown = self.session.document, self._shown
        typed = document.typed(shown[0]) if shown is not None else None
        text = typed if typed is not None else shown[1] if shown is not None else ""
        if text != self.text.toPlainText():
            self._filling = True
            self.text.setPlainText(text)
            self._filling = False
        changed = self._shown is not None and self.text.toPlainText() != self._shown[1]
        self.apply.setEnabled(changed)
        self.revert.setEnabled(changed)

    def _on_typed(self) -> None:
        document, text = self.session.document, self.text.toPlainText()
        if self._filling or self._shown is None:
            return
        try:
            document.type_text(self._shown[0], None if text == self._shown[1] else text)
        except CannotApply as error:
            self.tell(str(error))
        self._fill()

    def _revert(self) -> None:
        if self._shown is not None:
            self.session.document.discard_typed(self._shown[0])

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.text and event.type() == QEvent.Type.FocusOut:
            self.session.seal()
        return bool(super().eventFilter(watched, event))

    # -- changes

    def _apply(self) -> None:
        document = self.session.document
        if self._shown is None:
            return
        try:
            document.read_typed_text(self._shown[0])
        except TypedFault as fault:
            self.tell(fault.reason)

    def _add_transmission(self) -> None:
        joint = self.joint
        if joint is not None:
            self._add(AddEmbedded(Home.TRANSMISSIONS, transmission_template(joint.name)))

    def _add_extension(self) -> None:
        link = self.link
        about = f' reference="{link.name}"' if link is not None else ""
        self._add(AddEmbedded(Home.ROBOT, f"<gazebo{about}>\n</gazebo>"))

    def _add(self, change: AddEmbedded) -> None:
        before = {row.place for row in self.rows()}
        if not self.execute(change):
            return
        rows = self.view.rows_model.items
        new = next((i for i, row in enumerate(rows) if row.place not in before), len(rows) - 1)
        self.view.select_row(new)
        self.text.setFocus()

    def _delete(self, rows: list[TextRow]) -> Change:
        # From the back, so that the numbers of the others stay true.
        ordered = sorted(rows, key=lambda row: row.place.index, reverse=True)
        return join_changes(
            [SetEmbedded(row.place, "") for row in ordered], f"Delete {len(rows)} elements"
        )


def _rows_of(home: Home, owners: Sequence[Link | Joint], name: str | None) -> list[TextRow]:
    """The elements in the links or joints of a name; "": in all of them, None: in none."""
    return [
        TextRow(EmbeddedPlace(home, i, owner.name), extension.tag, owner.name, extension.text)
        for owner in owners
        if name is not None and name in ("", owner.name)
        for i, extension in enumerate(owner.extensions)
    ]
