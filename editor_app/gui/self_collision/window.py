"""Puts self-collision into a window: its actions, the counter in the status bar, what glows in the viewport."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from editor_app.gui.actions import NothingToDo
from editor_app.gui.bindings.counter import Counter
from editor_app.gui.self_collision import pair_actions
from editor_app.gui.self_collision.controller import MaskController, Shown, millimetres
from editor_app.gui.self_collision.live import LiveOverlaps
from editor_app.gui.self_collision.pair_actions import PairAction, needs_evidence
from editor_app.gui.shortcuts.listing import IN_PAIRS
from editor_app.operations.mask_changes import MaskFile

if TYPE_CHECKING:
    from editor_app.gui.self_collision.panel import SelfCollisionPanel
    from editor_app.gui.viewport.layers.overlaps import OverlapsLayer
    from editor_app.gui.workbench import Workbench

DOCK = "self-collision"
#: Pixels that a matrix needs to be of use.
LEAST_HEIGHT = 340
#: Milliseconds after the 3D view came until the distance code is loaded: nothing of the start waits for it.
WAKE_DELAY = 1500


class SelfCollision(QObject):
    """One per window."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench.qt_window)
        self._workbench = workbench
        self.controller = MaskController(workbench.session, workbench.jobs, workbench.settings, self)
        self.live = LiveOverlaps(workbench.session, workbench.jobs, self)
        self._layer: OverlapsLayer | None = None
        self._wake = QTimer(self, singleShot=True, interval=WAKE_DELAY)
        self._wake.timeout.connect(self._wake_up)
        tip = "Overlapping pairs of links at this pose that the mask does not ignore: show the list"
        self.counter = Counter(workbench.status, tip, self.show_overlaps)
        workbench.viewport_ready.connect(self._on_viewport)
        workbench.session.document_opened.connect(self._on_opened)
        workbench.session.visibility_changed.connect(self._draw_overlaps)
        self.live.changed.connect(self._on_overlaps)
        self.controller.shown_changed.connect(self._on_shown)
        self.controller.running_changed.connect(workbench.registry.refresh_later)
        self.controller.analysis_changed.connect(workbench.registry.refresh_later)
        self.controller.mask_changed.connect(workbench.registry.refresh_later)
        self.controller.shown_changed.connect(workbench.registry.refresh_later)
        self._register()

    def make_panel(self) -> QWidget:
        """For the dock."""
        from editor_app.gui.self_collision.panel import SelfCollisionPanel

        return SelfCollisionPanel(self.controller, self.live, self._workbench.jobs)

    @property
    def panel(self) -> SelfCollisionPanel:
        """Made when it is asked for the first time."""
        return cast("SelfCollisionPanel", self._workbench.docks.panel(DOCK))

    def show_panel(self) -> SelfCollisionPanel:
        """Brings the panel to the front."""
        return cast("SelfCollisionPanel", self._workbench.docks.show(DOCK, LEAST_HEIGHT))

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

    def _register(self) -> None:
        add, controller = self._workbench.registry.register, self.controller

        def needs_srdf() -> str | None:
            if controller.session.document is None:
                return "Open a robot first."
            return None if controller.has_srdf else "No SRDF is open: open or draft one in its panel."

        def when(action: PairAction) -> Callable[[], str | None]:
            return lambda: action.why_not(controller)

        def run(action: PairAction) -> Callable[[], object]:
            return lambda: action.perform(controller)

        def needs_conflict() -> str | None:
            return needs_evidence(controller) or (
                None if controller.conflicts() else NothingToDo("Mask and evidence agree.")
            )

        add(
            "mask.compute",
            "&Compute the mask",
            self.compute,
            shortcut="Shift+M",
            icon="grid-four",
            menu="Mask",
            section="compute",
            toolbar="mask",
            tooltip="Find which pairs of links can collide: samples, search, proofs",
            enabled=lambda: controller.reason_not_to_compute,
            keywords="self-collision matrix ignore allowed collision",
        )
        add(
            "mask.cancel",
            "S&top computing",
            controller.cancel,
            menu="Mask",
            section="compute",
            tooltip="What is known stays",
            enabled=lambda: None if controller.is_running else "Nothing is being computed.",
        )
        add(
            "mask.write",
            "&Write the mask…",
            self.write,
            icon="floppy-disk-back",
            menu="Mask",
            section="compute",
            tooltip="See what changes, then write it as one step",
            enabled=lambda: needs_evidence(controller),
            keywords="ignore self-collision proposal",
        )
        add(
            "mask.compare_meshes",
            "Compare with the &meshes",
            lambda: controller.compare_with_meshes(controller.solids or "meshes"),
            menu="Mask",
            section="compute",
            tooltip="The second opinion: whether a collision is real or an artefact of the spheres",
            enabled=lambda: "Something is being computed." if controller.is_running else needs_evidence(controller),
            keywords="second opinion hull fcl",
        )
        add(
            "mask.next_conflict",
            "&Next conflict",
            lambda: self._next_conflict(1),
            shortcut="F7",
            icon="warning-circle",
            menu="Mask",
            section="conflicts",
            tooltip="The next pair on which mask and evidence disagree, shown on the robot",
            enabled=needs_conflict,
        )
        add(
            "mask.previous_conflict",
            "&Previous conflict",
            lambda: self._next_conflict(-1),
            shortcut="Shift+F7",
            menu="Mask",
            section="conflicts",
            tooltip="The one before",
            enabled=needs_conflict,
        )
        add(
            "mask.leave",
            "&Leave it, next conflict",
            run(pair_actions.LEAVE),
            shortcut=pair_actions.LEAVE.key,
            place=IN_PAIRS,
            icon="skip-forward",
            menu="Mask",
            section="conflicts",
            tooltip="The selected conflict stays as it is, and is not shown again until the robot is opened",
            enabled=when(pair_actions.LEAVE),
        )
        add(
            "mask.shrink",
            "Shrin&k the spheres of the pair",
            run(pair_actions.SHRINK),
            shortcut=pair_actions.SHRINK.key,
            place=IN_PAIRS,
            icon="arrows-in",
            menu="Mask",
            section="conflicts",
            tooltip="Those that overlap at this pose, until they only just touch",
            enabled=when(pair_actions.SHRINK),
        )
        add(
            "mask.mask_pairs",
            "I&gnore the selected pairs",
            run(pair_actions.MASK),
            shortcut=pair_actions.MASK.key,
            place=IN_PAIRS,
            icon="eye-slash",
            menu="Mask",
            section="pairs",
            tooltip="Leave them out of self-collision",
            enabled=when(pair_actions.MASK),
        )
        add(
            "mask.unmask_pairs",
            "C&heck the selected pairs",
            run(pair_actions.CHECK),
            shortcut=pair_actions.CHECK.key,
            place=IN_PAIRS,
            icon="eye",
            menu="Mask",
            section="pairs",
            tooltip="Check them again",
            enabled=when(pair_actions.CHECK),
        )
        add(
            "mask.reset_pairs",
            "&Reset the selected pairs",
            run(pair_actions.RESET),
            shortcut=pair_actions.RESET.key,
            place=IN_PAIRS,
            menu="Mask",
            section="pairs",
            tooltip="As the file had them when it was opened",
            enabled=when(pair_actions.RESET),
        )
        add(
            "mask.from_srdf",
            "Take over &from the SRDF…",
            lambda: self._carry(MaskFile.XRDF),
            icon="arrow-square-in",
            menu="Mask",
            section="srdf",
            tooltip="See which pairs of disable_collisions the XRDF does not ignore, and ignore them as one step",
            enabled=needs_srdf,
            keywords="disable_collisions moveit",
        )
        add(
            "mask.to_srdf",
            "Take over &into the SRDF…",
            lambda: self._carry(MaskFile.SRDF),
            icon="arrow-square-out",
            menu="Mask",
            section="srdf",
            tooltip="See which pairs that the XRDF ignores the SRDF checks, and disable them with reasons",
            enabled=needs_srdf,
            keywords="disable_collisions moveit",
        )
        add(
            "mask.back",
            "Back to m&y pose",
            run(pair_actions.BACK),
            icon="arrow-u-up-left",
            menu="Mask",
            section="look",
            tooltip="To where the robot stood before a pair was shown (Esc in the matrix)",
            enabled=when(pair_actions.BACK),
        )
        add(
            "mask.overlaps",
            "&Overlaps at this pose",
            self.show_overlaps,
            menu="Mask",
            section="look",
            tooltip="The list of pairs that overlap now",
            enabled=lambda: None if controller.session.document is not None else "Open a robot first.",
        )
        add(
            "mask.blocking",
            "&Spheres that block most",
            self._rank,
            icon="sort-descending",
            menu="Mask",
            section="look",
            tooltip="Spheres ranked by the collisions that they cause and the meshes do not have",
            enabled=lambda: controller.reason_not_to_compute,
        )

    def _rank(self) -> None:
        self.show_panel().show_ranking()

    def _next_conflict(self, by: int) -> None:
        self.show_panel().matrix.keys.next_conflict(by)

    def _carry(self, file: MaskFile) -> None:
        """The preview of taking the other file's mask over into `file`."""
        from editor_app.gui.self_collision.compare_page import mask_beside, open_carry_over

        self.show_panel()
        self.controller.set_file(file)
        open_carry_over(self.controller, mask_beside(self.controller), self._workbench.qt_window)

    # -- the viewport and the status bar

    def _on_viewport(self, view: object) -> None:
        from editor_app.gui.viewport.layers.overlaps import OverlapsLayer

        assert self._workbench.viewport is not None
        self._layer = OverlapsLayer(self._workbench.viewport)
        self._workbench.viewport.before_frame.append(self.live.look_if_due)
        self._on_opened(self._workbench.session.document)

    def _on_opened(self, document: object) -> None:
        if document is not None and self._layer is not None and self.live.is_asleep:
            self._wake.start()
        self._on_overlaps()

    def _wake_up(self) -> None:
        if self._workbench.start.is_over:
            self.live.wake()
        else:
            self._wake.start()

    def _on_overlaps(self) -> None:
        self._draw_overlaps()
        ready = self.live.is_ready and self.live.at_pose.compares and self._workbench.session.document is not None
        count = self.live.at_pose.count
        self.counter.setVisible(ready)
        ignored = f", {self.live.at_pose.masked} ignored" if self.live.at_pose.masked else ""
        text = f"{count or 'No'} self-collision{'s' if count > 1 else ''}{ignored}"
        self.counter.tell(text, "intersect", is_bad=count > 0)

    def _draw_overlaps(self, *_: object) -> None:
        if self._layer is None:
            return
        shown = self.controller.shown
        # While a pair is shown on the robot, the others would only distract.
        pair = shown.pair if shown is not None else None
        self._layer.show_overlaps(self.live.at_pose.touching_balls(self._workbench.session.hidden, pair))

    def _on_shown(self, shown: Shown | None) -> None:
        workbench, layer = self._workbench, self._layer
        if layer is None or workbench.viewport is None:
            return
        self._draw_overlaps()
        if shown is None:
            layer.hide_witness()
            workbench.viewport.set_ghosted(frozenset())
            workbench.viewport.scene.marks.set_faded(frozenset())
            return
        tree = workbench.session.tree
        others = frozenset(tree.frames if tree is not None else ()) - {shown.pair.first, shown.pair.second}
        workbench.viewport.set_ghosted(others)
        workbench.viewport.scene.marks.set_faded(others)
        self.live.look()
        contact = self.live.at_pose.closest(shown.pair)
        if contact is not None:
            layer.show_witness(self.live.at_pose, contact, millimetres(contact.gap))
