"""Evidence that outlives its session: analyses of self-collision in the cache, by what they were
computed from.

An entry belongs to spheres, buffers, joints, limits and default positions. What the meshes say
belongs to the shapes and their files, too. An entry is untrusted: it is dropped where its numbers
do not fit the model, or its clearances at the default configuration differ from the measured
clearances.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, fields, replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from editor_app.core.model.xrdf import LinkPair
from editor_app.core.space.geometry.cache import (
    digest,
    drop_entry,
    has_entry,
    load_entry,
    store_entry,
)
from editor_app.core.tasks.work import PlacedRobot
from editor_app.core.verbs.mesh_inputs import mesh_inputs
from editor_app.features.masks.engine.live import LiveDistances
from editor_app.features.masks.engine.mesh_look import HiddenPair, MeshLook, NeedlessPair
from editor_app.features.masks.engine.model import BodyArrays, SphereModel, build_sphere_model
from editor_app.features.masks.engine.options import ModelOptions
from editor_app.features.masks.engine.results import (
    PAIR_ARRAYS,
    Analysis,
    AnalysisSettings,
    PairClass,
)

#: Of analyses: another number where they are computed in another way.
_VERSION = b"evidence-1"
_TYPES = {"samples": np.float64, "hits": np.float64, "stale": np.int32}
#: Metres that clearances of an entry may differ from the measured clearances.
_SAME = 1e-9
_Read = TypeVar("_Read")
_PairFigures = TypeVar("_PairFigures", NeedlessPair, HiddenPair)


class Evidence(NamedTuple):
    """An analysis, and what the meshes say of it where they were asked."""

    analysis: Analysis
    look: MeshLook | None = None


class DamagedEvidence(Exception):
    """An entry of the cache was damaged, or about something else, and was deleted."""


def keep_evidence(analysis: Analysis) -> None:
    """Store a complete analysis; one with pairs that are out of date is left out."""
    if not analysis.complete or analysis.stale.any():
        return
    arrays = {
        name: np.asarray(getattr(analysis, name), _TYPES.get(name, getattr(analysis, name).dtype))
        for name in PAIR_ARRAYS
    }
    info = {
        "settings": asdict(analysis.settings),
        "seconds": [analysis.wall_seconds, analysis.cpu_seconds],
    }
    store_entry(_key(analysis.model), info, arrays)


def keep_look(placed: PlacedRobot, analysis: Analysis, look: MeshLook) -> None:
    """Store what the meshes say of an analysis; pairs that are disputed depend on an SRDF and are
    never stored."""
    if look.disputed:
        return
    info = {
        name: [{**asdict(each), "pair": [each.first, each.second]} for each in getattr(look, name)]
        for name in ("needless", "hidden", "thin", "rough")
    }
    store_entry(_look_key(placed, analysis.model), {"look": info}, {})


def kept_evidence(placed: PlacedRobot, options: ModelOptions | None = None) -> Evidence | None:
    """Return the evidence about a robot from the cache; None where it has none.

    Raises DamagedEvidence for an entry that makes no sense.
    """
    model = build_sphere_model(placed.robot, options)
    if not len(model.pairs):
        return None
    analysis = _read(_key(model), partial(_analysis, model))
    if analysis is None:
        return None
    return Evidence(
        analysis, _read(_look_key(placed, model), lambda info, _: _look(model, info["look"]))
    )


def _read(
    key: str, parse: Callable[[dict[str, Any], dict[str, np.ndarray]], _Read]
) -> _Read | None:
    """Raises DamagedEvidence."""
    is_present, entry = has_entry(key), load_entry(key)
    try:
        if entry is not None:
            return parse(*entry)
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        drop_entry(key, f"it makes no sense: {error}")
    if is_present and not has_entry(key):
        raise DamagedEvidence(
            "The stored analysis of this robot was damaged and is deleted: compute the mask again."
        )
    return None


def _key(model: SphereModel) -> str:
    return digest(_VERSION, *_pieces(model))


def _pieces(model: SphereModel) -> Iterator[bytes]:
    """Everything that an analysis is computed from."""
    for field in fields(model):
        value = getattr(model, field.name)
        if field.name == "notes":
            continue
        parts = value if isinstance(value, BodyArrays) else (value,)
        for part in parts:
            if isinstance(part, np.ndarray):
                yield f"{field.name} {part.dtype.str} {part.shape}".encode()
                yield np.ascontiguousarray(part).tobytes()
            else:
                text = sorted(part.items()) if isinstance(part, Mapping) else part
                yield f"{field.name} {text!r}".encode("utf-8", "surrogatepass")


def _look_key(placed: PlacedRobot, model: SphereModel) -> str:
    shapes = repr([(link.name, link.visuals, link.collisions) for link in placed.robot.urdf.links])
    files = sorted(each or "" for each in mesh_inputs(placed).digests.values())
    return digest(
        b"look",
        _key(model).encode(),
        shapes.encode("utf-8", "surrogatepass"),
        *map(str.encode, files),
    )


def _analysis(model: SphereModel, info: dict[str, Any], arrays: dict[str, np.ndarray]) -> Analysis:
    """Raises ValueError, KeyError, TypeError for an entry that is not about the model."""
    blank = Analysis.unexamined(model, AnalysisSettings(**info["settings"]))
    read: dict[str, Any] = {}
    for name in PAIR_ARRAYS:
        wanted, array = getattr(blank, name), arrays[name]
        if array.shape != wanted.shape:
            raise ValueError(f"{name} has another shape")
        if name != "certified" and np.isnan(array).any():
            raise ValueError(f"{name} has no numbers")
        if (
            name in ("samples", "hits")
            and not ((array >= 0) & (array < 2**53) & (array == np.floor(array))).all()
        ):
            raise ValueError(f"{name} are no counts")
        read[name] = array.astype(wanted.dtype)
    analysis = replace(blank, **read, complete=True)
    low, high = model.lower - 1e-9, model.upper + 1e-9
    nearest, clearance = analysis.nearest, LiveDistances(model).clearance
    sound = {
        "hits": (analysis.hits <= analysis.samples).all(),
        "witness": np.isfinite(analysis.witness).all()
        and (
            ((analysis.witness >= low) & (analysis.witness <= high))
            | (analysis.witness == model.default)
        ).all(),
        "nearest": ((nearest >= -1) & (nearest < len(model.spheres))).all(),
        "stale": not analysis.stale.any(),
        "certified": not (analysis.certified <= 0.0).any(),
        "clearance_default": np.allclose(
            analysis.clearance_default, clearance, rtol=0.0, atol=_SAME
        ),
    }
    wrong = [name for name, is_sound in sound.items() if not is_sound]
    if wrong:
        raise ValueError(f"{', '.join(wrong)} cannot be right")
    wall, cpu = info["seconds"]
    return replace(analysis, wall_seconds=float(wall), cpu_seconds=float(cpu))


def _look(model: SphereModel, info: dict[str, Any]) -> MeshLook:
    """Raises ValueError, KeyError, TypeError for an entry that is not about the model."""
    needless = tuple(_figures_of(model, NeedlessPair, each) for each in info["needless"])
    hidden, thin, rough = (
        tuple(_figures_of(model, HiddenPair, each) for each in info[name])
        for name in ("hidden", "thin", "rough")
    )
    return MeshLook(needless, hidden, (), thin, rough)


def _figures_of(
    model: SphereModel, kind: type[_PairFigures], entry: dict[str, Any]
) -> _PairFigures:
    pair = LinkPair.of(*entry["pair"])
    if pair not in model.pair_index or {entry["first"], entry["second"]} != {
        pair.first,
        pair.second,
    }:
        raise ValueError("it names a pair that the robot does not have")
    values = {**entry, "pair": pair}
    numbers = (values.get(name, 0.0) for name in ("share", "gap", "samples", "proven"))
    if not all(
        number is None or (isinstance(number, (int, float)) and abs(number) < 1e15)
        for number in numbers
    ):
        raise ValueError("a value is no number")
    if kind is HiddenPair:
        values["kind"] = PairClass(values["kind"])
    return kind(**values)
