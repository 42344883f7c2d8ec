"""What masks of the editor hide, by the meshes: own reader of URDF, own kinematics, python-fcl on
the triangles.

    python -P -m tests.opinions masks [--count N] [--only NAME] [--composed] [--poses N] [--part K/N]

For robots of example-robot-data, and for robots with masts, brackets, cameras, tool changers and a
second arm bolted on by a script, the editor makes a mask for spheres that cover the collision
shapes: adjacent, rigid, default, always, never. The judge looks at random poses of all joints.
*Hidden*: an ignored pair whose meshes touch while the meshes of no checked pair do. Pairs of one
rigid group and pairs that always touch (within 0.1 mm in 95 % of the poses) are built that way.
*Reported*: the editor names the pair, in its mask (--compare-meshes) or in its cost.

Ends with 1 when a hidden pair is not reported.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import fcl
import numpy as np
import trimesh

from tests.helpers.robots import example_mappings, example_robots, example_urdfs
from tests.opinions.masks_composed import composed
from tests.opinions.planning_truth import (
    Pair,
    Robot,
    Toucher,
    balls_around,
    fcl_object,
    random_values,
)

#: What the editor is asked for.
SAMPLES, CERTIFY, COST_SAMPLES = 20_000, 2.0, 1_000
#: Surfaces so close to each other (metres) touch, and in which share of the poses such pairs are
#: built that way.
CONTACT, ALWAYS = 1e-4, 0.95


@dataclass
class Row:
    """One robot: `hidden` pairs with the share of the poses, and which of them the editor names."""

    name: str
    links: int
    poses: int
    ignored: int
    pairs: int
    hidden: dict[Pair, float]
    reported: set[frozenset[str]]
    seconds: float
    notes: Sequence[str] = ()

    @property
    def unreported(self) -> dict[Pair, float]:
        return {
            pair: share
            for pair, share in self.hidden.items()
            if frozenset(pair) not in self.reported
        }

    @property
    def told(self) -> str:
        silent = "".join(
            f"\n    not reported: {a} and {b}, {100 * s:.2f} %"
            for (a, b), s in self.unreported.items()
        )
        return (
            f"{self.name}: {self.links} links, {self.poses} poses, {self.ignored} of {self.pairs} "
            "pairs ignored, "
            f"{len(self.hidden)} hide collisions, {len(self.unreported)} of them not reported, "
            f"{self.seconds:.0f} s" + silent
        )


def covering_xrdf(robot: Robot, joints: Sequence[str]) -> str:
    """An XRDF with balls that hold every triangle of each link, and a mask without pairs."""
    ones = ", ".join("1.0" for _ in joints)
    names = ", ".join(f'"{name}"' for name in joints)
    lines = []
    for name, link in robot.links.items():
        if link.shapes:
            centres, radii = balls_around(trimesh.util.concatenate(link.shapes))
            lines.append(f'      "{name}":')
            lines += [
                f"      - {{center: [{x:.6f}, {y:.6f}, {z:.6f}], radius: {r + 1e-6:.6f}}}"
                for (x, y, z), r in zip(centres.tolist(), radii.tolist(), strict=True)
            ]
    return "\n".join([
        "format: xrdf", "format_version: 1.0",
        f"cspace: {{joint_names: [{names}], acceleration_limits: [{ones}], jerk_limits: [{ones}]}}",
        f'tool_frames: ["{list(robot.links)[-1]}"]', "collision: {geometry: g}",
        "self_collision: {geometry: g, ignore: "
        "{}}", "geometry:", "  g:", "    spheres:", *lines, "",
    ])  # fmt: skip


def asked_of_the_editor(
    urdf: Path, xrdf: Path, packages: Mapping[str, Path]
) -> tuple[set[frozenset[str]], set[frozenset[str]], tuple[str, ...]]:
    """The pairs that its mask ignores, the pairs that it names, and what it says beside that."""
    import editor_app

    document = editor_app.open_robot(urdf, xrdf, packages=packages)
    rules = editor_app.MaskRules(
        keep=False, mask_default=True, mask_always=True, compare_meshes=True
    )
    mask = editor_app.mask(document, samples=SAMPLES, certify=CERTIFY, rules=rules)
    document.execute(mask.change)
    cost = editor_app.model_cost(document, samples=COST_SAMPLES, seed=7)
    named = [(hidden.first, hidden.second) for hidden in (*mask.look.hidden, *mask.look.rough)]
    named += [hidden.names for hidden in cost.hidden]
    ignored = {frozenset((pair.first, pair.second)) for pair in document.robot.xrdf.ignored_pairs()}
    return ignored, {frozenset(pair) for pair in named}, (*cost.notes, cost.shapes)


def rigid_groups(robot: Robot) -> dict[str, str]:
    group = {name: name for name in robot.links if name not in robot.above}
    for joint in robot.joints:
        group[joint.child] = group[joint.parent] if joint.kind == "fixed" else joint.child
    return group


class Apart:
    """Whether the meshes of two links stay more than `CONTACT` apart."""

    def __init__(self, robot: Robot, joints: Sequence[str]) -> None:
        self._robot, self._joints = robot, tuple(joints)
        self._objects: dict[str, fcl.CollisionObject] = {}

    def __call__(self, pair: Pair, values: np.ndarray) -> bool:
        chosen = {name: values[None, k] for k, name in enumerate(self._joints)}
        frames = self._robot.frames(self._robot.values(chosen, {}, 1), 1)
        objects = []
        for name in pair:
            if name not in self._objects:
                self._objects[name] = fcl_object(
                    trimesh.util.concatenate(self._robot.links[name].shapes)
                )
            matrix = frames[name][0]
            self._objects[name].setTransform(fcl.Transform(matrix[:3, :3], matrix[:3, 3]))
            objects.append(self._objects[name])
        return bool(fcl.distance(*objects, fcl.DistanceRequest(), fcl.DistanceResult()) > CONTACT)


def judged(urdf: Path, packages: Mapping[str, Path], poses: int, folder: Path) -> Row | str:
    """One robot, or why nothing can be judged."""
    began = time.process_time()
    robot = Robot(urdf, packages)
    kinds = ("revolute", "continuous", "prismatic")
    joints = [
        j.name
        for j in robot.joints
        if j.kind in kinds and j.mimic is None and np.isfinite(j.upper - j.lower)
    ]
    shaped = [name for name, link in robot.links.items() if link.shapes]
    if len(shaped) < 2 or not joints:
        return f"{urdf.stem}: no two links with shapes, or no joints"
    xrdf = folder / f"{urdf.stem}.xrdf"
    xrdf.write_text(covering_xrdf(robot, joints), encoding="utf-8")
    ignored, named, notes = asked_of_the_editor(urdf, xrdf, packages)
    group = rigid_groups(robot)
    pairs = [(a, b) for k, a in enumerate(shaped) for b in shaped[k + 1 :] if group[a] != group[b]]
    values = random_values(robot, joints, poses, 11)
    touching = Toucher(robot, joints, {}, pairs)(values)
    is_ignored: np.ndarray = np.array([frozenset(pair) in ignored for pair in pairs], bool)
    apart = Apart(robot, joints)
    always = np.zeros(len(pairs), bool)
    for k in np.flatnonzero(touching.any(axis=0)).tolist():
        free = np.flatnonzero(~touching[:, k])
        missed = (
            sum(apart(pairs[k], values[n]) for n in free[:200].tolist())
            * len(free)
            / max(1, min(200, len(free)))
        )
        always[k] = missed <= (1.0 - ALWAYS) * poses
    touching[:, always] = False
    seen = np.asarray(touching[:, ~is_ignored].any(axis=1, keepdims=True))
    hidden = {
        pairs[k]: float(share)
        for k, share in enumerate(np.mean(touching & ~seen, axis=0).tolist())
        if share and is_ignored[k]
    }
    return Row(
        urdf.stem, len(shaped), poses, int(is_ignored.sum()), len(pairs), hidden, named,
        time.process_time() - began, notes,
    )  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--count", type=int, default=0, help="robots (default: 0, all)")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="only this robot; repeatable"
    )
    parser.add_argument(
        "--composed",
        action="store_true",
        help="robots with parts bolted on, in the place of others",
    )
    parser.add_argument("--poses", type=int, default=400, help="random poses (default: 400)")
    parser.add_argument(
        "--part", default="1/1", metavar="K/N", help="every Nth robot, from the Kth on"
    )


def run(options: argparse.Namespace) -> int:
    packages = example_mappings()
    first, step = (int(number) for number in options.part.split("/"))
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        urdfs = list(
            composed(example_robots(), folder, packages) if options.composed else example_urdfs()
        )
        urdfs = [path for path in urdfs if not options.only or path.stem in options.only]
        for urdf in urdfs[: options.count or None][first - 1 :: step]:
            try:
                row = judged(urdf, packages, options.poses, folder)
            except Exception as error:
                print(f"{urdf.stem}: {type(error).__name__}: {error}", flush=True)
                continue
            print(row if isinstance(row, str) else row.told, flush=True)
            rows += [] if isinstance(row, str) else [row]
    silent = sum(len(row.unreported) for row in rows)
    print(
        f"{len(rows)} robots, {sum(row.poses for row in rows):,} poses, "
        f"{sum(row.ignored for row in rows):,} pairs "
        f"ignored, {sum(len(row.hidden) for row in rows)} hide collisions, {silent} of them not "
        "reported"
    )
    return 1 if silent or not rows else 0
