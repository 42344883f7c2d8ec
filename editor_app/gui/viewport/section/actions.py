"""The actions of the section plane: on and off, axis and side, what it cuts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from editor_app.gui.actions import NO_ROBOT, ActionRegistry, Reason
from editor_app.gui.session import Session
from editor_app.gui.viewport.section.section import Cut

if TYPE_CHECKING:
    from editor_app.gui.viewport.view import Viewport

_MENU = "View/Section plane"
_CUTS = ((Cut.BOTH, "Cut meshes and spheres"), (Cut.MESHES, "Cut meshes"), (Cut.SPHERES, "Cut spheres"))


def register_section(registry: ActionRegistry, view: Viewport, session: Session) -> None:
    """Adds them to the View menu, the search and the context menu of the view."""
    section = view.interaction.section

    def no_document() -> Reason:
        return None if session.document is not None else NO_ROBOT

    def is_across(axis: int) -> bool:
        return section.is_on and section.axis == axis

    def is_cut(cut: Cut) -> bool:
        return section.cut is cut

    registry.register(
        "section.toggle",
        "Section &plane",
        section.toggle,
        shortcut="Q",
        icon="square-half",
        menu="View",
        section="measure",
        contexts=("viewport",),
        tooltip="A plane that cuts meshes and spheres; its arrow moves it, its rings tilt it",
        checked=lambda: section.is_on,
        enabled=no_document,
        context=view,
        keywords="cut clip slice look inside",
    )
    for axis, name in enumerate("XYZ"):
        registry.register(
            f"section.across_{name.lower()}",
            f"Section across {name}",
            partial(section.set_axis, axis),
            menu=_MENU,
            section="axis",
            checked=partial(is_across, axis),
            enabled=no_document,
            keywords="cut clip slice plane axis normal",
        )
    registry.register(
        "section.flip",
        "Flip the section",
        section.flip,
        shortcut="Shift+Q",
        menu=_MENU,
        section="side",
        tooltip="Cuts away the other side of the plane",
        enabled=lambda: no_document() or (None if section.is_on else "The section plane is off."),
        context=view,
        keywords="cut clip slice other side reverse",
    )
    for cut, text in _CUTS:
        registry.register(
            f"section.cut_{cut}",
            text,
            partial(section.set_cut, cut),
            menu=_MENU,
            section="what",
            checked=partial(is_cut, cut),
            enabled=no_document,
            keywords="section plane clip slice",
        )
    section.changed.connect(registry.refresh_later)
