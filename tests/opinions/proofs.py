"""How many pairs that are never seen to collide are proven apart, and whether a proven pair can
collide after all.

    python -P -m tests.opinions proofs [--count N] [--only NAME] [--part K/N] [--seconds S] [--poses N]

For robots of example-robot-data with balls that hold each link's collision shapes. The judge has
its own reader of URDF and its own kinematics. In random poses python-fcl compares the meshes of the
proven pairs, and the balls have to stay as far apart as is proven; a random search goes on from the
closest poses.

Ends with 1 when a proven pair is a counterexample, or when more than `MOST_OPEN` of the pairs of a
robot stay open.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import trimesh

from tests.helpers.robots import example_mappings, example_urdfs
from tests.opinions.masks import covering_xrdf
from tests.opinions.planning_truth import Pair, Robot, Toucher, balls_around, random_values

#: Share of the pairs never seen to collide that may stay unproven.
MOST_OPEN = 0.01
#: Pairs whose closest poses are searched further, rounds of that, and poses in each.
CLOSEST, ROUNDS, TRIES = 20, 10, 64
#: Rounding of the XRDF's numbers, metres.
ROUNDING = 1e-5


@dataclass
class Row:
    """One robot: `clear` pairs were never seen to collide, `proven` of them are proven apart."""

    name: str
    joints: int
    pairs: int
    clear: int
    proven: int
    seconds: float
    counterexamples: list[str]
    open_pairs: list[str]

    @property
    def is_good(self) -> bool:
        return not self.counterexamples and self.clear - self.proven <= MOST_OPEN * self.clear

    @property
    def line(self) -> str:
        more = "".join(f"\n    {each}" for each in (*self.counterexamples, *self.open_pairs))
        return (
            f"| {self.name} | {self.joints} | {self.pairs} | {self.clear} | {self.proven} | "
            f"{self.clear - self.proven} | {len(self.counterexamples)} | {self.seconds:.1f} |{more}"
        )


class Balls:
    """Clearances of the balls of two links, by the judge's kinematics."""

    def __init__(self, robot: Robot, joints: list[str]) -> None:
        self._robot, self._joints = robot, joints
        self._balls = {
            name: balls_around(trimesh.util.concatenate(link.shapes))
            for name, link in robot.links.items()
            if link.shapes
        }

    def frames(self, values: np.ndarray) -> dict[str, np.ndarray]:
        chosen = {name: values[:, k] for k, name in enumerate(self._joints)}
        return self._robot.frames(self._robot.values(chosen, {}, len(values)), len(values))

    def clearances(self, pair: Pair, frames: dict[str, np.ndarray]) -> np.ndarray:
        """(n,) metres."""
        (a, a_radii), (b, b_radii) = (self._balls[name] for name in pair)
        one, other = (
            centres @ np.swapaxes(frames[name][:, :3, :3], 1, 2) + frames[name][:, None, :3, 3]
            for name, centres in zip(pair, (a, b), strict=True)
        )
        least = np.full(len(one), np.inf)
        for k in range(len(a)):
            gaps = np.linalg.norm(other - one[:, k : k + 1], axis=2) - b_radii
            least = np.minimum(least, gaps.min(axis=1) - a_radii[k])
        return least


def judged(urdf: Path, folder: Path, seconds: float, poses: int) -> Row | str:
    """One robot, or why nothing can be judged."""
    import editor_app
    from editor_app.features.masks.engine.results import PairClass

    packages = example_mappings()
    robot = Robot(urdf, packages)
    kinds = ("revolute", "continuous", "prismatic")
    joints = [
        j.name
        for j in robot.joints
        if j.kind in kinds and j.mimic is None and np.isfinite(j.upper - j.lower)
    ]
    if sum(bool(link.shapes) for link in robot.links.values()) < 2 or not joints:
        return f"{urdf.stem}: no two links with shapes, or no joints"
    xrdf = folder / f"{urdf.stem}.xrdf"
    xrdf.write_text(covering_xrdf(robot, joints), encoding="utf-8")
    document = editor_app.open_robot(urdf, xrdf, packages=packages)
    began = time.process_time()
    analysis = editor_app.mask(document, certify=seconds).analysis
    spent = time.process_time() - began
    proven = [e for e in analysis if e.kind is PairClass.NEVER_CERTIFIED]
    left = [e for e in analysis if e.kind is PairClass.NEVER_SAMPLED]
    bounds = {(e.first, e.second): e.certified_clearance or 0.0 for e in proven}
    return Row(
        urdf.stem, len(joints), len(analysis), len(proven) + len(left), len(proven), spent,
        counterexamples(robot, joints, bounds, poses),
        [f"open: {e.first} and {e.second}, {e.clearance_min * 1e3:.2f} mm" for e in left],
    )  # fmt: skip


def counterexamples(
    robot: Robot, joints: list[str], bounds: dict[Pair, float], poses: int
) -> list[str]:
    """Sentences about pairs that come closer than `bounds` (m), or whose meshes touch."""
    values = random_values(robot, joints, poses, 17)
    pairs = list(bounds)
    wrong = [
        f"touch: {' and '.join(pairs[k])}"
        for k in np.flatnonzero(Toucher(robot, joints, {}, pairs)(values).any(axis=0)).tolist()
    ]
    balls = Balls(robot, joints)
    frames = balls.frames(values)
    closest: dict[Pair, tuple[float, np.ndarray]] = {}
    for pair in pairs:
        gaps = balls.clearances(pair, frames)
        best = int(np.argmin(gaps))
        closest[pair] = float(gaps[best]), values[best]
    rng = np.random.default_rng(23)
    lower, upper = (
        np.array([getattr(robot.by_name[name], side) for name in joints])
        for side in ("lower", "upper")
    )
    for pair in sorted(pairs, key=lambda pair: closest[pair][0])[:CLOSEST]:
        gap, pose = closest[pair]
        for turn in range(ROUNDS):
            steps = rng.normal(size=(TRIES, len(joints))) * (upper - lower) * 0.3 * 0.6**turn
            tries = np.clip(pose + steps, lower, upper)
            gaps = balls.clearances(pair, balls.frames(tries))
            best = int(np.argmin(gaps))
            if gaps[best] < gap:
                gap, pose = float(gaps[best]), tries[best]
        closest[pair] = gap, pose
    wrong += [
        f"{pair[0]} and {pair[1]}: {closest[pair][0] * 1e3:.3f} mm seen, {bound * 1e3:.3f} mm "
        "proven"
        for pair, bound in bounds.items()
        if closest[pair][0] < bound - ROUNDING
    ]
    return wrong


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--count", type=int, default=0, help="robots (default: 0, all)")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="only this robot; repeatable"
    )
    parser.add_argument(
        "--part", default="1/1", metavar="K/N", help="every Nth robot, from the Kth on"
    )
    parser.add_argument(
        "--seconds", type=float, default=10.0, help="CPU seconds for proofs (default: 10)"
    )
    parser.add_argument(
        "--poses", type=int, default=4000, help="random poses of the judge (default: 4000)"
    )


def run(options: argparse.Namespace) -> int:
    first, step = (int(number) for number in options.part.split("/"))
    rows: list[Row] = []
    print(
        "| robot | joints | pairs | never seen to collide | proven | open | counterexamples | CPU "
        "s |",
        flush=True,
    )
    print("|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as name:
        urdfs = [path for path in example_urdfs() if not options.only or path.stem in options.only]
        for urdf in urdfs[: options.count or None][first - 1 :: step]:
            try:
                row = judged(urdf, Path(name), options.seconds, options.poses)
            except Exception as error:
                print(f"{urdf.stem}: {type(error).__name__}: {error}", flush=True)
                continue
            print(row if isinstance(row, str) else row.line, flush=True)
            rows += [] if isinstance(row, str) else [row]
    clear, proven = (sum(getattr(row, name) for row in rows) for name in ("clear", "proven"))
    print(
        f"{len(rows)} robots: {proven} of {clear} pairs proven, "
        f"{sum(len(row.counterexamples) for row in rows)} counterexamples"
    )
    return 0 if all(row.is_good for row in rows) else 1
