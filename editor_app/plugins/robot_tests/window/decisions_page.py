"""The page *Decisions* of the panel Self-collision: each ignored pair, who decided it, and what
changed since."""

from __future__ import annotations

import getpass
from collections.abc import Mapping
from functools import partial

from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QPushButton,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from editor_app.core.model.refusal import Refusal
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.tasks.work import locate_robot
from editor_app.features.masks.window.controller import MaskController
from editor_app.features.masks.window.panel import AddedPage
from editor_app.plugins.robot_tests.verbs import sign_pairs
from editor_app.plugins.robot_tests.verbs.signatures import pair_reasons
from editor_app.window import dialogs
from editor_app.window.bindings.lists import Rows, thing_of
from editor_app.window.jobs import Jobs, JobSlot
from editor_app.window.widgets import PlainLabel, WhenSeen, dress, fill_layout, icon

TITLE = "Decisions"
_EMPTY = "No ignored pairs"


class DecisionsPage(AddedPage):
    """Follows mask, evidence and robot while it is visible; its selection is the selection of
    pairs."""

    def __init__(self, controller: MaskController, jobs: Jobs, parent: QWidget) -> None:
        super().__init__(parent)
        self._controller = controller
        self._work = JobSlot(jobs, quiet=True)
        self._name = ""
        #: The decisions that are shown.
        self.decisions: tuple[sign_pairs.PairDecision, ...] = ()
        heads = ("Pair", "State", "Signed by", "Date", "Changed since", "Reason")
        self.list = Rows("Decisions about ignored pairs", heads, 5, self, words=_EMPTY)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.itemSelectionChanged.connect(self._choose)
        self.sign_button = dress(
            QPushButton(icon("check"), "Sign…", self),
            tip="Sign the selected pairs with your name and a reason",
            run=partial(self._ask, False),
        )
        self.proven_button = dress(
            QPushButton("Sign proven pairs…", self),
            tip="Sign all pairs that are proven never to collide; the reason is the proven distance",
            run=partial(self._ask, True),
        )
        self.text = dress(PlainLabel(parent=self), look="muted", wrap=True)
        self.stops = (self.sign_button, self.proven_button, self.list)
        head = fill_layout(QHBoxLayout(), self.sign_button, self.proven_button, (self.text, 1))
        fill_layout(QVBoxLayout(self), head, (self.list, 1), margins=0, spacing=3)
        session = controller.session
        signals = (
            controller.analysis_changed,
            controller.mask_changed,
            session.robot_settled,
            session.document_opened,
        )
        self._show(())
        self._seen = WhenSeen(self, self.refresh, signals)
        self._seen.is_due = True

    def refresh(self, *_: object) -> None:
        """Read the signatures and compare them with the robot, in another thread."""
        controller, session = self._controller, self._controller.session
        analysis = controller.state.grounds
        if analysis is None:
            self._show(())
            return
        document = session.document
        reasons, placed = pair_reasons(document, controller.state.file), locate_robot(document)
        ignored = tuple(controller.state.ignored)
        decide = partial(sign_pairs.decide_pairs, placed, reasons, ignored, analysis)
        self._work.run("Reading decisions", lambda _: decide(), self._show, in_thread=True)

    def _show(self, decisions: tuple[sign_pairs.PairDecision, ...]) -> None:
        selected = set(self._controller.selected)
        self.decisions = decisions
        self.list.blockSignals(True)
        self.list.clear()
        for each in decisions:
            signature = each.signature
            name, date = ("", "") if signature is None else (signature.name, signature.date)
            reason = each.reason if signature is None else signature.reason
            cells = (
                " – ".join(each.names),
                each.state.value,
                name,
                date,
                ", ".join(each.changed),
                reason,
            )
            row = self.list.add(
                cells, each, tips={0: each.why, 1: each.sentence, 4: each.sentence, 5: reason}
            )
            row.setSelected(each.pair in selected)
        self.list.blockSignals(False)
        undecided = sum(each.is_open for each in decisions)
        computed = self._controller.state.analysis is not None
        state = f"{undecided} of {len(decisions)} ignored pairs are undecided." if decisions else ""
        self.text.setText(
            state
            if computed
            else f"{state} Compute the mask to see which pairs are proven.".strip()
        )
        self._enable()

    def _enable(self) -> None:
        self.sign_button.setEnabled(bool(self._chosen()))
        self.proven_button.setEnabled(bool(sign_pairs.proven_pairs(self.decisions)))

    def _chosen(self) -> list[sign_pairs.PairDecision]:
        things = (thing_of(item) for item in self.list.selectedItems())
        return [each for each in things if each is not None]

    def _choose(self) -> None:
        """Select the pairs, and show the last one at its worst configuration."""
        pairs = [each.pair for each in self._chosen()]
        self._enable()
        current: QTreeWidgetItem | None = self.list.currentItem()
        if not pairs or current is None:
            return
        last = thing_of(current).pair
        if last in pairs:
            self._controller.select_and_show(last, [pair for pair in pairs if pair != last])

    # -- signing

    def _ask(self, proven: bool) -> None:
        """Ask for the name, and for the reason of pairs that are not proven."""
        chosen: dict[LinkPair, str] = (
            sign_pairs.proven_pairs(self.decisions)
            if proven
            else {each.pair: "" for each in self._chosen()}
        )
        if not chosen:
            return
        before = {each.pair: each for each in self.decisions}

        def with_name(name: str) -> None:
            self._name = name
            if proven:
                self._sign(chosen, name, "")
                return
            signatures = (before[pair].signature for pair in chosen)
            reasons = [each.reason for each in signatures if each is not None]
            words = reasons[0] if reasons else ""
            dialogs.ask_text(
                self, "sign-reason", "Sign pairs", "Why is the pair ignored?", "Sign", words,
                lambda reason: self._sign(chosen, name, reason),
            )  # fmt: skip

        button = "Sign" if proven else "Next"
        dialogs.ask_text(
            self,
            "sign-name",
            "Sign pairs",
            "Your name",
            button,
            self._name or _user_name(),
            with_name,
        )

    def _sign(self, pairs: Mapping[LinkPair, str], name: str, reason: str) -> None:
        session = self._controller.session
        try:
            step = sign_pairs.sign_pairs(
                session.document, pairs, by=name, reason=reason, file=self._controller.state.file
            )
        except Refusal as error:
            session.refused.emit(str(error))
            return
        session.execute(step)
        self.refresh()


def _user_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        # A system without names of users.
        return ""
