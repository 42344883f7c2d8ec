"""Behaviour of two robots: configurations and motions that only one of them accepts, with the pair
and the reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import editor_app
from editor_app.__main__ import main
from editor_app.cli import parser_of
from editor_app.core import feature
from editor_app.plugins.behaviour.verbs.behaviour import Cause

#: A slide along x with a ball of 50 mm at its end, over a ball of 100 mm at x = 0.5 and a distant
#: one.
URDF = """<robot name="slide"><link name="rail"/><link name="post"/><link name="far"/><link name="carriage"/>
<joint name="mount" type="fixed"><parent link="rail"/><child link="post"/><origin xyz="0.5 0 0"/></joint>
<joint name="away" type="fixed"><parent link="rail"/><child link="far"/><origin xyz="0 5 0"/></joint>
<joint name="slide" type="prismatic"><parent link="rail"/><child link="carriage"/><axis xyz="1 0 0"/>
<limit lower="0" upper="1" effort="1" velocity="1"/></joint></robot>
"""
XRDF = """format: xrdf
format_version: 1.0
cspace:
  joint_names: [slide]
  acceleration_limits: [1]
  jerk_limits: [1]
self_collision:
  geometry: balls
  ignore:
    post: [far]
geometry:
  balls:
    spheres:
      post: [{center: [0, 0, 0], radius: 0.1}]
      far: [{center: [0, 0, 0], radius: 0.1}]
      carriage: [{center: [0, 0, 0], radius: 0.05}]
"""
SAMPLES = 500
#: Positions of the slide: one joint from 0 to 1.
DRAWN = np.random.default_rng(0).random(SAMPLES)
APART = np.abs(DRAWN - 0.5)


def robot(folder: Path, *changes: tuple[str, str]) -> Path:
    texts = {".urdf": URDF, ".xrdf": XRDF}
    folder.mkdir()
    for ending, text in texts.items():
        for old, new in changes:
            assert sum(each.count(old) for each in texts.values()) == 1
            text = text.replace(old, new)
        (folder / f"slide{ending}").write_text(text)
    return folder / "slide.urdf"


def compared(tmp_path: Path, *changes: tuple[str, str], **more: Any) -> editor_app.BehaviourDiff:
    old, new = robot(tmp_path / "old"), robot(tmp_path / "new", *changes)
    return editor_app.compare_behaviour(old, new, **{"samples": SAMPLES, "queries": 0, **more})


def test_the_same_robot_behaves_the_same(tmp_path: Path) -> None:
    result = compared(tmp_path, queries=4)
    assert result.is_same
    assert result.free == (int(np.sum(APART > 0.15)),) * 2
    assert result.query_count == 4


def test_a_larger_sphere_collides_where_there_was_a_gap(tmp_path: Path) -> None:
    result = compared(
        tmp_path,
        ("post: [{center: [0, 0, 0], radius: 0.1}]", "post: [{center: [0, 0, 0], radius: 0.2}]"),
    )
    (change,) = result.changes
    assert (change.is_blocked_now, set(change.names), change.cause) == (
        True,
        {"post", "carriage"},
        Cause.APART,
    )
    assert (
        sorted(case.index for case in change.cases)
        == np.flatnonzero((APART > 0.15) & (APART < 0.25)).tolist()
    )
    for case in change.cases:
        assert case.pose == {"slide": pytest.approx(DRAWN[case.index])}
        assert case.depth == pytest.approx(0.25 - APART[case.index])
        assert case.gap == pytest.approx(APART[case.index] - 0.15)
    assert [case.depth for case in change.cases] == sorted(
        (case.depth for case in change.cases), reverse=True
    )


def test_a_pair_that_the_new_mask_ignores_is_free_now(tmp_path: Path) -> None:
    result = compared(tmp_path, ("post: [far]", "post: [far, carriage]"))
    (change,) = result.changes
    assert (change.is_blocked_now, change.cause) == (False, Cause.IGNORED)
    assert len(change.cases) == np.sum(APART < 0.15)
    assert "no longer collide" in change.sentence
    assert change.sentence.endswith("the new mask ignores the pair")
    assert result.free == (int(np.sum(APART > 0.15)), SAMPLES)


def test_a_link_without_its_spheres_is_named(tmp_path: Path) -> None:
    (change,) = compared(tmp_path, ("      post: [{center: [0, 0, 0], radius: 0.1}]\n", "")).changes
    assert (change.cause, change.lacking) == (Cause.NO_SPHERES, ("post",))
    assert change.sentence.endswith("now without spheres: post")


def test_a_narrower_limit_blocks_what_is_beyond_it(tmp_path: Path) -> None:
    result = compared(tmp_path, ('upper="1"', 'upper="0.8"'))
    (change,) = result.changes
    assert (change.names, change.cause, change.is_angle) == (("slide",), Cause.LIMIT, False)
    assert sorted(case.index for case in change.cases) == np.flatnonzero(DRAWN > 0.8).tolist()
    assert change.cases[0].depth == pytest.approx(DRAWN.max() - 0.8)
    assert "is now outside its limits" in change.sentence


def test_a_wider_limit_is_looked_at_up_to_its_end(tmp_path: Path) -> None:
    (change,) = compared(tmp_path, ('upper="1"', 'upper="2"')).changes
    assert not change.is_blocked_now
    assert len(change.cases) == np.sum(2 * DRAWN > 1.0)
    assert "is now within its limits" in change.sentence


def test_a_moved_frame_changes_the_pair_that_it_carries(tmp_path: Path) -> None:
    changes = compared(tmp_path, ('xyz="0.5 0 0"', 'xyz="0.6 0 0"')).changes
    moved = np.abs(DRAWN - 0.6)
    counts = {change.is_blocked_now: len(change.cases) for change in changes}
    assert counts == {
        True: np.sum((APART > 0.15) & (moved < 0.15)), False: np.sum((APART < 0.15) & (moved > 0.15))
    }  # fmt: skip


def test_queries_that_became_impossible_have_their_reason(tmp_path: Path) -> None:
    mask = ("post: [far]", "post: [far, carriage]")
    old, new = robot(tmp_path / "old", mask), robot(tmp_path / "new")
    result = editor_app.compare_behaviour(old, new, samples=50, queries=12, seconds=0.5)
    assert result.solved[0] == 12 > result.solved[1]
    assert len(result.queries) == 12 - result.solved[1]
    for query in result.queries:
        assert not query.is_solved_now
        assert query.is_proven
        start, goal = query.start["slide"], query.goal["slide"]
        assert (start < 0.35) != (goal < 0.35) or min(abs(start - 0.5), abs(goal - 0.5)) < 0.15
    back = editor_app.compare_behaviour(new, old, samples=50, queries=12, seconds=0.5)
    assert all(query.is_solved_now for query in back.queries)
    assert back.queries


def test_an_xrdf_alone_has_the_urdf_of_its_name_or_of_the_other_side(tmp_path: Path) -> None:
    old, new = (
        robot(tmp_path / "old"),
        robot(tmp_path / "new", ("post: [far]", "post: [far, carriage]")),
    )
    whole = editor_app.compare_behaviour(old, new, samples=50, queries=0)
    assert whole.changes
    alone = new.with_name("other.xrdf")
    new.with_suffix(".xrdf").rename(alone)
    for pair in ((old, alone), (old.with_suffix(".xrdf"), alone)):
        assert editor_app.compare_behaviour(*pair, samples=50, queries=0).changes == whole.changes
    old.unlink()
    with pytest.raises(editor_app.Refused, match="compare the URDFs"):
        editor_app.compare_behaviour(old.with_suffix(".xrdf"), alone, samples=50, queries=0)


def test_other_names_are_paired(tmp_path: Path) -> None:
    old, new = robot(tmp_path / "old"), robot(tmp_path / "new", ('upper="1"', 'upper="0.8"'))
    for file in (new, new.with_suffix(".xrdf")):
        file.write_text(
            file.read_text()
            .replace("carriage", "wagon")
            .replace("[slide]", "[x]")
            .replace('name="slide" t', 'name="x" t')
        )
    result = editor_app.compare_behaviour(
        old, new, samples=50, queries=0, names=["carriage=wagon", "slide=x"]
    )
    assert [change.names for change in result.changes] == [("x",)]


def test_a_robot_without_spheres_is_refused_with_its_name(tmp_path: Path) -> None:
    old, new = robot(tmp_path / "old"), robot(tmp_path / "new")
    new.with_suffix(".xrdf").unlink()
    with pytest.raises(editor_app.Refused, match=r"new.slide\.urdf has no XRDF next to it"):
        editor_app.compare_behaviour(old, new)


def test_joints_that_one_robot_does_not_control_have_its_default(tmp_path: Path) -> None:
    turning = (
        '<joint name="away" type="fixed">',
        '<joint name="away" type="revolute"><limit lower="-1" upper="1" effort="1" velocity="1"/>',
    )
    both = (
        ("[slide]", "[slide, away]"),
        ("limits: [1]\n  jerk_limits: [1]", "limits: [1, 1]\n  jerk_limits: [1, 1]"),
    )
    old, new = robot(tmp_path / "old", turning), robot(tmp_path / "new", turning, *both)
    result = editor_app.compare_behaviour(old, new, samples=50, queries=2)
    assert result.controlled == (("slide",), ("away", "slide"))
    assert result.is_same
    assert result.notes == (
        "The old robot does not control away: there, these joints have their default.",
    )


def test_the_command_reports_text_json_and_a_page(tmp_path: Path, capsys: Any) -> None:
    old, new = (
        robot(tmp_path / "old"),
        robot(tmp_path / "new", ("post: [far]", "post: [far, carriage]")),
    )
    words = ["diff", "--behaviour", "--samples", "100", "--queries", "2", str(old), str(new)]
    assert (
        main(["diff", "--behaviour", "--samples", "100", "--queries", "2", str(old), str(old)]) == 0
    )
    assert "no verdict of 100 configurations changed" in capsys.readouterr().out
    assert main(words) == 1
    text = capsys.readouterr().out
    assert "the new mask ignores the pair" in text
    assert "solved before, 2 now" in text
    assert main([*words, "--format", "json"]) == 1
    record = json.loads(capsys.readouterr().out)["behaviour"]
    count = int(np.sum(np.abs(np.random.default_rng(0).random(100) - 0.5) < 0.15))
    assert (record["changed"], len(record["changes"][0]["cases"])) == (count, count)
    assert set(record["changes"][0]["names"]) == {"post", "carriage"}
    assert main([*words, "--format", "html", "--no-pictures"]) == 1
    page = capsys.readouterr().out
    assert "<img" not in page
    assert f"{count} of 100 configurations changed their verdict" in page


def test_descriptions_are_compared_without_motions(
    tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = robot(tmp_path / "old"), robot(tmp_path / "new", ('upper="1"', 'upper="0.8"'))
    monkeypatch.setenv(feature.WITHOUT, "motion")
    assert main(["diff", str(old), str(new)]) == 1
    assert "limit" in capsys.readouterr().out
    assert main(["diff", str(old), str(old), "--format", "json"]) == 0
    assert "behaviour" not in json.loads(capsys.readouterr().out)
    assert main(["diff", str(old), str(new), "--format", "html"]) == 1
    assert "Behaviour" not in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["diff", "--behaviour", str(old), str(new)])
    assert "unrecognized arguments: --behaviour" in capsys.readouterr().err
    assert "behaviour" not in parser_of("diff").format_help().casefold()
