"""How many changes of a robot its proposed tests notice: single random changes of its URDF or XRDF.

    python -P -m tests.opinions mutations ROBOT.urdf FILE.xrdf --count 200

Each change is judged here first, by readers and kinematics that share nothing with the editor: it
counts if it moves a frame, changes the verdict of the spheres in a random configuration, a limit, a
default, a buffer, the controlled joints or the tool frames. Then the tests that `xrdf-editor test
--propose` wrote for the robot as it was are run.
"""

from __future__ import annotations

import argparse
import copy
import math
import shutil
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import yaml

import editor_app
from tests.opinions.planning import read_model
from tests.opinions.planning_truth import Robot

#: Configurations in which frames and verdicts are compared.
FRAMES, VERDICTS = 200, 4000
#: Metres and entries of rotation matrices: less is rounding.
SEEN = 1e-7
#: Share of changes that has to be noticed.
GOAL = 0.9
Tree = ElementTree.Element
Random = np.random.Generator


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("urdf", type=Path)
    parser.add_argument("xrdf", type=Path)
    parser.add_argument("--count", type=int, default=200, help="changes that count (default: 200)")
    parser.add_argument("--seed", type=int, default=0)


def run(options: argparse.Namespace) -> int:
    rng = np.random.default_rng(options.seed)
    started = time.process_time()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / options.urdf.resolve().parent.name
        shutil.copytree(options.urdf.resolve().parent, folder)
        urdf, xrdf = folder / options.urdf.name, folder / "robot.xrdf"
        shutil.copyfile(options.xrdf, xrdf)
        suite = editor_app.propose_tests(editor_app.open_robot(urdf, xrdf)).text
        parts = (
            ElementTree.parse(urdf).getroot(),
            yaml.safe_load(xrdf.read_text(encoding="utf-8-sig")),
        )
        before = behaviour(urdf, xrdf, None)
        counts: Counter[str] = Counter()
        noticed: Counter[str] = Counter()
        tried = 0
        while counts.total() < options.count and tried < 20 * options.count:
            tried += 1
            kind = list(CHANGES)[int(rng.integers(len(CHANGES)))]
            root, text = copy.deepcopy(parts[0]), copy.deepcopy(parts[1])
            told = CHANGES[kind](rng, root, text)
            if not told:
                continue
            ElementTree.ElementTree(root).write(urdf)
            xrdf.write_text(yaml.safe_dump(text, sort_keys=False), encoding="utf-8")
            if not behaviour(urdf, xrdf, before).differs(before):
                continue
            counts[kind] += 1
            by = noticed_by(urdf, xrdf, suite)
            noticed[kind] += bool(by)
            if not by:
                print(f"not noticed: {kind}: {told}", flush=True)
    for kind in CHANGES:
        if counts[kind]:
            print(f"{kind}: {noticed[kind]} of {counts[kind]} noticed")
    share = noticed.total() / max(1, counts.total())
    idle, seconds = tried - counts.total(), time.process_time() - started
    print(f"{noticed.total()} of {counts.total()} changes noticed ({share:.1%})")
    print(f"{idle} of {tried} changed nothing; {seconds:.0f} CPU s")
    return 0 if share >= GOAL else 1


def noticed_by(urdf: Path, xrdf: Path, suite: str) -> str:
    """The first test that fails, or why the robot cannot be opened; "" where all pass. Quick tests
    run first."""
    try:
        document = editor_app.open_robot(urdf, xrdf)
        tests = editor_app.read_suite(suite, document)
    except (editor_app.FormatError, editor_app.Refused) as error:
        return str(error)
    if tests.findings:
        return tests.findings[0].message
    slow = ("plan", "reach", "mask", "spheres", "cost", "loads")
    for kinds in (lambda key: key not in slow, lambda key: key in slow):
        names = [test.name for test in tests.tests if kinds(test.kind.KEY)]
        failed = editor_app.test_robot(document, tests, only=names).failed
        if failed:
            return failed[0].test.name
    return ""


# -- the judge


@dataclass
class Behaviour:
    """`values`: the configurations (joint -> (n,)). `frames`: link -> (n, 4, 4). `refused`:
    verdicts of the spheres.

    `choices`: limits, defaults, buffers, controlled joints, tool frames.
    """

    values: dict[str, np.ndarray]
    frames: dict[str, np.ndarray]
    refused: np.ndarray
    choices: dict[str, Any]

    def differs(self, other: Behaviour) -> bool:
        if self.choices != other.choices or self.frames.keys() != other.frames.keys():
            return True
        moved = max(
            float(np.abs(self.frames[name] - other.frames[name]).max()) for name in self.frames
        )
        return moved > SEEN or bool((self.refused != other.refused).any())


def behaviour(urdf: Path, xrdf: Path, like: Behaviour | None) -> Behaviour:
    """What the files say, in the configurations of `like`, or random ones within the limits."""
    robot, model = Robot(urdf, {}), read_model(xrdf)
    text = yaml.safe_load(xrdf.read_text(encoding="utf-8-sig"))
    if like is None:
        rng = np.random.default_rng(1)
        movable = [j for j in robot.joints if j.kind != "fixed" and j.mimic is None]
        chosen = {j.name: rng.uniform(j.lower, j.upper, VERDICTS) for j in movable}
    else:
        chosen = like.values
    every = robot.values(chosen, {}, VERDICTS)
    world = robot.frames(every, VERDICTS)
    for name, (parent, placed) in model.frames.items():
        world[name] = world[parent] @ placed
    controlled = {name: chosen[name] for name in model.joints if name in chosen}
    defaults = {name: value for name, value in model.locked.items() if name not in controlled}
    posed = robot.frames(robot.values(controlled, defaults, VERDICTS), VERDICTS)
    for name, (parent, placed) in model.frames.items():
        posed[name] = posed[parent] @ placed
    limits = {
        element.get("name"): (element.get("type"), dict(limit.attrib) | {"effort": ""})
        for element in ElementTree.parse(urdf).getroot().findall("joint")
        if (limit := element.find("limit")) is not None
    }
    names = ("default_joint_positions", "cspace", "tool_frames")
    choices = {"limits": limits, **{name: text.get(name) for name in names}}
    for section in ("collision", "world_collision", "self_collision"):
        choices[section] = (text.get(section) or {}).get("buffer_distance")
    choices["radii"] = {name: rows[:, 3:4].tolist() for name, rows in model.spheres.items()}
    return Behaviour(
        chosen,
        {name: each[:FRAMES] for name, each in world.items()},
        refused(model, posed),
        choices,
    )


def refused(model: Any, world: dict[str, np.ndarray]) -> np.ndarray:
    """(n,) whether spheres of a checked pair overlap."""
    touching = np.zeros(VERDICTS, bool)
    placed = {
        name: np.einsum("nij,kj->nki", world[name][:, :3, :3], rows[:, :3])
        + world[name][:, None, :3, 3]
        for name, rows in model.spheres.items()
        if name in world
    }
    for a, b in combinations(placed, 2):
        if frozenset((a, b)) in model.ignored:
            continue
        radii = model.spheres[a][:, None, 3] + model.spheres[b][None, :, 3]
        gaps = np.linalg.norm(placed[a][:, :, None] - placed[b][:, None, :], axis=-1) - radii
        touching |= (gaps < 0.0).any(axis=(1, 2))
    return touching


# -- single changes; each gives the words for it, "" where the robot has nothing to change


def chosen_from(rng: Random, items: Any) -> Any:
    items = list(items)
    return items[int(rng.integers(len(items)))] if items else None


def sized(rng: Random, low: float, high: float) -> float:
    """A size between the two, evenly over its orders of magnitude, with a random sign."""
    return float(np.exp(rng.uniform(math.log(low), math.log(high))) * rng.choice([-1.0, 1.0]))


def with_number(rng: Random, words: str | None, by: float) -> str:
    numbers = [float(word) for word in (words or "0 0 0").split()]
    numbers[int(rng.integers(len(numbers)))] += by
    return " ".join(map(repr, numbers))


def change_origin(rng: Random, root: Tree, text: Any, key: str, by: float) -> str:
    joint = chosen_from(rng, root.findall("joint"))
    origin = joint.find("origin")
    if origin is None:
        origin = ElementTree.SubElement(joint, "origin")
    origin.set(key, with_number(rng, origin.get(key), by))
    return f"{joint.get('name')} {key} {by:+.4g}"


def change_axis(rng: Random, root: Tree, text: Any) -> str:
    joint = chosen_from(
        rng,
        (
            j
            for j in root.findall("joint")
            if j.find("axis") is not None and j.get("type") != "fixed"
        ),
    )
    if joint is None:
        return ""
    axis = joint.find("axis")
    numbers = [float(word) for word in axis.get("xyz", "1 0 0").split()]
    axis.set("xyz", " ".join(repr(-each) for each in numbers) if rng.random() < 0.5 else
             with_number(rng, axis.get("xyz"), sized(rng, 0.01, 0.3)))  # fmt: skip
    return f"axis of {joint.get('name')}"


def change_limit(rng: Random, root: Tree, text: Any) -> str:
    limit = chosen_from(rng, root.findall("joint/limit"))
    key = chosen_from(
        rng, (key for key in ("lower", "upper", "velocity") if limit is not None and limit.get(key))
    )
    if key is None:
        return ""
    limit.set(key, repr(float(limit.get(key)) * (1.0 + sized(rng, 0.01, 0.5))))
    return f"{key} {limit.get(key)}"


def change_mimic(rng: Random, root: Tree, text: Any) -> str:
    mimic = chosen_from(rng, root.findall("joint/mimic"))
    if mimic is None:
        return ""
    mimic.set(
        "multiplier", repr(float(mimic.get("multiplier") or 1.0) * (1.0 + sized(rng, 0.02, 1.0)))
    )
    return "multiplier"


def change_type(rng: Random, root: Tree, text: Any) -> str:
    joint = chosen_from(rng, (j for j in root.findall("joint") if j.get("type") == "revolute"))
    joint.set("type", str(rng.choice(["continuous", "fixed"])))
    return f"{joint.get('name')} is {joint.get('type')}"


def spheres_of(text: Any) -> list[tuple[str, list[dict[str, Any]]]]:
    group = text["geometry"][(text.get("self_collision") or {}).get("geometry")]
    return [(link, rows) for link, rows in group["spheres"].items() if rows]


def change_radius(rng: Random, root: Tree, text: Any) -> str:
    link, rows = chosen_from(rng, spheres_of(text))
    sphere = chosen_from(rng, rows)
    sphere["radius"] = float(sphere["radius"]) * (1.0 + sized(rng, 0.03, 0.6))
    return f"{link} radius {sphere['radius']:.4g}"


def change_centre(rng: Random, root: Tree, text: Any) -> str:
    link, rows = chosen_from(rng, spheres_of(text))
    sphere = chosen_from(rng, rows)
    by = sized(rng, 0.002, 0.06)
    sphere["center"][int(rng.integers(3))] += by
    return f"{link} centre {by:+.4g}"


def remove_sphere(rng: Random, root: Tree, text: Any) -> str:
    link, rows = chosen_from(rng, spheres_of(text))
    rows.pop(int(rng.integers(len(rows))))
    return f"sphere of {link}"


def add_sphere(rng: Random, root: Tree, text: Any) -> str:
    link, rows = chosen_from(rng, spheres_of(text))
    copied = copy.deepcopy(chosen_from(rng, rows))
    copied["center"][int(rng.integers(3))] += sized(rng, 0.02, 0.1)
    rows.append(copied)
    return f"sphere of {link}"


def ignore_pair(rng: Random, root: Tree, text: Any) -> str:
    links = [link for link, _ in spheres_of(text)]
    one, other = rng.choice(links, 2, replace=False).tolist()
    ignore = text["self_collision"].setdefault("ignore", {})
    ignore[one] = [*(ignore.get(one) or []), other]
    return f"{one} and {other}"


def check_pair(rng: Random, root: Tree, text: Any) -> str:
    ignore = text["self_collision"].get("ignore") or {}
    pairs = [(link, other) for link, others in ignore.items() for other in others or ()]
    pair = chosen_from(rng, pairs)
    if pair is None:
        return ""
    for one, other in (pair, pair[::-1]):
        if other in (ignore.get(one) or ()):
            ignore[one] = [each for each in ignore[one] if each != other]
    return " and ".join(pair)


def change_default(rng: Random, root: Tree, text: Any) -> str:
    joint = chosen_from(rng, text.get("default_joint_positions") or {})
    if joint is None:
        return ""
    text["default_joint_positions"][joint] += sized(rng, 0.01, 0.5)
    return str(joint)


def change_rate(rng: Random, root: Tree, text: Any) -> str:
    key = str(rng.choice(["acceleration_limits", "jerk_limits"]))
    values = text["cspace"][key]
    values[int(rng.integers(len(values)))] *= 1.0 + sized(rng, 0.02, 0.5)
    return key


def change_joints(rng: Random, root: Tree, text: Any) -> str:
    names = text["cspace"]["joint_names"]
    if rng.random() < 0.5 and len(names) > 1:
        a, b = rng.choice(len(names), 2, replace=False).tolist()
        names[a], names[b] = names[b], names[a]
        return "order of the c-space"
    k = int(rng.integers(len(names)))
    for key in ("joint_names", "acceleration_limits", "jerk_limits"):
        text["cspace"][key].pop(k)
    return "joint of the c-space removed"


def change_tool(rng: Random, root: Tree, text: Any) -> str:
    links = [link.get("name", "") for link in root.findall("link")]
    text["tool_frames"] = [str(rng.choice(links)), *(text.get("tool_frames") or [])[1:]]
    return f"tool {text['tool_frames'][0]}"


def change_buffer(rng: Random, root: Tree, text: Any) -> str:
    section = text.get(str(rng.choice(["collision", "world_collision", "self_collision"])))
    if section is None:
        return ""
    links = [link for link, _ in spheres_of(text)]
    buffers = section.setdefault("buffer_distance", {})
    link = str(rng.choice(links))
    buffers[link] = float(buffers.get(link, 0.0)) + abs(sized(rng, 0.002, 0.05))
    return f"buffer of {link}"


CHANGES: dict[str, Callable[[Random, Tree, Any], str]] = {
    "origin moved": lambda rng, root, text: change_origin(
        rng, root, text, "xyz", sized(rng, 0.0005, 0.05)
    ),
    "origin turned": lambda rng, root, text: change_origin(
        rng, root, text, "rpy", sized(rng, 0.002, 0.3)
    ),
    "axis": change_axis,
    "limit": change_limit,
    "mimic": change_mimic,
    "joint type": change_type,
    "sphere resized": change_radius,
    "sphere moved": change_centre,
    "sphere removed": remove_sphere,
    "sphere added": add_sphere,
    "pair ignored": ignore_pair,
    "pair checked": check_pair,
    "default position": change_default,
    "acceleration or jerk": change_rate,
    "controlled joints": change_joints,
    "tool frame": change_tool,
    "buffer": change_buffer,
}
