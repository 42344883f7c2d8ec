"""Which panels the window has, and where they stand at first."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QWidget

from editor_app.gui.action_tables import SOURCE
from editor_app.gui.panels.findings.panel import FindingsPanel
from editor_app.gui.panels.history.panel import HistoryPanel
from editor_app.gui.panels.joints.panel import JointsPanel
from editor_app.gui.panels.measurements.panel import MeasurementsPanel
from editor_app.gui.panels.selection import panel as selection_panel
from editor_app.gui.panels.source import actions as source_actions
from editor_app.gui.panels.source import source_view
from editor_app.gui.panels.srdf import sections as srdf_sections
from editor_app.gui.panels.tree.link_tree import LinkTreePanel
from editor_app.gui.panels.urdf import overlay as inertia
from editor_app.gui.panels.urdf import panel as urdf_panel
from editor_app.gui.panels.urdf import sections as urdf_sections
from editor_app.gui.panels.xrdf import section_stack
from editor_app.gui.panels.xrdf import sections as xrdf_sections
from editor_app.gui.window.docks import DockSpec
from editor_app.gui.window.editor_window import EditorWindow
from editor_app.gui.window.side_shares import SideShares


def register_docks(window: EditorWindow) -> None:
    """Left: links. Right: selection above the XRDF. Bottom: joints, findings, history."""
    panels, session = _Panels(window), window.session
    joints = partial(JointsPanel, session, window.registry, window.poses)
    # fmt: off
    for spec in (
        DockSpec("links", "Links", "tree-structure", "left", panels.links, 0, "The tree of links and frames"),
        DockSpec("selection", "Selection", "selection", "right", panels.selection, 10, "Numbers of what is selected"),
        DockSpec("xrdf", "XRDF", "file", "right", panels.xrdf, 20, "The sections of the XRDF"),
        DockSpec("srdf", "SRDF", "users-three", "right", panels.srdf, 21,
                 "Groups, states, tools and disabled pairs", beside="xrdf"),
        DockSpec("urdf", "URDF", "robot", "right", panels.urdf, 22,
                 "Properties of the selected link and joint", beside="xrdf"),
        DockSpec("joints", "Joints", "sliders-horizontal", "bottom", joints, 10),
        DockSpec("findings", "Findings", "warning", "bottom", panels.findings, 20),
        DockSpec("self-collision", "Self-collision", "grid-four", "bottom", window.self_collision.make_panel, 30,
                 "Which pairs of links can collide, and which of them are ignored"),
        DockSpec("motion", "Motion", "path", "bottom", window.motion.make_panel, 35,
                 "Play a trajectory, see its clearances, try motions beside obstacles"),
        DockSpec("source", "Source", "code", "bottom", panels.source, 40,
                 "The XRDF's text, and what saving changes"),
        DockSpec("measurements", "Measurements", "ruler", "bottom", partial(MeasurementsPanel, window), 80,
                 "What was measured in the view: names, numbers, and what they are between"),
        DockSpec("history", "History", "clock-counter-clockwise", "bottom", partial(HistoryPanel, session), 90),
    ):
        # fmt: on
        window.docks.register(spec)
    window.viewport_ready.connect(lambda view: view.interaction.ruler.rename_asked.connect(panels.rename_measurement))


class _Panels:
    """Makes the panels when they are first shown."""

    def __init__(self, window: EditorWindow) -> None:
        self._window = window
        self._session = window.session
        self._registry = window.registry

    def links(self) -> QWidget:
        panel = LinkTreePanel(self._session, self._registry, self._window.fitting.quality)
        panel.findings_requested.connect(self._window.show_findings_of)
        panel.feature_requested.connect(self._window.show_feature)
        return panel

    def selection(self) -> QWidget:
        panel = selection_panel.SelectionPanel(self._session, self._window.fitting.quality, registry=self._registry)
        docks = self._window.docks
        below = [docks.dock(name) for name in ("xrdf", "srdf", "urdf")]
        shares = SideShares(
            self._window.qt_window, docks.dock("selection"), below, lambda: panel.wanted_height, self._window.settings
        )
        panel.wants_changed.connect(shares.look_later)
        docks.was_reset.connect(shares.reset)
        return panel

    def xrdf(self) -> QWidget:
        return section_stack.SectionStack(self._session, xrdf_sections.SPECS, self._window.settings.store)

    def srdf(self) -> QWidget:
        return section_stack.SectionStack(
            self._session,
            srdf_sections.specs(self._registry),
            self._window.settings.store,
            name="Sections of the SRDF",
            setting="sections/open_srdf",
        )

    def urdf(self) -> QWidget:
        overlay = inertia.InertiaOverlay(self._session, lambda: self._window.viewport, self._window.qt_window)
        panels = urdf_sections.specs(self._window.jobs, self._window.meshes, overlay)
        stack = section_stack.SectionStack(
            self._session,
            panels,
            self._window.settings.store,
            name="Properties in the URDF",
            setting="sections/open_urdf",
        )
        stack.set_head(urdf_panel.ExpansionBanner(self._session, self._window.files.save_urdf_as))
        return stack

    def findings(self) -> QWidget:
        panel = FindingsPanel(self._session, self._window.feed)
        panel.activated.connect(self._window.show_place)
        panel.explanation_requested.connect(self._window.help.show_finding)
        return panel

    def source(self) -> QWidget:
        panel = source_view.SourcePanel(self._session, self._window.jobs, self._window.feed)
        panel.frame_shown.connect(lambda: self._window.docks.show("links"))
        panel.readable.connect(self._window.central.toast.withdraw)
        panel.editor.offer(self._registry.add(SOURCE, source_actions.SourceActions(self._session, panel), panel.editor))
        return panel

    def rename_measurement(self) -> None:
        self._window.docks.show("measurements").edit_name()
