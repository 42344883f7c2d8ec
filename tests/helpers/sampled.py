"""What the sampler finds on random robots, to be compared between two processes.

python -m tests.helpers.sampled OUT.npz, with XRDF_EDITOR_VECTORS=plain for the vectors of one
number.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

from editor_app.features.masks.engine.model import SphereModel, build_sphere_model
from editor_app.features.masks.engine.sampling import Sampler
from tests.helpers.sphere_robots import random_robot

#: (seed of the robot, links, spheres of a link, configurations): less than a vector, just one more,
#: no whole block, several blocks; pairs of frames with few, with some and with many pairs of
#: spheres.
CASES = (
    (1, 4, 3, 1),
    (2, 9, 3, 15),
    (3, 9, 8, 17),
    (4, 12, 3, 255),
    (5, 9, 20, 257),
    (6, 12, 8, 1000),
    (7, 7, 20, 2048),
)


def model(case: int) -> SphereModel:
    seed, links, per_link, _ = CASES[case]
    return build_sphere_model(random_robot(seed, n_links=links, per_link=per_link))


def sampled(case: int) -> dict[str, npt.NDArray[np.float64]]:
    """Clearance, where it is, hits; and the clearance of every pair in every configuration (pairs,
    count)."""
    robot, count = model(case), CASES[case][3]
    sampler = Sampler(robot, count, 3)
    samples = sampler.run()
    clearances = [sampler.clearances(row, count) for row in range(len(robot.pairs))]
    each = np.array(clearances, float).reshape(len(robot.pairs), count)
    return {
        "clearance": samples.clearance,
        "at": samples.at.astype(float),
        "hits": samples.hits.astype(float),
        "each": each,
    }


def main() -> None:
    from editor_app.features.masks.engine import lanes

    tables = {
        f"{case}.{name}": table
        for case in range(len(CASES))
        for name, table in sampled(case).items()
    }
    np.savez(Path(sys.argv[1]), width=lanes.WIDTH, **tables)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
