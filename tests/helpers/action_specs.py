"""The actions of all tables, whatever part of the window adds them."""

from __future__ import annotations

from editor_app.window.actions import action_tables
from editor_app.window.actions.action_tables import ActionSpec


def specs() -> tuple[ActionSpec, ...]:
    tables = [table for table in vars(action_tables).values() if isinstance(table, tuple)]
    return tuple(spec for table in tables for spec in table if isinstance(spec, ActionSpec))
