"""Slow rules after an edit: findings as from scratch, without computing what the edit left
alone."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from editor_app.core.document import commands as c
from editor_app.core.document.commands.fields import OfJoint, SetField
from editor_app.core.document.document import Document
from editor_app.core.model.findings import Finding, SphereRef
from editor_app.core.model.frozen import FrozenDict, reuse_parts
from editor_app.core.model.profile import Profile
from editor_app.core.model.robot import CannotApply
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.tasks.task import SILENT, TaskReporter
from editor_app.core.tasks.work import Cancelled, PlacedRobot, locate_robot
from editor_app.core.verbs.open import open_robot
from editor_app.features.checks.engine.memory import RuleMemory
from editor_app.features.checks.rules.xrdf import mount, sampled
from editor_app.features.checks.verbs.check import slow_findings, slow_findings_again
from editor_app.features.masks.engine import mesh_look, meshes
from editor_app.features.masks.engine.results import AnalysisSettings
from editor_app.plugins.motion.engine.mesh_motion import MeshMotion
from editor_app.plugins.planning.rules import verdicts
from tests.helpers.breadth import examples
from tests.helpers.finding_examples import texts_with
from tests.helpers.random_changes import changes
from tests.helpers.small_robot import URDF_TEXT, XRDF_TEXT


@pytest.fixture(scope="module", autouse=True)
def few_samples() -> Iterator[None]:
    """Enough to collide, and quick."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            sampled,
            "_SETTINGS",
            AnalysisSettings(samples=256, certify_seconds=0.0, search_starts=0),
        )
        patch.setattr(verdicts, "_SAMPLES", 128)
        patch.setattr(mesh_look, "_FEW", 64)
        yield


def check(document: Document, memory: RuleMemory) -> tuple[Finding, ...]:
    """As a worker process gets the robot: no object of it is one of the check before."""
    placed: PlacedRobot = pickle.loads(pickle.dumps(locate_robot(document)))
    return slow_findings(SILENT, placed, Profile.SPECIFICATION, memory=memory)


def arm(folder: Path) -> Document:
    for name, text in texts_with("XRDF516").items():
        (folder / name).write_text(text)
    return open_robot(folder / "arm.urdf", folder / "arm.xrdf")


def grow(document: Document, frame: str, by: float = 0.01) -> None:
    group = document.robot.xrdf.group(document.robot.xrdf.self_group)
    assert group is not None
    sphere = group.spheres[frame][0]
    document.execute(
        c.SetSpheres(
            ((SphereRef(group.name, frame, 0), replace(sphere, radius=sphere.radius + by)),)
        )
    )


def set_limit(document: Document, joint: str, upper: float) -> None:
    moved = document.robot.urdf.joint(joint)
    assert moved is not None
    limit = moved.limit
    assert limit is not None
    document.execute(SetField(OfJoint(joint), "limit", replace(limit, upper=upper), "limit"))


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the expensive steps run."""
    counts: Counter[str] = Counter()

    def count(owner: Any, name: str) -> None:
        original = getattr(owner, name)

        def counted(*arguments: Any, **named: Any) -> Any:
            counts[name] += 1
            return original(*arguments, **named)

        monkeypatch.setattr(owner, name, counted)

    count(mount, "uncovered")
    count(sampled, "analyse")
    count(meshes, "_sample_pair")
    count(meshes, "collision_meshes")
    count(MeshMotion, "_collide")
    return counts


def test_findings_after_each_edit_are_those_of_a_fresh_check(tmp_path: Path) -> None:
    document, memory = arm(tmp_path), RuleMemory()
    edits: list[Callable[[], object]] = [
        lambda: None,
        lambda: grow(document, "upper"),
        lambda: grow(document, "lower", 0.4),
        document.undo,
        lambda: set_limit(document, "shoulder", 1.5),
        lambda: document.execute(c.SetMask(checked=(LinkPair.of("base", "lower"),))),
        lambda: document.execute(c.RenameLink("lower", "forearm")),
        document.undo,
        document.undo,
        lambda: document.execute(c.set_item("xrdf.default_joint_positions", "elbow", 2.0)),
        lambda: document.execute(c.RemoveLink("left")),
        lambda: document.execute(c.set_item("xrdf.self_collision.buffer_distance", "upper", 0.2)),
        document.undo,
        document.redo,
    ]
    seen = set()
    for edit in edits:
        edit()
        findings = check(document, memory)
        assert findings == check(document, RuleMemory())
        seen.add(findings)
    # The edits matter to the rules.
    assert len(seen) >= 6


SHAPES = '<collision><geometry><box size="0.1 0.08 0.2"/></geometry></collision>'


@settings(deadline=None, max_examples=examples(64), suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_edits_give_the_findings_of_a_fresh_check(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp() / "any-edits"
    folder.mkdir(exist_ok=True)
    urdf = URDF_TEXT
    for name in ("base", "upper", "fore", "finger_a"):
        urdf = urdf.replace(f'<link name="{name}"/>', f'<link name="{name}">{SHAPES}</link>')
    (folder / "small.urdf").write_text(urdf)
    (folder / "small.xrdf").write_text(XRDF_TEXT)
    document, memory = open_robot(folder / "small.urdf", folder / "small.xrdf"), RuleMemory()
    for _ in range(4):
        try:
            document.execute(data.draw(changes(document.robot)))
        except CannotApply:
            continue
        assert check(document, memory) == check(document, RuleMemory())
    while document.undo():
        assert check(document, memory) == check(document, RuleMemory())


def test_one_sphere_compares_no_meshes_and_measures_one_link(
    tmp_path: Path, compared: Counter[str]
) -> None:
    document, memory = arm(tmp_path), RuleMemory()
    check(document, memory)
    assert (
        min(compared[name] for name in ("analyse", "_sample_pair", "collision_meshes", "_collide"))
        > 0
    )
    assert compared["uncovered"] > 1
    compared.clear()
    grow(document, "upper")
    check(document, memory)
    assert compared == {"uncovered": 1, "analyse": 1}


def test_a_cell_of_the_mask_compares_only_new_pairs(tmp_path: Path, compared: Counter[str]) -> None:
    document, memory = arm(tmp_path), RuleMemory()
    check(document, memory)
    compared.clear()
    document.execute(c.SetMask(checked=(LinkPair.of("base", "lower"),)))
    check(document, memory)
    assert compared == {}
    masked = LinkPair.of("upper", "left")
    assert masked not in document.robot.xrdf.ignored_pairs()
    document.execute(c.SetMask(pairs=(masked,)))
    check(document, memory)
    assert compared["_sample_pair"] <= 1
    assert compared["_collide"] == 0


def test_the_limit_of_one_joint_leaves_the_pairs_that_it_does_not_move(
    tmp_path: Path, compared: Counter[str]
) -> None:
    document, memory = arm(tmp_path), RuleMemory()
    check(document, memory)
    everything = compared["_sample_pair"]
    compared.clear()
    set_limit(document, "shoulder", 1.5)
    check(document, memory)
    assert 0 < compared["_sample_pair"] < everything
    compared.clear()
    document.undo()
    check(document, memory)
    assert compared == {}


def test_a_stopped_check_keeps_what_it_compared(
    tmp_path: Path, compared: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    document, memory = arm(tmp_path), RuleMemory()
    monkeypatch.setattr(meshes, "_PORTION", 1)
    findings = check(document, RuleMemory())
    everything = compared["_sample_pair"]
    compared.clear()

    def stop(*_: object) -> None:
        if compared["_sample_pair"]:
            raise Cancelled

    for _ in range(everything):
        compared.clear()
        with pytest.raises(Cancelled):
            slow_findings(
                TaskReporter(stop), locate_robot(document), Profile.SPECIFICATION, memory=memory
            )
        assert compared["_sample_pair"] == 1
    compared.clear()
    assert check(document, memory) == findings
    assert compared["_sample_pair"] == 0


def test_a_job_that_is_asked_to_stop_has_no_findings(tmp_path: Path) -> None:
    document = arm(tmp_path)
    placed = locate_robot(document)
    assert (
        slow_findings_again(TaskReporter(cancelled=lambda: True), placed, Profile.SPECIFICATION)
        is None
    )
    assert slow_findings_again(SILENT, placed, Profile.SPECIFICATION) == check(
        document, RuleMemory()
    )


def test_a_mesh_file_that_changes_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "box.stl").write_text("solid\nendsolid\n")
    (tmp_path / "one.urdf").write_text(
        '<robot name="one"><link name="a"><visual><geometry><mesh '
        'filename="box.stl"/></geometry></visual>'
        "</link></robot>"
    )
    document, memory = open_robot(tmp_path / "one.urdf"), RuleMemory()
    assert {each.code for each in check(document, memory)} >= {"MESH004"}
    triangle = (
        "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
        "0\nendloop\nendfacet\n"
    )
    (tmp_path / "box.stl").write_text(f"solid\n{triangle}endsolid\n")
    assert {each.code for each in check(document, memory)}.isdisjoint({"MESH004"})


def test_a_long_session_keeps_no_more_results_than_a_short_one(tmp_path: Path) -> None:
    document, memory = arm(tmp_path), RuleMemory()
    sizes = []
    for step in range(8):
        grow(document, "upper", 0.001 * (step + 1))
        check(document, memory)
        sizes.append(len(memory))
    assert max(sizes[4:]) == sizes[4]


def test_a_rest_drops_the_meshes_and_keeps_the_counts(
    tmp_path: Path, compared: Counter[str]
) -> None:
    document, memory = arm(tmp_path), RuleMemory()
    check(document, memory)
    memory.drop_large()
    compared.clear()
    grow(document, "upper")
    check(document, memory)
    assert compared == {"uncovered": 1, "analyse": 1, "collision_meshes": 1}


def test_equal_parts_are_shared_and_others_are_not(tmp_path: Path) -> None:
    document = arm(tmp_path)
    before = document.robot
    grow(document, "upper")
    copy = pickle.loads(pickle.dumps(document.robot))
    shared = reuse_parts(copy, before)
    assert shared == copy
    assert shared.urdf is before.urdf
    new, old = shared.xrdf.geometry[0].spheres, before.xrdf.geometry[0].spheres  # type: ignore[index]
    assert [frame for frame in old if new[frame] is not old[frame]] == ["upper"]
    assert reuse_parts(pickle.loads(pickle.dumps(before)), before) is before
    document.undo()
    document.execute(c.RemoveLink("left"))
    fewer = reuse_parts(pickle.loads(pickle.dumps(document.robot)), before)
    links = {link.name: link for link in before.urdf.links}
    assert all(link is links[link.name] for link in fewer.urdf.links)


def test_numbers_keep_their_types_and_signs() -> None:
    assert repr(reuse_parts((0.0, 1), (-0.0, 1.0))) == "(0.0, 1)"
    assert repr(reuse_parts(FrozenDict({"a": True}), FrozenDict({"a": 1}))) == repr(
        FrozenDict({"a": True})
    )
