"""Self-collision against pinocchio with coal: CPU seconds in one run, on the same robots, spheres
and meshes.

    python -m tests.bench.bench_self_collision [--quick] [robot or ROBOT.urdf …]

A summary of goals and figures comes last. Times are CPU seconds of one process, so that other
programs do not count. A robot that no package brings (Fetch) is given by its URDF; its packages are
looked for around it.

Sampling: all pairs of frames that something moves against each other, exact minimum, count and
configuration kept. Pinocchio: one call of `computeDistances` per configuration over the same sphere
pairs, in C++; what it would take to find the minimum per pair in Python is not counted. Meshes:
`computeCollisions`, which is quicker than distances. Proofs: pairs that neither samples nor the
local search saw collide, and how many are proven within the time.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import CollisionSphere, GeometryGroup, SelfCollisionSection, Xrdf
from editor_app.core.space.geometry.link_geometry import link_geometry, merge_parts
from editor_app.core.text.source import SourceText
from editor_app.features.masks.engine.analysis import analyse
from editor_app.features.masks.engine.live import LiveDistances
from editor_app.features.masks.engine.masks import propose_mask
from editor_app.features.masks.engine.meshes import MeshModel, cover_of
from editor_app.features.masks.engine.model import SphereModel, build_sphere_model
from editor_app.features.masks.engine.results import Analysis, AnalysisSettings, PairClass
from editor_app.features.masks.engine.sampling import Sampler
from editor_app.features.masks.engine.staleness import carry_over, refresh
from editor_app.features.masks.engine.warmup import warm_up
from tests.helpers.robots import SHARED, example_mappings, example_robots

ROBOTS = {
    "panda": "panda_description/urdf/panda.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "ur10": "ur_description/urdf/ur10_robot.urdf",
    "baxter": "baxter_description/urdf/baxter.urdf",
    "tiago": "tiago_description/robots/tiago.urdf",
    "talos": "talos_data/robots/talos_full_v2.urdf",
    "g1": "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
}


def load(
    name: str, balls: int
) -> tuple[RobotDescription, Path, dict[str, tuple[np.ndarray, np.ndarray]]]:
    """A robot with up to `balls` spheres per link that cover its collision geometry, its URDF's
    path and meshes."""
    if name == "ur10e":
        path = SHARED / "robots/ur10e/ur10e.urdf"
    else:
        path = example_robots() / ROBOTS[name] if name in ROBOTS else Path(name).resolve()
    mappings = example_mappings()
    for folder in path.parents[:3] if name not in ROBOTS else ():
        mappings |= {inner.name: inner for inner in folder.iterdir() if inner.is_dir()}
    urdf = read_urdf(SourceText.read(path)).value
    meshes: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    for link in urdf.links:
        parts = link_geometry(urdf, path, link.name, "collision", mappings).parts
        if parts:
            vertices, faces = merge_parts(parts)
            if len(faces):
                meshes[link.name] = np.asarray(vertices, float), np.asarray(faces, np.int32)
    if name == "ur10e":
        xrdf = read_xrdf(SourceText.read(path.with_suffix(".xrdf"))).value
    else:
        spheres = {
            link: tuple(
                CollisionSphere((x, y, z), r) for x, y, z, r in cover_of(*mesh, balls).tolist()
            )
            for link, mesh in meshes.items()
        }
        group = GeometryGroup("covers", FrozenDict(spheres))
        xrdf = Xrdf(self_collision=SelfCollisionSection("covers"), geometry=(group,))
    return RobotDescription(urdf, xrdf), path, meshes


def cpu_of(work: Callable[[], object], repeats: int = 3) -> float:
    """Least CPU seconds of this thread's process over some repeats."""
    best = float("inf")
    for _ in range(repeats):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return best


#: What was wanted, what was measured, whether that is enough.
SUMMARY: list[tuple[str, str, str, bool]] = []


def note(goal_name: str, goal: str, measured: str, enough: bool) -> None:
    """One line for the summary."""
    SUMMARY.append((goal_name, goal, measured, enough))


def moving_rows(model: SphereModel) -> np.ndarray:
    bodies = model.frame_body[model.pairs]
    return np.flatnonzero(bodies[:, 0] != bodies[:, 1])


def pinocchio_spheres(path: Path, model: SphereModel, rows: np.ndarray) -> tuple[object, ...]:
    """The same spheres on pinocchio's model of the same URDF, and the pairs of spheres."""
    import coal
    import pinocchio as pin

    peer = pin.buildModelFromUrdf(str(path))
    shapes = pin.GeometryModel()
    for i, frame in enumerate(model.frames):
        peer_frame = peer.frames[peer.getFrameId(frame)]
        pose = model.frame_pose[i]
        for k in range(model.starts[i], model.starts[i + 1]):
            local = pose[:, :3].T @ (model.spheres[k, :3] - pose[:, 3])
            place = peer_frame.placement * pin.SE3(np.eye(3), local)
            shapes.addGeometryObject(
                pin.GeometryObject(
                    f"s{k}", peer_frame.parentJoint, place, coal.Sphere(float(model.spheres[k, 3]))
                )
            )
    for i, j in model.pairs[rows].tolist():
        for a in range(model.starts[i], model.starts[i + 1]):
            for b in range(model.starts[j], model.starts[j + 1]):
                shapes.addCollisionPair(pin.CollisionPair(a, b))
    return pin, peer, shapes


def configurations(
    pin: object, peer: object, model: SphereModel, values: np.ndarray
) -> list[np.ndarray]:
    """Pinocchio's vectors (continuous joints as cosine and sine) of configurations of the model."""
    names = {name: k for k, name in enumerate(model.variables)}
    result = []
    for row in values:
        q = pin.neutral(peer)  # type: ignore[attr-defined]
        for j, name in enumerate(peer.names):  # type: ignore[attr-defined]
            if name in names:
                at = peer.joints[j].idx_q  # type: ignore[attr-defined]
                if peer.joints[j].nq == 2:  # type: ignore[attr-defined]
                    q[at], q[at + 1] = np.cos(row[names[name]]), np.sin(row[names[name]])
                else:
                    q[at] = row[names[name]]
        result.append(q)
    return result


def bench_sampling(name: str, balls: int, quick: bool) -> None:
    robot, path, meshes = load(name, balls)
    model = build_sphere_model(robot)
    rows = moving_rows(model)
    sphere_pairs = sum(
        int((model.starts[i + 1] - model.starts[i]) * (model.starts[j + 1] - model.starts[j]))
        for i, j in model.pairs[rows].tolist()
    )
    # Enough that what is done once does not count, as building its model does not for the peer.
    count = 1 << (16 if sphere_pairs > 1000 else 18)
    ours = cpu_of(lambda: Sampler(model, count, rows=rows).run()) / count
    pin, peer, shapes = pinocchio_spheres(path, model, rows)
    values = Sampler(model, count).values_of(np.arange(64 if quick else 256))
    q = configurations(pin, peer, model, values)
    data, shape_data = peer.createData(), shapes.createData()  # type: ignore[attr-defined]

    def distances() -> None:
        for one in q:
            pin.computeDistances(peer, data, shapes, shape_data, one)  # type: ignore[attr-defined]

    theirs = cpu_of(distances) / len(q)
    # Both must see the same world: the last configuration's smallest distance.
    last = LiveDistances(model)
    last.set_values(values[-1], rows)
    peer_least = min(r.min_distance for r in shape_data.distanceResults)
    agree = abs(peer_least - float(last.clearance[rows].min())) < 1e-6
    print(
        f"{name:7s} sampling: {len(rows):5d} pairs, {sphere_pairs:6d} sphere pairs; ours "
        f"{1e-6 / ours:6.3f} M/CPU-s, "
        f"pinocchio {theirs * 1e6:8.1f} us each; ratio {theirs / ours:7.1f}x (same distances: "
        f"{agree})"
    )
    wanted = 100 if name == "ur10e" else 50
    ratio = theirs / ours
    note(
        f"sampling, {name}, {sphere_pairs} sphere pairs",
        f"{wanted} x pinocchio",
        f"{ratio:.0f} x",
        ratio >= wanted,
    )
    bench_meshes(name, path, meshes, model, values[: 32 if quick else 128], ours)


def bench_meshes(
    name: str,
    path: Path,
    meshes: Mapping[str, object],
    model: SphereModel,
    values: np.ndarray,
    ours: float,
) -> None:
    import pinocchio as pin

    peer = pin.buildModelFromUrdf(str(path))
    try:
        shapes = pin.buildGeomFromUrdf(
            peer,
            str(path),
            pin.GeometryType.COLLISION,
            [str(path.parent), str(example_robots().parent.parent)],
        )
    except ValueError as problem:
        print(f"{name:7s} meshes: pinocchio cannot load them ({problem})")
        return
    shapes.addAllCollisionPairs()
    q = configurations(pin, peer, model, values)
    data, shape_data = peer.createData(), shapes.createData()

    def collisions() -> None:
        for one in q:
            pin.computeCollisions(peer, data, shapes, shape_data, one, False)

    theirs = cpu_of(collisions, 2) / len(q)
    pairs = len(shapes.collisionPairs)
    print(
        f"{name:7s} meshes: pinocchio with coal {theirs * 1e6:9.1f} us each over {pairs} pairs; "
        f"our spheres are {theirs / ours:7.1f}x quicker"
    )
    note(
        f"sampling, {name}, against its meshes",
        "20 x coal",
        f"{theirs / ours:.0f} x",
        theirs / ours >= 20,
    )


def _sample(model: SphereModel, count: int) -> None:
    Sampler(model, count).run()


def _share_of_vectors(switch: str, names: tuple[str, ...], balls: int, channel: Any) -> None:
    """One of the two processes: CPU seconds per configuration of each robot, once for every word
    that it is sent."""
    os.environ["XRDF_EDITOR_VECTORS"] = switch
    models = [build_sphere_model(load(name, balls)[0]) for name in names]
    warm_up()
    counts = [1 << (12 if len(m.pairs) > 100 else 14) for m in models]
    channel.send(None)
    while channel.recv():
        channel.send(
            [cpu_of(partial(_sample, m, n), 1) / n for m, n in zip(models, counts, strict=True)]
        )


def bench_vectors(names: tuple[str, ...], balls: int) -> None:
    """What vectors of 16 buy over plain numbers in the same kernel, measured in turns."""
    context = multiprocessing.get_context("spawn")
    channels, workers = [], []
    for switch in ("", "plain"):
        mine, theirs = context.Pipe()
        workers.append(
            context.Process(target=_share_of_vectors, args=(switch, names, balls, theirs))
        )
        workers[-1].start()
        mine.recv()
        channels.append(mine)
    times = np.full((2, 5, len(names)), np.inf)
    for turn in range(times.shape[1]):
        for which, channel in enumerate(channels):
            channel.send(True)
            times[which, turn] = channel.recv()
    for channel, worker in zip(channels, workers, strict=True):
        channel.send(False)
        worker.join()
    for name, vectors, plain in zip(names, *times.min(axis=1), strict=True):
        print(
            f"{name:7s} vectors: {vectors * 1e6:.2f} us per configuration, plain numbers "
            f"{plain * 1e6:.2f} us"
        )
        note(
            f"sampling, {name}, vectors against plain numbers",
            "4 x",
            f"{plain / vectors:.1f} x",
            plain >= 4 * vectors,
        )


def proven_and_clear(analysis: Analysis) -> tuple[int, int, int, int]:
    """Moving pairs never seen in the samples; those that collide after all; the others, and how
    many are proven."""
    unseen = [
        r
        for r in moving_rows(analysis.model).tolist()
        if analysis.hits[r] == 0 and analysis.clearance_default[r] > 0
    ]
    clear = [r for r in unseen if analysis.clearance_min[r] > 1e-7]
    proven = [r for r in clear if not np.isnan(analysis.certified[r])]
    return len(unseen), len(unseen) - len(clear), len(clear), len(proven)


def bench_proofs(name: str, balls: int, seconds: float) -> None:
    """A robot whose proofs are hard: the share that is proven within the time, samples and search
    included."""
    robot, _, _ = load(name, balls)
    model = build_sphere_model(robot)
    analysis = analyse(
        model, AnalysisSettings(samples=100_000, certify_seconds=seconds, tighten=False)
    )
    unseen, collide, clear, proven = proven_and_clear(analysis)
    share = 100 * proven / max(1, clear)
    label = Path(name).stem
    print(
        f"{label:7s} proofs: {len(model.variables)} joints, {len(model.pairs)} pairs, "
        f"{unseen} unseen in 100,000 samples: {collide} collide after all, {proven} of {clear} "
        "others proven "
        f"({share:.1f} %); {analysis.cpu_seconds:.2f} CPU-s in all"
    )
    names = [k.value for k in analysis.kinds()]
    print(
        f"{label:7s} classes: " + ", ".join(f"{k.value} {names.count(k.value)}" for k in PairClass)
    )
    wanted = 97 if "fetch" in label else 94
    note(f"proofs, {label}, {len(model.variables)} joints", f"{wanted} % within {seconds:g} s",
         f"{share:.1f} % ({proven} of {clear}) in "
         f"{analysis.cpu_seconds:.1f} s", share >= wanted)  # fmt: skip


def _share_of_budget(names: tuple[str, ...], balls: int, answers: Any, start: Any) -> None:
    """One of the two processes: loads its robots, waits for the start, analyses them one after the
    other."""
    models = [build_sphere_model(load(name, balls)[0]) for name in names]
    warm_up()
    answers.put(None)
    start.wait()
    settings = AnalysisSettings(samples=100_000, certify_seconds=20.0, tighten=False)
    without = 0.0
    began = time.process_time()
    counts = [proven_and_clear(analyse(model, settings)) for model in models]
    whole = time.process_time() - began
    for model in models:
        began = time.process_time()
        analyse(model, replace(settings, certify_seconds=0.0))
        without += time.process_time() - began
    answers.put(
        (sum(f[2] for f in counts), sum(f[3] for f in counts), whole, max(0.0, whole - without))
    )


def bench_budget(balls: int) -> None:
    """Panda, UR5, UR10e and Baxter from the first sample to the last proof, on two cores
    together."""
    context = multiprocessing.get_context("spawn")
    answers, start = context.Queue(), context.Event()
    shares = (("baxter",), ("panda", "ur5", *(("ur10e",) if (SHARED / "robots").is_dir() else ())))
    workers = [
        context.Process(target=_share_of_budget, args=(names, balls, answers, start))
        for names in shares
    ]
    for worker in workers:
        worker.start()
    for _ in workers:
        answers.get()
    start.set()
    counts = [answers.get() for _ in workers]
    for worker in workers:
        worker.join()
    clear, proven = sum(f[0] for f in counts), sum(f[1] for f in counts)
    longest, proofs = max(f[2] for f in counts), sum(f[3] for f in counts)
    names = ", ".join(name for names in shares for name in names)
    print(
        f"{names}: {proven} of {clear} never-colliding pairs proven; proofs {proofs:.2f} CPU-s; "
        "with 100,000 samples "
        f"and the search, on two cores: {longest:.2f} CPU-s in the busier process"
    )
    note("proofs of the four robots together", "100 % in 1 s", f"{proven} of {clear} in {proofs:.2f} s",
         proven == clear and proofs <= 1.0)  # fmt: skip
    note("the same with samples and search, two cores", "1 s", f"{longest:.2f} s", longest <= 1.0)


def bench_cancel(balls: int) -> None:
    """From setting the flag to the end, in each stage of an analysis of Baxter."""
    model = build_sphere_model(load("baxter", balls)[0])
    worst = 0.0
    for after in (0.1, 0.6, 1.5, 3.0):
        flag, asked = threading.Event(), [0.0]

        def ask(flag: threading.Event = flag, asked: list[float] = asked) -> None:
            asked[0] = time.monotonic()
            flag.set()

        timer = threading.Timer(after, ask)
        timer.start()
        samples = 10_000_000 if after < 1.0 else 100_000
        settings = AnalysisSettings(samples=samples, certify_seconds=60.0, search_starts=40)

        def stop(fraction: float, sentence: str, flag: threading.Event = flag) -> None:
            if flag.is_set():
                raise InterruptedError

        try:
            analyse(model, settings, stop)
        except InterruptedError:
            worst = max(worst, time.monotonic() - asked[0])
        timer.cancel()
    print(f"baxter  cancelling: {worst * 1e3:.0f} ms at most (wall time)")
    note("cancelling an analysis", "200 ms", f"{worst * 1e3:.0f} ms", worst <= 0.2)


FIRST_USE = """
import time
from editor_app.features.masks.engine.warmup import ANNOUNCEMENT, needs_compilation, warm_up
assert needs_compilation()
told = []
began = time.process_time()
warm_up(lambda fraction, sentence: told.append(sentence))
print(time.process_time() - began, told[0].startswith(ANNOUNCEMENT), needs_compilation())
"""


def bench_first_use() -> None:
    """With an empty cache: announced, and how long it takes; after that nothing is compiled."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "XRDF_EDITOR_KERNELS": folder,
            "XRDF_EDITOR_SHIPPED_KERNELS": folder,
        }
        done = subprocess.run(
            [sys.executable, "-c", FIRST_USE],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        seconds, announced, again = done.stdout.split()
        print(
            f"first use: {float(seconds):.0f} CPU-s to compile everything, announced: {announced}"
        )
        note("first use after installing", "announced, at most 60 s", f"{float(seconds):.0f} s, announced: {announced}",
             announced == "True" and again == "False" and float(seconds) <= 60.0)  # fmt: skip


def bench_live(name: str, balls: int) -> None:
    robot, _, meshes = load(name, balls)
    model = build_sphere_model(robot)
    live = LiveDistances(model)
    rng = np.random.default_rng(0)
    poses = [
        model.pose_of(model.lower + rng.random(len(model.lower)) * (model.upper - model.lower))
        for _ in range(40)
    ]

    def timed(work: Callable[[], object]) -> float:
        began = time.process_time()
        work()
        return (time.process_time() - began) * 1e3

    whole = statistics.median(timed(partial(live.set_pose, p)) for p in poses)
    slider = statistics.median(
        timed(partial(live.set_pose, {model.variables[-1]: v})) for v in rng.uniform(-0.5, 0.5, 40)
    )
    analysis = analyse(model, AnalysisSettings(samples=20_000, certify_seconds=0.5))
    group = robot.xrdf.group(robot.xrdf.self_group)
    frame = model.frames[len(model.frames) // 2]
    spheres = list(group.spheres[frame])  # type: ignore[union-attr]
    spheres[0] = replace(spheres[0], radius=spheres[0].radius + 0.002)
    edited = robot.with_xrdf(robot.xrdf.with_group(group.with_spheres(frame, tuple(spheres))))  # type: ignore[union-attr]
    build = timed(lambda: build_sphere_model(edited))
    new = build_sphere_model(edited)
    live_edit = statistics.median(
        timed(partial(live.set_model, m, {})) for m in (new, model, new, model, new)
    )
    follow = statistics.median(
        timed(lambda: carry_over(analysis, build_sphere_model(edited))) for _ in range(5)
    )
    update = timed(lambda: refresh(analysis, new))
    print(
        f"{name:7s} live: {len(model.frames)} links, {len(model.spheres)} spheres: new pose "
        f"{whole:.2f} ms, one slider "
        f"{slider:.2f} ms, edited sphere {live_edit:.2f} ms; radius edit to its row: "
        f"{follow:.1f} ms measured anew, {build + update:.1f} ms searched anew"
    )
    # A click on a cell: the witness, all distances there, the two spheres and the line between
    # them.
    rows = [row for row in range(len(model.pairs)) if analysis.nearest[row, 0] >= 0]
    rng.shuffle(rows)

    def click(row: int) -> None:
        evidence = analysis.evidence(row)
        live.set_pose(evidence.witness or {})
        live.contacts([row], 0.0)
        live.closest(row)
        live.overlaps(ignored)
        analysis.explain(evidence.pair)

    ignored = propose_mask(analysis).pairs
    live = LiveDistances(model)
    clicked = max(timed(partial(click, row)) for row in rows[:40])
    print(f"{name:7s} click: {clicked:.1f} ms at most from a cell to pose, contacts and sentence")
    note(
        f"cell click to pose, {name} (engine's part)",
        "100 ms",
        f"{clicked:.1f} ms",
        clicked <= 100.0,
    )
    note(f"radius edit to its row, {name}", "50 ms", f"{follow:.1f} ms", follow <= 50.0)
    if meshes:
        first = MeshModel(robot, meshes)
        values = Sampler(first.model, 64).values_of(np.arange(64))
        moving = moving_rows(first.model)[:200]
        spent = timed(lambda: [first.collides(int(r), v) for v in values[:8] for r in moving])
        print(
            f"{name:7s} meshes by fcl: {spent / 8 / max(1, len(moving)) * 1e3:.1f} us per pair and "
            "configuration"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("robots", nargs="*", help=f"of {', '.join(ROBOTS)}, ur10e, or URDFs")
    parser.add_argument("--quick", action="store_true", help="fewer samples, and no first use")
    parser.add_argument("--balls", type=int, default=8, help="spheres per link (default: 8)")
    parser.add_argument("--only", choices=["sampling", "vectors", "proofs", "live"])
    options = parser.parse_args()
    warm_up()
    names = options.robots or ["panda", "ur5", "ur10e", "baxter", "g1", "talos"]
    small = {"panda", "ur5", "ur10e", "baxter"}
    for name in names:
        if name == "ur10e" and not (SHARED / "robots").is_dir():
            print("ur10e   left out: no ../shared/robots beside the repository")
            continue
        if options.only in (None, "sampling") and name in small:
            bench_sampling(name, options.balls, options.quick)
        if options.only in (None, "proofs") and name not in small:
            bench_proofs(name, options.balls, 30.0)
        if options.only in (None, "live") and name in ROBOTS:
            bench_live(name, options.balls)
    if options.only in (None, "vectors"):
        bench_vectors(
            tuple(name for name in names if name in ROBOTS and name in small), options.balls
        )
    if options.only in (None, "proofs") and not options.robots:
        bench_budget(options.balls)
    if options.only in (None, "live") and not options.robots:
        bench_cancel(options.balls)
        if not options.quick:
            bench_first_use()
    print()
    for goal_name, goal, measured, enough in SUMMARY:
        print(
            f"{goal_name:48s} goal {goal:24s} measured {measured:32s} "
            f"{'met' if enough else 'MISSED'}"
        )


if __name__ == "__main__":
    main()
