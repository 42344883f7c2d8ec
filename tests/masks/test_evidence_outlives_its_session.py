"""The analysis of a robot's pairs is found again by its content, and an entry that makes no sense
is dropped."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editor_app.core.document.commands import SetMask
from editor_app.core.document.commands.lists import set_item
from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.document.document import Document
from editor_app.core.document.opening import open_document
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.space.geometry import cache
from editor_app.core.tasks.work import PlacedRobot, locate_robot
from editor_app.features.masks.engine.analysis import analyse
from editor_app.features.masks.engine.mesh_look import HiddenPair, MeshLook
from editor_app.features.masks.engine.model import build_sphere_model
from editor_app.features.masks.engine.options import ModelOptions
from editor_app.features.masks.engine.results import (
    PAIR_ARRAYS,
    Analysis,
    AnalysisSettings,
    PairClass,
)
from editor_app.features.masks.verbs import evidence
from editor_app.features.masks.verbs.evidence import (
    DamagedEvidence,
    keep_evidence,
    keep_look,
    kept_evidence,
)
from tests.helpers.documents import make_document

PAIR = LinkPair.of("base", "upper")
LOOK = MeshLook(
    hidden=(HiddenPair(PAIR, "base", "upper", 0.25, 1024, PairClass.ADJACENT, at_default=True),)
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XRDF_EDITOR_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "meshes"


@pytest.fixture
def document(tmp_path: Path) -> Document:
    return make_document(tmp_path)


def analysed(document: Document, options: ModelOptions | None = None) -> Analysis:
    return analyse(
        build_sphere_model(document.robot, options), AnalysisSettings(500, 3, 0.0, search_starts=0)
    )


def test_evidence_comes_back_for_the_same_content(document: Document, tmp_path: Path) -> None:
    analysis = analysed(document)
    keep_evidence(analysis)
    # Another mask, and another session: pairs are the same.
    document.execute(SetMask(MaskFile.XRDF, (LinkPair.of("base", "lower"),)))
    again = PlacedRobot(document.robot, tmp_path / "arm.urdf")
    kept = kept_evidence(again)
    assert kept is not None
    assert kept.analysis.settings == analysis.settings
    assert kept.analysis.complete
    assert kept.analysis.kinds() == analysis.kinds()
    for name in PAIR_ARRAYS:
        np.testing.assert_array_equal(getattr(kept.analysis, name), getattr(analysis, name))
    assert [each.witness for each in kept.analysis] == [each.witness for each in analysis]


@pytest.mark.parametrize(
    "change",
    [
        set_item("xrdf.default_joint_positions", "elbow", 0.4),
        set_item("xrdf.self_collision.buffer_distance", "upper", 0.02),
        set_item("xrdf.self_collision.buffer_distance", "lower", 0.001),
    ],
)
def test_another_robot_has_no_evidence(document: Document, change: object) -> None:
    keep_evidence(analysed(document))
    document.execute(change)  # type: ignore[arg-type]
    assert kept_evidence(locate_robot(document)) is None


def test_other_ranges_of_joints_have_no_evidence(document: Document) -> None:
    keep_evidence(analysed(document))
    assert kept_evidence(locate_robot(document), ModelOptions(margin=0.1)) is None


def test_incomplete_evidence_is_not_kept(document: Document) -> None:
    analysis = analysed(document)
    keep_evidence(replace(analysis, complete=False))
    keep_evidence(replace(analysis, stale=np.ones(len(analysis), bool)))
    assert kept_evidence(locate_robot(document)) is None


def test_the_look_at_the_meshes_comes_along_while_the_shapes_are_the_same(
    document: Document, tmp_path: Path
) -> None:
    analysis, placed = analysed(document), locate_robot(document)
    keep_evidence(analysis)
    keep_look(placed, analysis, LOOK)
    kept = kept_evidence(placed)
    assert kept is not None
    assert kept.look == LOOK
    urdf = tmp_path / "arm.urdf"
    shape = (
        '<link name="upper"><collision><geometry><sphere '
        'radius="0.3"/></geometry></collision></link>'
    )
    urdf.write_text(urdf.read_text().replace('<link name="upper"/>', shape))
    other = open_document(urdf)
    assert other.robot.urdf != document.robot.urdf
    kept = kept_evidence(locate_robot(other))
    assert kept is not None
    assert kept.look is None


@pytest.mark.parametrize("place", [0, 25, 60, 400, -1])
def test_a_damaged_entry_is_dropped_with_a_message(
    document: Document, folder: Path, caplog: pytest.LogCaptureFixture, place: int
) -> None:
    keep_evidence(analysed(document))
    (path,) = folder.glob("*.mesh")
    data = bytearray(path.read_bytes())
    data[place] ^= 0x11
    path.write_bytes(data)
    if place == 0:
        # Another beginning is another version's.
        assert kept_evidence(locate_robot(document)) is None
        return
    with (
        caplog.at_level(logging.WARNING),
        pytest.raises(DamagedEvidence, match="compute the mask again"),
    ):
        kept_evidence(locate_robot(document))
    assert not path.exists()
    assert path.name in caplog.text
    assert kept_evidence(locate_robot(document)) is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("clearance_default", 1.0),
        ("clearance_min", np.nan),
        ("nearest", 10_000),
        ("hits", 501),
        ("samples", -1),
        ("samples", 0.5),
        ("witness", 1e6),
        ("certified", -1.0),
        ("stale", 1),
    ],
)
def test_numbers_that_cannot_be_right_are_dropped(
    document: Document, folder: Path, name: str, value: float
) -> None:
    analysis = analysed(document)
    keep_evidence(analysis)
    key = evidence._key(analysis.model)
    entry = cache.load_entry(key)
    assert entry is not None
    info, arrays = entry
    arrays[name].reshape(-1)[0] = value
    cache.store_entry(key, info, arrays)
    with pytest.raises(DamagedEvidence):
        kept_evidence(locate_robot(document))
    assert not list(folder.glob("*.mesh"))


@pytest.mark.parametrize(
    "info", [{}, {"settings": 3, "seconds": [0, 0]}, {"settings": {"samples": -1}, "seconds": []}]
)
def test_an_entry_about_something_else_is_dropped(
    document: Document, info: dict[str, object]
) -> None:
    analysis = analysed(document)
    keep_evidence(analysis)
    key = evidence._key(analysis.model)
    entry = cache.load_entry(key)
    assert entry is not None
    entries: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = ((info, entry[1]), (entry[0], {}))
    for damaged in entries:
        cache.store_entry(key, *damaged)
        with pytest.raises(DamagedEvidence):
            kept_evidence(locate_robot(document))
    keep_evidence(analysis)
    cache.store_entry(
        evidence._look_key(locate_robot(document), analysis.model), {"look": {"needless": [1]}}, {}
    )
    with pytest.raises(DamagedEvidence):
        kept_evidence(locate_robot(document))
    kept = kept_evidence(locate_robot(document))
    assert kept is not None
    assert kept.look is None
