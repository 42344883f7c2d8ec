"""What writing the mask would change, pair by pair with the reason, before it is written."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLabel,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from editor_app.gui.self_collision.controller import MaskController
from editor_app.model.frozen import FrozenDict
from editor_app.model.xrdf import LinkPair
from editor_app.self_collision import MaskOptions, MaskProposal, MaskRow, propose_mask
from editor_app.tasks.mask_changes import MaskFile

_PAIR = int(Qt.ItemDataRole.UserRole)


class WriteMaskDialog(QDialog):
    """Not modal: the robot can be looked at meanwhile. A tick means that the pair will be ignored."""

    def __init__(self, controller: MaskController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._decided: dict[LinkPair, bool] = {}
        self._filling = False
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self.refresh)
        self.setObjectName("write-mask")
        self._file = controller.file
        self.setWindowTitle(f"Write the mask of {controller.file_name()}")
        self.resize(640, 480)
        self.summary = QLabel(self)
        self.summary.setWordWrap(True)
        self.keep = QCheckBox("&Keep what the file ignores already, even if it can collide", self)
        self.keep.setChecked(True)
        self.sampled = QCheckBox("Ignore pairs that were only &sampled, not proven", self)
        self.sampled.setChecked(True)
        self.adjacent = QCheckBox("Ignore &adjacent links", self)
        self.adjacent.setChecked(True)
        self.reasons = QCheckBox("Write the &reason of each pair as a comment", self)
        self.tree = QTreeWidget(self)
        self.tree.setAccessibleName("What the mask changes")
        self.tree.setHeaderLabels(["Pair", "Reason"])
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.itemChanged.connect(self._on_tick)
        self.tree.itemClicked.connect(self._on_click)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.write_button = self.buttons.addButton("Write", QDialogButtonBox.ButtonRole.AcceptRole)
        self.write_button.setObjectName("write")
        self.write_button.setDefault(True)
        self.buttons.accepted.connect(self._write)
        self.buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.summary)
        layout.addWidget(self.tree, 1)
        for box in (self.keep, self.sampled, self.adjacent, self.reasons):
            layout.addWidget(box)
            if box is not self.reasons:
                box.toggled.connect(self.refresh)
        # An SRDF has a place for reasons, and gets them in its own words.
        self.reasons.setVisible(self._file is MaskFile.XRDF)
        self.reasons.toggled.connect(self._count)
        layout.addWidget(self.buttons)
        controller.analysis_changed.connect(self.refresh)
        controller.mask_changed.connect(self.refresh)
        controller.session.document_opened.connect(self.reject)
        self.refresh()

    @property
    def proposal(self) -> MaskProposal | None:
        """What would be written with the present choices."""
        analysis = self._controller.analysis
        if analysis is None:
            return None
        options = MaskOptions(
            mask_adjacent=self.adjacent.isChecked(),
            mask_sampled_only=self.sampled.isChecked(),
            keep_handmade=self.keep.isChecked(),
            decided=FrozenDict(self._decided),
        )
        return propose_mask(analysis, self._controller.ignored, options)

    def refresh(self, *_: object) -> None:
        """Lists what changes; pairs that were ticked or unticked stay in the list, so that they can be put back."""
        if self._controller.file is not self._file:
            self.reject()
            return
        proposal = self.proposal
        self._filling = True
        self.tree.clear()
        if proposal is not None:
            touched = [r for r in proposal.rows if r.pair in self._decided and r.ignored_now == r.ignored_then]
            todo = [r for r in proposal.todo if not r.ignored_now]
            self._section("To decide: overlap at the default configuration, or always", todo)
            self._section("Removed from the mask", proposal.removed)
            self._section("Added to the mask", proposal.added)
            self._section("Left as they are, by hand", touched)
        self._filling = False
        self._count()

    def _section(self, title: str, rows: Sequence[MaskRow]) -> None:
        if not rows:
            return
        head = QTreeWidgetItem(self.tree, [f"{title} ({len(rows)})"])
        head.setFirstColumnSpanned(True)
        head.setExpanded(True)
        for row in rows:
            item = QTreeWidgetItem(head, [f"{row.first} – {row.second}", row.reason])
            item.setToolTip(1, row.reason)
            item.setData(0, _PAIR, row.pair)
            item.setCheckState(0, Qt.CheckState.Checked if row.ignored_then else Qt.CheckState.Unchecked)

    def _on_tick(self, item: QTreeWidgetItem, column: int) -> None:
        pair = item.data(0, _PAIR)
        if self._filling or pair is None:
            return
        self._decided[pair] = item.checkState(0) == Qt.CheckState.Checked
        # Later: the item is still at work, and the list is made anew.
        self._later.start()
        self._count()

    def _on_click(self, item: QTreeWidgetItem, column: int) -> None:
        pair = item.data(0, _PAIR)
        if pair is not None and column == 1:
            self._controller.select((pair,))
            self._controller.show_witness(pair)

    def _count(self, *_: object) -> None:
        proposal = self.proposal
        changes = 0 if proposal is None else len(proposal.added) + len(proposal.removed)
        self.write_button.setEnabled(proposal is not None and (changes > 0 or self.reasons.isChecked()))
        if proposal is None:
            self.summary.setText("Compute the mask first.")
            return
        parts = [f"{len(proposal.added)} pairs are added, {len(proposal.removed)} removed"]
        kept = sum(r.ignored_now and r.ignored_then for r in proposal.rows) + len(proposal.others)
        parts.append(f"{kept} stay")
        if proposal.todo:
            parts.append(f"{len(proposal.todo)} are yours to decide and stay as they are until ticked")
        text = "; ".join(parts) + "."
        analysis = self._controller.analysis
        if analysis is not None and (not analysis.complete or analysis.stale.any()):
            text += " The evidence is incomplete: compute the mask to its end first."
        self.summary.setText(text)

    def _write(self) -> None:
        proposal = self.proposal
        if proposal is not None:
            self._controller.write(proposal, with_reasons=self.reasons.isChecked())
        self.accept()
