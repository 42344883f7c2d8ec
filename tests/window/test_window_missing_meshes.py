"""Meshes load in the background; one that is missing never stops the loading, and can be
located."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from editor_app.core.document.commands.urdf import SetLink
from editor_app.core.document.document import Document
from editor_app.core.tasks.work import locate_robot
from editor_app.features.spheres.verbs.link_meshes import link_meshes
from editor_app.window import dialogs
from tests.helpers.windows import open_in, open_window, quiet, settle, wait_until

URDF = """<robot name="two">
  <link name="base"><visual><geometry><box size="0.1 0.2 0.3"/></geometry></visual></link>
  <link name="arm"><visual><geometry><mesh filename="package://toolshop/meshes/arm.stl"/></geometry></visual>
    <collision><geometry><mesh filename="package://toolshop/meshes/arm.stl"/></geometry></collision></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="arm"/></joint>
</robot>
"""


def write_stl(path: Path) -> None:
    """One triangle, binary."""
    path.parent.mkdir(parents=True)
    triangle = np.zeros(1, dtype=[("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")])
    triangle["v"] = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    path.write_bytes(b"\0" * 80 + np.uint32(1).tobytes() + triangle.tobytes())


def test_a_missing_mesh_is_told_located_and_remembered(
    qapp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot = tmp_path / "robot"
    robot.mkdir()
    (robot / "two.urdf").write_text(URDF)
    elsewhere = tmp_path / "far" / "away" / "toolshop"
    write_stl(elsewhere / "meshes" / "arm.stl")
    with open_window(tmp_path) as window:
        open_in(window, robot / "two.urdf")
        wait_until(lambda: not window.meshes.is_loading, 60)
        base, arm = (
            window.meshes.geometry("base", "visual"),
            window.meshes.geometry("arm", "visual"),
        )
        assert base is not None
        assert len(base.parts) == 1
        assert arm is not None
        assert arm.parts == ()
        assert window.meshes.missing == ("package://toolshop/meshes/arm.stl",)
        assert "1 mesh was not found; its link is shown without it." in window.central.notice.text
        buttons = {
            button.text(): button for button in window.central.notice.findChildren(QPushButton)
        }
        place = buttons["Locate…"].mapToGlobal(QPoint())
        QTest.mouseClick(buttons["Show…"], Qt.MouseButton.LeftButton)
        settle(window)
        # The question is not answered by a look at the findings: what may be clicked next stays in
        # its place.
        assert window.central.notice.isVisible()
        assert buttons["Locate…"].mapToGlobal(QPoint()) == place
        missing = [f for f in window.session.findings if f.code == "MESH001"]
        assert {f.subject.links for f in missing} == {("arm",)}

        # A folder that does not have it is refused with a reason, and nothing is remembered.
        monkeypatch.setattr(dialogs, "choose_folder", lambda *_: str(robot))
        panel: Any = window.docks.show("findings")
        panel.go_to(panel.shown.index(missing[0]))
        assert panel.fix_button.text() == "Locate…"
        panel.fix_button.click()
        assert "arm.stl was not found in" in window.central.toast.text
        assert window.settings.mesh_folders.entries == ()
        window.central.toast.dismiss()

        monkeypatch.setattr(dialogs, "choose_folder", lambda *_: str(elsewhere))
        panel.fix_button.click()
        wait_until(lambda: window.meshes.missing == () and not window.meshes.is_loading, 60)
        arm = window.meshes.geometry("arm", "visual")
        assert arm is not None
        assert len(arm.parts) == 1
        assert not window.central.notice.isVisible()
        settle(window)
        assert not [f for f in window.session.findings if f.code == "MESH001"]
        # Fits, comparisons and collision shapes look where the view does.
        assert [
            mesh.link for mesh in link_meshes(locate_robot(window.session.document), ["arm"]).meshes
        ] == ["arm"]
    with open_window(tmp_path) as window:
        open_in(window, robot / "two.urdf")
        wait_until(lambda: not window.meshes.is_loading, 60)
        assert window.meshes.missing == ()
        assert dict(window.session.document.packages) == {"toolshop": elsewhere}


def test_loading_can_be_cancelled_and_the_robot_stays(
    qapp: Any, tmp_path: Path, sample_urdf: Path
) -> None:
    with open_window(tmp_path) as window:
        window.files.open(sample_urdf)
        wait_until(lambda: window.session.has_robot)
        assert window.meshes.is_loading
        window.meshes.cancel()
        wait_until(lambda: not window.meshes.is_loading)
        assert "cancelled" in window.status.message.whole_text
        settle(window)
        window.registry.trigger("file.reload")
        # Not by is_loading: what was decoded already is there at once.
        wait_until(lambda: window.meshes.geometry("base_link", "visual") is not None, 120)
        wait_until(lambda: not window.meshes.is_loading, 120)
        assert window.meshes.geometry("base_link", "collision") is not None
        quiet(window)


def test_an_edit_of_one_link_while_meshes_load_leaves_none_of_the_others_out(
    qapp: Any, tmp_path: Path
) -> None:
    (tmp_path / "two.urdf").write_text(URDF)
    with open_window(tmp_path) as window:

        def edit(document: Document) -> None:
            # The files are read, and loading their meshes has begun.
            arm = document.robot.urdf.link("arm")
            assert arm is not None
            assert window.meshes.is_loading
            window.session.execute(SetLink("arm", replace(arm, visuals=())))

        window.session.document_opened.connect(edit)
        open_in(window, tmp_path / "two.urdf")
        window.session.document_opened.disconnect(edit)
        wait_until(lambda: not window.meshes.is_loading)
        assert window.meshes.geometry("base", "visual") is not None
        assert window.meshes.geometry("arm", "collision") is not None
