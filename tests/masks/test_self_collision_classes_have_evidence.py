"""Every pair gets the right class with evidence that can be checked; cancelling keeps what is
known; edits age it."""

from __future__ import annotations

import pickle
import time
from dataclasses import replace

import numpy as np
import pytest

from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import JointType, Limit
from editor_app.core.model.xrdf import CollisionSphere, LinkPair, ignore_mapping
from editor_app.features.masks.engine.analysis import analyse
from editor_app.features.masks.engine.live import LiveDistances
from editor_app.features.masks.engine.masks import (
    Decision,
    MaskOptions,
    MaskState,
    compare_masks,
    conflicts,
    propose_mask,
)
from editor_app.features.masks.engine.model import build_sphere_model
from editor_app.features.masks.engine.results import Analysis, AnalysisSettings, PairClass
from editor_app.features.masks.engine.staleness import Effect, affected_pairs, carry_over, refresh
from tests.helpers.sphere_robots import brute_force, joint, random_robot, robot_of

QUICK = AnalysisSettings(samples=4096, certify_seconds=2.0, search_starts=4)


def affected(old, new, certified):
    return affected_pairs(build_sphere_model(old), build_sphere_model(new), certified)


def arm(**more: object) -> RobotDescription:
    """Six links in a row; e and f hang on one another by a locked-in offset; g never reaches a."""
    joints = [
        joint("ab", "a", "b", xyz=(0.5, 0, 0), limits=(-3.0, 3.0)),
        joint("bc", "b", "c", xyz=(0.5, 0, 0), limits=(-3.0, 3.0)),
        joint("cd", "c", "d", xyz=(0.5, 0, 0), axis=(1, 0, 0), kind=JointType.CONTINUOUS),
        joint("de", "d", "e", xyz=(0.0, 0, 0.02), axis=(1, 0, 0), limits=(-0.5, 0.5)),
        joint("ef", "e", "f", xyz=(0.1, 0, 0), kind=JointType.FIXED),
    ]
    spheres = {
        "a": [(0, 0, 0, 0.1)],
        "b": [(0, 0, 0, 0.05)],
        "c": [(0, 0, 0, 0.05)],
        "d": [(0, 0, 0, 0.08)],
        "e": [(0, 0, 0, 0.01)],
        "f": [(0, 0, 0, 0.06)],
    }
    return robot_of(joints, spheres, **more)  # type: ignore[arg-type]


def kind(analysis: Analysis, a: str, b: str) -> PairClass:
    return analysis[LinkPair.of(a, b)].kind


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return analyse(build_sphere_model(arm()), QUICK)


def test_classes(analysis: Analysis) -> None:
    assert kind(analysis, "a", "b") is PairClass.ADJACENT
    assert kind(analysis, "e", "f") is PairClass.RIGID
    assert kind(analysis, "a", "d") is PairClass.CAN_COLLIDE
    # f's axis passes d at a constant distance, less than their radii; it is no child of d.
    assert kind(analysis, "d", "f") is PairClass.ALWAYS
    assert (
        kind(analysis, "b", "d") is PairClass.NEVER_CERTIFIED
        or kind(analysis, "b", "d") is PairClass.CAN_COLLIDE
    )
    assert kind(analysis, "c", "e") is PairClass.NEVER_CERTIFIED
    assert analysis.complete


def test_the_evidence_can_be_checked_by_brute_force(analysis: Analysis) -> None:
    robot = arm()
    for e in analysis:
        assert e.witness is not None
        assert e.spheres is not None
        truth = brute_force(robot, e.witness)[frozenset((e.first, e.second))]
        assert truth == pytest.approx(e.clearance_min, abs=1e-9)
        assert brute_force(robot, {})[frozenset((e.first, e.second))] == pytest.approx(
            e.clearance_default, abs=1e-9
        )
        assert {ref.frame for ref in e.spheres} == {e.first, e.second}
        assert e.clearance_min <= e.clearance_default
        if e.certified_clearance is not None:
            assert 0.0 < e.certified_clearance <= e.clearance_min
        for name, value in e.witness.items():
            limits = robot.urdf.joint(name).position_limits  # type: ignore[union-attr]
            if limits is not None:
                assert limits[0] <= value <= limits[1]
        if e.samples and e.hits == 0:
            assert e.probability_bound == pytest.approx(3 / e.samples)
        elif e.samples:
            assert (e.probability or 0.0) <= (e.probability_bound or 0.0)


def test_default_and_always_are_named_and_left_to_the_user() -> None:
    robot = arm(defaults={"ab": 2.9, "bc": 2.9}, buffers={"b": 0.25, "d": 0.25})
    analysis = analyse(build_sphere_model(robot), QUICK)
    assert (
        kind(analysis, "b", "d") is PairClass.ALWAYS
        or kind(analysis, "b", "d") is PairClass.DEFAULT
    )
    assert kind(analysis, "a", "c") is PairClass.DEFAULT
    proposal = propose_mask(analysis)
    todo = {row.pair for row in proposal.todo}
    assert LinkPair.of("a", "c") in todo
    assert not todo & proposal.pairs
    # What is ignored already is neither dropped nor added silently.
    again = propose_mask(analysis, {LinkPair.of("a", "c")})
    assert LinkPair.of("a", "c") in again.pairs
    decided = propose_mask(
        analysis, (), MaskOptions(decided=FrozenDict({LinkPair.of("a", "c"): True}))
    )
    assert LinkPair.of("a", "c") in decided.pairs
    assert "overlaps" in decided.reasons[LinkPair.of("a", "c")]


def test_the_sentence_names_class_numbers_limits_and_buffers(analysis: Analysis) -> None:
    for e in analysis:
        text = analysis.explain(e.pair)
        assert e.first in text
        assert e.second in text
        assert "(joint limits" in text
        assert "buffers 0 and 0 mm" in text
        assert text.endswith(".")
    e = analysis[LinkPair.of("c", "e")]
    assert f"{(e.certified_clearance or 0) * 1e3:.2f} mm" in analysis.explain(e.pair)
    assert "no spheres" in analysis.explain(LinkPair.of("a", "nobody"))


def test_it_repeats_and_survives_pickling(analysis: Analysis) -> None:
    again = analyse(build_sphere_model(arm()), QUICK)
    assert np.array_equal(again.clearance_min, analysis.clearance_min)
    assert np.array_equal(again.hits, analysis.hits)
    assert np.array_equal(again.witness, analysis.witness)
    copy = pickle.loads(pickle.dumps(analysis))
    assert [e.kind for e in copy] == [e.kind for e in analysis]


def test_progress_rises_and_partial_results_come(monkeypatch: pytest.MonkeyPatch) -> None:
    # However quick the machine is.
    monkeypatch.setattr("editor_app.features.masks.engine.analysis.PARTIAL_SECONDS", 0.0)
    model = build_sphere_model(random_robot(4, n_links=16, per_link=8))
    told: list[tuple[float, str]] = []
    parts: list[Analysis] = []
    settings = AnalysisSettings(samples=200_000, certify_seconds=1.0)
    analyse(
        model, settings, lambda fraction, sentence: told.append((fraction, sentence)), parts.append
    )
    fractions = [fraction for fraction, _ in told]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    assert all(sentence for _, sentence in told)
    assert parts
    assert not parts[0].complete


@pytest.mark.parametrize("after", [0.0, 0.15, 0.6])
def test_cancelling_takes_at_most_a_fifth_of_a_second_and_keeps_what_is_known(
    after: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("editor_app.features.masks.engine.analysis.PARTIAL_SECONDS", 0.0)
    model = build_sphere_model(random_robot(4, n_links=24, per_link=12))
    began = time.monotonic()
    asked: list[float] = []
    parts: list[Analysis] = []

    def cancel(fraction: float, sentence: str) -> None:
        asked.append(time.monotonic())
        if time.monotonic() - began >= after and parts:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        analyse(
            model, AnalysisSettings(samples=50_000_000, certify_seconds=100.0), cancel, parts.append
        )
    result = parts[-1]
    assert not result.complete
    assert result.stage
    # Generous towards other load on the machine: it is asked every 50 ms, and the end comes right
    # after.
    assert time.monotonic() - began < after + 1.0
    assert time.monotonic() - asked[-1] < 0.2
    if after >= 0.6:
        assert result.samples.max() > 0
        assert np.isfinite(result.clearance_min).all()
    for e in result:
        if (
            e.samples == 0
            and e.clearance_min > 0
            and e.certified_clearance is None
            and e.kind not in (PairClass.ADJACENT, PairClass.RIGID)
        ):
            assert e.kind is PairClass.UNKNOWN


def test_what_a_search_worked_out_does_not_travel_with_the_model() -> None:
    model = build_sphere_model(arm())
    analyse(model, QUICK)
    assert model.chain_ways
    assert not pickle.loads(pickle.dumps(model)).chain_ways


def test_proofs_that_run_out_of_time_are_labelled_as_sampled_only() -> None:
    analysis = analyse(build_sphere_model(arm()), replace(QUICK, certify_seconds=0.0))
    e = analysis[LinkPair.of("c", "e")]
    assert e.kind is PairClass.NEVER_SAMPLED
    assert "not proven" in analysis.explain(e.pair)
    # It is the user's choice whether that is enough to mask it.
    assert e.pair in propose_mask(analysis).pairs
    assert e.pair not in propose_mask(analysis, (), MaskOptions(mask_sampled_only=False)).pairs


def resized(robot: RobotDescription, frame: str, by: float) -> RobotDescription:
    group = robot.xrdf.geometry[0]  # type: ignore[index]
    spheres = tuple(CollisionSphere(s.center, s.radius + by) for s in group.spheres[frame])
    return robot.with_xrdf(robot.xrdf.with_group(group.with_spheres(frame, spheres)))


def test_only_the_pairs_of_an_edited_frame_age_and_a_proof_with_enough_clearance_survives(
    analysis: Analysis,
) -> None:
    robot = arm()
    e = analysis[LinkPair.of("c", "e")]
    assert e.certified_clearance is not None
    little, much = 0.5 * e.certified_clearance, 1.5 * e.certified_clearance
    certified = {
        x.pair: x.certified_clearance for x in analysis if x.certified_clearance is not None
    }
    effects = affected(robot, resized(robot, "e", little), certified=certified)
    assert effects[LinkPair.of("a", "b")].effect is Effect.UNCHANGED
    assert effects[LinkPair.of("c", "e")].effect is Effect.STILL_PROVEN
    assert effects[LinkPair.of("c", "e")].margin == pytest.approx(
        e.certified_clearance - little, abs=1e-9
    )
    assert (
        affected(robot, resized(robot, "e", much), certified=certified)[e.pair].effect
        is Effect.STALE
    )
    assert affected(robot, resized(robot, "e", -0.001), certified=certified)[e.pair].growth == 0.0

    kept = carry_over(analysis, build_sphere_model(resized(robot, "e", little)))
    assert kept[e.pair].kind is PairClass.NEVER_CERTIFIED
    assert kept[e.pair].stale
    assert kept[e.pair].clearance_min == pytest.approx(e.clearance_min - little, abs=1e-9)
    assert not kept[LinkPair.of("a", "d")].stale
    lost = carry_over(analysis, build_sphere_model(resized(robot, "e", much)))
    assert lost[e.pair].certified_clearance is None


def test_a_surviving_proof_is_true_after_many_small_edits(analysis: Analysis) -> None:
    robot, carried = arm(), analysis
    pair = LinkPair.of("c", "e")
    for _ in range(5):
        robot = resized(robot, "c", 0.001)
        carried = carry_over(carried, build_sphere_model(robot))
    fresh = analyse(build_sphere_model(robot), QUICK)
    proven = carried[pair].certified_clearance
    if proven is not None:
        assert proven <= fresh[pair].clearance_min


def test_limits_that_narrow_keep_proofs_and_those_that_widen_do_not(analysis: Analysis) -> None:
    robot = arm()

    def limited(reach: float) -> RobotDescription:
        joints = tuple(
            replace(j, limit=Limit(-reach, reach)) if j.name == "de" else j
            for j in robot.urdf.joints
        )
        return robot.with_urdf(replace(robot.urdf, joints=joints))

    certified = {
        x.pair: x.certified_clearance for x in analysis if x.certified_clearance is not None
    }
    pair = LinkPair.of("c", "e")
    assert affected(robot, limited(0.4), certified=certified)[pair].effect is Effect.STILL_PROVEN
    assert affected(robot, limited(0.6), certified=certified)[pair].effect is Effect.STALE
    assert (
        affected(robot, limited(0.6), certified=certified)[LinkPair.of("a", "b")].effect
        is Effect.UNCHANGED
    )


def test_refreshing_equals_a_new_analysis_and_touches_only_the_stale_pairs(
    analysis: Analysis,
) -> None:
    model = build_sphere_model(resized(arm(), "d", 0.01))
    fresh, refreshed = analyse(model, QUICK), refresh(analysis, model)
    assert not refreshed.stale.any()
    for one, other in zip(fresh, refreshed, strict=True):
        assert one.kind is other.kind
        assert one.hits == other.hits
        assert one.clearance_min == pytest.approx(other.clearance_min, abs=1e-6)
    carried = carry_over(analysis, model)
    assert (
        carried[LinkPair.of("a", "d")].clearance_min
        <= analysis[LinkPair.of("a", "d")].clearance_min
    )


def test_a_mask_that_hides_or_misses_a_collision_is_told(analysis: Analysis) -> None:
    hidden = LinkPair.of("a", "d")
    states = {e.pair: state for e, state in conflicts(analysis, {hidden})}
    assert states[hidden] is MaskState.CONFLICT
    joined = (PairClass.ADJACENT, PairClass.RIGID)
    overlapping = [e.pair for e in analysis if e.kind in joined and e.clearance_default <= 0]
    assert overlapping
    assert all(states[pair] is MaskState.MISSING for pair in overlapping)
    proposal = propose_mask(analysis, options=MaskOptions(mask_always=True))
    assert not conflicts(analysis, proposal.pairs)


def test_hand_made_entries_stay_unless_told_and_pairs_without_spheres_always(
    analysis: Analysis,
) -> None:
    current = {LinkPair.of("a", "d"), LinkPair.of("a", "camera")}
    kept = propose_mask(analysis, current)
    assert current <= kept.pairs
    assert "kept from the file" in kept.reasons[LinkPair.of("a", "d")]
    strict = propose_mask(analysis, current, MaskOptions(keep_handmade=False))
    assert LinkPair.of("a", "d") not in strict.pairs
    assert LinkPair.of("a", "camera") in strict.pairs
    assert [row.pair for row in strict.removed] == [LinkPair.of("a", "d")]
    assert all(row.decision is Decision.MASK for row in strict.added)


def test_the_mapping_has_each_pair_once_under_the_frame_that_comes_first() -> None:
    order = ("base", "zeta", "alpha")
    pairs = {
        LinkPair.of("alpha", "zeta"),
        LinkPair.of("base", "alpha"),
        LinkPair.of("ghost", "base"),
    }
    mapping = ignore_mapping(pairs, order)
    assert list(mapping.items()) == [("base", ("alpha", "ghost")), ("zeta", ("alpha",))]


def test_differences_of_masks_are_explained(analysis: Analysis) -> None:
    masks = {
        "file": {LinkPair.of("a", "b"), LinkPair.of("a", "d"), LinkPair.of("a", "camera")},
        "SRDF": {LinkPair.of("a", "b"), LinkPair.of("a", "gone")},
        "proposal": propose_mask(analysis).pairs,
    }
    differences = {
        d.pair: d for d in compare_masks(analysis, masks, ("a", "b", "c", "d", "e", "f", "camera"))
    }
    assert LinkPair.of("a", "b") not in differences
    assert differences[LinkPair.of("a", "d")].ignored_in == ("file",)
    assert "hides a possible collision" in differences[LinkPair.of("a", "d")].explanation
    assert (
        "hides a possible collision: they can collide" in differences[LinkPair.of("a", "d")].verdict
    )
    assert (
        differences[LinkPair.of("a", "camera")].verdict
        == "Makes no difference: camera has no spheres."
    )
    assert "no frame gone" in differences[LinkPair.of("a", "gone")].explanation
    assert "camera has no spheres" in differences[LinkPair.of("a", "camera")].explanation


def test_the_local_search_finds_collisions_that_samples_miss() -> None:
    # A pin that meets a ball only where three joints agree to a few hundredths of a radian.
    joints = [
        joint("j1", "a", "b", axis=(0, 0, 1), limits=(-3.0, 3.0)),
        joint("j2", "b", "c", xyz=(0.5, 0, 0), axis=(0, 1, 0), limits=(-3.0, 3.0)),
        joint("j3", "c", "d", xyz=(0.5, 0, 0), axis=(0, 0, 1), limits=(-3.0, 3.0)),
    ]
    speck = [(0.0, 0.0, 0.0, 0.001)]
    robot = robot_of(
        joints, {"a": [(0.9, 0.7, 0.6, 0.003)], "b": speck, "c": speck, "d": [(0.5, 0, 0, 0.003)]}
    )
    analysis = analyse(
        build_sphere_model(robot), AnalysisSettings(samples=1024, certify_seconds=2.0)
    )
    e = analysis[LinkPair.of("a", "d")]
    assert e.hits == 0
    assert e.kind is PairClass.CAN_COLLIDE
    assert e.witness is not None
    overlaps = {o.pair: o for o in LiveDistances(analysis.model, e.witness).overlaps()}
    assert overlaps[e.pair].depth == pytest.approx(e.worst_depth)
