"""The panel Point cloud: uncovered points by link."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from editor_app.plugins.clouds.verbs import compare
from editor_app.plugins.clouds.window.comparing import CloudComparing
from editor_app.window.bindings.choice_box import ChoiceBox
from editor_app.window.bindings.elision import ElidedLabel
from editor_app.window.bindings.lists import CellLook, EmptyWords, ReadTable, read_table
from editor_app.window.bindings.quantity import LENGTH
from editor_app.window.session import Session
from editor_app.window.widgets import PlainLabel, action_button, dress, fill_layout
from editor_app.window.workbench import Workbench

_TITLES = ("Link", "Points", "Farthest", "Size")
_AS_IN_FILE = "as in the file"


class CloudPanel(QWidget):
    """A view of one `CloudComparing`."""

    def __init__(self, comparing: CloudComparing, workbench: Workbench) -> None:
        super().__init__()
        self._comparing, self._session = comparing, workbench.session
        registry = workbench.registry
        names = ("clouds.open", "clouds.fit", "clouds.save", "clouds.clear")
        self.buttons = [action_button(registry[name], self) for name in names]
        self.frame = dress(ChoiceBox(self), name="Frame that the points are in")
        self.frame.activated.connect(self._choose_frame)
        self.cancel_button = dress(
            QPushButton("Cancel", self), tip="Cancel the comparison", run=comparing.cancel
        )
        self.state = dress(ElidedLabel(self), look="muted", name="State of the point cloud")
        self.model = _GapsModel(self._session, _TITLES, (1, 2), self)
        self.table = read_table("Uncovered points", self, self.model, comparing.choose, names=1)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.empty = EmptyWords(self.table)
        label = PlainLabel("Points in", self)
        row = fill_layout(
            QHBoxLayout(),
            *self.buttons,
            label,
            self.frame,
            self.cancel_button,
            (self.state, 1),
            spacing=4,
        )
        fill_layout(QVBoxLayout(self), row, (self.table, 1), margins=4, spacing=4)
        comparing.changed.connect(self.refresh)
        self._session.display_changed.connect(self.refresh)
        self._session.tree_changed.connect(self.refresh)
        self.refresh()

    def _choose_frame(self, index: int) -> None:
        self._comparing.frame = self.frame.currentData()
        self._comparing.again()

    def refresh(self, *_: object) -> None:
        comparing, comparison = self._comparing, self._comparing.comparison
        self.frame.offer([(_AS_IN_FILE, ""), *((name, name) for name in self._session.tree.frames)])
        self.frame.choose(comparing.frame)
        self.cancel_button.setEnabled(comparing.is_running)
        self.model.show(() if comparison is None else comparison.gaps, lambda a, b: a is b)
        self.state.set_text(self._words())
        if comparing.trouble or comparison is None:
            hint = (
                "Open a scan of the robot at the configuration in view, or a bag with joint states."
            )
            self.empty.say(comparing.trouble or hint)
        else:
            self.empty.say("Spheres cover every point near the robot.")

    def _words(self) -> str:
        comparing, comparison = self._comparing, self._comparing.comparison
        if comparing.is_running:
            return "Comparing…"
        if comparison is None or comparing.path is None:
            return ""
        uncovered = sum(len(gap.rows) for gap in comparison.gaps)
        return (
            f"{comparing.path.name}: {comparison.covered:,} points covered, {uncovered:,} uncovered"
        )


class _GapsModel(ReadTable[compare.Gap]):
    def __init__(
        self, session: Session, titles: tuple[str, ...], numbers: tuple[int, ...], parent: QWidget
    ) -> None:
        super().__init__(titles, numbers, parent)
        self._session = session

    def look(self, item: compare.Gap, column: int) -> CellLook:
        display = self._session.display
        size = " × ".join(
            LENGTH.described(float(length), display) for length in item.upper - item.lower
        )
        texts = (item.link, f"{len(item.rows):,}", LENGTH.described(item.farthest, display), size)
        return CellLook(texts[column])
