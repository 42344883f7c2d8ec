"""Every kind of input to every kind of output: what is written can be read, and nothing goes in
silence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from editor_app.cli import run_command
from editor_app.core.document.atomic_files import write_together
from editor_app.core.document.saving import SaveError
from editor_app.core.formats.registry import recognise_format
from editor_app.core.formats.srdf import read_srdf
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.urdf import Ball, Mesh
from editor_app.core.text.source import SourceText
from editor_app.plugins.collada.read import read_collada_robot
from editor_app.plugins.sphere_lists.codec import read_sphere_list
from tests.helpers.documents import CLEAN, URDF
from tests.helpers.robots import stated_of, text_of, urdf_of
from tests.helpers.urdfdom import assert_urdfdom_takes

OUTPUTS = {
    "xrdf": ("out.xrdf",),
    "xrdf2": ("out2.xrdf", "--xrdf-version", "2.0"),
    "srdf": ("out.srdf",),
    "tesseract": ("tesseract.srdf", "--tesseract"),
    "curobo": ("out.curobo.yml",),
    "curobo1": ("out1.curobo.yml", "--curobo-version", "1"),
    "lula": ("out.lula.yaml",),
    "dae": ("out.dae",),
    "zae": ("out.zae",),
    "urdf": ("out.urdf", "--to", "urdf"),
    "spheres": ("spheres.urdf", "--to", "spheres-urdf"),
    "ballpark": ("arm.spheres.json",),
    "pyroki": ("arm.spheres.json", "--sphere-list", "pyroki"),
    "bubblify": ("arm.spheres.yaml",),
}
LISTS = ("ballpark", "pyroki", "bubblify")
#: Which inputs have spheres.
SPHERES = ("xrdf", "srdf", "curobo", "lula", "list", "collada", "with spheres")


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    """A small robot with a mesh in every format."""
    folder = tmp_path_factory.mktemp("given")
    urdf = folder / "arm.urdf"
    xrdf, srdf = urdf.with_suffix(".xrdf"), urdf.with_suffix(".srdf")
    seen = (
        '<link name="base"><visual><geometry><mesh '
        'filename="meshes/base.obj"/></geometry></visual></link>'
    )
    urdf.write_text(URDF.replace('<link name="base"/>', seen))
    xrdf.write_text(CLEAN)
    srdf.write_text(SRDF)
    (folder / "meshes").mkdir()
    (folder / "meshes" / "base.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 2 3 4\nf 1 3 4\n"
    )
    made = {
        "curobo": folder / "r.curobo.yml",
        "lula": folder / "r.lula.yaml",
        "dae": folder / "r.dae",
        "zae": folder / "r.zae",
        "spheres": folder / "s.urdf",
    }
    for kind, path in made.items():
        more = ["--to", "spheres-urdf"] if kind == "spheres" else []
        assert run_command("convert", [str(urdf), str(xrdf), str(srdf), str(path), *more]) == 0
    spheres = read_xrdf(SourceText.read(xrdf)).value
    listed = {
        link: [{"center": list(s.center), "radius": s.radius} for s in of]
        for link, of in spheres.spheres_of(spheres.self_group).items()
    }
    (folder / "list.json").write_text(json.dumps({"collision_spheres": listed}))
    (folder / "r.xacro").write_text(
        urdf.read_text().replace(
            "<robot ", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" ', 1
        )
    )
    return {
        "urdf": [urdf],
        "urdf and srdf": [urdf, srdf],
        "urdf and xrdf": [urdf, xrdf],
        "urdf, xrdf and srdf": [urdf, xrdf, srdf],
        "xacro and xrdf": [folder / "r.xacro", xrdf],
        "collada": [made["dae"]],
        "zipped collada": [made["zae"]],
        "urdf and curobo": [urdf, made["curobo"]],
        "urdf and lula": [urdf, made["lula"]],
        "urdf and list": [urdf, folder / "list.json"],
        "urdf with spheres": [made["spheres"]],
        "urdf and one with spheres": [urdf, made["spheres"]],
    }


SRDF = """<robot name="arm">
  <group name="arm"><joint name="shoulder"/><joint name="elbow"/><joint name="grip"/></group>
  <group_state name="up" group="arm"><joint name="shoulder" value="0.25"/><joint name="elbow" value="0"/>
    <joint name="grip" value="0.1"/></group_state>
  <disable_collisions link1="base" link2="hand" reason="Never"/>
  <link_sphere_approximation link="hand"><sphere center="0 0 0.1" radius="0.2"/></link_sphere_approximation>
</robot>
"""
KINDS = (
    "urdf",
    "urdf and srdf",
    "urdf and xrdf",
    "urdf, xrdf and srdf",
    "xacro and xrdf",
    "collada",
    "zipped collada",
    "urdf and curobo",
    "urdf and lula",
    "urdf and list",
    "urdf with spheres",
    "urdf and one with spheres",
)


@pytest.mark.parametrize("source", KINDS)
def test_every_output_can_be_read(
    source: str, given: dict[str, list[Path]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tuple(given) == KINDS
    urdf = read_urdf(SourceText.read(given["urdf"][0])).value
    links = {link.name for link in urdf.links}
    bare = not any(word in source for word in SPHERES)
    for target, (name, *options) in OUTPUTS.items():
        folder = tmp_path / target
        folder.mkdir()
        arguments = [*map(str, given[source]), str(folder / name), *options, "--format", "json"]
        arguments += ["--allow-xacro"] if "xacro" in source else []
        code = run_command("convert", arguments)
        told = capsys.readouterr().err
        if target in ("spheres", *LISTS) and bare:
            assert code == 2
            assert "No spheres" in told
            assert not any(folder.iterdir())
            continue
        assert code == 0, (target, told)
        report = json.loads(told)
        assert report["conversions"], target
        assert all(c["entries"] for c in report["conversions"]), (target, report)
        assert {Path(f) for f in report["files"]} == {p for p in folder.rglob("*") if p.is_file()}
        written = folder / name
        if target.startswith("xrdf"):
            xrdf = read_xrdf(SourceText.read(written))
            assert xrdf.value.format_version == ("2.0" if target == "xrdf2" else "1.0")
            assert any(xrdf.value.spheres_of(xrdf.value.self_group).values()) != bare
        elif target in ("srdf", "tesseract"):
            assert bool(read_srdf(SourceText.read(written)).value.sphere_approximations) != bare
        elif target.startswith("curobo"):
            assert recognise_format(written).name == "curobo"
        elif target == "lula":
            assert recognise_format(written).name == "lula"
        elif target in LISTS:
            assert read_sphere_list(SourceText.read(written), links).spheres
        elif target in ("dae", "zae"):
            collada = read_collada_robot(written)
            assert {link.name for link in urdf_of(collada).links} == links
            assert bool(stated_of(collada).spheres) != bare or source == "urdf with spheres"
        else:
            _check_urdf(written, links, target == "spheres")
        lost = [
            e["item"] for c in report["conversions"] for e in c["entries"] if e["fate"] == "lost"
        ]
        if target in ("dae", "zae", "urdf") or (target.startswith("xrdf") and "srdf" not in source):
            assert not lost, target


def _check_urdf(path: Path, links: set[str], spheres: bool) -> None:
    urdf = read_urdf(SourceText.read(path)).value
    assert {link.name for link in urdf.links} == links
    if spheres:
        assert all(isinstance(c.geometry, Ball) for link in urdf.links for c in link.collisions)
    if (path.parent / "meshes").is_dir():
        names = {
            v.geometry.filename
            for link in urdf.links
            for v in link.visuals
            if isinstance(v.geometry, Mesh)
        }
        assert all((path.parent / name).is_file() for name in names)
    assert_urdfdom_takes(path)


def test_collada_to_collada_keeps_the_meshes(given: dict[str, list[Path]], tmp_path: Path) -> None:
    assert (
        run_command(
            "convert", [str(given["collada"][0]), str(tmp_path / "again.zae"), "--fail-on-loss"]
        )
        == 0
    )
    first, second = (
        read_collada_robot(given["collada"][0]),
        read_collada_robot(tmp_path / "again.zae"),
    )
    assert first.meshes
    assert [(name, len(data)) for name, data in second.meshes] == [
        (name, len(data)) for name, data in first.meshes
    ]
    assert text_of(second.urdf) == text_of(first.urdf)
    assert text_of(second.srdf) == text_of(first.srdf)
    assert text_of(second.xrdf) == text_of(first.xrdf)


def test_comments_of_an_xrdf_stay_and_reasons_join_them(
    given: dict[str, list[Path]], tmp_path: Path
) -> None:
    urdf, source = given["urdf and xrdf"]
    assert run_command("convert", [str(urdf), str(source), str(tmp_path / "same.xrdf")]) == 0
    assert (tmp_path / "same.xrdf").read_bytes() == source.read_bytes()
    links = [link.name for link in read_urdf(SourceText.read(urdf)).value.links]
    xrdf = tmp_path / "mine.xrdf"
    xrdf.write_text(
        "# mine\nformat: xrdf\nformat_version: 1.0\nself_collision:\n  geometry: g\n  ignore:\n"
        f"    {links[0]}: [{links[1]}]\n    {links[2]}:\n      - {links[3]}\n"
        "geometry:\n  g: {spheres: {}}   # none yet\n"
    )
    srdf = tmp_path / "mine.srdf"
    srdf.write_text(
        '<robot name="r">'
        f'<disable_collisions link1="{links[0]}" link2="{links[1]}" reason="Adjacent"/>'
        f'<disable_collisions link1="{links[0]}" link2="{links[2]}" reason="Never"/>'
        f'<disable_collisions link1="{links[2]}" link2="{links[3]}" reason="Default"/></robot>'
    )
    assert (
        run_command("convert", [str(urdf), str(xrdf), str(srdf), str(tmp_path / "out.xrdf")]) == 0
    )
    text = (tmp_path / "out.xrdf").read_text()
    assert text.startswith("# mine\n")
    assert "# none yet" in text
    for other, reason in ((1, "Adjacent"), (2, "Never"), (3, "Default")):
        assert f"- {links[other]}  # {reason}\n" in text
    section = read_xrdf(SourceText.from_text(text)).value.self_collision
    assert section is not None
    assert len(section.ignored_pairs()) == 3


def test_reasons_without_room_are_told_to_be_lost(
    given: dict[str, list[Path]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    urdf = given["urdf"][0]
    links = [link.name for link in read_urdf(SourceText.read(urdf)).value.links]
    xrdf = tmp_path / "mine.xrdf"
    text = (
        f"format: xrdf\nformat_version: 1.0\nself_collision: {{geometry: g, ignore: {{{links[0]}: "
        f"[{links[1]}]}}}}\n"
    )
    xrdf.write_text(text + "geometry: {g: {spheres: {}}}\n")
    srdf = tmp_path / "mine.srdf"
    srdf.write_text(
        f'<robot name="r"><disable_collisions link1="{links[0]}" link2="{links[1]}" '
        'reason="Adjacent"/></robot>'
    )
    arguments = [str(urdf), str(xrdf), str(srdf), str(tmp_path / "out.xrdf"), "--fail-on-loss"]
    assert run_command("convert", arguments) == 1
    assert "lost: disable_collisions reason" in capsys.readouterr().err


def test_what_was_only_guessed_cannot_be_lost(
    given: dict[str, list[Path]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("out.srdf", "out.curobo.yml", "out.lula.yaml"):
        assert (
            run_command("convert", [str(given["urdf"][0]), str(tmp_path / name), "--fail-on-loss"])
            == 0
        ), name
        told = capsys.readouterr().err
        assert "placeholders" in told
        assert "a tool frame is guessed" in told


def test_a_conversion_that_fails_half_way_leaves_nothing(
    given: dict[str, list[Path]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "deep" / "er"
    # The third of its files cannot be written: a file stands where its folder would be.
    (tmp_path / "flat").mkdir()
    (tmp_path / "flat" / "meshes").write_text("mine")
    target = tmp_path / "flat" / "arm.urdf"
    target.write_text("old")
    assert run_command("convert", [str(given["collada"][0]), str(target), "--force"]) == 2
    told = capsys.readouterr().err
    assert "meshes" in told
    assert "Traceback" not in told
    assert target.read_text() == "old"
    assert sorted(p.name for p in (tmp_path / "flat").iterdir()) == ["arm.urdf", "meshes"]
    # What is there is not overwritten, and then nothing at all is written.
    out.mkdir(parents=True)
    (out / "arm.xrdf").write_text("mine")
    assert run_command("convert", [str(given["collada"][0]), str(out / "arm.urdf")]) == 2
    assert "--force" in capsys.readouterr().err
    assert [p.name for p in out.iterdir()] == ["arm.xrdf"]
    assert (
        run_command("convert", [str(given["collada"][0]), str(out / "arm.urdf"), "--dry-run"]) == 0
    )
    assert [p.name for p in out.iterdir()] == ["arm.xrdf"]


def test_folders_that_were_made_in_vain_go_again(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(SaveError):
        write_together(
            [(tmp_path / "a" / "b" / "x", b"1"), (tmp_path / "taken" / "y", b"2")],
            make_folders=True,
        )
    assert [p.name for p in tmp_path.iterdir()] == ["taken"]
    write_together(
        [(tmp_path / "a" / "b" / "x", b"1"), (tmp_path / "taken", b"2")], make_folders=True
    )
    assert (tmp_path / "a" / "b" / "x").read_bytes() == b"1"
    assert (tmp_path / "taken").read_bytes() == b"2"
