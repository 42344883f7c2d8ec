"""Taking another mask over: which pairs would change, what speaks for and against, before it is done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtWidgets import QWidget

from editor_app.gui.self_collision.comparing import OtherMask
from editor_app.gui.self_collision.controller import MaskController
from editor_app.gui.self_collision.looks import class_name, number_mm
from editor_app.gui.self_collision.pairs_dialog import PairLine, PairsDialog, PairSection, Summary
from editor_app.model.counting import counted
from editor_app.model.xrdf import LinkPair
from editor_app.operations.mask_changes import MaskFile
from editor_app.self_collision.masks import MaskState, mask_state


class CarryOverDialog(PairsDialog):
    """A tick means that the pair will be as in the other mask; what would be a conflict is not ticked."""

    def __init__(self, controller: MaskController, other: OtherMask, parent: QWidget | None = None) -> None:
        columns, button = ("Pair", "Reason there", "Evidence"), ("Take over", "take-over")
        title = f"Take over from {other.name}"
        super().__init__(controller, "carry-over", title, (940, 520), columns, button, parent)
        self.other = other
        self._answers: dict[LinkPair, bool] = {}
        self.tree.setAccessibleName("What the other mask would change")
        self.tree.setColumnHidden(1, not other.reasons)
        self.refresh()

    @property
    def chosen(self) -> tuple[frozenset[LinkPair], frozenset[LinkPair]]:
        """(pairs that will be ignored, pairs that will be checked)."""
        ticked = frozenset(pair for pair, ticked in self.pairs() if ticked)
        now = self._controller.ignored
        return ticked - now, ticked & now

    def sections(self) -> Iterator[PairSection]:
        now, name = self._controller.ignored, self._controller.file_name()
        yield PairSection(f"Ignored there: to be ignored in {name}", self._lines(self.other.pairs - now, ignore=True))
        yield PairSection(f"Checked there: to be checked in {name}", self._lines(now - self.other.pairs, ignore=False))

    def _lines(self, pairs: Iterable[LinkPair], *, ignore: bool) -> tuple[PairLine, ...]:
        tree = self._controller.session.tree
        order = tree.index if tree is not None else {}
        rank = {p: sorted((order.get(p.first, len(order)), order.get(p.second, len(order)))) for p in pairs}
        return tuple(self._line(pair, ignore=ignore) for pair in sorted(rank, key=lambda p: (rank[p], p)))

    def _line(self, pair: LinkPair, *, ignore: bool) -> PairLine:
        first, second = sorted((pair.first, pair.second), key=self._rank)
        why_not = self._impossible(pair)
        words, conflict = self._evidence(pair, ignore=ignore)
        ticked = self._answers.get(pair, ignore and not conflict) and not why_not
        texts = (f"{first} – {second}", self.other.reasons.get(pair, ""), why_not or words)
        return PairLine(pair, texts, ticked=ticked, is_conflict=conflict, is_possible=not why_not)

    def _rank(self, name: str) -> tuple[int, str]:
        tree = self._controller.session.tree
        return (tree.index.get(name, len(tree.index)) if tree is not None else 0), name

    def _impossible(self, pair: LinkPair) -> str:
        controller = self._controller
        robot, tree = controller.session.robot, controller.session.tree
        if robot is None or tree is None:
            return ""
        links = {link.name for link in robot.urdf.links} if controller.file is MaskFile.SRDF else tree.index
        strangers = [name for name in (pair.first, pair.second) if name not in links]
        if not strangers:
            return ""
        if strangers[0] in tree.index:
            return f"{strangers[0]} is a frame that the XRDF adds: an SRDF knows links of the URDF alone"
        return f"the robot has no frame {strangers[0]}"

    def _evidence(self, pair: LinkPair, *, ignore: bool) -> tuple[str, bool]:
        """(what is known of the pair, whether to do as the other mask does would be a conflict)."""
        controller = self._controller
        evidence = controller.evidence(pair)
        if evidence is None:
            is_computed = controller.analysis is not None
            return ("without spheres on both, it makes no difference" if is_computed else "not computed yet"), False
        clearance = number_mm(evidence.clearance_min)
        words = class_name(evidence) + (f", {clearance} mm" if clearance else "")
        conflict = mask_state(evidence, ignore) in (MaskState.CONFLICT, MaskState.MISSING)
        if conflict:
            words += ": it would hide a possible collision" if ignore else ": the robot would never be free"
        return words, conflict

    def tick(self, pair: LinkPair, ticked: bool) -> None:
        self._answers[pair] = ticked

    def summed_up(self) -> Summary:
        ignored, checked = self.chosen
        total = sum(1 for _ in self.pairs())
        name = self._controller.file_name()
        if not total:
            return Summary(f"{name} ignores the same pairs as {self.other.name}.", can_take=False)
        text = f"In {name}, {counted(len(ignored), 'pair')} will be ignored and {len(checked)} checked again"
        left = total - len(ignored) - len(checked)
        text += f"; {left} that differ stay as they are." if left else "."
        return Summary(text, can_take=bool(ignored or checked))

    def accept(self) -> None:
        ignored, checked = self.chosen
        label = f"Take {counted(len(ignored) + len(checked), 'pair')} over from {self.other.name}"
        self._controller.mask_changed.disconnect(self.refresh)
        self._controller.take_over(ignored, checked, self.other.reasons, label)
        super().accept()
