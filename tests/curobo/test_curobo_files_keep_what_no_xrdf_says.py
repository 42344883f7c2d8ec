"""A cuRobo file that goes in and out keeps every byte that no edit is about; what was edited is
changed in its text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from editor_app.core.formats.exchange.conversion import Fate
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import CollisionSphere, SetBaseFrame, Xrdf
from editor_app.core.text.source import SourceText
from editor_app.core.text.yaml.plain import load_plain
from editor_app.core.verbs.convert import ConvertOptions, convert
from editor_app.plugins.curobo.read import read_curobo
from editor_app.plugins.curobo.write import (
    ASIDE,
    ONLY_IN_2,
    TRANSLATED,
    Aside,
    Version,
    curobo_patched,
    curobo_text,
)
from tests.curobo.test_curobo_and_lula_come_back import meaning, xrdfs
from tests.helpers.breadth import examples
from tests.helpers.curobo import curobo, published_robots
from tests.helpers.small_robot import URDF_TEXT, small_robot

URDF = small_robot().urdf
URDF_PATH = "small.urdf"
REST = """
    # What follows no XRDF has a place for.
    mesh_link_names: [base, "hand"]   # drawn
    use_global_cumul: True
    load_meshes: false
    add_object_link: no
    debug: {a: ~, b: [1.50, 2e-3]}
    extra_collision_spheres: {attached_object: 4, other_object: 2}
    of_a_later_version: &later {x: 1}
    again: *later
"""
ONLY_2 = '    grasp_contact_link_names: ["hand"]\n    format_version: 2.0\n    num_envs: 1\n'
ONLY_1 = (
    "    usd_path: robot.usd\n    usd_flip_joints: [j1]\n    usd_flip_joints: {j1: Z}\n    "
    "use_usd_kinematics: False\n"
)
WEIGHTS = (
    "      # weights of the planner\n      velocity_scale: 0.5\n      position_limit_clip: 0.1\n"
)


def file_of(xrdf: Xrdf, version: str) -> str:
    """A file as cuRobo's users have it: comments, one number for all joints, names beyond those
    with spheres."""
    text = curobo_text(RobotDescription(URDF, xrdf), URDF_PATH, "1" if version == "1" else "2").text
    assert "    cspace:\n" in text
    text = text.replace("    cspace:\n", f"    cspace:\n{WEIGHTS}", 1)
    return (
        "# my robot\n"
        + text
        + REST
        + (ONLY_1 if version == "1" else ONLY_2)
        + "  # the end, without a line break"
    )


def patched(text: str, xrdf: Xrdf, version: str) -> tuple[SourceText, Any]:
    source = SourceText.from_text(text)
    aside = read_curobo(source, URDF).aside
    assert isinstance(aside, Aside)
    chosen: Version = "1" if version == "1" else "2"
    written, report, _ = curobo_patched(
        aside, RobotDescription(URDF, xrdf), URDF_PATH, chosen, "", inline=True
    )
    return written, report


@settings(max_examples=examples(40), deadline=None)
@given(xrdfs(), st.sampled_from(["1", "2"]))
def test_what_goes_in_comes_out_to_the_byte(xrdf: Xrdf, version: str) -> None:
    text = file_of(xrdf, version)
    read = read_curobo(SourceText.from_text(text), URDF)
    assert patched(text, read.xrdf, version)[0].text == text


@settings(max_examples=examples(60), deadline=None)
@given(xrdfs(), xrdfs(), st.sampled_from(["1", "2"]), st.sampled_from(["1", "2"]))
def test_an_edited_robot_is_in_the_text_and_all_else_stays(
    old: Xrdf, new: Xrdf, was: str, now: str
) -> None:
    text = file_of(old, was)
    written, report = patched(text, new, now)
    assert meaning(read_curobo(written, URDF).xrdf) == meaning(new)
    before, after = (
        load_plain(s)["robot_cfg"]["kinematics"] for s in (SourceText.from_text(text), written)
    )
    only = {
        key
        for key, versions in (*ASIDE.items(), (ONLY_IN_2, "2"))
        if was != now and versions == was
    }
    for key in [key for key in before if key not in TRANSLATED and key not in only]:
        assert after[key] == before[key]
    assert after["extra_collision_spheres"] == {"attached_object": 4, "other_object": 2}
    assert (after["cspace"]["velocity_scale"], after["cspace"]["position_limit_clip"]) == (0.5, 0.1)
    assert not only & set(after)
    told = {entry.item for entry in report.entries if entry.fate is Fate.LOST}
    assert told == {key for key in only & set(before) if before[key] is not False}
    assert written.text.startswith("# my robot\n")
    assert "  # the end, without a line break" in written.text
    assert written.text.count("# weights of the planner") == 1


ARM = """robot_cfg:
  kinematics:
    urdf_path: small.urdf
    asset_root_path: ""
    base_link: base
    tool_frames: [hand]
    collision_link_names: [hand, 'attached_object']  # in this order
    collision_spheres:
      hand:
        - {center: [0.0, 0.0, 0.10], radius: 0.050}
        - "center": [0.0, 0.0, 0.20]
          "radius": 0.05
      link1: [{center: [0, 0, 0], radius: 1}]  # takes no part
    collision_sphere_buffer: 0.0040
    extra_collision_spheres: {attached_object: 4}
    self_collision_ignore: {hand: [link1, attached_object], no_such_link: [base]}
    self_collision_buffer: {attached_object: 0.0, hand: 0.01}
    lock_joints: {slide_a: 0.0200}
    extra_links: {held: {parent_link_name: hand, link_name: attached_object, fixed_transform: [0,0,0,1,0,0,0],
      joint_type: FIXED, joint_name: attach}}
    cspace:
      joint_names: [j1, j2, slide_a]
      retract: ~
      default_joint_position: [0.0, 0.5, 0.04]
      null_space_weight: [1, 2, 3]
      max_acceleration: 15.0
      max_jerk: [500.0, 400.0, 300.0]
  load_dynamics: false
"""


def of_arm() -> tuple[Xrdf, str]:
    read = read_curobo(SourceText.from_text(ARM), URDF)
    return read.xrdf, ARM


def with_spheres(xrdf: Xrdf, frame: str, *spheres: CollisionSphere) -> Xrdf:
    group = xrdf.group(xrdf.world_group or "")
    assert group is not None
    return xrdf.with_group(group.with_spheres(frame, spheres))


def test_one_edit_changes_its_own_lines() -> None:
    xrdf, text = of_arm()
    spheres = list(xrdf.spheres_of(xrdf.world_group)["hand"])
    spheres[1] = replace(spheres[1], radius=0.06)
    edited = patched(text, with_spheres(xrdf, "hand", *spheres), "2")[0].text
    assert edited == text.replace('"radius": 0.05\n', '"radius": 0.06\n')

    section = xrdf.self_collision
    assert section is not None
    freed = replace(
        section, ignore=FrozenDict({**(section.ignore or {}), "hand": ("attached_object", "base")})
    )
    edited = patched(text, replace(xrdf, self_collision=freed), "2")[0].text
    assert edited == text.replace(
        "{hand: [link1, attached_object],", "{hand: [attached_object, base],"
    )

    assert xrdf.cspace is not None
    shorter = replace(
        xrdf,
        cspace=replace(
            xrdf.cspace, joint_names=("j2",), acceleration_limits=(15.0,), jerk_limits=(400.0,)
        ),
    )
    cspace = load_plain(patched(text, shorter, "2")[0])["robot_cfg"]["kinematics"]["cspace"]
    assert cspace["joint_names"] == ["j2", "j1", "slide_a"]
    assert cspace["null_space_weight"] == [2, 1, 3]


def test_links_that_get_or_lose_their_spheres_leave_the_slots_alone() -> None:
    xrdf, text = of_arm()
    ball = CollisionSphere((0.0, 0.0, 0.0), 0.1)
    more = with_spheres(with_spheres(xrdf, "link2", ball), "hand")
    kinematics = load_plain(patched(text, more, "2")[0])["robot_cfg"]["kinematics"]
    assert kinematics["collision_link_names"] == ["attached_object", "link2"]
    assert list(kinematics["collision_spheres"]) == ["link1", "link2"]
    assert kinematics["extra_collision_spheres"] == {"attached_object": 4}
    assert kinematics["self_collision_ignore"]["no_such_link"] == ["base"]


def test_a_file_that_is_brought_up_to_date_keeps_its_text(tmp_path: Path) -> None:
    (tmp_path / "small.urdf").write_text(URDF_TEXT)
    out = tmp_path / "small.curobo.yml"
    out.write_text(ARM)
    same = convert(
        [tmp_path / "small.urdf", out], out, ConvertOptions(), existing=SourceText.read(out)
    )
    assert same.files[0][1] == ARM.encode()
    assert all(report.is_lossless for report in same.reports)


def test_spheres_of_another_file_stay_there_or_come_along(tmp_path: Path) -> None:
    (tmp_path / "spheres").mkdir()
    (tmp_path / "small.urdf").write_text(URDF_TEXT)
    balls = (
        "collision_spheres:\n  hand: [{center: [0, 0, 1], radius: 0.5}]\n  link1: [{center: [0, 0, "
        "0], radius: 1}]\n"
    )
    (tmp_path / "spheres" / "small.yml").write_text(balls)
    start, end = ARM.index("    collision_spheres:"), ARM.index("    collision_sphere_buffer")
    text = ARM[:start] + "    collision_spheres: spheres/small.yml\n" + ARM[end:]
    file = tmp_path / "small.yml"
    file.write_text(text)
    beside = convert([tmp_path / "small.urdf", file], tmp_path / "out.curobo.yml")
    assert beside.files[0][1] == text.encode()
    away = convert([tmp_path / "small.urdf", file], tmp_path / "sub" / "out.curobo.yml")
    spheres = load_plain(SourceText.from_bytes(away.files[0][1]))["robot_cfg"]["kinematics"][
        "collision_spheres"
    ]
    assert spheres == load_plain(SourceText.from_text(balls))["collision_spheres"]


FLOATING = """kinematics:
  urdf_path: small.urdf
  base_link: world_of_curobo
  tool_frames: [hand, on_x]
  collision_link_names: [hand, x]
  collision_spheres: {hand: [{center: [0, 0, 0], radius: 1}], x: [{center: [0, 0, 0], radius: 1}]}
  self_collision_ignore: {x: [hand, base], hand: [x, base]}
  lock_joints: {to_y: 0.1}
  extra_links:
    x: {parent_link_name: world_of_curobo, link_name: x, joint_name: to_x, joint_type: X_PRISM, joint_limits: [-1, 1],
      fixed_transform: [0, 0, 0, 1, 0, 0, 0]}
    y: {parent_link_name: x, child_link_name: base, link_name: y, joint_name: to_y, joint_type: Y_PRISM,
      joint_limits: [-1, 1], fixed_transform: [0, 0, 0, 1, 0, 0, 0]}
    on_x: {parent_link_name: x, link_name: on_x, joint_name: to_on_x, joint_type: FIXED,
      fixed_transform: [0, 0, 0, 1, 0, 0, 0]}
  cspace:
    joint_names: [to_x, to_y, j2, j1]
    default_joint_position: [0.5, 0, 1, 2]
    max_acceleration: [7, 8, 9, 10]
    max_jerk: 500
"""


def test_what_hangs_on_links_that_an_xrdf_cannot_say_goes_with_them_and_comes_back() -> None:
    read = read_curobo(SourceText.from_text(FLOATING), URDF)
    xrdf = read.xrdf
    assert not any(isinstance(m, SetBaseFrame) for m in xrdf.modifiers or ())
    assert xrdf.modifiers is None
    assert xrdf.cspace is not None
    assert (xrdf.cspace.joint_names, xrdf.cspace.acceleration_limits) == (("j2", "j1"), (9, 10))
    assert set(xrdf.default_joint_positions or ()) == {"j2", "j1"}
    assert xrdf.tool_frames == ("hand",)
    assert set(xrdf.spheres_of(xrdf.world_group)) == {"hand"}
    assert xrdf.self_collision is not None
    assert dict(xrdf.self_collision.ignore or {}) == {"hand": ("base",)}
    told = {e.item for e in read.report.entries if e.fate is Fate.LOST}
    assert told >= {
        "base_link",
        "cspace.joint_names",
        "lock_joints",
        "tool_frames",
        "extra_links.on_x",
    }
    assert patched(FLOATING, xrdf, "2")[0].text == FLOATING
    # The joints that only the file has come after the others, with their numbers.
    turned = replace(
        xrdf, cspace=replace(xrdf.cspace, joint_names=("j1", "j2"), acceleration_limits=(10.0, 9.0))
    )
    cspace = load_plain(patched(FLOATING, turned, "2")[0])["kinematics"]["cspace"]
    assert cspace["joint_names"] == ["j1", "j2", "slide_a", "to_x", "to_y"]
    assert cspace["max_acceleration"] == [10, 9, 10, 7, 8]
    assert cspace["max_jerk"] == 500
    # One number of a file that lists its joints in another order.
    faster = replace(xrdf, cspace=replace(xrdf.cspace, acceleration_limits=(9.0, 11.0)))
    assert patched(FLOATING, faster, "2")[0].text == FLOATING.replace(
        "[7, 8, 9, 10]", "[7, 8, 9, 11.0]"
    )


#: The fields of the loaders of cuRobo 0.7.7 and of its version 2, as they are published, less what
#: programs pass.
FIELDS = {
    "1": "base_link ee_link link_names collision_link_names collision_spheres collision_sphere_buffer compute_jacobian "
    "self_collision_buffer self_collision_ignore debug use_global_cumul asset_root_path "
    "mesh_link_names "
    "load_link_names_with_mesh urdf_path usd_path usd_robot_root isaac_usd_path use_usd_kinematics "
    "usd_flip_joints "
    "usd_flip_joint_limits lock_joints extra_links add_object_link use_external_assets "
    "external_asset_path "
    "external_robot_configs_path extra_collision_spheres cspace load_meshes",
    "2": "base_link tool_frames collision_link_names collision_spheres collision_sphere_buffer self_collision_buffer "
    "self_collision_ignore debug asset_root_path mesh_link_names grasp_contact_link_names "
    "load_tool_frames_with_mesh "
    "urdf_path lock_joints extra_links add_object_link use_external_assets external_asset_path "
    "external_robot_configs_path extra_collision_spheres load_collision_spheres num_envs cspace "
    "load_meshes "
    "use_global_cumul format_version",
}
OF_CSPACE = (
    "joint_names default_joint_position null_space_weight null_space_maximum_distance "
    "cspace_distance_weight "
    "max_acceleration max_jerk velocity_scale acceleration_scale jerk_scale position_limit_clip"
)
RENAMED = {
    "ee_link",
    "link_names",
    "tool_frames",
    "load_link_names_with_mesh",
    "load_tool_frames_with_mesh",
}


def test_every_field_of_its_loaders_is_known() -> None:
    one, two = (set(FIELDS[version].split()) for version in "12")
    assert one | two == TRANSLATED | ASIDE.keys()
    assert one - two - RENAMED == {key for key, versions in ASIDE.items() if versions == "1"}
    assert two - one - RENAMED == {key for key, versions in ASIDE.items() if versions == "2"}


def test_its_loader_has_the_same_fields() -> None:
    with curobo() as loader:
        told = loader.load(fields="")
    assert set(told["fields"]) - {"device_cfg"} == set(FIELDS["2"].split())
    assert set(told["cspace"]) - {"device_cfg"} == set(OF_CSPACE.split())


def test_published_robots_come_out_as_they_went_in_and_load_alike(tmp_path: Path) -> None:
    with curobo() as loader:
        for config, urdf in published_robots():
            out = tmp_path / config.with_suffix(".curobo.yml").name
            written = convert([urdf, config], out)
            assert written.files[0][1] == config.read_bytes(), config.name
            assert all(report.is_lossless for report in written.reports)
            answers = []
            for data in (config.read_bytes(), written.files[0][1]):
                text = data.decode().replace("robot/", f"{urdf.parents[1]}/")
                out.write_text(text)
                answers.append(loader.load(yml=str(out)))
            assert answers[0] == answers[1]
            assert answers[0]["error"] is None, config.name
