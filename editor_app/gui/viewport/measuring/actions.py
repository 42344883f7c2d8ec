"""The actions of measuring: the tool, and what is done with one note or all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication

from editor_app.gui.actions import NO_ROBOT, ActionRegistry, Reason
from editor_app.gui.session import Session
from editor_app.gui.viewport.tools import Tool

if TYPE_CHECKING:
    from editor_app.gui.viewport.view import Viewport

_MENU = "View/Measurements"


def register_measuring(registry: ActionRegistry, view: Viewport, session: Session) -> None:
    """Adds them to the View menu, the search, and the context menus of the view and of notes."""
    interaction = view.interaction
    ruler = interaction.ruler

    def nothing_measured() -> Reason:
        return None if ruler.notes else "Nothing was measured."

    def nothing_chosen() -> Reason:
        if ruler.chosen is not None:
            return None
        return nothing_measured() or "Choose a measurement first: click its text, or its row in “Measurements”."

    def chosen() -> int:
        assert ruler.chosen is not None
        return ruler.chosen

    def is_hidden() -> bool:
        return ruler.chosen is not None and ruler.notes[ruler.chosen].is_hidden

    def copy(*indices: int) -> None:
        QGuiApplication.clipboard().setText("\n".join(ruler.line_of(index) for index in indices))

    def show_all() -> None:
        for index in range(len(ruler.notes)):
            ruler.set_hidden(index, False)

    registry.register(
        "measure.tool",
        "Meas&ure",
        lambda: view.set_tool(Tool.SELECT if interaction.tool is Tool.MEASURE else Tool.MEASURE),
        shortcut="D",
        icon="ruler",
        menu="View",
        section="measure",
        contexts=("viewport",),
        tooltip="Distances, angles and radii between surfaces, spheres and frames",
        checked=lambda: interaction.tool is Tool.MEASURE,
        enabled=lambda: None if session.document is not None else NO_ROBOT,
        context=view,
        keywords="distance angle radius ruler length gap",
    )
    for id_, text, glyph, callback, tooltip in (
        ("rename", "Rename the measurement", "pencil-simple", ruler.rename_asked.emit, ""),
        ("copy", "Copy the measurement", "copy", lambda: copy(chosen()), "Its numbers and places as a line of text"),
        ("remove", "Remove the measurement", "trash", lambda: ruler.remove(chosen()), ""),
    ):
        registry.register(
            f"measure.{id_}",
            text,
            callback,
            icon=glyph,
            menu=_MENU,
            section="one",
            contexts=("note",),
            tooltip=tooltip,
            enabled=nothing_chosen,
            keywords="distance angle radius ruler note",
        )
    registry.register(
        "measure.hide",
        "Hide the measurement",
        lambda: ruler.set_hidden(chosen(), not is_hidden()),
        icon="eye-slash",
        menu=_MENU,
        section="one",
        contexts=("note",),
        enabled=nothing_chosen,
        checked=is_hidden,
        keywords="distance angle radius ruler note",
    )
    registry.register(
        "measure.show_all",
        "Show all measurements",
        show_all,
        icon="eye",
        menu=_MENU,
        section="all",
        enabled=lambda: None if any(note.is_hidden for note in ruler.notes) else "No measurement is hidden.",
        keywords="distance angle ruler note",
    )
    registry.register(
        "measure.copy_all",
        "Copy all measurements",
        lambda: copy(*range(len(ruler.notes))),
        icon="copy",
        menu=_MENU,
        section="all",
        contexts=("note",),
        enabled=nothing_measured,
        keywords="distance angle ruler note clipboard",
    )
    registry.register(
        "measure.clear",
        "Clear measurements",
        ruler.clear,
        shortcut="Shift+D",
        icon="eraser",
        menu=_MENU,
        section="all",
        contexts=("viewport",),
        enabled=nothing_measured,
        context=view,
        keywords="distance angle ruler remove",
    )
    ruler.changed.connect(registry.refresh_later)
