"""The menu with what the mask is computed for."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QFormLayout, QMenu, QSpinBox, QWidget, QWidgetAction

from editor_app.gui.self_collision.controller import MaskController
from editor_app.self_collision import Limits, ModelOptions, Uncontrolled, meshes_available

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
        self.samples.setValue(controller.settings.samples)
        self.certify = QDoubleSpinBox(form)
        self.certify.setRange(0.0, 3600.0)
        self.certify.setDecimals(1)
        self.certify.setSuffix(" s")
        self.certify.setValue(controller.settings.certify_seconds)
        self.seed = QSpinBox(form)
        self.seed.setRange(0, 2**31 - 1)
        self.seed.setValue(controller.settings.seed)
        self.limits = _combo(form, (("hard, of <limit>", Limits.HARD), ("soft, of <safety_controller>", Limits.SOFT)))
        self.uncontrolled = _combo(
            form,
            (
                ("over their limits", Uncontrolled.OVER_LIMITS),
                ("locked at the default", Uncontrolled.LOCKED),
            ),
        )
        self.solids = _combo(form, _SOLIDS)
        if not meshes_available():
            self.solids.setEnabled(False)
            self.solids.setToolTip("The comparison with meshes needs python-fcl: pip install python-fcl")
        for text, widget in (
            ("&Samples", self.samples),
            ("&Time for proofs", self.certify),
            ("S&eed", self.seed),
            ("&Joint limits", self.limits),
            ("Joints &outside the c-space", self.uncontrolled),
            ("Second &opinion", self.solids),
        ):
            layout.addRow(text, widget)
        action = QWidgetAction(self)
        action.setDefaultWidget(form)
        self.addAction(action)
        for box in (self.samples, self.certify, self.seed):
            box.editingFinished.connect(self.apply)
        for combo in (self.limits, self.uncontrolled, self.solids):
            combo.activated.connect(self.apply)
        self.aboutToHide.connect(self.apply)

    def apply(self, *_: object) -> None:
        """Takes the choices over."""
        options = ModelOptions(Limits(self.limits.currentData()), uncontrolled=self._uncontrolled())
        settings = replace(
            self._controller.settings,
            samples=self.samples.value(),
            certify_seconds=self.certify.value(),
            seed=self.seed.value(),
        )
        self._controller.set_options(options, settings, self.solids.currentData())

    def _uncontrolled(self) -> Uncontrolled:
        return Uncontrolled(self.uncontrolled.currentData())


def _combo(parent: QWidget, entries: tuple[tuple[str, object], ...]) -> QComboBox:
    combo = QComboBox(parent)
    for text, value in entries:
        combo.addItem(text, value)
    return combo
