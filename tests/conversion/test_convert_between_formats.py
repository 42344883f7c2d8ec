"""Conversions keep what both formats can say, and report the rest; nothing is overwritten
unasked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editor_app.cli import run_command
from editor_app.core.formats.exchange.conversion import Fate
from editor_app.core.formats.exchange.srdf_to_xrdf import fit_buffers, to_xrdf
from editor_app.core.formats.exchange.xrdf_to_srdf import to_srdf
from editor_app.core.formats.registry import recognise_format
from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.formats.xrdf.mask_reasons import read_reasons
from editor_app.core.formats.xrdf.write import xrdf_text
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.srdf import CollisionMargins, PairMargin
from editor_app.core.model.urdf import Ball
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.verbs.convert import ConvertOptions, NeedsChoice, convert
from editor_app.plugins.curobo.read import read_curobo
from editor_app.plugins.curobo.write import curobo_text
from editor_app.plugins.lula.codec import lula_text, read_lula
from tests.helpers.breadth import examples
from tests.helpers.robots import sample_urdf, shared_robots


def sample() -> RobotDescription:
    urdf = read_urdf(SourceText.read(sample_urdf())).value
    return RobotDescription(
        urdf, read_xrdf(SourceText.read(sample_urdf().with_suffix(".xrdf"))).value
    )


def test_reasons_survive_the_way_through_an_xrdf() -> None:
    urdf = read_urdf(SourceText.read(sample_urdf())).value
    srdf = read_srdf(SourceText.read(sample_urdf().with_suffix(".srdf"))).value
    made = to_xrdf(srdf, urdf)
    text = xrdf_text(made.xrdf, made.reasons)
    again = read_xrdf(SourceText.from_text(text))
    assert again.value == made.xrdf
    back = to_srdf(RobotDescription(urdf, again.value), read_reasons(again)).srdf
    want = {LinkPair.of(p.link1, p.link2): p.reason for p in srdf.disabled_pairs}
    assert {LinkPair.of(p.link1, p.link2): p.reason for p in back.disabled_pairs} == want
    assert len(back.disabled_pairs) == len(want)


def test_pairs_without_a_reason_are_adjacent_only_where_a_joint_connects_them() -> None:
    robot = sample()
    pairs = to_srdf(robot).srdf.disabled_pairs
    joined = {LinkPair.of(j.parent, j.child) for j in robot.urdf.joints}
    assert {
        LinkPair.of(p.link1, p.link2) for p in pairs
    } == robot.xrdf.self_collision.ignored_pairs()  # type: ignore[union-attr]
    assert all((p.reason == "Adjacent") == (LinkPair.of(p.link1, p.link2) in joined) for p in pairs)


def test_an_srdf_that_is_there_is_only_brought_up_to_date(tmp_path: Path) -> None:
    robot = sample()
    original = sample_urdf().with_suffix(".srdf").read_text()
    target = tmp_path / "heron.srdf"
    target.write_text(original)
    names = [str(sample_urdf()), str(sample_urdf().with_suffix(".xrdf")), str(target)]
    assert run_command("convert", [*names, "--update"]) == 0
    written = read_srdf(SourceText.read(target)).value
    before = read_srdf(SourceText.from_text(original)).value
    assert written.disabled() == robot.xrdf.self_collision.ignored_pairs()  # type: ignore[union-attr]
    assert (written.groups, written.end_effectors, written.passive_joints) == (
        before.groups,
        before.end_effectors,
        before.passive_joints,
    )
    kept = {(p.link1, p.link2): p.reason for p in written.disabled_pairs}
    assert all(kept.get((p.link1, p.link2), p.reason) == p.reason for p in before.disabled_pairs)
    assert original.splitlines()[1] in target.read_text()


def test_several_groups_demand_a_choice() -> None:
    folder = shared_robots() / "panda"
    urdf = next(folder.rglob("panda.urdf"))
    with pytest.raises(NeedsChoice, match="panda_arm"):
        convert([urdf, folder / "panda.srdf"], Path("x.xrdf"), ConvertOptions.of(group="nonsense"))
    conversion = convert(
        [urdf, folder / "panda.srdf"],
        Path("x.xrdf"),
        ConvertOptions.of(group="panda_arm", state="transport"),
    )
    xrdf = read_xrdf(SourceText.from_bytes(conversion.files[0][1])).value
    assert xrdf.cspace is not None
    assert xrdf.cspace.joint_names == tuple(f"panda_joint{i}" for i in range(1, 8))
    assert xrdf.default_joint_positions is not None
    assert xrdf.default_joint_positions["panda_joint2"] == -0.5599


@settings(max_examples=examples(40), deadline=None)
@given(st.dictionaries(st.sampled_from("abcdefg"), st.floats(-0.1, 0.1), min_size=3))
def test_margins_that_are_sums_of_buffers_give_the_buffers_back(buffers: dict[str, float]) -> None:
    names = list(buffers)
    pairs = [
        PairMargin(a, b, buffers[a] + buffers[b])
        for i, a in enumerate(names)
        for b in names[i + 1 :]
    ]
    fitted, residual = fit_buffers(CollisionMargins(0.0, tuple(pairs)), tuple(names))
    assert residual < 1e-9
    assert all(abs(fitted.get(n, 0.0) - buffers[n]) < 1e-9 for n in names)


def test_margins_that_are_no_sums_say_how_far_off_the_buffers_are() -> None:
    fitted, residual = fit_buffers(
        CollisionMargins(0.0, (PairMargin("a", "b", 0.1),)), ("a", "b", "c", "d")
    )
    worst = max(
        abs(fitted.get("a", 0) + fitted.get("b", 0) - 0.1),
        abs(fitted.get("a", 0) + fitted.get("c", 0)),
    )
    assert residual == pytest.approx(worst, abs=1e-9)
    assert residual > 0.01


@pytest.mark.parametrize("version", ["1", "2"])
def test_curobo_and_back_gives_the_same_robot(version: str) -> None:
    robot = sample()
    text = curobo_text(robot, "heron.urdf", version)  # type: ignore[arg-type]
    back = read_curobo(SourceText.from_text(text.text), robot.urdf).xrdf
    ours, theirs = robot.xrdf, back
    assert theirs.cspace == ours.cspace
    assert theirs.tool_frames == ours.tool_frames
    assert theirs.default_joint_positions is not None
    assert all(
        theirs.default_joint_positions[n] == v
        for n, v in (ours.default_joint_positions or {}).items()
    )
    filled = {f: s for f, s in ours.spheres_of(ours.world_group).items() if s}
    assert dict(theirs.spheres_of(theirs.world_group)) == filled
    for frame, spheres in filled.items():
        assert [theirs.self_radius(frame, s) for s in spheres] == [
            ours.self_radius(frame, s) for s in spheres
        ]
        assert [theirs.world_radius(frame, s) for s in spheres] == [
            ours.world_radius(frame, s) for s in spheres
        ]
    expressible = {
        p
        for p in ours.self_collision.ignored_pairs()  # type: ignore[union-attr]
        if p.first in filled and p.second in filled
    }
    assert theirs.self_collision.ignored_pairs() == expressible  # type: ignore[union-attr]


def test_curobos_own_file_means_what_its_xrdf_means() -> None:
    folder = shared_robots() / "ur10e"
    urdf = read_urdf(SourceText.read(folder / "ur10e.urdf")).value
    made = read_curobo(SourceText.read(folder / "ur10e.curobo.yml"), urdf)
    assert made.xrdf.cspace is not None
    assert made.xrdf.cspace.acceleration_limits == (12.0,) * 6
    assert made.xrdf.default_joint_positions is not None
    assert made.xrdf.default_joint_positions["shoulder_lift_joint"] == -2.2
    assert "camera_mount" not in made.xrdf.spheres_of("collision_model")
    assert any(e.fate == Fate.LOST and "camera_mount" in e.detail for e in made.report.entries)


def test_locked_joints_leave_the_c_space_and_keep_their_place() -> None:
    folder = shared_robots() / "simple_mimic"
    made = read_curobo(SourceText.read(folder / "simple_mimic_robot.curobo.yml")).xrdf
    assert made.cspace is not None
    assert made.cspace.joint_names == ("active_joint_2",)
    assert made.default_joint_positions == {"chain_1_active_joint_1": 0.2, "active_joint_2": 0.0}


def test_spheres_in_a_file_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "spheres").mkdir()
    (tmp_path / "spheres/r.yml").write_text(
        "collision_spheres:\n  a:\n  - {center: [0, 0, 1.5e-2], radius: 1e-2}\n"
    )
    config = tmp_path / "r.yml"
    config.write_text(
        "kinematics:\n  base_link: a\n  collision_spheres: spheres/r.yml\n  cspace: {joint_names: "
        "[j]}\n"
    )
    assert recognise_format(config).name == "curobo"
    made = read_curobo(SourceText.read(config)).xrdf
    assert [s.radius for s in made.spheres_of("collision_model")["a"]] == [0.01]


def test_lula_and_back_gives_the_same_robot() -> None:
    robot = sample()
    back = read_lula(SourceText.from_text(lula_text(robot).text), robot.urdf).xrdf
    assert back.cspace == robot.xrdf.cspace
    filled = {f: s for f, s in robot.xrdf.spheres_of(robot.xrdf.world_group).items() if s}
    assert dict(back.spheres_of(back.world_group)) == filled
    for name in robot.xrdf.cspace.joint_names or ():  # type: ignore[union-attr]
        assert back.default_joint_positions[name] == robot.xrdf.default_joint_positions[name]  # type: ignore[index]


SPHERE_FILES = {
    "bubblify.yml": "collision_spheres:\n  base_link:\n  - center:\n    - 0.1\n    - 0\n    - 0\n    radius: 0.05\n"
    "metadata:\n  total_spheres: 1\n",
    "ballpark.json": json.dumps(
        {
            "spheres": {"base_link": {"centers": [[0.1, 0, 0]], "radii": [0.05]}},
            "ignore_pairs": [["base_link", "shoulder_link"]],
        }
    ),
    "base_link-spheres.json": json.dumps(
        [{"spheres": [{"origin": [0.1, 0, 0], "radius": 0.05}], "mean_error": 0.1}]
    ),
}


@pytest.mark.parametrize("name", SPHERE_FILES)
def test_lists_of_spheres_of_other_tools(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(SPHERE_FILES[name])
    made = convert([sample_urdf(), path], tmp_path / "out.xrdf")
    xrdf = read_xrdf(SourceText.from_bytes(made.files[0][1])).value
    spheres = xrdf.spheres_of(xrdf.world_group)["base_link"]
    assert [(s.center, s.radius) for s in spheres] == [((0.1, 0.0, 0.0), 0.05)]
    if name == "ballpark.json":
        assert LinkPair.of("base_link", "shoulder_link") in xrdf.self_collision.ignored_pairs()  # type: ignore[union-attr]


def test_a_nameless_list_needs_its_link(tmp_path: Path) -> None:
    path = tmp_path / "mesh.json"
    path.write_text(SPHERE_FILES["base_link-spheres.json"])
    with pytest.raises(FormatError, match="does not name the link"):
        convert([sample_urdf(), path], tmp_path / "out.xrdf")
    made = convert(
        [sample_urdf(), path], tmp_path / "out.xrdf", ConvertOptions.of(link="flange_link")
    )
    xrdf = read_xrdf(SourceText.from_bytes(made.files[0][1])).value
    assert "flange_link" in xrdf.spheres_of(xrdf.world_group)


def test_a_urdf_with_spheres_differs_in_its_collision_geometry_alone(tmp_path: Path) -> None:
    robot = sample()
    files = [sample_urdf(), sample_urdf().with_suffix(".xrdf")]
    made = convert(files, tmp_path / "out.urdf", ConvertOptions(to="spheres-urdf"))
    before, after = robot.urdf, read_urdf(SourceText.from_bytes(made.files[0][1])).value
    assert replace(
        after, links=tuple(replace(link, collisions=()) for link in after.links)
    ) == replace(before, links=tuple(replace(link, collisions=()) for link in before.links))
    for link in after.links:
        balls = [
            (c.origin.xyz, c.geometry.radius)
            for c in link.collisions
            if isinstance(c.geometry, Ball)
        ]
        wanted = robot.xrdf.spheres_of(robot.xrdf.world_group).get(link.name, ())
        assert balls == [(s.center, s.radius) for s in wanted if s.radius > 0]
        assert len(balls) == len(link.collisions)


def test_the_name_of_a_urdf_asks_for_the_urdf_as_it_is(tmp_path: Path) -> None:
    made = convert([sample_urdf(), sample_urdf().with_suffix(".xrdf")], tmp_path / "out.urdf")
    assert read_urdf(SourceText.from_bytes(made.files[0][1])).value == sample().urdf
    kept = [entry for report in made.reports for entry in report.entries if entry.fate is Fate.KEPT]
    assert [(entry.item, "--to spheres-urdf" in entry.detail) for entry in kept] == [
        ("the XRDF", True)
    ]


def test_the_command_reports_as_json_and_overwrites_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = [str(sample_urdf()), str(sample_urdf().with_suffix(".xrdf"))]
    target = tmp_path / "out.curobo.yml"
    assert run_command("convert", [*names, str(target), "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().err)
    assert {e["fate"] for c in report["conversions"] for e in c["entries"]} <= {
        str(f) for f in Fate
    }
    assert report["files"] == [str(target)]
    before = target.read_bytes()
    assert run_command("convert", [*names, str(target)]) == 2
    assert "--force" in capsys.readouterr().err
    assert target.read_bytes() == before
    assert run_command("convert", [*names, names[0]]) == 2


def test_options_may_stand_between_files(tmp_path: Path) -> None:
    names = [str(sample_urdf()), str(sample_urdf().with_suffix(".xrdf"))]
    files = [tmp_path / name for name in ("first.yml", "between.yml", "last.yml", "-dashed.yml")]
    to = ["--to", "curobo"]
    assert run_command("convert", [*to, *names, str(files[0])]) == 0
    assert run_command("convert", [*names, *to, str(files[1])]) == 0
    assert run_command("convert", [names[0], *to, names[1], str(files[2])]) == 0
    assert run_command("convert", [*to, "--", *names, str(files[3])]) == 0
    assert len({file.read_bytes() for file in files}) == 1


def test_xacro_runs_only_when_allowed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    package = tmp_path / "parts_description"
    package.mkdir()
    (package / "package.xml").write_text("<package><name>parts_description</name></package>")
    (package / "part.xacro").write_text(
        '<robot xmlns:xacro="http://ros.org/wiki/xacro"><xacro:macro name="part" params="n">'
        '<link name="part_${n}"/></xacro:macro></robot>'
    )
    path = tmp_path / "r.urdf.xacro"
    path.write_text(
        '<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro"><xacro:arg name="size" '
        'default="1"/>'
        '<xacro:include filename="$(find parts_description)/part.xacro"/><xacro:part n="${1 + 1}"/>'
        '<link name="size_$(arg size)"/><joint name="j" type="fixed"><parent link="part_2"/>'
        '<child link="size_$(arg size)"/></joint></robot>'
    )
    target = tmp_path / "out.urdf"
    assert run_command("convert", [str(path), str(target)]) == 2
    assert "xacro" in capsys.readouterr().err
    assert not target.exists()
    assert (
        run_command("convert", [str(path), str(target), "--allow-xacro", "--xacro-arg", "size:=7"])
        == 0
    )
    urdf = read_urdf(SourceText.read(target)).value
    assert [link.name for link in urdf.links] == ["part_2", "size_7"]
    capsys.readouterr()
    path.write_text(path.read_text().replace("parts_description", "nowhere_to_be_found"))
    assert run_command("convert", [str(path), str(tmp_path / "o2.urdf"), "--allow-xacro"]) == 2
    assert "nowhere_to_be_found" in capsys.readouterr().err


def test_a_version_can_be_changed_without_the_urdf_and_in_place(tmp_path: Path) -> None:
    path = tmp_path / "heron.xrdf"
    path.write_bytes(sample_urdf().with_suffix(".xrdf").read_bytes())
    before = read_xrdf(SourceText.read(path)).value
    assert (
        run_command("convert", [str(path), str(tmp_path / "two.xrdf"), "--xrdf-version", "2.0"])
        == 0
    )
    assert read_xrdf(SourceText.read(tmp_path / "two.xrdf")).value.format_version == "2.0"
    assert run_command("convert", [str(path), str(path), "--update", "--xrdf-version", "2.0"]) == 0
    after = read_xrdf(SourceText.read(path)).value
    assert (after.format_version, after.geometry) == ("2.0", before.geometry)


def test_spheres_as_a_urdf_come_back_from_it(tmp_path: Path) -> None:
    spheres = tmp_path / "spheres.urdf"
    xrdf = sample_urdf().with_suffix(".xrdf")
    assert (
        run_command(
            "convert", [str(sample_urdf()), str(xrdf), str(spheres), "--to", "spheres-urdf"]
        )
        == 0
    )
    target = tmp_path / "again.xrdf"
    assert run_command("convert", [str(sample_urdf()), str(spheres), str(target)]) == 0
    want, got = sample().xrdf, read_xrdf(SourceText.read(target)).value
    filled = {f: s for f, s in want.spheres_of(want.world_group).items() if s}
    assert dict(got.spheres_of(got.world_group)) == filled
    assert (
        run_command("convert", [str(sample_urdf()), str(sample_urdf()), str(tmp_path / "x.xrdf")])
        == 2
    )
