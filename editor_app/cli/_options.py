"""Options of the command line from frozen settings: one per field that is an `option`
(`core/model/options.py`)."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import Field, fields
from enum import Enum
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from editor_app.core.model.coercion import hints_of
from editor_app.core.model.options import is_allowed, limit_text
from editor_app.core.model.refusal import Refused

#: Metadata that argparse does not know.
_OURS = frozenset({"flag", "parse", "least", "wanted", "endless", "ends"})


def add_options(parser: argparse._ActionsContainer, settings: type, *names: str) -> None:
    """Add the options of a settings class: of the fields with these names, or of all fields that
    are options."""
    options = options_of(settings)
    for name in names or options:
        field = options[name]
        given = {key: value for key, value in field.metadata.items() if key not in _OURS}
        parser.add_argument(_flag(field), **{**_usual(field, hints_of(settings)[name]), **given})


def option_values(args: argparse.Namespace, settings: type) -> dict[str, Any]:
    """Return the values of the options that a command has by field, in the units of the fields.

    Options without a value are left out, so that settings keep their default. Raises Refused for a
    value beyond its limit, and what the parsers of the fields do.
    """
    values = {}
    for name, field in options_of(settings).items():
        flag = _flag(field)
        typed = getattr(args, flag[2:].replace("-", "_"), None)
        if typed is None:
            continue
        value = field.metadata["parse"](typed, flag) if "parse" in field.metadata else typed
        if not is_allowed(field, value):
            raise Refused(f"{flag} must be {limit_text(field)}, not {typed}")
        values[name] = value
    return values


def options_of(settings: type) -> dict[str, Field[Any]]:
    """Return the fields of a settings class that are options, by name."""
    return {field.name: field for field in fields(settings) if "help" in field.metadata}


def _flag(field: Field[Any]) -> str:
    return "--" + (field.metadata.get("flag") or field.name).replace("_", "-")


def _usual(field: Field[Any], hint: Any) -> dict[str, Any]:
    """Return the arguments of `add_argument` that follow from the type and the default of a
    field."""
    if NoneType in get_args(hint):
        hint = next(each for each in get_args(hint) if each is not NoneType)
    if hint is bool and field.default and "flag" not in field.metadata:
        return {"action": argparse.BooleanOptionalAction, "default": True}
    if hint is bool:
        return {"action": "store_true"}
    if get_origin(hint) is Literal:
        return {"choices": get_args(hint), "default": field.default}
    if isinstance(hint, type) and issubclass(hint, Enum) and "action" not in field.metadata:
        return {"choices": [member.value for member in hint], "default": field.default}
    if get_origin(hint) in (tuple, Mapping) and "type" not in field.metadata:
        return {"action": "append", "default": []}
    return {"default": field.default, **({"type": hint} if hint in (int, float, Path) else {})}
