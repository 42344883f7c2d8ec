"""Limits that are infinite, huge, reversed or no number: one turn, a refusal in words, a finding;
never a fault."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import editor_app
from editor_app.cli import run_command
from editor_app.core.document.document import Document
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.findings import Finding
from editor_app.core.model.robot import Change, RobotDescription
from editor_app.core.model.urdf import JointType
from editor_app.core.space.kinematics.tree import build_tree
from editor_app.core.tasks.work import Refused
from editor_app.core.text.source import SourceText
from editor_app.features.checks.engine.rule import CheckContext
from editor_app.features.checks.engine.runner import run_rules
from editor_app.features.masks.engine.analysis import analyse
from editor_app.features.masks.engine.model import build_sphere_model
from editor_app.features.masks.engine.results import AnalysisSettings
from editor_app.plugins.consumers.verbs.repair import repair
from editor_app.plugins.motion.engine.limits import list_limits
from editor_app.plugins.motion.engine.model import build_motion_model
from editor_app.plugins.motion.engine.planner import plan_path
from editor_app.plugins.motion.engine.results import Outcome, PlannerSettings
from editor_app.plugins.motion.engine.timing import time_path
from editor_app.plugins.motion.verbs.collide import collide

#: A post beside the base, and an arm that reaches it where `swing` is half a turn away.
URDF = """<robot name="swing">
  <link name="base"/>
  <link name="post"><collision><geometry><box size="0.05 0.05 0.05"/></geometry></collision></link>
  <link name="arm"><collision><origin xyz="0.2 0 0"/><geometry><box size="0.4 0.05 0.05"/></geometry></collision></link>
  <joint name="fix" type="fixed"><parent link="base"/><child link="post"/><origin xyz="-0.3 0 0"/></joint>
  <joint name="swing" type="KIND"><parent link="base"/><child link="arm"/><axis xyz="AXIS"/>LIMIT</joint>
</robot>
"""
XRDF = """format: xrdf
format_version: 1.0
default_joint_positions: {swing: 0.0}
cspace: {joint_names: [swing], acceleration_limits: [10.0], jerk_limits: [500.0]}
tool_frames: [arm]
collision: {geometry: g}
self_collision: {geometry: g, ignore: {base: [post]}}
geometry:
  g:
    spheres:
      post: [{center: [0.0, 0.0, 0.0], radius: 0.04}]
      arm: [{center: [0.1, 0.0, 0.0], radius: 0.04}, {center: [0.3, 0.0, 0.0], radius: 0.04}]
"""
INFINITE = math.inf
#: What a file may say, and the bounds that count (radians, metres): None where both are missing.
BOUNDS: dict[str, list[tuple[str | None, str, tuple[float, float] | None]]] = {
    "revolute": [
        ("-inf", "inf", None),
        ("inf", "-inf", None),
        ("-1e16", "1e16", None),
        ("-1e9", "1.7976931348623157e+308", None),
        ("-1", "inf", (-1.0, INFINITE)),
        ("-1", "1e9", (-1.0, INFINITE)),
        ("-Infinity", "1", (-INFINITE, 1.0)),
        ("inf", "1", (1.0, INFINITE)),
        ("nan", "1", (0.0, 1.0)),
        (None, "1", (0.0, 1.0)),
        ("2", "-1", (-1.0, 2.0)),
        ("-100", "100", (-100.0, 100.0)),
    ],
    "prismatic": [
        ("-inf", "inf", None),
        ("-1e9", "1e9", None),
        ("-1000", "1000", None),
        ("-1", "INF", (-1.0, INFINITE)),
        ("-1", "1e16", (-1.0, INFINITE)),
        ("nan", "nan", (0.0, 0.0)),
        ("0.5", "-0.5", (-0.5, 0.5)),
        ("-20", "20", (-20.0, 20.0)),
    ],
}
EVERY = [(kind, *row) for kind, rows in BOUNDS.items() for row in rows]


def urdf_text(
    kind: str, lower: str | None, upper: str | None, rates: str = 'effort="1" velocity="1"'
) -> str:
    bounds = " ".join(
        f'{name}="{value}"'
        for name, value in (("lower", lower), ("upper", upper))
        if value is not None
    )
    axis = "1 0 0" if kind == "prismatic" else "0 0 1"
    return (
        URDF.replace("KIND", kind)
        .replace("AXIS", axis)
        .replace("LIMIT", f"<limit {bounds} {rates}/>")
    )


def robot_of(urdf: str, xrdf: str = XRDF) -> RobotDescription:
    return RobotDescription(
        read_urdf(SourceText.from_text(urdf)).value, read_xrdf(SourceText.from_text(xrdf)).value
    )


def document_of(urdf: str) -> Document:
    return Document(read_urdf(SourceText.from_text(urdf)), read_xrdf(SourceText.from_text(XRDF)))


def change_of(fix: object) -> Change:
    assert isinstance(fix, Change)
    return fix


def findings_of(urdf: str, *codes: str, slow: bool = False) -> list[Finding]:
    source, text = read_urdf(SourceText.from_text(urdf)), read_xrdf(SourceText.from_text(XRDF))
    context = CheckContext(
        RobotDescription(source.value, text.value), source=text, urdf_source=source
    )
    return [finding for finding in run_rules(context, slow=slow) if finding.code in codes]


@pytest.mark.parametrize(("kind", "lower", "upper", "bounds"), EVERY)
def test_a_bound_that_no_joint_reaches_is_none(
    kind: str, lower: str | None, upper: str | None, bounds: tuple[float, float] | None
) -> None:
    joint = build_tree(read_urdf(SourceText.from_text(urdf_text(kind, lower, upper))).value).joint(
        "swing"
    )
    assert joint is not None
    assert joint.limits == bounds
    low, high = joint.span
    assert math.isfinite(low)
    assert math.isfinite(high)
    if bounds is None or not all(map(math.isfinite, bounds)):
        # One turn, or two metres, from the bound that there is.
        assert high - low == pytest.approx(2.0 if kind == "prismatic" else 2.0 * math.pi)
        assert bounds is None or bounds[0] == low or bounds[1] == high
    else:
        assert (low, high) == bounds


@pytest.mark.parametrize(
    ("lower", "upper"), [("-inf", "inf"), ("-1e16", "1e16"), ("-1e9", "1e9"), ("0.5", "inf")]
)
def test_a_revolute_joint_without_limits_has_the_mask_of_a_continuous_one(
    lower: str, upper: str
) -> None:
    settings = AnalysisSettings(samples=4096, certify_seconds=0.0)
    endless, continuous = (
        analyse(build_sphere_model(robot_of(text)), settings)
        for text in (urdf_text("revolute", lower, upper), urdf_text("continuous", None, None))
    )
    [one], [other] = list(endless), list(continuous)
    assert one.kind is other.kind
    assert one.clearance_min == pytest.approx(other.clearance_min, abs=1e-6)
    # The arm reaches the post from both sides: the share of a turn in which the spheres touch, by
    # hand.
    touching = 2.0 * math.acos((0.3**2 + 0.3**2 - 0.08**2) / (2 * 0.3 * 0.3)) / (2.0 * math.pi)
    assert one.probability == pytest.approx(touching, rel=0.05)


def test_limits_of_a_continuous_joint_do_not_count() -> None:
    text = urdf_text("continuous", "-1", "1", 'effort="30" velocity="0.6"')
    [evidence] = list(
        analyse(
            build_sphere_model(robot_of(text)), AnalysisSettings(samples=2048, certify_seconds=0.0)
        )
    )
    assert evidence.clearance_min < 0.0
    limit = robot_of(text).urdf.joints[1].limit
    assert limit is not None
    assert (limit.effort, limit.velocity) == (30.0, 0.6)
    assert findings_of(text, "URDF025") == []


@pytest.mark.parametrize(("lower", "upper"), [("-inf", "inf"), ("-1", "inf"), ("-1e9", "1e9")])
def test_what_samples_a_slide_without_limits_is_refused_in_words(lower: str, upper: str) -> None:
    robot = robot_of(urdf_text("prismatic", lower, upper))
    model = build_motion_model(robot)
    start, goal = model.values({"swing": 0.0}), model.values({"swing": 0.5})
    for work in (
        lambda: analyse(model.spheres, AnalysisSettings(samples=256, certify_seconds=0.0)),
        lambda: model.random_values(10, 0),
        lambda: plan_path(model, start, goal),
        lambda: editor_app.mask(document_of(urdf_text("prismatic", lower, upper)), samples=256),
        lambda: editor_app.smoke_test(robot, 2),
        lambda: editor_app.passages(robot),
    ):
        with pytest.raises(
            Refused, match=r"joint swing slides without limits.*set lower and upper"
        ):
            work()
    # What needs no range works on.
    assert collide(robot, {"swing": 0.25}).moment(0).clearance == pytest.approx(
        0.25 + 0.3 + 0.1 - 0.08
    )
    [room] = collide(robot, {"swing": -3.0}).moment(0).beyond_limits if lower == "-1" else [None]
    assert room is None or (room.to_lower, room.to_upper) == (-2.0, None)
    [finding] = findings_of(urdf_text("prismatic", lower, upper), "XRDF216", slow=True)
    assert "joint swing slides without limits" in finding.message


def test_a_slide_that_moves_no_two_links_against_each_other_keeps_nothing_from_a_mask() -> None:
    text = urdf_text("revolute", "-3", "3").replace(
        "</robot>",
        '<link name="floor"/><joint name="rail" type="prismatic"><parent link="floor"/><child '
        'link="base"/>'
        '<limit lower="-inf" upper="inf" effort="1" velocity="1"/></joint></robot>',
    )
    [evidence] = list(
        analyse(
            build_sphere_model(robot_of(text)), AnalysisSettings(samples=2048, certify_seconds=0.0)
        )
    )
    assert evidence.clearance_min == pytest.approx(
        0.3 * 2 * math.sin((math.pi - 3) / 2) - 0.08, abs=1e-3
    )


def test_each_is_a_finding_with_its_line_and_a_turn_has_a_fix() -> None:
    text = urdf_text("revolute", "-1e16", "1e16")
    [finding] = findings_of(text, "URDF025")
    assert "one turn, -180° to 180°" in finding.message
    assert finding.location is not None
    assert finding.location.line == 6
    [fix] = finding.fixes
    [joint] = [j for j in change_of(fix).apply(robot_of(text)).urdf.joints if j.name == "swing"]
    assert joint.type is JointType.CONTINUOUS
    assert joint.limit is not None
    assert joint.limit.lower is None
    # A bound on one side is kept.
    [finding] = findings_of(urdf_text("revolute", "-1", "inf"), "URDF025")
    [joint] = [
        j
        for j in change_of(finding.fixes[0]).apply(robot_of(text)).urdf.joints
        if j.name == "swing"
    ]
    assert joint.position_limits == (-1.0, 2.0 * math.pi - 1.0)
    [finding] = findings_of(urdf_text("prismatic", "-1e9", "1e9"), "URDF025")
    assert "slide without end" in finding.message
    assert not finding.fixes
    assert findings_of(urdf_text("prismatic", "-20", "20"), "URDF025", "URDF026") == []


@pytest.mark.parametrize("rate", ["effort", "velocity"])
def test_a_rate_that_no_joint_reaches_is_a_finding(rate: str) -> None:
    rates = 'effort="1" velocity="1"'.replace(f'{rate}="1"', f'{rate}="1.7976931348623157e+308"')
    [finding] = findings_of(urdf_text("revolute", "-1", "1", rates), "URDF026")
    assert f"The {rate} limit of joint 'swing' is 1.79769e+308" in finding.message
    assert finding.location is not None
    assert finding.location.line == 6


def test_mending_writes_limits_that_are_numbers() -> None:
    for kind, lower, upper, written in (
        ("revolute", "-inf", "inf", 'type="continuous"'),
        ("revolute", "nan", "1", 'lower="0" upper="1"'),
        ("prismatic", "-inf", "inf", 'lower="-1" upper="1"'),
    ):
        repaired = repair(document_of(urdf_text(kind, lower, upper)))
        text = "".join(repaired.texts.values())
        assert written in text, (kind, text)
        assert not re.search("inf|nan", text), (kind, text)
        assert not [finding for finding in repaired.remaining if finding.code == "URDF020"]


def test_a_joint_without_limits_may_begin_turns_away() -> None:
    model = build_motion_model(robot_of(urdf_text("continuous", None, None)))
    start, goal = (model.values({"swing": math.radians(degrees)}) for degrees in (400.0, 500.0))
    planned = plan_path(model, start, goal, PlannerSettings(seconds=1.0))
    assert planned.outcome is Outcome.SOLVED
    assert planned.path is not None
    assert np.allclose(planned.path[[0, -1]], [start, goal])
    bounded = build_motion_model(robot_of(urdf_text("revolute", "-1", "inf")))
    assert plan_path(bounded, start, goal, PlannerSettings(seconds=1.0)).outcome is Outcome.SOLVED
    assert plan_path(bounded, bounded.values({"swing": -1.5}), goal).outcome is Outcome.OUT_OF_RANGE


@pytest.mark.parametrize(
    ("velocity", "acceleration"), [("1.7976931348623157e+308", "10.0"), ("1", "1.0e+300")]
)
def test_times_are_finite_whatever_the_limits(velocity: str, acceleration: str) -> None:
    robot = robot_of(
        urdf_text("revolute", "-1", "1", f'effort="1" velocity="{velocity}"'),
        XRDF.replace("[10.0]", f"[{acceleration}]"),
    )
    limits, _ = list_limits(robot, ("swing",)).assumed()
    timed = time_path(np.array([[0.0], [1.0]]), limits, 0.01)
    assert np.isfinite(timed.positions).all()
    assert 0.0 < timed.times[-1] < 10.0


def test_a_motion_that_would_take_years_is_refused() -> None:
    robot = robot_of(urdf_text("revolute", "-1", "1", 'effort="1" velocity="1e-300"'))
    limits, _ = list_limits(robot, ("swing",)).assumed()
    with pytest.raises(Refused, match="check the limits of joint swing"):
        time_path(np.array([[0.0], [1.0]]), limits, 0.01)


@pytest.mark.parametrize(
    ("kind", "lower", "upper", "bounds"), [EVERY[k] for k in (0, 2, 4, 7, 8, 10, 12, 13, 15, 17)]
)
def test_no_command_ends_in_a_fault_or_writes_what_is_no_number(
    kind: str,
    lower: str | None,
    upper: str | None,
    bounds: tuple[float, float] | None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    urdf, xrdf = tmp_path / "r.urdf", tmp_path / "r.xrdf"
    urdf.write_text(urdf_text(kind, lower, upper, 'effort="inf" velocity="1"'))
    xrdf.write_text(XRDF)
    robot = [str(urdf), str(xrdf)]
    endless = kind == "prismatic" and (bounds is None or not all(map(math.isfinite, bounds)))
    out = tmp_path / "out"
    for arguments, code in (
        (
            ["mask", *robot, "--samples", "256", "--certify", "0", "-o", str(out / "m.xrdf"), "-q"],
            endless and 2,
        ),
        (["cost", *robot, "--samples", "64", "-q", "--format", "json"], endless and 2),
        (["collide", *robot, "--at", "default", "-q", "--format", "json"], 0),
        (["pose", *robot, "-q", "--format", "json"], 0),
        (["convert", *robot, str(out / "o.mjcf.xml"), "--force"], 0),
        (["convert", *robot, str(out / "o.curobo.yml"), "--force"], 0),
        (["convert", str(urdf), str(out / "n.xrdf"), "--force"], 0),
    ):
        out.mkdir(exist_ok=True)
        ended = run_command(arguments[0], arguments[1:])
        told = capsys.readouterr()
        assert "internal error" not in told.err, told.err
        assert ended == code or (code in (0, False) and ended in (0, 1, 3, 4)), (
            arguments,
            told.err,
        )
        if arguments[0] in ("collide", "cost", "pose") and ended != 2:
            json.loads(told.out, parse_constant=pytest.fail)
    for path in out.rglob("*.*"):
        assert not re.search(
            r"(?<![\w.])[-+.]?(nan|inf)(?![\w])", path.read_text(), re.IGNORECASE
        ), path.name
