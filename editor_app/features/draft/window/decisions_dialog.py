"""Decisions: the choices in the XRDF as a list, each with a button that shows it on the robot."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QSize, Qt
from PySide6.QtWidgets import QHeaderView, QPushButton, QTreeWidgetItem, QWidget

from editor_app.core.document.commands import ConfirmGuesses
from editor_app.core.document.selection import Selection
from editor_app.core.model.guesses import POSITIONS
from editor_app.core.model.pose import EMPTY_POSE
from editor_app.features.draft.verbs import decisions as verb
from editor_app.features.draft.window.actions import DECIDED
from editor_app.window import dialogs
from editor_app.window.actions.action_tables import NO_ROBOT
from editor_app.window.bindings.lists import Rows, thing_of
from editor_app.window.link_quality import LinkQuality
from editor_app.window.timers import after
from editor_app.window.widgets import dress
from editor_app.window.workbench import Workbench

#: Pixels of the topics, of a value's margins, and above and below the text of a row.
_TOPIC, _MARGIN, _LEADING = 132, 8, 8


class DecisionsDialog(dialogs.Dialog):
    """Follows the robot. It lies over the link tree: the robot and the panel of the choice stay in
    sight."""

    def __init__(self, workbench: Workbench, quality: LinkQuality, parent: QWidget | None) -> None:
        session = workbench.session
        super().__init__(parent, "decided", "What was decided", (470, 560), session)
        self._session, self._docks, self._quality = session, workbench.docks, quality
        self._decisions: verb.Decisions | None = None
        self.list = Rows("Decisions", ("Decision", "Value", ""), 1, self)
        self.list.setWordWrap(True)
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
        self.list.header().resizeSection(0, _TOPIC)
        self.list.header().sectionResized.connect(self._fit_rows)
        role = dialogs.Role.ActionRole
        self.confirm = self.button("&Confirm all guesses", "confirm", role, self._confirm)
        self.confirm.setAutoDefault(False)
        self.lay_out((self.list, 1))
        self.list.itemActivated.connect(lambda item: self.show_entry(thing_of(item)))
        self._later = after(
            self, self.look, on=(session.robot_settled, session.history_changed, quality.changed)
        )
        self.look()

    def look(self) -> None:
        """Lists the choices of the present robot; the current row stays current."""
        if self.is_over or not self._session.has_robot:
            return
        figures = ((link, self._quality.of(link)) for link in self._quality.links)
        coverage = {
            link: shown.figures.surface_coverage
            for link, shown in figures
            if shown is not None and shown.figures
        }
        now = verb.decisions(self._session.document, coverage)
        self.confirm.setEnabled(bool(now.guesses.parts))
        if now == self._decisions:
            return
        current = self.list.currentItem()
        self._decisions, row = now, 0 if current is None else self.list.indexOfTopLevelItem(current)
        self.list.clear()
        for entry in now.entries:
            item = self.list.add(
                (entry.topic, entry.text, ""), entry, tips={0: entry.topic, 1: entry.text}
            )
            button = dress(
                QPushButton("Show"),
                name=f"Show: {entry.topic}",
                tip="Show it on the robot and in its panel",
                run=partial(self._show_item, item),
            )
            # The keyboard shows the current row by Enter.
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.setAutoDefault(False)
            self.list.setItemWidget(item, 2, button)
        again = self.list.topLevelItem(min(row, self.list.topLevelItemCount() - 1))
        if again is not None:
            self.list.setCurrentItem(again)
        self._fit_rows()

    def _fit_rows(self, *_: object) -> None:
        """Give each row the lines that its texts need."""
        header, metrics = self.list.header(), self.list.fontMetrics()
        for row in range(self.list.topLevelItemCount()):
            item = self.list.topLevelItem(row)
            assert item is not None
            height = max(
                metrics.boundingRect(
                    0,
                    0,
                    header.sectionSize(column) - _MARGIN,
                    0,
                    Qt.TextFlag.TextWordWrap,
                    item.text(column),
                ).height()
                for column in (0, 1)
            )
            for column in (0, 1):
                item.setSizeHint(column, QSize(0, height + _LEADING))

    def _show_item(self, item: QTreeWidgetItem) -> None:
        self.list.setCurrentItem(item)
        self.show_entry(thing_of(item))

    def show_entry(self, entry: verb.DraftDecision) -> None:
        """Selects the parts of the robot that a choice is about, and opens its panel."""
        session = self._session
        if entry.links or entry.joints or entry.pairs:
            session.select(Selection(links=entry.links, joints=entry.joints, pairs=entry.pairs))
        # After the selection, to which open sections scroll.
        if entry.pairs and entry.section != POSITIONS:
            self._docks.show("self-collision")
        else:
            stack: Any = self._docks.show("xrdf")
            stack.reveal(entry.section)
        if entry.section == POSITIONS:
            session.go_to(EMPTY_POSE)

    def _confirm(self) -> None:
        self._session.execute(ConfirmGuesses(tuple(self._session.document.guesses.parts)))


class DecisionsAction(QObject):
    """Help › What was decided."""

    def __init__(self, workbench: Workbench, quality: LinkQuality) -> None:
        super().__init__(workbench.qt_window)
        self._workbench, self._quality = workbench, quality
        workbench.registry.add(DECIDED, self)

    def refusal(self) -> str | None:
        """Return why there is nothing to list."""
        return None if self._workbench.session.has_robot else NO_ROBOT

    def run(self) -> None:
        """Opens the list."""
        dialog = DecisionsDialog(self._workbench, self._quality, self._workbench.qt_window)
        dialog.show()
        dialog.move_beside_view(left=True)
