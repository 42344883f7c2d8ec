"""Masks are literal, so they follow the links: what a command makes adjacent is ignored, what it
parts is checked."""

from __future__ import annotations

from pathlib import Path

import pytest

import editor_app
from editor_app.cli import run_command
from editor_app.core.document import commands
from editor_app.core.document.commands.fields import OfJoint
from editor_app.core.document.document import Document
from editor_app.core.model.origin import Origin
from editor_app.core.model.robot import Change
from editor_app.core.model.urdf import Ball, Collision, Joint, JointType, Link
from editor_app.core.model.xrdf import LinkPair
from tests.helpers.sphere_robots import BRACKET, MAST, Boxes, Joints, box_files

#: base - wrist - flange - bracket, the last one bolted on.
CHAIN = "{base: [wrist], wrist: [flange], flange: [bracket]}"
SRDF = """<robot name="boxes">
  <disable_collisions link1="base" link2="wrist" reason="Adjacent"/>
  <disable_collisions link1="wrist" link2="flange" reason="Adjacent"/>
  <disable_collisions link1="flange" link2="bracket" reason="Adjacent"/>
  <disable_collisions link1="base" link2="bracket" reason="User"/>
</robot>
"""
CHAINED = {("base", "wrist"), ("flange", "wrist"), ("bracket", "flange")}


@pytest.fixture
def robot(tmp_path: Path) -> Document:
    files = box_files(tmp_path, BRACKET, CHAIN)
    (tmp_path / "r.srdf").write_text(SRDF, encoding="utf-8")
    return editor_app.open_robot(*files, tmp_path / "r.srdf")


def ignored(document: Document) -> set[tuple[str, str]]:
    return {(pair.first, pair.second) for pair in document.robot.xrdf.ignored_pairs()}


def disabled(document: Document) -> dict[tuple[str, str], str | None]:
    assert document.robot.srdf is not None
    return {(p.pair.first, p.pair.second): p.reason for p in document.robot.srdf.disabled_pairs}


def added(link: str, parent: str, kind: JointType = JointType.FIXED) -> commands.AddLink:
    return commands.AddLink(
        Link(link, collisions=(Collision(Ball(0.01)),)), Joint(f"{link}_joint", kind, parent, link)
    )


#: The change, the pairs that it adds to the mask, and those that it takes out of it.
CHANGES: dict[str, tuple[Change, set[tuple[str, str]], set[tuple[str, str]]]] = {
    "add": (added("probe", "bracket"), {("bracket", "probe")}, set()),
    "add without shapes": (commands.AddLink(Link("tcp"), Joint("t", JointType.FIXED, "flange", "tcp")), set(), set()),
    "add loosely": (added("probe", "base", JointType.FLOATING), set(), set()),
    "split": (commands.SplitLink("wrist", (), (0,), "motor", "m"), {("motor", "wrist")}, set()),
    "insert": (commands.InsertLink("j2", "adapter", "a"), set(), set()),
    "remove": (commands.RemoveLink("bracket"), set(), {("bracket", "flange")}),
    "remove "
    "with "
    "what "
    "it "
    "carries": (commands.RemoveLink("flange"), set(), {("flange", "wrist"), ("bracket", "flange")}),
    "remove between": (
        commands.RemoveLink("flange", keep_children=True),
        {("bracket", "wrist")},
        {("flange", "wrist"), ("bracket", "flange")},
    ),
    "duplicate": (
        commands.DuplicateBranch("flange", "_2"),
        {("flange_2", "wrist"), ("bracket_2", "flange_2")},
        set(),
    ),
    "hang "
    "elsewhere": (commands.SetParent("bolt", "base"), {("base", "bracket")}, {("bracket", "flange")}),
    "hang within "
    "a rigid "
    "group": (commands.SetParent("j2", "base"), {("base", "flange")}, {("flange", "wrist")}),
    "come loose": (commands.SetField(OfJoint("j2"), "type", JointType.FLOATING), set(), {("flange", "wrist")}),
    "rename": (commands.RenameLink("flange", "plate"), {("plate", "wrist"), ("bracket", "plate")}, {
        ("flange", "wrist"), ("bracket", "flange"),
    }),
    "world": (commands.AttachToWorld(), set(), set()),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_masks_follow_in_the_same_step(robot: Document, name: str) -> None:
    change, gained, lost = CHANGES[name]
    before = texts_of(robot)
    robot.execute(change)
    assert ignored(robot) == CHAINED - lost | gained
    reasons = disabled(robot)
    # A pair that a person disabled stays so, as long as both links are there.
    others = {("base", "bracket")} if robot.robot.urdf.link("bracket") is not None else set()
    assert set(reasons) == CHAINED - lost | gained | others
    assert all(reasons[pair] == "Adjacent" for pair in gained - others)
    assert robot.position == 1
    robot.undo()
    assert ignored(robot) == CHAINED
    assert texts_of(robot) == before


def texts_of(document: Document) -> tuple[str, str]:
    return document.xrdf_text, document.urdf_now.source.text


def test_a_link_that_gets_its_first_shape_is_ignored_against_its_neighbours(tmp_path: Path) -> None:
    boxes, joints = BRACKET
    bare: Boxes = {**boxes, "flange": None}
    document = editor_app.open_robot(
        *box_files(tmp_path, (bare, joints), "{base: [wrist], wrist: [bracket]}")
    )
    flange = document.robot.urdf.link("flange")
    assert flange is not None
    document.execute(
        commands.SetLink("flange", Link("flange", collisions=(Collision(Ball(0.02)),)))
    )
    # The bracket is not adjacent to the wrist any more: a joint and a body are between them.
    assert ignored(document) == CHAINED
    document.execute(commands.SetLink("flange", Link("flange")))
    assert ("bracket", "wrist") in ignored(document)


def test_links_that_are_no_longer_rigid_are_checked_again(tmp_path: Path) -> None:
    boxes, joints = BRACKET
    lens: Boxes = {**boxes, "lens": ((0.01, 0.01, 0.01), (0.0, 0.0, 0.0))}
    more: Joints = (
        *joints,
        ("screw", "fixed", "bracket", "lens", (0.0, 0.0, 0.0), (0, 0, 1), (-1.0, 1.0)),
    )
    mask = "{base: [wrist], wrist: [flange], flange: [bracket, lens], bracket: [lens]}"
    document = editor_app.open_robot(*box_files(tmp_path, (lens, more), mask))
    document.execute(commands.SetParent("screw", "flange"))
    assert ("bracket", "lens") in ignored(document), "nothing moves them against each other"
    document.execute(commands.SetField(OfJoint("screw"), "type", JointType.REVOLUTE))
    assert ("flange", "lens") in ignored(document)
    assert ("bracket", "lens") not in ignored(document), "the lens turns"


def test_a_draft_without_a_mask_gets_none(tmp_path: Path) -> None:
    document = editor_app.open_robot(*box_files(tmp_path, BRACKET, None))
    document.execute(added("probe", "bracket"))
    assert document.robot.xrdf.self_collision is None


def test_a_mask_that_ignores_nothing_gets_the_pair_of_the_new_link(tmp_path: Path) -> None:
    document = editor_app.open_robot(*box_files(tmp_path, BRACKET, "{}"))
    document.execute(added("probe", "bracket"))
    assert ignored(document) == {("bracket", "probe")}
    document.execute(commands.RemoveLink("probe"))
    assert ignored(document) == set()


def test_where_pairs_have_reasons_new_ones_have_theirs(tmp_path: Path) -> None:
    urdf, xrdf = box_files(tmp_path, BRACKET, "{}")
    pairs = (
        ("base", "wrist", "adjacent"),
        ("wrist", "flange", "adjacent"),
        ("flange", "bracket", "rigid"),
    )
    mask = (
        "".join(f"\n    {first}:\n    - {second}  # {reason}" for first, second, reason in pairs)
        + "\n"
    )
    text = xrdf.read_text(encoding="utf-8").replace(
        "{geometry: g, ignore: {}}", f"\n  geometry: g\n  ignore:{mask}"
    )
    xrdf.write_text(text, encoding="utf-8")
    document = editor_app.open_robot(urdf, xrdf)
    document.execute(added("probe", "bracket"))
    document.execute(added("arm", "base", JointType.CONTINUOUS))
    lines = [line.strip() for line in document.xrdf_text.splitlines()]
    assert "- probe  # rigid" in lines
    assert "- arm  # adjacent" in lines


def test_command_line_and_scripts_write_the_same_bytes(tmp_path: Path) -> None:
    files = box_files(tmp_path, BRACKET, CHAIN)
    srdf = tmp_path / "r.srdf"
    srdf.write_text(SRDF, encoding="utf-8")
    args = [
        "--add-link",
        "probe=bracket",
        "--shape",
        "probe=sphere,0.01",
        "--set-parent",
        "probe=flange",
    ]
    assert (
        run_command("edit", [*map(str, files), str(srdf), *args, "-o", str(tmp_path / "out.urdf")])
        == 0
    )
    document = editor_app.open_robot(*files, srdf)
    document.execute(
        editor_app.new_link(document.robot, editor_app.NewLink("probe", "bracket")).change
    )
    ball = Ball(0.01)
    link = document.robot.urdf.link("probe")
    assert link is not None
    visual = editor_app.urdf.Visual(ball)
    document.execute(
        commands.SetLink("probe", Link("probe", visuals=(visual,), collisions=(Collision(ball),)))
    )
    assert ("bracket", "probe") in ignored(document)
    document.execute(commands.SetParent("probe_joint", "flange", keep_place=True))
    assert document.xrdf_text == (tmp_path / "out.xrdf").read_text(encoding="utf-8")
    assert document.srdf_text == (tmp_path / "out.srdf").read_text(encoding="utf-8")
    again = editor_app.open_robot(
        tmp_path / "out.urdf", tmp_path / "out.xrdf", tmp_path / "out.srdf"
    )
    assert ignored(again) == {*CHAINED, ("bracket", "probe"), ("flange", "probe")}, (
        "both are in its rigid group"
    )


@pytest.mark.parametrize("with_srdf", [False, True])
def test_an_attached_part_without_spheres_is_ignored_against_its_mount(
    tmp_path: Path, *, with_srdf: bool
) -> None:
    files = [*box_files(tmp_path, BRACKET, CHAIN)]
    if with_srdf:
        (tmp_path / "r.srdf").write_text(SRDF, encoding="utf-8")
        files.append(tmp_path / "r.srdf")
    cup = tmp_path / "cup.urdf"
    shape = '<collision><geometry><sphere radius="0.02"/></geometry></collision>'
    cup.write_text(f'<robot name="cup"><link name="cup">{shape}</link></robot>', encoding="utf-8")
    base = editor_app.open_robot(*files)
    part = editor_app.Attachment(
        editor_app.open_robot(cup, new_xrdf=True), "bracket", xyz=(0.0, 0.0, 0.1)
    )
    both = editor_app.compose(base, [part], tmp_path / "both.urdf", samples=100, certify=0)
    pairs = {(pair.first, pair.second) for pair in both.robot.xrdf.ignored_pairs()}
    assert pairs >= {*CHAINED, ("bracket", "cup")}
    if with_srdf:
        assert both.robot.srdf is not None
        reasons = {p.pair: p.reason for p in both.robot.srdf.disabled_pairs}
        assert reasons[LinkPair.of("bracket", "cup")] == "Adjacent"
    else:
        assert pairs == {*CHAINED, ("bracket", "cup")}, "nothing else was compared"


def test_what_hung_on_a_merged_link_is_ignored_against_its_new_parent(tmp_path: Path) -> None:
    boxes, joints = BRACKET
    tip: Boxes = {**boxes, "bracket": None, "tip": ((0.01, 0.01, 0.01), (0.0, 0.0, 0.0))}
    more: Joints = (
        *joints,
        ("j3", "revolute", "bracket", "tip", (0.0, 0.0, 0.0), (0, 0, 1), (-1.0, 1.0)),
    )
    urdf, xrdf = box_files(tmp_path, (tip, more), CHAIN.replace("}", ", bracket: [tip]}"))
    shape = (
        '<link name="bracket"><collision><geometry><box size="0.01 0.01 '
        '0.01"/></geometry></collision></link>'
    )
    urdf.write_text(
        urdf.read_text(encoding="utf-8").replace('<link name="bracket"></link>', shape),
        encoding="utf-8",
    )
    document = editor_app.open_robot(urdf, xrdf)
    document.execute(commands.MergeLinks(("bracket",)))
    assert ignored(document) == {("base", "wrist"), ("flange", "wrist"), ("flange", "tip")}


def test_joints_that_exchange_links_exchange_their_pairs(tmp_path: Path) -> None:
    document = editor_app.open_robot(*box_files(tmp_path, MAST, "{base: [mast, a], a: [b]}"))
    document.execute(commands.SetChild("j2", "mast"))
    assert ignored(document) == {("a", "base"), ("a", "mast"), ("b", "base")}


def test_a_calibrated_origin_changes_no_mask(robot: Document) -> None:
    xrdf = robot.robot.xrdf
    robot.execute(commands.SetField(OfJoint("j2"), "origin", Origin((0.0, 0.0, 0.2))))
    assert robot.robot.xrdf is xrdf
