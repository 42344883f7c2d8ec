"""The verb schema: XRDF as JSON Schema, for editors and for programs that write XRDFs.

It says of a file's shape what the reader and the rules of the format say: a file is refused for
what is an error whatever the robot. What needs the URDF, or two places of the file at once, is left
to `check`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from editor_app.core.formats.xrdf import SECTION_ORDER
from editor_app.core.formats.xrdf.sections import MODIFIER_KEYS
from editor_app.core.formats.xrdf.versions import VERSIONS
from editor_app.core.formats.xrdf.vocabulary import PLACES
from editor_app.core.model.keys import KeyField, key_fields
from editor_app.core.model.xrdf import (
    AddFrame,
    CollisionSection,
    CollisionSphere,
    CSpace,
    GeometryGroup,
    RemoveMimicAttributes,
    SelfCollisionSection,
)

Schema = dict[str, Any]
#: The dialect; what editors of YAML understand.
DRAFT = "http://json-schema.org/draft-07/schema#"
#: A number in quotes, or one that YAML 1.1 takes for a string (1e-04): readers take it for a
#: number.
_NUMBER_TEXT = r"^\s*[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\s*$"
_NUMBER_TEXT_NOT_NEGATIVE = _NUMBER_TEXT.replace("[-+]?", "[+]?", 1)
#: `yes` and `12` without quotes are names to a reader, if bad ones.
NAME_SCHEMA: Schema = {"type": ["string", "number", "boolean"]}


def schema(version: str | None = None) -> Schema:
    """The JSON Schema (draft 7) of XRDF `version`, "1.0" or "2.0"; None for both: each file is
    judged by its own.

    Raises ValueError for another version.
    """
    if version is None:
        old, new = (_xrdf(number) for number in VERSIONS)
        is_new = {
            "properties": {"format_version": _version(VERSIONS[1])},
            "required": ["format_version"],
        }
        return {"$schema": DRAFT, "title": "XRDF", "if": is_new, "then": new, "else": old}
    if version not in VERSIONS:
        raise ValueError(f"Supported XRDF versions are {' and '.join(VERSIONS)}, not {version!r}")
    return {"$schema": DRAFT, "title": f"XRDF {version}", **_xrdf(version)}


def _xrdf(version: str) -> Schema:
    wanted, other = (
        ("collision", "world_collision") if version == "1.0" else ("world_collision", "collision")
    )
    sections: dict[str, Callable[[], Schema]] = {
        "format": lambda: {"const": "xrdf"},
        "format_version": lambda: _version(version),
        "modifiers": _modifiers,
        "default_joint_positions": lambda: (
            _mapping(number_schema()) | _said("default_joint_positions")
        ),
        "cspace": lambda: _keys_schema(CSpace) | _said("cspace"),
        "tool_frames": lambda: _list(NAME_SCHEMA) | _said("tool_frames"),
        wanted: lambda: _collision(wanted),
        "self_collision": lambda: _collision("self_collision", SelfCollisionSection),
        "geometry": lambda: _mapping(_group(version)) | _said("geometry"),
    }
    # A section that the reader knows and this does not is a KeyError of every test.
    properties = {key: sections[key]() for key in SECTION_ORDER if key != other}
    return {
        "type": "object",
        "required": ["format", "format_version", "cspace"],
        "properties": properties | {other: False},
        "dependencies": {wanted: ["geometry"], "self_collision": ["geometry"]},
    }


def _version(version: str) -> Schema:
    """As number and as text; the integer is taken with a warning, as JSON has no other."""
    number = float(version)
    return {"enum": [number, version, f"{number:g}"]}


def _said(*place: str) -> Schema:
    """What a place means, with the unit of its numbers."""
    return {"description": PLACES[place].sentence}


def number_schema(*, negative: bool = True) -> Schema:
    """Return the schema of a number, also of one that YAML 1.1 takes for text."""
    if negative:
        return {"anyOf": [{"type": "number"}, {"type": "string", "pattern": _NUMBER_TEXT}]}
    text = {"type": "string", "pattern": _NUMBER_TEXT_NOT_NEGATIVE}
    return {"anyOf": [{"type": "number", "minimum": 0}, text]}


def _vector(count: int) -> Schema:
    return {"type": "array", "items": number_schema(), "minItems": count, "maxItems": count}


def _list(item: Schema) -> Schema:
    return {"type": ["array", "null"], "items": item}


def _mapping(value: Schema) -> Schema:
    return {"type": ["object", "null"], "additionalProperties": value}


def record_schema(required: tuple[str, ...], **properties: Schema) -> Schema:
    """Return the schema of a mapping with fixed keys."""
    return {"type": "object", "required": list(required), "properties": properties}


def _value(key: KeyField) -> Schema:
    """Return the schema of a value of a plain kind, as `formats.xrdf.sections` reads them."""
    kinds: dict[str, Callable[[], Schema]] = {
        "str": lambda: NAME_SCHEMA,
        "str | None": lambda: {"anyOf": [{"type": "null"}, NAME_SCHEMA]},
        "float | None": lambda: {
            "anyOf": [{"type": "null"}, number_schema(negative=not key.is_limit)]
        },
        "Vector3": lambda: _vector(3),
        "tuple[float, float]": lambda: _vector(2),
        "tuple[str, ...] | None": lambda: _list(NAME_SCHEMA),
        "tuple[float, ...] | None": lambda: _list(number_schema(negative=not key.is_limit)),
    }
    return kinds[key.kind]()


def _keys_schema(model: type[Any], **schemas: Schema) -> Schema:
    """Return the schema of a mapping that `model` represents; `schemas`: key -> schema of a value
    of another kind."""
    properties = {}
    for key in key_fields(model):
        schema_of_value = schemas[key.name] if key.name in schemas else _value(key)
        properties[key.name] = schema_of_value | {"description": key.description.sentence}
    return record_schema(
        tuple(key.name for key in key_fields(model) if key.is_required), **properties
    )


def _modifiers() -> Schema:
    orientation = record_schema(("w", "xyz"), w=number_schema(), xyz=_vector(3))
    transform = record_schema(
        ("position", "orientation"), position=_vector(3), orientation=orientation
    )
    joint_type: Schema = {
        "anyOf": [{"type": "null"}, {"type": "string", "pattern": "^[Ff][Ii][Xx][Ee][Dd]$"}]
    }
    freed = _keys_schema(RemoveMimicAttributes)
    freed["properties"]["velocity_limits"] = freed["properties"]["velocity_limit"]
    kinds: dict[str, Schema] = {
        "add_frame": _keys_schema(AddFrame, fixed_transform=transform, joint_type=joint_type),
        "set_base_frame": NAME_SCHEMA,
        "remove_mimic_attributes": freed,
    }
    modifier: Schema = {
        "type": "object",
        "minProperties": 1,
        "maxProperties": 1,
        "properties": {key: kinds[key] for key in MODIFIER_KEYS},
        "additionalProperties": False,
    }
    return _list(modifier) | _said("modifiers")


def _collision(section: str, model: type[CollisionSection] = CollisionSection) -> Schema:
    # One number for all frames, and an empty list for an empty mapping: cuRobo writes them so.
    buffers: Schema = {"anyOf": [_mapping(number_schema()), number_schema()]}
    ignored: Schema = {"anyOf": [_mapping(_list(NAME_SCHEMA)), {"type": "array", "maxItems": 0}]}
    return _keys_schema(
        model, geometry=NAME_SCHEMA, buffer_distance=buffers, ignore=ignored
    ) | _said(section)


def _group(version: str) -> Schema:
    radius = number_schema()
    if version != "1.0":
        # Files of 1.0 in use have -0.01 and -10; readers of 2.0 refuse them.
        radius = {
            "anyOf": [
                {"type": "number", "exclusiveMinimum": 0},
                number_schema(negative=False)["anyOf"][1],
            ]
        }
    sphere = _keys_schema(CollisionSphere, radius=radius)
    return _keys_schema(GeometryGroup, spheres=_mapping(_list(sphere))) | {
        "type": ["object", "null"]
    }
