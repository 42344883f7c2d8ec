"""File, Import and Export: a preview before anything is done, one step to undo, and the files that
were announced."""

from __future__ import annotations

import math
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QDialog, QLineEdit, QPushButton

from editor_app.cli import run_command
from editor_app.core.document.commands.lists import InsertItem, set_item
from editor_app.core.document.state import FileKind
from editor_app.core.formats.registry import codec_named
from editor_app.core.formats.xrdf import read_xrdf
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.text.source import SourceText
from editor_app.core.verbs.convert import ConvertOptions, convert
from editor_app.window import dialogs
from editor_app.window.files.importing import Exporting, Importing, targets
from editor_app.window.files.importing_preview import ConversionDialog
from editor_app.window.files.questions import PairingDialog
from editor_app.window.main_window import MainWindow
from tests.helpers.collada_robot import twins
from tests.helpers.documents import CLEAN, URDF
from tests.helpers.windows import menu_action, open_in, settle, wait_until

SRDF = """<robot name="arm">
  <group name="arm"><chain base_link="base" tip_link="hand"/></group>
  <group name="lift"><joint name="grip"/></group>
  <group_state name="up" group="arm"><joint name="shoulder" value="0.25"/><joint name="elbow" value="0"/></group_state>
  <passive_joint name="follow"/>
  <disable_collisions link1="base" link2="hand" reason="Never"/>
</robot>
"""


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was told to have failed."""
    texts: list[str] = []
    monkeypatch.setattr(
        dialogs, "show_error", lambda parent, title, text, *_, **__: texts.append(text)
    )
    return texts


def items(dialog: ConversionDialog) -> dict[str, list[str]]:
    """What the preview lists, by fate."""
    tree = dialog.tree
    by_fate = {}
    for i in range(tree.topLevelItemCount()):
        head = tree.topLevelItem(i)
        assert head is not None
        name = re.sub(r" \(\d+\)$", "", head.text(0))
        children: list[Any] = [head.child(k) for k in range(head.childCount())]
        by_fate[name] = [child.text(0) for child in children]
    return by_fate


def worked_out(dialog: ConversionDialog | None) -> ConversionDialog:
    """The preview when it says what would be done."""
    assert dialog is not None
    wait_until(lambda: not dialog.is_working)
    return dialog


def is_cut(dialog: ConversionDialog) -> bool:
    """Whether words of the report are left out for want of room: then it looks otherwise where Qt
    leaves none out."""
    looks = []
    for mode in (Qt.TextElideMode.ElideRight, Qt.TextElideMode.ElideNone):
        dialog.tree.setTextElideMode(mode)
        QApplication.processEvents()
        looks.append(dialog.tree.viewport().grab().toImage())
    return bool(looks[0] != looks[1])


def of(window: MainWindow, kind: type[Any]) -> Any:
    child = window.findChild(kind)
    assert child is not None
    return child


def test_an_srdf_is_previewed_chosen_from_and_taken_over_as_one_step(
    window: MainWindow, tmp_path: Path
) -> None:
    source = tmp_path / "moveit.srdf"
    source.write_text(SRDF)
    document = window.session.document
    dialog = worked_out(of(window, Importing).import_path(source))
    assert dialog.conversion is None, "two groups: one has to be chosen"
    assert not dialog.accept_button.isEnabled()
    assert "arm" in dialog.summary.text()
    box = dialog.boxes["group"]
    box.setCurrentIndex(box.findData("arm"))
    state = dialog.boxes["state"]
    state.setCurrentIndex(state.findData("up"))
    dialog.recalculate()
    assert not dialog.accept_button.isEnabled()
    worked_out(dialog)
    assert dialog.conversion is not None
    shown = items(dialog)
    assert "passive_joint" in shown["Lost"]
    assert "disable_collisions" in shown["Translated"]
    assert document.xrdf_text == CLEAN, "a preview changes nothing"
    dialog.accept()
    section, defaults = (
        document.robot.xrdf.self_collision,
        document.robot.xrdf.default_joint_positions,
    )
    assert section is not None
    assert section.ignored_pairs() == {LinkPair.of("base", "hand")}
    assert defaults is not None
    assert defaults["shoulder"] == 0.25
    assert document.undo_label == "Import moveit.srdf"
    document.undo()
    assert document.xrdf_text == CLEAN


def test_what_was_exported_and_imported_again_is_the_same(
    window: MainWindow, tmp_path: Path
) -> None:
    document = window.session.document
    # Not saved: what is exported is what the window has.
    document.execute(InsertItem("xrdf.tool_frames", "hand"))
    for kind, name in (("curobo", "out.curobo.yml"), ("lula", "out.lula.yaml")):
        dialog = worked_out(of(window, Exporting).export(kind, tmp_path / name))
        assert dialog.conversion is not None
        assert items(dialog)
        assert not (tmp_path / name).exists()
        dialog.accept()
        assert (tmp_path / name).is_file()
        before = document.robot.xrdf
        again = worked_out(of(window, Importing).import_path(tmp_path / name))
        assert again.conversion is not None
        again.accept()
        # What the file says was so already, and what it says nothing of stayed.
        assert document.robot.xrdf == before
        assert document.position == 1


def test_a_lula_file_changes_what_it_speaks_of_alone(window: MainWindow, tmp_path: Path) -> None:
    document = window.session.document
    before = document.robot.xrdf
    assert before.tool_frames
    assert before.self_collision is not None
    (tmp_path / "new.yaml").write_text(
        "cspace: [elbow, shoulder]\ndefault_q: [0.5, 0.25]\nroot_link: base\n"
    )
    dialog = worked_out(of(window, Importing).import_path(tmp_path / "new.yaml"))
    shown = items(dialog)
    assert "tool_frames of the XRDF" in shown["Kept aside"]
    assert document.position == 0
    dialog.accept()
    after = document.robot.xrdf
    assert after.cspace is not None
    assert after.cspace.joint_names == ("elbow", "shoulder")
    assert after.tool_frames == before.tool_frames
    assert after.self_collision == before.self_collision
    assert after.geometry == before.geometry
    document.undo()
    assert document.robot.xrdf == before


@pytest.mark.parametrize("kind", list(targets()))
def test_window_command_line_and_interface_write_the_same_bytes(
    window: MainWindow, tmp_path: Path, kind: str
) -> None:
    writer, document = codec_named(kind).writer, window.session.document
    assert writer is not None
    output = tmp_path / f"exported{writer.proposal}"
    dialog = worked_out(of(window, Exporting).export(kind, output))
    assert dialog.conversion is not None
    assert str(output.parent) in dialog.files.text()
    assert output.name in dialog.files.text()
    assert not is_cut(dialog)
    dialog.accept()
    # Some formats have files beside the one that is asked for.
    by_window = tuple((path, path.read_bytes()) for path, _ in dialog.conversion.files)
    assert output in (by_window[0][0], by_window[0][0].parent)
    inputs = [tmp_path / "arm.urdf", tmp_path / "arm.xrdf"]
    assert run_command("convert", [*map(str, inputs), str(output), "--to", kind, "--force"]) == 0
    assert tuple((path, path.read_bytes()) for path, _ in by_window) == by_window
    options = ConvertOptions.of(to=kind)
    assert convert(inputs, output, options).files == by_window
    assert convert(document, output, options).files == by_window
    with ThreadPoolExecutor(1) as executor:
        assert convert(document, output, options, executor=executor).files == by_window
    assert (tmp_path / "arm.urdf").read_text() == URDF
    assert (tmp_path / "arm.xrdf").read_text() == CLEAN


def test_a_file_that_is_there_is_changed_where_it_differs_or_written_anew(
    window: MainWindow, tmp_path: Path
) -> None:
    output = tmp_path / "scene.mjcf.xml"
    scene = (
        '<mujoco model="scene">\n  <!-- mine -->\n  <worldbody><body '
        'name="base"/></worldbody>\n</mujoco>\n'
    )
    dialog = worked_out(of(window, Exporting).export("mjcf", output))
    # How spheres are added to a model is asked where there is one.
    assert not dialog.boxes
    dialog.reject()
    output.write_text(scene)
    dialog = worked_out(of(window, Exporting).export("mjcf", output))
    assert list(dialog.boxes) == ["simulator_spheres"]
    assert dialog.patch_box.isChecked()
    assert dialog.conversion is not None
    [(path, data)] = dialog.conversion.files
    dialog.accept()
    inputs = [str(tmp_path / name) for name in ("arm.urdf", "arm.xrdf")]
    written = output.read_bytes()
    assert (path, data) == (output, written)
    assert b"<!-- mine -->" in written
    output.write_text(scene)
    assert run_command("convert", [*inputs, str(output), "--update"]) == 0
    assert output.read_bytes() == written
    dialog = worked_out(of(window, Exporting).export("mjcf", output))
    dialog.patch_box.setChecked(False)
    worked_out(dialog).accept()
    assert b"mine" not in output.read_bytes()
    # What is always written anew keeps nothing: not by the command either, unless that is said.
    (tmp_path / "over.usda").write_text("mine")
    assert run_command("convert", [*inputs, str(tmp_path / "over.usda"), "--update"]) == 2
    assert (tmp_path / "over.usda").read_text() == "mine"


def test_an_import_is_what_the_command_line_updates(window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "part.srdf").write_text(
        SRDF.replace('<group name="lift"><joint name="grip"/></group>', "")
    )
    (tmp_path / "part.yaml").write_text(
        "cspace: [elbow, shoulder]\ndefault_q: [0.5, 0.25]\nroot_link: base\n"
    )
    document = window.session.document
    for name in ("part.srdf", "part.yaml"):
        worked_out(of(window, Importing).import_path(tmp_path / name)).accept()
        by_window = document.xrdf_text
        document.undo()
        inputs = [str(tmp_path / part) for part in ("arm.urdf", "arm.xrdf", name)]
        assert run_command("convert", [*inputs, inputs[1], "--update"]) == 0
        assert (tmp_path / "arm.xrdf").read_text() == by_window != CLEAN
        (tmp_path / "arm.xrdf").write_text(CLEAN)


def test_an_open_file_is_not_exported_over(
    window: MainWindow, tmp_path: Path, told: list[str]
) -> None:
    assert of(window, Exporting).export("srdf", tmp_path / "arm.urdf") is None
    assert "is open here" in told[0]
    assert (tmp_path / "arm.urdf").read_text() == URDF


def test_a_collada_robot_comes_back_as_it_was(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "arm.dae"
    before = window.session.document.robot
    worked_out(of(window, Exporting).export("collada", output)).accept()
    target = tmp_path / "again" / "arm.urdf"
    target.parent.mkdir()
    asked = []

    def choose(*told: object) -> str:
        asked.append(told)
        return str(target)

    monkeypatch.setattr(dialogs, "choose_save_file", choose)
    preview = worked_out(of(window, Importing).import_path(output))
    assert preview.conversion is not None
    assert not asked, "the report comes before any question"
    assert preview.conversion.files[0][0] == output.with_suffix(".urdf")
    _other_place(preview)
    assert worked_out(preview).conversion is not None
    preview.accept()
    wait_until(lambda: window.session.has_robot and window.session.document.urdf_path == target)
    document = window.session.document
    assert document.robot == before
    assert document.path(FileKind.XRDF) == target.with_suffix(".xrdf")
    settle(window)


def test_a_folder_is_exported_under_the_name_that_was_chosen(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, bool]] = []

    def choose(parent: object, title: str, proposal: str, kinds: str, confirm: bool) -> str:
        asked.append((kinds, confirm))
        return str(tmp_path / Path(proposal).name)

    monkeypatch.setattr(dialogs, "choose_save_file", choose)
    # What is changed where it differs is not replaced: that is not asked before the preview.
    window.registry.trigger("file.export.mjcf")
    worked_out(
        next(each for each in window.findChildren(ConversionDialog) if each.isVisible())
    ).reject()
    assert [confirm for _, confirm in asked] == [False]
    asked.clear()
    window.registry.trigger("file.export.moveit-package")
    preview = next(each for each in window.findChildren(ConversionDialog) if each.isVisible())
    assert preview.windowTitle() == "Export arm_moveit_config"
    assert asked == [("MoveIt package (*_moveit_config);;All files (*)", True)]
    worked_out(preview).reject()


def test_one_of_two_robots_made_of_one_system_is_chosen(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "second.urdf"
    monkeypatch.setattr(dialogs, "choose_save_file", lambda *_: str(target))
    preview = worked_out(of(window, Importing).import_path(twins(tmp_path)))
    box = preview.boxes["model"]
    assert [box.itemText(i) for i in range(box.count())] == ["a", "b", "all, fixed to the world"]
    box.setCurrentIndex(1)
    box.activated.emit(1)
    _other_place(preview)
    worked_out(preview).accept()
    wait_until(lambda: window.session.has_robot and window.session.document.urdf_path == target)
    document = window.session.document
    limit = document.robot.urdf.joints[0].limit
    assert limit is not None
    assert limit.velocity == pytest.approx(math.radians(30))
    settle(window)


def _other_place(preview: ConversionDialog) -> None:
    button = next(
        b for b in preview.findChildren(QPushButton) if b.text().replace("&", "") == "Other place…"
    )
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_a_file_beside_the_import_is_not_overwritten_unasked(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = twins(tmp_path)
    beside = source.with_suffix(".urdf")
    beside.write_text("mine")
    asked = []

    def ask(*told: object) -> dialogs.Answer:
        asked.append(str(told[2]))
        return dialogs.Answer.CANCEL

    monkeypatch.setattr(dialogs, "ask_question", ask)
    preview = worked_out(of(window, Importing).import_path(source))
    preview.accept()
    assert beside.name in asked[0]
    assert beside.read_text() == "mine"
    settle(window)


def test_a_robot_without_spheres_is_told_before_it_goes_to_curobo(
    window: MainWindow, tmp_path: Path
) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    (bare / "arm.urdf").write_text(URDF)
    open_in(window, bare / "arm.urdf")
    dialog = worked_out(of(window, Exporting).export("curobo", tmp_path / "out.curobo.yml"))
    assert "no spheres" in dialog.files.text()
    told = [entry.detail for report in dialog.conversion.reports for entry in report.entries]  # type: ignore[union-attr]
    assert not [detail for detail in told if "--" in detail], "words of a command line"
    dialog.reject()


def _asked() -> list[PairingDialog]:
    every = QApplication.topLevelWidgets()
    return [box for box in every if isinstance(box, PairingDialog) and box.isVisible()]


def test_a_file_of_no_format_and_a_part_without_a_robot_say_so(
    window: MainWindow, tmp_path: Path, told: list[str]
) -> None:
    (tmp_path / "x.yaml").write_text("a: 1\n")
    (tmp_path / "x.srdf").write_text(SRDF)
    window.session.open(None)
    assert of(window, Importing).import_path(tmp_path / "x.yaml") is None
    assert of(window, Importing).import_path(tmp_path / "x.srdf") is None
    assert len(told) == 1
    assert "nor a list of spheres" in told[0]
    # A part of a robot asks for it.
    wait_until(lambda: _asked())
    question = _asked()[0]
    question.reject()
    wait_until(lambda: not question.isVisible())
    assert not menu_action(window, "File", "Export to other formats", "SRDF").isEnabled()
    settle(window)
    assert not [d for d in window.findChildren(QDialog, "conversion") if d.isVisible()]


def test_an_srdf_that_is_dropped_is_opened_beside_the_robot_and_saved(
    window: MainWindow, tmp_path: Path
) -> None:
    (tmp_path / "moveit.srdf").write_text(SRDF)
    window.files.open_paths([tmp_path / "moveit.srdf"])
    wait_until(lambda: window.session.has_robot and window.session.robot.srdf is not None)
    document = window.session.document
    assert document.srdf_path == tmp_path / "moveit.srdf"
    assert document.xrdf_path == tmp_path / "arm.xrdf"
    settle(window)
    document.execute(InsertItem("xrdf.tool_frames", "hand"))

    document.execute(set_item("srdf.disabled_pairs", LinkPair.of("base", "lower"), "User"))
    assert document.modified_kinds == (FileKind.XRDF, FileKind.SRDF)
    assert window.files.save()
    assert not document.is_modified
    assert 'link2="lower"' in (tmp_path / "moveit.srdf").read_text()
    shutil.copy(tmp_path / "moveit.srdf", tmp_path / "arm.srdf")
    open_in(window, tmp_path / "arm.urdf")
    assert window.session.robot.srdf == document.robot.srdf


def test_a_broken_srdf_beside_the_robot_is_a_finding(window: MainWindow, tmp_path: Path) -> None:
    (tmp_path / "arm.srdf").write_text("<robot>")
    open_in(window, tmp_path / "arm.urdf")
    assert [f.code for f in window.session.findings if f.code.startswith("SRDF")] == ["SRDF000"]


def test_a_robot_is_attached_merged_and_posed_on_its_way_out(
    window: MainWindow, tmp_path: Path
) -> None:
    folder = tmp_path / "standing"
    folder.mkdir()
    (folder / "arm.urdf").write_text(URDF.replace('"world"', '"plinth"'))
    open_in(window, folder / "arm.urdf")
    document = window.session.document
    window.session.set_joint("shoulder", 0.25)
    before = document.robot
    output = tmp_path / "posed.dae"
    dialog = worked_out(of(window, Exporting).export("collada", output))
    assert dialog.bodies is not None
    world = dialog.bodies.findChild(QLineEdit)
    boxes = {b.text().replace("&", ""): b for b in dialog.bodies.findChildren(QCheckBox)}
    assert world is not None
    assert not world.isEnabled()
    boxes["Attach it to a new link"].click()
    assert world.isEnabled()
    world.selectAll()
    QTest.keyClicks(world, "floor")
    QTest.keyClick(world, Qt.Key.Key_Tab)
    positions = next(
        b for b in dialog.findChildren(QComboBox) if b.accessibleName() == "Initial joint positions"
    )
    positions.setCurrentIndex(positions.findText("current pose"))
    positions.activated.emit(positions.currentIndex())
    worked_out(dialog)
    shown = items(dialog)
    assert "root" in shown["Translated"]
    assert "initial joint positions" in shown["Translated"]
    dialog.accept()
    assert document.robot is before, "the robot that is open stays as it is"
    conversion = convert([output], tmp_path / "again" / "arm.urdf")
    assert b'<link name="floor"' in conversion.files[0][1]
    again = read_xrdf(SourceText.from_bytes(conversion.files[1][1], tmp_path / "arm.xrdf")).value
    assert again.default_joint_positions is not None
    assert again.default_joint_positions["shoulder"] == 0.25


def test_what_cannot_be_chosen_says_why_and_only_what_the_format_can_say_is_offered(
    window: MainWindow, tmp_path: Path
) -> None:
    dialog = worked_out(of(window, Exporting).export("urdf", tmp_path / "out.urdf"))
    assert dialog.bodies is not None
    boxes = {b.text().replace("&", ""): b for b in dialog.bodies.findChildren(QCheckBox)}
    assert boxes["Ignore linked bodies"].isHidden()
    assert not boxes["Attach it to a new link"].isEnabled()
    assert "is already world" in boxes["Attach it to a new link"].toolTip()
    merge = boxes["Merge links without inertial into their parents"]
    assert not merge.isHidden()
    assert merge.isEnabled() or "without losing something" in merge.toolTip()
    assert not [
        b for b in dialog.findChildren(QComboBox) if b.accessibleName() == "Initial joint positions"
    ]
    dialog.reject()
    dialog = worked_out(of(window, Exporting).export("lula", tmp_path / "out.yaml"))
    assert dialog.bodies is not None
    assert not dialog.bodies.isVisible()
    assert [
        b for b in dialog.findChildren(QComboBox) if b.accessibleName() == "Initial joint positions"
    ]
    dialog.reject()
