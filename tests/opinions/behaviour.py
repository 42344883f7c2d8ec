"""Whether `diff --behaviour` is right: verdicts by pinocchio's kinematics and plain sums of sphere
radii.

    python -P -m tests.opinions behaviour ROBOT.urdf FILE.xrdf --count 20

Random single changes of the URDF or XRDF are compared with the robot as it was. For each, all
configurations are judged here from the texts of the files alone; the configurations whose verdict
changed have to be the same, and so have the pair or joint, and the depth. Also measured: the CPU
seconds of the editor.

Ends with 1 when a verdict differs.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import shutil
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio
import yaml

import editor_app
from tests.opinions.mutations import CHANGES

#: Metres: configurations with an overlap or a gap below are left out, and depths may differ by
#: this.
CLOSE = 1e-7
Random = np.random.Generator


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("urdf", type=Path)
    parser.add_argument("xrdf", type=Path)
    parser.add_argument("--count", type=int, default=20, help="changes (default: 20)")
    parser.add_argument("--samples", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)


def run(options: argparse.Namespace) -> int:
    rng = np.random.default_rng(options.seed)
    faults = changed = 0
    seconds = []
    with tempfile.TemporaryDirectory() as name:
        old, new = (Path(name) / each / options.urdf.name for each in ("old", "new"))
        for urdf in (old, new):
            shutil.copytree(options.urdf.resolve().parent, urdf.parent)
            shutil.copyfile(options.xrdf, urdf.with_suffix(".xrdf"))
        root, text = (
            ElementTree.parse(old).getroot(),
            yaml.safe_load(options.xrdf.read_text(encoding="utf-8-sig")),
        )
        for number in range(options.count):
            kind = list(CHANGES)[int(rng.integers(len(CHANGES)))]
            tree, section = copy.deepcopy(root), copy.deepcopy(text)
            told = CHANGES[kind](rng, tree, section)
            ElementTree.ElementTree(tree).write(new)
            new.with_suffix(".xrdf").write_text(
                yaml.safe_dump(section, sort_keys=False), encoding="utf-8"
            )
            started = time.process_time()
            try:
                result = editor_app.compare_behaviour(
                    old, new, samples=options.samples, queries=0, seed=number
                )
            except editor_app.Refused as error:
                print(f"{kind}: {told}: refused: {error}")
                continue
            seconds.append(time.process_time() - started)
            fault = compared(result, Judge(old), Judge(new), number)
            faults += bool(fault)
            changed += bool(result.changes)
            print(
                f"{kind}: {told}: {result.changed} changed{': WRONG: ' + fault if fault else ''}",
                flush=True,
            )
    print(
        f"{changed} of {len(seconds)} changes are visible, {faults} wrong; "
        f"{np.median(seconds):.2f} CPU s (median)"
    )
    return 1 if faults else 0


def compared(result: editor_app.BehaviourDiff, old: Judge, new: Judge, seed: int) -> str:
    """What the judge sees otherwise; "" where nothing is."""
    spans = [
        [judge.span(joint) for judge in (old, new) if joint in judge.controlled]
        for joint in result.joints
    ]
    lower = np.array([min(low for low, _ in each) for each in spans])
    upper = np.array([max(high for _, high in each) for each in spans])
    table = lower + (upper - lower) * np.random.default_rng(seed).random(
        (result.configurations, len(lower))
    )
    sides = [judge.judge(result.joints, table) for judge in (old, new)]
    cases = {case.index: (change, case) for change in result.changes for case in change.cases}
    for index in range(len(table)):
        before, after = (side[index] for side in sides)
        if min(abs(before[0]), abs(after[0])) < CLOSE:
            continue
        is_changed = (before[0] > 0.0) != (after[0] > 0.0)
        if is_changed != (index in cases):
            return f"configuration {index}: {before} and {after}, reported: {index in cases}"
        if is_changed:
            change, case = cases[index]
            depth, names = after if change.is_blocked_now else before
            if change.is_blocked_now != (after[0] > 0.0) or abs(depth - case.depth) > CLOSE:
                return f"configuration {index}: depth {depth}, reported {case.depth}"
            if names != frozenset(change.names):
                return f"configuration {index}: {set(names)}, reported {change.names}"
    return ""


class Judge:
    """A robot by pinocchio, with the spheres of its XRDF."""

    def __init__(self, urdf: Path) -> None:
        self.model = pinocchio.buildModelFromUrdf(str(urdf))
        self.data = self.model.createData()
        self.joints = {
            joint.get("name"): joint
            for joint in ElementTree.parse(urdf).getroot().iter("joint")
            if joint.find("parent") is not None
        }
        text: Any = yaml.safe_load(urdf.with_suffix(".xrdf").read_text(encoding="utf-8"))
        self.defaults = text.get("default_joint_positions") or {}
        self.controlled = text["cspace"]["joint_names"]
        section = text["self_collision"]
        buffers = section.get("buffer_distance") or {}
        spheres = text["geometry"][section["geometry"]]["spheres"]
        self.spheres = {
            link: np.array(
                [[*s["center"], s["radius"] + buffers.get(link, 0.0)] for s in each], float
            ).reshape(-1, 4)
            for link, each in spheres.items()
        }
        self.spheres = {link: each[each[:, 3] > 0.0] for link, each in self.spheres.items()}
        ignored = {
            frozenset((a, b)) for a, others in (section.get("ignore") or {}).items() for b in others
        }
        links = [link for link, each in self.spheres.items() if len(each)]
        self.pairs = [
            pair for pair in itertools.combinations(links, 2) if frozenset(pair) not in ignored
        ]

    def span(self, name: str) -> tuple[float, float]:
        joint = self.joints[name]
        limit = joint.find("limit")
        if joint.get("type") == "continuous" or limit is None:
            return -np.pi, np.pi
        return float(limit.get("lower", "0")), float(limit.get("upper", "0"))

    def judge(self, joints: Any, table: np.ndarray) -> list[tuple[float, frozenset[str]]]:
        """For each configuration: the depth of the worst overlap, or how far a joint is outside;
        negative if free."""
        columns = [k for k, name in enumerate(joints) if name in self.controlled]
        limits = [
            self.span(joints[k])
            if self.joints[joints[k]].get("type") != "continuous"
            else (-np.inf, np.inf)
            for k in columns
        ]
        lower, upper = np.array(limits, float).reshape(-1, 2).T
        results = []
        for row in table:
            excess = np.maximum(lower - row[columns], row[columns] - upper)
            if excess.max() > 1e-9:
                worst = columns[int(excess.argmax())]
                results.append((float(excess.max()), frozenset((joints[worst],))))
                continue
            results.append(self.overlap({**self.defaults, **{joints[k]: row[k] for k in columns}}))
        return results

    def overlap(self, pose: dict[str, float]) -> tuple[float, frozenset[str]]:
        q = pinocchio.neutral(self.model)
        for name, position in pose.items():
            joint = self.model.joints[self.model.getJointId(name)]
            if joint.nq == 2:
                q[joint.idx_q : joint.idx_q + 2] = np.cos(position), np.sin(position)
            else:
                q[joint.idx_q] = position
        pinocchio.framesForwardKinematics(self.model, self.data, q)
        world = {}
        for link, each in self.spheres.items():
            place = self.data.oMf[self.model.getFrameId(link)]
            world[link] = each[:, :3] @ place.rotation.T + place.translation
        best = (-np.inf, frozenset[str]())
        for one, other in self.pairs:
            apart = np.linalg.norm(world[one][:, None] - world[other][None], axis=2)
            depth = float(
                (self.spheres[one][:, None, 3] + self.spheres[other][None, :, 3] - apart).max()
            )
            if depth > best[0]:
                best = depth, frozenset((one, other))
        return best
