"""Twice as much in a file costs twice as much: counted in calls of functions, which no other program disturbs."""

from __future__ import annotations

import cProfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from editor_app.drafting import plan_control
from editor_app.edit.comparison import compare
from editor_app.edit.opening import first_plan, open_robot
from editor_app.formats.scenes.files import scene_of
from editor_app.formats.source import SourceText
from editor_app.formats.urdf import read_urdf
from editor_app.formats.xrdf import read_xrdf
from editor_app.model.urdf import Urdf
from editor_app.model.xrdf import GeometryGroup, Xrdf
from editor_app.operations.check import check
from editor_app.operations.control import control_bases, control_choices
from tests.helpers.large_files import scene_text, urdf_text, xrdf_text


def _urdf(links: int, children: int) -> Urdf:
    return read_urdf(SourceText.from_text(urdf_text(links, children))).urdf


def _group(xrdf: Xrdf) -> GeometryGroup:
    (group,) = xrdf.geometry or ()
    return group


def _xrdf(spheres: int) -> Xrdf:
    return read_xrdf(SourceText.from_text(xrdf_text(spheres))).xrdf


def _planned(children: int) -> Callable[[int, Path], object]:
    def made(links: int, folder: Path) -> object:
        urdf = _urdf(links, children)
        return lambda: first_plan(urdf)

    return made


def _chosen(links: int, folder: Path) -> object:
    urdf = _urdf(links, 3)
    return lambda: (control_choices(urdf), control_bases(urdf))


def _checked(links: int, folder: Path) -> object:
    path = folder / f"r{links}.urdf"
    path.write_text(urdf_text(links))
    document = open_robot(path)
    return lambda: check(document)


def _compared(spheres: int, folder: Path) -> object:
    old = _xrdf(spheres)
    group = _group(old)
    moved = {frame: tuple(replace(s, radius=0.02) for s in every) for frame, every in group.spheres.items()}
    new = replace(old, geometry=(replace(group, spheres=type(group.spheres)(moved)),))
    return lambda: compare(old, new)


def _scene(obstacles: int, folder: Path) -> object:
    source = SourceText.from_text(scene_text(obstacles))
    return lambda: scene_of(source)


_CASES = {
    "plan of a chain": (_planned(1), 150),
    "plan of a tree": (_planned(3), 150),
    "choices of what is controlled": (_chosen, 100),
    "check of a chain": (_checked, 50),
    "comparison of spheres": (_compared, 250),
    "scene": (_scene, 150),
}


@pytest.mark.parametrize("name", _CASES)
def test_twice_as_much_takes_hardly_more_than_twice_the_calls(name: str, tmp_path: Path) -> None:
    make, size = _CASES[name]
    _warm(make(8, tmp_path))
    once, twice = (_calls(make(factor * size, tmp_path)) for factor in (2, 4))
    assert twice < 2.4 * once


def _warm(work: object) -> None:
    """What is loaded at the first call is no cost of the file."""
    assert callable(work)
    work()


def _calls(work: object) -> int:
    assert callable(work)
    profile = cProfile.Profile()
    profile.runcall(work)
    return sum(entry.callcount for entry in profile.getstats())


def test_chain_of_any_length_is_searched_for_no_more_poses_than_pay() -> None:
    first_plan(_urdf(10, 1))
    short, long = (_calls(lambda n=n: first_plan(_urdf(n, 1))) for n in (60, 500))
    assert long < 3 * short


def test_long_chain_begins_within_its_limits_and_away_from_them() -> None:
    urdf = read_urdf(SourceText.from_text(urdf_text(600).replace('lower="-1" upper="1"', 'lower="0" upper="2"'))).urdf
    plan = first_plan(urdf)
    assert len(plan.joints) == 599
    assert set(plan.positions.values()) == {0.2}


def test_fingers_and_ends_of_a_broad_tree_are_told_once() -> None:
    plan = plan_control(_urdf(400, 3))
    named = [entry.joint for entry in plan.locked]
    assert len(named) == len(set(named))
    assert not set(named) & set(plan.joints)
    assert len(named) + len(plan.joints) == 399


def test_doubled_sphere_is_a_difference() -> None:
    old = _xrdf(40)
    group = _group(old)
    frame = next(iter(group.spheres))
    doubled = {**group.spheres, frame: (*group.spheres[frame], group.spheres[frame][0])}
    new = replace(old, geometry=(replace(group, spheres=type(group.spheres)(doubled)),))
    (difference,) = compare(old, new)
    assert difference.old is None
    assert difference.path == f"geometry.g.spheres.{frame}"
    assert compare(new, old)[0].new is None
