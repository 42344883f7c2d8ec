"""The meaning of a key of a file, at the field of the model that holds its value.

Reader, writer, JSON Schema, completion, hover and comparison read it there: a new key is a new
field.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from enum import StrEnum
from typing import Any, Literal


class Named(StrEnum):
    """The kind of thing that a name in a file refers to."""

    #: A link of the URDF or a frame that the XRDF adds: they share their names.
    LINK = "link"
    JOINT = "joint"
    GEOMETRY_GROUP = "geometry group"
    SRDF_GROUP = "group of the SRDF"


Shape = Literal["value", "list", "mapping"]


@dataclass(frozen=True, slots=True)
class KeyDescription:
    """The description of a key, or of the items of a list or mapping.

    `means`: one sentence. `unit`: of its numbers, empty without one. `shape`: of its value.
    `names`: the kind of thing that its scalar names; `key_names`: the kind that the keys of a
    mapping name, for the item of a mapping. `values`: all possible values. `version`: the only one
    that has the key, None for all.
    """

    means: str
    shape: Shape = "value"
    unit: str = ""
    names: Named | None = None
    key_names: Named | None = None
    values: tuple[str, ...] = ()
    version: str | None = None

    @property
    def sentence(self) -> str:
        """The meaning, with the unit."""
        return f"{self.means} [{self.unit}]" if self.unit else self.means


@dataclass(frozen=True, slots=True)
class KeyField:
    """A field of the model that holds the value of a key.

    `name` is the name of the key and of the field, `kind` the type of the field as its annotation
    spells it. `item` describes the items of a list or mapping, where they have a meaning of their
    own. `is_listed`: a new list has a line per item. `is_limit`: its numbers are not negative.
    `is_required`: a file without the key is refused.
    """

    name: str
    kind: str
    description: KeyDescription
    item: KeyDescription | None
    is_listed: bool
    is_limit: bool
    is_required: bool


def key(
    means: str,
    shape: Shape = "value",
    unit: str = "",
    *,
    names: Named | None = None,
    values: tuple[str, ...] = (),
    version: str | None = None,
    item: KeyDescription | None = None,
    default: Any = None,
    is_listed: bool = False,
    is_limit: bool = False,
    is_required: bool = False,
) -> Any:
    """Return the dataclass field for a key of a file; see `KeyDescription` and `KeyField`.

    A field whose `default` is MISSING has none, and its key is required.
    """
    description = KeyDescription(means, shape, unit, names, None, values, version)
    is_required = is_required or default is MISSING
    return field(
        default=default, metadata={"key": (description, item, is_listed, is_limit, is_required)}
    )


def key_fields(model: type[Any]) -> tuple[KeyField, ...]:
    """Return the fields of a class of the model that hold values of keys, in their order; no field
    without `key`."""
    return tuple(
        KeyField(each.name, str(each.type), *each.metadata["key"])
        for each in fields(model)
        if "key" in each.metadata
    )
