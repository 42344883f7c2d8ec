"""How XRDFs and cuRobo files decide about a robot's own collisions, held against its meshes by
python-fcl.

    python -P -m tests.opinions planning ROBOT.urdf FILE.xrdf|FILE.curobo.yml …

In random poses within the limits of the controlled joints (others locked where the file says). The
truth: meshes touch in a pair of links that are not parent and child (links without shapes are
passed over) and that does not touch always. *Accepted wrongly*: poses that touch and that spheres
and mask call free; *refused needlessly*: the reverse. Every file is read here by a reader of its
own; nothing of the editor decides.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from scipy.stats import beta

from tests.opinions.planning_truth import Pair, Robot, Truth, truth_of

#: Pairs of spheres named for a pair of links.
BLAMED = 5


@dataclass
class Model:
    """What a file says: spheres of each frame (k, 5: centre, radius with its buffers, number in the
    file; those without extent are left out), pairs left out, joints."""

    path: Path
    joints: tuple[str, ...]
    locked: dict[str, float]
    spheres: dict[str, np.ndarray]
    ignored: set[frozenset[str]]
    #: frame -> (parent, fixed transform): frames that the file adds.
    frames: dict[str, tuple[str, np.ndarray]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def matrix_of(position: Sequence[float], wxyz: Sequence[float]) -> np.ndarray:
    w, x, y, z = np.array(wxyz, float) / np.linalg.norm(np.array(wxyz, float))
    matrix = np.eye(4)
    matrix[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    matrix[:3, 3] = position
    return matrix


def rows_of(spheres: Sequence[Mapping[str, Any]] | None, buffer: float) -> np.ndarray:
    numbered = enumerate(spheres or ())
    rows = np.array(
        [[*map(float, s["center"]), float(s["radius"]) + buffer, k] for k, s in numbered], float
    )
    return rows.reshape(-1, 5)


def pairs_of(ignore: Mapping[str, Sequence[str] | None] | None) -> set[frozenset[str]]:
    return {frozenset((a, b)) for a, others in (ignore or {}).items() for b in others or ()}


def read_xrdf(path: Path, text: dict[str, Any]) -> Model:
    groups, section = text.get("geometry") or {}, text.get("self_collision") or {}
    buffers = section.get("buffer_distance") or {}

    def gathered(group: str, seen: tuple[str, ...] = ()) -> dict[str, list[Mapping[str, Any]]]:
        held = groups.get(group) or {}
        spheres: dict[str, list[Mapping[str, Any]]] = {}
        for other in held.get("clone") or ():
            if other not in seen:
                for link, rows in gathered(other, (*seen, group)).items():
                    spheres.setdefault(link, []).extend(rows)
        for link, rows in (held.get("spheres") or {}).items():
            spheres.setdefault(link, []).extend(rows or ())
        return spheres

    rows = {
        k: rows_of(v, float(buffers.get(k, 0.0)))
        for k, v in gathered(section.get("geometry", "")).items()
    }
    model = Model(
        path, tuple((text.get("cspace") or {}).get("joint_names") or ()),
        {k: float(v) for k, v in (text.get("default_joint_positions") or {}).items()}, rows,
        pairs_of(section.get("ignore")),
    )  # fmt: skip
    for modifier in text.get("modifiers") or ():
        added = modifier.get("add_frame")
        if added:
            if str(added.get("joint_type", "FIXED")).upper() != "FIXED":
                model.notes.append(f"{added['frame_name']}: a frame that moves is taken as fixed")
            at = added.get("fixed_transform") or {}
            turn = at.get("orientation") or {"w": 1.0, "xyz": (0, 0, 0)}
            placed = matrix_of(at.get("position") or (0, 0, 0), (turn["w"], *turn["xyz"]))
            model.frames[added["frame_name"]] = (added["parent_frame_name"], placed)
        elif "remove_mimic_attributes" in modifier:
            model.notes.append("remove_mimic_attributes is passed over")
    return model


def read_curobo(path: Path, text: dict[str, Any]) -> Model:
    part = (text.get("robot_cfg") or text)["kinematics"]
    spheres, cspace = part.get("collision_spheres") or {}, part.get("cspace") or {}
    if isinstance(spheres, str):
        other = yaml.safe_load((path.parent / spheres).read_text(encoding="utf-8"))
        spheres = other["collision_spheres"]
    inflate, buffers = (
        part.get("collision_sphere_buffer") or 0.0,
        part.get("self_collision_buffer") or {},
    )
    names = part.get("collision_link_names") or list(spheres)
    rows = {}
    for name in names:
        every = float(inflate.get(name, 0.0) if isinstance(inflate, dict) else inflate)
        rows[name] = rows_of(spheres.get(name), every + float(buffers.get(name) or 0.0))
    joints = tuple(cspace.get("joint_names") or ())
    default = cspace.get("default_joint_position") or cspace.get("retract_config") or ()
    locked = dict(zip(joints, map(float, default), strict=False))
    locked.update({k: float(v) for k, v in (part.get("lock_joints") or {}).items()})
    controlled = tuple(name for name in joints if name not in (part.get("lock_joints") or {}))
    model = Model(path, controlled, locked, rows, pairs_of(part.get("self_collision_ignore")))
    for name, added in (part.get("extra_links") or {}).items():
        x, y, z, *wxyz = map(float, added["fixed_transform"])
        model.frames[name] = (added["parent_link_name"], matrix_of((x, y, z), wxyz))
    return model


def read_model(path: Path) -> Model:
    text = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    model = (
        read_curobo(path, text)
        if "kinematics" in (text.get("robot_cfg") or text)
        else read_xrdf(path, text)
    )
    model.spheres = {name: rows[rows[:, 3] > 0] for name, rows in model.spheres.items()}
    model.spheres = {name: rows for name, rows in model.spheres.items() if len(rows)}
    return model


# -- the verdict of the spheres


@dataclass
class Verdict:
    """`overlap` (n, pairs): spheres of a checked pair overlap; `blame`: which, how often, per
    pair."""

    pairs: list[Pair]
    overlap: np.ndarray
    blame: dict[Pair, Counter[tuple[int, int]]]


def placed_on(model: Model, robot: Robot) -> tuple[dict[str, tuple[str, np.ndarray]], list[Pair]]:
    """The link that carries each frame with spheres, and the frame's place in it; the pairs of
    frames that count."""
    home: dict[str, tuple[str, np.ndarray]] = {}
    for name in model.spheres:
        at, link = np.eye(4), name
        while link in model.frames:
            link, step = model.frames[link]
            at = step @ at
        if link not in robot.links:
            model.notes.append(f"{name}: the URDF has no such link; its spheres are left out")
            continue
        home[name] = link, at
    order = {name: k for k, name in enumerate(robot.links)}
    names = sorted(home, key=lambda name: order[home[name][0]])
    pairs = [
        (a, b)
        for k, a in enumerate(names)
        for b in names[k + 1 :]
        if frozenset((a, b)) not in model.ignored
    ]
    return home, pairs


def decide(model: Model, truth: Truth) -> Verdict:
    """Spheres of which pairs overlap in which poses of `truth`."""
    home, pairs = placed_on(model, truth.robot)
    placed = {name: model.spheres[name] for name in home}
    overlap = np.zeros((len(truth.values), len(pairs)), bool)
    free = ~truth.collides
    blame: dict[Pair, Counter[tuple[int, int]]] = {pair: Counter() for pair in pairs}
    hulls = {name: bounding_ball(rows) for name, rows in placed.items()}
    for part, links in truth.chunks():
        frames = {name: links[link] @ at for name, (link, at) in home.items()}
        middles = {
            n: np.einsum("nij,j->ni", frames[n][:, :3, :3], hulls[n][0]) + frames[n][:, :3, 3]
            for n in home
        }
        for column, (a, b) in enumerate(pairs):
            gap = np.linalg.norm(middles[a] - middles[b], axis=1) - hulls[a][1] - hulls[b][1]
            near = np.flatnonzero(gap < 0)
            for few in np.array_split(
                near, max(1, len(near) * len(placed[a]) * len(placed[b]) // 4_000_000)
            ):
                hits = overlaps(frames[a][few], frames[b][few], placed[a], placed[b])
                colliding = hits.any(axis=(1, 2))
                overlap[part.start + few[colliding], column] = True
                needless = hits[free[part.start + few]]
                counts = needless.sum(axis=0)
                numbers = placed[a][:, 4], placed[b][:, 4]
                met = np.argwhere(counts)
                blame[a, b].update(
                    {(int(numbers[0][i]), int(numbers[1][j])): int(counts[i, j]) for i, j in met}
                )
    return Verdict(pairs, overlap, blame)


def bounding_ball(rows: np.ndarray) -> tuple[np.ndarray, float]:
    middle = (
        (rows[:, :3] - rows[:, 3:4]).min(axis=0) + (rows[:, :3] + rows[:, 3:4]).max(axis=0)
    ) / 2
    return middle, float((np.linalg.norm(rows[:, :3] - middle, axis=1) + rows[:, 3]).max())


def overlaps(
    frames_a: np.ndarray, frames_b: np.ndarray, a: np.ndarray, b: np.ndarray
) -> np.ndarray:
    """(n, spheres of a, spheres of b)."""
    first = a[:, :3] @ np.swapaxes(frames_a[:, :3, :3], 1, 2) + frames_a[:, None, :3, 3]
    second = b[:, :3] @ np.swapaxes(frames_b[:, :3, :3], 1, 2) + frames_b[:, None, :3, 3]
    squared = (first**2).sum(axis=2)[:, :, None] + (second**2).sum(axis=2)[:, None, :]
    squared -= 2 * first @ np.swapaxes(second, 1, 2)
    return np.asarray(squared < (a[:, 3][:, None] + b[:, 3]) ** 2)


# -- figures


def share(count: int, total: int) -> dict[str, Any]:
    """A share with its interval of 95 % (Clopper and Pearson)."""
    low = beta.ppf(0.025, count, total - count + 1) if count else 0.0
    high = beta.ppf(0.975, count + 1, total - count) if count < total else 1.0
    if not total:
        low, high = 0.0, 1.0
    return {
        "count": count,
        "of": total,
        "share": count / total if total else 0.0,
        "interval": [float(low), float(high)],
    }


def judge(model: Model, truth: Truth) -> dict[str, Any]:
    """All figures of a file; `pairs`: the worst first, with what the meshes and the spheres say of
    them."""
    verdict = decide(model, truth)
    touching = truth.collides
    refused = verdict.overlap.any(axis=1)
    needless, wrong = refused & ~touching, ~refused & touching
    is_checked = [frozenset(pair) in map(frozenset, verdict.pairs) for pair in truth.pairs]
    by_mask = wrong & ~truth.touching[:, is_checked].any(axis=1)
    alone = verdict.overlap.sum(axis=1) == 1
    column = {frozenset(pair): k for k, pair in enumerate(verdict.pairs)}
    meshes = {frozenset(pair): k for k, pair in enumerate(truth.pairs)}
    rows = []
    for key in {**column, **meshes}:
        by_spheres = (
            verdict.overlap[:, column[key]] if key in column else np.zeros(len(touching), bool)
        )
        by_meshes = (
            truth.touching[:, meshes[key]] if key in meshes else np.zeros(len(touching), bool)
        )
        row: dict[str, Any] = {
            "pair": list(verdict.pairs[column[key]] if key in column else truth.pairs[meshes[key]]),
            "checked": key in column, "by_spheres": float(by_spheres.mean()), "by_meshes": float(by_meshes.mean()),
            "needless": int((by_spheres & needless).sum()),
            "needless_alone": int((by_spheres & needless & alone).sum()),
            "needless_of_pair": int((by_spheres & ~by_meshes).sum()), "wrong": int((by_meshes & wrong).sum()),
            "judged": key in meshes,
        }  # fmt: skip
        if key in column:
            blamed = verdict.blame[verdict.pairs[column[key]]].most_common(BLAMED)
            row["spheres"] = [[list(indices), count] for indices, count in blamed]
        rows.append(row)
    rows.sort(key=lambda row: (-row["needless"] - row["wrong"], row["pair"]))
    return {
        "file": str(model.path), "poses": len(touching), "joints": list(truth.joints),
        "spheres": int(sum(map(len, model.spheres.values()))), "touching": share(int(touching.sum()), len(touching)),
        "refused": share(int(refused.sum()), len(touching)),
        "missed_collisions": share(int(wrong.sum()), int(touching.sum())),
        "missed_by_mask": share(int(by_mask.sum()), int(touching.sum())),
        "false_collisions": share(int(needless.sum()), int((~touching).sum())),
        "always": [list(pair) for pair in truth.always], "pairs": rows, "notes": truth.robot.notes + model.notes,
    }  # fmt: skip


def told(report: Mapping[str, Any], rows: int) -> str:
    def percent(of: Mapping[str, Any]) -> str:
        low, high = of["interval"]
        return (
            f"{100 * of['share']:.3g} % [{100 * low:.2g}, {100 * high:.2g}] ({of['count']} of "
            f"{of['of']})"
        )

    lines = [
        f"{report['file']}: {report['spheres']} spheres, {report['poses']} poses, meshes touch in "
        f"{100 * report['touching']['share']:.1f} %, spheres in "
        f"{100 * report['refused']['share']:.1f} %",
        f"  missed collisions, of poses that touch:  {percent(report['missed_collisions'])}",
        f"    of these, only pairs that are not checked touch: {percent(report['missed_by_mask'])}",
        f"  false collisions, of free poses:      {percent(report['false_collisions'])}",
    ]
    for key, name, of in (
        ("wrong", "missed", "missed_collisions"),
        ("needless", "false", "false_collisions"),
    ):
        worst = sorted((each for each in report["pairs"] if each[key]), key=lambda each: -each[key])
        for row in worst[:rows]:
            meshes, spheres = 100 * row["by_meshes"], 100 * row["by_spheres"]
            alone = f" ({row['needless_alone']} by it alone)" if key == "needless" else ""
            lines.append(
                f"    {name} {100 * row[key] / report[of]['of']:.3g} %{alone}: "
                f"{' × '.join(row['pair'])}"
                f"{'' if row['checked'] else ' (not checked)'}; meshes {meshes:.2f} %, spheres "
                f"{spheres:.2f} % of all; "
                f"spheres {row.get('spheres', [])[:3]}"
            )
    lines += [f"    always touching: {' × '.join(pair)}" for pair in report["always"]]
    lines += [f"    note: {note}" for note in report["notes"]]
    return "\n".join(lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("urdf", type=Path)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--poses", type=int, default=20_000, help="random poses (default: 20000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--package",
        action="append",
        default=[],
        metavar="NAME=FOLDER",
        help="where package://NAME is",
    )
    parser.add_argument(
        "--visual",
        action="append",
        default=[],
        metavar="LINK",
        help="judge this link by its visual shapes; repeatable",
    )
    parser.add_argument(
        "--cache", type=Path, metavar="FOLDER", help="keep what the meshes say, for the next call"
    )
    parser.add_argument("--pairs", type=int, default=8, help="rows of pairs (default: 8)")
    parser.add_argument("--json", action="store_true", help="one JSON list instead of text")


def run(options: argparse.Namespace) -> int:
    """0; the figures are for the reader to judge."""
    packages = {
        name: Path(folder) for name, _, folder in (each.partition("=") for each in options.package)
    }
    robot = Robot(options.urdf, packages, options.visual)
    truths: dict[object, Truth] = {}
    reports = []
    for path in options.files:
        start = time.process_time()
        model = read_model(path)
        joints = [name for name in model.joints if name in robot.by_name]
        locked = {k: v for k, v in model.locked.items() if k not in joints and k in robot.by_name}
        key = (tuple(sorted(joints)), tuple(sorted(locked.items())))
        if key not in truths:
            truths[key] = truth_of(
                robot, joints, locked, options.poses, options.seed, options.cache
            )
        reports.append(judge(model, truths[key]))
        if not options.json:
            print(told(reports[-1], options.pairs))
            print(f"  {time.process_time() - start:.1f} CPU s", flush=True)
    if options.json:
        print(json.dumps(reports, indent=1))
    return 0
