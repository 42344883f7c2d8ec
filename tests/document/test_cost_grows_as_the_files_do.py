"""Four times as much in a file costs four times as much: counted line by line, which no other
program disturbs.

A search through all links for each of them, within a generator expression or a loop, calls nothing;
its line runs often.
"""

from __future__ import annotations

import cProfile
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from editor_app.core.document.comparison import compare_urdf, compare_xrdfs
from editor_app.core.document.opening import first_plan, open_document
from editor_app.core.drafting import plan_control
from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.formats.scenes.files import parse_scene
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.urdf import Urdf
from editor_app.core.model.xrdf import GeometryGroup, Xrdf
from editor_app.core.space.geometry.link_geometry import MeshStore, link_geometry
from editor_app.core.text.source import SourceText
from editor_app.core.verbs.convert import convert
from editor_app.features.checks.verbs.check import check
from editor_app.features.checks.verbs.check_files import check_files
from editor_app.features.draft.verbs.control import control_bases, control_choices
from editor_app.plugins.sdf.joints import Joints
from editor_app.plugins.sdf.models import Models
from editor_app.plugins.sdf.sources import SdfSources
from tests.helpers.large_files import scene_text, urdf_text, xrdf_text


def _urdf(links: int, children: int) -> Urdf:
    return read_urdf(SourceText.from_text(urdf_text(links, children))).value


def _group(xrdf: Xrdf) -> GeometryGroup:
    (group,) = xrdf.geometry or ()
    return group


def _xrdf(spheres: int) -> Xrdf:
    return read_xrdf(SourceText.from_text(xrdf_text(spheres))).value


def _planned(children: int) -> Callable[[int, Path], object]:
    def made(links: int, folder: Path) -> object:
        urdf = _urdf(links, children)
        return lambda: plan_control(urdf)

    return made


def _chosen(links: int, folder: Path) -> object:
    urdf = _urdf(links, 3)
    return lambda: (control_choices(urdf), control_bases(urdf))


def _checked(links: int, folder: Path) -> object:
    path = folder / f"r{links}.urdf"
    path.write_text(urdf_text(links))
    document = open_document(path)
    return lambda: check(document)


def _compared(spheres: int, folder: Path) -> object:
    old = _xrdf(spheres)
    group = _group(old)
    moved = {
        frame: tuple(replace(s, radius=0.02) for s in every)
        for frame, every in group.spheres.items()
    }
    new = replace(old, geometry=(replace(group, spheres=type(group.spheres)(moved)),))
    return lambda: compare_xrdfs(old, new)


def _scene(obstacles: int, folder: Path) -> object:
    source = SourceText.from_text(scene_text(obstacles))
    return lambda: parse_scene(source)


def _file(links: int, folder: Path) -> object:
    """`check` of a file, with what each program makes of it."""
    return lambda: check_files([_painted(links, folder)], programs=True)


def _painted(links: int, folder: Path) -> Path:
    """Links with a mass, a shape and a colour each, which the robot defines."""
    body = (
        '<link name="l{i}"><inertial><mass value="1"/>'
        '<inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial>'
        '<visual><geometry><box size="1 1 1"/></geometry><material name="m{i}"/></visual></link>'
        '<material name="m{i}"><color rgba="1 0 0 1"/></material>\n'
    )
    path = folder / f"f{links}.urdf"
    joints = [line for line in urdf_text(links).splitlines() if line.startswith("<joint")]
    path.write_text(
        "\n".join(
            ['<robot name="large">', *(body.format(i=i) for i in range(links)), *joints, "</robot>"]
        )
    )
    return path


def _written(ending: str) -> Callable[[int, Path], object]:
    def made(links: int, folder: Path) -> object:
        path = _painted(links, folder)
        return lambda: convert([path], path.with_suffix(ending))

    return made


def _drawn(links: int, folder: Path) -> object:
    path = _painted(links, folder)
    urdf, store = open_document(path).robot.urdf, MeshStore(path)
    return lambda: [link_geometry(urdf, path, link, store=store) for link in urdf.links]


def _compared_urdf(links: int, folder: Path) -> object:
    urdf = open_document(_painted(links, folder)).robot.urdf
    return lambda: compare_urdf(urdf, replace(urdf, name="other"))


def _sdf_read(links: int, folder: Path) -> object:
    """A chain in which each place depends on the one before, not on the joint between."""
    link = '<link name="{i}"><pose relative_to="{before}">0 0 1 0 0 0</pose></link>'
    joint = '<joint name="j{i}" type="revolute"><parent>{before}</parent><child>{i}</child></joint>'
    inner = "".join((link + joint).format(i=i, before=i - 1) for i in range(1, links))
    path = folder / f"f{links}.sdf"
    path.write_text(f'<sdf version="1.9"><model name="large"><link name="0"/>{inner}</model></sdf>')

    def read() -> None:
        models = Models(SdfSources(path, {}), Reporter("SDF", "URDF"))
        models.read(None)
        Joints(models, models.out).read()

    return read


_CASES = {
    "plan of a chain": _planned(1),
    "plan of a tree": _planned(3),
    "choices of what is controlled": _chosen,
    "check of a chain": _checked,
    "file of a chain": _file,
    "MJCF of painted links": _written(".mjcf"),
    "COLLADA of painted links": _written(".dae"),
    "SDF of painted links": _written(".sdf"),
    "SDF of a chain, read": _sdf_read,
    "shapes of painted links": _drawn,
    "comparison of painted links": _compared_urdf,
    "comparison of spheres": _compared,
    "scene": _scene,
}
SIZE = 40


@pytest.mark.parametrize("name", _CASES)
def test_no_line_runs_more_often_than_files_are_larger(name: str, tmp_path: Path) -> None:
    make = _CASES[name]
    _warm(make(8, tmp_path))
    once, larger = (_lines(make(size, tmp_path)) for size in (SIZE, 4 * SIZE))
    # A line that runs for each entry, for each of them, runs 16 times as often.
    quadratic = {
        place: (once[place], n)
        for place, n in larger.items()
        if n > 8 * once[place] and n > 20 * SIZE
    }
    assert not quadratic
    assert larger.total() < 4.8 * once.total()


def test_a_search_within_a_generator_expression_is_seen() -> None:
    def searched(names: list[str]) -> object:
        return lambda: [next(other for other in names if other == name) for name in names]

    once, larger = (_lines(searched([str(i) for i in range(size)])) for size in (SIZE, 4 * SIZE))
    assert larger.total() > 10 * once.total()


def _warm(work: object) -> None:
    """What is loaded at the first call is no cost of the file."""
    assert callable(work)
    work()


def _calls(work: object) -> int:
    assert callable(work)
    profile = cProfile.Profile()
    profile.runcall(work)
    return sum(entry.callcount for entry in profile.getstats())


def _lines(work: object) -> Counter[tuple[str, int]]:
    """(file, line) -> how often it ran; each round of a loop within one line counts."""
    assert callable(work)
    ran: Counter[tuple[Any, int]] = Counter()

    def in_a_function(frame: FrameType, event: str, _: object) -> Any:
        if event == "line":
            ran[frame.f_code, frame.f_lineno] += 1
        return in_a_function

    sys.settrace(lambda *_: in_a_function)
    try:
        work()
    finally:
        sys.settrace(None)
    places: Counter[tuple[str, int]] = Counter()
    for (code, line), count in ran.items():
        places[code.co_filename, line] += count
    return places


def test_chain_of_any_length_is_searched_for_no_more_poses_than_pay() -> None:
    first_plan(_urdf(10, 1))
    # Calls are counted in less time than lines, of which a search for poses has a million.
    short, long = (_calls(lambda n=n: first_plan(_urdf(n, 1))) for n in (60, 240))
    assert long < 2 * short


def test_long_chain_begins_within_its_limits_and_away_from_them() -> None:
    urdf = read_urdf(
        SourceText.from_text(urdf_text(600).replace('lower="-1" upper="1"', 'lower="0" upper="2"'))
    ).value
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
    (difference,) = compare_xrdfs(old, new)
    assert difference.old is None
    assert difference.path == f"geometry.g.spheres.{frame}"
    assert compare_xrdfs(new, old)[0].new is None
