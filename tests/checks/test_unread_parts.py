"""Parts of a file that no reader understands are lost by name: in conversions, in `check`, and in
notes of verbs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import editor_app
from editor_app.__main__ import main
from editor_app.core.formats.exchange.conversion import Fate
from editor_app.core.formats.registry import writable
from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.findings import Severity
from editor_app.core.text.source import SourceText
from editor_app.core.verbs.convert import Conversion, ConvertOptions, convert
from editor_app.features.checks.verbs.check_files import check_files

LIMIT = '<limit lower="-2" upper="2" effort="1" velocity="1"/>'
SHAPE = "<collision><geometry>{}</geometry></collision>"
GOOD, BAD = SHAPE.format('<box size="0.1 0.1 0.1"/>'), SHAPE.format('<box size="0.1 0.1"/>')
XRDF = """format: xrdf
format_version: 1.0
default_joint_positions: {j1: 0.5, j2: a lot}
cspace: {joint_names: [j1, j2], acceleration_limits: [10, 10], jerk_limits: [500, 500]}
tool_frames: [tip]
collision: {geometry: g}
self_collision: {geometry: g, ignore: {base: [arm, [arm]], arm: tip}}
geometry:
  g:
    spheres:
      base: [{center: [0, 0, 0], radius: 0.1}, {center: [0, 0, 0.1], radius: 0.12 m}]
      arm: [{center: [0, 0], radius: 0.1}, {center: [0, 0, 1]}, {center: [0, 0, .nan], radius: 0.1}]
      tip: [{center: [0, 0, 0], r: 0.1}, {center: [0, 0, 0], radius: 0.05, colour: red}]
"""
SRDF = """<robot name="two">
  <group name="g"><chain base_link="base" tip_link="tip"/></group>
  <group_state name="home" group="g"><joint name="j1" value="zero"/><joint name="j2" value="0"/></group_state>
  <disable_collisions link1="base" reason="Adjacent"/>
  <disable_collision link1="base" link2="arm"/>
  <link_sphere_approximation link="arm"><sphere center="0.1 0" radius="0.1"/><sphere center="0 0 0" radius="0.1"/>
    <sphere radius="0.1"/></link_sphere_approximation>
</robot>
"""


def urdf_of(base: str = GOOD, arm: str = GOOD, joint: str = LIMIT) -> str:
    joints = (
        f'<joint name="j{number}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0 0 0.5"/><axis xyz="0 1 0"/>{part}</joint>'
        for number, parent, child, part in ((1, "base", "arm", joint), (2, "arm", "tip", LIMIT))
    )
    links = (
        f'<link name="base">{base}</link><link name="arm">{arm}</link><link '
        f'name="tip">{GOOD}</link>'
    )
    return f'<robot name="two">{links}{"".join(joints)}</robot>'


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / name for name in ("two.urdf", "two.xrdf", "two.srdf")]
    for path, text in zip(paths, (urdf_of(), XRDF, SRDF), strict=True):
        path.write_text(text)
    return paths


def lost(conversion: Conversion) -> dict[str, str]:
    """Item -> detail of what cannot be read."""
    entries = [
        entry for report in conversion.reports for entry in report.entries if entry.is_unread
    ]
    assert all(entry.fate is Fate.LOST for entry in entries)
    return {entry.item: entry.detail for entry in entries}


@pytest.mark.parametrize("codec", writable(), ids=lambda codec: codec.name)
def test_every_conversion_lists_unread_spheres_and_pairs(files: list[Path], codec: object) -> None:
    name, ending = codec.name, codec.writer.endings[0]  # type: ignore[attr-defined]
    options = ConvertOptions.of(to=name, link="base" if name == "spheres" else None)
    told = lost(convert(files[:2], files[0].with_name(f"out{ending}"), options))
    assert told["geometry.g.spheres.base"].startswith(
        "1 sphere cannot be read: 0.12 m is not a number"
    )
    assert "two.xrdf:11" in told["geometry.g.spheres.base"]
    assert told["geometry.g.spheres.arm"].startswith("3 spheres cannot be read")
    # A sphere of which only a key is unknown is there.
    assert told["geometry.g.spheres.tip"].startswith("1 ")
    assert {
        "self_collision.ignore.base",
        "self_collision.ignore.arm",
        "default_joint_positions.j2",
    } <= told.keys()


def test_the_report_of_the_command_counts_them(
    files: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    output = files[0].with_name("out.curobo.yml")
    assert main(["convert", *map(str, files[:2]), str(output)]) == 0
    told = capsys.readouterr().err
    assert "0 lost" not in told
    assert "lost: geometry.g.spheres.arm: 3 spheres cannot be read" in told
    assert main(["convert", *map(str, files[:2]), str(output), "--force", "--fail-on-loss"]) == 1


def test_keys_of_others_stay_in_a_text_that_is_written_again(files: list[Path]) -> None:
    files[1].write_text(XRDF + "theirs: {a: 1}\n")
    made = convert(files[:2], files[0].with_name("out.xrdf"))
    kept = {e.item: e.detail for r in made.reports for e in r.entries if e.fate is Fate.KEPT}
    assert {"theirs", "geometry.g.spheres.tip"} <= kept.keys()
    assert kept["theirs"].endswith("it stays in the text")
    assert b"theirs: {a: 1}" in made.files[0][1]
    assert "geometry.g.spheres.arm" in lost(made)
    assert "theirs" in lost(convert(files[:2], files[0].with_name("out.curobo.yml")))


def test_parts_of_an_srdf_are_lost_in_an_xrdf(files: list[Path]) -> None:
    told = lost(convert([files[0], files[2]], files[0].with_name("out.xrdf")))
    assert {
        "joint j1 of group_state home",
        "disable_collisions",
        "disable_collision",
        "sphere of link_sphere_approximation arm",
    } == set(told)
    assert told["sphere of link_sphere_approximation arm"].startswith("2 parts")


@pytest.mark.parametrize(
    ("text", "item"),
    [
        (urdf_of(base=BAD), "collision of link base"),
        (urdf_of(base=SHAPE.format("<cone/>")), "collision of link base"),
        (urdf_of(base=SHAPE.format('<cylinder radius="1"/>')), "collision of link base"),
        (urdf_of(base=SHAPE.format('<sphere radius="0,1"/>') + GOOD), "collision of link base"),
        (urdf_of(base=BAD.replace("collision", "visual")), "visual of link base"),
        (urdf_of(base='<inertial><mass value="a"/></inertial>'), "inertial of link base"),
        (urdf_of(base=GOOD.replace("<geometry>", '<origin xyz="0 1"/><geometry>')), "link base"),
        (urdf_of(base=SHAPE.format('<box size="1 1 1"/><box size="2 2 2"/>')), "link base"),
        (urdf_of(joint=LIMIT.replace('"-2"', '"-2 rad"')), "joint j1"),
        (urdf_of(joint=LIMIT + "<mimic/>"), "joint j1"),
        (urdf_of(joint=LIMIT + LIMIT), "joint j1"),
        (urdf_of().replace("revolute", "hinge", 1), "joint j1"),
        (urdf_of().replace("0 1 0", "0 0 0", 1), "joint j1"),
    ],
)
@pytest.mark.parametrize("ending", ["mjcf.xml", "urdf"])
def test_parts_of_a_urdf_are_lost_in_each_format(
    tmp_path: Path, text: str, item: str, ending: str
) -> None:
    (tmp_path / "two.urdf").write_text(text)
    told = lost(convert([tmp_path / "two.urdf"], tmp_path / f"out.{ending}"))
    assert list(told) == [item]
    assert "1 part cannot be read" in told[item]


def test_what_is_odd_but_read_is_not_lost() -> None:
    text = urdf_of(
        joint=LIMIT.replace('"2"', '"inf"', 1).replace("-2", " -2 "),
        arm=GOOD.replace("0.1 ", "0.1\t", 1),
    )
    findings = read_urdf(SourceText.from_text(text)).findings
    assert {finding.code for finding in findings} == {"URDF020", "URDF021", "URDF031"}
    assert not any(finding.lost for finding in findings)
    quoted = read_xrdf(
        SourceText.from_text(XRDF.replace("radius: 0.1}, {c", 'radius: "0.1"}, {c', 1))
    ).findings
    assert [finding.lost for finding in quoted if finding.code == "XRDF006"] == [""]


def test_keys_that_stand_twice_are_lost(files: list[Path]) -> None:
    files[1].write_text(XRDF + "      base: [{center: [0, 0, 0], radius: 0.2}]\n")
    assert (
        "appears 2 times"
        in lost(convert(files[:2], files[0].with_name("out.curobo.yml")))["geometry.g.spheres.base"]
    )


CUROBO = """robot_cfg:
  kinematics:
    urdf_path: two.urdf
    base_link: base
    ee_link: [tip]
    collision_link_names: [base, arm, {tip: 1}]
    collision_spheres:
      base: [{center: [0, 0, 0], radius: 0.15}, {center: [0, 0, 0], radius: 0.12 m}]
      arm: [{centre: [0, 0, 0], radius: 0.1}]
      base: [{center: [0, 0, 0], radius: 0.15}, {center: [0, 0, 0], radius: 0.12 m}]
    self_collision_ignore: {base: [arm, [tip]]}
    cspace: {joint_names: [j1, j2], retract_config: [0, half], max_acceleration: fast}
"""
LULA = """api_version: 1.0
cspace: [j1, j2, {j3: 1}]
root_link: [base]
default_q: [0, half]
cspace_to_urdf_rules: [{name: j3, rule: fixed}, grip]
collision_spheres:
  - base: [{center: [0, 0, 0], radius: 0.1}, {center: [0, 0], radius: 0.1}]
  - arm
"""
RMPFLOW = """rmp_params: {}
body_collision_controllers: [{name: tip, radius: 0.1}, {name: arm}, arm]
body_capsules: [{name: base, pt1: [0, 0, 0], pt2: [0, 0], radius: 0.1}]
"""
BALLPARK = json.dumps(
    {
        "spheres": {
            "base": {"centers": [[0, 0, 0]], "radii": [0.1]},
            "arm": {"centers": [[0, 0]], "radii": [0.1]},
        },
        "ignore_pairs": [["base", "arm"], ["base"], "arm"],
    }
)
OF_OTHER_PROGRAMS = {
    "two.yml": (CUROBO, 8),
    "two.lula.yaml": (LULA, 7),
    "two.rmpflow.yaml": (RMPFLOW, 3),
    "two.spheres.json": (BALLPARK, 3),
    "base.spheres.json": (
        '[{"spheres": [{"origin": [0, 0, 0], "radius": 0.1}, {"origin": [0, 0, 0]}, 7]}]',
        2,
    ),
    "two.spheres.yaml": (
        "collision_spheres: {base: [{center: [0, 0, 0], radius: 1}, 7], arm: 8}\nmetadata: {}\n",
        2,
    ),
}


@pytest.mark.parametrize(
    "ending", [".urdf", ".xrdf", ".curobo.yml", ".mjcf.xml", ".srdf", ".lula.yaml"]
)
def test_a_broken_file_of_another_program_is_reported_by_each_conversion(
    tmp_path: Path, ending: str
) -> None:
    (tmp_path / "two.urdf").write_text(urdf_of())
    (tmp_path / "two.yml").write_text(CUROBO)
    told = lost(convert([tmp_path / "two.urdf", tmp_path / "two.yml"], tmp_path / f"out{ending}"))
    assert {
        "collision_spheres.base",
        "collision_spheres.arm",
        "self_collision_ignore.base",
    } <= told.keys()


@pytest.mark.parametrize("name", OF_OTHER_PROGRAMS)
def test_check_finds_in_a_file_of_another_program_what_convert_lists(
    tmp_path: Path, name: str
) -> None:
    text, count = OF_OTHER_PROGRAMS[name]
    (tmp_path / "two.urdf").write_text(urdf_of())
    (tmp_path / name).write_text(text)
    told = convert([tmp_path / "two.urdf", tmp_path / name], tmp_path / "out.xrdf").reports
    entries = [
        entry for report in told for entry in report.entries if entry.fate in (Fate.LOST, Fate.KEPT)
    ]
    _, checked = check_files([tmp_path / "two.urdf", tmp_path / name])
    findings = [finding for finding in checked.findings if finding.code in ("XRDF008", "XRDF009")]
    assert [finding.message for finding in findings] == [
        f"{entry}".rstrip(".") + "." for entry in entries
    ]
    assert sum(finding.severity is Severity.ERROR for finding in findings) == count
    assert all(
        finding.code == "XRDF008" for finding in findings if finding.severity is Severity.ERROR
    )


def test_numbers_that_curobo_reads_as_text_are_errors_and_are_still_read(tmp_path: Path) -> None:
    # Measured with PyYAML: 1e-3, 5E-2 and 1e4 are texts, 1.0e-3 and .5 are numbers, 010 is 8.
    yaml = pytest.importorskip("yaml")
    text = """robot_cfg:
  kinematics:
    base_link: base
    ee_link: tip  # 1e-9
    collision_link_names: [base, arm]
    collision_spheres:
      base: [{center: [0, 1.0e-3, .5], radius: 5E-2}]
      arm: [{center: [1e-3, 0, 0], radius: 0.1}]
    cspace: {joint_names: [j1, j2], retract_config: [0, 010], max_acceleration: 1e4}
"""
    (tmp_path / "two.urdf").write_text(urdf_of())
    (tmp_path / "two.yml").write_text(text)
    kinematics = yaml.safe_load(text)["robot_cfg"]["kinematics"]
    assert kinematics["collision_spheres"]["base"] == [
        {"center": [0, 0.001, 0.5], "radius": "5E-2"}
    ]
    assert kinematics["cspace"]["retract_config"] == [0, 8]
    _, checked = check_files([tmp_path / "two.urdf", tmp_path / "two.yml"])
    told = [finding.message for finding in checked.findings if finding.code == "XRDF008"]
    assert [message.split(": line")[0] for message in told] == [
        "collision_spheres.base.0.radius",
        "collision_spheres.arm.0.center.0",
        "cspace.retract_config.1",
        "cspace.max_acceleration",
    ]
    assert told[0].endswith(
        "line 7: PyYAML, which cuRobo uses, reads 5E-2 differently; write 0.05."
    )
    [(_, data)] = convert(
        [tmp_path / "two.urdf", tmp_path / "two.yml"], tmp_path / "out.xrdf"
    ).files
    assert b"radius: 0.05\n" in data


def test_check_finds_in_a_robot_of_another_program_what_convert_lists(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    model = tmp_path / "m.xml"
    model.write_text(
        '<mujoco><worldbody><geom type="plane" size="1 1 1"/><body name="b"><geom size="1"/></body>'
        "</worldbody></mujoco>"
    )
    [checked] = check_files([model])
    assert any(
        finding.code == "URDF059" and "lost: geom" in finding.message
        for finding in checked.findings
    )


@pytest.mark.parametrize("verb", ["collide", "model_cost", "fit", "mask"])
def test_verbs_note_what_they_do_without(files: list[Path], verb: str) -> None:
    robot = editor_app.open_robot(files[0], files[1], files[2])
    chosen = {"collide": ({"j1": 0.0},), "model_cost": (), "fit": (), "mask": ()}[verb]
    options: dict[str, Any] = {
        "collide": {},
        "model_cost": {"samples": 10},
        "fit": {"links": ["tip"], "number": 1},
        "mask": {"samples": 10, "certify": 0.0},
    }
    notes = " ".join(getattr(editor_app, verb)(robot, *chosen, **options[verb]).notes)
    assert "two.xrdf: left out because they cannot be read: " in notes
    assert "3 spheres of geometry.g.spheres.arm" in notes
    assert "joint j1 of group_state home" in notes


def test_commands_print_the_notes(files: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    for command in (
        ["pose"],
        ["plan", "--queries", "1"],
        ["collide", "--at", "default"],
        ["diff", str(files[0])],
    ):
        main(
            [
                command[0],
                str(files[0]),
                *(str(files[1]) for _ in range(command[0] != "diff")),
                *command[1:],
            ]
        )
        assert "3 spheres of geometry.g.spheres.arm" in capsys.readouterr().err, command


def test_a_fit_says_that_shapes_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "two.urdf").write_text(urdf_of(base=BAD))
    fitted = editor_app.fit(editor_app.open_robot(tmp_path / "two.urdf"), number=1)
    assert "collision of link base" in fitted.notes[0]
    [skipped] = fitted.skipped
    assert (skipped.link, "cannot be read" in skipped.reason) == ("base", True)


def test_an_srdf_that_cannot_be_opened_is_noted(files: list[Path]) -> None:
    files[2].write_text("<robot>")
    [note] = [
        note
        for note in editor_app.collide(editor_app.open_robot(files[0]), {"j1": 0.0}).notes
        if "SRDF" in note
    ]
    assert "two.srdf" in note


def test_lists_of_an_srdf_count_the_parts(tmp_path: Path) -> None:
    findings = read_srdf(SourceText.from_text(SRDF)).findings
    assert [finding.lost for finding in findings if finding.lost].count(
        "sphere of link_sphere_approximation arm"
    ) == 2
