"""A recipe of an assembly: a file in YAML that says which parts hang where, for `compose`.

base: arms/ur10e.urdf
parts:
  - {part: hands/hand.urdf, at: tool0, xyz: [0, 0, 0.01], rpy: [0, 0, 1.5708], prefix: hand_, variant: closed}
  - {part: cameras/d435.urdf, at: hand_palm, frame: screw_frame}
tools: [hand_palm]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.yaml.plain import load_plain
from editor_app.model.findings import Location
from editor_app.model.origin import Vector3
from editor_app.operations.compose import Attachment
from editor_app.operations.work import Refused

_TEXTS = ("xrdf", "srdf", "prefix", "frame", "variant")
_KEYS = ("part", "at", "xyz", "rpy", *_TEXTS)
_NOWHERE = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Recipe:
    """`base`: the files of the robot that the parts hang on. The parts are files, too: a URDF, with an XRDF and SRDF
    that are not the ones beside it. Which tools and joints count in the whole is said with the last part."""

    base: tuple[Path, ...]
    parts: tuple[Attachment, ...]


def is_recipe(path: Path) -> bool:
    """By its name."""
    return path.suffix.lower() in (".yaml", ".yml", ".json") and not path.name.lower().endswith(
        (".xrdf.yaml", ".xrdf.yml")
    )


def read_recipe(path: Path) -> Recipe:
    """Paths are relative to the folder of the recipe. Raises FormatError, OSError."""
    source = SourceText.read(path)
    value = load_plain(source)
    try:
        return _recipe(value, path.absolute().parent)
    except Refused as error:
        remedy = f"A recipe has the keys base (a URDF), parts (a list of {', '.join(_KEYS)}), tools and joints."
        raise FormatError(str(error), Location(str(path)), remedy) from error


def _recipe(value: Any, folder: Path) -> Recipe:
    if not isinstance(value, Mapping) or not isinstance(value.get("parts"), list) or not value["parts"]:
        raise Refused("This is no recipe of an assembly: it has no list of parts")
    if strange := [key for key in value if key not in ("base", "parts", "tools", "joints")]:
        raise Refused(f"{strange[0]!r} is no key of a recipe")
    base = value.get("base")
    files = [base] if isinstance(base, str) else base
    if not isinstance(files, list) or not files or not all(isinstance(file, str) for file in files):
        raise Refused("base has to be the URDF of the robot that the parts hang on")
    parts = [_part(each, number, folder) for number, each in enumerate(value["parts"], start=1)]
    last = replace(parts[-1], tools=_names(value, "tools"), joints=_names(value, "joints"))
    return Recipe(tuple(folder / file for file in files), (*parts[:-1], last))


def _names(value: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
    names = value.get(key)
    if names is None:
        return None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise Refused(f"{key} of a recipe has to be a list of names")
    return tuple(names)


def _part(value: Any, number: int, folder: Path) -> Attachment:
    if not isinstance(value, Mapping):
        raise Refused(f"part {number} has to be a mapping with part and at")
    if strange := [key for key in value if key not in _KEYS]:
        raise Refused(f"{strange[0]!r} of part {number} is none of {', '.join(_KEYS)}")
    for key in ("part", "at"):
        if not isinstance(value.get(key), str) or not value[key]:
            raise Refused(f"part {number} has no {key}, which has to be a text")
    for key in _TEXTS:
        if not isinstance(value.get(key, ""), str):
            raise Refused(f"{key} of part {number} has to be a text")
    files = [value[key] for key in ("part", "xrdf", "srdf") if value.get(key)]
    xyz, rpy = (_vector(value, key, number) for key in ("xyz", "rpy"))
    told = {key: value[key] for key in ("prefix", "frame", "variant") if key in value}
    return Attachment(tuple(folder / file for file in files), value["at"], xyz, rpy, **told)


def _vector(value: Mapping[str, Any], key: str, number: int) -> Vector3:
    numbers = value.get(key, list(_NOWHERE))
    fits = isinstance(numbers, list) and len(numbers) == 3
    if not fits or not all(isinstance(each, int | float) and not isinstance(each, bool) for each in numbers):
        raise Refused(f"{key} of part {number} has to be three numbers, metres or radians")
    x, y, z = map(float, numbers)
    return x, y, z
