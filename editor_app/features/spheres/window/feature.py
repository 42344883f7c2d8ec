"""Brings fitting into a window: docks, actions, and what the view shows of it, the mount among
it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from editor_app.core.document.selection import Selection
from editor_app.core.drafting import ControlPlan, ControlRequest
from editor_app.core.model.findings import Finding
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.space.geometry.mount import Mount
from editor_app.core.tasks.task import Task
from editor_app.features.draft.verbs.control import control, plan_for_tools
from editor_app.features.draft.window.decisions_dialog import DecisionsAction
from editor_app.features.draft.window.first_file import FirstFileAction
from editor_app.features.draft.window.first_steps import FirstSteps, StepActions
from editor_app.features.spheres.engine.results import Certificate
from editor_app.features.spheres.fit_session import Accepted
from editor_app.features.spheres.verbs.link_figures import LinkFigures
from editor_app.features.spheres.verbs.link_fits import certificate_finding
from editor_app.features.spheres.window import fit_panel as fit_panels
from editor_app.features.spheres.window import tool_box as tool_boxes
from editor_app.features.spheres.window.actions import ACCEPT, COPY_ALIKE, FIT, RULES
from editor_app.features.spheres.window.context import BudgetEstimates, FitContext
from editor_app.features.spheres.window.hand_tools import (
    TOOLS,
    HandTool,
    copy_to_alike,
    reason_against,
    reason_against_copy,
)
from editor_app.features.spheres.window.heat_map import HeatMap
from editor_app.features.spheres.window.measuring import QualityMeter
from editor_app.window.actions.action_tables import ActionSpec
from editor_app.window.docks.docks import DockSpec, is_in_front
from editor_app.window.jobs import JobSlot
from editor_app.window.link_quality import LinkQuality
from editor_app.window.timers import Wait, after
from editor_app.window.viewport import view
from editor_app.window.window_part import WindowPart
from editor_app.window.workbench import Workbench

#: Height that the panels need to be read without scrolling (pixels).
_HEIGHT = 262
_OVERLAY = "fit.proposed"
#: Code of a finding -> what the fit of its link is called.
_REMEDIES = {
    "XRDF307": "Fit spheres…",
    "XRDF313": "Refit above the mounting plane…",
    "XRDF316": "Refit…",
    "XRDF314": "Fit the visible shape…",
}


class Fitting(WindowPart):
    """One per window."""

    name = "fitting"
    order = 40

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        #: Given by plug-ins: whether a proposal of theirs waits; what changes the robot for another
        #: program.
        self.is_proposing: Callable[[], object] = lambda: False
        self.mend: Callable[[Profile], object] | None = None
        self._session = workbench.session
        self.context = FitContext(workbench.session, workbench.meshes, workbench.jobs, self)
        self.context.defaults = lambda: workbench.settings.defaults.values
        #: What budgets would give, for card and panel.
        self.estimates = BudgetEstimates(self.context, self)
        self.heat_map = HeatMap(self.context, self)
        #: What the link tree and the selection show.
        self.quality = LinkQuality(self)
        self.measuring = QualityMeter(self.context, self.quality, self)
        self._choosing = JobSlot(workbench.jobs)
        self._panel: fit_panels.FitPanel | None = None
        self._tool_box: tool_boxes.ToolBox | None = None
        self._view: view.Viewport | None = None
        self._proofs: dict[str, tuple[Certificate, tuple[CollisionSphere, ...]]] = {}
        self._later = after(self, self._report_proofs, Wait.FIT_PROOFS)
        self._warm_later = after(self, self.context.warm, Wait.FIT_WARMTH)
        tip = "Fit spheres to one link, several links, or the whole robot"
        workbench.docks.register(
            DockSpec(
                "fit", "Fit", "sparkle", "bottom", self._make_panel, 25, tip, module=fit_panels
            )
        )
        self._register()
        self.first_file = FirstFileAction(workbench, self.context, self.keep_proofs)
        self.decided = DecisionsAction(workbench, self.quality)
        step_actions = StepActions(
            links=lambda: 0 if workbench.meshes.is_loading else len(self.context.links_with_mesh()),
            # Links that have a mesh and no sphere in the group that a fit writes to.
            bare=lambda: sum(
                not self.context.present(link) for link in self.context.links_with_mesh()
            ),
            # A tighter fit may propose buffers alone.
            is_busy=lambda: (
                bool(self.context.proposed or self.is_proposing())
                or not (self._panel is None or self._panel.is_idle)
            ),
            is_making=lambda: self.first_file.is_running,
            stage=lambda: self.first_file.stage,
            stop=self.first_file.cancel,
            show_findings=lambda: workbench.docks.show("findings"),
            control=self._control,
            mend=lambda: self.mend,
        )
        self.first_steps = FirstSteps(
            workbench.session, workbench.registry, step_actions, workbench.jobs, self
        )
        # Before the first fit, and as long as the panel of fits is in sight.
        fit_dock, first_steps = workbench.docks.dock("fit"), self.first_steps
        self.mount = MountShown(
            self.context,
            lambda: (
                is_in_front(fit_dock)
                or (first_steps.step is not None and first_steps.step.id == "fit")
            ),
            self,
        )
        fit_dock.visibilityChanged.connect(self.mount.show_later)
        first_steps.changed.connect(self.mount.show_later)
        self.first_file.stage_changed.connect(self.first_steps.update_later)
        session, proposed, loaded = (
            self._session,
            self.context.proposed_changed,
            workbench.meshes.finished,
        )
        for signal in (workbench.start.ended, session.findings_known_changed, loaded, proposed):
            signal.connect(self.first_steps.update_later)
        for signal in (loaded, self.context.mount_changed, self.heat_map.changed):
            signal.connect(workbench.registry.refresh_later)
        for signal in (
            proposed,
            session.pose_changed,
            session.visibility_changed,
            session.display_changed,
        ):
            signal.connect(self._show_proposed)
        self.heat_map.changed.connect(self._show_proposed)
        self.heat_map.updated.connect(lambda _: self._fade())
        self._session.document_opened.connect(lambda _: self._proofs.clear())
        self._session.robot_settled.connect(
            lambda *_: self._later.start() if self._proofs else None
        )
        workbench.viewport_ready.connect(self._take_view)

    # -- parts

    @property
    def fit_panel(self) -> fit_panels.FitPanel:
        panel: Any = self._workbench.docks.panel("fit")
        return panel  # type: ignore[no-any-return]

    @property
    def tool_box(self) -> tool_boxes.ToolBox:
        if self._tool_box is None:
            self._tool_box = tool_boxes.ToolBox(self.context, self.over)
        return self._tool_box

    @property
    def over(self) -> QWidget:
        """The widget that proposals lie over."""
        return self._view or self._workbench.central

    def stop(self) -> None:
        for part in (self._later, self._warm_later, self.measuring, self.estimates):
            part.stop()
        self.context.close()

    def fit_finding(self, finding: Finding) -> None:
        """The way out of findings about spheres of a link, which is selected in the panel."""
        if finding.code == "XRDF313":
            self.context.use_mount(True)
        if finding.code == "XRDF314" and self.context.kind == "collision":
            # Fitted to what is seen of it.
            self.context.set_kind("auto")
        self._session.select(Selection(links=finding.subject.links))
        self.open_fit()

    # -- the panel

    def _make_panel(self) -> QWidget:
        panel = self._panel = fit_panels.FitPanel(self.context, self.estimates)
        panel.accepted.connect(self.keep_proofs)
        panel.active_changed.connect(self._on_active)
        panel.next_asked.connect(partial(self._workbench.registry.trigger, "mask.compute"))
        return panel

    def _on_active(self, on: bool) -> None:
        self._workbench.registry.refresh_later()
        self.first_steps.update_later()
        if on and self._tool_box is not None:
            # One proposal at a time.
            self._tool_box.close_box()

    # -- actions

    def open_fit(self) -> None:
        """Shows the panel and fits what is selected."""
        self._workbench.docks.show("fit", _HEIGHT)
        self.context.warm()
        self.fit_panel.fit_selected()
        self.fit_panel.form.amount.slider.setFocus(Qt.FocusReason.OtherFocusReason)

    def open_robot(self) -> None:
        """Shows the panel with all links ticked; a robot that has no sphere at all is fitted at
        once, as there is nothing to lose."""
        self._workbench.docks.show("fit", _HEIGHT)
        panel, links = self.fit_panel, self.context.links_with_mesh()
        self.context.warm()
        if len(panel.chosen) == 1:
            panel.cancel()
        if panel.is_idle:
            panel.tick(links)
            if links and not any(map(self.context.present, links)):
                panel.start()
        (panel.cancel_button if panel.is_running else panel.start_button).setFocus(
            Qt.FocusReason.OtherFocusReason
        )

    def _control(
        self, request: ControlRequest, taken: Callable[[RobotDescription], object]
    ) -> None:
        """Takes another chain: planned in the background, taken as one step."""
        document = self._session.document

        def take(plan: ControlPlan) -> None:
            self._session.execute(control(document, request, plan=plan))
            taken(document.robot)
            self.first_steps.update_later()

        refuse = partial(self._workbench.jobs.refuse, self._session.refused.emit)
        job = Task(
            plan_for_tools,
            document.robot.urdf,
            document.robot.srdf,
            request,
            document.robot.positions,
        )
        self._choosing.run(
            "Finding the chain", job, take, failed=refuse, about=lambda: self._session.document
        )

    def _register(self) -> None:
        for code, text in _REMEDIES.items():
            self._workbench.feed.register_remedy(code, text, self.fit_finding)
        tools = (
            ActionSpec(
                f"spheres.{tool.id}",
                tool.text,
                "run_tool",
                keys=tool.shortcut,
                icon=tool.icon,
                menu="Spheres/Refine" if tool.refines else "Spheres",
                section="tools",
                toolbar="spheres" if tool.id in ("connect", "mirror") else "",
                tip=tool.tip,
                when="no_tool(given)",
                contexts="sphere link" if tool.whole else "sphere",
                words=tool.keywords,
                given=(tool,),
            )
            for tool in TOOLS
        )
        self._workbench.registry.add((*FIT, *tools, *COPY_ALIKE), self, rules=RULES)

    def links_to_fit(self) -> str | None:
        frames = self._session.selection.frames
        if not frames:
            return "Select a link first."
        return None if any(map(self.context.kind_of, frames)) else "The link has no shapes."

    def flip_mount(self) -> None:
        self.context.use_mount(not self.context.mount_used)

    def is_mount_used(self) -> bool:
        return self.context.mount is not None and self.context.mount_used

    def no_tool(self, tool: HandTool) -> str | None:
        return reason_against(tool, self.context)

    def copy_to_alike(self) -> None:
        copy_to_alike(self.context)

    def no_alike(self) -> str | None:
        return reason_against_copy(self.context)

    def no_sphere(self) -> str | None:
        return None if self._session.selection.spheres else "Select a sphere first."

    def is_locked(self) -> bool:
        refs, robot = self._session.selection.spheres, self._session.robot
        return bool(refs) and all(self._session.locks.holds(robot, ref) for ref in refs)

    def lock(self) -> None:
        self._session.locks.toggle(self._session.robot, self._session.selection.spheres)
        self._workbench.registry.refresh_later()

    def run_tool(self, tool: HandTool) -> None:
        self.tool_box.run(tool)

    def proposed(self) -> bool:
        return self._panel is not None and self._panel.is_ready

    def accept(self) -> None:
        self.fit_panel.accept()

    # -- the view

    def _take_view(self, view: view.Viewport) -> None:
        self._view = view
        if self._tool_box is not None:
            self._tool_box.close_box()
            self._tool_box = None
        self._workbench.registry.add(ACCEPT, self, view, RULES)
        self.heat_map.set_view(view)
        self.mount.set_view(view)
        self.first_steps.set_view(view, view.strip)
        view.complete_frame_drawn.connect(self._warm_soon)
        view.complete_frame_drawn.connect(self.measuring.begin)
        self._show_proposed()

    def _warm_soon(self) -> None:
        """A user who opens a robot without spheres is going to fit some: the processes start
        meanwhile."""
        if not self.context.measurable_links():
            self._warm_later.start()

    def _show_proposed(self, *_: object) -> None:
        view = self._view
        if view is None:
            return
        centers, radii = [], []
        for frame, spheres in self.context.proposed.items():
            pose = self._session.transform(frame)
            if pose is None or frame in self._session.hidden or not spheres:
                continue
            local = np.array([s.center for s in spheres])
            centers.append(local @ pose[:3, :3].T + pose[:3, 3])
            radii.append(np.array([max(s.radius, 0.0) for s in spheres]))
        if centers:
            # Over the heat map they only have to show their outlines.
            opacity = (
                0.06 if self.heat_map.is_on else max(0.35, self._session.display.sphere_opacity)
            )
            colour = np.array([*view.scene.accent, opacity])
            view.overlay.set_spheres(
                _OVERLAY, np.concatenate(centers), np.concatenate(radii), colour
            )
        else:
            view.overlay.remove(_OVERLAY)
        self._fade()

    def _fade(self) -> None:
        if self._view is not None:
            self._view.scene.set_faded(frozenset(self.context.proposed) | self.heat_map.links)

    # -- proofs

    def keep_proofs(self, results: Accepted) -> None:
        """Take over the proofs and figures of accepted fits."""
        measured = {}
        for link, (result, spheres, mesh) in results.items():
            self._proofs.pop(link, None)
            certificate, quality = result.certificate, result.quality
            if certificate is not None:
                self._proofs[link] = (certificate, spheres)
                # Without the proof, figures would lack a part.
                if quality is not None:
                    figures = replace(LinkFigures.of(quality, certificate), count=len(spheres))
                    measured[link] = (mesh, spheres, figures)
        self.measuring.take(measured)
        self._report_proofs()

    def _report_proofs(self) -> None:
        """Only for links that still have the very spheres that the proof is about; undo and redo
        bring it back."""
        valid = [
            certificate_finding(k, c)
            for k, (c, s) in self._proofs.items()
            if self.context.present(k) == s
        ]
        self._workbench.feed.report("fit", valid)


#: The square reaches so far beyond what stands on it.
_BEYOND = 1.5


class MountShown(QObject):
    """Shown while a fit is at issue, as long as fits keep to it."""

    def __init__(
        self, context: FitContext, is_at_issue: Callable[[], bool], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._is_at_issue = is_at_issue
        self._view: view.Viewport | None = None
        #: The corners that the view shows.
        self._drawn: bytes | None = None
        session = context.session
        told_by = (session.document_opened, session.tree_changed, session.history_changed)
        self._later = after(
            self, self._show, on=(*told_by, context.mount_changed, context.proposed_changed)
        )

    def set_view(self, view: view.Viewport) -> None:
        self._view = view
        self._show()

    def show_later(self, *_: object) -> None:
        """Return whether it is at issue may have changed."""
        self._later.start()

    def _show(self) -> None:
        if self._view is None:
            return
        mount = self._context.mount
        used = mount is not None and self._context.mount_used
        corners = (
            self._corners(mount) if mount is not None and used and self._is_at_issue() else None
        )
        key = None if corners is None else corners.tobytes()
        if key != self._drawn:
            self._drawn = key
            self._view.scene.mount.show(corners)
            self._view.scene.redraw()

    def _corners(self, mount: Mount) -> np.ndarray | None:
        """(4, 3) in the base frame, in turn: a square around the links that stand on the plane."""
        context = self._context
        low, high = np.full(2, np.inf), np.full(2, -np.inf)
        root = context.session.transform(mount.root)
        if root is None:
            return None
        for plane in mount.planes:
            mesh, pose = context.mesh(plane.link, whole=True), context.session.transform(plane.link)
            if mesh is None or pose is None or not len(mesh.vertices):
                continue
            used = mesh.vertices[np.unique(mesh.faces)] @ pose[:3, :3].T + pose[:3, 3]
            local = (used - root[:3, 3]) @ root[:3, :3]
            low, high = (
                np.minimum(low, local[:, :2].min(axis=0)),
                np.maximum(high, local[:, :2].max(axis=0)),
            )
        if not np.isfinite(low).all():
            return None
        middle, half = (low + high) / 2, _BEYOND * float((high - low).max()) / 2
        square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float) * half + middle
        corners = np.column_stack([square, np.full(4, mount.height)])
        return np.asarray(corners @ root[:3, :3].T + root[:3, 3])


PART = Fitting
