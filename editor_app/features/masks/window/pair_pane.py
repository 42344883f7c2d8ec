"""The pane beside the matrix: why a pair is what it is, its configurations, its distances, what can
be done."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from editor_app.core.model.counting import format_count
from editor_app.features.masks.engine.masks import MaskState
from editor_app.features.masks.engine.results import (
    Analysis,
    Distribution,
    PairClass,
    PairEvidence,
    explain_evidence,
)
from editor_app.features.masks.window.controller import MaskController, millimetres
from editor_app.features.masks.window.looks import (
    CLASS_NAMES,
    SIGNS,
    STATE_NAMES,
    clearance_colour,
    opinion_text,
    share,
)
from editor_app.window.actions.actions import ActionRegistry
from editor_app.window.bindings.elision import ElidedLabel
from editor_app.window.theme import colours, tabular_font, theme
from editor_app.window.timers import Wait, after
from editor_app.window.widgets import (
    STRETCH,
    PlainLabel,
    WhenSeen,
    action_button,
    dress,
    fill_layout,
    icon,
    plain_text,
)

_AGREE = "No conflict: mask and evidence agree. "
_CLICK = "Click a pair to see its worst known configuration on the robot."
#: Action -> what its keys do.
_USES = {
    "mask.next_conflict": "goes to the next conflict",
    "mask.mask_pairs": "ignores it",
    "mask.unmask_pairs": "checks it",
    "mask.shrink": "shrinks the spheres",
    "mask.leave": "skips it",
}
#: Action -> text of its button, "" for the icon alone; in two rows.
_CHANGES = {
    "mask.mask_pairs": "Ignore",
    "mask.unmask_pairs": "Check",
    "mask.shrink": "Shrink",
    "mask.leave": "Skip",
    "mask.reset_pairs": "",
    "mask.nearest": "",
}
_LOOKS = {"mask.search": "Search closer", "mask.back": "Restore pose"}
_BEFORE = (
    "The matrix shows the mask of the files. Compute the mask to find which pairs can collide."
)
_DECIDE = (
    "Please decide: ignore the pair, shrink the spheres, reduce the buffer, or change the default "
    "pose."
)


class PairPane(QWidget):
    """Follows the selection."""

    def __init__(
        self, controller: MaskController, registry: ActionRegistry, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._controller = controller
        self._registry = registry
        self.title = dress(ElidedLabel(self, Qt.TextElideMode.ElideMiddle), look="heading")
        self.state = dress(ElidedLabel(self, Qt.TextElideMode.ElideMiddle), look="muted")
        top = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft
        self.why = dress(PlainLabel(parent=self), wrap=True, align=top)
        self.why.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        #: Action -> the button that does it.
        self.buttons = {
            name: self._button(name, text) for name, text in {**_CHANGES, **_LOOKS}.items()
        }
        self.previous = self._tool("caret-left", "Previous closer configuration ([)")
        self.place = dress(PlainLabel(parent=self), font=tabular_font(self.font()))
        self.next = self._tool("caret-right", "Next closest configuration (])")
        self.plot = DistributionPlot(self)
        changes, looks = ([self.buttons[name] for name in row] for row in (_CHANGES, _LOOKS))
        buttons = fill_layout(QHBoxLayout(), *changes, STRETCH, spacing=4)
        steps = fill_layout(
            QHBoxLayout(), self.previous, self.place, self.next, *looks, STRETCH, spacing=4
        )
        rows = (self.title, self.state, self.why, buttons, steps, (self.plot, 1))
        fill_layout(QVBoxLayout(self), *rows, margins=(6, 0, 4, 0), spacing=3)
        self._later = after(self, self._ask, Wait.PAIR_DETAILS)
        self.previous.clicked.connect(lambda: controller.step_witness(-1))
        self.next.clicked.connect(lambda: controller.step_witness(1))
        signals = (
            controller.analysis_changed,
            controller.mask_changed,
            controller.shown_changed,
            controller.details_changed,
            controller.opinion_changed,
            controller.session.selection_changed,
            registry.keymap.changed,
            theme().changed,
        )
        self._seen = WhenSeen(self, self.refresh, signals)
        self.refresh()

    def _button(self, name: str, text: str) -> QToolButton:
        if text:
            self._registry[name].setIconText(text)
        return action_button(self._registry[name], self, is_icon_alone=not text)

    def _tool(self, name: str, tip: str) -> QToolButton:
        return dress(QToolButton(self), name=tip, tip=tip, icon=icon(name), flat=True)

    def _help(self) -> str:
        """What the keys do that count now."""
        keys = {
            name: ", ".join(key.toString() for key in self._registry[name].shortcuts())
            for name in _USES
        }
        agree = not self._controller.state.conflicts
        idle = ("mask.next_conflict", "mask.leave") if agree else ()
        uses = [
            f"{keys[name]} {use}" for name, use in _USES.items() if keys[name] and name not in idle
        ]
        return f"{_AGREE if agree else ''}{_CLICK} {', '.join(uses)}, Esc restores your pose."

    def refresh(self, *_: object) -> None:
        controller = self._controller
        chosen = controller.selected
        evidence = controller.state.evidence(chosen[-1]) if chosen else None
        analysis = controller.state.grounds
        for tool in (self.previous, self.next):
            tool.setEnabled(evidence is not None)
        if evidence is None or analysis is None:
            self._show_no_pair()
            return
        more = f"  (+{len(chosen) - 1} more)" if len(chosen) > 1 else ""
        self.title.set_text(f"{evidence.first} – {evidence.second}{more}")
        beside = controller.state.words_beside(evidence.pair)
        self.state.show()
        state_name = STATE_NAMES[controller.state.mask_state(evidence)]
        self.state.set_text(
            f"{SIGNS[evidence.kind]} {CLASS_NAMES[evidence.kind]} · {state_name}"
            + (f" · {beside}" if beside else "")
        )
        self.why.setText(self._reasons(evidence, analysis))
        witnesses = controller.known_witnesses(evidence.pair)
        shown = controller.shown
        if shown is not None and shown.pair == evidence.pair:
            self.place.setText(
                f"{shown.place + 1} of {len(witnesses)}: {millimetres(shown.witness.clearance)}"
            )
            at = shown.witness.clearance
        else:
            self.place.setText(format_count(len(witnesses), "configuration"))
            at = None
        self.plot.show_distribution(controller.distribution, at, min(0.0, evidence.clearance_min))
        if self.isVisible():
            self._later.start()

    def _show_no_pair(self) -> None:
        controller = self._controller
        self._later.stop()
        if controller.state.grounds is None:
            title, why = "", ""
        else:
            title, why = (
                "No pair selected",
                self._help() if controller.state.analysis is not None else _BEFORE,
            )
        self.title.set_text(title)
        self.why.setText(why)
        self.state.hide()
        self.place.setText("")
        self.plot.show_distribution(None, None)

    def _reasons(self, evidence: PairEvidence, analysis: Analysis) -> str:
        controller = self._controller
        words = explain_evidence(evidence, analysis)
        needless = controller.state.look.words.needless if controller.state.look is not None else {}
        if evidence.pair in controller.state.ignored and evidence.pair in needless:
            words = f"Ignored: {needless[evidence.pair]}. {words}"
        other = (
            controller.state.opinion.get(evidence.pair)
            if controller.state.opinion is not None
            else None
        )
        if other is not None:
            words += " " + opinion_text(evidence, other)
        adjacent = evidence.kind in (PairClass.DEFAULT, PairClass.ALWAYS)
        return (
            f"{words} {_DECIDE}"
            if adjacent and controller.state.mask_state(evidence) is MaskState.MISSING
            else words
        )

    def _ask(self) -> None:
        if not self._controller.state.is_analysing:
            self._controller.ask_details()


class DistributionPlot(QWidget):
    """How often the pair is how far apart, over all configurations; a mark at 0 and at the one that
    is shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._distribution: Distribution | None = None
        self._at: float | None = None
        self._worst = 0.0
        self.setMinimumHeight(34)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Distribution of the pair's clearance")

    def show_distribution(
        self, distribution: Distribution | None, at: float | None, worst: float = 0.0
    ) -> None:
        """`worst`: the least clearance (m) that a search came upon, where it is less than in all
        samples."""
        self._distribution, self._at, self._worst = distribution, at, worst
        if distribution is not None:
            self.setToolTip(
                plain_text(
                    f"Clearances in {distribution.samples:,} sampled configurations: "
                    f"{distribution.edges[0] * 1e3:.1f} to {distribution.edges[-1] * 1e3:.1f} mm; "
                    f"{share(distribution.share)} collide"
                )
            )
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        distribution = self._distribution
        if distribution is None:
            return
        painter = QPainter(self)
        now = colours()
        font = tabular_font(self.font())
        font.setPixelSize(10)
        painter.setFont(font)
        area = QRectF(self.rect()).adjusted(2, 4, -2, -14)
        low, high = (
            min(0.0, self._worst, float(distribution.edges[0])),
            max(0.0, float(distribution.edges[-1])),
        )
        span = max(high - low, 1e-9)

        def x(value: float) -> float:
            return area.left() + (value - low) / span * area.width()

        # The root shows rare ones, too.
        heights = np.sqrt(distribution.counts / max(1, int(distribution.counts.max())))
        painter.setPen(Qt.PenStyle.NoPen)
        for height, left, right in zip(
            heights, distribution.edges[:-1], distribution.edges[1:], strict=True
        ):
            middle = (float(left) + float(right)) / 2
            colour = clearance_colour(
                middle if abs(middle) > 0.02 else (0.02 if middle > 0 else -0.02)
            )
            painter.setBrush(colour)
            tall = float(height) * area.height()
            painter.drawRect(
                QRectF(x(left), area.bottom() - tall, max(1.0, x(right) - x(left) - 0.5), tall)
            )
        painter.setPen(QPen(QColor(now.muted), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.drawLine(int(x(0.0)), int(area.top()), int(x(0.0)), int(area.bottom()))
        if self._at is not None:
            painter.setPen(QPen(QColor(now.accent), 2))
            painter.drawLine(
                int(x(self._at)), int(area.top()), int(x(self._at)), int(area.bottom())
            )
        painter.setPen(QColor(now.muted))
        text = QRectF(area.left(), area.bottom() + 1, area.width(), 13)
        painter.drawText(text, Qt.AlignmentFlag.AlignLeft, f"{low * 1e3:.0f}")
        painter.drawText(text, Qt.AlignmentFlag.AlignRight, f"{high * 1e3:.0f} mm")
        if 24 < x(0.0) < area.right() - 50:
            painter.drawText(
                QRectF(x(0.0) - 10, area.bottom() + 1, 20, 13), Qt.AlignmentFlag.AlignHCenter, "0"
            )
        painter.end()
