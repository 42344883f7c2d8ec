"""Delays of the window's timers, each with a name for what it waits for."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, QTimer, SignalInstance


class Wait:
    """Milliseconds of quiet before the named work begins. A comment tells the exceptions."""

    # The present turn of the event loop.
    TURN = 0
    FIT_PROOFS = 60
    SELECTED_NUMBERS = 80
    HAND_TOOL = 80
    MEASURED_FIGURES = 100
    # A slider sends many values.
    REFIT = 120
    # The text of the file, and its parts that fold.
    SOURCE_TEXT = 150
    MANUAL_WIDTH = 150
    # A drag or typing is not interrupted.
    FINDINGS = 200
    PAIR_DETAILS = 200
    FIT_LIST = 200
    # Work that is over sooner is not shown in the status bar.
    SHOWN_JOB = 250
    # The next panel is made while nobody uses the window, again and again.
    IDLE_STEP = 250
    # Everything is drawn in full again.
    FULL_DRAWING = 250
    # A section that was scrolled to has its rows.
    SECTION_ROWS = 300
    # Programs write in several steps (truncate, write, rename): one message after the last.
    DISK = 300
    # Spheres are measured: a drag sends many.
    MEASURING = 350
    # The fit is prepared once its panel is seen.
    FIT_WARMTH = 400
    BUDGET_ESTIMATES = 400
    # Joints that move without a pressed button have come to rest.
    JOINTS_REST = 400
    # A turn of the wheel over the view, or a run of nudges, is over: one step to undo. Notches of a
    # hand that looks at the sphere in between belong together.
    NUDGES = 1500
    MOTION = 500
    # What is typed is read.
    TYPING = 500
    # Pairs that an edit concerns are examined again.
    EVIDENCE = 600
    # Steps of a number field by wheel or arrow keys are over: one step to undo.
    FIELD_STEPS = 700
    # A change that goes on without a pressed button is over, for the ghost of the state before.
    GHOST = 700
    # After the end of a fit, in which it cannot be discarded.
    DISCARD_GUARD = 900
    # Cycles of objects are looked for, again and again.
    CYCLES = 1000
    # Checks that compute: a run of nudges is not followed by a computation for each of its steps.
    SLOW_CHECKS = 300
    # After the 3D view came, until the distance code is loaded: nothing of the start waits for it.
    DISTANCES = 1500
    # After a robot was closed or opened: its memory is let go by then.
    MEMORY = 3000
    # After showing, in which the window manager draws its frame; from then on the place is the
    # user's choice.
    WINDOW_FRAME = 3000
    # A message stands in the status bar.
    MESSAGE = 8000


class Later(QTimer):
    """Calls a function once, `wait` after the last `start` or `soon`. `stop` cancels the call."""

    # A bound method: Qt drops it with the timer, and it takes any arguments of a signal.
    def soon(self, *_: object) -> None:
        """Start as `start` does, for signals. The next signal does not restart a wait of 0."""
        if self.interval() or not self.isActive():
            self.start()


def after(
    parent: QObject,
    run: Callable[[], object] | SignalInstance,
    wait: int = Wait.TURN,
    on: Iterable[SignalInstance] = (),
) -> Later:
    """Calls a function once, `wait` after the last of the signals `on`, however many signals a
    change emits."""
    timer = Later(parent, singleShot=True, interval=wait)
    timer.timeout.connect(run)
    for signal in on:
        signal.connect(timer.soon)
    return timer
