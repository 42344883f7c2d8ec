"""Spheres that are selected stay selected when others of their link go: never the ones that take
their numbers."""

from __future__ import annotations

from pathlib import Path

from editor_app.core.document.commands import DeleteSpheres
from editor_app.core.document.document import Document
from editor_app.core.document.selection import Selection
from editor_app.core.model.findings import SphereRef
from tests.helpers.documents import CLEAN, make_document

FOUR = CLEAN + "".join(
    f"        - center: [0.0, 0.0, {k}.0]\n          radius: 0.1\n" for k in (1, 1, 3)
)
REFS = tuple(SphereRef("spheres", "lower", index) for index in range(4))


def selected(document: Document) -> tuple[SphereRef, ...]:
    return document.selection.spheres


def test_a_deleted_sphere_gives_its_place_in_the_selection_to_no_other(tmp_path: Path) -> None:
    document = make_document(tmp_path, FOUR)
    document.select(Selection(spheres=(REFS[0], REFS[3])))
    document.execute(DeleteSpheres((REFS[0],)))
    assert selected(document) == (REFS[2],), "the last one, at its new place"
    document.undo()
    assert selected(document) == (REFS[0], REFS[3])


def test_alike_spheres_are_told_apart_by_their_order(tmp_path: Path) -> None:
    document = make_document(tmp_path, FOUR)
    document.select(Selection(spheres=(REFS[1], REFS[2])))
    document.execute(DeleteSpheres((REFS[0],)))
    assert selected(document) == (REFS[0], REFS[1])
