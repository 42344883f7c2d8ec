"""Compares the proven bound of the protrusion with a million random points of the spheres.

For random boxes the distance is a formula. For the links of a robot, trimesh decides which of the
farthest points are outside the mesh, and measures their distance. Ends with 1 when a point is
beyond a bound.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.tasks.work import locate_robot
from editor_app.core.verbs.open import open_robot
from editor_app.features.spheres.engine.protrusion import bound_protrusion
from editor_app.features.spheres.engine.solid import Solid
from editor_app.features.spheres.engine.surface import outside_distance
from editor_app.features.spheres.verbs.link_fits import prepare_solid, stack_spheres
from editor_app.features.spheres.verbs.link_meshes import link_meshes
from editor_app.plugins.robot_tests.verbs.judges import sphere_lists
from tests.spheres.test_protrusion_bound import box_solid, sampled_protrusion

#: Metres of rounding.
_ROUNDING = 1e-6
#: The farthest points, whose side trimesh decides.
_LOOKS = 3000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "robots", nargs="*", type=Path, metavar="URDF", help="robots, each with an XRDF next to it"
    )
    parser.add_argument(
        "--boxes", type=int, default=20, metavar="N", help="random boxes with spheres (default: 20)"
    )
    parser.add_argument(
        "--points",
        type=int,
        default=1_000_000,
        metavar="N",
        help="points in all (default: 1000000)",
    )


def run(args: argparse.Namespace) -> int:
    beyond = 0
    for seed in range(args.boxes):
        rng = np.random.default_rng(seed)
        size = rng.uniform(0.05, 0.4, 3)
        spheres = np.column_stack(
            [rng.uniform(-0.5, 0.5, (6, 3)) * size, rng.uniform(0.02, 0.15, 6)]
        )
        bound = bound_protrusion(box_solid(tuple(size)), spheres)
        sampled = sampled_protrusion(size, spheres, args.points // len(spheres), seed)
        beyond += _told(f"box {seed}", sampled, bound.most)
    for path in args.robots:
        document = open_robot(path)
        lists = {
            name: each
            for name, each in sphere_lists(document.robot).items()
            if document.robot.urdf.link(name)
        }
        for mesh in link_meshes(locate_robot(document), lists).meshes:
            rows = stack_spheres(lists[mesh.link])
            solid = prepare_solid(mesh)
            bound = bound_protrusion(solid, rows)
            beyond += _told(
                f"{path.stem} {mesh.link}", _sampled(solid, rows, args.points), bound.most
            )
    return int(beyond > 0)


def _told(name: str, sampled: float, most: float) -> bool:
    is_beyond = sampled > most + _ROUNDING
    print(
        f"{name}: sampled {sampled * 1e3:.3f} mm, bound {most * 1e3:.3f} "
        f"mm{' BEYOND' if is_beyond else ''}",
        flush=True,
    )
    return is_beyond


def _sampled(solid: Solid, spheres: F64, count: int) -> float:
    import trimesh

    mesh = trimesh.Trimesh(solid.mesh.vertices, solid.mesh.faces, process=True)
    rng = np.random.default_rng(0)
    share = max(1, count // len(spheres))
    points = []
    for number, (*centre, radius) in enumerate(spheres):
        directions = rng.normal(size=(share, 3))
        each = np.array(centre) + radius * directions / np.linalg.norm(
            directions, axis=1, keepdims=True
        )
        visible = np.ones(len(each), bool)
        for x, y, z, size in np.delete(spheres, number, axis=0):
            visible &= np.linalg.norm(each - (x, y, z), axis=1) >= size
        points.append(each[visible])
    exposed = np.concatenate(points)
    # The editor ranks the points, trimesh judges the farthest ones.
    order = np.argsort(outside_distance(solid, solid.to_canonical(exposed)))
    judged = exposed[order[-_LOOKS:]]
    outside = judged[~mesh.contains(judged)]
    return float(trimesh.proximity.closest_point(mesh, outside)[1].max()) if len(outside) else 0.0
