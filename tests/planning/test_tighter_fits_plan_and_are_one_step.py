"""A tighter fit for planning refuses less, hides nothing, is one step, and is told what it cannot
do."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import editor_app
from editor_app.cli import run_command
from editor_app.core.document.commands import SetSpheres
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.xrdf import CollisionSphere, LinkPair
from editor_app.features.spheres.verbs.fit import list_seen_links
from editor_app.features.spheres.verbs.fit_choices import FitChoices
from editor_app.plugins.planning.verbs import tighter_fit
from editor_app.plugins.planning.verbs.tighter_fit import prove_links
from tests.helpers.breadth import only_deep
from tests.helpers.robots import copy_of_sample

TIGHT = "set against the meshes"


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> editor_app.Document:
    return editor_app.open_robot(copy_of_sample(tmp_path_factory.mktemp("tighter") / "sample"))


@pytest.fixture(scope="module")
def tighter(document: editor_app.Document) -> editor_app.TighterFit:
    return editor_app.fit_tighter(document)


def test_what_lets_more_pass_or_gains_nothing_to_see_is_no_gain(
    tighter: editor_app.TighterFit,
) -> None:
    before = tighter.before
    refused, touching = before.cost.false_collisions, before.cost.touching

    def gains(fewer: int, passed: int) -> bool:
        cost = replace(
            before.cost,
            false_collisions=refused - fewer,
            missed_collisions=before.cost.missed_collisions + passed,
        )
        return replace(tighter, after=replace(before, cost=cost)).gains

    assert not gains(1, 0)
    assert gains(refused // 2, 0)
    assert not gains(refused // 2, touching // 10)


def test_less_is_refused_and_hardly_more_let_through(tighter: editor_app.TighterFit) -> None:
    assert tighter.gains
    assert tighter.after.plans
    assert tighter.after.cost.needless.value < 0.5 * tighter.before.cost.needless.value
    # One of a thousand is what buffers may cost where spheres already miss what the meshes touch.
    touching = tighter.before.cost.touching
    assert (
        tighter.after.cost.missed_collisions
        <= tighter.before.cost.missed_collisions + 0.001 * touching + 1
    )
    assert len(tighter.after.closed) <= len(tighter.before.closed)


def test_spheres_and_buffers_are_one_step(
    document: editor_app.Document, tighter: editor_app.TighterFit
) -> None:
    text, spheres = document.xrdf_text, tighter.robot.xrdf.spheres_of(tighter.fit.group)
    document.execute(tighter.change)
    try:
        now = document.robot.xrdf.spheres_of(tighter.fit.group)
        assert {link for link in now if now[link] != spheres.get(link)} == set(tighter.spheres)
        assert document.xrdf_text.count(TIGHT) == 1
        # A second look replaces what the first one wrote behind the key.
        document.execute(editor_app.self_buffers(document, samples=1000, seed=3).change)
        assert document.xrdf_text.count(TIGHT) == 1
        document.undo()
    finally:
        document.undo()
    assert document.xrdf_text == text


def test_spheres_of_a_file_that_have_grown_are_proven_where_they_cover(
    tighter: editor_app.TighterFit,
) -> None:
    fitted = tighter.fit

    def scaled(link: editor_app.FittedLink, by: float) -> editor_app.FittedLink:
        spheres = tuple(replace(sphere, radius=sphere.radius * by) for sphere in link.spheres)
        return replace(link, spheres=spheres, result=replace(link.result, certificate=None))

    first, second, *others = fitted.links
    changed = replace(fitted, links=(scaled(first, 1.05), scaled(second, 0.5), *others))
    grown, shrunk, *kept = prove_links(changed, fitted).links
    assert grown.result.certificate is not None
    assert grown.result.certificate.holds
    assert shrunk.result.certificate is None
    assert all(each is other for each, other in zip(kept, others, strict=True))


def test_only_the_named_links_change_and_locked_spheres_stay(document: editor_app.Document) -> None:
    group = document.robot.xrdf.self_group
    locked = document.robot.xrdf.spheres_of(group)["forearm_link"][-1:]
    choices = FitChoices(effort="fast", locked={"forearm_link": locked})
    tighter = editor_app.fit_tighter(document, ["forearm_link", "flange_link"], choices=choices)
    assert set(tighter.spheres) <= {"forearm_link", "flange_link"}
    assert locked[0] in tighter.fit.spheres["forearm_link"]


def test_a_pair_that_no_fit_decides_is_told_first(tmp_path: Path) -> None:
    """A sphere of the hand that reaches the base wherever the arm stands."""
    document = editor_app.open_robot(copy_of_sample(tmp_path / "sample"))
    group = document.robot.xrdf.self_group
    assert group is not None
    first = document.robot.xrdf.spheres_of(group)["hand_link"][0]
    document.execute(
        SetSpheres(((SphereRef(group, "hand_link", 0), CollisionSphere(first.center, 1.5)),))
    )
    with pytest.raises(
        editor_app.Refused, match=r"overlap in \d.* of the free configurations; no fit changes this"
    ):
        editor_app.fit_tighter(document)


def test_first_spheres_of_a_link_wait_for_their_mask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in files whose maker gave the base no spheres: its neighbour was never checked, and is
    none to refuse for."""
    urdf = copy_of_sample(tmp_path / "sample")
    xrdf = urdf.with_suffix(".xrdf")
    xrdf.write_text(xrdf.read_text().replace("    base_link: [shoulder_link]\n", ""))
    document = editor_app.open_robot(urdf)
    group = document.robot.xrdf.self_group
    assert group is not None
    count = len(document.robot.xrdf.spheres_of(group)["base_link"])
    document.execute(
        editor_app.commands.DeleteSpheres(
            tuple(SphereRef(group, "base_link", k) for k in range(count))
        )
    )
    choices = FitChoices(effort="fast")
    fitted = editor_app.fit(document, links=["base_link"], number=12, choices=choices)
    monkeypatch.setattr(tighter_fit, "fit_for_planning", lambda _, given, **settings: given)
    tight = editor_app.fit_tighter(document, ["base_link"], fitted=fitted, choices=choices)
    assert LinkPair("base_link", "shoulder_link") in tight.awaited
    assert all("base_link" in (pair.first, pair.second) for pair in tight.awaited)
    assert tight.after.cost.needless.value < 0.2
    assert (
        "more ignored, because the new spheres nearly always overlap (base_link and "
        in tight.condition
    )
    # The figures belong to the file: judged again, as it is written.
    document.execute(tight.change)
    editor_app.save(document)
    written = editor_app.open_robot(urdf)
    assert tight.awaited <= written.robot.xrdf.ignored_pairs()
    assert not [
        each.code for each in editor_app.check(written, slow=True) if each.code == "XRDF605"
    ]
    again = editor_app.model_cost(written, seed=tighter_fit._JUDGED, seen=list_seen_links(fitted))
    assert again.needless.value == pytest.approx(tight.after.cost.needless.value, abs=2e-4)
    assert again.wrong.value == pytest.approx(tight.after.cost.wrong.value, abs=2e-4)


@only_deep
def test_a_new_file_has_the_spheres_that_a_fit_and_a_tighter_one_leave(tmp_path: Path) -> None:
    """The window does one after the other, from spheres as they are written.

    In every run, test_window_and_new_make_first_files_alike holds the pairs and the cost of both
    against each other.
    """
    choices = FitChoices(effort="fast")
    settings = editor_app.NewSettings(
        True, True, budget=60, choices=choices, samples=4096, certify=0.0, cost_samples=6_000
    )
    made = editor_app.new(copy_of_sample(tmp_path / "new", bare=True), settings=settings)
    document = editor_app.open_robot(copy_of_sample(tmp_path / "window", bare=True), new_xrdf=True)
    document.execute(editor_app.fit(document, budget=60, choices=choices).change)
    first = document.robot.xrdf.spheres_of(document.robot.xrdf.self_group)
    document.execute(editor_app.fit_tighter(document, choices=choices).change)
    spheres, others = (
        each.robot.xrdf.spheres_of(each.robot.xrdf.self_group) for each in (document, made.document)
    )
    assert spheres != first
    assert {link: set(each) for link, each in spheres.items()} == {
        link: set(each) for link, each in others.items()
    }


def test_the_command_writes_what_the_verb_gives(
    tighter: editor_app.TighterFit,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Any] = []

    def noted(*robot: Any, **settings: Any) -> editor_app.TighterFit:
        asked.append((robot, settings))
        return tighter

    monkeypatch.setattr(editor_app, "fit_tighter", noted)
    urdf, out = copy_of_sample(tmp_path / "sample"), tmp_path / "out.xrdf"
    options = ["--effort", "fast", "--for", "planning", "--jobs", "1"]
    assert run_command("fit", [str(urdf), *options, "-o", str(out), "--format", "json"]) == 0
    told = capsys.readouterr()
    report = json.loads(told.out)["planning"]
    assert report["after"]["false_collisions"] <= report["before"]["false_collisions"]
    assert report["after"]["closed_passages"] == []
    assert "Spheres before: " in told.err
    assert "Spheres now: " in told.err
    assert TIGHT in out.read_text()
    document = editor_app.open_robot(urdf)
    (((robot, *_), settings),) = asked
    assert robot.robot.urdf == document.robot.urdf
    assert settings["choices"].effort == "fast"
    document.execute(tighter.change)
    assert document.xrdf_text == out.read_text()
