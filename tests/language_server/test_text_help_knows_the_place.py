"""Completion and hover of an XRDF: what belongs at a place is offered, also while the text cannot
be read."""

from __future__ import annotations

import pytest

from editor_app.core.document.state import FileKind
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.xrdf import SECTION_ORDER, read_xrdf
from editor_app.core.formats.xrdf.vocabulary import PLACES, XRDF_VOCABULARY
from editor_app.core.model.keys import Named
from editor_app.core.model.robot import RobotDescription
from editor_app.core.text.source import SourceText
from editor_app.core.text.yaml.nodes import Mapping, Sequence, walk_nodes
from editor_app.core.verbs.text_help import (
    NamedThing,
    complete_word,
    definition_in,
    hover,
    named_at,
)
from tests.helpers.small_robot import URDF_TEXT, XRDF_TEXT

ROBOT = RobotDescription(
    read_urdf(SourceText.from_text(URDF_TEXT)).value,
    read_xrdf(SourceText.from_text(XRDF_TEXT)).value,
)
HEAD = "format: xrdf\nformat_version: 1.0\n"


def _labels(text: str) -> list[str]:
    """What is offered at the mark `|`."""
    offset = text.index("|")
    return [item.label for item in complete_word(text.replace("|", ""), offset, ROBOT).items]


def _taken(text: str, label: str) -> str:
    """The text after one of the offers at `|` was taken."""
    offset = text.index("|")
    text = text.replace("|", "")
    offered = complete_word(text, offset, ROBOT)
    (item,) = [item for item in offered.items if item.label == label]
    return text[: offered.start] + item.insert + text[offered.end :]


def test_a_name_in_an_open_quotation_closes_it() -> None:
    assert _taken('tool_frames: ["hammer", "ha|', "hand") == 'tool_frames: ["hammer", "hand"'
    assert _taken("tool_frames: ['ha|'", "hand") == "tool_frames: ['hand'"


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("tool_frames: [t|", ["tcp"]),
        ("tool_frames: [ham, ha|", ["hand"]),
        ("tool_frames:\n  - fing|", ["finger_a", "finger_b"]),
        ("tool_frames:\n  - 'fing|'\ncspace: [unfinished", ["finger_a", "finger_b"]),
        # A fixed joint cannot be controlled, and slide_b follows another one.
        ("cspace:\n  joint_names: [|", ["j1", "j2", "slide_a"]),
        # A name stands once in a list: what it has already, before or behind, is not offered.
        ("cspace:\n  joint_names: ['j1', |", ["j2", "slide_a"]),
        ("cspace:\n  joint_names: [|, j2, 'slide_a']\n  jerk_limits: [1]\n", ["j1"]),
        ("cspace:\n  joint_names: [\n    |,\n    j2, # the elbow\n    slide_a\n  ]\n", ["j1"]),
        ("cspace:\n  joint_names: [|\ntool_frames: [j1, j2]\n", ["j1", "j2", "slide_a"]),
        (
            'cspace:\n  joint_names:\n    - "j1"\n    - "|"\n    - j2 # the elbow\n  jerk_limits: '
            "[1]",
            ["slide_a"],
        ),
        ("cspace:\n  joint_names:\n  - |\n\n  - j2\ntool_frames:\n- j1\n", ["j1", "slide_a"]),
        ("tool_frames: [hand|]", ["hand"]),
        ("default_joint_positions:\n  |\n  j2: 1\n", ["j1", "slide_a"]),
        ("default_joint_positions:\n  j1: 0\n  |", ["j2", "slide_a"]),
        ("default_joint_positions: {j1: 0, |", ["j2", "slide_a"]),
        ("cspace:\n  jer|", ["jerk_limits"]),
        ("cspace:\n  jerk_limits: [1]\n  |\n  joint_names: []\n", ["acceleration_limits"]),
        ("modifiers:\n  - remove_mimic_attributes:\n      joint_name: |", ["slide_b"]),
        ("modifiers:\n  - set|", ["set_base_frame"]),
        ("modifiers:\n  - add_frame:\n      parent_frame_name: up|", ["upper"]),
        ("modifiers:\n  - add_frame: {joint_type: |", ["FIXED"]),
        ("collision:\n  geometry: |", [group.name for group in ROBOT.xrdf.geometry or ()]),
        ("self_collision:\n  ignore:\n    base: [upper, fo|", ["fore"]),
        ("self_collision:\n  buffer_distance:\n    finger_a: 0.1\n    fin|", ["finger_b"]),
        ("geometry:\n  g:\n    spheres:\n      hand:\n        - {center: [0, 0, 0], |", ["radius"]),
        ("geometry:\n  g:\n    spheres:\n      han|", ["hand"]),
        # Clones are of 2.0; what a group is called is its own affair.
        ("geometry:\n  g:\n    |", ["spheres"]),
        ("tool_frames: [hand] # |", []),
        ("geometry:\n  g:\n    spheres:\n      hand:\n        - radius: |", []),
    ],
)
def test_what_belongs_at_a_place_is_offered_and_nothing_else(text: str, labels: list[str]) -> None:
    assert _labels(HEAD + text) == labels


def test_sections_are_offered_by_any_part_of_their_name_the_beginning_first() -> None:
    assert _labels("co|") == ["collision", "self_collision"]
    present = set(_labels("|\ncspace:\n  joint_names: [j1]\n"))
    assert present == set(SECTION_ORDER) - {"cspace", "world_collision"}


@pytest.mark.parametrize(
    ("text", "label", "after"),
    [
        ("cspa|", "cspace", "cspace:\n  "),
        ("cspace:\n  joi|", "joint_names", "cspace:\n  joint_names:"),
        ("cspace:\n  joi|: [j1]", "joint_names", "cspace:\n  joint_names: [j1]"),
        ("format: x|", "xrdf", "format: xrdf"),
        ("tool_frames: ['ha|']", "hand", "tool_frames: ['hand']"),
        ("default_joint_positions: {|", "j1", "default_joint_positions: {j1: "),
    ],
)
def test_an_offer_that_is_taken_replaces_the_word(text: str, label: str, after: str) -> None:
    assert _taken(text, label) == after


def test_a_name_that_yaml_would_take_for_something_else_is_written_in_quotes() -> None:
    urdf = read_urdf(
        SourceText.from_text('<robot name="r"><link name="yes"/><link name="1.0"/></robot>')
    ).value
    robot = RobotDescription(urdf, ROBOT.xrdf)
    text = "tool_frames:\n  - "
    inserted = [item.insert for item in complete_word(text, len(text), robot).items]
    assert inserted[:2] == ['"yes"', '"1.0"']


def _hover(text: str) -> str:
    offset = text.index("|")
    bubble = hover(text.replace("|", ""), offset, ROBOT)
    return "\n".join(bubble.lines) if bubble else ""


def test_hovering_says_what_a_name_is_and_what_a_key_means_with_its_unit() -> None:
    assert _hover("cspace:\n  joint_names: [j|1]").startswith(
        "Joint j1: revolute, from base to upper\nLimits -3 rad"
    )
    assert "Mimics slide_a" in _hover("default_joint_positions: {slide_b|: 0}")
    assert _hover("tool_frames: ['h|and']").startswith("Link hand: child of fore by wrist (fixed)")
    assert "added by this XRDF, fixed to hand" in _hover("tool_frames: [tc|p]")
    assert "rad/s³" in _hover("cspace:\n  jerk_li|mits: [1")
    assert _hover("geometry: {g: {spheres: {hand: [{center: [0, 0.|1").startswith(
        "center: x, y, z in the frame. [m]"
    )
    assert _hover("nobody: kn|ows") == ""


def test_names_are_told_apart_from_what_they_are_given() -> None:
    text = XRDF_TEXT
    given = named_at(text, text.index("tcp   #"))
    assert given is not None
    assert (given.kind, given.name, given.is_definition) == (Named.LINK, "tcp", True)
    used = named_at(text, text.index('"tcp"') + 2)
    assert used is not None
    assert (used.kind, used.name, used.is_definition) == (Named.LINK, "tcp", False)
    assert text[used.start : used.end] == "tcp"
    assert named_at(text, text.index("12.0")) is None


def test_every_key_of_a_real_file_has_a_meaning() -> None:
    source = read_xrdf(SourceText.from_text(XRDF_TEXT))
    told = [
        XRDF_VOCABULARY.place_at(path)
        for path, node in walk_nodes(source.root)
        if path and isinstance(path[-1], str)
    ]
    assert None not in told
    shapes = {"list": Sequence, "mapping": Mapping}
    for path, node in walk_nodes(source.root):
        place = XRDF_VOCABULARY.place_at(path)
        if place is not None and place.shape in shapes:
            assert isinstance(node, shapes[place.shape]), path


def test_every_place_is_reached_through_its_keys() -> None:
    head = (
        "format",
        "format_version",
        "modifiers",
        "default_joint_positions",
        "cspace",
        "tool_frames",
    )
    assert (*head, "collision", "world_collision", "self_collision", "geometry") == SECTION_ORDER
    for pattern in PLACES:
        assert not pattern[:-1] or pattern[:-1] in PLACES or pattern[-2] == "#", pattern


@pytest.mark.parametrize(
    ("text", "kind", "thing", "before"),
    [
        (
            "collision: {geometry: g}\ngeometry:\n  g:\n    spheres: {}\n",
            FileKind.XRDF,
            Named.GEOMETRY_GROUP,
            "geometry:\n  ",
        ),
        # The text below need not be readable.
        (
            'a: g\ngeometry:\n  "g":\n    spheres: [[',
            FileKind.XRDF,
            Named.GEOMETRY_GROUP,
            'geometry:\n  "',
        ),
        (
            "modifiers:\n  - add_frame:\n      frame_name: g\n",
            FileKind.XRDF,
            Named.LINK,
            "frame_name: ",
        ),
        (
            '<robot><!-- <link name="g"/> --><parent link="g"/><link name="g"/>',
            FileKind.URDF,
            Named.LINK,
            '"/><link name="',
        ),
        ("<robot><joint type='fixed' name='g'>", FileKind.URDF, Named.JOINT, "type='fixed' name='"),
        (
            '<group_state group="g"/><group name="g">',
            FileKind.SRDF,
            Named.SRDF_GROUP,
            '<group name="',
        ),
    ],
)
def test_a_definition_is_found_in_its_text(
    text: str, kind: FileKind, thing: Named, before: str
) -> None:
    start = text.index(before) + len(before)
    assert definition_in(text, NamedThing(thing, "g", 0, 0), kind) == (start, start + 1)
    assert definition_in(text, NamedThing(thing, "h", 0, 0), kind) is None
