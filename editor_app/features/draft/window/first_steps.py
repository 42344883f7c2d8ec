"""The way from a bare URDF to a saved XRDF, one step at a time: a card over the view that says what
comes next."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from editor_app.core.document.commands import ConfirmGuesses
from editor_app.core.document.document import Document
from editor_app.core.document.state import State
from editor_app.core.drafting import ControlRequest
from editor_app.core.model.counting import format_count, format_list
from editor_app.core.model.findings import Finding, Severity
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import CannotApply, RobotDescription
from editor_app.core.model.srdf import Srdf
from editor_app.core.model.urdf import Urdf
from editor_app.features.checks.engine.runner import code_titles
from editor_app.features.checks.verbs.check import CONSUMERS, ConsumerCheck, consumers
from editor_app.features.draft.verbs.control import ControlChoice, control_bases, control_choices
from editor_app.features.spheres.verbs.fit_choices import FIRST_FILE_STEP, TIGHTER_FIT_STEP
from editor_app.window.actions.actions import ActionRegistry
from editor_app.window.bindings.choice_box import ChoiceBox, choice_box
from editor_app.window.jobs import Jobs, JobSlot
from editor_app.window.session import Session
from editor_app.window.timers import after
from editor_app.window.widgets import STRETCH, OverFrame, PlainLabel, dress, fill_layout, icon

#: Steps that stay, pale, while the robot is checked after an edit.
_STAYS = frozenset({"save", "findings", "planning", "default", "searching"})
#: Pixels of the card's width and lines of its text, of which it has more only where they are
#: needed: from one step to the next it stays where it is.
_WIDTH, _LINES = 520, 2
#: Pixels that a label may need beyond the rounded width of its text.
_ROUNDED = 4
#: Rule -> what the card says of the worst pair, and the remedy's button.
_PLANS_BADLY = (
    (
        "XRDF515",
        "Spheres block a passage that is free for the meshes",
        ("Fit tighter", "fit.planning"),
    ),
    (
        "XRDF514",
        "Spheres cause false collisions, most often between",
        ("Fit tighter", "fit.planning"),
    ),
)


#: Pixels that a box keeps in a card that is too narrow for its names even in two rows; its tool tip
#: has them then.
_LEAST = 120
_GAP = 6

#: Label of the step that fixes the robot for a program.
_FIXED_FOR = re.compile(r"Fix \d+ errors? for ")


class ControlChooser(QWidget):
    """`chosen(ControlRequest)` when the user picks another chain."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._of: tuple[Urdf, Srdf | None] | None = None
        self._choices: tuple[ControlChoice, ...] = ()
        #: The sections that each choice gave; for others no choice is shown.
        self._requests: dict[tuple[object, ...], ControlRequest] = {}
        self._shown: tuple[object, ...] | None = None
        self.control = self._box("What is controlled", self.chosen.emit)
        self.base = self._box("Where the chain begins", self._begin_at)
        self._heads = PlainLabel("Control"), PlainLabel("from")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(_GAP)
        self._rows = 0
        self._lay_out(1)

    def arrange(self, room: int) -> None:
        """In one row where `room` pixels hold both names, else in two."""
        widgets = (*self._heads, self.control, self.base)
        self._lay_out(1 if sum(w.sizeHint().width() for w in widgets) + 3 * _GAP <= room else 2)
        # In halves, the longer name would be cut beside a short one.
        for column, box in ((1, self.control), (3, self.base)):
            self._grid.setColumnStretch(
                column, box.sizeHint().width() if self._rows == 1 or column == 1 else 0
            )

    def _lay_out(self, rows: int) -> None:
        if rows == self._rows:
            return
        self._rows = rows
        for number, (head, box) in enumerate(
            zip(self._heads, (self.control, self.base), strict=True)
        ):
            row, column = (0, 2 * number) if rows == 1 else (number, 0)
            self._grid.addWidget(head, row, column)
            self._grid.addWidget(box, row, column + 1)
        # The layout still has the old rows' size: a caller that asks for the size at once shall get
        # the new rows'.
        self._grid.activate()

    @staticmethod
    def _box(name: str, choose: Callable[[Any], object]) -> ChoiceBox:
        box = dress(choice_box(name, (), choose), hint="as edited")
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        box.setMinimumWidth(_LEAST)
        return box

    def show_robot(self, robot: RobotDescription) -> None:
        """Fills the boxes anew for another robot; shows the choice that its sections come from,
        after an undo, too."""
        now = robot.xrdf.cspace, robot.xrdf.tool_frames
        if self._of is None or self._of[0] is not robot.urdf or self._of[1] is not robot.srdf:
            self._of = robot.urdf, robot.srdf
            self._requests, self._shown = {}, None
            self.base.offer(
                (name, name if number else None)
                for number, name in enumerate(control_bases(robot.urdf))
            )
            self.base.choose(None)
            # A robot that was built or edited is not controlled as a guess of now would do it.
            if self._fill(None) and self._choices[0].is_that_of(robot):
                self._requests[now] = ControlRequest()
        request = self._requests.get(now)
        if request is not None and now != self._shown and request.base != self.base.currentData():
            self.base.choose(request.base)
            self._fill(request.base)
        self._shown = now
        self.control.setCurrentIndex(self.control.findData(request))
        # No choice of the list: what is controlled stands there all the same.
        self.control.setPlaceholderText(f"{_controlled(robot)}, as edited")

    def was_taken(self, request: ControlRequest, robot: RobotDescription) -> None:
        """The `robot` is controlled as asked; the next `show_robot` shows it."""
        self._requests[robot.xrdf.cspace, robot.xrdf.tool_frames] = request
        self._shown = None

    def _fill(self, base: str | None) -> bool:
        assert self._of is not None
        try:
            self._choices = control_choices(*self._of, base)
        except CannotApply:
            return False
        self.control.offer((choice.label, choice.request) for choice in self._choices)
        return True

    def _begin_at(self, base: str | None) -> None:
        if self._fill(base):
            self.chosen.emit(self._choices[0].request)


def _controlled(robot: RobotDescription) -> str:
    """As the choices call it: "7 joints to panda_hand"."""
    joints, tools = len(robot.xrdf.controlled), robot.xrdf.tool_frames or ()
    towards = f" to {format_list(tools, 2)}" if tools else ""
    return f"{joints or 'no'} joint{'' if joints == 1 else 's'}{towards}"


Button = tuple[str, str | Callable[[], object]]
#: Opens the list of the choices in the XRDF.
_DECIDED: Button = ("What was decided…", "help.decided")


@dataclass(frozen=True, slots=True)
class FirstStep:
    """A sentence and its buttons: (text, id of an action or a function)."""

    id: str
    text: str
    buttons: tuple[Button, ...] = ()
    #: Whether the card shows below the text what is controlled, to be chosen there.
    chooses: bool = False


@dataclass(frozen=True, slots=True)
class StepActions:
    """Actions of the window that the steps need.

    `links`: how many links have a mesh; `bare`: how many of them have no sphere. `is_busy`: a
    proposal is computed or waits to be taken, so that its panel has the next step. `is_making`: an
    XRDF is being created, at the step `stage`; `stop` ends that. `show_findings`. `control(request,
    taken)` takes another chain, then calls `taken`. `mend()`: offers a program's changes to the
    robot; None where no plug-in does.
    """

    links: Callable[[], int]
    bare: Callable[[], int]
    is_busy: Callable[[], bool]
    is_making: Callable[[], bool]
    stage: Callable[[], str]
    stop: Callable[[], object]
    show_findings: Callable[[], object]
    control: Callable[[ControlRequest, Callable[[RobotDescription], object]], object]
    mend: Callable[[], Callable[[Profile], object] | None]


class FirstSteps(QObject):
    """Begins when a robot without any sphere is opened, ends when the card is closed, or with a
    change after it was saved."""

    #: The step is another one.
    changed = Signal()

    def __init__(
        self,
        session: Session,
        registry: ActionRegistry,
        step_actions: StepActions,
        jobs: Jobs,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._judging = JobSlot(jobs, self.update_later, quiet=True)
        #: What was judged last, and for which programs it loads.
        self._judged: tuple[State | None, ConsumerCheck | None] = None, None
        self._saved = False
        #: The mask of the file while another one is computed, which it has until that one is
        #: written.
        self._mask_before: object = self
        self._registry = registry
        self._step_actions = step_actions
        #: Errors and warnings that the user went to look at.
        self._seen: frozenset[tuple[str, str]] = frozenset()
        #: Whether a robot is on its way to a first file.
        self.is_on = False
        self._ignored: object = None
        self._card: Card | None = None
        self.step: FirstStep | None = None
        actions = (
            registry[name].changed for name in ("mask.write", "mask.cancel", "robot.first_file")
        )
        told_by = (
            session.robot_settled,
            session.history_changed,
            session.findings_changed,
            *actions,
        )
        self._later = after(self, self._update, on=told_by)
        session.document_opened.connect(self._opened)

    def set_view(self, view: QWidget, switches: QWidget | None = None) -> None:
        """The card lies over `view`, right of `switches`."""
        self._card = Card(view, switches)
        self._card.closed.clicked.connect(self.end)
        self._card.chooser.chosen.connect(self._control)
        self._show_step()

    def update_later(self, *_: object) -> None:
        """Looks at the robot once the event loop is idle."""
        self._later.soon()

    def end(self) -> None:
        """The card goes, until another bare robot is opened."""
        self.is_on = False
        self._update()

    def _show_step(self) -> None:
        if self._card is None:
            return
        self._show_chain()
        self._card.show_step(self.step, self._registry)

    def _show_chain(self) -> None:
        robot = self._session.robot
        if self._card is not None and self.step is not None and self.step.chooses:
            self._card.chooser.show_robot(robot)

    def _control(self, request: ControlRequest) -> None:
        card = self._card
        assert card is not None
        self._step_actions.control(request, partial(card.chooser.was_taken, request))

    def _look(self) -> None:
        self._seen |= {(f.code, f.message) for f in self._session.findings if _counts(f)}
        self._step_actions.show_findings()
        self.update_later()

    def _opened(self, document: object) -> None:
        self._seen = frozenset()
        self._judging.drop()
        self._saved, self._mask_before = False, self
        self.is_on = self._session.has_robot and not self._has_spheres()
        self._ignored = self._ignore() if self.is_on else None
        self.update_later()

    def _has_spheres(self) -> bool:
        groups = self._session.robot.xrdf.geometry or ()
        return any(spheres for group in groups for spheres in group.spheres.values())

    def _ignore(self) -> object:
        section = self._session.robot.xrdf.self_collision
        return section.ignore if section is not None else None

    def _update(self) -> None:
        step = self._next()
        is_checking = step is not None and step.id == "checking"
        if self._card is not None:
            self._card.text.setEnabled(not is_checking)
        if is_checking and self.step is not None and self.step.id in _STAYS:
            # The status bar says that the robot is checked. No button moves for the seconds that it
            # takes.
            return
        if step == self.step:
            # Another chain, or an undo, may leave the words as they are.
            self._show_chain()
            return
        self.step = step
        self._show_step()
        self.changed.emit()

    def _next(self) -> FirstStep | None:
        document = self._session.document
        if not self.is_on or self._step_actions.is_busy():
            return None
        if self._step_actions.is_making():
            stage = self._step_actions.stage().lower()
            text = f"Creating XRDF: {stage}…" if stage else "Creating XRDF…"
            return FirstStep("making", text, (("Stop", self._step_actions.stop),))
        if not self._has_spheres():
            count = self._step_actions.links()
            if not count:
                return None
            text = f"{_locked(document.robot)}No spheres on {format_count(count, 'link')} yet."
            buttons = (("Fit spheres only", "fit.robot"), ("Create XRDF", "robot.first_file"))
            return FirstStep("fit", text, buttons, chooses=True)
        if self._registry["mask.cancel"].isEnabled():
            self._mask_before = self._ignore()
            return FirstStep("computing", "Computing which links can collide…")
        if self._ignore() == self._mask_before and self._registry["mask.write"].isEnabled():
            return FirstStep(
                "write",
                "The mask is computed but not written.",
                (("Write the mask…", "mask.write"),),
            )
        if self._ignore() == self._ignored and not _has_step(document, FIRST_FILE_STEP):
            return self._mask_step()
        if document.is_modified:
            # After the closing words the card has only to say what mending left.
            self.is_on = (
                not self._saved
                or _FIXED_FOR.match(document.history[document.position].label) is not None
            )
            self._saved = False
            return self._last(document) if self.is_on else None
        self._saved = True
        judged = self._consumers(document)
        if judged is None:
            return None
        return self._with_consumers("saved", f"{_name(document)} is saved.", judged, (_DECIDED,))

    def _consumers(self, document: Document) -> ConsumerCheck | None:
        """For which programs the files load; None until that is known."""
        state = document.state
        if self._judged[0] is not state:
            packages = FrozenDict(document.packages)
            self._judged = state, None

            def take(judged: ConsumerCheck) -> None:
                self._judged = state, judged

            self._judging.run(
                "Checking target programs",
                lambda _: consumers(state, packages),
                take,
                in_thread=True,
            )
        return self._judged[1]

    def _with_consumers(
        self, step: str, text: str, judged: ConsumerCheck, buttons: tuple[Button, ...]
    ) -> FirstStep:
        """The step with the programs that the files are for, and a way to mend them for the
        others."""
        mend = self._step_actions.mend()
        refused_by = judged.refused_by if mend is not None else ()
        mends = tuple(
            (f"Fix for {CONSUMERS[profile]}…", partial(mend, profile))
            for profile in refused_by
            if mend
        )
        return FirstStep(
            step,
            " ".join((text, *(sentence for _, sentence in judged.sentences))),
            (*mends, *buttons),
        )

    def _mask_step(self) -> FirstStep:
        """Asks which links can collide; before that, for spheres of every link."""
        compute = ("Compute the mask", "mask.compute")
        links, bare = self._step_actions.links(), self._step_actions.bare()
        if not bare:
            return FirstStep("mask", "Spheres done. Next: which links can collide?", (compute,))
        text = (
            f"{links - bare} of {links} links have spheres, {bare} "
            f"{'has' if bare == 1 else 'have'} none yet."
        )
        return FirstStep("rest", text, (compute, ("Fit the whole robot", "fit.robot")))

    def _last(self, document: Document) -> FirstStep:
        """What is left before saving: Save is the last button, the primary one, once there is
        nothing unseen."""
        save: Button = ("Save", "file.save")
        guessed = document.guesses.described() if document.guesses.parts else ""
        text = f"Check the guesses: {guessed}." if guessed else "Spheres and mask are set."
        buttons = (_DECIDED, *((("Confirm all", self._confirm),) if guessed else ()), save)
        if not self._session.findings_known:
            # What was found is about the robot before; what is guessed is known at once.
            if (
                self.step is not None
                and self.step.id == "save"
                and not self.step.text.startswith(text)
            ):
                return FirstStep("save", text, buttons)
            return FirstStep("checking", "Checking the robot…", (_DECIDED, save))
        left = [f for f in self._session.findings if _counts(f)]
        # What a tighter fit left over is told in the list; to offer it again would go around in a
        # circle.
        tried = _has_step(document, TIGHTER_FIT_STEP)
        unseen = [
            f
            for f in left
            if (f.code, f.message) not in self._seen
            and not (tried and f.severity < Severity.WARNING)
        ]
        if any(f.code == "XRDF605" for f in left):
            pairs = sum(f.code == "XRDF605" for f in left)
            overlap = "1 pair overlaps" if pairs == 1 else f"{pairs} pairs overlap"
            text = f"{overlap} at the default position: no motion can start there."
            return FirstStep(
                "default",
                text,
                (save, ("Show", self._look), ("Find a free position", "robot.free_default")),
            )
        if unseen:
            return self._to_look_at(unseen, save)
        judged = self._consumers(document)
        if judged is None:
            return FirstStep("checking", "Checking the robot…", (_DECIDED, save))
        return self._with_consumers("save", text, judged, buttons)

    def _confirm(self) -> None:
        self._session.execute(ConfirmGuesses(tuple(self._session.document.guesses.parts)))

    def _to_look_at(self, unseen: list[Finding], save: Button) -> FirstStep:
        """Errors and warnings; where spheres refuse or close what meshes leave free, the pair and
        what mends it."""
        errors = sum(f.severity is Severity.ERROR for f in unseen)
        for code, fault, button in _PLANS_BADLY if not errors else ():
            finding = next((f for f in unseen if f.code == code), None)
            if finding is not None and not self._registry[button[1]].isEnabled():
                return FirstStep("searching", "Searching for a tighter fit…", (save,))
            if finding is not None:
                pair = " and ".join(finding.subject.links[:2])
                return FirstStep(
                    "planning", f"{fault}: {pair}.", (_DECIDED, save, ("Show", self._look), button)
                )
        warnings = len(unseen) - errors
        parts = [
            format_count(n, word) for n, word in ((errors, "error"), (warnings, "warning")) if n
        ]
        code, number = Counter(f.code for f in unseen).most_common(1)[0]
        title = code_titles().get(code)
        most = f", {number} × “{title}”" if title and number > 1 else ""
        return FirstStep(
            "findings",
            f"To review: {' and '.join(parts)}{most}.",
            (_DECIDED, save, ("Show", self._look)),
        )


def _has_step(document: Document, label: str) -> bool:
    """Whether a step of that label is done, and not undone."""
    return any(each.label == label for each in document.history[: document.position + 1])


def _name(document: Document) -> str:
    return document.xrdf_path.name if document.xrdf_path is not None else "The XRDF"


def _counts(finding: Finding) -> bool:
    """Whether a finding is worth a look before the first file is saved."""
    return finding.severity >= Severity.WARNING or any(
        finding.code == code for code, _, _ in _PLANS_BADLY
    )


def _locked(robot: RobotDescription) -> str:
    """How many joints are locked; the box below says which are controlled."""
    joints = len(robot.xrdf.controlled)
    locked = len(robot.xrdf.default_joint_positions or ()) - joints if joints else 0
    return (
        ""
        if locked <= 0
        else "1 joint is locked. "
        if locked == 1
        else f"{locked} joints are locked. "
    )


def _run(registry: ActionRegistry, action: str | Callable[[], object], *_: object) -> None:
    if isinstance(action, str):
        registry.trigger(action)
    else:
        action()


class Card(OverFrame):
    """A sentence with buttons at the upper edge of a view."""

    def __init__(self, over: QWidget, switches: QWidget | None = None) -> None:
        super().__init__(over)
        self._switches = switches
        self.setObjectName("firststeps")
        self.setAccessibleName("Next step")
        self.text = dress(PlainLabel(parent=self), wrap=True)
        self.text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.chooser = ControlChooser(self)
        self.buttons: list[QPushButton] = []
        #: Pixels of the highest text so far.
        self._highest = 0
        self.closed = dress(
            QToolButton(self),
            name="Hide next steps",
            tip="Hide next steps",
            icon=icon("x", "muted"),
            flat=True,
        )
        self._row = fill_layout(QHBoxLayout(), STRETCH, spacing=6)
        layout = QGridLayout(self)
        layout.setContentsMargins(12, 5, 5, 5)
        layout.setSpacing(6)
        layout.addWidget(self.text, 0, 0)
        layout.addWidget(self.closed, 0, 1, Qt.AlignmentFlag.AlignTop)
        # Below the text: beside it the buttons would leave it a column of single words.
        layout.addWidget(self.chooser, 1, 0)
        layout.addLayout(self._row, 2, 0)
        over.installEventFilter(self)
        if switches is not None:
            # A low view has more columns of them.
            switches.installEventFilter(self)
        self.hide()

    def show_step(self, step: FirstStep | None, registry: ActionRegistry) -> None:
        """Show a step; None hides it."""
        self.setVisible(step is not None)
        if step is None:
            self._highest = 0
            return
        self.text.setText(step.text)
        self.chooser.setVisible(step.chooses)
        for button in self.buttons:
            button.hide()
            button.deleteLater()
        self.buttons = []
        for number, (text, action) in enumerate(step.buttons, 1):
            button = QPushButton(text, self)
            # The last one goes on; Return in the view takes a proposal and must not press it.
            button.setProperty("primary", number == len(step.buttons))
            button.setAutoDefault(False)
            button.setDefault(number == len(step.buttons))
            button.clicked.connect(partial(_run, registry, action))
            self._row.addWidget(button)
            self.buttons.append(button)
        self._place()
        self.raise_()

    def _place(self) -> None:
        """Between the switches on the left and the orientation on the right."""
        over = self.parentWidget()
        if over is None:
            return
        # What stands at the edges: the switches, the orientation widget.
        left, right = 72 if self._switches is None else self._switches.geometry().right() + 9, 108
        room = max(220, over.width() - left - right)
        gap = self._row.spacing()
        buttons = sum(button.sizeHint().width() + gap for button in self.buttons)
        layout = self.layout()
        assert layout is not None
        margins = layout.contentsMargins()
        # Computed, not asked of the layout: that knows of other buttons only after the next events.
        beside = self.closed.sizeHint().width() + gap + margins.left() + margins.right() + 2
        self.chooser.arrange(room - beside)
        chooser = self.chooser.sizeHint() if not self.chooser.isHidden() else QSize()
        width = min(room, max(_WIDTH, max(buttons, chooser.width()) + beside))
        self.setFixedWidth(width)
        lines = _LINES * self.text.fontMetrics().lineSpacing()
        # A label breaks lines by fractions of pixels, which are rounded here.
        text = max(
            self.text.heightForWidth(width - beside - _ROUNDED),
            lines,
            self.closed.sizeHint().height(),
        )
        # A shorter text would pull the buttons up, under the pointer.
        text = self._highest = max(text, self._highest)
        row = max(
            (button.sizeHint().height() + layout.spacing() for button in self.buttons), default=0
        )
        chosen = chooser.height() + layout.spacing() if chooser.height() > 0 else 0
        self.setFixedHeight(text + chosen + row + margins.top() + margins.bottom() + 2)
        # The last button, which goes on, is always at the same place.
        self.move(left + room - width, 10)
