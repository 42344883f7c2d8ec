"""How far deviations move links in any configuration, and the buffers that make up for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.optimize import linprog

from editor_app.core.arrays import F64, I64
from editor_app.core.model.counting import format_list
from editor_app.core.model.refusal import Refused
from editor_app.plugins.margins.engine.bounds import BufferedSpheres
from editor_app.plugins.margins.engine.columns import Columns


def displacement(columns: Columns, spheres: BufferedSpheres, chain: I64) -> float:
    """Metres that deviations of the columns of a chain move any of the spheres at most, in any
    configuration.

    The largest distance of a centre from each axis follows from the base outwards: offsets between
    the axes are constant, and a distance from an axis stays where the next one is parallel to it.
    Raises Refused where a joint of the chain slides without end.
    """
    if not len(chain):
        return 0.0
    state = columns.state(np.zeros((1, columns.rates.shape[1])))
    points, axes = state.points[0], state.directions[0]
    limits = np.abs(columns.scaled).sum(axis=1)
    centres = spheres.at(state.poses)[0]
    total = np.zeros(len(centres))
    last = points[chain[-1]]
    length = np.linalg.norm(centres - last, axis=1)
    radius = _from_axis(centres - last, axes[chain[-1]])
    distal: int | None = None
    for column in reversed(chain.tolist()):
        if distal is not None:
            offset = points[distal] - points[column]
            is_parallel = np.linalg.norm(np.cross(axes[column], axes[distal])) < 1e-9
            radius = _from_axis(offset[None], axes[column]) + (radius if is_parallel else length)
            length = length + np.linalg.norm(offset)
        distal = column
        limit = float(limits[column])
        if columns.turning[column]:
            total += 2.0 * np.sin(0.5 * min(limit, np.pi)) * radius if limit else 0.0
        else:
            total += limit
            length = length + limit + _slide(columns, column)
    if not np.isfinite(total).all():
        sliding = (c for c in chain.tolist() if not (columns.turning[c] or columns.is_error[c]))
        endless = format_list((columns.tree.joints[columns.frame[c] - 1].name for c in sliding), 3)
        raise Refused(
            f"joint {endless} slides without limits, so tolerances have no bounded effect: set "
            "lower and upper in the "
            "URDF"
        )
    return float(total.max(initial=0.0))


def _slide(columns: Columns, column: int) -> float:
    """How far a sliding joint may be from where all leaders are at 0, metres; 0 for an error of a
    frame."""
    tree, rate = columns.tree, columns.rates[column]
    if columns.is_error[column] or not rate.any():
        return 0.0
    leader = int(np.flatnonzero(rate)[0])
    joint = tree.joints[tree.joint_index[tree.independent[leader]]]
    return float(abs(rate[leader]) * np.abs(joint.limits or (np.inf, np.inf)).max())


def _from_axis(vectors: F64, axis: F64) -> F64:
    return np.asarray(np.linalg.norm(np.cross(vectors, axis), axis=1))


def share_among_links(
    needs: Mapping[tuple[str, str], float], links: Sequence[str]
) -> dict[str, float]:
    """Return link -> buffer >= 0 (metres): the two of each pair cover what it needs, and the sum is
    the least."""
    place = {name: k for k, name in enumerate(links)}
    rows = np.zeros((len(needs), len(links)))
    for row, (one, other) in zip(rows, needs, strict=True):
        row[[place[one], place[other]]] = -1.0
    if not needs:
        return dict.fromkeys(links, 0.0)
    shares = linprog(
        np.ones(len(links)), A_ub=rows, b_ub=-np.array(list(needs.values())), method="highs"
    ).x
    assert shares is not None
    return dict(zip(links, shares.tolist(), strict=True))
