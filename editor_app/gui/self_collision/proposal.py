"""What writing the mask would change, pair by pair with the reason, before it is written."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QCheckBox, QPushButton, QWidget

from editor_app.gui.self_collision.controller import MaskController
from editor_app.gui.self_collision.pairs_dialog import PairsDialog
from editor_app.model.frozen import FrozenDict
from editor_app.model.xrdf import LinkPair
from editor_app.operations.mask_changes import MaskFile
from editor_app.self_collision import MaskOptions, MaskProposal, MaskRow, propose_mask


class WriteMaskDialog(PairsDialog):
    """A tick means that the pair will be ignored."""

    def __init__(self, controller: MaskController, parent: QWidget | None = None) -> None:
        super().__init__(controller, f"Write the mask of {controller.file_name()}", ("Pair", "Reason"), "Write", parent)
        self._decided: dict[LinkPair, bool] = {}
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self.refresh)
        self.setObjectName("write-mask")
        self.resize(640, 480)
        self.all_button = QPushButton("&Tick all to decide", self)
        self.all_button.setToolTip("Ignores every pair that overlaps at the default position, or always")
        self.all_button.clicked.connect(self._tick_all)
        self.choices.addWidget(self.all_button, 0, Qt.AlignmentFlag.AlignLeft)
        self.keep = QCheckBox("&Keep what the file ignores already, even if it can collide", self)
        self.keep.setChecked(True)
        self.sampled = QCheckBox("Ignore pairs that were only &sampled, not proven", self)
        self.sampled.setChecked(True)
        self.adjacent = QCheckBox("Ignore &adjacent links", self)
        self.adjacent.setChecked(True)
        self.reasons = QCheckBox("Write the &reason of each pair as a comment", self)
        self.tree.setAccessibleName("What the mask changes")
        self.take_button.setObjectName("write")
        for box in (self.keep, self.sampled, self.adjacent, self.reasons):
            self.choices.addWidget(box)
            if box is not self.reasons:
                box.toggled.connect(self.refresh)
        # An SRDF has a place for reasons, and gets them in its own words.
        self.reasons.setVisible(self._file is MaskFile.XRDF)
        self.reasons.toggled.connect(self._count)
        self.refresh()

    def _tick_all(self) -> None:
        proposal = self.proposal
        for row in proposal.todo if proposal is not None else ():
            self._decided[row.pair] = True
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
            # Pairs that overlap at every configuration are how the robot is built: ticked until they are unticked.
            mask_always=True,
            decided=FrozenDict(self._decided),
        )
        return propose_mask(analysis, self._controller.ignored, options)

    def _fill(self) -> None:
        """What changes; pairs that were ticked or unticked stay in the list, so that they can be put back."""
        proposal = self.proposal
        if proposal is None:
            return
        touched = [r for r in proposal.rows if r.pair in self._decided and r.ignored_now == r.ignored_then]
        todo = [r for r in proposal.todo if not r.ignored_now]
        self._section("To decide: overlap at the default configuration, or always", todo)
        self._section("Removed from the mask", proposal.removed)
        self._section("Added to the mask", proposal.added)
        self._section("Left as they are, by hand", touched)

    def _section(self, title: str, rows: Sequence[MaskRow]) -> None:
        if not rows:
            return
        head = self._heading(title, len(rows))
        for row in rows:
            self._line(head, row.pair, (f"{row.first} – {row.second}", row.reason), ticked=row.ignored_then)

    def _tick(self, pair: LinkPair, ticked: bool) -> None:
        self._decided[pair] = ticked
        # Later: the item is still at work, and the list is made anew.
        self._later.start()

    def _count(self, *_: object) -> None:
        proposal = self.proposal
        changes = 0 if proposal is None else len(proposal.added) + len(proposal.removed)
        self.all_button.setEnabled(proposal is not None and bool(proposal.todo))
        self.take_button.setEnabled(proposal is not None and (changes > 0 or self.reasons.isChecked()))
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

    def _take(self) -> None:
        proposal = self.proposal
        if proposal is not None:
            self._controller.write(proposal, with_reasons=self.reasons.isChecked())
        self.accept()
