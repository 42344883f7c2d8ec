"""What cuRobo and Lula can say comes back as it was; what they cannot say stays in the XRDF that
they are read into."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editor_app.core.formats.exchange.conversion import Fate
from editor_app.core.formats.exchange.stated_values import brought_up_to_date
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import (
    AddFrame,
    CollisionSection,
    CollisionSphere,
    CSpace,
    FixedTransform,
    GeometryGroup,
    SelfCollisionSection,
    SetBaseFrame,
    Xrdf,
)
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.verbs.convert import ConvertOptions, convert
from editor_app.plugins.curobo.read import read_curobo
from editor_app.plugins.curobo.write import curobo_text
from editor_app.plugins.lula.codec import lula_text, read_lula
from tests.helpers.breadth import examples
from tests.helpers.small_robot import URDF_TEXT, XRDF_TEXT, small_robot

URDF = small_robot().urdf
STRUCTURE = KinematicGraph(URDF)
LINKS = [link.name for link in URDF.links]
JOINTS = STRUCTURE.movable(URDF.joints)
ADDED = ["tool", "yes", "a: b", "1e-04"]
numbers = st.floats(-2, 2, allow_nan=False).map(lambda v: v + 0.0)
positive = st.floats(0, 50, allow_nan=False)
turns = st.sampled_from([(1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (0.5, -0.5, 0.5, 0.5)])


@st.composite
def xrdfs(draw: st.DrawFn) -> Xrdf:
    """One geometry group, and everything else that there may be in a 1.0 file."""
    names = draw(st.lists(st.sampled_from(ADDED), unique=True, max_size=3))
    vector = st.tuples(numbers, numbers, numbers)
    modifiers = [
        AddFrame(
            n,
            draw(st.sampled_from(LINKS)),
            f"to {n}",
            FixedTransform(draw(vector), draw(turns)),
            "FIXED",
        )
        for n in names
    ]
    if draw(st.booleans()):
        modifiers.insert(0, SetBaseFrame(draw(st.sampled_from(LINKS))))  # type: ignore[arg-type]
    frames = st.sampled_from([*LINKS, *names])
    sphere = st.builds(CollisionSphere, vector, positive)
    spheres = draw(
        st.dictionaries(frames, st.lists(sphere, min_size=1, max_size=3).map(tuple), max_size=4)
    )
    buffers = (
        st.dictionaries(st.sampled_from(list(spheres)), numbers).map(FrozenDict)
        if spheres
        else st.none()
    )
    joints = tuple(draw(st.permutations(JOINTS))[: draw(st.integers(1, len(JOINTS)))])
    limits = st.lists(positive, min_size=len(joints), max_size=len(joints)).map(tuple)
    ignore = {}
    for frame in draw(st.lists(st.sampled_from(list(spheres)), unique=True)) if spheres else ():
        others = draw(st.lists(st.sampled_from(list(spheres)), unique=True, min_size=1))
        ignore[frame] = tuple(o for o in others if o != frame)
    return Xrdf(
        format="xrdf",
        format_version="1.0",
        modifiers=tuple(modifiers) or None,
        default_joint_positions=FrozenDict({j: draw(numbers) for j in JOINTS}),
        cspace=CSpace(joints, draw(limits), draw(limits)),
        tool_frames=tuple(draw(st.lists(frames, unique=True, min_size=1, max_size=3))),
        world_collision=CollisionSection("balls", draw(buffers)),
        self_collision=SelfCollisionSection(
            "balls", draw(buffers), FrozenDict({f: o for f, o in ignore.items() if o})
        ),
        geometry=(GeometryGroup("balls", FrozenDict(spheres)),),
    )


def meaning(xrdf: Xrdf) -> dict[str, object]:
    """What an XRDF says, whatever its group is called and whichever zeros are written."""
    spheres = xrdf.spheres_of(xrdf.world_group)
    base = next(
        (m.frame for m in xrdf.modifiers or () if isinstance(m, SetBaseFrame)), STRUCTURE.root
    )
    section = xrdf.self_collision
    return {
        "base": base,
        "frames": {m for m in xrdf.modifiers or () if isinstance(m, AddFrame)},
        "cspace": xrdf.cspace,
        "defaults": dict(xrdf.default_joint_positions or {}),
        "tools": xrdf.tool_frames,
        "spheres": {f: s for f, s in spheres.items() if s},
        "world": {
            f: xrdf.world_collision.buffer(f) if xrdf.world_collision else 0.0 for f in spheres
        },
        "self": {f: section.buffer(f) if section else 0.0 for f in spheres},
        "ignored": section.ignored_pairs() if section else frozenset(),
    }


def lost(entries: object) -> list[str]:
    return [str(e) for e in entries if e.fate is Fate.LOST]  # type: ignore[attr-defined]


@settings(max_examples=examples(60), deadline=None)
@given(xrdfs(), st.sampled_from(["1", "2"]))
def test_curobo_says_it_all_and_gives_it_back(xrdf: Xrdf, version: str) -> None:
    written = curobo_text(
        RobotDescription(URDF, xrdf), "robot.urdf", "1" if version == "1" else "2"
    )
    assert not lost(written.report.entries)
    read = read_curobo(SourceText.from_text(written.text), URDF)
    assert not lost(read.report.entries)
    assert meaning(read.xrdf) == meaning(xrdf)
    # Into the XRDF that it came from: nothing changes, not even a name.
    back = brought_up_to_date(xrdf, read, URDF).xrdf
    assert meaning(back) == meaning(xrdf)
    assert back.geometry == xrdf.geometry
    assert set(back.modifiers or ()) == set(xrdf.modifiers or ())


@settings(max_examples=examples(60), deadline=None)
@given(xrdfs())
def test_lula_gives_back_what_it_can_say_and_the_rest_stays(xrdf: Xrdf) -> None:
    written = lula_text(RobotDescription(URDF, xrdf))
    read = read_lula(SourceText.from_text(written.text), URDF)
    assert not lost(read.report.entries)
    restored, wanted = meaning(read.xrdf), meaning(xrdf)
    on_links = {f: s for f, s in xrdf.spheres_of("balls").items() if f in LINKS}
    for item in ("base", "cspace", "defaults"):
        assert restored[item] == wanted[item]
    assert restored["spheres"] == on_links
    told = " ".join(lost(written.report.entries))
    assert ("added frames" in told) == (len(on_links) < len(xrdf.spheres_of("balls")))
    if len(on_links) == len(xrdf.spheres_of("balls")):
        same = brought_up_to_date(xrdf, read, URDF)
        # Of a file without spheres nothing is known of them.
        assert meaning(same.xrdf) == wanted
        kept = {e.item for e in same.report.entries if e.fate is Fate.KEPT}
        assert "tool_frames of the XRDF" in kept


def test_a_lula_file_brings_an_open_xrdf_up_to_date(tmp_path: Path) -> None:
    (tmp_path / "small.urdf").write_text(URDF_TEXT)
    (tmp_path / "small.xrdf").write_text(XRDF_TEXT)
    (tmp_path / "new.yaml").write_text(
        "api_version: 1.0\ncspace: [j2, j1]\nroot_link: base\ndefault_q: [0.25, -0.5]\n"
        "cspace_to_urdf_rules:\n  - {name: slide_a, rule: fixed, default: 0.02}\n"
        "collision_spheres:\n  - hand:\n    - center: [0, 0, 0.5]\n      radius: 0.125\n"
    )
    paths = [tmp_path / n for n in ("small.urdf", "small.xrdf", "new.yaml")]
    before = small_robot().xrdf
    target = tmp_path / "small.xrdf"
    existing = SourceText.read(target) if target.is_file() else None
    conversion = convert(paths, target, ConvertOptions.of(to="xrdf"), existing=existing)
    text = conversion.files[0][1].decode()
    after = read_xrdf(SourceText.from_text(text)).value
    assert after.cspace is not None
    assert before.cspace is not None
    assert after.cspace.joint_names == ("j2", "j1")
    accelerations = dict(
        zip(before.cspace.joint_names or (), before.cspace.acceleration_limits or (), strict=True)
    )
    assert after.cspace.acceleration_limits == (accelerations["j2"], accelerations["j1"]), (
        "the file has none: those that are there stay"
    )
    told = [str(e) for r in conversion.reports for e in r.entries]
    assert not any("placeholder" in entry for entry in told)
    assert after.default_joint_positions is not None
    assert dict(after.default_joint_positions) == {"j1": -0.5, "j2": 0.25, "slide_a": 0.02}
    assert after.tool_frames == before.tool_frames
    assert after.self_collision is not None
    assert before.self_collision is not None
    assert after.self_collision.ignore == before.self_collision.ignore
    assert after.spheres_of(after.world_group) == FrozenDict(
        {"hand": (CollisionSphere((0.0, 0.0, 0.5), 0.125),)}
    )
    comments = [line for line in XRDF_TEXT.splitlines() if line.startswith("#")]
    assert all(line in text for line in comments)


BROKEN = [
    ("lock_joints: [slide_a]", "lock_joints"),
    ("lock_joints: {slide_a: open}", "slide_a"),
    ("cspace: [j1]", "cspace"),
    ("base_link: [base]", "base_link"),
    ("extra_links: [tool]", "extra_links"),
    ("collision_spheres: 7", "collision_spheres"),
    ("collision_spheres: [1, 2]", "collision_spheres"),
    ("collision_spheres: {hand: [{center: [0, 0], radius: 1}]}", "collision_spheres.hand"),
    ("collision_sphere_buffer: wide", "collision_sphere_buffer"),
    ("self_collision_buffer: {hand: wide}", "hand"),
    ("self_collision_ignore: [[hand, base]]", "self_collision_ignore"),
    ("self_collision_ignore: {hand: 7}", "self_collision_ignore.hand"),
    ("something_new: 3", "something_new"),
]


@pytest.mark.parametrize(("line", "item"), BROKEN, ids=[line for line, _ in BROKEN])
def test_what_cannot_be_read_of_curobo_is_reported(line: str, item: str) -> None:
    text = f"kinematics:\n  tool_frames: [hand]\n  {line}\n"
    assert item in " ".join(lost(read_curobo(SourceText.from_text(text), URDF).report.entries))


BROKEN_LULA = [
    ("default_q: [1]", "default_q"),
    ("acceleration_limits: [1, 2, 3]", "acceleration_limits"),
    ("root_link: [a]", "root_link"),
    ("cspace_to_urdf_rules: fixed", "cspace_to_urdf_rules"),
    ("cspace_to_urdf_rules: [{name: slide_a, rule: mimic, value: 1}]", "slide_a"),
    ("collision_spheres: {hand: ball}", "collision_spheres.hand"),
    ("composite_task_spaces: [x]", "composite_task_spaces"),
]


@pytest.mark.parametrize(("line", "item"), BROKEN_LULA, ids=[line for line, _ in BROKEN_LULA])
def test_what_cannot_be_read_of_lula_is_reported(line: str, item: str) -> None:
    rest = "" if line.startswith("default_q") else "default_q: [0, 0]\n"
    text = f"cspace: [j1, j2]\n{rest}{line}\n"
    assert item in " ".join(lost(read_lula(SourceText.from_text(text), URDF).report.entries))


def test_names_that_the_urdf_does_not_have_are_named() -> None:
    text = (
        "kinematics:\n  collision_spheres: {hnad: [{center: [0, 0, 0], radius: 1}]}\n  cspace: "
        "{joint_names: [j9]}\n"
    )
    told = " ".join(map(str, read_curobo(SourceText.from_text(text), URDF).report.entries))
    assert "no such link: hnad" in told
    assert "no such joint: j9" in told


def test_malformed_files_have_a_place_and_two_configurations_are_refused(tmp_path: Path) -> None:
    (tmp_path / "small.urdf").write_text(URDF_TEXT)
    bad = tmp_path / "bad.yml"
    bad.write_text("kinematics:\n  base_link: base\n   cspace: {joint_names: [j1\n")
    with pytest.raises(FormatError) as error:
        convert([tmp_path / "small.urdf", bad], tmp_path / "out.xrdf", ConvertOptions.of(to="xrdf"))
    assert str(error.value).startswith(f"{bad}:3:")
    for name in ("a.yml", "b.yml"):
        (tmp_path / name).write_text("kinematics: {base_link: base}\n")
    with pytest.raises(FormatError, match="two files of cuRobo or Lula"):
        convert(
            [tmp_path / n for n in ("small.urdf", "a.yml", "b.yml")],
            tmp_path / "out.xrdf",
            ConvertOptions.of(to="xrdf"),
        )


def test_two_groups_become_one_aloud() -> None:
    xrdf = small_robot().xrdf
    two = replace(xrdf, format_version="2.0", geometry=(GeometryGroup("w"), GeometryGroup("s")))
    two = replace(
        two, world_collision=CollisionSection("w"), self_collision=SelfCollisionSection("s")
    )
    text = "kinematics:\n  collision_spheres: {hand: [{center: [0, 0, 0], radius: 1}]}\n"
    made = brought_up_to_date(two, read_curobo(SourceText.from_text(text), URDF), URDF)
    assert (made.xrdf.world_group, made.xrdf.self_group) == ("w", "w")
    assert any("one set of spheres" in e.detail for e in made.report.entries)
    assert made.xrdf.format_version == "2.0"
