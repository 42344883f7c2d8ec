"""Each verb by window, command line and public interface: one decision, so the same bytes and the
same findings."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import editor_app
from editor_app.cli import run_command
from editor_app.core.document.commands.lists import SetItems
from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.xrdf import LinkPair
from editor_app.features.draft.verbs.default_pose import free_default, pose_step
from editor_app.features.masks.engine.masks import MaskState
from editor_app.features.masks.engine.results import AnalysisSettings
from editor_app.features.masks.window.pairs_dialog import WriteMaskDialog
from editor_app.window.main_window import MainWindow
from tests.helpers.fitting_windows import (
    LONG,
    nothing_goes_on_running,
    nothing_of_qt_is_left,
    robot,
)
from tests.helpers.fitting_windows import window_alone as window
from tests.helpers.robots import copy_of_sample
from tests.helpers.sphere_robots import GIVEN, two_arms
from tests.helpers.windows import wait_until

__all__ = ["nothing_goes_on_running", "nothing_of_qt_is_left", "robot", "window"]

FAST = editor_app.FitChoices(effort="fast")
LINKS = ("flange_link", "left_finger_link", "right_finger_link")


def urdf_of(window: MainWindow) -> Path:
    document = window.session.document
    assert document.urdf_path is not None
    return document.urdf_path


def command(capsys: Any, name: str, *arguments: object) -> Any:
    run_command(name, [*map(str, arguments), "--format", "json"])
    return json.loads(capsys.readouterr().out)


def fit_in_the_window(window: MainWindow, amount: str, value: float) -> str:
    window.registry.trigger("fit.robot")
    panel = window.fitting.fit_panel
    panel.list.tick(lambda link: link in LINKS)
    panel.form.effort.setCurrentIndex(0)
    panel.form.amount.set_value(value, amount)
    panel.start()
    wait_until(lambda: not panel.is_running, LONG)
    panel.accept()
    document = window.session.document
    return document.xrdf_text


@pytest.mark.parametrize(("amount", "value"), [("number", 3), ("budget", 14), ("tolerance", 0.04)])
def test_fit(robot: MainWindow, tmp_path: Path, capsys: Any, amount: str, value: float) -> None:
    urdf, out = urdf_of(robot), tmp_path / "out.xrdf"
    options = {"number": "--spheres", "budget": "--budget", "tolerance": "--tolerance"}
    given = value * 1000 if amount == "tolerance" else value
    command(
        capsys,
        "fit",
        urdf,
        "--links",
        ",".join(LINKS),
        options[amount],
        given,
        "--effort",
        "fast",
        "-o",
        out,
    )
    document = editor_app.open_robot(urdf)
    amounts: dict[str, Any] = {amount: value}
    document.execute(editor_app.fit(document, links=LINKS, choices=FAST, **amounts).change)
    assert document.xrdf_text == out.read_bytes().decode()
    assert fit_in_the_window(robot, amount, value) == document.xrdf_text


@pytest.mark.parametrize("file", [MaskFile.XRDF, MaskFile.SRDF])
def test_mask(robot: MainWindow, tmp_path: Path, capsys: Any, file: MaskFile) -> None:
    urdf = urdf_of(robot)
    out = tmp_path / f"out.{file.lower()}"
    command(capsys, "mask", urdf, "--samples", 512, "--certify", 0, "--seed", 5, "-o", out)
    document = editor_app.open_robot(urdf)
    document.execute(editor_app.mask(document, file=file, samples=512, certify=0, seed=5).change)
    saved = editor_app.save(document, tmp_path / f"api.{file.lower()}")
    assert saved[0].read_bytes() == out.read_bytes()
    controller = robot.self_collision.controller
    controller.masks.settings = AnalysisSettings(512, 5, 0.0)
    controller.masks.choose_file(file)
    controller.compute()
    wait_until(lambda: not (controller.state.is_analysing or controller.is_asking), LONG)
    dialog = WriteMaskDialog(controller, robot)
    dialog.take_button.click()
    dialog.deleteLater()
    opened = robot.session.document
    text = opened.xrdf_text if file is MaskFile.XRDF else opened.srdf_text
    assert text is not None
    assert text.encode() == out.read_bytes()


def test_mask_of_arms_whose_default_was_guessed(robot: MainWindow, tmp_path: Path) -> None:
    files = two_arms(tmp_path, f"# Guessed: zero, moved into the limits\n{GIVEN}")
    document = editor_app.open_robot(*files)
    judged = editor_app.mask(
        document, samples=512, certify=0, seed=5, rules=editor_app.MaskRules(mask_always=True)
    )
    robot.session.open(document)
    controller = robot.self_collision.controller
    controller.masks.settings = AnalysisSettings(512, 5, 0.0)
    controller.compute()
    wait_until(
        lambda: (
            not (controller.state.is_analysing or controller.is_asking)
            and controller.state.analysis is not None
        ),
        LONG,
    )
    dialog = WriteMaskDialog(controller, robot)
    proposal = dialog.proposal
    dialog.deleteLater()
    assert proposal is not None
    assert proposal.rows == judged.proposal.rows
    hands = LinkPair.of("left_hand", "right_hand")
    assert "guessed" in next(row.reason for row in proposal.todo if row.pair == hands)
    positions = document.robot.xrdf.default_joint_positions or FrozenDict()
    document.execute(
        SetItems(
            "xrdf.default_joint_positions",
            FrozenDict({name: value + 1e-4 for name, value in positions.items()}),
        )
    )
    assert not controller.state.parted_by_guess, "the user has given them"


def test_mask_of_a_first_file_asks_the_meshes(
    robot: MainWindow, tmp_path: Path, capsys: Any
) -> None:
    urdf, out = copy_of_sample(tmp_path / "bare", bare=True), tmp_path / "first.xrdf"
    # So few spheres that forearm and hand overlap for nothing.
    fit = ("--fit", "--budget", 40, "--effort", "fast", "--jobs", 1)
    mask = ("--mask", "--samples", 2048, "--certify", 0, "--cost-samples", 0, "--reasons")
    command(capsys, "new", urdf, *fit, *mask, "-o", out)
    made = editor_app.new(urdf, settings=editor_app.NewSettings(fit=True, budget=40, choices=FAST))
    document = made.document
    pose, _ = free_default(document.robot)
    if (step := pose_step(document, pose)) is not None:
        document.execute(step)
    judged = editor_app.mask(
        document,
        samples=2048,
        certify=0,
        rules=editor_app.MaskRules(
            False, mask_default=True, mask_always=True, compare_meshes=True, reasons=True
        ),
    )
    needless = {each.pair for each in judged.look.needless}
    assert LinkPair.of("forearm_link", "hand_link") in needless
    robot.session.open(document)
    controller = robot.self_collision.controller
    controller.masks.settings = AnalysisSettings(2048, 0, 0.0)
    controller.compute()
    wait_until(
        lambda: (
            not (controller.state.is_analysing or controller.is_asking)
            and controller.state.analysis is not None
        ),
        LONG,
    )
    dialog = WriteMaskDialog(controller, robot)
    assert dialog.meshes.isChecked()
    assert controller.is_asking
    assert not dialog.take_button.isEnabled()
    wait_until(lambda: not controller.is_asking, LONG)
    proposal = dialog.proposal
    assert proposal is not None
    assert proposal.pairs == judged.proposal.pairs
    assert proposal.reasons == judged.proposal.reasons
    assert all(
        "not touching" in proposal.reasons[p] or "apart" in proposal.reasons[p] for p in needless
    )
    dialog.reasons.setChecked(True)
    dialog.take_button.click()
    dialog.deleteLater()
    opened = robot.session.document
    assert opened.xrdf_text.encode() == out.read_bytes()
    assert not {e.pair for e in controller.state.conflicts} & needless, (
        "what the meshes say is no conflict"
    )
    # The matrix, the list and the legend ask for the state of each pair.
    assert {
        controller.state.mask_state(e) for e in controller.state.pairs if e.pair in needless
    } == {MaskState.IGNORED}


def test_check(robot: MainWindow, capsys: Any) -> None:
    urdf = urdf_of(robot)
    text = urdf.read_text(encoding="utf-8")
    urdf.write_text(text.replace("</robot>", '<link name="adrift"/></robot>'), encoding="utf-8")
    xrdf = urdf.with_suffix(".xrdf")
    xrdf.write_text(
        xrdf.read_text(encoding="utf-8").replace("tool_frames:", "tool_frames: [gone]\nx:"), "utf-8"
    )
    srdf = urdf.with_suffix(".srdf")
    records = command(capsys, "check", urdf, xrdf, srdf, "--format", "json")
    told = Counter((record["code"], record["line"], record["message"]) for record in records)
    assert {"URDF010", "XRDF802"} <= {code for code, _, _ in told}

    def counted(findings: Any) -> Counter[Any]:
        return Counter(
            (f.code, f.location.line if f.location else None, f.message) for f in findings
        )

    document = editor_app.open_robot(urdf)
    assert counted(editor_app.check(document)) == told
    robot.session.open(document)
    wait_until(lambda: not robot.feed.is_busy and bool(robot.session.findings), LONG)
    assert counted(robot.feed.said["rules"]) == told


def test_open_and_save(robot: MainWindow, tmp_path: Path) -> None:
    urdf = urdf_of(robot)
    change = editor_app.commands.InsertItem("xrdf.tool_frames", "wrist_link")
    document = editor_app.open_robot(urdf)
    document.execute(change)
    editor_app.save(document, tmp_path / "api.xrdf")
    robot.session.execute(change)
    robot.registry.trigger("file.save")
    wait_until(lambda: robot.session.has_robot and not robot.session.document.is_modified, LONG)
    assert urdf.with_suffix(".xrdf").read_bytes() == (tmp_path / "api.xrdf").read_bytes()
