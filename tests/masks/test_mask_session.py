"""The states of self-collision without a window: evidence, which file's mask, and the steps that
edit it."""

from __future__ import annotations

from pathlib import Path

import pytest

import editor_app
from editor_app.core.document.commands.self_collision import MaskFile, SetMask
from editor_app.core.document.commands.spheres import SetSpheres
from editor_app.core.document.document import Document
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import CollisionSphere, LinkPair
from editor_app.core.tasks.task import SILENT
from editor_app.features.masks.engine.mesh_look import MeshLook, NeedlessPair
from editor_app.features.masks.engine.options import ModelOptions
from editor_app.features.masks.engine.results import Analysis, AnalysisSettings
from editor_app.features.masks.verbs.mask_session import MaskSession
from tests.helpers.robots import copy_of_sample

BASE_HAND = LinkPair.of("base_link", "hand_link")


@pytest.fixture
def masks(tmp_path: Path) -> MaskSession:
    return session_of(tmp_path)


def session_of(folder: Path, srdf: str = "") -> MaskSession:
    """A session of the sample robot, and of an SRDF with these entries."""
    urdf = copy_of_sample(folder / "robot")
    files = [urdf, urdf.with_suffix(".xrdf")]
    if srdf:
        files.append(urdf.with_suffix(".srdf"))
        files[-1].write_text(f'<robot name="heron">{srdf}</robot>')
    masks = MaskSession(editor_app.open_robot(*files))
    masks.settings = AnalysisSettings(512, 1, 0.0, search_starts=0)
    return masks


def status(masks: MaskSession) -> str:
    return masks.state.status.name


def analyse(masks: MaskSession) -> Analysis:
    job = masks.analyse()
    assert job is not None
    analysis = job(SILENT)
    masks.finish(analysis)
    return analysis


def execute(masks: MaskSession, step: SetMask | None) -> tuple[RobotDescription, RobotDescription]:
    """Execute a step, and tell the session of the edit, as a window does."""
    assert step is not None
    document = masks.state.document
    old = document.robot
    document.execute(step)
    masks.follow_edit(old, document.robot)
    return old, document.robot


def test_an_analysis_is_missing_running_and_current(masks: MaskSession) -> None:
    assert status(masks) == "NONE"
    assert masks.state.pairs, "the tree alone says which pairs there are"
    before = masks.state
    job = masks.analyse()
    assert job is not None
    assert status(masks) == "ANALYSING"
    assert before.status.name == "NONE", "a state is a value"
    analysis = job(SILENT)
    masks.take(analysis)
    assert status(masks) == "ANALYSING", "results in between do not end it"
    masks.finish(analysis)
    assert status(masks) == "CURRENT"
    assert masks.state.evidence(BASE_HAND) is not None


def test_a_failure_says_why_and_keeps_the_evidence_before(masks: MaskSession) -> None:
    analysis = analyse(masks)
    masks.analyse()
    masks.end("the process ended")
    assert status(masks) == "FAILED"
    assert masks.state.failure == "the process ended"
    assert masks.state.analysis is analysis
    masks.set_options(ModelOptions(margin=0.1), masks.settings, None)
    assert status(masks) == "STALE", "an edit: the pairs that it concerns are examined again"
    masks.set_options(ModelOptions(), masks.settings, None)
    masks.finish(analysis)
    masks.analyse()
    masks.end()
    assert status(masks) == "CURRENT", "a cancel is no failure"


def test_an_edited_sphere_makes_its_pairs_stale_until_they_are_examined(masks: MaskSession) -> None:
    analyse(masks)
    masks.take_look(MeshLook())
    document = masks.state.document
    old, group = document.robot, document.robot.xrdf.self_group
    assert group is not None
    document.execute(
        SetSpheres(((SphereRef(group, "base_link", 0), CollisionSphere((0.0, 0.0, 0.0), 0.01)),))
    )
    masks.follow_edit(old, document.robot)
    assert status(masks) == "STALE"
    assert masks.state.look is None, "other spheres: the meshes have to be compared again"
    job = masks.refresh()
    assert job is not None
    masks.take_refreshed(job(SILENT))
    assert status(masks) == "CURRENT"
    assert masks.refresh() is None


def test_other_joint_ranges_make_the_evidence_stale(masks: MaskSession) -> None:
    analyse(masks)
    masks.set_options(ModelOptions(margin=0.1), masks.settings, None)
    assert status(masks) == "STALE"
    assert masks.state.edits == 1


def test_another_mask_keeps_evidence_and_look(masks: MaskSession) -> None:
    analysis = analyse(masks)
    masks.take_look(MeshLook())
    execute(masks, masks.state.ignore((BASE_HAND,)))
    assert BASE_HAND in masks.state.ignored
    assert masks.state.analysis is analysis
    assert masks.state.look is not None
    assert masks.state.ignore((BASE_HAND,)) is None, "it is ignored already"
    execute(masks, masks.state.check((BASE_HAND,)))
    assert BASE_HAND not in masks.state.ignored
    assert masks.state.check((BASE_HAND,)) is None


def test_pairs_go_back_to_how_the_file_had_them(masks: MaskSession) -> None:
    text = masks.state.document.xrdf_text
    kept = min(masks.state.ignored)
    assert masks.state.reset((BASE_HAND, kept)) is None
    execute(masks, masks.state.take_over(frozenset((BASE_HAND,)), frozenset((kept,)), {}, "Swap"))
    assert not masks.state.is_as_opened((kept,))
    step = masks.state.reset((BASE_HAND, kept))
    assert step is not None
    assert step.label == "Reset 2 pairs"
    execute(masks, step)
    assert masks.state.is_as_opened((BASE_HAND, kept))
    assert BASE_HAND not in masks.state.ignored
    assert set(masks.state.document.xrdf_text.split()) == set(text.split())


def test_the_masks_of_both_files_are_shown_and_edited(tmp_path: Path) -> None:
    masks = session_of(
        tmp_path, '<disable_collisions link1="base_link" link2="hand_link" reason="User"/>'
    )
    assert masks.state.beside == frozenset((BASE_HAND,))
    assert masks.state.words_beside(BASE_HAND) == "ignored in heron.srdf (User)"
    masks.skip(BASE_HAND)
    masks.choose_file(MaskFile.SRDF)
    assert (masks.state.file, masks.state.ignored) == (MaskFile.SRDF, frozenset((BASE_HAND,)))
    assert masks.state.skipped == frozenset(), "skipped in the other mask"
    execute(masks, masks.state.check((BASE_HAND,)))
    assert masks.state.ignored == frozenset()
    # The entry had a reason, which it gets back.
    step = masks.state.reset((BASE_HAND,))
    assert step is not None
    assert step.reasons == FrozenDict({BASE_HAND: "User"})


def test_without_an_srdf_only_the_xrdf_can_be_shown(document: Document) -> None:
    masks = MaskSession(document)
    masks.choose_file(MaskFile.SRDF)
    assert masks.state.file is MaskFile.XRDF
    assert masks.state.beside is None
    assert masks.state.words_beside(BASE_HAND) == ""


def test_meshes_that_stay_apart_make_a_conflict_right(masks: MaskSession) -> None:
    analysis = analyse(masks)
    execute(masks, SetMask(pairs=tuple(analysis.model.link_pairs)))
    conflict = masks.state.conflicts[0]
    masks.take_look(
        MeshLook(
            (NeedlessPair(conflict.pair, conflict.first, conflict.second, 0.1, 0.01, 100, None),)
        )
    )
    assert conflict.pair not in {each.pair for each in masks.state.conflicts}
    assert masks.ask_meshes() is None, "they were compared"
    # It is the spheres that were compared, not the shapes: they stay apart whatever the next
    # analysis says.
    masks.finish(analysis)
    assert conflict.pair in masks.state.seen_apart
    assert masks.ask_meshes() is not None


def test_another_robot_forgets_everything(masks: MaskSession, document: Document) -> None:
    analyse(masks)
    masks.skip(BASE_HAND)
    masks.open(document)
    assert status(masks) == "NONE"
    assert masks.state.document is document
    assert masks.state.skipped == frozenset()
    assert BASE_HAND not in {each.pair for each in masks.state.pairs}
