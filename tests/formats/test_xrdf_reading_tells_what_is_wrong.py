"""Reading tolerantly: what makes no sense becomes a finding with its rule and place, and the rest
is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.findings import Severity
from editor_app.core.text.source import FormatError, SourceText
from tests.helpers.xrdf_texts import NASTY

SPHERES = "geometry:\n  g:\n    spheres:\n      a:\n"


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("format: xrdf\ntool_frames: [a\ngeometry:", 3, 9, "YAML"),
        ("a: 1\n\tb: 2\n", 2, None, "YAML"),
        ("a: 'x\n", None, None, "YAML"),
        ("", 1, 1, "empty"),
        ("# only a comment\n", 1, 1, "empty"),
        ("- a\n- b\n", 1, 1, "a list"),
        ("just text\n", 1, 1, "just text"),
        ("a: 1\n---\nb: 2\n", 2, 1, "more than one"),
        ("a: *x\n", 1, 4, "no anchor"),
        ("a: " + "[" * 200, 1, None, "levels"),
        ("a: &a [*a]\n", 1, 8, "inside"),
        ("a: \x01\n", 1, 4, "control"),
        ("\ufeffa: 1\n", 1, 1, "byte order"),
    ],
)
def test_an_unreadable_file_says_where(
    text: str, line: int | None, column: int | None, words: str
) -> None:
    with pytest.raises(FormatError) as caught:
        read_xrdf(SourceText.from_text(text, Path("robot.xrdf")))
    assert words in caught.value.message
    assert caught.value.location.file == "robot.xrdf"
    assert line is None or caught.value.location.line == line
    assert column is None or caught.value.location.column == column
    assert str(caught.value).startswith("robot.xrdf:")


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("a: 1\nb: 2\na: 3\n", "XRDF003", (3, 1)),
        ("colision: {}\n", "XRDF004", (1, 1)),
        ("collision:\n  geometri: g\n", "XRDF004", (2, 3)),
        ("default_joint_positions:\n  a: fast\n", "XRDF005", (2, 6)),
        ("default_joint_positions: [1]\n", "XRDF005", (1, 26)),
        ("default_joint_positions: {a: .nan}\n", "XRDF005", (1, 30)),
        ("default_joint_positions: {a: 1e999}\n", "XRDF005", (1, 30)),
        ("default_joint_positions: {a: '1.5'}\n", "XRDF006", (1, 30)),
        ("default_joint_positions: {a: 1e-04}\n", "XRDF006", (1, 30)),
        ("default_joint_positions: {a: 012}\n", "XRDF006", (1, 30)),
        ("tool_frames: [yes]\n", "XRDF006", (1, 15)),
        ("cspace: 5\n", "XRDF005", (1, 9)),
        ("cspace: {joint_names: a}\n", "XRDF005", (1, 23)),
        ("modifiers: {a: 1}\n", "XRDF201", (1, 12)),
        ("modifiers:\n- {set_base_frame: a, b: 1}\n", "XRDF201", (2, 3)),
        ("modifiers:\n- spin: fast\n", "XRDF202", (2, 3)),
        ("modifiers:\n- add_frame: {frame_name: a}\n", "XRDF203", (2, 14)),
        (
            "modifiers:\n- add_frame: {frame_name: a, parent_frame_name: b, joint_name: c, "
            "fixed_transform: {}}\n",
            "XRDF209",
            (2, 84),
        ),
        ("modifiers:\n- remove_mimic_attributes: {joint_name: a}\n", "XRDF215", (2, 28)),
        ("geometry: [1]\n", "XRDF301", (1, 11)),
        ("geometry: {g: {spheres: [1]}}\n", "XRDF301", (1, 25)),
        (SPHERES + "      - center: [0, 0]\n        radius: 1\n", "XRDF303", (5, 17)),
        (SPHERES + "      - center: [0, 0, 0]\n", "XRDF303", (5, 9)),
        (SPHERES + "      - center: [0, x, 0]\n        radius: 1\n", "XRDF303", (5, 21)),
        ("geometry: {g: {clone: h}}\n", "XRDF310", (1, 23)),
        ("collision: {buffer_distance: {a: x}}\n", "XRDF402", (1, 34)),
        ("collision: {buffer_distance: [1]}\n", "XRDF406", (1, 30)),
        ("self_collision: {ignore: {a: b}}\n", "XRDF503", (1, 30)),
        ("self_collision: {ignore: []}\n", "XRDF503", (1, 26)),
        ("tool_frames: {a: b}\n", "XRDF804", (1, 14)),
        ("tool_frames: [[a]]\n", "XRDF804", (1, 15)),
    ],
)
def test_a_fault_is_told_with_its_rule_and_place(
    text: str, code: str, place: tuple[int, int]
) -> None:
    source = read_xrdf(SourceText.from_text(text))
    findings = [finding for finding in source.findings if finding.code == code]
    assert len(findings) == 1, source.findings
    location = findings[0].location
    assert location is not None
    assert (location.line, location.column) == place


def test_faults_do_not_hide_what_is_right() -> None:
    source = read_xrdf(SourceText.from_text(NASTY))
    xrdf = source.value
    assert xrdf.geometry is not None
    shoulder = xrdf.geometry[0].spheres["shoulder"]
    assert [sphere.radius for sphere in shoulder] == [0.09, 0.05, 0.5, 1.0]
    assert xrdf.geometry[0].spheres["elbow"] is shoulder
    assert xrdf.tool_frames == ()
    assert xrdf.cspace is not None
    assert xrdf.cspace.jerk_limits == (500.0, 500.0)
    codes = sorted(finding.code for finding in source.findings)
    assert codes == ["XRDF004", "XRDF005", "XRDF006", "XRDF303"]


def test_indices_of_the_model_lead_past_unreadable_items() -> None:
    source = read_xrdf(SourceText.from_text(NASTY))
    model = ("geometry", "g", "spheres", "shoulder", 3, "radius")
    path = source.yaml_path(model)
    assert path == ("geometry", "g", "spheres", "shoulder", 4, "radius")
    assert source.model_path(path) == model
    assert source.model_path(("geometry", "g", "spheres", "shoulder", 3)) is None
    assert source.yaml_path(("world_collision", "geometry")) == ("collision", "geometry")
    assert source.model_path(("collision",)) == ("world_collision",)


def test_places_are_found_both_ways() -> None:
    source = read_xrdf(SourceText.from_text("# ü😀\r\n" + NASTY.replace("\n", "\r\n")))
    text = source.source.text
    for path in (
        ("format",),
        ("cspace", "joint_names", 1),
        ("geometry", "g", "spheres", "shoulder", 0, "center", 2),
        ("geometry", "g", "spheres", "wrist", 1, "radius"),
        ("modifiers", 1, "add_frame", "fixed_transform", "orientation", "w"),
    ):
        node, span = source.node(path), source.span(path)
        assert node is not None
        assert span is not None
        assert source.path_at(node.start) == path
        assert source.path_at(span[0]) == path
        location = source.location(path)
        assert location.line == text[: node.start].count("\n") + 1
    assert source.path_at(0) == ()
    assert (
        text[slice(*source.span(("collision", "buffer_distance", "elbow")) or (0, 0))]
        == "elbow:         0.02"
    )
    missing = source.location(("collision", "buffer_distance", "nothing"))
    assert missing == source.location(("collision", "buffer_distance"))


def test_format_and_version_read_the_same_quoted_or_not() -> None:
    for text in ("format_version: 2.0", "format_version: '2.0'", 'format_version: "2.0"  # x'):
        assert read_xrdf(SourceText.from_text(text)).value.format_version == "2.0"


def test_absent_and_empty_are_told_apart() -> None:
    xrdf = read_xrdf(
        SourceText.from_text("tool_frames:\ngeometry: {}\ncspace: {joint_names: ~}\n")
    ).value
    assert (xrdf.tool_frames, xrdf.modifiers, xrdf.geometry) == ((), None, ())
    assert xrdf.cspace is not None
    assert (xrdf.cspace.joint_names, xrdf.cspace.jerk_limits) == ((), None)


def test_findings_name_their_severity() -> None:
    source = read_xrdf(SourceText.from_text("self_collision: {ignore: []}\ntool_frames: {a: b}\n"))
    assert {f.code: f.severity for f in source.findings} == {
        "XRDF503": Severity.WARNING,
        "XRDF804": Severity.ERROR,
    }
