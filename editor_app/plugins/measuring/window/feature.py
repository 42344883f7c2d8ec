"""Puts measuring, the section plane and the ghost of a former state into a window."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from editor_app.plugins.measuring.window import former, ruler, section
from editor_app.plugins.measuring.window.actions import FORMER, MEASURING, RULES, SECTION
from editor_app.plugins.measuring.window.panel import MeasurementsPanel
from editor_app.window.actions.actions import ActionRegistry
from editor_app.window.docks.docks import DockSpec
from editor_app.window.session import Session
from editor_app.window.viewport import view
from editor_app.window.window_part import WindowPart
from editor_app.window.workbench import Workbench

DOCK = "measurements"


class ViewAids(QObject):
    """The ruler, the section plane and the ghost of one view, and the names that their tables
    use."""

    def __init__(self, view: view.Viewport, session: Session, registry: ActionRegistry) -> None:
        super().__init__(view)
        self._view, self._session = view, session
        interaction = view.interaction
        self.ruler = ruler.Ruler(interaction.hand, self)
        self.section = section.SectionPlane(interaction.hand, self)
        interaction.instruments += [self.ruler, self.section]
        view.before_frame.append(self.section.follow_camera)
        self.ruler.changed.connect(self._share_measurement)
        self.former = former.FormerState(session, view.scene, view.is_held, self)
        interaction.drag_ended.connect(self.former.end)
        view.ending.connect(self.former.stop)
        for table in (FORMER, MEASURING, SECTION):
            registry.add(table, self, view, RULES)
        for part in (self.ruler, self.section):
            part.changed.connect(registry.refresh_later)

    def flip_tool(self, tool: str) -> None:
        self._view.set_tool("select" if self.is_tool(tool) else tool)

    def is_tool(self, tool: str) -> bool:
        return self._view.interaction.tool == tool

    def flip_ghost(self, option: str) -> None:
        """One of the two at most: there is one ghost."""
        ghosts = ("former", "since_saved")
        self._session.set_display(
            **{ghost: ghost == option and not self.is_on(option) for ghost in ghosts}
        )

    def is_on(self, option: str) -> bool:
        return bool(getattr(self._session.display, option))

    # -- measurements

    def _share_measurement(self) -> None:
        """Give other parts of the window the points of the chosen measurement."""
        notes, chosen = self.ruler.notes, self.ruler.chosen
        anchors = () if chosen is None or chosen >= len(notes) else notes[chosen].anchors
        is_lost = any(anchor.is_lost for anchor in anchors)
        self._session.measured = (
            () if is_lost else tuple((each.frame, each.point) for each in anchors)
        )

    def no_note_chosen(self) -> str | None:
        if self.ruler.chosen is not None:
            return None
        if not self.ruler.notes:
            return RULES["notes"][1]
        return "Select a measurement first: click its text, or its row in Measurements."

    def _chosen(self) -> int:
        assert self.ruler.chosen is not None
        return self.ruler.chosen

    def is_note_hidden(self) -> bool:
        return self.ruler.chosen is not None and self.ruler.notes[self.ruler.chosen].is_hidden

    def any_hidden(self) -> bool:
        return any(note.is_hidden for note in self.ruler.notes)

    def _copy(self, *indices: int) -> None:
        QGuiApplication.clipboard().setText(
            "\n".join(self.ruler.line_of(index) for index in indices)
        )

    def copy_note(self) -> None:
        self._copy(self._chosen())

    def copy_notes(self) -> None:
        self._copy(*range(len(self.ruler.notes)))

    def remove_note(self) -> None:
        self.ruler.remove(self._chosen())

    def hide_note(self) -> None:
        self.ruler.set_hidden(self._chosen(), not self.is_note_hidden())

    def show_notes(self) -> None:
        for index in range(len(self.ruler.notes)):
            self.ruler.set_hidden(index, False)

    # -- the section plane

    def is_across(self, axis: int) -> bool:
        return self.section.is_on and self.section.axis == axis

    def cut(self, things: str) -> None:
        self.section.set_cut(section.Cut(things))

    def is_cut(self, things: str) -> bool:
        return self.section.cut == things


class MeasuringTools(WindowPart):
    """One per window."""

    name = "measuring"
    order = 30
    view_modules = (former, ruler, section)
    #: Carries a ViewAids.
    view_joined = Signal(object)

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        self.aids: ViewAids | None = None
        tip = "Measurements in the view: names, numbers and end points"
        workbench.docks.register(
            DockSpec(
                DOCK, "Measurements", "ruler", "bottom", self._make_panel, 80, tip, is_usual=False
            )
        )

    def join_view(self, viewport: view.Viewport) -> None:
        self.aids = ViewAids(viewport, self._workbench.session, self._workbench.registry)
        self.aids.ruler.rename_asked.connect(lambda: self._workbench.docks.show(DOCK).edit_name())
        self.view_joined.emit(self.aids.ruler)

    def _make_panel(self) -> QWidget:
        panel = MeasurementsPanel(self._workbench)
        if self.aids is not None:
            panel.set_ruler(self.aids.ruler)
        self.view_joined.connect(panel.set_ruler)
        return panel


PART = MeasuringTools
