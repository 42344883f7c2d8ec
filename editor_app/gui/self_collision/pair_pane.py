"""The pane beside the matrix: why a pair is what it is, its configurations, its distances, what can be done."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from editor_app.gui.icons import icon
from editor_app.gui.self_collision.controller import MaskController, millimetres
from editor_app.gui.self_collision.looks import CLASS_NAMES, SIGNS, STATE_NAMES, clearance_colour, share
from editor_app.gui.self_collision.matrix import MatrixView
from editor_app.gui.theme import colours, tabular_font, theme
from editor_app.self_collision import MaskState, PairClass
from editor_app.self_collision.results import explain
from editor_app.self_collision.witnesses import Distribution

_DECIDE = "Yours to decide: mask the pair, shrink the spheres, reduce the buffer, or change the default pose."


class PairPane(QWidget):
    """Follows the selection."""

    def __init__(self, controller: MaskController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self.title = QLabel(self)
        self.title.setProperty("heading", True)
        self.state = QLabel(self)
        self.state.setProperty("muted", True)
        self.why = QLabel(self)
        self.why.setWordWrap(True)
        self.why.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.why.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.mask_button = self._push("eye-slash", "Mask", "Leave the selected pairs out of self-collision (M)")
        self.unmask_button = self._push("eye", "Check", "Check the selected pairs again (U)")
        self.reset_button = self._push("arrow-counter-clockwise", "Reset", "As the file had it when it was opened (R)")
        self.spheres_button = self._push("circles-three", "Spheres", "Select the two nearest spheres")
        self.previous = self._tool("caret-left", "The closer configuration before")
        self.place = QLabel(self)
        self.place.setFont(tabular_font(self.font()))
        self.next = self._tool("caret-right", "The next closest configuration")
        self.search = self._push("magnifying-glass", "Search closer", "Look for a configuration that is closer still")
        self.back = self._push("arrow-u-up-left", "My pose", "Back to where the robot stood (B)")
        self.plot = DistributionPlot(self)
        row = QHBoxLayout()
        row.setSpacing(4)
        for widget in (self.mask_button, self.unmask_button, self.reset_button, self.spheres_button):
            row.addWidget(widget)
        row.addStretch(1)
        steps = QHBoxLayout()
        steps.setSpacing(4)
        for tool in (self.previous, self.place, self.next, self.search, self.back):
            steps.addWidget(tool)
        steps.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 0, 4, 0)
        layout.setSpacing(3)
        layout.addWidget(self.title)
        layout.addWidget(self.state)
        layout.addWidget(self.why)
        layout.addLayout(row)
        layout.addLayout(steps)
        layout.addWidget(self.plot, 1)
        self._later = QTimer(self, singleShot=True, interval=200)
        self._later.timeout.connect(self._ask)
        self.mask_button.clicked.connect(lambda: controller.mask(controller.selected))
        self.unmask_button.clicked.connect(lambda: controller.unmask(controller.selected))
        self.reset_button.clicked.connect(lambda: controller.reset(controller.selected))
        self.spheres_button.clicked.connect(self._select_spheres)
        self.previous.clicked.connect(lambda: controller.step_witness(-1))
        self.next.clicked.connect(lambda: controller.step_witness(1))
        self.search.clicked.connect(self._search)
        self.back.clicked.connect(controller.back)
        for signal in (
            controller.analysis_changed,
            controller.mask_changed,
            controller.shown_changed,
            controller.details_changed,
            controller.opinion_changed,
            controller.session.selection_changed,
        ):
            signal.connect(self.refresh)
        theme().changed.connect(self.refresh)
        self.refresh()

    def _push(self, name: str, text: str, tip: str) -> QPushButton:
        button = QPushButton(icon(name), text, self)
        button.setToolTip(tip)
        button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        return button

    def _tool(self, name: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setIcon(icon(name))
        button.setAutoRaise(True)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        return button

    def refresh(self, *_: object) -> None:
        controller = self._controller
        chosen = controller.selected
        evidence = controller.evidence(chosen[-1]) if chosen else None
        analysis = controller.analysis
        buttons = (self.mask_button, self.unmask_button, self.reset_button)
        for button in (*buttons, self.spheres_button, self.previous, self.next, self.search):
            button.setEnabled(evidence is not None)
        self.back.setEnabled(controller.can_go_back)
        if evidence is None or analysis is None:
            self.title.setText("No pair selected" if analysis is not None else "")
            self.state.setText("")
            self.why.setText("Click a cell: the robot goes to the worst known configuration of the pair.")
            self.place.setText("")
            self.plot.show_distribution(None, None)
            return
        state = controller.state(evidence)
        more = f"  (+{len(chosen) - 1} more)" if len(chosen) > 1 else ""
        self.title.setText(f"{evidence.first} – {evidence.second}{more}")
        probability = f" · {share(evidence.probability)} of samples" if evidence.probability else ""
        self.state.setText(f"{SIGNS[evidence.kind]} {CLASS_NAMES[evidence.kind]} · {STATE_NAMES[state]}{probability}")
        words = explain(evidence, analysis)
        other = controller.opinion.get(evidence.pair) if controller.opinion is not None else None
        if other is not None:
            words += " " + MatrixView.opinion_text(evidence, other)
        if evidence.kind in (PairClass.DEFAULT, PairClass.ALWAYS) and state is MaskState.MISSING:
            words += " " + _DECIDE
        self.why.setText(words)
        self.mask_button.setEnabled(any(p not in controller.ignored for p in chosen))
        self.unmask_button.setEnabled(any(p in controller.ignored for p in chosen))
        known = controller.known_witnesses(evidence.pair)
        shown = controller.shown
        if shown is not None and shown.pair == evidence.pair:
            self.place.setText(f"{shown.place + 1} of {len(known)}: {millimetres(shown.witness.clearance)}")
        else:
            self.place.setText(f"{len(known)} configurations" if len(known) != 1 else "1 configuration")
        at = shown.witness.clearance if shown is not None and shown.pair == evidence.pair else None
        self.plot.show_distribution(controller.distribution, at)
        if self.isVisible():
            self._later.start()

    def _ask(self) -> None:
        if not self._controller.is_running:
            self._controller.ask_details()

    def _search(self) -> None:
        if self._controller.selected:
            self._controller.search_closer(self._controller.selected[-1])

    def _select_spheres(self) -> None:
        if self._controller.selected:
            self._controller.select_spheres(self._controller.selected[-1])


class DistributionPlot(QWidget):
    """How often the pair is how far apart, over all configurations; a mark at 0 and at the one that is shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._distribution: Distribution | None = None
        self._at: float | None = None
        self.setMinimumHeight(34)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Distribution of the pair's distances")

    def show_distribution(self, distribution: Distribution | None, at: float | None) -> None:
        self._distribution, self._at = distribution, at
        if distribution is not None:
            self.setToolTip(
                f"Clearances in {distribution.samples:,} sampled configurations: "
                f"{distribution.edges[0] * 1e3:.1f} to {distribution.edges[-1] * 1e3:.1f} mm; "
                f"{share(distribution.share)} collide"
            )
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        found = self._distribution
        if found is None:
            return
        painter = QPainter(self)
        now = colours()
        font = tabular_font(self.font())
        font.setPixelSize(10)
        painter.setFont(font)
        area = QRectF(self.rect()).adjusted(2, 4, -2, -14)
        low, high = min(0.0, float(found.edges[0])), max(0.0, float(found.edges[-1]))
        span = max(high - low, 1e-9)

        def x(value: float) -> float:
            return area.left() + (value - low) / span * area.width()

        # The root shows rare ones, too.
        heights = np.sqrt(found.counts / max(1, int(found.counts.max())))
        painter.setPen(Qt.PenStyle.NoPen)
        for height, left, right in zip(heights, found.edges[:-1], found.edges[1:], strict=True):
            middle = (float(left) + float(right)) / 2
            colour = clearance_colour(middle if abs(middle) > 0.02 else (0.02 if middle > 0 else -0.02))
            painter.setBrush(colour)
            tall = float(height) * area.height()
            painter.drawRect(QRectF(x(left), area.bottom() - tall, max(1.0, x(right) - x(left) - 0.5), tall))
        painter.setPen(QPen(QColor(now.muted), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.drawLine(int(x(0.0)), int(area.top()), int(x(0.0)), int(area.bottom()))
        if self._at is not None:
            painter.setPen(QPen(QColor(now.accent), 2))
            painter.drawLine(int(x(self._at)), int(area.top()), int(x(self._at)), int(area.bottom()))
        painter.setPen(QColor(now.muted))
        text = QRectF(area.left(), area.bottom() + 1, area.width(), 13)
        painter.drawText(text, Qt.AlignmentFlag.AlignLeft, f"{low * 1e3:.0f}")
        painter.drawText(text, Qt.AlignmentFlag.AlignRight, f"{high * 1e3:.0f} mm")
        if 24 < x(0.0) < area.right() - 50:
            painter.drawText(QRectF(x(0.0) - 10, area.bottom() + 1, 20, 13), Qt.AlignmentFlag.AlignHCenter, "0")
        painter.end()
