"""The verdict of spheres and mask against that of the meshes, in many configurations: what they
refuse needlessly and what they accept wrongly, by pair and by sphere."""

from __future__ import annotations

import hashlib
from collections import Counter

import numpy as np

from editor_app.core.arrays import F64, I64, U8, Bools
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.model_cost import Hidden as Hidden
from editor_app.core.model.model_cost import ModelCost as ModelCost
from editor_app.core.model.model_cost import Names
from editor_app.core.model.model_cost import TooFat as TooFat
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.progress import Progress, silent
from editor_app.features.masks.engine.meshes import KEPT_MOTIONS
from editor_app.plugins.motion.engine.mesh_motion import MeshMotion
from editor_app.plugins.motion.engine.model import MotionModel

#: Configurations between two looks at the cancel flag.
CHUNK = 1000
#: Pairs that are compared at a time.
_PORTION = 32
#: Share of the free configurations above which refusing them is told as a fault: planners lose
#: their way.
MUCH_NEEDLESS = 0.2
#: Configurations, contacts and spheres that are kept for each pair.
WITNESSES = 24


def compare_verdicts(
    model: MotionModel,
    meshes: MeshMotion,
    values: F64,
    *,
    seed: int = 0,
    is_random: bool = True,
    notes: tuple[str, ...] = (),
    told: tuple[Bools, tuple[Names, ...]] | None = None,
    tick: Progress = silent,
) -> ModelCost:
    """Both at configurations (n, variables); both models are made from one tree, so they have the
    same joints.

    `is_random`: the configurations are random ones of the c-space; of pairs that it does not move
    they say nothing. `told`: what `mesh_touches` said of them before. `tick` hears how far it is,
    and may raise.
    """
    touches, left_out = told or mesh_touches(meshes, values, is_random=is_random, tick=tick)
    spots, gaps = model.row_clearances(values, 0.0, model.rows)
    refused = np.zeros(len(values), bool)
    refused[spots[:, 0]] = True
    touched = touches.any(axis=1)
    needless = refused & ~touched
    wrong = ~refused & touched
    idle = needless[spots[:, 0]]
    return ModelCost(
        len(values),
        seed,
        int(refused.sum()),
        int(touched.sum()),
        int(needless.sum()),
        int(wrong.sum()),
        _too_fat(model, values, spots[idle], gaps[idle]),
        _hidden(model, meshes, values, touches, wrong),
        _blamed(model, spots[idle]),
        left_out,
        notes,
        _apart(meshes, touches, left_out),
        meshes.meshes.seen,
    )


def mesh_touches(
    meshes: MeshMotion,
    values: F64,
    *,
    is_random: bool = True,
    tick: Progress = silent,
    counted: dict[tuple[Names, bytes], U8] | None = None,
) -> tuple[Bools, tuple[Names, ...]]:
    """(n, rows) which pairs of meshes touch, as `compare_verdicts` counts them, and the pairs that
    do not count.

    Ignored and adjacent pairs count: their touching is a collision that no sphere is asked about.
    `counted`: packed columns of pairs that were compared before, and move in the same way. This
    call adds those that it compares, also if `tick` ends it.
    """
    counted = {} if counted is None else counted
    rows = meshes.moved if is_random else meshes.colliding
    columns = [hashlib.sha256(column.tobytes()).digest() for column in values.T]
    keys = {
        row: (meshes.motion.names(row), meshes.meshes.motion_key(row, columns))
        for row in rows.tolist()
    }
    new = np.array([row for row, key in keys.items() if key not in counted], np.int64)
    obstacles = np.arange(len(meshes.meshes.model.pairs), meshes.motion.row_count)
    touches = np.zeros((len(values), meshes.motion.row_count), bool)
    portions = [new[k : k + _PORTION] for k in range(0, len(new), _PORTION)] + [obstacles] * bool(
        len(obstacles)
    )
    for number, portion in enumerate(portions):
        for first in range(0, len(values), CHUNK):
            share = (number + first / len(values)) / len(portions)
            tick(share, f"Comparing meshes: pair {number * _PORTION} of {len(new)}")
            touching = np.array(
                meshes.touching(values[first : first + CHUNK], portion), np.int64
            ).reshape(-1, 2)
            touches[first + touching[:, 0], touching[:, 1]] = True
        counted |= {
            keys[row]: np.packbits(touches[:, row]) for row in portion.tolist() if row in keys
        }
    for row, key in keys.items():
        touches[:, row] = np.unpackbits(counted[key], count=len(values))
    if len(counted) > KEPT_MOTIONS * len(keys):
        for key in counted.keys() - set(keys.values()):
            del counted[key]
    rows = np.concatenate([rows, obstacles])
    left_out = np.setdiff1d(np.arange(meshes.motion.row_count), rows)
    return touches, tuple(meshes.motion.names(row) for row in left_out.tolist())


def _apart(meshes: MeshMotion, touches: Bools, joined: tuple[Names, ...]) -> frozenset[LinkPair]:
    pairs = (meshes.motion.pair(row) for row in np.flatnonzero(~touches.any(axis=0)).tolist())
    return frozenset(pair for pair in pairs if pair is not None) - {
        LinkPair.of(*names) for names in joined
    }


def _too_fat(model: MotionModel, values: F64, spots: I64, gaps: F64) -> tuple[TooFat, ...]:
    """From the contacts of the configurations that are refused needlessly."""
    pairs_of = Counter(spots[:, 0].tolist())
    too_fat = []
    for row in np.unique(spots[:, 1]).tolist():
        mine = spots[:, 1] == row
        contacts, depths = spots[mine], -gaps[mine]
        deepest = int(np.argmax(depths))
        spread = np.unique(np.linspace(0, len(contacts) - 1, WITNESSES).astype(int)).tolist()
        too_fat.append(
            TooFat(
                model.names(row),
                len(contacts),
                sum(pairs_of[n] == 1 for n in contacts[:, 0].tolist()),
                float(depths[deepest]),
                tuple(
                    (*_ends(model, row, a, b), count)
                    for (a, b), count in Counter(map(tuple, contacts[:, 2:].tolist())).most_common(
                        WITNESSES
                    )
                ),
                _blamed(model, contacts)[:8],
                model.pose(values[contacts[deepest, 0]]),
                tuple(
                    (model.pose(values[n]), *_ends(model, row, a, b), float(depths[k]))
                    for k in spread
                    for n, _, a, b in (contacts[k].tolist(),)
                ),
            )
        )
    return tuple(sorted(too_fat, key=lambda each: (-each.count, each.names)))


def _ends(model: MotionModel, row: int, one: int, other: int) -> tuple[SphereRef, SphereRef | None]:
    """The two spheres of a contact; of one with an obstacle, its sphere and None."""
    first, *rest = model.refs(row, one, other)
    return first, rest[0] if rest else None


def _blamed(model: MotionModel, spots: I64) -> tuple[tuple[SphereRef, int], ...]:
    """Spheres by how many contacts they have."""
    counts: Counter[SphereRef] = Counter()
    for (row, a, b), count in Counter(map(tuple, spots[:, 1:].tolist())).items():
        for ref in model.refs(row, a, b):
            counts[ref] += count
    return tuple(counts.most_common())


def _hidden(
    model: MotionModel, meshes: MeshMotion, values: F64, touches: Bools, wrong: Bools
) -> tuple[Hidden, ...]:
    counts: Counter[int] = Counter()
    witness: dict[int, int] = {}
    for n in np.flatnonzero(wrong).tolist():
        for row in np.flatnonzero(touches[n]).tolist():
            counts[row] += 1
            witness.setdefault(row, n)
    hidden = []
    for row, count in counts.most_common():
        pair = meshes.motion.pair(row)
        sphere_row = None if pair is None else model.spheres.pair_index.get(pair)
        masked = sphere_row is not None and not model.checked[sphere_row]
        without = sphere_row is None and (
            pair is not None or meshes.motion.names(row)[0] not in model.world.index
        )
        hidden.append(
            Hidden(
                meshes.motion.names(row), count, masked, without, model.pose(values[witness[row]])
            )
        )
    return tuple(hidden)
