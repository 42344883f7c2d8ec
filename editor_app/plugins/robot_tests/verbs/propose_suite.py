"""The verb propose_tests: a first test file for a robot, from its measured behaviour.

Every proposed test is run once. One that fails today is left out, with the reason as a comment at
the end of the file.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from editor_app.core.arrays import F64, I64
from editor_app.core.document.document import Document
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.printable import printable
from editor_app.core.model.scene import EMPTY_SCENE
from editor_app.core.space.kinematics.frame_deviations import FramePose
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.tasks.work import (
    Cancel,
    Progress,
    Refused,
    check_arguments,
    make_stoppable,
    never,
    scale_progress,
    silent,
)
from editor_app.core.text.source import SourceText
from editor_app.core.text.yaml.changes import SetValue, edit_text
from editor_app.core.text.yaml.plan import Block, Flow, FlowMap, Spelled
from editor_app.core.verbs.pose import default_pose
from editor_app.core.verbs.tool_places import frame_pose
from editor_app.features.checks.verbs.check import CONSUMERS
from editor_app.plugins.robot_tests.kinds import FORMAT
from editor_app.plugins.robot_tests.suite import read_suite
from editor_app.plugins.robot_tests.verbs.judges import Bench, joint_limits, sphere_lists
from editor_app.plugins.robot_tests.verbs.run_tests import TestResult, TestState, test_robot
from editor_app.plugins.robot_tests.verbs.update_suite import written_value

#: A configuration is free, or in collision, by this much at least (metres): rounding does not
#: change its verdict.
MARGIN = 0.002
#: Random configurations, and how many free ones, colliding ones, motions and frames without
#: children are proposed.
_SAMPLES, _FREE, _COLLIDING, _PLANS, _LEAVES = 4000, 10, 12, 2, 8
#: Decimals of joint positions: microradians, micrometres.
_DECIMALS = 6
#: Metres and radians that a frame may be off: rounded numbers are nearer.
_WITHIN = 1e-5

_HEAD = """\
# Tests of {name}: run them with `xrdf-editor test`. Lengths are metres, angles radians.
# These tests describe the robot as it was when they were proposed: keep the ones that have to stay true.
format: {format}
format_version: 1
tests: []
"""


@dataclass(frozen=True, slots=True)
class Proposal:
    """`text`: the test file. `left_out`: the tests that fail today; the file lists them as
    comments."""

    text: str
    left_out: tuple[TestResult, ...]


@dataclass(frozen=True)
class _Draft:
    """A test to be proposed. `bounds`: its keys that get the measured value; until then they hold
    for any robot."""

    name: str
    kind: str
    entries: Mapping[str, Any]
    bounds: tuple[str, ...] = ()

    def bounded(self, measured: Mapping[str, Any]) -> _Draft:
        values = {key: written_value(key, measured[key]) for key in self.bounds if key in measured}
        rest = {key: value for key, value in self.entries.items() if key not in self.bounds}
        return _Draft(self.name, self.kind, {**rest, **values})

    @property
    def item(self) -> dict[str, Any]:
        """The test as an item of the file."""
        return {"name": self.name, self.kind: dict(self.entries)}


@check_arguments
def propose_tests(
    document: Document, *, seed: int = 0, progress: Progress = silent, cancel: Cancel = never
) -> Proposal:
    """Return a first test file for a robot. The same robot and seed give the same file.

    Raises Refused for a robot without spheres on two links, Cancelled.
    """
    tick = make_stoppable(progress, cancel)
    bench = Bench(document, EMPTY_SCENE, Path(), silent, cancel)
    if not bench.model.row_count:
        raise Refused("fewer than two frames have collision spheres: fit spheres first")
    tick(0.0, "Choosing configurations")
    drafts = [*_Proposer(bench, seed).drafts()]
    suite = read_suite(_source_of(document, drafts), document.robot)
    assert not suite.findings, suite.findings
    report = test_robot(document, suite, progress=scale_progress(tick, 0.2, 1.0), cancel=cancel)
    passed = {
        result.test.name: result for result in report.results if result.state is TestState.PASSED
    }
    kept = [each.bounded(passed[each.name].measured) for each in drafts if each.name in passed]
    reasons = (
        f"# Left out: {printable(each.test.name)}: {printable(each.sentence)}\n"
        for each in report.failed
    )
    tick(1.0, "Done")
    return Proposal(_source_of(document, kept).text + "".join(reasons), report.failed)


def _source_of(document: Document, drafts: Sequence[_Draft]) -> SourceText:
    name = printable(document.robot.urdf.name or "the robot")
    head = SourceText.from_text(_HEAD.format(name=name, format=FORMAT))
    return edit_text(head, [SetValue(("tests",), Block(each.item for each in drafts))])


class _Proposer:
    def __init__(self, bench: Bench, seed: int) -> None:
        self._bench, self._seed = bench, seed
        self._robot, self._tree = bench.robot, get_tree(bench.robot)
        self._values = bench.model.random_values(_SAMPLES, seed)
        self._clearance, self._nearest = bench.model.least_clearances(self._values)

    def drafts(self) -> Iterator[_Draft]:
        yield _Draft(
            "The default configuration is free",
            "free",
            {"at": "default", "clearance": 0.0},
            ("clearance",),
        )
        yield from self._configurations()
        yield from self._plans()
        yield from self._frames()
        yield from self._limits()
        yield from self._spheres()
        yield _Draft("Ignored pairs are proven or signed", "mask", {})
        for profile in CONSUMERS:
            yield _Draft(
                f"{profile.program} loads the files", "loads", {"programs": Flow([profile.value])}
            )

    def _configurations(self) -> Iterator[_Draft]:
        """Free and colliding configurations, so that each sphere is the nearest one in some of
        them."""
        free = np.flatnonzero(self._clearance > MARGIN)
        for number, row in enumerate(
            self._spread(free[np.argsort(self._clearance[free])], _FREE), 1
        ):
            at = self._pose(self._values[row])
            yield _Draft(
                f"Random configuration {number} is free",
                "free",
                {"at": at, "clearance": 0.0},
                ("clearance",),
            )
        touching = np.flatnonzero(self._clearance < -MARGIN)
        for row in self._spread(touching[np.argsort(-self._clearance[touching])], _COLLIDING):
            pair = self._bench.model.names(int(self._nearest[row, 0]))
            spheres = " and ".join(
                str(each.index + 1) for each in self._bench.model.refs(*self._nearest[row].tolist())
            )
            name = f"{pair[0]} collides with {pair[1]} (spheres {spheres})"
            entries = {"at": self._pose(self._values[row]), "pair": Flow(pair), "depth": 0.0}
            yield _Draft(name, "collides", entries, ("depth",))

    def _spread(self, rows: I64, most: int) -> Iterator[int]:
        """Yield configurations, in their order, in which a pair or a sphere is nearest that was not
        before."""
        seen: set[tuple[int, int]] = set()
        for row in rows.tolist():
            pair, *spheres = self._nearest[row].tolist()
            new = {(-1, pair), *((pair, sphere) for sphere in spheres)} - seen
            if new and most:
                seen |= new
                most -= 1
                yield row

    def _plans(self) -> Iterator[_Draft]:
        free = np.flatnonzero(self._clearance > 5.0 * MARGIN)[: 2 * _PLANS]
        poses = [self._pose(self._values[row]) for row in free]
        for number, (start, goal) in enumerate(zip(poses[::2], poses[1::2], strict=False), 1):
            yield _Draft(f"Motion {number} is planned", "plan", {"start": start, "goal": goal})

    def _frames(self) -> Iterator[_Draft]:
        tools = [frame for frame in self._robot.xrdf.tool_frames or () if frame in self._tree.index]
        parents = {joint.parent for joint in self._tree.joints}
        leaves = [
            frame for frame in self._tree.frames if frame not in parents and frame not in tools
        ]
        rng = np.random.default_rng(self._seed)
        joints = [
            self._tree.joints[self._tree.joint_index[name]] for name in self._tree.independent
        ]
        drawn = [
            FlowMap({each.name: round(rng.uniform(*each.span), _DECIMALS) for each in joints})
            for _ in range(2)
        ]
        for frame in (*tools, *leaves[:_LEAVES]):
            yield self._place(frame, "default", "the default configuration")
            for number, at in enumerate(drawn, 1):
                yield self._place(frame, at, f"random configuration {number}")
        for frame in tools:
            pose = frame_pose(self._bench.document, frame, "", self._pose(self._values[0]))
            yield _Draft(f"{frame} reaches a pose", "reach", {"frame": frame, **_numbers(pose)})

    def _place(self, frame: str, at: Any, title: str) -> _Draft:
        pose = frame_pose(
            self._bench.document,
            frame,
            "",
            self._bench.pose(at if isinstance(at, str) else FrozenDict(at)),
        )
        entries = {
            "frame": frame,
            "at": at,
            **_numbers(pose),
            "within": _WITHIN,
            "within_angle": _WITHIN,
        }
        return _Draft(f"{frame} at {title}", "frame", entries)

    def _limits(self) -> Iterator[_Draft]:
        for joint in self._tree.independent:
            limits = {
                key: value
                for key, value in joint_limits(self._robot, joint).items()
                if math.isfinite(value)
            }
            if limits:
                yield _Draft(f"Limits of {joint}", "limits", {"joint": joint, **limits})
        xrdf = self._robot.xrdf
        default = default_pose(self._bench.document)
        entries: dict[str, Any] = {
            "default": FlowMap({name: float(default[name]) for name in self._tree.independent})
        }
        for key, names in (("tools", xrdf.tool_frames), ("joints", xrdf.controlled)):
            if names:
                entries = {key: Flow(names), **entries}
        yield _Draft("Controlled joints, tools and defaults", "controls", entries)

    def _spheres(self) -> Iterator[_Draft]:
        numbers = {"number_at_least": Spelled("0", 0), "number_at_most": Spelled("1000000", 10**6)}
        yield _Draft("Number of spheres", "spheres", numbers, tuple(numbers))
        xrdf = self._robot.xrdf
        for link in sphere_lists(self._robot):
            # Nothing to compare with: a frame without a shape, or whose mesh is missing.
            has_mesh = link in self._bench.figures
            quality = {"coverage_at_least": 0.0, "protrusion_at_most": 1e9} if has_mesh else {}
            bounds = {**numbers, **quality}
            sections = {"self_buffer": xrdf.self_collision, "obstacle_buffer": xrdf.world_collision}
            buffers = {key: each.buffer(link) for key, each in sections.items() if each is not None}
            yield _Draft(
                f"Spheres of {link}", "spheres", {"link": link, **bounds, **buffers}, tuple(bounds)
            )
        shares = {"false_collisions_at_most": 1.0, "missed_collisions_at_most": 1.0}
        yield _Draft(
            "False and missed collisions",
            "cost",
            {**shares, "samples": Spelled("2000", 2000)},
            tuple(shares),
        )

    def _pose(self, values: F64) -> dict[str, float]:
        model = self._bench.model
        moving = model.moving.tolist()
        positions = {model.variables[k]: round(float(values[k]), _DECIMALS) for k in moving}
        return cast(dict[str, float], FlowMap(positions))


def _numbers(pose: FramePose) -> dict[str, Any]:
    return {key: Flow(written_value(key, getattr(pose, key))) for key in ("position", "rpy")}
