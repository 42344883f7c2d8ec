"""The actions of all tables, and their rules, whatever part of the window adds them."""

from __future__ import annotations

import importlib
from types import ModuleType

from editor_app.core.feature import features
from editor_app.window.actions import action_tables
from editor_app.window.actions.action_tables import ActionSpec


def _modules() -> list[ModuleType]:
    added = (feature.module("window.actions") for feature in features())
    return [
        action_tables,
        *(importlib.import_module(each.name) for each in added if each is not None),
    ]


def specs() -> tuple[ActionSpec, ...]:
    tables = [
        table
        for module in _modules()
        for table in vars(module).values()
        if isinstance(table, tuple)
    ]
    return tuple(spec for table in tables for spec in table if isinstance(spec, ActionSpec))


def rules() -> dict[str, tuple[str, str]]:
    """Every rule of a table: its name -> what it asks, and its reason."""
    return {
        name: rule for module in _modules() for name, rule in getattr(module, "RULES", {}).items()
    }
