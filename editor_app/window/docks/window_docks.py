"""Which panels the window has, where they stand at first, and how the columns beside the view share
their room."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QDockWidget, QWidget

from editor_app.window.actions.action_tables import NAMES_IN_FULL, NO_ROBOT, SOURCE
from editor_app.window.actions.command_palette import PaletteEntry
from editor_app.window.docks.docks import DockSpec
from editor_app.window.editor_window import EditorWindow
from editor_app.window.history.panel import HistoryPanel
from editor_app.window.joints.panel import JointsPanel
from editor_app.window.link_tree.link_tree import LinkTreePanel
from editor_app.window.selection import panel as selection_panel
from editor_app.window.source import source_view
from editor_app.window.srdf import sections as srdf_sections
from editor_app.window.timers import after
from editor_app.window.urdf import overlay as inertia
from editor_app.window.urdf import panel as urdf_panel
from editor_app.window.urdf import sections as urdf_sections
from editor_app.window.widgets import icon
from editor_app.window.workbench import Workbench
from editor_app.window.xrdf import section_stack
from editor_app.window.xrdf import sections as xrdf_sections

_SETTING = "window/links_width"
#: Share of the window that the view keeps when the column grows by itself: half, and a few pixels
#: for bars that are laid out anew when a robot is there.
_VIEW = 0.505
#: The share that long names in a wide window leave the view.
_HALF = 0.5
#: Below this share beside a column of the first width, no width of the column gives the view its
#: half.
_OUT_OF_REACH = 0.49
#: In a window of this many pixels, names have up to this share of its width: the view is large all
#: the same.
_WIDE, _NAMES = 1600, 0.2
#: Share of the window's width that the column has at most on demand.
_WIDEST = 0.45


class ColumnWidth(QObject):
    """A width that the user gave by dragging is left alone, until it is asked for full names."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench.qt_window)
        self._workbench = workbench
        self._later = after(self, self._fit_by_itself)
        #: The width that was set last by the program; another one was dragged.
        value = workbench.settings.store.value(_SETTING)
        self._given = int(value) if isinstance(value, (str, int)) and str(value).isdigit() else 0
        self._narrow = 0
        workbench.session.document_opened.connect(
            lambda _: self._later.start() if workbench.session.has_robot else None
        )
        # Links that are attached or renamed have other names.
        workbench.session.tree_changed.connect(self._later.soon)
        workbench.docks.was_reset.connect(self._begin_anew)
        workbench.docks.was_scaled.connect(self._follow_window)
        workbench.registry.add(NAMES_IN_FULL, self)

    def is_wide(self) -> bool:
        return self._narrow > 0

    @property
    def _dock(self) -> QDockWidget:
        return self._workbench.docks.dock("links")

    @property
    def _panel(self) -> LinkTreePanel:
        return self._workbench.docks.panel("links")  # type: ignore[no-any-return]

    def toggle(self) -> None:
        """Make the dock as wide as its names, or restore its width."""
        self._workbench.docks.show("links")
        if self._narrow:
            width, self._narrow = self._narrow, 0
        else:
            self._narrow = self._dock.width()
            width = min(
                self._panel.wanted_width, round(self._workbench.qt_window.width() * _WIDEST)
            )
            width = max(width, self._dock.width())
        self._set(width)

    def _follow_window(self, width: int) -> None:
        """The window has another size, and the column another `width` with it."""
        self._narrow = 0
        if not self._is_dragged:
            self._set(width)
            self._later.start()

    @property
    def _is_dragged(self) -> bool:
        return self._given > 0 and abs(self._dock.width() - self._given) > 2

    def _begin_anew(self) -> None:
        """The first layout has the width that a robot that is opened gets."""
        self._given = self._narrow = 0
        self._later.start()

    def _fit_by_itself(self) -> None:
        dock, workbench = self._dock, self._workbench
        if not workbench.session.has_robot or dock.isFloating() or not dock.isVisible():
            return
        if workbench.qt_window.dockWidgetArea(dock) != Qt.DockWidgetArea.LeftDockWidgetArea:
            return
        if self._is_dragged or self._narrow:
            return
        wanted = self._panel.wanted_width
        width = max(workbench.docks.first_left, min(wanted, self._room(wanted)))
        if width != dock.width():
            self._set(width)

    def _room(self, wanted: int) -> int:
        """The width at which the view still has its share of the window, where names take the
        `wanted` one.

        Where it cannot have it because the panels below it were opened: with those folded, or names
        would be cut for nothing.
        """
        workbench = self._workbench
        window, view, docks = workbench.qt_window, workbench.central, workbench.docks
        area, width = window.width() * window.height(), self._dock.width() + view.width()
        height = max(view.height(), 1)
        if (width - docks.first_left) * height < _OUT_OF_REACH * area:
            height += docks.bottom.open_height
        names = math.floor(_NAMES * window.width()) if window.width() >= _WIDE else 0
        # Names that are longer are cut all the same: for them the view keeps its half.
        least = wanted if wanted <= names else min(names, math.floor(width - _HALF * area / height))
        return max(least, math.floor(width - _VIEW * area / height))

    def _set(self, width: int) -> None:
        self._workbench.qt_window.resizeDocks([self._dock], [width], Qt.Orientation.Horizontal)
        self._given = width
        self._workbench.settings.store.setValue(_SETTING, str(width))
        self._workbench.registry.refresh_later()


def register_docks(window: EditorWindow) -> None:
    """Left: links. Right: selection above the XRDF. Bottom: joints, findings, history."""
    panels, session = _Panels(window), window.session
    joints = partial(JointsPanel, session, window.registry, window.poses)
    window.palette_box.sources.append(panels.section_entries)
    for spec in (
        DockSpec(
            "links", "Links", "tree-structure", "left", panels.links, 0, "Tree of links and frames"
        ),
        DockSpec(
            "selection",
            "Selection",
            "selection",
            "right",
            panels.selection,
            10,
            "Numbers of the selection",
        ),
        DockSpec("xrdf", "XRDF", "file", "right", panels.xrdf, 20, "Sections of the XRDF"),
        DockSpec(
            "srdf",
            "SRDF",
            "users-three",
            "right",
            panels.srdf,
            21,
            "Groups, states, tools and disabled pairs",
            beside="xrdf",
            module=srdf_sections,
        ),
        DockSpec(
            "urdf",
            "URDF",
            "robot",
            "right",
            panels.urdf,
            22,
            "Properties of the selected link and joint",
            beside="xrdf",
            module=urdf_sections,
        ),
        DockSpec("joints", "Joints", "sliders-horizontal", "bottom", joints, 10),
        DockSpec(
            "source",
            "Source",
            "code",
            "bottom",
            panels.source,
            40,
            "The text of the XRDF and the changes that saving will write",
        ),
        DockSpec(
            "history",
            "History",
            "clock-counter-clockwise",
            "bottom",
            partial(HistoryPanel, session),
            90,
            "The steps since opening; click one to return to it",
            is_usual=False,
        ),
    ):
        window.docks.register(spec)


class _Panels:
    """Makes the panels when they are first shown."""

    def __init__(self, window: EditorWindow) -> None:
        self._window = window
        self._session = window.session
        self._registry = window.registry

    def section_entries(self) -> Iterator[PaletteEntry]:
        """Yield an entry of the search box for each section of the panels at the right."""
        docks = self._window.docks
        for panel, specs in (
            ("xrdf", xrdf_sections.SPECS),
            ("srdf", srdf_sections.srdf_section_specs(self._registry)),
            ("urdf", urdf_sections.urdf_section_specs(None, None, None)),
        ):
            title = docks.dock(panel).windowTitle()
            for spec in specs:
                reveal = partial(self._reveal, panel, spec.id)
                reason = None if self._session.has_robot else NO_ROBOT
                text = f"{spec.title} ({title})"
                yield PaletteEntry(
                    text,
                    f"Panel {title}",
                    icon(spec.icon),
                    reveal,
                    reason=reason,
                    keywords=spec.words,
                )

    def _reveal(self, panel: str, section: str) -> None:
        self._window.docks.show(panel).reveal(section)

    def links(self) -> QWidget:
        panel = LinkTreePanel(self._session, self._registry, self._window.fitting.quality)
        panel.findings_requested.connect(self._window.show_findings_of)
        panel.feature_requested.connect(self._window.show_feature)
        return panel

    def selection(self) -> QWidget:
        return selection_panel.SelectionPanel(
            self._session, self._window.fitting.quality, registry=self._registry
        )

    def xrdf(self) -> QWidget:
        return section_stack.SectionStack(
            self._session, xrdf_sections.SPECS, self._window.settings.store
        )

    def srdf(self) -> QWidget:
        return section_stack.SectionStack(
            self._session,
            srdf_sections.srdf_section_specs(self._registry),
            self._window.settings.store,
            name="Sections of the SRDF",
            setting="sections/open_srdf",
        )

    def urdf(self) -> QWidget:
        overlay = inertia.InertiaOverlay(
            self._session, lambda: self._window.viewport, self._window.qt_window
        )
        panels = urdf_sections.urdf_section_specs(self._window.jobs, self._window.meshes, overlay)
        stack = section_stack.SectionStack(
            self._session,
            panels,
            self._window.settings.store,
            name="Properties in the URDF",
            setting="sections/open_urdf",
        )
        stack.set_head(urdf_panel.ExpansionBanner(self._session, self._window.files.save_urdf_as))
        return stack

    def source(self) -> QWidget:
        panel = source_view.SourcePanel(self._session, self._window.jobs, self._window.feed)
        panel.frame_shown.connect(lambda: self._window.docks.show("links"))
        panel.readable.connect(self._window.central.toast.withdraw)
        panel.editor.offer(self._registry.add(SOURCE, panel, panel.editor))
        return panel
