"""Overlaps of unmasked pairs at the present pose, also in a drag; their page, and plain lists
beside the matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from editor_app.core.document.selection import Selection
from editor_app.core.model.counting import format_count
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import LinkPair
from editor_app.features.masks.engine.results import Overlap
from editor_app.features.masks.verbs.live_overlaps import PoseOverlaps
from editor_app.features.masks.verbs.pair_distances import prepare_distances
from editor_app.features.masks.window.controller import MaskController
from editor_app.window.bindings.lists import CellLook, EmptyWords, ReadTable, read_table
from editor_app.window.jobs import CompiledCode, Jobs
from editor_app.window.session import Session
from editor_app.window.theme import tabular_font
from editor_app.window.timers import after
from editor_app.window.widgets import PlainLabel, WhenSeen, dress, fill_layout, icon


class LiveOverlaps(QObject):
    """One per window. Asleep until `wake`: the compiled code must be there before the window's
    thread uses it."""

    #: `overlaps` are others.
    changed = Signal()

    def __init__(self, session: Session, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._code = CompiledCode(
            jobs, "distances", prepare_distances, lambda _: PoseOverlaps.load(), self._on_code
        )
        self.at_pose = PoseOverlaps()
        self._ignored: frozenset[LinkPair] = frozenset()
        # Signals of a drag come in bursts: one look per turn of the event loop.
        self._timer = after(self, self.look)
        session.document_opened.connect(self._on_opened)
        session.robot_changed.connect(self._on_robot)
        session.calibration_changed.connect(self._later)
        session.pose_changed.connect(self._later)

    @property
    def is_ready(self) -> bool:
        """True if `overlaps` says something about the present pose."""
        return self._code.state == "ready" and self.at_pose.is_known

    @property
    def trouble(self) -> str:
        """Why nothing comes although it was asked for; "" while it may still come."""
        return self._code.trouble and f"Live overlaps are not available: {self._code.trouble}"

    @property
    def overlaps(self) -> tuple[Overlap, ...]:
        """Pairs that overlap at this pose and are not ignored."""
        return self.at_pose.overlaps

    @property
    def is_asleep(self) -> bool:
        return self._code.state == "asleep"

    def wake(self) -> None:
        """Gets the compiled code; nothing happens the second time."""
        self._code.wake()

    def stop(self) -> None:
        """Follows nothing any more."""
        self._code.stop()
        self._timer.stop()

    def _on_code(self) -> None:
        if self._code.state == "failed":
            self._session.message.emit(self.trouble)
        self._on_opened(self._session.document)

    # -- following

    def _on_opened(self, document: object) -> None:
        self.at_pose.forget()
        self._ignored = self._session.robot.xrdf.ignored_pairs()
        if not self._session.has_robot or self._code.state != "ready":
            self.changed.emit()
        else:
            self._later()

    def _on_robot(self, old: RobotDescription, new: RobotDescription) -> None:
        if new.xrdf is old.xrdf and new.urdf is old.urdf:
            return
        if new.xrdf.self_collision is not old.xrdf.self_collision:
            self._ignored = new.xrdf.ignored_pairs()
        self._later()

    def _later(self, *_: object) -> None:
        if self._code.state == "ready" and not self._timer.isActive():
            self._timer.start()

    @property
    def is_due(self) -> bool:
        """True if `overlaps` were computed for a robot or pose before."""
        return self._timer.isActive()

    def look_if_due(self) -> None:
        """Does at once what would be done when the event loop is idle."""
        if self.is_due:
            self.look()

    def look(self) -> None:
        """Brings `overlaps` up to date now."""
        self._timer.stop()
        robot = self._session.shown_robot
        if not self._session.has_robot or self._code.state != "ready":
            return
        self.at_pose.look(robot, self._session.pose, self._ignored)
        self.changed.emit()


@dataclass(frozen=True, slots=True)
class ListLine:
    """A row of a plain list: its texts, its tooltip, and what it stands for."""

    texts: tuple[str, ...]
    value: Any
    tip: str = ""
    #: The name of a sign before the first text, which says that something is wrong; "" for none.
    sign: str = ""


class LinesModel(ReadTable[ListLine]):
    """A few columns of text."""

    def show(
        self,
        items: Sequence[ListLine],
        same: Callable[[ListLine, ListLine], bool] = lambda a, b: True,
    ) -> None:
        # While a joint is dragged, the same lines come again and again.
        if tuple(items) != self.items:
            super().show(items, same)

    def look(self, item: ListLine, column: int) -> CellLook:
        sign = icon(item.sign, "error") if column == 0 and item.sign else None
        return CellLook(item.texts[column], sign, font=tabular_font(), tip=item.tip)


def table_page(page: QWidget, head: Sequence[QWidget], table: QTableView) -> None:
    """Lays a page out: a row of widgets, of which the last takes the room that is left, above a
    table."""
    if isinstance(head[-1], QLabel):
        # A long sentence takes a second line, and no room from what stands beside the page.
        head[-1].setWordWrap(True)
    for widget in head[:-1]:
        widget.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
    row = fill_layout(QHBoxLayout(), *head[:-1], (head[-1], 1))
    fill_layout(QVBoxLayout(page), row, (table, 1), margins=0, spacing=3)


class OverlapsPage(QWidget):
    """A click selects the pair and the spheres that overlap."""

    def __init__(self, controller: MaskController, live: LiveOverlaps, parent: QWidget) -> None:
        super().__init__(parent)
        self._controller = controller
        self._live = live
        self.model = LinesModel(("Link", "Link", "Depth\nmm", "Spheres", ""), (2, 3), self)
        self.table = read_table("Overlaps at this pose", self, self.model, self._choose)
        self.empty = EmptyWords(self.table)
        self.text = dress(PlainLabel(parent=self), look="muted")
        self.again_button = dress(
            QPushButton(icon("arrow-clockwise"), "Try again", self), run=live.wake
        )
        table_page(self, (self.again_button, self.text), self.table)
        # Behind another tab, the table costs a drag nothing.
        WhenSeen(self, self.refresh, (live.changed,))
        self.refresh()

    def refresh(self) -> None:
        overlaps = self._live.overlaps
        self.again_button.setVisible(
            bool(self._live.trouble) and self._controller.session.has_robot
        )
        self.text.setText(self._words())
        self.text.setVisible(bool(overlaps) or not self.again_button.isHidden())
        self.empty.say("" if overlaps or not self.again_button.isHidden() else self.text.text())
        order, tip = self._live.at_pose.in_order, "Click to select the spheres that overlap"
        texts = [
            (*order(o.pair), f"{o.depth * 1e3:.1f}", str(len(o.contacts)), "") for o in overlaps
        ]
        self.model.show([ListLine(text, o, tip) for text, o in zip(texts, overlaps, strict=True)])

    def _words(self) -> str:
        """What the list shows, or why it is empty."""
        live = self._live
        if not live.is_ready:
            has_robot = self._controller.session.has_robot
            return (live.trouble or "Preparing …") if has_robot else "Open a robot first."
        if not live.at_pose.compares:
            return "Fit spheres to two links first."
        ignored = live.at_pose.masked
        besides = (
            f"; {format_count(ignored, 'pair')} that the XRDF ignores overlap{'s' * (ignored == 1)}"
            if ignored
            else ""
        )
        if live.overlaps:
            return f"Checked pairs that overlap at this pose{besides}."
        return f"No checked pair overlaps at this pose{besides}."

    def _choose(self, row: int) -> None:
        overlap = self.model.items[row].value
        spheres = dict.fromkeys(ref for c in overlap.contacts for ref in (c.first, c.second))
        self._controller.session.select(Selection(spheres=tuple(spheres), pairs=(overlap.pair,)))
        self._controller.session.look_requested.emit()
