"""Five steps over the sample robot, in a strip below the view: offered once, left at any time."""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from editor_app.edit.selection import Selection
from editor_app.gui.actions import ActionRegistry
from editor_app.gui.keys_dialog import keys_text
from editor_app.gui.widgets import PlainLabel, dress, fill
from editor_app.gui.workbench import Workbench
from editor_app.model.findings import SphereRef
from editor_app.resources import bundled

#: Set when the tour was taken, left or declined: it is not offered again.
SEEN = "tour/seen"
OFFER = "New here? A tour of five steps over a sample robot shows what the window is for."


def _select_sphere(workbench: Workbench) -> None:
    robot = workbench.session.robot
    group = robot.xrdf.group(robot.xrdf.world_group) if robot is not None else None
    if group is not None:
        frame = max(group.spheres, key=lambda name: len(group.spheres[name]), default=None)
        if frame is not None:
            workbench.session.select(Selection(spheres=(SphereRef(group.name, frame, 0),)))


def _show(dock: str) -> Callable[[Workbench], object]:
    return lambda workbench: workbench.docks.show(dock)


#: What is said, with actions ("{file.save}") in the place of their keys, and what is shown while it is said.
STEPS: tuple[tuple[str, Callable[[Workbench], object]], ...] = (
    (
        "A robot with its collision spheres. Drag beside it to turn the view, the wheel zooms, a click selects. "
        "The sliders below move the joints.",
        _show("joints"),
    ),
    (
        "One sphere is selected. Drag it, turn the wheel over it to change its radius, or type its numbers on the "
        "right. {edit.undo} takes every step back.",
        _select_sphere,
    ),
    (
        "Fit finds the spheres for you: {fit.links} fits the selected link, {fit.robot} the whole robot. You see the "
        "figures of both before you accept.",
        _show("fit"),
    ),
    (
        "Self-collision: Compute the mask finds which links can collide, with proofs. "
        "{mask.next_conflict} shows each conflict on the robot.",
        _show("self-collision"),
    ),
    (
        "Findings tell what is wrong, and mend it; {view.next_finding} goes from one to the next. "
        "{file.save} writes only what was edited. {help.manual} opens the manual at what you are looking at.",
        _show("findings"),
    ),
)


def _with_keys(text: str, registry: ActionRegistry) -> str:
    """`text` with the keys that its actions have now; one without keys is named as in the menus."""
    actions = {action.id: action for action in registry.actions}

    def keys(match: re.Match[str]) -> str:
        action = actions[match[1]]
        return keys_text(action) or f"{action.spec.menu} › {action.label}"

    return re.sub(r"\{([\w.]+)\}", keys, text)


class Tour(QObject):
    """The strip is made when it is first shown."""

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._strip: TourStrip | None = None
        #: Index of the step that is shown; None for the offer, and when no tour is on.
        self.step: int | None = None
        self._starting = False
        workbench.session.document_opened.connect(self._on_opened)

    @property
    def strip(self) -> TourStrip:
        if self._strip is None:
            self._strip = TourStrip(self._workbench.central)
            layout = self._workbench.central.layout()
            assert layout is not None
            layout.addWidget(self._strip)
            self._strip.back.clicked.connect(lambda: self._go(-1))
            self._strip.next.clicked.connect(lambda: self._go(1))
            self._strip.leave.clicked.connect(self.leave)
        return self._strip

    def offer(self) -> None:
        """At a start without a robot, when it was not seen yet."""
        if not self._workbench.settings.store.value(SEEN) and bundled() is not None:
            self.strip.tell("", OFFER, None, "Start the tour", "No, thanks")

    def begin(self) -> None:
        """Opens the sample robot, if another or none is open, and shows the first step."""
        sample = bundled()
        if sample is None:
            self._workbench.session.refused.emit("The sample robot is not installed.")
            return
        document = self._workbench.session.document
        if document is not None and document.urdf_path == sample:
            self._tell(0)
            return
        self._starting = True
        self._workbench.files.open_sample()

    def leave(self) -> None:
        """Ends the tour, or declines it: it is not offered again."""
        self._workbench.settings.store.setValue(SEEN, "true")
        self._starting = False
        self.step = None
        if self._strip is not None:
            self._strip.hide()

    def _go(self, by: int) -> None:
        if self.step is None:
            self.begin()
        elif self.step + by == len(STEPS):
            self.leave()
        else:
            self._tell(self.step + by)

    def _tell(self, step: int) -> None:
        self._workbench.settings.store.setValue(SEEN, "true")
        self.step = step
        text, show = STEPS[step]
        show(self._workbench)
        last = step == len(STEPS) - 1
        self.strip.tell(
            f"{step + 1} of {len(STEPS)}",
            _with_keys(text, self._workbench.registry),
            "Back" if step else None,
            "Finish" if last else "Next",
            "Leave",
        )

    def _on_opened(self, document: object) -> None:
        if self._starting and document is not None:
            self._starting = False
            self._tell(0)
        elif self._strip is not None and self._strip.isVisible() and not self._starting:
            # Another robot, or none: the steps would speak of what is not there. The offer may come again.
            self.step = None
            self._strip.hide()


class TourStrip(QFrame):
    """Number, sentence and buttons in a row; it hides nothing of the view."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("tour")
        self.setAccessibleName("Tour")
        self.number = dress(PlainLabel(parent=self), look="muted")
        self.text = dress(PlainLabel(parent=self), wrap=True)
        self.text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.leave = QPushButton(self)
        self.back = QPushButton(self)
        self.next = dress(QPushButton(self), look="primary")
        layout = fill(QHBoxLayout(self), self.number, (self.text, 1), margins=(12, 6, 8, 6), spacing=8)
        for button in (self.leave, self.back, self.next):
            button.setAutoDefault(False)
            layout.addWidget(button)
        self.hide()

    def tell(self, number: str, text: str, back: str | None, following: str, leave: str) -> None:
        self.number.setText(number)
        self.number.setVisible(bool(number))
        self.text.setText(text)
        self.back.setText(back or "")
        self.back.setVisible(back is not None)
        self.next.setText(following)
        self.leave.setText(leave)
        self.show()
