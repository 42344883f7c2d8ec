"""The forms that values of a test file have: how each is read, and its JSON Schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field
from typing import Any

from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.keys import KeyDescription, Named, Shape
from editor_app.core.model.profile import Profile
from editor_app.core.tasks.work import Refused
from editor_app.core.text.yaml.plain import read_finite_number
from editor_app.core.verbs.pose_texts import number_in
from editor_app.core.verbs.schema import NAME_SCHEMA, Schema, number_schema

#: A named configuration ("default", a state of the SRDF), or joint -> rad or m.
PoseGiven = str | FrozenDict[str, float]


@dataclass(frozen=True, slots=True)
class ValueForm:
    """`wanted`: how a value looks, as in "must be …". `read` returns the value; it raises Refused
    or ValueError."""

    wanted: str
    read: Callable[[Any], Any]
    schema: Schema
    shape: Shape = "value"


@dataclass(frozen=True, slots=True)
class TestKey:
    """A key of a test: its meaning and unit (`place`), its form, the kind of thing that it names,
    and whether it has to be given."""

    place: KeyDescription
    form: ValueForm
    names: Named | None
    is_required: bool


def key_field(
    form: ValueForm, means: str, unit: str = "", names: Named | None = None, default: Any = MISSING
) -> Any:
    """Return the field of a frozen test for one key; without a `default` the key has to be
    given."""
    # The names of a pose are its keys, the names of a list are its items.
    is_single = form.shape == "value"
    values = tuple(form.schema.get("enum", ())) if is_single else ()
    place = KeyDescription(means, form.shape, unit, names if is_single else None, None, values)
    return field(
        default=default, metadata={"entry": TestKey(place, form, names, default is MISSING)}
    )


def _read_number(value: Any) -> float:
    plain = read_finite_number(value)
    if plain is None and isinstance(value, str):
        plain = number_in(value, f"{value!r}")
    if plain is None:
        raise ValueError
    return plain


def _read_length(value: Any) -> float:
    length = _read_number(value)
    if length < 0.0:
        raise ValueError
    return length


def _read_share(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 <= value <= 1.0:
        raise ValueError
    return float(value)


def _read_count(value: Any) -> int:
    # 3.0 is a whole number, also to JSON Schema.
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or value < 0
        or value % 1 != 0
    ):
        raise ValueError
    return int(value)


def _read_flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError
    return value


def _read_name(value: Any) -> str:
    if not isinstance(value, (str, int)) or isinstance(value, bool) or value == "":
        raise ValueError
    return str(value)


def _read_list(count: int | None, read: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    def read_items(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list) or not value or (count is not None and len(value) != count):
            raise ValueError
        return tuple(map(read, value))

    return read_items


def _read_one_of(values: tuple[str, ...]) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if value not in values:
            raise ValueError
        return str(value)

    return read


def _read_pose(value: Any) -> PoseGiven:
    if isinstance(value, Mapping):
        return FrozenDict({joint: _read_number(position) for joint, position in value.items()})
    return _read_name(value)


def _list_schema(item: Schema, count: int | None = None) -> Schema:
    bounds = {"minItems": 1} if count is None else {"minItems": count, "maxItems": count}
    return {"type": "array", "items": item, **bounds}


def _choice(*values: str) -> ValueForm:
    return ValueForm(f"one of {', '.join(values)}", _read_one_of(values), {"enum": list(values)})


#: A number of JSON, one that YAML 1.1 takes for text, or a text with a unit (`10 mm`, `45deg`).
_QUANTITY: Schema = {"anyOf": [*number_schema()["anyOf"], {"type": "string"}]}
_LENGTH: Schema = {"anyOf": [*number_schema(negative=False)["anyOf"], {"type": "string"}]}
_PROGRAMS = tuple(profile.value for profile in Profile)

NAME = ValueForm("a name", _read_name, NAME_SCHEMA)
NAMES = ValueForm(
    "a list of names", _read_list(None, _read_name), _list_schema(NAME_SCHEMA), "list"
)
PAIR = ValueForm(
    "a list of two names", _read_list(2, _read_name), _list_schema(NAME_SCHEMA, 2), "list"
)
FILE = ValueForm(
    "the path of a file, relative to the folder of this file",
    _read_name,
    {"type": "string", "minLength": 1},
)
QUANTITY = ValueForm("a number", _read_number, _QUANTITY)
LENGTH = ValueForm("0 or more", _read_length, _LENGTH)
SHARE = ValueForm(
    "a number from 0 to 1", _read_share, {"type": "number", "minimum": 0, "maximum": 1}
)
COUNT = ValueForm("a whole number, 0 or more", _read_count, {"type": "integer", "minimum": 0})
FLAG = ValueForm("true or false", _read_flag, {"type": "boolean"})
VECTOR = ValueForm(
    "a list of three numbers", _read_list(3, _read_number), _list_schema(_QUANTITY, 3), "list"
)
GEOMETRY = _choice("spheres", "hulls", "meshes", "both")
PROGRAMS = ValueForm(
    f"a list of programs: {', '.join(_PROGRAMS)}",
    _read_list(None, _read_one_of(_PROGRAMS)),
    _list_schema({"enum": list(_PROGRAMS)}),
    "list",
)
POSE = ValueForm(
    "a named configuration, or joints with their positions",
    _read_pose,
    {"anyOf": [{"type": "string"}, {"type": "object", "additionalProperties": _QUANTITY}]},
    "mapping",
)


def read_value(form: ValueForm, value: Any) -> Any:
    """Return the value of a key as its form reads it. Raises Refused with how it has to look."""
    try:
        return form.read(value)
    except (ValueError, Refused) as error:
        reason = f" ({str(error).rstrip('.')})" if isinstance(error, Refused) else ""
        raise Refused(f"must be {form.wanted}, not {value!r}{reason}") from None
