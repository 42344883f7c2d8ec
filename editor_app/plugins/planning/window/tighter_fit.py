"""The command that fits spheres tighter, shown in a strip over the view."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from editor_app.core.document.document import Document
from editor_app.core.model.counting import format_count, format_percent
from editor_app.core.tasks.task import Job, Task
from editor_app.core.tasks.work import locate_robot
from editor_app.features.spheres.fit_session import Accepted
from editor_app.features.spheres.verbs.fit_choices import FitChoices
from editor_app.features.spheres.window.context import FitContext
from editor_app.features.spheres.window.strip import Strip
from editor_app.plugins.planning.verbs import tighter_fit
from editor_app.plugins.planning.window.actions import TIGHTER_FIT
from editor_app.window.robot_job import RobotJob
from editor_app.window.widgets import PlainLabel, dress, fill_layout
from editor_app.window.workbench import Workbench

#: Links whose numbers of spheres are named.
_NAMED = 4


class TighterFitAction(RobotJob):
    """Spheres › Fit tighter for planning, of the whole robot, and *Free this passage*, of two
    links."""

    module = tighter_fit

    def __init__(
        self,
        workbench: Workbench,
        context: FitContext,
        over: Callable[[], QWidget],
        accepted: Callable[[Accepted], object],
    ) -> None:
        """`over`: the view that the proposal is shown in. `accepted` hears of links whose spheres
        were taken."""
        super().__init__(
            workbench, TIGHTER_FIT, "XRDF514", "Fit tighter for planning…", "a tighter fit"
        )
        workbench.feed.register_remedy(
            "XRDF515",
            "Free this passage…",
            lambda finding: self.free(finding.subject.links or None),
        )
        self._context = context
        self._over = over
        self._accepted = accepted
        self._links: tuple[str, ...] | None = None
        self.strip: ProposalStrip | None = None

    def run(self) -> None:
        self.free(None)

    def free(self, links: tuple[str, ...] | None) -> None:
        """Looks for tighter spheres of these links; None: of those that refuse most."""
        self._links = links
        self.drop()
        super().run()

    def job(self, document: Document) -> Job:
        locked = {link: self._context.locked(link) for link in self._context.links_with_mesh()}
        return Task(
            tighter_fit.fit_tighter,
            locate_robot(document),
            self._links,
            choices=FitChoices(locked=locked),
        )

    def take(self, result: tighter_fit.TighterFit) -> None:
        strip = self.strip = ProposalStrip(result, self.accept, self.drop, self._over())
        self._context.propose(result.spheres if result.gains else {})
        # Another proposal, another robot: what is shown is not what would be taken.
        self._context.proposed_changed.connect(self._leave)
        self._session.robot_changed.connect(self.drop)
        strip.show_up()
        (strip.accept_button if result.gains else strip.discard_button).setFocus(
            Qt.FocusReason.OtherFocusReason
        )

    def accept(self) -> None:
        """Takes what is shown, as one step."""
        if self.strip is not None:
            result = self.strip.result
            self.drop()
            if self._session.execute(result.change):
                changed = result.spheres
                self._accepted(
                    {
                        e.link: (e.result, e.spheres, None)
                        for e in result.fit.links
                        if e.link in changed
                    }
                )

    def drop(self, *_: object) -> None:
        """Nothing happened."""
        if self.strip is not None:
            self._leave()
            self._context.propose({})

    # -- inside

    def _leave(self) -> None:
        strip, self.strip = self.strip, None
        if strip is not None:
            self._context.proposed_changed.disconnect(self._leave)
            self._session.robot_changed.disconnect(self.drop)
            strip.hide()
            strip.deleteLater()


class ProposalStrip(Strip):
    """The changes of the proposal, before and after, with two buttons."""

    def __init__(
        self,
        result: tighter_fit.TighterFit,
        accept: Callable[[], object],
        discard: Callable[[], object],
        over: QWidget,
    ) -> None:
        super().__init__("tighter", "Proposed tighter fit", over)
        self.result = result
        self._accept, self._discard = accept if result.gains else discard, discard
        self.figures = PlainLabel(
            _figures(result)
            if result.gains
            else f"{result.before.text[:1].upper()}{result.before.text[1:]}.",
            self,
        )
        self.accept_button = dress(
            QPushButton("Accept"), id="tighter.accept", tip="Return", run=self.apply
        )
        text = "Discard" if result.gains else "Close"
        self.discard_button = dress(
            QPushButton(text), id="tighter.discard", tip="Esc", run=self.close_box
        )
        title = "Tighter fit" if result.gains else "No tighter fit found"
        heading = dress(PlainLabel(title, self), look="heading")
        # Figures have the room: in few lines they hide little of the view.
        buttons = [self.accept_button] * result.gains + [self.discard_button]
        fill_layout(self._layout, heading, (self.figures, 1), *buttons)

    def apply(self) -> None:
        self._accept()

    def close_box(self) -> None:
        self._discard()


def _figures(result: tighter_fit.TighterFit) -> str:
    """What the proposal changes, before and after."""
    before, after = result.before, result.after
    present = result.robot.xrdf.spheres_of(result.fit.group)
    counts = {
        link: (len(present.get(link, ())), len(spheres)) for link, spheres in result.spheres.items()
    }
    most = sorted(
        (link for link, (old, new) in counts.items() if old != new),
        key=lambda link: -counts[link][1],
    )
    named = [f"{link} {counts[link][0]} → {counts[link][1]}" for link in most[:_NAMED]]
    if others := len(counts) - len(named):
        named.append(f"{format_count(others, 'other link' if named else 'link')} refitted")
    section, new = result.robot.xrdf.self_collision, result.buffers
    # Spheres are drawn without buffers.
    buffers = (
        0
        if section is None or new is None
        else sum(section.buffer(f) != new.get(f, 0.0) for f in present)
    )
    return (
        f"False collisions {format_percent(before.cost.needless.value)} → "
        f"{format_percent(after.cost.needless.value)}, "
        f"missed collisions {format_percent(before.cost.wrong.value, 2)} → "
        f"{format_percent(after.cost.wrong.value, 2)}, "
        f"closed passages {len(before.closed)} → {len(after.closed)}\n"
        f"Spheres {before.spheres} → {after.spheres}"
        + (f": {', '.join(named)}" if named else "")
        + (f"; {format_count(buffers, 'self-collision buffer')} changed" if buffers else "")
        + (f"\n{result.condition}" if result.condition else "")
    )
