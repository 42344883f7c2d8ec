"""Which panels the window has, and where they stand at first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from editor_app.gui.action_tables import SOURCE
from editor_app.gui.panels.findings.panel import FindingsPanel
from editor_app.gui.panels.history.panel import HistoryPanel
from editor_app.gui.panels.joints.panel import JointsPanel
from editor_app.gui.panels.measurements.panel import MeasurementsPanel
from editor_app.gui.panels.tree.link_tree import LinkTreePanel
from editor_app.gui.window.docks import DockSpec

if TYPE_CHECKING:
    from editor_app.gui.window.editor_window import EditorWindow


def register_docks(window: EditorWindow) -> None:
    """Left: links. Right: selection above the XRDF. Bottom: joints, findings, history."""
    session, registry, docks = window.session, window.registry, window.docks

    def links() -> QWidget:
        panel = LinkTreePanel(session, registry, window.fitting.quality)
        panel.findings_requested.connect(window.show_findings_of)
        panel.feature_requested.connect(window.show_feature)
        return panel

    def selection() -> QWidget:
        from editor_app.gui.panels.selection.panel import SelectionPanel

        return SelectionPanel(session, window.fitting.quality)

    def xrdf() -> QWidget:
        from editor_app.gui.panels.xrdf.section_stack import SectionStack
        from editor_app.gui.panels.xrdf.sections import specs

        return SectionStack(session, specs(session), window.settings.store)

    def srdf() -> QWidget:
        from editor_app.gui.panels.srdf.sections import specs
        from editor_app.gui.panels.xrdf.section_stack import SectionStack

        return SectionStack(
            session,
            specs(session, registry),
            window.settings.store,
            name="Sections of the SRDF",
            setting="sections/open_srdf",
        )

    def urdf() -> QWidget:
        from editor_app.gui.panels.urdf.overlay import InertiaOverlay
        from editor_app.gui.panels.urdf.read_only import ExpansionBanner
        from editor_app.gui.panels.urdf.sections import specs
        from editor_app.gui.panels.xrdf.section_stack import SectionStack

        overlay = InertiaOverlay(session, lambda: window.viewport, window.qt_window)
        panels = specs(session, window.meshes, overlay)
        stack = SectionStack(
            session, panels, window.settings.store, name="Properties in the URDF", setting="sections/open_urdf"
        )
        stack.set_head(ExpansionBanner(session, window.files.save_urdf_as))
        return stack

    def findings() -> QWidget:
        panel = FindingsPanel(session, window.feed)
        panel.activated.connect(window.show_place)
        panel.explanation_requested.connect(window.help.show_finding)
        return panel

    def source() -> QWidget:
        from editor_app.gui.panels.source.actions import SourceActions
        from editor_app.gui.panels.source.source_view import SourcePanel

        panel = SourcePanel(session, window.jobs, window.feed)
        panel.frame_shown.connect(lambda: window.docks.show("links"))
        panel.readable.connect(window.central.toast.withdraw)
        panel.editor.offer(registry.add(SOURCE, SourceActions(session, panel), panel.editor))
        return panel

    def joints() -> QWidget:
        return JointsPanel(session, registry, window.poses)

    def rename_measurement() -> None:
        panel = docks.show("measurements")
        assert isinstance(panel, MeasurementsPanel)
        panel.edit_name()

    for spec in (
        DockSpec("links", "Links", "tree-structure", "left", links, tooltip="The tree of links and frames"),
        DockSpec("selection", "Selection", "selection", "right", selection, 10, 1, "Numbers of what is selected"),
        DockSpec("xrdf", "XRDF", "file", "right", xrdf, 20, 1, "The sections of the XRDF"),
        DockSpec(
            "srdf", "SRDF", "users-three", "right", srdf, 21, 1, "Groups, states, tools and disabled pairs", "xrdf"
        ),
        DockSpec("urdf", "URDF", "robot", "right", urdf, 22, 1, "Properties of the selected link and joint", "xrdf"),
        DockSpec(
            "joints", "Joints", "sliders-horizontal", "bottom", lambda: JointsPanel(session, registry, window.poses), 10
        ),
        DockSpec("findings", "Findings", "warning", "bottom", findings, 20),
        DockSpec(
            "self-collision",
            "Self-collision",
            "grid-four",
            "bottom",
            window.self_collision.make_panel,
            30,
            tooltip="Which pairs of links can collide, and which of them are ignored",
        ),
        DockSpec(
            "motion",
            "Motion",
            "path",
            "bottom",
            window.motion.make_panel,
            35,
            tooltip="Play a trajectory, see its clearances, try motions beside obstacles",
        ),
        DockSpec("source", "Source", "code", "bottom", source, 40, tooltip="The XRDF's text, and what saving changes"),
        DockSpec(
            "measurements",
            "Measurements",
            "ruler",
            "bottom",
            lambda: MeasurementsPanel(window),
            80,
            tooltip="What was measured in the view: names, numbers, and what they are between",
        ),
        DockSpec("history", "History", "clock-counter-clockwise", "bottom", lambda: HistoryPanel(session), 90),
    ):
        docks.register(spec)
    window.viewport_ready.connect(lambda view: view.interaction.ruler.rename_asked.connect(rename_measurement))
