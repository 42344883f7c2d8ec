"""COLLADA robots out of several files and several robots in one; references that lead nowhere;
hostile input."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from editor_app.cli import run_command
from editor_app.core.formats.exchange.codec import ALL_ROBOTS
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.space.geometry.link_geometry import link_geometry, merge_parts
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.tree import build_tree
from editor_app.core.text.source import FormatError, SourceText
from editor_app.plugins.collada.documents import archive_of
from editor_app.plugins.collada.read import overview, read_collada_robot
from tests.helpers.collada_robot import ROBOT, part, scene
from tests.helpers.robots import report_of, urdf_of

BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]><COLLADA>&b;</COLLADA>'


def two_robots(
    folder: Path, first: str = "left.dae", second: str = "parts/right.dae"
) -> dict[str, str]:
    return {
        "main.dae": scene((first, "left", "1 0 0"), (second, "right", "0 2 0")),
        "left.dae": part("left"),
        # Another unit and another axis upwards than the scene has.
        "parts/right.dae": part("right", "0.001", "Y_UP"),
    }


def write(folder: Path, files: dict[str, str], archive: bool) -> Path:
    if archive:
        path = folder / "robots.zae"
        others = {n: t.encode() for n, t in files.items() if n != "main.dae"}
        path.write_bytes(archive_of("main.dae", files["main.dae"].encode(), others))
        return path
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder / "main.dae"


@pytest.mark.parametrize("archive", [False, True])
def test_one_of_several_is_chosen_by_name_or_all_are_taken(archive: bool, tmp_path: Path) -> None:
    path = write(tmp_path, two_robots(tmp_path), archive)
    assert overview(path).robots == ("left", "right")
    first = read_collada_robot(path)
    assert {link.name for link in urdf_of(first).links} == {"left_body", "lid"}
    assert any(e.fate == "lost" and "right" in e.item for e in report_of(first).entries)
    right = urdf_of(read_collada_robot(path, "right"))
    assert right.joints[0].origin.xyz == pytest.approx((0.01, 0, 0))
    both = read_collada_robot(path, ALL_ROBOTS)
    assert not [e for e in report_of(both).entries if e.fate == "lost"]
    urdf = urdf_of(both)
    assert [link.name for link in urdf.links] == [
        "world",
        "left_body",
        "lid",
        "right_body",
        "lid_2",
    ]
    tree = build_tree(urdf)
    poses = compute_forward(tree, {})
    assert np.allclose(poses[tree.index["left_body"]][:3, 3], (1, 0, 0))
    assert np.allclose(poses[tree.index["right_body"]][:3, 3], (0, 2, 0))
    assert np.allclose(poses[tree.index["lid"]][:3, 3], (11, 0, 0))
    assert np.allclose(poses[tree.index["lid_2"]][:3, 3], (0.01, 2, 0))


@pytest.mark.parametrize("archive", [False, True])
def test_geometry_of_other_files_has_their_unit_and_stands_upright(
    archive: bool, tmp_path: Path
) -> None:
    path = write(tmp_path, two_robots(tmp_path), archive)
    target = tmp_path / "out" / "right.urdf"
    assert run_command("convert", [str(path), str(target), "--model", "right"]) == 0
    urdf = read_urdf(SourceText.read(target)).value
    vertices, _ = merge_parts(link_geometry(urdf, target, "right_body", "visual").parts)
    # A triangle of a metre in millimetres; what was y is upwards.
    assert np.allclose(vertices.max(axis=0), (0.001, 0, 0.001), atol=1e-12)


def test_a_name_that_no_robot_has_is_told_with_those_that_there_are(tmp_path: Path) -> None:
    path = write(tmp_path, two_robots(tmp_path), False)
    with pytest.raises(FormatError, match=r"no robot 'middle'.*left, right"):
        read_collada_robot(path, "middle")


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ("missing.dae", "cannot be read|no such file"),
        ("https://example.org/robot.dae", "nothing is fetched"),
        ("broken.dae", r"broken\.dae:\d+:\d+"),
        ("bomb.dae", "ntit"),
        ("left.txt", "not that of a COLLADA file"),
        ("left.dae#nothing", "no element with this id"),
    ],
)
@pytest.mark.parametrize("archive", [False, True])
def test_references_that_lead_nowhere_are_told_with_their_line(
    archive: bool, reference: str, reason: str, tmp_path: Path
) -> None:
    files = two_robots(tmp_path)
    url = reference if "#" in reference else f"{reference}#ghost_s"
    ghost = f'<kinematics_scene id="ks"><instance_articulated_system url="{url}"/>'
    files["main.dae"] = files["main.dae"].replace('<kinematics_scene id="ks">', ghost)
    files |= {"broken.dae": "<COLLADA><asset></COLLADA>", "bomb.dae": BOMB}
    collada = read_collada_robot(write(tmp_path, files, archive), "right")
    told = [
        e.detail
        for e in report_of(collada).entries
        if e.fate == "lost" and e.item.startswith("reference")
    ]
    assert len(told) == 1
    assert re.match(r".*main\.dae:\d+:\d+: ", told[0])
    assert re.search(reason, told[0])


def test_files_that_refer_to_each_other_in_a_circle_end(tmp_path: Path) -> None:
    one = scene(("other.dae", "left", "0 0 0"))
    other = part("left").replace(
        "</COLLADA>", '<scene><instance_kinematics_scene url="main.dae#ks"/></scene></COLLADA>'
    )
    other = other.replace(
        '<instance_geometry url="#left_g"/>', '<instance_node url="main.dae#at_left"/>'
    )
    path = write(tmp_path, {"main.dae": one, "other.dae": other}, False)
    assert {link.name for link in urdf_of(read_collada_robot(path)).links} == {"left_body", "lid"}


def test_more_files_than_any_robot_has_are_refused(tmp_path: Path) -> None:
    names = [f"r{i}" for i in range(80)]
    for name in names:
        (tmp_path / f"{name}.dae").write_text(part(name))
    (tmp_path / "main.dae").write_text(scene(*((f"{n}.dae", n, "0 0 0") for n in names)))
    assert len(overview(tmp_path / "main.dae").robots) == 63
    collada = read_collada_robot(tmp_path / "main.dae")
    assert any("more than 64" in e.detail for e in report_of(collada).entries)


def test_bombs_and_damage_end_in_a_sentence_with_a_place(tmp_path: Path) -> None:
    path = tmp_path / "x.dae"
    for text, word in (
        (BOMB, "ntit"),
        (ROBOT[: len(ROBOT) // 2], r"x\.dae:\d+"),
        ("<COLLADA>" * 500, "nested"),
        ("", "empty"),
        (
            ROBOT.replace("<technique_common>", "<none>").replace("</technique_common>", "</none>"),
            "no links",
        ),
    ):
        path.write_text(text)
        with pytest.raises(FormatError, match=word):
            read_collada_robot(path)


def test_what_is_not_there_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "x.dae"
    text = ROBOT.replace('url="#env"', 'url="#gone"').replace(
        'url="#cam"/><frame_origin link="k/hand"', 'url="#cam"/><frame_origin link="gone"'
    )
    path.write_text(
        text.replace('link1="hand"', 'link1="gone"').replace("wood%20grain.png", "../../etc/passwd")
    )
    collada = read_collada_robot(path)
    urdf = urdf_of(collada)
    assert len(urdf.links) == 6
    assert len(urdf.sensors) == 9
    text = "\n".join(report_of(collada).lines())
    for word in (
        "#gone",
        "ignore_link_pair",
        "attach_sensor my_cam",
        "the name is not that of a picture",
    ):
        assert word in text
    assert not any("passwd" in name for name, _ in collada.meshes)


def test_large_meshes_are_read_in_a_time_that_grows_with_their_size(tmp_path: Path) -> None:
    def robot(count: int) -> str:
        rng = np.random.default_rng(1)
        numbers = " ".join(f"{v:.5f}" for v in rng.normal(size=3 * count))
        faces = " ".join(map(str, rng.integers(0, count, 6 * count)))
        mesh = f"""<mesh><source id="q"><float_array id="qa" count="{3 * count}">{numbers}</float_array></source>
          <vertices id="qv"><input semantic="POSITION" source="#q"/></vertices><triangles count="{2 * count}">
          <input offset="0" semantic="VERTEX" source="#qv"/><p>{faces}</p></triangles></mesh>"""
        return (
            part("big")
            .replace(
                '<geometry id="big_g">',
                f'<geometry id="other_g">{mesh}</geometry><geometry id="big_g">',
            )
            .replace('url="#big_g"', 'url="#other_g"')
        )

    import time

    spent = []
    for count in (2_000, 40_000):
        (tmp_path / "big.dae").write_text(robot(count))
        start = time.process_time()
        collada = read_collada_robot(tmp_path / "big.dae")
        spent.append(time.process_time() - start)
        assert collada.meshes[0][1].count(b"\nf ") == 2 * count
    assert spent[1] < 60 * max(spent[0], 0.02)


def test_junk_in_the_extensions_never_ends_in_a_traceback(tmp_path: Path) -> None:
    path = tmp_path / "x.dae"
    tokens = list(re.finditer(r"(?<=>)[^<>\s][^<>]*(?=<)|(?<==\")[^\"]+(?=\")", ROBOT))
    assert len(tokens) > 400
    places: set[str] = set()
    for number, token in enumerate(tokens[::20]):
        for junk in ("junk", ("-1e999", "", "99999999999", "k/hand")[number % 4]):
            path.write_text(ROBOT[: token.start()] + junk + ROBOT[token.end() :])
            try:
                read_collada_robot(path)
            except FormatError as error:
                places.add(error.location.file)
    # None of the documents that are made of it.
    assert places <= {str(path)}
