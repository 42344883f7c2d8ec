"""Files that explode, go in circles or have numbers that are none: a sentence with a line, in
bounded time."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from editor_app.core.formats.exchange.codec import RobotFiles
from editor_app.core.text.source import FormatError
from editor_app.plugins.collada.documents import archive_of
from editor_app.plugins.collada.read import overview, read_collada_robot
from tests.helpers.collada_robot import part
from tests.helpers.robots import report_of, text_of, urdf_of

ROBOT = part("k")


def read(folder: Path, text: str) -> RobotFiles:
    path = folder / "robot.dae"
    path.write_text(text)
    return read_collada_robot(path)


def lost(collada: RobotFiles) -> dict[str, str]:
    return {e.item: e.detail for e in report_of(collada).entries if e.fate == "lost"}


def test_nodes_that_multiply_are_refused_before_they_are_counted(tmp_path: Path) -> None:
    twice = "".join(
        f'<node id="b{i}"><instance_node url="#b{i + 1}"/><instance_node url="#b{i + 1}"/></node>'
        for i in range(50)
    )
    text = ROBOT.replace("<library_visual_scenes>", f'<library_nodes>{twice}<node id="b50"/></library_nodes>'
                         "<library_visual_scenes>")  # fmt: skip
    text = text.replace('<instance_geometry url="#k_g"/>', '<instance_node url="#b0"/>')
    start = time.process_time()
    with pytest.raises(FormatError, match="more than 20,000 nodes and geometries") as told:
        read(tmp_path, text)
    assert told.value.location.line is not None
    assert time.process_time() - start < 10


def test_a_geometry_shown_in_many_sizes_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = "".join(
        f'<node id="b{i}"><instance_node url="#b{i + 1}"/>'
        f'<node><scale>{1 + 2.0**-i} 1 1</scale><instance_node url="#b{i + 1}"/></node></node>'
        for i in range(6)
    )
    shape = '<node id="b6"><instance_geometry url="#k_g"/></node>'
    text = ROBOT.replace("<library_visual_scenes>", f"<library_nodes>{sizes}{shape}</library_nodes>"
                         "<library_visual_scenes>")  # fmt: skip
    text = text.replace(
        '<instance_geometry url="#k_g"/></node>', '<instance_node url="#b0"/></node>'
    )
    text = text.replace('<node id="b6"><instance_node url="#b0"/></node>', shape)
    assert len(read(tmp_path, text).meshes) > 30
    monkeypatch.setattr("editor_app.plugins.collada.reading.bodies._MOST_BYTES", 1000)
    with pytest.raises(FormatError, match="copies of its geometries") as told:
        read(tmp_path, text)
    assert told.value.location.line is not None


def test_nodes_and_systems_in_a_circle_end(tmp_path: Path) -> None:
    collada = read(
        tmp_path,
        ROBOT.replace('<instance_geometry url="#k_g"/>', '<instance_node url="#k_n"/>' * 2),
    )
    assert len(urdf_of(collada).links) == 2
    inner = '<motion><instance_articulated_system url="#k_s"/><technique_common/></motion>'
    text = ROBOT.replace("<kinematics>", f"{inner}<kinematics>")
    read(tmp_path, text)
    assert overview(tmp_path / "robot.dae").robots == ("k",)


@pytest.mark.parametrize(
    ("old", "new", "item", "word"),
    [
        (
            "<translate>10 0 0</translate>",
            "<translate>nan 0 0</translate>",
            "translate",
            "is not a finite number",
        ),
        (
            "<translate>10 0 0</translate>",
            "<translate>1,5 0 0</translate>",
            "translate",
            "'1,5' is not a number",
        ),
        (
            "<translate>10 0 0</translate>",
            "<translate>10 0</translate>",
            "translate",
            "2 numbers instead of 3",
        ),
        ("<axis>0 0 1</axis>", "<axis>0 0 1 0</axis>", "axis", "4 numbers instead of 3"),
        (
            "<axis>0 0 1</axis>",
            "<axis>0 0 1</axis><limits><min>-1e999</min><max>1</max></limits>",
            "min",
            "is not a finite number",
        ),
        ("0 0 0 1 0 0 0 1 0", "nan 0 0 1 0 0 0 1 0", "geometry k_g", "1 list of corners"),
        ("<p>0 1 2</p>", "<p>0 1 -5</p>", "geometry k_g", "1 list of corners"),
        ("<p>0 1 2</p>", "<p>0 1 99999999999999999999</p>", "geometry k_g", "cannot be read"),
        ('stride="3"', 'stride="99999999999999"', "geometry k_g", "1 list of corners"),
        ('offset="0"', 'offset="99999999999"', "geometry k_g", "1 list of corners"),
    ],
)
def test_numbers_that_are_none_are_told_with_their_line(
    old: str, new: str, item: str, word: str, tmp_path: Path
) -> None:
    assert old in ROBOT
    collada = read(tmp_path, ROBOT.replace(old, new))
    assert word in lost(collada)[item]
    assert "robot.dae:" in lost(collada)[item]
    assert not {"nan", "inf"} & set(text_of(collada.urdf).replace('"', " ").split())
    assert not lost(read(tmp_path, ROBOT))


def test_many_wrong_numbers_are_summed_up(tmp_path: Path) -> None:
    wrong = "<translate>x 0 0</translate>" * 500
    collada = read(tmp_path, ROBOT.replace("<translate>10 0 0</translate>", wrong))
    entries = [e for e in report_of(collada).entries if e.fate == "lost"]
    assert len(entries) == 21
    assert entries[-1].detail == "480 more that are not numbers"


def test_a_joint_that_is_used_twice_gets_two_names(tmp_path: Path) -> None:
    again = (
        '<link sid="l1" name="lid"/></attachment_full><attachment_full joint="k/j0"><link sid="l2" '
        'name="lid"/>'
    )
    collada = read(tmp_path, ROBOT.replace('<link sid="l1" name="lid"/>', again))
    urdf = urdf_of(collada)
    assert [j.name for j in urdf.joints] == ["hinge", "hinge_2"]
    assert [link.name for link in urdf.links] == ["k_body", "lid", "lid_2"]
    assert any("a second use of hinge" in e.detail for e in report_of(collada).entries)


def test_thousands_of_equal_names_take_no_more_than_their_number(tmp_path: Path) -> None:
    many = "".join(
        f'</attachment_full><attachment_full joint="k/j0"><link sid="m{i}" name="lid"/>'
        for i in range(1500)
    )
    start = time.process_time()
    collada = read(
        tmp_path, ROBOT.replace('<link sid="l1" name="lid"/>', f'<link sid="l1" name="lid"/>{many}')
    )
    assert '<link name="lid_1501"' in text_of(collada.urdf)
    assert time.process_time() - start < 10


def test_an_empty_archive_is_called_one(tmp_path: Path) -> None:
    path = tmp_path / "robot.zae"
    path.write_bytes(b"PK\x05\x06" + bytes(18))
    with pytest.raises(FormatError, match=r"no manifest.xml"):
        read_collada_robot(path)
    path.write_bytes(archive_of("a.dae", ROBOT.encode()))
    assert overview(path).robots == ("k",)
