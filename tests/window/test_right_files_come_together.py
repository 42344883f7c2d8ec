"""XRDF and SRDF find their robot or ask; additions keep the document; broken and foreign files have
a way out."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from PySide6.QtWidgets import QApplication, QDialog

from editor_app.core.document.commands import SetField
from editor_app.core.document.commands.fields import OfMotionLimit
from editor_app.core.document.commands.lists import InsertItem
from editor_app.core.document.selection import Selection
from editor_app.core.document.state import FileKind
from editor_app.window.app import _parse
from editor_app.window.drops import plan_drop
from editor_app.window.files.importing_preview import ConversionDialog
from editor_app.window.files.questions import BrokenFileDialog, PairingDialog
from editor_app.window.main_window import MainWindow
from editor_app.window.source.source_view import SourcePanel
from tests.helpers.documents import CLEAN, URDF
from tests.helpers.moveit_package import LIMITS, write_package
from tests.helpers.windows import answer, button, open_in, settle, wait_until

OTHER = (
    URDF.replace('name="', 'name="other_')
    .replace('link="', 'link="other_')
    .replace('joint="', 'joint="other_')
)
SRDF = (
    '<robot name="arm">\n  <group name="arm"><chain base_link="base" '
    'tip_link="hand"/></group>\n</robot>\n'
)
CUROBO = """robot_cfg:
  kinematics:
    base_link: base
    ee_link: hand
    collision_link_names: [upper]
    collision_spheres:
      upper:
        - center: [0.0, 0.0, 0.0]
          radius: 0.3
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Of its own, two folders below the robot that is open."""
    made = tmp_path / "elsewhere" / "x" / "y"
    made.mkdir(parents=True)
    return made


def dialog(kind: type[QDialog]) -> Any:
    def shown() -> list[Any]:
        return [w for w in QApplication.topLevelWidgets() if isinstance(w, kind) and w.isVisible()]

    wait_until(shown)
    return shown()[0]


def rows(box: PairingDialog) -> list[tuple[str, str]]:
    items = [box.list.topLevelItem(i) for i in range(box.list.topLevelItemCount())]
    return [(item.text(0), item.text(1)) for item in items if item is not None]


def test_an_xrdf_of_another_robot_asks_which_with_the_best_first(
    window: MainWindow, folder: Path
) -> None:
    (folder / "other.urdf").write_text(OTHER)
    (folder / "third.urdf").write_text(URDF.replace('name="', 'name="third_'))
    text = CLEAN
    for name in ("base", "left", "hand", "upper", "lower", "shoulder", "elbow", "grip"):
        text = text.replace(f"{name}:", f"other_{name}:").replace(f"[{name}", f"[other_{name}")
        text = text.replace(f", {name}", f", other_{name}").replace(
            f": {name}\n", f": other_{name}\n"
        )
    (folder / "cumotion.v2.xrdf").write_text(text)
    before = window.session.document
    window.open_files([folder / "cumotion.v2.xrdf"])
    box = dialog(PairingDialog)
    assert rows(box)[0] == ("other.urdf", "7 of 7 names")
    assert ("arm.urdf (open now)", "0 of 7 names") in rows(box)
    assert box.missing.text() == "All names match."
    button(box, "cancel").click()
    assert window.session.document is before
    window.open_files([folder / "cumotion.v2.xrdf"])
    button(dialog(PairingDialog), "open").click()
    wait_until(lambda: window.session.document is not before)
    assert window.session.document.urdf_path == folder / "other.urdf"
    assert window.session.document.xrdf_path == folder / "cumotion.v2.xrdf"
    settle(window)


def test_a_dropped_srdf_is_added_and_everything_else_stays(
    window: MainWindow, folder: Path
) -> None:
    window.session.execute(InsertItem("xrdf.tool_frames", "hand"))
    document = window.session.document
    (folder / "moveit.srdf").write_text(SRDF)
    window.open_files([folder / "moveit.srdf"])
    wait_until(lambda: document.robot.srdf is not None)
    assert window.session.document is document
    assert document.robot.xrdf.tool_frames == ("tool", "hand")
    assert document.srdf_path == folder / "moveit.srdf"
    window.registry.trigger("edit.undo")
    assert document.robot.srdf is None
    window.registry.trigger("edit.undo")
    assert not window.files.has_unsaved
    settle(window)


def test_another_xrdf_asks_about_unsaved_work_and_undo_brings_the_first_back(
    window: MainWindow, folder: Path
) -> None:
    window.session.execute(InsertItem("xrdf.tool_frames", "hand"))
    document = window.session.document
    (folder / "second.xrdf").write_text(CLEAN.replace("elbow: 0.5", "elbow: 0.7"))
    seen: list[str] = []
    answer("discard", seen)
    window.open_files([folder / "second.xrdf"])
    wait_until(lambda: document.xrdf_path == folder / "second.xrdf")
    assert "arm.xrdf" in seen[0]
    assert window.windowTitle().startswith("second.xrdf")
    window.registry.trigger("edit.undo")
    assert window.windowTitle().startswith("arm.xrdf")
    assert document.robot.xrdf.tool_frames == ("tool", "hand")
    settle(window)


def test_a_curobo_file_is_offered_to_import_and_stays_what_it_is(
    window: MainWindow, folder: Path
) -> None:
    (folder / "arm.yml").write_text(CUROBO)
    window.open_files([folder / "arm.yml"])
    box = dialog(ConversionDialog)
    assert box.windowTitle() == "Import arm.yml"
    box.reject()
    assert window.session.document.xrdf_text == CLEAN
    window.files.attach(xrdf=folder / "arm.yml")
    refused = dialog(BrokenFileDialog)
    assert "not an XRDF but cuRobo YAML" in refused.heading.text()
    button(refused, "import").click()
    dialog(ConversionDialog).reject()
    assert (folder / "arm.yml").read_text() == CUROBO
    settle(window)


def test_the_only_xrdf_of_another_name_is_offered_beside_a_urdf(
    window: MainWindow, folder: Path
) -> None:
    (folder / "m20ia.urdf").write_text(URDF)
    (folder / "fanuc_m20ia.xrdf").write_text(CLEAN)
    (folder / "moveit.srdf").write_text(SRDF)
    open_in(window, folder / "m20ia.urdf")
    assert window.central.notice.isVisible()
    assert "fanuc_m20ia.xrdf (7 of 7 names are in this robot)" in window.central.notice.text
    document = window.session.document
    press(window, "Open them")
    wait_until(lambda: document.robot.srdf is not None)
    assert document.xrdf_path == folder / "fanuc_m20ia.xrdf"
    assert document.xrdf_text == CLEAN
    assert not window.files.has_unsaved
    settle(window)


def press(window: MainWindow, label: str) -> None:
    from PySide6.QtWidgets import QPushButton

    [button] = [
        b
        for b in window.central.notice.findChildren(QPushButton)
        if b.text() == label and b.isVisible()
    ]
    button.click()


BROKEN = CLEAN.replace("tool_frames: [tool]", "tool_frames: [tool")


@pytest.fixture
def broken(folder: Path) -> Path:
    (folder / "ok.urdf").write_text(URDF)
    (folder / "ok.xrdf").write_text(BROKEN)
    return folder


def test_a_broken_xrdf_shows_its_line_and_the_urdf_opens_without(
    window: MainWindow, broken: Path
) -> None:
    window.open_files([broken / "ok.urdf"])
    box = dialog(BrokenFileDialog)
    assert box.heading.text().startswith("ok.xrdf, line 2")
    assert "tool_frames: [tool" in box.text.toPlainText()
    button(box, "without").click()
    wait_until(
        lambda: window.session.has_robot and window.session.document.urdf_path == broken / "ok.urdf"
    )
    document = window.session.document
    assert document.xrdf_path == broken / "ok_2.xrdf", "never over the one that is broken"
    settle(window)


def test_a_broken_xrdf_is_mended_in_source(window: MainWindow, broken: Path) -> None:
    window.open_files([broken / "ok.urdf"])
    button(dialog(BrokenFileDialog), "mend").click()
    wait_until(
        lambda: window.session.has_robot and window.session.document.urdf_path == broken / "ok.urdf"
    )
    source = cast(SourcePanel, window.docks.show("source"))
    wait_until(lambda: source.editor.toPlainText() == BROKEN)
    assert source.status.text().startswith("✕ Line 2")
    assert not window.files.has_unsaved
    document = window.session.document
    document.type_text(FileKind.XRDF, CLEAN)
    assert window.files.save()
    assert (broken / "ok.xrdf").read_text() == CLEAN
    assert document.robot.xrdf.tool_frames == ("tool",)
    settle(window)


def test_a_broken_srdf_is_mended_in_source(window: MainWindow, folder: Path) -> None:
    (folder / "moveit.srdf").write_text(SRDF.replace("</group>", ""))
    window.open_files([folder / "moveit.srdf"])
    button(dialog(BrokenFileDialog), "mend").click()
    source = cast(SourcePanel, window.docks.show("source"))
    wait_until(lambda: source.editor.toPlainText() == SRDF.replace("</group>", ""))
    assert source.file_box.currentText() == "SRDF"
    source.editor.setPlainText(SRDF)
    assert source.apply()
    document = window.session.document
    assert document.robot.srdf is not None
    assert window.files.save()
    assert (folder / "moveit.srdf").read_text() == SRDF
    settle(window)


def test_notices_of_one_robot_do_not_stay_over_the_next(window: MainWindow, folder: Path) -> None:
    (folder / "m20ia.urdf").write_text(URDF)
    (folder / "fanuc_m20ia.xrdf").write_text(CLEAN)
    open_in(window, folder / "m20ia.urdf")
    assert window.central.notice.isVisible()
    (folder / "deeper").mkdir()
    (folder / "deeper" / "arm.urdf").write_text(URDF)
    open_in(window, folder / "deeper" / "arm.urdf")
    assert not window.central.notice.isVisible()


def test_the_heat_map_of_one_robot_is_off_for_the_next(window: MainWindow, folder: Path) -> None:
    window.fitting.heat_map.set_on(True)
    wait_until(lambda: not window.jobs.running)
    window.reload()
    wait_until(lambda: not window.files.is_opening)
    assert window.fitting.heat_map.is_on, "the same robot, read again"
    (folder / "other.urdf").write_text(OTHER)
    open_in(window, folder / "other.urdf")
    assert not window.fitting.heat_map.is_on


def test_a_curobo_file_opens_the_robot_that_it_names(window: MainWindow, folder: Path) -> None:
    assets = folder / "assets" / "robot"
    configs = folder / "configs" / "robot"
    assets.mkdir(parents=True)
    configs.mkdir(parents=True)
    (assets / "named.urdf").write_text(URDF)
    (folder / "near.urdf").write_text(URDF)
    named = CUROBO.replace("    base_link", "    urdf_path: robot/named.urdf\n    base_link")
    (configs / "arm.yml").write_text(named)
    window.session.open(None)
    window.open_files([configs / "arm.yml"])
    box = dialog(ConversionDialog)
    wait_until(lambda: box.conversion is not None, 60)
    document = window.session.document
    assert document.urdf_path == assets / "named.urdf"
    box.accept()
    wait_until(
        lambda: "upper" in document.robot.xrdf.spheres_of(document.robot.xrdf.world_group), 60
    )
    assert (configs / "arm.yml").read_text() == named
    settle(window)


def test_a_curobo_file_that_names_nothing_asks_for_its_robot(
    window: MainWindow, folder: Path
) -> None:
    (folder / "one.urdf").write_text(URDF)
    (folder / "two.urdf").write_text(URDF)
    (folder / "other.urdf").write_text(OTHER)
    (folder / "arm.yml").write_text(CUROBO)
    window.session.open(None)
    window.open_files([folder / "arm.yml"])
    box = dialog(PairingDialog)
    assert {name for name, _ in rows(box)[:2]} == {"one.urdf", "two.urdf"}
    assert all(name != "other.urdf" for name, _ in rows(box)), "it has none of its names"
    button(box, "open").click()
    dialog(ConversionDialog).reject()
    assert window.session.document.urdf_path in (folder / "one.urdf", folder / "two.urdf")
    settle(window)


def test_a_urdf_that_a_stranger_names_elsewhere_is_asked_about(
    window: MainWindow, folder: Path
) -> None:
    far = folder.parents[3] / "far"
    far.mkdir()
    (far / "arm.urdf").write_text(URDF)
    (folder / "arm.yml").write_text(
        CUROBO.replace("    base_link", f"    urdf_path: {far}/arm.urdf\n    base_link")
    )
    window.session.open(None)
    window.open_files([folder / "arm.yml"])
    box = dialog(PairingDialog)
    assert any(
        item.text(2) == str(far)
        for item in [box.list.topLevelItem(i) for i in range(box.list.topLevelItemCount())]
    )
    assert not window.session.has_robot
    button(box, "cancel").click()
    settle(window)


def test_a_folder_opens_the_moveit_package_in_it(window: MainWindow, folder: Path) -> None:
    package = write_package(folder)
    # It only adds hardware to the URDF beside it, as in a package that the editor wrote: nothing is
    # asked.
    (package / "config" / "arm.urdf.xacro").write_text(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="arm"><xacro:include '
        'filename="arm.urdf"/></robot>'
    )
    before = window.session.document
    # As the command line names it, and as it is dropped.
    assert _parse([str(package)]).files == [package]
    assert plan_drop([package], has_robot=False, misses_meshes=False).paths == (package,)
    window.open_files([package])
    wait_until(lambda: window.session.document is not before)
    document = window.session.document
    assert document.robot.limits is not None
    window.session.select(Selection(joints=("shoulder",)))
    document.execute(SetField(OfMotionLimit("shoulder"), "max_velocity", 0.75))
    box = cast(SourcePanel, window.docks.show("source")).file_box
    assert [box.itemText(i) for i in range(3, box.count())] == [
        "joint_limits.yaml",
        "kinematics.yaml",
        "initial_positions.yaml",
    ]
    assert window.files.save()
    assert (package / "config/joint_limits.yaml").read_text() == LIMITS.replace("0.50", "0.75")
    window.reload()
    wait_until(lambda: window.session.document is not document)
    assert window.session.document.robot.limits == document.robot.limits
    settle(window)
    # Its robot has the names of the robots that other tests ask for.
    window.settings.clear_recent()
