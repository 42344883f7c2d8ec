"""One judge per kind of test: from the robot as it is now to a verdict, by the verbs that the other
commands use."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from editor_app.core.document.document import Document
from editor_app.core.formats.trajectories import read_trajectory
from editor_app.core.model.counting import format_count
from editor_app.core.model.findings import Severity
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.pose import Pose
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.scene import Scene
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.space.kinematics.frame_deviations import measure_pose_deviation
from editor_app.core.space.kinematics.inverse import ToolTarget
from editor_app.core.space.kinematics.transforms import rpy_matrix, transform
from editor_app.core.space.kinematics.tree import complete_pose, get_default_positions, get_tree
from editor_app.core.tasks.work import Cancel, Progress, Refused, locate_robot
from editor_app.core.verbs.open import open_robot
from editor_app.core.verbs.pose import default_pose, reach, told_rest
from editor_app.core.verbs.tool_places import frame_pose, tool_target
from editor_app.features.checks.verbs.check import check
from editor_app.features.spheres.verbs import link_figures
from editor_app.features.spheres.verbs.link_meshes import link_meshes
from editor_app.plugins.comparison.verbs.diff import RobotSide, diff
from editor_app.plugins.motion.engine.limits import list_limits
from editor_app.plugins.motion.engine.model import MotionModel
from editor_app.plugins.motion.engine.results import KeepAway, PlannerSettings
from editor_app.plugins.motion.verbs.collide import (
    Collided,
    Geometry,
    Moment,
    Touch,
    collide,
    motion_model_of,
    state_pose,
)
from editor_app.plugins.motion.verbs.plan import plan_between
from editor_app.plugins.planning.verbs.model_cost import ModelCost, model_cost
from editor_app.plugins.robot_tests.forms import PoseGiven
from editor_app.plugins.robot_tests.kinds import (
    Collides,
    Controls,
    CostWithin,
    DistanceIs,
    FrameAt,
    Free,
    LimitsAre,
    LoadsIn,
    MaskHolds,
    MotionStays,
    PathExists,
    Reaches,
    SameMechanism,
    SpheresFit,
    TestKind,
)
from editor_app.plugins.robot_tests.verbs.sign_pairs import review_mask

#: How often a posture without collisions is looked for at a target.
_POSTURES = 8
#: Relative difference of numbers that count as equal: digits that a file does not write.
_SAME = 1e-9
#: Limits that a joint does not have.
_OPEN = -math.inf, math.inf


@dataclass(frozen=True, slots=True)
class TestVerdict:
    """`sentence`: why the test fails, or the measured value. `pose`, `pair`, `frame`: what shows
    it.

    `measured`: key of the test -> value that would just hold, for --update.
    """

    is_passed: bool
    sentence: str = ""
    pose: Pose | None = None
    pair: tuple[str, str] | None = None
    frame: str = ""
    measured: Mapping[str, Any] = FrozenDict()


@dataclass
class Bench:
    """A robot under test. What several tests need is computed once: the motion model, figures,
    costs.

    `folder`: of the files that tests name.
    """

    document: Document
    scene: Scene
    folder: Path
    progress: Progress
    cancel: Cancel
    _costs: dict[tuple[int, int], ModelCost] = field(default_factory=dict)

    @property
    def robot(self) -> RobotDescription:
        return self.document.robot

    @cached_property
    def model(self) -> MotionModel:
        return motion_model_of(self.robot, self.scene)

    def pose(self, given: PoseGiven) -> Pose:
        """Return joint -> rad or m of every movable joint; mimic joints follow."""
        tree = get_tree(self.robot)
        positions = state_pose(self.document, given) if isinstance(given, str) else given
        return FrozenDict(
            complete_pose(tree, {**get_default_positions(tree, self.robot.xrdf), **positions})
        )

    def moment(self, given: PoseGiven, geometry: str) -> Moment:
        """Compare the shapes at a configuration."""
        model = self.model if geometry in ("spheres", "both") else None
        pose = self.pose(given)
        shapes = Geometry(geometry)
        collided = collide(
            self.document, pose, geometry=shapes, scene=self.scene, model=model, cancel=self.cancel
        )
        return collided.moment(0)

    def cost(self, samples: int, seed: int) -> ModelCost:
        key = samples, seed
        if key not in self._costs:
            self._costs[key] = model_cost(
                self.document,
                scene=self.scene,
                samples=samples,
                seed=seed,
                progress=self.progress,
                cancel=self.cancel,
            )
        return self._costs[key]

    @cached_property
    def figures(self) -> Mapping[str, link_figures.LinkFigures]:
        """Link -> figures of its spheres, of the links with spheres; those that are kept on disk
        are not measured."""
        # A frame that the XRDF adds has no mesh.
        spheres = {
            name: each
            for name, each in sphere_lists(self.robot).items()
            if self.robot.urdf.link(name)
        }
        gathered = link_meshes(locate_robot(self.document), spheres)
        figures = {}
        for number, mesh in enumerate(gathered.meshes):
            self.progress(number / len(gathered.meshes), f"Measuring the spheres of {mesh.link}")
            if self.cancel():
                break
            kept = link_figures.kept(link_figures.key_of(mesh, spheres[mesh.link]))
            figures[mesh.link] = kept or link_figures.measure_figures(mesh, spheres[mesh.link])
        return figures


def sphere_lists(robot: RobotDescription) -> dict[str, tuple[Any, ...]]:
    """Return frame -> spheres of the group that self-collision uses, else of the obstacles'
    group."""
    xrdf = robot.xrdf
    spheres = xrdf.spheres_of(xrdf.self_group or xrdf.world_group)
    return {frame: tuple(each) for frame, each in spheres.items() if each}


def judge_kind(bench: Bench, kind: TestKind) -> TestVerdict:
    """Return the verdict on one test. Raises what the verbs of its kind raise."""
    return _JUDGES[type(kind)](bench, kind)


# -- configurations


def _beyond(moment: Moment) -> str:
    for room in moment.beyond_limits:
        over = max(-(value or 0.0) for value in (room.to_lower, room.to_upper) if value is not None)
        return f"joint {room.joint} is {over:.4g} beyond its limits"
    return ""


def _counting(moment: Moment) -> list[Touch]:
    return [touch for touch in moment.touches if not touch.masked]


def _told_touch(touch: Touch) -> str:
    depth = "" if touch.depth is None else f" by {touch.depth * 1e3:.2f} mm"
    reason = " although nothing checks this pair" if touch.missed else ""
    return (
        f"{touch.first} and {touch.second} "
        f"{'touch' if touch.depth is None else 'overlap'}{depth}{reason}"
    )


def _judge_free(bench: Bench, test: Free) -> TestVerdict:
    moment, pose = bench.moment(test.at, test.geometry), bench.pose(test.at)
    if beyond := _beyond(moment):
        return TestVerdict(False, beyond, pose)
    touches = _counting(moment)
    if touches:
        return TestVerdict(
            False, _told_touch(touches[0]), pose, (touches[0].first, touches[0].second)
        )
    measured = {} if moment.clearance is None else {"clearance": moment.clearance}
    if test.clearance > 0.0 and (moment.clearance is None or moment.clearance < test.clearance):
        if moment.clearance is None or moment.nearest is None:
            return TestVerdict(False, f"no clearance can be measured with {test.geometry}", pose)
        near = f"{' and '.join(moment.nearest)} are {moment.clearance * 1e3:.2f} mm apart"
        why = f"{near}; at least {test.clearance * 1e3:.2f} mm are expected"
        return TestVerdict(False, why, pose, moment.nearest, "", FrozenDict(measured))
    told = "" if moment.clearance is None else f"clearance {moment.clearance * 1e3:.2f} mm"
    return TestVerdict(True, told, pose, moment.nearest, "", FrozenDict(measured))


def _judge_collides(bench: Bench, test: Collides) -> TestVerdict:
    moment, pose = bench.moment(test.at, test.geometry), bench.pose(test.at)
    if beyond := _beyond(moment):
        return TestVerdict(False, beyond, pose)
    wanted = frozenset(test.pair)
    touches = [
        touch
        for touch in _counting(moment)
        # Nothing checks a missed pair: the robot does not notice that collision.
        if not touch.missed and (not wanted or {touch.first, touch.second} == wanted)
    ]
    if not touches:
        pair = (test.pair[0], test.pair[1]) if test.pair else None
        return TestVerdict(False, _why_apart(bench, moment, test), pose, pair)
    deepest = max(touches, key=lambda touch: touch.depth or 0.0)
    pair, measured = (deepest.first, deepest.second), {"depth": deepest.depth or 0.0}
    if test.depth > (deepest.depth or 0.0):
        sentence = f"{_told_touch(deepest)}; at least {test.depth * 1e3:.2f} mm are expected"
        return TestVerdict(False, sentence, pose, pair, "", FrozenDict(measured))
    return TestVerdict(True, _told_touch(deepest), pose, pair, "", FrozenDict(measured))


def _why_apart(bench: Bench, moment: Moment, test: Collides) -> str:
    if not test.pair:
        nearest = "" if moment.nearest is None else f": nearest are {' and '.join(moment.nearest)}"
        gap = "" if moment.clearance is None else f", {moment.clearance * 1e3:.2f} mm apart"
        return f"nothing collides{nearest}{gap}"
    first, second = test.pair
    if any(
        touch.masked and {touch.first, touch.second} == {first, second} for touch in moment.touches
    ):
        return f"the mask ignores {first} and {second}, which overlap"
    rows = bench.model.spheres.pair_index
    row = rows.get(LinkPair.of(first, second)) if first != second else None
    if row is None or test.geometry not in ("spheres", "both"):
        return f"{first} and {second} do not collide"
    values = bench.model.values(bench.pose(test.at))[None, :]
    apart_by = float(bench.model.least_clearances(values, np.array([row]))[0][0])
    return f"{first} and {second} do not collide: they are {apart_by * 1e3:.2f} mm apart"


def _judge_plan(bench: Bench, test: PathExists) -> TestVerdict:
    keep = KeepAway(obstacles=test.clearance, itself=test.clearance)
    settings = PlannerSettings(seconds=test.seconds, keep_away=keep)
    start, goal = bench.pose(test.start), bench.pose(test.goal)
    planned = plan_between(
        bench.document,
        start,
        goal,
        scene=bench.scene,
        settings=settings,
        model=bench.model,
        cancel=bench.cancel,
    )
    pair = planned.blocking[0][0] if planned.blocking else None
    if planned.path is None or planned.missed:
        return TestVerdict(
            False, planned.told, start, planned.missed[0] if planned.missed else pair
        )
    worst = collide(
        bench.document, planned.path, scene=bench.scene, model=bench.model, cancel=bench.cancel
    ).worst()
    if worst is None:
        return TestVerdict(True, planned.told, start)
    pose = FrozenDict(bench.model.pose(worst.values))
    measured = FrozenDict({"clearance": worst.clearance})
    near = (
        f"{' and '.join(worst.nearest)} {worst.clearance * 1e3:.2f} mm apart at the narrowest point"
    )
    is_wide = worst.clearance >= test.clearance
    expected = "" if is_wide else f"; at least {test.clearance * 1e3:.2f} mm are expected"
    return TestVerdict(is_wide, near + expected, pose, worst.nearest, "", measured)


def _judge_motion(bench: Bench, test: MotionStays) -> TestVerdict:
    if Path(test.file).is_absolute():
        raise Refused(
            f"{test.file} is not relative to the folder of the tests: write a relative path"
        )
    motion = read_trajectory(bench.folder / test.file)
    collided = collide(
        bench.document,
        motion,
        scene=bench.scene,
        between=test.between,
        model=bench.model,
        progress=bench.progress,
        cancel=bench.cancel,
    )
    for index in range(len(collided)):
        moment = collided.moment(index)
        beyond, touches = _beyond(moment), _counting(moment)
        if beyond or touches:
            pair = None if beyond else (touches[0].first, touches[0].second)
            sentence = f"{_told_point(collided, index)}: {beyond or _told_touch(touches[0])}"
            return TestVerdict(False, sentence, motion.pose(index), pair)
    for passage in collided.passages:
        counting = [touch for touch in passage.touches if not touch.masked]
        if not passage.free and counting:
            sentence = f"after {_told_point(collided, passage.index)}: {_told_touch(counting[0])}"
            values = collided.values[passage.index : passage.index + 2]
            pose = FrozenDict(bench.model.pose(values[0] + passage.at * (values[-1] - values[0])))
            return TestVerdict(False, sentence, pose, (counting[0].first, counting[0].second))
    if test.rates and collided.too_fast:
        return TestVerdict(False, collided.too_fast[0].sentence)
    worst = collided.worst()
    if worst is None:
        return TestVerdict(True, format_count(len(collided), "point"))
    pose, measured = (
        FrozenDict(bench.model.pose(worst.values)),
        FrozenDict({"clearance": worst.clearance}),
    )
    near = (
        f"{' and '.join(worst.nearest)} {worst.clearance * 1e3:.2f} mm apart at the narrowest point"
    )
    is_wide = worst.clearance >= test.clearance
    expected = "" if is_wide else f"; at least {test.clearance * 1e3:.2f} mm are expected"
    return TestVerdict(is_wide, near + expected, pose, worst.nearest, "", measured)


def _told_point(collided: Collided, index: int) -> str:
    time = collided.time(index)
    return f"point {index + 1} of {len(collided)}" + ("" if time is None else f" ({time:.3f} s)")


# -- frames


def _target(bench: Bench, test: Reaches) -> ToolTarget:
    rotation = rpy_matrix(*test.rpy) if test.rpy else None
    target = tool_target(
        bench.document,
        test.frame,
        transform(rotation, np.array(test.position)),
        reference=test.relative_to,
    )
    return target if test.rpy else ToolTarget(target.frame, target.position, None)


def _judge_reach(bench: Bench, test: Reaches) -> TestVerdict:
    target, sentence, pose, pair = _target(bench, test), "", None, None
    for seed in range(_POSTURES if test.free else 1):
        attempt = reach(bench.document, target, seed=seed) if seed == 0 else reach(
            bench.document, target, _random_pose(bench, seed), seed=seed
        )  # fmt: skip
        if not attempt.is_reached:
            sentence = sentence or f"{test.frame} does not reach the target: {told_rest(attempt)}"
            pose = pose or attempt.pose
            continue
        if not test.free:
            return TestVerdict(True, "", attempt.pose, None, test.frame)
        touches = _counting(bench.moment(attempt.pose, "spheres"))
        if not touches:
            return TestVerdict(True, "", attempt.pose, None, test.frame)
        sentence = f"{test.frame} reaches the target only in collision: {_told_touch(touches[0])}"
        pose, pair = attempt.pose, (touches[0].first, touches[0].second)
    return TestVerdict(False, sentence, pose, pair, test.frame)


def _random_pose(bench: Bench, seed: int) -> Pose:
    return FrozenDict(bench.model.pose(bench.model.random_values(1, seed)[0]))


def _judge_frame(bench: Bench, test: FrameAt) -> TestVerdict:
    pose = bench.pose(test.at)
    place = frame_pose(bench.document, test.frame, test.relative_to, pose)
    expected = transform(
        rpy_matrix(*test.rpy) if test.rpy else place.matrix[:3, :3], np.array(test.position)
    )
    distance, angle = (float(each) for each in measure_pose_deviation(expected, place.matrix))
    measured: dict[str, Any] = {"position": place.position}
    if test.rpy:
        measured["rpy"] = place.rpy
    parts = []
    if distance > test.within:
        parts.append(f"{distance * 1e3:.3f} mm from its expected position")
    if angle > test.within_angle:
        parts.append(f"turned by {math.degrees(angle):.3f}°")
    sentence = (
        f"{test.frame} is {' and '.join(parts)}"
        if parts
        else f"{distance * 1e3:.3f} mm, {math.degrees(angle):.3f}°"
    )
    return TestVerdict(not parts, sentence, pose, None, test.frame, FrozenDict(measured))


def _judge_distance(bench: Bench, test: DistanceIs) -> TestVerdict:
    pose = bench.pose(test.at)
    one, other = (
        frame_pose(bench.document, frame, "", pose).matrix
        @ np.array([*(point or (0.0, 0.0, 0.0)), 1.0])
        for frame, point in zip(test.frames, (test.first, test.second), strict=True)
    )
    distance = float(np.linalg.norm(one[:3] - other[:3]))
    told, measured = (
        f"{' and '.join(test.frames)} are {distance * 1e3:.3f} mm apart",
        {"distance": distance},
    )
    is_same = abs(distance - test.distance) <= test.within
    expected = "" if is_same else f", not {test.distance * 1e3:.3f} mm"
    pair = (test.frames[0], test.frames[1])
    return TestVerdict(is_same, told + expected, pose, pair, "", FrozenDict(measured))


def _judge_mechanism(bench: Bench, test: SameMechanism) -> TestVerdict:
    if Path(test.file).is_absolute():
        raise Refused(
            f"{test.file} is not relative to the folder of the tests: write a relative path"
        )
    # Its meshes are of no concern: frames and limits are compared.
    other = open_robot(bench.folder / test.file, packages=bench.document.packages)
    sides = [
        RobotSide(side.path, {"urdf": side.documents["urdf"]})
        for side in map(RobotSide.of, (other, bench.document))
    ]
    deviations = diff(*sides, progress=bench.progress, cancel=bench.cancel).deviations
    faults = [*_other_names(other.robot, bench.robot), *_other_limits(other.robot, bench.robot)]
    if deviations is not None:
        for frame in deviations.frames:
            if frame.distance > test.within:
                sentence = f"{frame.frame} is up to {frame.told} from its place in {test.file}"
                return TestVerdict(False, sentence, frame.farthest, None, frame.frame)
            if frame.angle > test.within_angle:
                sentence = f"{frame.frame} is turned by up to {frame.told_turn} from {test.file}"
                return TestVerdict(False, sentence, frame.most_turned, None, frame.frame)
    return TestVerdict(not faults, faults[0] if faults else "")


def _other_names(old: RobotDescription, new: RobotDescription) -> Iterator[str]:
    for title, one, other in (
        ("link", {link.name for link in old.urdf.links}, {link.name for link in new.urdf.links}),
        (
            "joint",
            {joint.name for joint in old.urdf.joints},
            {joint.name for joint in new.urdf.joints},
        ),
    ):
        yield from (f"the {title} {name} is missing" for name in sorted(one - other))
        yield from (f"the {title} {name} is new" for name in sorted(other - one))


def _other_limits(old: RobotDescription, new: RobotDescription) -> Iterator[str]:
    for joint in old.urdf.joints:
        other = new.urdf.joint(joint.name)
        if other is None:
            continue
        if joint.type is not other.type:
            yield f"joint {joint.name} is {other.type.value}, not {joint.type.value}"
        elif joint.is_movable and joint.limit != other.limit:
            yield (
                f"joint {joint.name} has other limits: {_told_limit(other.limit)}, not "
                f"{_told_limit(joint.limit)}"
            )


def _told_limit(limit: Any) -> str:
    if limit is None:
        return "none"
    return f"{limit.lower} to {limit.upper}, velocity {limit.velocity}, effort {limit.effort}"


# -- spheres and mask


def _judge_mask(bench: Bench, test: MaskHolds) -> TestVerdict:
    review = review_mask(
        bench.document,
        samples=max(test.samples, 1),
        certify=test.seconds,
        progress=bench.progress,
        cancel=bench.cancel,
    )
    open_pairs = [(each, each.evidence) for each in review.undecided if each.evidence is not None]
    if not open_pairs:
        return TestVerdict(True, f"{format_count(len(review.decisions), 'ignored pair')} decided")
    worst, evidence = max(open_pairs, key=lambda each: each[1].worst_depth)
    more = f", and {format_count(len(open_pairs) - 1, 'more pair')}" if len(open_pairs) > 1 else ""
    depth = evidence.worst_depth * 1e3
    state = f"{evidence.kind.value}, overlap {depth:.1f} mm" if depth else evidence.kind.value
    lack = "without a signed reason" if worst.signature is None else f"({worst.sentence})"
    sentence = f"the mask ignores {' and '.join(worst.names)} ({state}) {lack}{more}"
    return TestVerdict(False, sentence, evidence.witness, worst.names)


def _judge_spheres(bench: Bench, test: SpheresFit) -> TestVerdict:
    lists = sphere_lists(bench.robot)
    links = [test.link] if test.link else list(lists)
    count = sum(len(lists.get(link, ())) for link in links)
    measured: dict[str, Any] = {"number_at_least": count, "number_at_most": count}
    faults: list[tuple[str, str]] = []
    title = test.link or "the robot"
    if test.number_at_least is not None and count < test.number_at_least:
        faults.append(
            (
                test.link,
                f"{title} has {format_count(count, 'sphere')}, at least {test.number_at_least} "
                "expected",
            )
        )
    if test.number_at_most is not None and count > test.number_at_most:
        faults.append(
            (
                test.link,
                f"{title} has {format_count(count, 'sphere')}, at most {test.number_at_most} "
                "expected",
            )
        )
    faults += _buffer_faults(bench, test, measured)
    if test.coverage_at_least is not None or test.protrusion_at_most is not None:
        figures = {link: bench.figures[link] for link in links if link in bench.figures}
        if not figures:
            raise Refused(f"no mesh of {title} can be compared with its spheres")
        least = min(figures, key=lambda link: figures[link].surface_coverage)
        most = max(figures, key=lambda link: figures[link].protrusion_at_most)
        coverage, protrusion = figures[least].surface_coverage, figures[most].protrusion_at_most
        measured |= {"coverage_at_least": coverage, "protrusion_at_most": protrusion}
        if test.coverage_at_least is not None and coverage < test.coverage_at_least:
            told = (
                f"the spheres cover {coverage:.2%} of {least}, at least "
                f"{test.coverage_at_least:.2%} expected"
            )
            faults.append((least, told))
        if test.protrusion_at_most is not None and protrusion > test.protrusion_at_most:
            told = f"spheres of {most} protrude by up to {protrusion * 1e3:.2f} mm"
            faults.append(
                (most, f"{told}, at most {test.protrusion_at_most * 1e3:.2f} mm expected")
            )
    if not faults:
        return TestVerdict(True, format_count(count, "sphere"), measured=FrozenDict(measured))
    return TestVerdict(
        False,
        "; ".join(text for _, text in faults),
        frame=faults[0][0],
        measured=FrozenDict(measured),
    )


def _buffer_faults(
    bench: Bench, test: SpheresFit, measured: dict[str, Any]
) -> Iterator[tuple[str, str]]:
    xrdf = bench.robot.xrdf
    for key, section in (
        ("self_buffer", xrdf.self_collision),
        ("obstacle_buffer", xrdf.world_collision),
    ):
        expected = getattr(test, key)
        if expected is None:
            continue
        if not test.link:
            raise Refused(f"{key} is the buffer of one link: add the key link")
        present = 0.0 if section is None else section.buffer(test.link)
        measured[key] = present
        if not math.isclose(present, expected, rel_tol=_SAME, abs_tol=_SAME):
            title = key.replace("_", " ")
            yield test.link, f"the {title} of {test.link} is {present:g} m, not {expected:g} m"


def _judge_cost(bench: Bench, test: CostWithin) -> TestVerdict:
    cost = bench.cost(max(test.samples, 1), test.seed)
    shares = {"false_collisions_at_most": cost.needless, "missed_collisions_at_most": cost.wrong}
    measured = FrozenDict({key: share.value for key, share in shares.items()})
    if (
        test.missed_collisions_at_most is not None
        and cost.wrong.value > test.missed_collisions_at_most
    ):
        hidden = cost.hidden[0]
        sentence = (
            f"{cost.wrong.value:.2%} of the collisions are missed, at most "
            f"{test.missed_collisions_at_most:.2%} "
        )
        names = " and ".join(hidden.names)
        return TestVerdict(
            False,
            f"{sentence}expected; most often {names}",
            hidden.witness,
            hidden.names,
            "",
            measured,
        )
    if (
        test.false_collisions_at_most is not None
        and cost.needless.value > test.false_collisions_at_most
    ):
        fat = cost.too_fat[0]
        sentence = (
            f"{cost.needless.value:.2%} false collisions, at most "
            f"{test.false_collisions_at_most:.2%} expected"
        )
        names = " and ".join(fat.names)
        return TestVerdict(
            False, f"{sentence}; most often {names}", fat.witness, fat.names, "", measured
        )
    return TestVerdict(
        True, f"{cost.needless.value:.2%} false, {cost.wrong.value:.2%} missed", measured=measured
    )


# -- limits, choices, programs


def joint_limits(robot: RobotDescription, name: str) -> dict[str, float]:
    """Return lower, upper, velocity, acceleration and jerk of a joint; infinite where no file
    limits it."""
    tree = get_tree(robot)
    joint = tree.joints[tree.joint_index[name]]
    lower, upper = joint.limits or _OPEN
    limits = list_limits(robot, [name])
    rates = {key: float(getattr(limits, key)[0]) for key in ("velocity", "acceleration", "jerk")}
    return {"lower": float(lower), "upper": float(upper), **rates}


def _judge_limits(bench: Bench, test: LimitsAre) -> TestVerdict:
    present = joint_limits(bench.robot, test.joint)
    expected = {key: getattr(test, key) for key in present if getattr(test, key) is not None}
    faults = [
        f"{key} {present[key]:.9g}, not {value:.9g}"
        for key, value in expected.items()
        if not math.isclose(present[key], value, rel_tol=_SAME, abs_tol=_SAME)
    ]
    measured = FrozenDict({key: present[key] for key in expected if math.isfinite(present[key])})
    sentence = f"joint {test.joint}: {'; '.join(faults)}" if faults else ""
    return TestVerdict(not faults, sentence, measured=measured)


def _judge_controls(bench: Bench, test: Controls) -> TestVerdict:
    xrdf = bench.robot.xrdf
    faults: list[str] = []
    measured: dict[str, Any] = {}
    for key, title, present in (
        ("joints", "controlled joints", tuple(xrdf.controlled)),
        ("tools", "tool frames", tuple(xrdf.tool_frames or ())),
    ):
        expected = getattr(test, key)
        if expected:
            measured[key] = present
            if expected != present:
                faults.append(
                    f"the {title} are {', '.join(present) or 'none'}, not {', '.join(expected)}"
                )
    pose = default_pose(bench.document)
    if test.default is not None:
        expected_pose = bench.pose(test.default) if isinstance(test.default, str) else test.default
        measured["default"] = {joint: pose[joint] for joint in expected_pose if joint in pose}
        faults += [
            f"the default of {joint} is {pose.get(joint, math.nan):.9g}, not {position:.9g}"
            for joint, position in expected_pose.items()
            if not math.isclose(pose.get(joint, math.nan), position, rel_tol=_SAME, abs_tol=_SAME)
        ]
    return TestVerdict(
        not faults, "; ".join(faults), FrozenDict(pose), measured=FrozenDict(measured)
    )


def _judge_loads(bench: Bench, test: LoadsIn) -> TestVerdict:
    for name in test.programs:
        profile = Profile(name)
        errors = [
            each
            for each in check(bench.document, profile=profile)
            if each.severity is Severity.ERROR
        ]
        if errors:
            more = f", and {format_count(len(errors) - 1, 'more error')}" if len(errors) > 1 else ""
            sentence = (
                f"{profile.program} does not load the files: {errors[0].code}: "
                f"{errors[0].message.rstrip('.')}"
            )
            return TestVerdict(False, sentence + more)
    return TestVerdict(
        True, f"loads in {', '.join(Profile(name).program for name in test.programs)}"
    )


_JUDGES: dict[type[TestKind], Callable[[Bench, Any], TestVerdict]] = {
    Free: _judge_free,
    Collides: _judge_collides,
    PathExists: _judge_plan,
    MotionStays: _judge_motion,
    Reaches: _judge_reach,
    FrameAt: _judge_frame,
    DistanceIs: _judge_distance,
    SameMechanism: _judge_mechanism,
    MaskHolds: _judge_mask,
    SpheresFit: _judge_spheres,
    CostWithin: _judge_cost,
    LimitsAre: _judge_limits,
    Controls: _judge_controls,
    LoadsIn: _judge_loads,
}
