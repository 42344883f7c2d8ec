"""Signatures of ignored pairs: written behind the pair, read again, withdrawn by what the decision
rests on alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import trimesh

import editor_app
from editor_app.__main__ import main
from editor_app.core.document import commands
from editor_app.core.document.state import FileKind
from editor_app.core.model.xrdf import LinkPair
from editor_app.plugins.robot_tests.verbs.sign_pairs import DecisionState, decide_again
from editor_app.plugins.robot_tests.verbs.signatures import PARTS, read_signature

URDF = """<robot name="arm">
<link name="base"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
<link name="upper"><visual><geometry><box size="1 1 1"/></geometry></visual></link>
<link name="fore"><collision><origin xyz="0 0 0.01"/><geometry><mesh filename="fore.stl"/></geometry></collision></link>
<link name="hand"/>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.2"/>
<axis xyz="0 1 0"/><limit lower="-2" upper="2.0" effort="1" velocity="1"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0 0 0.25"/>
<axis xyz="0 1 0"/><limit lower="-2.5" upper="2.5" effort="1" velocity="1"/></joint>
<joint name="wrist" type="revolute"><parent link="fore"/><child link="hand"/><origin xyz="0 0 0.3"/>
<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>
"""
XRDF = """format: xrdf
format_version: 1.0
cspace:
  joint_names: [shoulder, elbow, wrist]
  acceleration_limits: [1, 1, 1]
  jerk_limits: [1, 1, 1]
self_collision:
  geometry: balls
  buffer_distance: {base: 0.01}
  ignore:
    base: [upper, fore]  # seen in the cell
    upper: [fore]
    fore:
      - hand  # Adjacent
geometry:
  balls:
    spheres:
      base: [{center: [0, 0, 0], radius: 0.1}]
      upper: [{center: [0, 0, 0.1], radius: 0.05}]
      fore: [{center: [0, 0, 0.1], radius: 0.05}, {center: [0, 0, 0.2], radius: 0.05}]
      hand: [{center: [0, 0, 0], radius: 0.05}]
"""
SRDF = """<robot name="arm"><!-- kept -->
  <disable_collisions link1="base" link2="upper" reason="Adjacent"/>
  <disable_collisions link1="base" link2="fore" reason="User"/>
</robot>
"""
PAIR = LinkPair.of("base", "fore")
WHO: dict[str, Any] = {"by": "A. Meyer", "reason": "the cell has a stop", "date": "2026-11-29"}


def write(folder: Path, srdf: bool = False) -> Path:
    folder.mkdir()
    trimesh.creation.box((0.05, 0.05, 0.2)).export(folder / "fore.stl")
    (folder / "arm.urdf").write_text(URDF)
    (folder / ("arm.srdf" if srdf else "arm.xrdf")).write_text(SRDF if srdf else XRDF)
    if srdf:
        # Spheres without a mask: the SRDF has it.
        text = XRDF[: XRDF.index("self_collision")] + XRDF[XRDF.index("geometry:\n  balls") :]
        (folder / "arm.xrdf").write_text(
            text.replace("geometry:\n", "collision:\n  geometry: balls\ngeometry:\n", 1)
        )
    return folder / "arm.urdf"


@pytest.fixture
def signed(tmp_path: Path) -> Path:
    """An arm whose pair of base and fore is signed."""
    urdf = write(tmp_path / "arm")
    document = editor_app.open_robot(urdf)
    document.execute(editor_app.sign_pairs(document, [PAIR], **WHO))
    editor_app.save(document)
    return urdf


def decision(robot: Path | editor_app.Document, pair: LinkPair = PAIR) -> Any:
    document = robot if isinstance(robot, editor_app.Document) else editor_app.open_robot(robot)
    review = editor_app.review_mask(document, samples=300, certify=0.0)
    return next(each for each in review.decisions if each.pair == pair)


def test_a_signature_is_a_comment_that_is_read_again(signed: Path) -> None:
    text = signed.with_suffix(".xrdf").read_text()
    line = next(line for line in text.splitlines() if "signed" in line)
    assert line.startswith("      - fore  # the cell has a stop; signed A. Meyer 2026-11-29 sha:")
    # Everything else keeps its bytes; the comment about the list stays behind its key.
    others = [each for each in text.splitlines() if "signed" not in each]
    assert (
        others
        == XRDF.replace(
            "base: [upper, fore]  # seen in the cell", "base:  # seen in the cell\n      - upper"
        ).splitlines()
    )
    result = decision(signed)
    assert (result.state, result.signature.name, result.signature.date) == (
        DecisionState.SIGNED, "A. Meyer", "2026-11-29"
    )  # fmt: skip
    assert result.signature.reason == "the cell has a stop"
    assert decision(signed, LinkPair.of("base", "upper")).state is DecisionState.ADJACENT


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ('xyz="0 0 0.25"', 'xyz="0 0 0.2501"', 0),
        ('<origin xyz="0 0 0.2"/>', '<origin xyz="0 0 0.2" rpy="0 0 0.001"/>', 0),
        ('0.25"/>\n<axis xyz="0 1 0"/>', '0.25"/>\n<axis xyz="0 -1 0"/>', 0),
        ('upper="2.0"', 'upper="2.1"', 1),
        ('lower="-2.5"', 'lower="-2.4"', 1),
        (
            "base: [{center: [0, 0, 0], radius: 0.1}]",
            "base: [{center: [0, 0, 0], radius: 0.11}]",
            2,
        ),
        ("{center: [0, 0, 0.2], radius: 0.05}", "{center: [0, 0.01, 0.2], radius: 0.05}", 2),
        (", {center: [0, 0, 0.2], radius: 0.05}]", "]", 2),
        ("{base: 0.01}", "{base: 0.02}", 2),
        ("{base: 0.01}", "{base: 0.01, fore: 0.001}", 2),
        ('size="0.1 0.1 0.1"', 'size="0.1 0.1 0.2"', 3),
        ('<origin xyz="0 0 0.01"/>', '<origin xyz="0 0 0.02"/>', 3),
        ('filename="fore.stl"', 'filename="fore.stl" scale="1 1 1.1"', 3),
        ('filename="fore.stl"', 'filename="none.stl"', 3),
    ],
)
def test_a_change_of_what_the_decision_rests_on_withdraws_it(
    signed: Path, old: str, new: str, part: int
) -> None:
    files = [signed, signed.with_suffix(".xrdf")]
    assert sum(file.read_text().count(old) for file in files) == 1
    for file in files:
        file.write_text(file.read_text().replace(old, new))
    result = decision(signed)
    assert result.state is DecisionState.WITHDRAWN
    assert result.changed == (PARTS[part],)
    assert result.is_open
    assert f"withdrawn: {PARTS[part]} changed since" in result.sentence


def test_another_mesh_in_the_same_file_withdraws_it(signed: Path) -> None:
    trimesh.creation.box((0.05, 0.05, 0.3)).export(signed.with_name("fore.stl"))
    assert decision(signed).changed == (PARTS[3],)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('upper="2.0"', 'upper="2"'),
        ('xyz="0 0 0.25"', 'xyz="0 0 2.5e-1"'),
        ('lower="-1"', 'lower="-0.5"'),
        ('size="1 1 1"', 'size="2 1 1"'),
        ('xyz="0 0 0.3"', 'xyz="0 0 0.4"'),
        (
            "upper: [{center: [0, 0, 0.1], radius: 0.05}]",
            "upper: [{center: [0, 0, 0.1], radius: 0.06}]",
        ),
        ("upper: [fore]", "upper: [fore]  # Adjacent"),
        ("acceleration_limits: [1, 1, 1]", "acceleration_limits: [2, 2, 2]"),
        (
            "{center: [0, 0, 0.1], radius: 0.05}, {center: [0, 0, 0.2], radius: 0.05}",
            "{center: [0, 0, 0.2], radius: 0.05}, {center: [0, 0, 0.10], radius: 0.05}",
        ),
    ],
)
def test_other_changes_leave_it(signed: Path, old: str, new: str) -> None:
    for file in (signed, signed.with_suffix(".xrdf")):
        file.write_text(file.read_text().replace(old, new))
    assert decision(signed).state is DecisionState.SIGNED


def test_edits_here_keep_the_signature_of_other_pairs_and_names_may_change(signed: Path) -> None:
    document = editor_app.open_robot(signed)
    document.execute(commands.RenameJoint("elbow", "bend"))
    document.execute(commands.SetMask(pairs=(LinkPair.of("base", "hand"),)))
    document.execute(commands.RenameLink("fore", "forearm"))
    assert decision(document, LinkPair.of("base", "forearm")).state is DecisionState.SIGNED
    editor_app.save(document)
    assert "# the cell has a stop; signed A. Meyer" in signed.with_suffix(".xrdf").read_text()
    assert decision(signed, LinkPair.of("base", "forearm")).state is DecisionState.SIGNED


def test_signing_is_one_step_that_undo_takes_back(tmp_path: Path) -> None:
    document = editor_app.open_robot(write(tmp_path / "arm"))
    before = document.xrdf_text
    step = editor_app.sign_pairs(document, [PAIR, LinkPair.of("fore", "upper")], **WHO)
    document.execute(step)
    assert document.xrdf_text.count("signed A. Meyer") == 2
    document.undo()
    assert document.xrdf_text == before
    document.redo()
    again = editor_app.sign_pairs(document, [PAIR], by="B", date="2026-12-01")
    document.execute(again)
    signature = decision(document).signature
    assert (signature.name, signature.reason) == ("B", "the cell has a stop")
    assert document.xrdf_text.count("signed ") == 2


def test_an_srdf_has_it_in_its_reason(tmp_path: Path) -> None:
    urdf = write(tmp_path / "arm", srdf=True)
    document = editor_app.open_robot(urdf)
    step = editor_app.sign_pairs(document, [PAIR], file=editor_app.MaskFile.SRDF, **WHO)
    document.execute(step)
    text = document.text(FileKind.SRDF) or ""
    assert text.count("signed") == 1
    assert 'reason="the cell has a stop; signed A. Meyer 2026-11-29 sha:' in text
    assert text.splitlines()[0] == SRDF.splitlines()[0]
    document.undo()
    assert document.text(FileKind.SRDF) == SRDF


@pytest.mark.parametrize(
    ("text", "name", "reason", "has_digests"),
    [
        ("touches on purpose; signed A. Meyer 2026-11-29", "A. Meyer", "touches on purpose", False),
        ("signed B 2026-11-29 by design", "B", "by design", False),
        ("Signed C. D., 2026-11-29", "C. D.", "", False),
        (f"x; signed E 2026-11-29 sha:{'-'.join(['0a1b2c3d'] * 4)}", "E", "x", True),
    ],
)
def test_signatures_by_hand_are_read(text: str, name: str, reason: str, has_digests: bool) -> None:
    signature = read_signature(text)
    assert signature is not None
    assert (signature.name, signature.reason, bool(signature.digests)) == (
        name,
        reason,
        has_digests,
    )
    assert not signature.is_damaged


def test_a_damaged_digest_does_not_hold(signed: Path) -> None:
    xrdf = signed.with_suffix(".xrdf")
    xrdf.write_text(xrdf.read_text().replace("sha:", "sha:x"))
    assert decision(signed).changed == ("the signature itself",)
    assert read_signature("signed 2026") is None
    assert read_signature("unsigned A 2026-11-29") is None


def test_the_test_of_the_mask_and_check_name_what_withdrew_it(signed: Path) -> None:
    suite = (
        "format: robot-tests\nformat_version: 1\ntests:\n  - name: Decided\n    mask: {samples: "
        "300, seconds: 0}\n"
    )
    document = editor_app.open_robot(signed)
    assert editor_app.test_robot(document, editor_app.read_suite(suite, document.robot)).is_passed
    signed.write_text(URDF.replace('upper="2.0"', 'upper="2.1"'))
    document = editor_app.open_robot(signed)
    (failed,) = editor_app.test_robot(document, editor_app.read_suite(suite, document.robot)).failed
    assert failed.pair == ("base", "fore")
    assert "withdrawn: joint limits changed since" in failed.sentence
    (finding,) = [each for each in editor_app.check(document, slow=True) if each.code == "TEST021"]
    assert "joint limits changed since" in finding.message
    assert finding.path == ("self_collision", "ignore", "base", 1)


@pytest.mark.parametrize(
    ("pairs", "more", "message"),
    [
        ([LinkPair.of("base", "hand")], {}, "does not ignore base and hand"),
        ([PAIR], {"by": " "}, "needs a name"),
        ([PAIR], {"by": "A\n"}, None),
        ([PAIR], {"by": "A\nB"}, "needs a name"),
        ([PAIR], {"reason": "x sha:1"}, "needs a name"),
        ([PAIR], {"reason": ""}, "has no reason yet"),
        ([PAIR], {"date": "29.11.2026"}, "must look like"),
        ([], {}, "no pairs"),
    ],
)
def test_signatures_without_their_parts_are_refused(
    tmp_path: Path, pairs: list[LinkPair], more: dict[str, Any], message: str | None
) -> None:
    document = editor_app.open_robot(write(tmp_path / "arm"))
    if message is None:
        assert editor_app.sign_pairs(document, pairs, **{**WHO, **more})
        return
    with pytest.raises(editor_app.Refused, match=message):
        editor_app.sign_pairs(document, pairs, **{**WHO, **more})


def test_the_command_signs_reports_and_fails_on_open_pairs(tmp_path: Path, capsys: Any) -> None:
    urdf = write(tmp_path / "arm")
    words = ["sign", str(urdf), "--samples", "300", "--certify", "0"]
    assert main(words) == 1
    assert "open: base and fore: no signature" in capsys.readouterr().out
    who = [
        "--by",
        "A. Meyer",
        "--reason",
        "the cell has a stop",
        "--date",
        "2026-11-29",
        "--in-place",
    ]
    assert main([*words, "--pair", "fore", "base", *who]) == 0
    document = editor_app.open_robot(write(tmp_path / "other"))
    document.execute(editor_app.sign_pairs(document, [PAIR], **WHO))
    editor_app.save(document)
    # The command and the verb write the same bytes.
    assert urdf.with_suffix(".xrdf").read_bytes() == (tmp_path / "other" / "arm.xrdf").read_bytes()
    capsys.readouterr()
    urdf.write_text(URDF.replace('upper="2.0"', 'upper="2.1"'))
    assert main([*words, "--format", "json"]) == 1
    record = json.loads(capsys.readouterr().out)
    (pair,) = [each for each in record["pairs"] if each["signed_by"]]
    assert (pair["state"], pair["changed"], pair["names"]) == (
        "withdrawn",
        ["joint limits"],
        ["base", "fore"],
    )
    assert main([*words, "--format", "html", "--no-pictures"]) == 1
    page = capsys.readouterr().out
    assert "A. Meyer" in page
    assert "joint limits" in page
    assert main([*words, "--again", "--by", "B", "--in-place"]) == 0
    assert "# the cell has a stop; signed B " in urdf.with_suffix(".xrdf").read_text()


def test_proven_pairs_are_signed_at_once(tmp_path: Path, capsys: Any) -> None:
    urdf = write(tmp_path / "arm")
    xrdf = urdf.with_suffix(".xrdf")
    # An elbow that hardly bends: base and fore stay apart.
    urdf.write_text(URDF.replace('lower="-2.5" upper="2.5"', 'lower="-0.1" upper="0.1"'))
    words = [
        "sign",
        str(urdf),
        "--samples",
        "300",
        "--certify",
        "2",
        "--all-proven",
        "--by",
        "A",
        "--in-place",
    ]
    assert main(words) == 0
    capsys.readouterr()
    assert "proven to stay" in xrdf.read_text()
    before = xrdf.read_bytes()
    document = editor_app.open_robot(urdf)
    review = editor_app.review_mask(document, samples=300, certify=2.0)
    assert [
        each.state for each in decide_again(document, review).decisions if each.pair == PAIR
    ] == [DecisionState.SIGNED]
    assert main(words) == 2
    assert "no pairs to sign" in capsys.readouterr().err
    assert xrdf.read_bytes() == before
