"""The menu with what the mask is computed for."""

from __future__ import annotations

import math
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDoubleSpinBox, QFormLayout, QMenu, QSpinBox, QWidget, QWidgetAction

from editor_app.gui.bindings.choice_box import choice_box
from editor_app.gui.self_collision.controller import MaskController
from editor_app.gui.widgets import dress
from editor_app.operations.pair_distances import meshes_can_be_compared
from editor_app.self_collision.options import Limits, ModelOptions, Uncontrolled

_LIMITS = (("hard, of <limit>", Limits.HARD), ("soft, of <safety_controller>", Limits.SOFT))
_UNCONTROLLED = (("over their limits", Uncontrolled.OVER_LIMITS), ("locked at the default", Uncontrolled.LOCKED))
_SOLIDS = (("none", None), ("hulls of the meshes", "hulls"), ("meshes", "meshes"))
_MARGIN_TIP = "What comes off both ends of the range of every turning joint; less than 0 widens it"


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
        self.margin = dress(_number(form, -45.0, 45.0, "°"), tip=_MARGIN_TIP)
        self.margin_linear = dress(_number(form, -500.0, 500.0, " mm"), tip="The same for sliding joints")
        self.limits = choice_box("Joint limits", _LIMITS, self.apply, parent=form)
        self.uncontrolled = choice_box("Joints outside the c-space", _UNCONTROLLED, self.apply, parent=form)
        self.solids = choice_box("Second opinion", _SOLIDS, self.apply, parent=form)
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
        linear, uncontrolled = self.margin_linear.value() * 1e-3, self.uncontrolled.currentData()
        options = ModelOptions(self.limits.currentData(), self._angle(), linear, uncontrolled)
        samples, seconds, seed = self.samples.value(), self.certify.value(), self.seed.value()
        settings = replace(self._controller.settings, samples=samples, certify_seconds=seconds, seed=seed)
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
