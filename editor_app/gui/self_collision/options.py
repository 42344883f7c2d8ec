"""The menu with what the mask is computed for."""

from __future__ import annotations

import math
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QFormLayout, QMenu, QSpinBox, QWidget, QWidgetAction

from editor_app.gui.bindings.choice_box import ChoiceBox
from editor_app.gui.self_collision.controller import MaskController
from editor_app.operations.pair_distances import meshes_can_be_compared
from editor_app.self_collision.options import Limits, ModelOptions, Uncontrolled

_SOLIDS = (("none", None), ("hulls of the meshes", "hulls"), ("meshes", "meshes"))


class OptionsMenu(QMenu):
    """Choices hold for the next computation."""

    def __init__(self, controller: MaskController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        form = QWidget(self)
        layout = QFormLayout(form)
        layout.setLabelAlignment(Qt.AlignmentFlag.AlignRight)
        self.samples = QSpinBox(form)
        self.samples.setRange(0, 100_000_000)
        self.samples.setSingleStep(100_000)
        self.samples.setGroupSeparatorShown(True)
        self.certify = _number(form, 0.0, 3600.0, " s")
        self.seed = QSpinBox(form)
        self.seed.setRange(0, 2**31 - 1)
        self.margin = _number(form, -45.0, 45.0, "°")
        self.margin.setToolTip("What comes off both ends of the range of every turning joint; less than 0 widens it")
        self.margin_linear = _number(form, -500.0, 500.0, " mm")
        self.margin_linear.setToolTip("The same for sliding joints")
        self.limits = _combo(form, (("hard, of <limit>", Limits.HARD), ("soft, of <safety_controller>", Limits.SOFT)))
        self.uncontrolled = _combo(
            form,
            (
                ("over their limits", Uncontrolled.OVER_LIMITS),
                ("locked at the default", Uncontrolled.LOCKED),
            ),
        )
        self.solids = _combo(form, _SOLIDS)
        if not meshes_can_be_compared():
            self.solids.setEnabled(False)
            self.solids.setToolTip("The comparison with meshes needs python-fcl: pip install python-fcl")
        for text, widget in (
            ("&Samples", self.samples),
            ("&Time for proofs", self.certify),
            ("S&eed", self.seed),
            ("&Joint limits", self.limits),
            ("&Margin of the limits", self.margin),
            ("Margin of sl&iding joints", self.margin_linear),
            ("Joints &outside the c-space", self.uncontrolled),
            ("Second &opinion", self.solids),
        ):
            layout.addRow(text, widget)
        action = QWidgetAction(self)
        action.setDefaultWidget(form)
        self.addAction(action)
        self.refresh()
        for box in (self.samples, self.certify, self.seed, self.margin, self.margin_linear):
            box.editingFinished.connect(self.apply)
        for combo in (self.limits, self.uncontrolled, self.solids):
            combo.activated.connect(self.apply)
        self.aboutToShow.connect(self.refresh)
        self.aboutToHide.connect(self.apply)

    def refresh(self) -> None:
        """Shows what holds."""
        settings, options = self._controller.settings, self._controller.options
        self.samples.setValue(settings.samples)
        self.certify.setValue(settings.certify_seconds)
        self.seed.setValue(settings.seed)
        self.margin.setValue(math.degrees(options.margin))
        self.margin_linear.setValue(options.margin_linear * 1e3)
        for combo, value in (
            (self.limits, options.limits),
            (self.uncontrolled, options.uncontrolled),
            (self.solids, self._controller.solids),
        ):
            combo.setCurrentIndex(combo.findData(value))

    def apply(self, *_: object) -> None:
        """Takes the choices over."""
        options = ModelOptions(
            self.limits.currentData(),
            self._angle(),
            self.margin_linear.value() * 1e-3,
            self.uncontrolled.currentData(),
        )
        settings = replace(
            self._controller.settings,
            samples=self.samples.value(),
            certify_seconds=self.certify.value(),
            seed=self.seed.value(),
        )
        self._controller.set_options(options, settings, self.solids.currentData())

    def _angle(self) -> float:
        # What was not typed here keeps every digit.
        old = self._controller.options.margin
        return old if abs(math.degrees(old) - self.margin.value()) < 0.05 else math.radians(self.margin.value())


def _number(parent: QWidget, low: float, high: float, unit: str) -> QDoubleSpinBox:
    box = QDoubleSpinBox(parent)
    box.setRange(low, high)
    box.setDecimals(1)
    box.setSuffix(unit)
    return box


def _combo(parent: QWidget, entries: tuple[tuple[str, object], ...]) -> QComboBox:
    combo = ChoiceBox(parent)
    for text, value in entries:
        combo.addItem(text, value)
    return combo
