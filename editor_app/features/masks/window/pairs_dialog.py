"""Dialogs that change a mask: pairs under headings, each with a tick, and one button; and the one
that writes it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QHeaderView,
    QPushButton,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.xrdf import LinkPair
from editor_app.features.masks.engine.masks import (
    MaskOptions,
    MaskProposal,
    MaskRow,
    MeshWords,
    propose_mask,
)
from editor_app.features.masks.verbs.pair_distances import meshes_available
from editor_app.features.masks.window.controller import MaskController
from editor_app.window.bindings.lists import DistinctCells, Rows, is_ticked, thing_of
from editor_app.window.dialogs import Dialog
from editor_app.window.timers import after
from editor_app.window.widgets import PlainLabel, dress, fill_layout, icon


@dataclass(frozen=True, slots=True)
class PairLine:
    """A pair in the list; the last of `texts` may be long and is its tool tip as well."""

    pair: LinkPair
    texts: tuple[str, ...]
    ticked: bool
    is_conflict: bool = False
    #: What is not possible is shown, and cannot be ticked.
    is_possible: bool = True


#: A heading, and the lines under it; without lines there is no heading.
PairSection = tuple[str, tuple[PairLine, ...]]


class PairsDialog(Dialog):
    """A dialog of pairs. Subclasses define the listed pairs, the ticks and `accept`, and call
    `refresh` when made.

    The robot can be looked at meanwhile; a click beside a pair's tick shows the pair on the robot.
    The dialog closes when the robot or the file that it is about is no more.
    """

    def __init__(
        self,
        controller: MaskController,
        name: str,
        title: str,
        size: tuple[int, int],
        columns: Sequence[str],
        button: tuple[str, str],
        parent: QWidget | None = None,
    ) -> None:
        """`button`: text and name of the button that does it."""
        super().__init__(parent, name, title, size, controller.session)
        self._controller = controller
        # Of what was looked at when the dialog came: another file has another mask.
        self._file = controller.state.file
        self.summary = dress(PlainLabel(parent=self), wrap=True)
        self.tree = Rows("Changes of the mask", columns, 0, self, folds=True, words="No changes.")
        self.tree.setItemDelegateForColumn(0, DistinctCells(self.tree))
        self.tree.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.tree.header().setStretchLastSection(True)
        self.tree.viewport().installEventFilter(self)
        self.tree.itemChanged.connect(self._on_tick)
        self.tree.itemClicked.connect(self._on_click)
        self.take_button = self.button(*button)
        #: Room for what a dialog offers to choose, above the buttons.
        self.choices = QVBoxLayout()
        self.lay_out(self.summary, (self.tree, 1), self.choices)
        controller.analysis_changed.connect(self.refresh)
        controller.mask_changed.connect(self.refresh)

    def sections(self) -> Iterable[PairSection]:
        """The pairs."""
        raise NotImplementedError

    def tick(self, pair: LinkPair, ticked: bool) -> None:
        """Somebody ticked a pair, or took the tick away."""
        raise NotImplementedError

    def summed_up(self) -> tuple[str, bool]:
        """Summarise the ticks in a sentence; also return whether the button has an effect."""
        raise NotImplementedError

    def refresh(self, *_: object) -> None:
        """Lists the pairs as they are now."""
        if self._controller.state.file is not self._file or not self._controller.session.has_robot:
            self.reject()
            return
        with QSignalBlocker(self.tree):
            self.tree.clear()
            for section in self.sections():
                self._list(*section)
        self._share_width()
        self.summarise()

    def set_tab_order(self, choices: Sequence[QWidget]) -> None:
        """Tab goes from the pairs through the `choices` to the buttons, as they stand below each
        other."""
        at: QWidget = self.tree
        for widget in (*choices, *self.buttons.buttons()):
            self.setTabOrder(at, widget)
            at = widget

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self.tree.viewport():
            self._share_width()
        return super().eventFilter(watched, event)

    def summarise(self, *_: object) -> None:
        """Says what the ticks come to now."""
        text, can_take = self.summed_up()
        self.summary.setText(text)
        self.take_button.setEnabled(can_take)

    def pairs(self) -> Iterator[tuple[LinkPair, bool]]:
        """Each pair that is listed, and whether it is ticked."""
        return (
            (pair, is_ticked(row))
            for row in self.tree.rows()
            if (pair := thing_of(row)) is not None
        )

    # -- inside

    def _share_width(self) -> None:
        """Columns as wide as their texts, while the last one keeps a third; what is cut is in the
        tooltip."""
        header, last = self.tree.header(), self.tree.columnCount() - 1
        room = self.tree.viewport().width()
        least = min(self.tree.sizeHintForColumn(last), room // 3)
        for column in reversed(range(last)):
            if not header.isSectionHidden(column):
                width = max(self.tree.sizeHintForColumn(column), header.sectionSizeHint(column))
                # A reason is short; the pair takes what it leaves.
                width = min(width, room - least if column == 0 else room // 4)
                header.resizeSection(column, width)
                room -= width

    def _list(self, title: str, lines: Sequence[PairLine]) -> None:
        if not lines:
            return
        head = self.tree.add((f"{title} ({len(lines)})",))
        head.setFirstColumnSpanned(True)
        for line in lines:
            tips = dict(enumerate(line.texts))
            sign = (len(tips) - 1, icon("warning-circle", "error")) if line.is_conflict else None
            row = self.tree.add(
                line.texts, line.pair, head, tips=tips, ticked=line.ticked, sign=sign
            )
            row.setDisabled(not line.is_possible)

    def _on_tick(self, item: QTreeWidgetItem, column: int) -> None:
        pair = thing_of(item)
        if pair is not None:
            self.tick(pair, is_ticked(item))
            self.summarise()

    def _on_click(self, item: QTreeWidgetItem, column: int) -> None:
        pair = thing_of(item)
        if pair is not None and column > 0:
            self._controller.select_and_show(pair)


#: Pixels in which the two costs of a pair stand beside its names, within a window of 1,280.
_WIDE = 1180
_CHOICES = (
    "&Keep pairs that the file already ignores, even if they can collide",
    "Ignore pairs that were only &sampled, not proven",
    "Ignore &adjacent links",
    "Use &meshes: ignore pairs whose meshes never touch",
    "Write the &reason of each pair as a comment",
)
_MESHES_TIP = (
    "Ignore pairs whose spheres overlap but whose meshes never touch. Check pairs whose meshes "
    "touch, and list the "
    "real collisions that the mask hides"
)


class WriteMaskDialog(PairsDialog):
    """A tick means that the pair will be ignored."""

    def __init__(self, controller: MaskController, parent: QWidget | None = None) -> None:
        title = f"Write the mask of {controller.state.file_name()}"
        super().__init__(
            controller,
            "write-mask",
            title,
            (760, 520),
            ("Pair", "Reason"),
            ("Write", "write"),
            parent,
        )
        self._decided: dict[LinkPair, bool] = {}
        self._later = after(self, self.refresh)
        tip = "Ignore every pair that overlaps at the default position, or always"
        self.all_button = dress(
            QPushButton("&Tick all undecided", self), tip=tip, run=self._tick_all
        )
        self.choices.addWidget(self.all_button, 0, Qt.AlignmentFlag.AlignLeft)
        self.keep, self.sampled, self.adjacent, self.meshes, self.reasons = (
            QCheckBox(text, self) for text in _CHOICES
        )
        dress(self.meshes, tip=_MESHES_TIP)
        for box in (self.keep, self.sampled, self.adjacent):
            box.setChecked(True)
        # A first file begins as the command `new` makes it; a mask that somebody made gets what is
        # asked for.
        is_first = controller.session.document.xrdf_digest is None
        self.reasons.setChecked(is_first)
        self.meshes.setChecked(is_first and meshes_available())
        self.meshes.setEnabled(meshes_available())
        boxes = (self.keep, self.sampled, self.adjacent, self.meshes)
        for box in boxes:
            box.toggled.connect(self.refresh)
        self.meshes.toggled.connect(self._ask)
        fill_layout(self.choices, *boxes, self.reasons)
        self.set_tab_order((self.all_button, *boxes, self.reasons))
        controller.look_changed.connect(self._on_look)
        # An SRDF has a place for reasons, and gets them in its own words.
        self.reasons.setVisible(controller.state.file is MaskFile.XRDF)
        self.reasons.toggled.connect(self.summarise)
        self._ask()
        self.refresh()

    def _ask(self) -> None:
        if self.meshes.isChecked():
            self._controller.ask_meshes()
            self._on_look()

    def _on_look(self) -> None:
        proposal = self.proposal
        if proposal is not None and proposal.disputed:
            # What either way costs is read before it is decided.
            room = self.screen().availableGeometry()
            self.resize(min(max(self.width(), _WIDE), room.width()), self.height())
            self.move(
                max(room.left(), min(self.x(), room.right() - self.frameGeometry().width())),
                self.y(),
            )
        self.refresh()

    def _tick_all(self) -> None:
        proposal = self.proposal
        for row in proposal.todo if proposal is not None else ():
            self._decided[row.pair] = True
        self.refresh()

    @property
    def proposal(self) -> MaskProposal | None:
        """The mask that the present choices would write."""
        analysis = self._controller.state.analysis
        look = self._controller.state.look
        if analysis is None:
            return None
        options = MaskOptions(
            mask_adjacent=self.adjacent.isChecked(),
            mask_sampled_only=self.sampled.isChecked(),
            keep_handmade=self.keep.isChecked(),
            # Pairs that overlap at every configuration are how the robot is built: ticked until
            # they are unticked.
            mask_always=True,
            parted_by_guess=self._controller.state.parted_by_guess,
            decided=FrozenDict(self._decided),
            meshes=look.words if look is not None and self.meshes.isChecked() else MeshWords(),
        )
        return propose_mask(analysis, self._controller.state.ignored, options)

    def sections(self) -> Iterator[PairSection]:
        """Yield the changes; pairs that were ticked or unticked stay in the list, so that they can
        be put back."""
        proposal = self.proposal
        if proposal is None:
            return
        yield (
            "Please decide: the manufacturer ignores the pair, but its meshes touch",
            _lines(proposal.disputed),
        )
        disputed = {r.pair for r in proposal.disputed}
        look = self._controller.state.look if self.meshes.isChecked() else None
        gaps = {each.pair: each.gap for each in look.needless} if look is not None else {}
        thin = {each.pair for each in look.thin} if look is not None else set()
        # Ticked by hand, or ignored by the file, they stand where what changes stands.
        yield (
            "Stay checked: the meshes touch, but the spheres are too small to detect it",
            _lines(
                [r for r in proposal.rows if r.pair in thin and r.ignored_now == r.ignored_then]
            ),
        )
        for title, rows in _by_title(proposal, gaps, self._decided):
            yield title, _lines([r for r in rows if r.pair not in disputed])

    def tick(self, pair: LinkPair, ticked: bool) -> None:
        self._decided[pair] = ticked
        # Later: the item is still at work, and the list is made anew.
        self._later.start()

    def summed_up(self) -> tuple[str, bool]:
        proposal = self.proposal
        changes = 0 if proposal is None else len(proposal.added) + len(proposal.removed)
        self.all_button.setEnabled(proposal is not None and bool(proposal.todo))
        if proposal is None:
            return "Compute the mask first.", False
        added = len(proposal.added)
        kept = sum(r.ignored_now and r.ignored_then for r in proposal.rows) + len(proposal.others)
        text = (
            f"Add {added}, remove {len(proposal.removed)}, keep {kept}.{self._to_decide(proposal)}"
        )
        analysis = self._controller.state.analysis
        if analysis is not None and (not analysis.complete or analysis.stale.any()):
            text += " The evidence is incomplete. Compute the mask completely first."
        asking = self.meshes.isChecked() and self._controller.is_asking
        if asking:
            text = "Comparing meshes… " + text
        return text, not asking and (changes > 0 or self.reasons.isChecked())

    def _to_decide(self, proposal: MaskProposal) -> str:
        """Return a sentence about the undecided pairs, with the number that the page of the matrix
        shows."""
        undecided = {e.pair for e in self._controller.state.undecided}
        ticked = len(undecided & proposal.pairs)
        return f" {ticked} of {len(undecided)} undecided ticked." if undecided else ""

    def accept(self) -> None:
        proposal = self.proposal
        if proposal is not None:
            controller, with_reasons = self._controller, self.reasons.isChecked()
            controller.execute(lambda: controller.state.write(proposal, with_reasons=with_reasons))
        super().accept()


def _by_title(
    proposal: MaskProposal, gaps: Mapping[LinkPair, float], decided: Collection[LinkPair]
) -> Iterator[tuple[str, list[MaskRow]]]:
    """`gaps`: metres between meshes that alone stay apart; `decided`: pairs that were ticked or
    unticked."""
    added = [r for r in proposal.added if not r.hides]
    # Samples of meshes are the weakest ground: the pairs that come nearest are looked at first.
    apart = sorted((r for r in added if r.pair in gaps), key=lambda r: gaps[r.pair])
    hidden = [r for r in proposal.added if r.hides]
    yield "To review: false collisions; the meshes stay apart (nearest first)", apart
    yield (
        "To decide: overlaps at the default position, or always",
        [r for r in proposal.todo if not r.ignored_now],
    )
    # Unticked, such pairs are parted by the buffers that Mask › Set buffers for planning looks for.
    yield (
        "Added to the mask: the spheres always overlap, so collisions are missed unless buffers "
        "separate them",
        hidden,
    )
    yield "Removed from the mask", list(proposal.removed)
    yield "Added to the mask", [r for r in added if r.pair not in gaps]
    touched = [r for r in proposal.rows if r.pair in decided and r.ignored_now == r.ignored_then]
    yield "Unchanged by hand", touched


def _lines(rows: Sequence[MaskRow]) -> tuple[PairLine, ...]:
    return tuple(
        PairLine(r.pair, (f"{r.first} – {r.second}", r.reason), ticked=r.ignored_then) for r in rows
    )
