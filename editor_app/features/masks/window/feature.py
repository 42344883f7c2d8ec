"""Puts self-collision into a window: its actions, the counter in the status bar, what glows in the
viewport."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

import numpy as np
from PySide6.QtWidgets import QWidget

from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.model.counting import format_count
from editor_app.features.masks.window import compare_page
from editor_app.features.masks.window import panel as panels
from editor_app.features.masks.window.actions import MASK, RULES
from editor_app.features.masks.window.controller import MaskController, ShownWitness, millimetres
from editor_app.features.masks.window.live import LiveOverlaps
from editor_app.window.actions.actions import NothingToDo
from editor_app.window.docks.docks import DockSpec
from editor_app.window.timers import Wait, after
from editor_app.window.viewport import view
from editor_app.window.viewport.layers import overlay
from editor_app.window.viewport.palette import scene_colours
from editor_app.window.widgets import Counter, no_mnemonic
from editor_app.window.window_part import WindowPart
from editor_app.window.workbench import Workbench

DOCK = "self-collision"
#: Pixels that a matrix needs to be of use.
LEAST_HEIGHT = 340
#: Names of what is drawn: spheres that overlap at this pose, and the pair that is shown.
_OVERLAPS, _WITNESS = "overlaps", "witness"


class SelfCollision(WindowPart):
    """One per window."""

    name = "self_collision"
    order = 10

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        self.controller = MaskController(workbench.session, workbench.jobs, self)
        self.live = LiveOverlaps(workbench.session, workbench.jobs, self)
        #: Pages that plug-ins add to the panel: title -> what makes it.
        self.pages: dict[str, Callable[[QWidget], panels.AddedPage]] = {}
        self._overlay: overlay.OverlayLayer | None = None
        self._wake = after(self, self._wake_up, Wait.DISTANCES)
        tip = "List the pairs that overlap at this pose and are not ignored"
        self.counter = Counter(tip, self.show_overlaps)
        workbench.status.add_counter(self.counter)
        workbench.viewport_ready.connect(self._on_viewport)
        workbench.session.document_opened.connect(self._on_opened)
        workbench.session.visibility_changed.connect(self._draw_overlaps)
        self.live.changed.connect(self._on_overlaps)
        self.controller.shown_changed.connect(self._on_shown)
        masks = self.controller
        for signal in (
            masks.running_changed,
            masks.analysis_changed,
            masks.mask_changed,
            masks.shown_changed,
        ):
            signal.connect(workbench.registry.refresh_later)
        workbench.registry.add(MASK, self, rules=RULES)
        tip = "Pairs of links that can collide, and pairs that are ignored"
        spec = DockSpec(
            DOCK, "Self-collision", "grid-four", "bottom", self._make_panel, 30, tip, module=panels
        )
        workbench.docks.register(spec)

    def _make_panel(self) -> QWidget:
        return panels.SelfCollisionPanel(
            self.controller, self.live, self._workbench.registry, self.pages
        )

    @property
    def panel(self) -> panels.SelfCollisionPanel:
        """Made when it is asked for the first time."""
        return cast("panels.SelfCollisionPanel", self._workbench.docks.panel(DOCK))

    def show_panel(self) -> panels.SelfCollisionPanel:
        """Brings the panel to the front."""
        return cast("panels.SelfCollisionPanel", self._workbench.docks.show(DOCK, LEAST_HEIGHT))

    def compute(self) -> None:
        self.show_panel()
        self.controller.compute()

    def write(self) -> None:
        self.show_panel().propose()

    def show_overlaps(self) -> None:
        self.show_panel().show_overlaps()

    def stop(self) -> None:
        """The window closes: nothing is begun any more. May be called twice."""
        self._wake.stop()
        self.live.stop()
        self.controller.stop()

    # -- actions

    def no_evidence(self) -> str | None:
        # Spheres may be gone since: evidence of no pairs is none.
        controller = self.controller
        return controller.reason_not_to_compute or (
            None if controller.state.analysis is not None else "Compute the mask first."
        )

    def no_conflict(self) -> str | None:
        return None if self.controller.state.conflicts else NothingToDo("Mask and evidence agree.")

    def no_selected_conflict(self) -> str | None:
        conflicts = {evidence.pair for evidence in self.controller.state.conflicts}
        agree = NothingToDo("Mask and evidence agree on the selected pairs.")
        return None if conflicts.intersection(self.controller.selected) else agree

    def all_ignored(self) -> str | None:
        is_so = self.controller.state.ignored.issuperset(self.controller.selected)
        return "The selected pairs are already ignored." if is_so else None

    def all_checked(self) -> str | None:
        is_so = self.controller.state.ignored.isdisjoint(self.controller.selected)
        return "The selected pairs are already checked." if is_so else None

    def all_as_opened(self) -> str | None:
        is_so = self.controller.state.is_as_opened(self.controller.selected)
        return "The selected pairs are unchanged since opening." if is_so else None

    def not_overlapping(self) -> str | None:
        overlap = self.controller.overlaps_here(self.controller.selected[-1])
        first = (
            "The spheres of the pair do not overlap at this pose. Show the pair on the robot first."
        )
        return None if overlap else first

    def pairs_text(self, change: str) -> str:
        """How many pairs are changed, and in which of two files."""
        controller, number = self.controller, len(self.controller.selected)
        pairs = f"{number} pairs" if number > 1 else "the selected pairs"
        file = (
            f" in {no_mnemonic(controller.state.file_name())}"
            if controller.state.has_srdf and number
            else ""
        )
        return {
            "ignore": f"I&gnore {pairs}{file}",
            "check": f"C&heck {pairs}{file}",
            "reset": f"&Reset {pairs}",
        }[change]

    def change(self, change: str) -> None:
        """Execute the step that the method `change` of the state returns for the selected pairs."""
        self.controller.execute(
            partial(getattr(self.controller.state, change), self.controller.selected)
        )

    def look(self, look: str) -> None:
        """Call the method `look` of the controller with the pair that was selected last."""
        getattr(self.controller, look)(self.controller.selected[-1])

    def compare_meshes(self) -> None:
        self.controller.compare_with_meshes(self.controller.masks.solids or "meshes")

    def next_conflict(self, by: int) -> None:
        self.show_panel()
        if not self.controller.next_conflict(by):
            left = f"You skipped the remaining {len(self.controller.state.conflicts)}."
            self._workbench.session.message.emit(f"No other conflict. {left}")

    def carry(self, into: MaskFile) -> None:
        """The preview of taking the other file's mask over."""
        self.show_panel()
        self.controller.masks.choose_file(into)
        compare_page.open_carry_over(
            self.controller, compare_page.mask_beside(self.controller), self._workbench.qt_window
        )

    # -- the viewport and the status bar

    def _on_viewport(self, viewport: view.Viewport) -> None:
        self._overlay = viewport.overlay
        viewport.before_frame.append(self.live.look_if_due)
        self._on_opened()

    def _on_opened(self, *_: object) -> None:
        if self._workbench.session.has_robot and self._overlay is not None and self.live.is_asleep:
            self._wake.start()
        self._on_overlaps()

    def _wake_up(self) -> None:
        if self._workbench.start.is_over:
            self.live.wake()
        else:
            self._wake.start()

    def _on_overlaps(self) -> None:
        self._draw_overlaps()
        ready = (
            self.live.is_ready and self.live.at_pose.compares and self._workbench.session.has_robot
        )
        count = self.live.at_pose.count
        self.counter.setVisible(ready)
        ignored = (
            f", {format_count(self.live.at_pose.masked, 'ignored overlap')}"
            if self.live.at_pose.masked
            else ""
        )
        # Nothing is said of ignored pairs, whose meshes may touch: `collide` and `cost` compare
        # them.
        text = f"{format_count(count, 'self-collision') if count else 'Checked pairs are apart'}{ignored}"
        self.counter.tell(text, "intersect", is_bad=count > 0)

    def _draw_overlaps(self, *_: object) -> None:
        if self._overlay is None:
            return
        shown = self.controller.shown
        # While a pair is shown on the robot, the others would only distract.
        pair = shown.pair if shown is not None else None
        balls = self.live.at_pose.touching_balls(self._workbench.session.hidden, pair)
        self._overlay.set_glow(_OVERLAPS, balls, (*scene_colours().error, 0.62))

    def _on_shown(self, shown: ShownWitness | None) -> None:
        workbench, drawn = self._workbench, self._overlay
        if drawn is None or workbench.viewport is None:
            return
        self._draw_overlaps()
        if shown is None:
            drawn.remove(_WITNESS)
            workbench.viewport.scene.set_ghosted(frozenset())
            return
        others = frozenset(workbench.session.tree.frames) - {shown.pair.first, shown.pair.second}
        workbench.viewport.scene.set_ghosted(others)
        self.live.look()
        contact = self.live.at_pose.closest(shown.pair)
        if contact is not None:
            # Two spheres, and a line from one centre to the other with the gap or the depth on it.
            now, balls = scene_colours(), self.live.at_pose.balls({contact.first, contact.second})
            drawn.set_glow(
                _WITNESS, balls, (*(now.error if contact.gap < 0 else now.accent), 0.8), outer=True
            )
            ends, text = np.array([contact.points]), millimetres(contact.gap)
            drawn.set_lines(_WITNESS, ends, np.array([*now.ink, 1.0]), [text])


PART = SelfCollision
