"""The panel Margins: tolerances, and the proven margin of each pair of links."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from editor_app.core.document.selection import Selection
from editor_app.core.model.xrdf import LinkPair
from editor_app.plugins.margins.verbs import margins
from editor_app.plugins.margins.window.bounds import MarginBounds
from editor_app.window.bindings.choice_box import ChoiceBox
from editor_app.window.bindings.elision import ElidedLabel
from editor_app.window.bindings.lists import CellLook, EmptyWords, ReadTable, read_table
from editor_app.window.bindings.number_field import NumberInput
from editor_app.window.bindings.quantity import ANGLE, LENGTH
from editor_app.window.session import Session
from editor_app.window.widgets import STRETCH, PlainLabel, action_button, dress, fill_layout
from editor_app.window.workbench import Workbench

_TITLES = ("Link", "Link", "Clearance", "Proven margin", "Reached", "Place")
_NO_FRAME = "no frame"


class MarginsPanel(QWidget):
    """A view of one `MarginBounds`."""

    def __init__(self, bounds: MarginBounds, workbench: Workbench) -> None:
        super().__init__()
        self._bounds, self._session = bounds, workbench.session
        self.turning = self._input(ANGLE, "Tolerance of turning joints", "turning", 1.0)
        self.sliding = self._input(LENGTH, "Tolerance of sliding joints", "sliding", 1.0)
        self.frame = dress(ChoiceBox(self), name="Frame with a mounting error")
        self.position = self._input(LENGTH, "Mounting error along each axis", "position", 1.0)
        self.angle = self._input(ANGLE, "Mounting error about each axis", "angle", 1.0)
        self.frame.activated.connect(self._choose_frame)
        registry = workbench.registry
        names = ("margins.pose", "margins.motion", "margins.buffers")
        self.buttons = [action_button(registry[name], self) for name in names]
        self.cancel_button = dress(
            QPushButton("Cancel", self), tip="Cancel the proof", run=bounds.cancel
        )
        self.state = dress(ElidedLabel(self), look="muted", name="State of the margins")
        self.model = _MarginsModel(self._session, _TITLES, (2, 3, 4), self)
        self.table = read_table("Margins", self, self.model, self.show_row)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.empty = EmptyWords(self.table)
        words = [
            PlainLabel(text, self) for text in ("Turning ±", "Sliding ±", "Mounting of", "±", "±")
        ]
        fields = (self.turning, self.sliding, self.frame, self.position, self.angle)
        row = fill_layout(QHBoxLayout(), spacing=6)
        for word, field in zip(words, fields, strict=True):
            fill_layout(row, word, field)
        fill_layout(row, STRETCH)
        work = fill_layout(
            QHBoxLayout(), *self.buttons, self.cancel_button, (self.state, 1), spacing=4
        )
        fill_layout(QVBoxLayout(self), row, work, (self.table, 1), margins=4, spacing=4)
        bounds.changed.connect(self.refresh)
        self._session.display_changed.connect(self.refresh)
        self._session.tree_changed.connect(self.refresh)
        self.refresh()

    def _input(self, quantity: object, name: str, key: str, most: float) -> NumberInput:
        mounting = self._bounds.mounting
        value = getattr(mounting, key) if hasattr(mounting, key) else getattr(self._bounds, key)

        def take(value: float, live: bool) -> None:
            if hasattr(mounting, key):
                self._bounds.mounting = replace(self._bounds.mounting, **{key: value})
            else:
                setattr(self._bounds, key, value)

        field = NumberInput(
            self._session,
            quantity,  # type: ignore[arg-type]
            name,
            take,
            limits=(0.0, most),
            parent=self,
            value=value,
        )
        field.setMaximumWidth(90)
        return field

    def _choose_frame(self, index: int) -> None:
        self._bounds.frame = self.frame.currentData()
        self.refresh()

    def refresh(self, *_: object) -> None:
        bounds, result = self._bounds, self._bounds.result
        tree = self._session.tree
        self.frame.offer(
            [(_NO_FRAME, ""), *((name, name) for name in tree.frames if name != tree.root)]
        )
        self.frame.choose(bounds.frame)
        for field in (self.position, self.angle):
            field.setEnabled(bool(bounds.frame))
        self.cancel_button.setEnabled(bounds.is_running)
        self.model.is_stale = bounds.is_stale or bounds.is_running
        self.model.show([] if result is None else result.pairs)
        self.state.set_text(self._words())
        self.empty.say(
            bounds.trouble
            or (
                "Enter tolerances, and press Prove margins here: each pair of links gets a proven "
                "clearance."
            )
        )

    def _words(self) -> str:
        bounds, result = self._bounds, self._bounds.result
        if bounds.is_running:
            return "Proving…"
        if result is None:
            return bounds.trouble
        least = LENGTH.described(result.least.margin, self._session.display)
        where = "along the motion" if result.is_path else "at the configuration"
        stale = "; of the robot before the last change" if bounds.is_stale else ""
        return f"No deviation leaves less than {least} {where}{stale}"

    def show_row(self, row: int) -> None:
        """Show the pair at the configuration where its margin is least."""
        pair = self.model.items[row]
        self._session.go_to(pair.pose)
        links = (pair.first, pair.second)
        selection = Selection(links, pairs=(LinkPair.of(*links),)).surviving(self._session.robot)
        if selection:
            self._session.select(selection)


class _MarginsModel(ReadTable[margins.ProvenPairMargin]):
    is_stale = False

    def __init__(
        self, session: Session, titles: tuple[str, ...], numbers: tuple[int, ...], parent: QWidget
    ) -> None:
        super().__init__(titles, numbers, parent)
        self._session = session

    def look(self, item: margins.ProvenPairMargin, column: int) -> CellLook:
        display = self._session.display
        place = f"pose {item.index + 1}" + (f" + {item.share:.2f}" if item.share else "")
        texts = (
            item.first,
            item.second,
            *(
                LENGTH.described(length, display)
                for length in (item.clearance, item.margin, item.reached)
            ),
            place,
        )
        verdict = "may touch" if item.margin <= 0.0 else "stay apart"
        colour = "muted" if self.is_stale else "error" if item.margin <= 0.0 and column == 3 else ""
        return CellLook(
            texts[column], None, colour, tip=f"{item.first} and {item.second} {verdict}"
        )
