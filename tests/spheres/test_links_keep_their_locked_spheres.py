"""Spheres that a link keeps, and a symmetry, hold for each link of a fit, also where links have the
same mesh."""

from __future__ import annotations

from pathlib import Path

import pytest

import editor_app
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.tasks.work import Refused
from editor_app.features.spheres.verbs.fit_choices import FitChoices

URDF = """<robot name="r">
  <link name="a"><collision><geometry><box size="0.2 0.1 0.1"/></geometry></collision></link>
  <link name="b"><collision><geometry><box size="0.2 0.1 0.1"/></geometry></collision></link>
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>"""
KEPT = CollisionSphere((0.05, 0.0, 0.0), 0.08)


@pytest.fixture
def document(tmp_path: Path) -> editor_app.Document:
    path = tmp_path / "r.urdf"
    path.write_text(URDF)
    return editor_app.open_robot(path)


def test_locked_spheres_stand_first_and_the_number_comes_beside_them(
    document: editor_app.Document,
) -> None:
    choices = FitChoices(
        mount=False, effort="fast", locked={"a": (KEPT, CollisionSphere((0.0, 0.0, 0.0), 0.0))}
    )
    fitted = editor_app.fit(document, number=4, choices=choices).spheres
    assert fitted["a"][0] == KEPT
    assert 2 <= len(fitted["a"]) <= 5
    assert all(each.radius > 0 for each in fitted["a"]), (
        "a sphere of radius 0 takes no room and is not kept"
    )
    # The other link has the same mesh, and no lock.
    assert KEPT not in fitted["b"]
    assert len(fitted["b"]) == 4


def test_spheres_come_in_pairs_about_the_middle_of_each_link(document: editor_app.Document) -> None:
    choices = FitChoices(mount=False, symmetry="x", effort="fast")
    spheres = editor_app.fit(document, number=6, choices=choices).spheres
    for each in spheres.values():
        turned = {
            (round(-s.center[0], 5), *(round(c, 5) for c in s.center[1:]), round(s.radius, 5))
            for s in each
        }
        assert turned == {(*(round(c, 5) for c in s.center), round(s.radius, 5)) for s in each}


def test_locks_of_a_link_that_is_not_there_are_refused(document: editor_app.Document) -> None:
    with pytest.raises(Refused, match="no link c"):
        editor_app.fit(document, number=2, choices=FitChoices(mount=False, locked={"c": (KEPT,)}))
