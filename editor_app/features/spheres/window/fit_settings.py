"""The form of a fit: how many, which mode, and what else can be asked for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from editor_app.core.model.options import ends_of
from editor_app.features.spheres.engine.settings import FitSettings
from editor_app.features.spheres.verbs.fit_choices import FitChoices
from editor_app.features.spheres.window.context import BudgetEstimates
from editor_app.window.bindings.choice_box import ChoiceBox
from editor_app.window.bindings.number_field import NumberInput, NumberSource, ScrubLabel
from editor_app.window.bindings.panel import flat_button, row_of, tool_button
from editor_app.window.bindings.quantity import LENGTH, NUMBER, Quantity
from editor_app.window.session import Session
from editor_app.window.settings import EFFORTS, MODES, Defaults
from editor_app.window.theme import colours
from editor_app.window.widgets import (
    STRETCH,
    PlainLabel,
    checkable,
    dress,
    fill_layout,
    grid,
    icon,
    no_mnemonic,
    plain_text,
)

_AUTO_TIP = "Collision meshes, or the visual mesh where collision shapes cover only part of a link"
GEOMETRIES = (
    ("auto", "Collision, else visual", _AUTO_TIP),
    ("collision", "Collision meshes", ""),
    ("visual", "Visual meshes", ""),
)


@dataclass(frozen=True, slots=True)
class Amount:
    """One way to say how many; `least` and `most` are the ends of the slider."""

    id: str
    text: str
    quantity: Quantity
    least: float
    most: float
    start: float
    whole: bool = False


AMOUNTS = (
    Amount("number", "Number per link", NUMBER, 1, 128, 16, True),
    Amount("budget", "Total budget", NUMBER, 10, 2000, 160, True),
    Amount("tolerance", "Tolerance", LENGTH, 0.001, 0.1, 0.02),
    Amount("density", "Density", NUMBER, 0.05, 3.0, 0.3),
)
_SYMMETRIES = (("", "No symmetry", ""), *((axis, f"Symmetric in {axis}", "") for axis in "xyz"))


def combo(name: str, items: tuple[tuple[str, str, str], ...]) -> ChoiceBox:
    """(id, text, tooltip) each."""
    box = dress(ChoiceBox(), name=name)
    for i, (key, text, tip) in enumerate(items):
        box.addItem(text, key)
        box.setItemData(i, tip, Qt.ItemDataRole.ToolTipRole)
    return box


def _check(text: str, tip: str, is_on: bool = False) -> QCheckBox:
    return checkable(dress(QCheckBox(text), tip=tip), is_on)


class AmountRow(QWidget):
    """Which amount, a slider for it, and its number."""

    #: `live`: the slider is being dragged.
    changed = Signal(bool)

    def __init__(self, session: Session) -> None:
        super().__init__()
        #: What was given last of each amount.
        self.values = {a.id: a.start for a in AMOUNTS}
        self.choice = combo("Number of spheres", tuple((a.id, a.text, "") for a in AMOUNTS))
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, 1000)
        self.slider.setMinimumWidth(80)
        self.field = NumberInput(session, NUMBER, "Amount", self._typed)
        self.field.setMaximumWidth(86)
        fill_layout(
            QHBoxLayout(self), self.choice, (self.slider, 1), self.field, margins=0, spacing=6
        )
        self.choice.currentIndexChanged.connect(lambda _: self.set_value(self.value))
        self.slider.valueChanged.connect(self._slid)
        self.slider.sliderReleased.connect(lambda: self.changed.emit(False))
        self._show()

    @property
    def amount(self) -> Amount:
        return next(a for a in AMOUNTS if a.id == self.choice.currentData())

    @property
    def value(self) -> float:
        return self.values[self.amount.id]

    def set_value(self, value: float, amount: str | None = None) -> None:
        """Sets it and tells, as if it had been typed."""
        self.suggest(value, amount)
        self.changed.emit(False)

    def suggest(self, value: float, amount: str | None = None) -> None:
        """Sets it without telling."""
        if amount is not None:
            self.choice.choose(amount)
        self.values[self.amount.id] = round(value) if self.amount.whole else value
        self._show()

    def _show(self) -> None:
        amount, value = self.amount, self.value
        self.field.set_quantity(amount.quantity)
        self.field.set_limits(
            1 if amount.whole else amount.least / 100, 100_000 if amount.whole else None
        )
        self.field.set_step(1.0 if amount.whole else None)
        self.field.set_value(value)
        self.field.setAccessibleName(amount.text)
        self.slider.setAccessibleName(amount.text)
        share = math.log(max(value, amount.least) / amount.least) / math.log(
            amount.most / amount.least
        )
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(1000 * min(1.0, share)))

    def _slid(self, place: int) -> None:
        amount = self.amount
        value = amount.least * (amount.most / amount.least) ** (place / 1000)
        value = round(value) if amount.whole else float(f"{value:.2g}")
        if value != self.value:
            self.values[amount.id] = value
            self.field.set_value(value)
            self.changed.emit(self.slider.isSliderDown())

    def _typed(self, value: float, live: bool) -> None:
        self.suggest(value)
        self.changed.emit(live)


class FitForm(QWidget):
    """Everything that FitSettings and FitChoices have, as far as it is for people."""

    #: What a fit depends on is another; `live`: a number is being dragged.
    changed = Signal(bool)
    #: frozenset of the numbers of the ticked bodies.
    bodies_chosen = Signal(object)

    def __init__(self, session: Session, estimates: BudgetEstimates) -> None:
        super().__init__()
        self._session = session
        self.amount = AmountRow(session)
        self.outlook = BudgetOutlook(estimates, self)
        self.outlook.chosen.connect(lambda total: self.amount.set_value(total, "budget"))
        self.mode = combo("Mode", MODES)
        self.effort = combo("Effort", EFFORTS)
        self.effort.setCurrentIndex(1)
        self.geometry_kind = combo("Geometry", GEOMETRIES)
        #: Which bodies of the link; there when it has several.
        tip = "Bodies of the link to fit spheres to"
        self.bodies = dress(QToolButton(), name="Bodies to fit", tip=tip)
        self.bodies.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.bodies.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.bodies.setMenu(QMenu(self.bodies))
        self.bodies.hide()
        self.keep = _check(
            "Keep current spheres", "Keep these spheres and cover only the uncovered parts"
        )
        self.ground = _check(
            "Stay above the ground (z = 0)",
            "No sphere reaches below z = 0 of the base frame at the current pose",
        )
        self.mount = _check("Keep base above &mounting plane", "", True)
        tip = "Give more spheres of a total budget to the tool"
        self.at_tool = _check("Denser near &tool", tip, True)
        tip = "Place spheres in mirrored pairs across the middle of the link"
        self.mirror = dress(combo("Symmetry", _SYMMETRIES), tip=tip)

        def tell(_: float, live: bool) -> None:
            self.changed.emit(live)

        length = partial(NumberInput, session, LENGTH, origin=NumberSource.DEFAULT)
        self.padding = length("Padding", tell, value=0.0)
        self.least = length("Smallest radius", tell, value=0.0, limits=(0.0, None))
        self.most = length("Largest radius", tell, empty="any", limits=(0.0, None))
        self.seed = NumberInput(
            session, NUMBER, "Seed", tell, value=0.0, limits=ends_of(FitChoices, "seed"), step=1.0
        )
        self.dice = flat_button("shuffle", "Use another seed", run=self._roll)
        self.world_buffer = length("World buffer", empty="keep", step=0.001)
        self.self_buffer = length("Self buffer", empty="keep", step=0.001)
        #: What few fits need is folded below this button.
        self.more_button = tool_button("caret-right", "More")
        self.more_button.setCheckable(True)
        self._build()
        self.more_button.toggled.connect(self._show_more)
        self.changed.connect(lambda _: self._show_more())
        self.amount.changed.connect(self.changed)
        for box in (self.mode, self.effort, self.mirror):
            box.currentIndexChanged.connect(lambda *_: self.changed.emit(False))
        for check in (self.keep, self.ground, self.at_tool):
            check.toggled.connect(lambda *_: self.changed.emit(False))

    def begin_with(self, defaults: Defaults) -> None:
        """Shows the mode and the effort that fits begin with, without telling that they changed."""
        self.mode.choose(defaults.mode)
        self.effort.choose(defaults.effort)

    def _roll(self) -> None:
        self.seed.set_value((self.seed.value or 0.0) + 1)
        self.changed.emit(False)

    def _build(self) -> None:
        self.more = QWidget()
        shown = (
            ("World buffer", self.world_buffer),
            ("Self buffer", self.self_buffer),
            ("Padding", self.padding),
        )
        rare = ("Smallest radius", self.least), ("Largest radius", self.most)
        fields, more = grid(across=8), grid(self.more, across=8)
        for rows_of, entries in ((fields, shown), (more, rare)):
            for place, (text, field) in enumerate(entries):
                rows_of.addWidget(ScrubLabel(text, field), place // 2, 2 * (place % 2))
                rows_of.addWidget(field, place // 2, 2 * (place % 2) + 1)
        for column, widget in enumerate(
            (PlainLabel("Symmetry"), self.mirror, PlainLabel("Seed"), row_of(self.seed, self.dice))
        ):
            more.addWidget(widget, 1, column)
        for box in (self.mode, self.effort, self.geometry_kind, self.mirror):
            # In a narrow panel the longest entry may be cut.
            box.setMinimumContentsLength(9)
            box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            box.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
        kinds = row_of(self.mode, self.effort), self.geometry_kind, self.bodies
        checks = self.mount, self.at_tool, self.keep, self.ground
        rows = (
            self.amount,
            self.outlook,
            *kinds,
            *checks,
            fields,
            self.more_button,
            self.more,
            STRETCH,
        )
        fill_layout(QVBoxLayout(self), *rows, margins=(0, 0, 4, 0), spacing=5)
        self._show_more()

    def _show_more(self, *_: object) -> None:
        """Folded values that are set are counted: nobody should wonder why a fit differs."""
        is_open = self.more_button.isChecked()
        self.more.setVisible(is_open)
        self.more_button.setIcon(icon("caret-down" if is_open else "caret-right"))
        values = self.mirror.currentData(), self.seed.value, self.least.value, self.most.value
        count = sum(map(bool, values))
        self.more_button.setText("More" if is_open or not count else f"More ({count} set)")

    def offer_bodies(self, names: Mapping[int, str], used: frozenset[int]) -> None:
        """Bodies to choose from; hidden when there are fewer than two."""
        self.bodies.setVisible(len(names) > 1)
        chosen_share = f"{len(used)} of {len(names)} bodies"
        self.bodies.setText(f"All {len(names)} bodies" if len(used) == len(names) else chosen_share)
        menu = self.bodies.menu()
        shown = {number: no_mnemonic(name) for number, name in names.items()}
        if {a.data(): a.text() for a in menu.actions()} != shown:
            menu.clear()
            for number, name in shown.items():
                action = menu.addAction(name)
                action.setData(number)
                action.setCheckable(True)
                action.toggled.connect(self._choose_bodies)
        for action in menu.actions():
            with QSignalBlocker(action):
                action.setChecked(action.data() in used)

    def _choose_bodies(self, *_: object) -> None:
        self.bodies_chosen.emit(
            frozenset(a.data() for a in self.bodies.menu().actions() if a.isChecked())
        )

    @property
    def mode_id(self) -> str:
        return str(self.mode.currentData())

    @property
    def total(self) -> int | None:
        """The spheres that are shared out over all links; None: the amount is of each link."""
        return round(self.amount.value) if self.amount.amount.id == "budget" else None

    def settings(self, *, fast: bool = False) -> FitSettings:
        """Sharing a total budget out finds the number. Raises FittingError for numbers that
        contradict each other."""
        amount, value = self.amount.amount.id, self.amount.value
        return FitSettings(
            number=round(value) if amount == "number" else 1 if amount == "budget" else None,
            tolerance_m=value if amount == "tolerance" else None,
            density=value if amount == "density" else None,
            mode=self.mode.currentData(),
            effort="fast" if fast else self.effort.currentData(),
            padding=self.padding.value or 0.0,
            min_radius=self.least.value or 0.0,
            max_radius=self.most.value or None,
            seed=round(self.seed.value or 0.0),
        )


class _FlatButton(QPushButton):
    """Says also without a frame of its own that it has the focus."""

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self)
            painter.setPen(QPen(QColor(colours().accent), 1))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
            painter.end()


class BudgetOutlook(QWidget):
    """Half, the present, and twice the budget, each with how far its spheres would stand out."""

    #: The budget of the button that was clicked.
    chosen = Signal(int)

    def __init__(self, estimates: BudgetEstimates, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Results of other budgets")
        self.estimates = estimates
        self._shown: tuple[tuple[str, ...], int, FitChoices, FitSettings | None] | None = None
        self.buttons: list[QPushButton] = []
        row = fill_layout(QHBoxLayout(self), margins=0, spacing=4)
        for name in ("Half of the budget", "The budget", "Twice the budget"):
            button = dress(_FlatButton(self), name=name)
            button.setFlat(True)
            button.clicked.connect(
                lambda _=False, b=button: self.chosen.emit(int(b.property("total")))
            )
            row.addWidget(button, 1)
            self.buttons.append(button)
        estimates.changed.connect(self._write)

    def show_for(
        self, links: tuple[str, ...], total: int, choices: FitChoices, settings: FitSettings | None
    ) -> None:
        """For this budget of these links, fitted with these choices and settings."""
        self.show()
        if (links, total, choices, settings) != self._shown:
            self._shown = links, total, choices, settings
            self._write()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._write()

    def _write(self) -> None:
        if self._shown is None:
            return
        links, total, choices, settings = self._shown
        for button, number in zip(
            self.buttons, (max(1, total // 2), total, 2 * total), strict=True
        ):
            # Nobody looks at a panel that is hidden.
            protrusion = (
                self.estimates.stands_out(links, number, choices, settings)
                if self.isVisible()
                else None
            )
            button.setProperty("total", number)
            button.setText(
                f"{number}: ≈ {1000 * protrusion.most:.0f} mm" if protrusion else f"{number}"
            )
            button.setEnabled(number != total)
            told = (
                f"{number} spheres would protrude by {protrusion.text}"
                if protrusion
                else "Estimating…"
            )
            button.setToolTip(plain_text(told))
