"""Figures of spheres are kept on disk: for the very mesh and spheres, and never read wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.space.geometry.cache import cache_folder, store_entry
from editor_app.core.tasks.task import SILENT
from editor_app.features.spheres.engine.links import LinkMesh
from editor_app.features.spheres.verbs.link_figures import (
    LinkFigures,
    Proof,
    find_figures,
    keep,
    kept,
    key_of,
    measure_figures,
)

SPHERES = (CollisionSphere((0.0, 0.0, 0.0), 0.12), CollisionSphere((0.0, 0.0, 0.05), 0.1))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XRDF_EDITOR_CACHE", str(tmp_path))
    return tmp_path


@pytest.fixture(scope="module")
def box() -> LinkMesh:
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float) * 0.06
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]]
    faces += [[2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
    return LinkMesh("box", corners, np.array(faces, np.int32))


def test_what_was_measured_is_found_again(box: LinkMesh) -> None:
    assert find_figures(SILENT, ((box, SPHERES),)) == {}
    measured = measure_figures(box, SPHERES)
    assert measured.count == 2
    assert measured.surface_coverage == 1.0
    assert measured.proof is not None
    assert measured.proof.certified
    again = replace(box, link="another")
    assert find_figures(SILENT, ((again, SPHERES),)) == {"another": measured}


def test_another_mesh_or_other_spheres_have_figures_of_their_own(box: LinkMesh) -> None:
    measure_figures(box, SPHERES)
    larger = replace(box, vertices=box.vertices * 1.01)
    moved = (replace(SPHERES[0], center=(0.0, 0.0, 0.001)), SPHERES[1])
    assert find_figures(SILENT, ((larger, SPHERES), (box, moved), (box, SPHERES[:1]))) == {}


def test_a_mesh_without_surface_says_so(box: LinkMesh) -> None:
    flat = replace(box, faces=np.zeros((0, 3), np.int32))
    figures = measure_figures(flat, SPHERES)
    assert figures.note
    assert kept(key_of(flat, SPHERES)) == figures


def test_entries_that_are_no_figures_count_as_absent(box: LinkMesh) -> None:
    key = key_of(box, SPHERES)
    store_entry(key, {"count": 3}, {})
    assert kept(key) is None
    keep(key, LinkFigures(2, float("inf"), proof=Proof(False, "open")))
    assert kept(key) == LinkFigures(2, float("inf"), proof=Proof(False, "open"))
    path = cache_folder() / f"{key}.mesh"
    path.write_bytes(path.read_bytes()[:-7])
    assert kept(key) is None
