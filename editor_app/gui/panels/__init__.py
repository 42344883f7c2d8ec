"""Panels: one module per section of the XRDF, and the panels around the view."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from editor_app.gui.panels.xrdf.section_stack import PanelSpec
    from editor_app.gui.session import Session


def xrdf_panels(session: Session) -> list[PanelSpec]:
    """The sections of the XRDF in their order, for a SectionStack; a panel is made when it is first shown."""
    from editor_app.gui.panels.xrdf.sections import specs

    return specs(session)
