"""Taking another mask over: which pairs would change, what speaks for and against, before it is done."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLabel,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from editor_app.edit.commands.tools import count
from editor_app.gui.icons import icon
from editor_app.gui.self_collision.comparing import OtherMask
from editor_app.gui.self_collision.controller import MaskController
from editor_app.gui.self_collision.looks import CLASS_NAMES, number_mm
from editor_app.model.xrdf import LinkPair
from editor_app.self_collision import MaskState, mask_state
from editor_app.tasks.mask_changes import MaskFile

_PAIR = int(Qt.ItemDataRole.UserRole)


class CarryOverDialog(QDialog):
    """Not modal. A tick means that the pair will be as in the other mask; what would be a conflict is not ticked."""

    def __init__(self, controller: MaskController, other: OtherMask, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self.other = other
        # Of what was looked at when the dialog came: another file has another preview.
        self._file = controller.file
        self._answers: dict[LinkPair, bool] = {}
        self._filling = False
        self.setObjectName("carry-over")
        self.setWindowTitle(f"Take over from {other.name}")
        self.resize(720, 480)
        self.summary = QLabel(self)
        self.summary.setWordWrap(True)
        self.tree = QTreeWidget(self)
        self.tree.setAccessibleName("What the other mask would change")
        self.tree.setHeaderLabels(["Pair", f"Reason in {other.name}", "Evidence"])
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.setColumnHidden(1, not other.reasons)
        self.tree.itemChanged.connect(self._on_tick)
        self.tree.itemClicked.connect(self._on_click)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.take_button = self.buttons.addButton("Take over", QDialogButtonBox.ButtonRole.AcceptRole)
        self.take_button.setObjectName("take-over")
        self.take_button.setDefault(True)
        self.buttons.accepted.connect(self._take)
        self.buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self.summary)
        layout.addWidget(self.tree, 1)
        layout.addWidget(self.buttons)
        controller.analysis_changed.connect(self.refresh)
        controller.mask_changed.connect(self.refresh)
        controller.session.document_opened.connect(self.reject)
        self.refresh()

    def refresh(self, *_: object) -> None:
        """Lists what differs now."""
        controller = self._controller
        if controller.file is not self._file or controller.session.robot is None:
            self.reject()
            return
        fresh, gone = self.other.pairs - controller.ignored, controller.ignored - self.other.pairs
        self._filling = True
        self.tree.clear()
        self._section(f"Ignored there: to be ignored in {controller.file_name()}", fresh, ignore=True)
        self._section(f"Checked there: to be checked in {controller.file_name()}", gone, ignore=False)
        self._filling = False
        self._count()

    @property
    def chosen(self) -> tuple[frozenset[LinkPair], frozenset[LinkPair]]:
        """(pairs that will be ignored, pairs that will be checked)."""
        ignored: set[LinkPair] = set()
        checked: set[LinkPair] = set()
        for item in self._items():
            if item.checkState(0) == Qt.CheckState.Checked:
                pair = item.data(0, _PAIR)
                (checked if pair in self._controller.ignored else ignored).add(pair)
        return frozenset(ignored), frozenset(checked)

    def _items(self) -> Iterable[QTreeWidgetItem]:
        for i in range(self.tree.topLevelItemCount()):
            head = self.tree.topLevelItem(i)
            for k in range(head.childCount() if head is not None else 0):
                item = head.child(k) if head is not None else None
                if item is not None:
                    yield item

    def _section(self, title: str, pairs: Iterable[LinkPair], *, ignore: bool) -> None:
        tree = self._controller.session.tree
        order = tree.index if tree is not None else {}
        rank = {p: sorted((order.get(p.first, len(order)), order.get(p.second, len(order)))) for p in pairs}
        if not rank:
            return
        head = QTreeWidgetItem(self.tree, [f"{title} ({len(rank)})"])
        head.setFirstColumnSpanned(True)
        head.setExpanded(True)
        for pair in sorted(rank, key=lambda p: (rank[p], p)):
            self._line(head, pair, ignore=ignore)

    def _line(self, head: QTreeWidgetItem, pair: LinkPair, *, ignore: bool) -> None:
        first, second = sorted((pair.first, pair.second), key=self._rank)
        why_not = self._impossible(pair)
        words, conflict = self._evidence(pair, ignore=ignore)
        item = QTreeWidgetItem(head, [f"{first} – {second}", self.other.reasons.get(pair, ""), why_not or words])
        item.setToolTip(2, why_not or words)
        item.setData(0, _PAIR, pair)
        if conflict:
            item.setIcon(2, icon("warning-circle", "error"))
        ticked = self._answers.get(pair, ignore and not conflict)
        item.setCheckState(0, Qt.CheckState.Checked if ticked and not why_not else Qt.CheckState.Unchecked)
        if why_not:
            item.setDisabled(True)

    def _rank(self, name: str) -> tuple[int, str]:
        tree = self._controller.session.tree
        return (tree.index.get(name, len(tree.index)) if tree is not None else 0), name

    def _impossible(self, pair: LinkPair) -> str:
        controller = self._controller
        robot, tree = controller.session.robot, controller.session.tree
        if robot is None or tree is None:
            return ""
        links = {link.name for link in robot.urdf.links} if self._file is MaskFile.SRDF else tree.index
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
            known = controller.analysis is not None
            return ("without spheres on both, it makes no difference" if known else "not computed yet"), False
        words = f"{CLASS_NAMES[evidence.kind]}, {number_mm(evidence.clearance_min)} mm"
        conflict = mask_state(evidence, ignore) in (MaskState.CONFLICT, MaskState.MISSING)
        if conflict:
            words += ": it would hide a possible collision" if ignore else ": the robot would never be free"
        return words, conflict

    def _on_tick(self, item: QTreeWidgetItem, column: int) -> None:
        pair = item.data(0, _PAIR)
        if not self._filling and pair is not None:
            self._answers[pair] = item.checkState(0) == Qt.CheckState.Checked
            self._count()

    def _on_click(self, item: QTreeWidgetItem, column: int) -> None:
        pair = item.data(0, _PAIR)
        if pair is not None and column > 0:
            self._controller.select((pair,))
            self._controller.show_witness(pair)

    def _count(self) -> None:
        ignored, checked = self.chosen
        total = sum(1 for _ in self._items())
        name = self._controller.file_name()
        self.take_button.setEnabled(bool(ignored or checked))
        if not total:
            self.summary.setText(f"{name} ignores the same pairs as {self.other.name}.")
            return
        text = f"In {name}, {count(len(ignored), 'pair')} will be ignored and {len(checked)} checked again"
        left = total - len(ignored) - len(checked)
        self.summary.setText(f"{text}; {left} that differ stay as they are." if left else f"{text}.")

    def _take(self) -> None:
        ignored, checked = self.chosen
        label = f"Take {count(len(ignored) + len(checked), 'pair')} over from {self.other.name}"
        self._controller.mask_changed.disconnect(self.refresh)
        self._controller.take_over(ignored, checked, self.other.reasons, label)
        self.accept()
