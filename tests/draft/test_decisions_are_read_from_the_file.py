"""What was decided: the choices of an XRDF as the file has them, for window, command line and
scripts alike."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from editor_app.__main__ import main
from editor_app.core.document.commands import SetAllLimits, SetMask
from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.document.opening import open_document
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.tree import get_default_positions, get_tree
from editor_app.features.draft.verbs.decisions import Decisions, decisions
from tests.helpers.documents import CLEAN, URDF, make_document

REASONS = """  ignore:
    base:
      - upper  # adjacent; the meshes touch in 24 % of 1,024 samples, which the mask hides
      - lower  # never, certified 12.00 mm
    upper: [lower]
    tool: [base]  # because I say so
"""
OLD = "  ignore:\n    base: [upper]\n    upper: [lower]\n"
LOCKED = """default_joint_positions:
  shoulder: 0.0
  elbow: 0.5
  # Locked, finger: it opens and closes.
  grip: 0.2
"""


def read(folder: Path, text: str = CLEAN) -> Decisions:
    return decisions(make_document(folder, text))


def test_ignored_pairs_are_grouped_by_their_reasons(tmp_path: Path) -> None:
    ignored = read(tmp_path, CLEAN.replace(OLD, REASONS)).ignored
    assert dict(ignored) == {
        "adjacent links": (LinkPair.of("base", "upper"), LinkPair.of("lower", "upper")),
        "never collide (proven)": (LinkPair.of("base", "lower"),),
        "other reasons": (LinkPair.of("base", "tool"),),
    }


def test_pairs_without_a_reason_say_so(tmp_path: Path) -> None:
    document = make_document(tmp_path)
    document.execute(SetMask(MaskFile.XRDF, (LinkPair.of("base", "tool"),)))
    assert decisions(document).ignored["no reason in the file"] == (LinkPair.of("base", "tool"),)


def test_the_clearance_at_the_default_position_is_that_of_the_spheres(tmp_path: Path) -> None:
    document = make_document(tmp_path, CLEAN.replace("    base: [upper]\n", ""))
    robot = document.robot
    tree, xrdf = get_tree(robot), robot.xrdf
    poses = compute_forward(
        tree, {**dict.fromkeys(tree.independent, 0.0), **get_default_positions(tree, xrdf)}
    )
    balls = {
        frame: [
            (poses[tree.index[frame]] @ [*s.center, 1.0], xrdf.self_radius(frame, s))
            for s in spheres
        ]
        for frame, spheres in xrdf.spheres_of(xrdf.self_group).items()
    }
    gaps = {
        LinkPair.of(a, b): min(
            np.linalg.norm((p - q)[:3]) - r - s for p, r in balls[a] for q, s in balls[b]
        )
        for a, b in itertools.combinations(balls, 2)
        if LinkPair.of(a, b) not in xrdf.ignored_pairs()
    }
    read_from_file = decisions(document)
    assert read_from_file.nearest == min(gaps, key=lambda pair: gaps[pair])
    assert read_from_file.clearance == pytest.approx(min(gaps.values()), abs=1e-12)
    assert read_from_file.overlaps == sum(gap < 0.0 for gap in gaps.values())


def test_buffers_locked_joints_and_coverage(tmp_path: Path) -> None:
    text = CLEAN[: CLEAN.index("default_joint")] + LOCKED + CLEAN[CLEAN.index("\ncspace") :]
    text = (
        text.replace("[shoulder, elbow, grip]", "[shoulder, elbow]")
        .replace(", 10.0]", "]")
        .replace(", 500.0]", "]")
    )
    document = make_document(
        tmp_path,
        text.replace("    upper: 0.01\n  ignore", "    upper: -0.055\n    hand: 0.0095\n  ignore"),
    )
    made = decisions(document, {"base": 0.995, "upper": 0.9, "nowhere": 0.1})
    assert [(e.joint, e.position, e.reason) for e in made.locked] == [
        ("grip", 0.2, "finger: it opens and closes")
    ]
    assert dict(made.buffers) == {"upper": -0.055, "hand": 0.0095}
    entries = {entry.topic: entry for entry in made.entries}
    assert entries["Self-collision buffers"].text == "-55.0 to +9.5 mm on 2 frames"
    assert entries["Spheres"].text == "3 spheres on 3 links; least coverage 90.0 % (upper)"
    assert entries["Locked joints"].text == "1: grip (finger: it opens and closes)"
    assert entries["Guessed"].text == "nothing"
    assert made.record["coverage"] == {"base": 0.995, "upper": 0.9}
    one = decisions(
        make_document(
            tmp_path,
            CLEAN.replace(
                "buffer_distance:\n    upper: 0.01\n  ignore", "buffer_distance: 0.02\n  ignore"
            ),
        )
    )
    assert one.buffers == FrozenDict(dict.fromkeys(("base", "upper", "lower"), 0.02))


def test_new_prints_the_decisions_of_its_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    urdf, out = tmp_path / "arm.urdf", tmp_path / "new.xrdf"
    urdf.write_text(URDF)
    assert main(["new", str(urdf), "-o", str(out), "--format", "json"]) == 0
    record = json.loads(capsys.readouterr().out)["decided"]
    document = open_document(urdf, out)
    assert record == json.loads(json.dumps(decisions(document).record))
    assert record["guessed"]["jerk_limits"] == ["shoulder", "elbow", "grip"]
    assert main(["new", str(urdf), "-o", str(out), "--force"]) == 0
    lines = capsys.readouterr().err.splitlines()
    start = lines.index("Decided:") + 1
    told = [f"  {entry.topic}: {entry.text}" for entry in decisions(document).entries]
    assert lines[start : start + len(told)] == told
    document.execute(SetAllLimits("jerk", 900.0))
    assert "3 jerk limits" not in [entry.text for entry in decisions(document).entries]
