"""Audits of masks: wrong entries with a configuration, the verdict of other engines, and a patch
that git applies."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

import editor_app
from editor_app import cli, urdf
from editor_app.core.model.pose import EMPTY_POSE
from editor_app.core.space.geometry.mesh import build_primitive
from editor_app.core.text.source import SourceText
from editor_app.core.verbs import robot_picture
from editor_app.plugins.audit.engine import opinions
from editor_app.plugins.audit.engine.depth import depth_of
from editor_app.plugins.audit.verbs import audit as audits
from editor_app.plugins.audit.verbs.find_masks import find_masks
from editor_app.plugins.audit.verbs.mask_patch import mask_patch, unified_diff

pytest.importorskip("fcl")

_LINK = (
    '<link name="{}"><collision><origin xyz="0 0 {}"/><geometry><box '
    'size="{}"/></geometry></collision></link>'
)
_JOINT = (
    '<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/><origin xyz="0 0 '
    '{3}"/>'
    '<axis xyz="0 1 0"/><limit lower="-{4}" upper="{4}" effort="1" velocity="1"/></joint>'
)
#: The forearm can fold back into the base where both joints turn far.
URDF = "\n".join([
    '<robot name="arm">',
    _LINK.format("base", 0.2, "0.2 0.2 0.4"),
    _LINK.format("upper", 0.3, "0.05 0.05 0.5"),
    _LINK.format("forearm", 0.24, "0.05 0.05 0.4"),
    _LINK.format("tool", 0.05, "0.02 0.02 0.1"),
    _JOINT.format("shoulder", "base", "upper", 0.45, "{shoulder}"),
    _JOINT.format("elbow", "upper", "forearm", 0.58, "{elbow}"),
    _JOINT.format("wrist", "forearm", "tool", 0.5, 0.1),
    "</robot>",
    "",
])  # fmt: skip
_PAIR = '  <disable_collisions link1="{}" link2="{}" reason="{}"/>'
SRDF = "\r\n".join([
    '<robot name="arm">',
    '  <group name="all"><chain base_link="base" tip_link="tool"/></group>',
    "{}",
    "</robot>",
])  # fmt: skip
_ADJACENT = [("base", "upper"), ("upper", "forearm"), ("forearm", "tool")]


def write_arm(
    folder: Path, *pairs: tuple[str, str, str], shoulder: float = 2.5, elbow: float = 3.0
) -> list[Path]:
    """Write arm.urdf and arm.srdf, which ignores the adjacent pairs and these; return their
    paths."""
    folder.mkdir(parents=True, exist_ok=True)
    urdf, srdf = folder / "arm.urdf", folder / "arm.srdf"
    urdf.write_text(
        URDF.replace("{shoulder}", str(shoulder)).replace("{elbow}", str(elbow)), encoding="utf-8"
    )
    lines = [_PAIR.format(*each) for each in (*((a, b, "Adjacent") for a, b in _ADJACENT), *pairs)]
    srdf.write_bytes(SRDF.format("\r\n".join(lines)).encode())
    return [urdf, srdf]


def audit_arm(folder: Path, *pairs: tuple[str, str, str], **limits: float) -> audits.Audit:
    document = editor_app.open_robot(*write_arm(folder, *pairs, **limits))
    return editor_app.audit(document, samples=256, certify=0.5)


def _codes(audit: audits.Audit) -> dict[str, str]:
    return {f"{claim.first} × {claim.second}": claim.code for claim in audit.claims}


def test_a_pair_called_never_that_touches_is_a_claim_with_its_configuration(tmp_path: Path) -> None:
    audit = audit_arm(tmp_path, ("base", "forearm", "Never"), ("base", "tool", "Never"))
    (claim, _) = sorted(audit.wrong, key=lambda each: each.second)
    assert (claim.code, claim.first, claim.second, claim.reason) == (
        "MASK001",
        "base",
        "forearm",
        "Never",
    )
    assert claim.location is not None
    assert claim.location.line == 6
    assert {opinion.touches for opinion in claim.opinions} == {True}
    assert claim.opinions[0].engine == "python-fcl"
    assert [(each.joint, each.lower, each.upper) for each in claim.joints] == [
        ("shoulder", -2.5, 2.5), ("elbow", -3.0, 3.0),
    ]  # fmt: skip
    assert all(each.lower <= each.position <= each.upper for each in claim.joints)
    # By hand: the ends of the middle line of the forearm, in the plane of the joints; one lies in
    # the base.
    shoulder, elbow = (claim.pose[joint] for joint in ("shoulder", "elbow"))
    at = 0.58 * math.sin(shoulder), 0.45 + 0.58 * math.cos(shoulder)
    along = math.sin(shoulder + elbow), math.cos(shoulder + elbow)
    points = [
        (at[0] + t * along[0], at[1] + t * along[1]) for t in (0.04 + 0.02 * k for k in range(21))
    ]
    assert any(abs(x) < 0.1 + 0.03 and -0.03 < z < 0.4 + 0.03 for x, z in points)
    assert claim.depth is not None
    assert 0.0 < claim.depth < 0.2


@pytest.mark.parametrize(
    ("reason", "code"),
    [("Never", "MASK001"), ("User", "MASK002"), ("Default", "MASK003"), ("Adjacent", "MASK003")],
)
def test_the_code_follows_the_reason_that_the_mask_gives(
    tmp_path: Path, reason: str, code: str
) -> None:
    assert _codes(audit_arm(tmp_path, ("base", "forearm", reason)))["base × forearm"] == code


def test_a_mask_that_holds_has_no_claim_about_ignored_pairs(tmp_path: Path) -> None:
    audit = audit_arm(
        tmp_path, ("base", "forearm", "Never"), ("base", "tool", "Never"), shoulder=0.3, elbow=0.3
    )
    assert audit.wrong == ()


def test_a_checked_pair_that_cannot_touch_is_listed_with_its_proof(tmp_path: Path) -> None:
    audit = audit_arm(tmp_path, shoulder=0.3, elbow=0.3)
    claims = {f"{claim.first} × {claim.second}": claim for claim in audit.claims}
    claim = claims["base × forearm"]
    assert claim.code == "MASK004"
    assert claim.proven is not None
    # The forearm begins 0.62 m above the base's origin when upright, and the base ends at 0.4 m.
    assert 0.0 < claim.proven < 0.67
    assert {opinion.touches for opinion in claim.opinions} == {False}


def test_fingers_that_close_come_into_contact_and_hide_no_collision(tmp_path: Path) -> None:
    finger = _LINK.format("{}", 0.05, "0.02 0.02 0.1")
    slide = (
        '<joint name="{0}" type="prismatic"><parent link="palm"/><child link="{0}"/><origin '
        'xyz="{1} 0 0.1"/>'
        '<axis xyz="{2} 0 0"/><limit lower="0" upper="0.03" effort="1" velocity="1"/></joint>'
    )
    links = (
        _LINK.format("palm", 0.0, "0.1 0.1 0.1") + finger.format("left") + finger.format("right")
    )
    joints = slide.format("left", 0.01, 1) + slide.format("right", -0.01, -1)
    (tmp_path / "g.urdf").write_text(f'<robot name="g">{links}{joints}</robot>', encoding="utf-8")
    (tmp_path / "g.srdf").write_text(
        f'<robot name="g">{_PAIR.format("left", "right", "User")}</robot>', encoding="utf-8"
    )
    audit = editor_app.audit(
        editor_app.open_robot(tmp_path / "g.urdf", tmp_path / "g.srdf"), samples=256, certify=0.0
    )
    assert "left × right" not in _codes(audit)


def test_neighbours_that_touch_are_no_wrong_entry_but_hide_collisions(tmp_path: Path) -> None:
    assert _codes(audit_arm(tmp_path))["base × upper"] == "MASK007"


def test_a_claim_that_an_engine_denies_is_a_disagreement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opinions.FclEngine, "touches", lambda self, pair, pose: False)
    audit = audit_arm(tmp_path, ("base", "forearm", "Never"))
    assert audit.wrong == ()
    (denied,) = (
        each for each in audit.disagreements if (each.first, each.second) == ("base", "forearm")
    )
    assert denied.code == "MASK006"
    assert "python-fcl: apart" in denied.sentence


def test_git_applies_the_patch_and_the_second_audit_finds_nothing(tmp_path: Path) -> None:
    audit = audit_arm(tmp_path, ("base", "forearm", "Never"), ("base", "tool", "User"))
    patch = mask_patch(audit, tmp_path)
    assert b"-" + _PAIR.format("base", "forearm", "Never").encode() + b"\r\n" in patch
    if shutil.which("git") is None:
        pytest.skip("needs git")
    (tmp_path / "a.patch").write_bytes(patch)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "apply", "a.patch"], cwd=tmp_path, check=True)
    again = editor_app.audit(
        editor_app.open_robot(tmp_path / "arm.urdf", tmp_path / "arm.srdf"),
        samples=256,
        certify=0.0,
    )
    assert again.wrong == ()
    assert mask_patch(again) == b""


def test_a_pair_that_touches_at_the_default_position_gets_another_reason(tmp_path: Path) -> None:
    audit = audit_arm(tmp_path, ("base", "forearm", "Never"), ("base", "tool", "Never"))
    text = (tmp_path / "arm.srdf").read_text(encoding="utf-8").replace("Adjacent", "Never")
    (tmp_path / "arm.srdf").write_text(text, encoding="utf-8")
    audit = editor_app.audit(
        editor_app.open_robot(tmp_path / "arm.urdf", tmp_path / "arm.srdf"),
        samples=256,
        certify=0.0,
    )
    assert _codes(audit)["base × upper"] == "MASK001"
    assert b'+  <disable_collisions link1="base" link2="upper" reason="Adjacent"/>' in mask_patch(
        audit
    )


@pytest.mark.parametrize(
    ("old", "new"), [("a\nb", "a\nc"), ("a\r\nb\r\n", "b\r\n"), ("a\n\x0cb\n", "a\n")]
)
def test_a_diff_keeps_every_byte(tmp_path: Path, old: str, new: str) -> None:
    if shutil.which("git") is None:
        pytest.skip("needs git")
    (tmp_path / "f").write_bytes(old.encode())
    source = SourceText.read(tmp_path / "f")
    (tmp_path / "p").write_bytes(unified_diff(source, source.with_text(new), "f"))
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "apply", "p"], cwd=tmp_path, check=True)
    assert (tmp_path / "f").read_bytes() == new.encode()


def test_a_mask_is_paired_with_the_urdf_that_has_its_links(tmp_path: Path) -> None:
    urdf, srdf = write_arm(tmp_path / "urdf")
    (tmp_path / "urdf" / "other.urdf").write_text(
        '<robot name="o"><link name="x"/></robot>', encoding="utf-8"
    )
    target = tmp_path / "srdf" / "published.srdf"
    target.parent.mkdir()
    srdf.rename(target)
    lost = tmp_path / "far" / "away" / "down" / "lost.srdf"
    lost.parent.mkdir(parents=True)
    lost.write_text(
        '<robot name="q"><disable_collisions link1="q1" link2="q2"/></robot>', encoding="utf-8"
    )
    by_name = {mask.path.name: mask for mask in find_masks([tmp_path])}
    assert by_name["published.srdf"].urdf == urdf
    assert by_name["lost.srdf"].urdf is None
    assert "no URDF" in by_name["lost.srdf"].why


class _Executor:
    """Runs the drawing of a picture here: it opens the files that it is given."""

    def __init__(self, workers: int) -> None:
        self.is_shut = False

    def submit(self, function: Any, *arguments: Any) -> Any:
        future: Future[bytes] = Future()
        document = editor_app.open_robot(*(path for path in arguments[:2] if path is not None))
        future.set_result(f"{document.robot.urdf.name} {arguments[-2]}".encode())
        return future

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        self.is_shut = True


def test_pictures_of_a_robot_without_an_xrdf_are_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = editor_app.open_robot(*write_arm(tmp_path))
    assert document.xrdf_path is not None
    monkeypatch.setattr(robot_picture, "ProcessExecutor", _Executor)
    robot = robot_picture.Drawing.of(document)
    assert robot is not None
    pictures = robot_picture.draw_all({"a": robot.at(EMPTY_POSE, ("base", "tool"))}, pytest.fail)
    assert pictures == {"a": b"arm ('base', 'tool')"}


def test_two_boxes_are_as_deep_in_each_other_as_they_overlap() -> None:
    one, other = (build_primitive(urdf.Box((size,) * 3)).parts[0] for size in (0.2, 0.1))
    moved = other.vertices + (0.12, 0.0, 0.0)
    assert depth_of((one.vertices, one.faces), (moved, other.faces)) == pytest.approx(
        0.03, abs=1e-9
    )


def test_the_command_prints_claims_and_writes_the_patch(tmp_path: Path, capsys: Any) -> None:
    write_arm(tmp_path, ("base", "forearm", "Never"))
    options = [str(tmp_path), "--samples", "64", "--certify", "0", "--no-pictures"]
    patch = tmp_path / "masks.patch"
    assert cli.run_command("audit", [*options, "--patch", str(patch)]) == 1
    text = capsys.readouterr().out
    assert "arm.srdf:6: warning MASK001: base and forearm are ignored (Never)" in text
    assert "shoulder=" in text
    assert patch.read_bytes().startswith(b"--- a/arm.srdf\n")
    outputs = {}
    for kind in ("json", "html", "sarif"):
        assert cli.run_command("audit", [*options, "--format", kind]) == 1
        outputs[kind] = capsys.readouterr().out
    (record,) = json.loads(outputs["json"])
    assert record["wrong"] == 1
    assert record["patch"][:2] == ["--- a/arm.srdf", "+++ b/arm.srdf"]
    assert record["claims"][0]["verdicts"][0]["touches"] is True
    assert "A pair that the mask calls Never touches" in outputs["html"]
    assert json.loads(outputs["sarif"])["runs"][0]["results"][0]["ruleId"] == "MASK001"
