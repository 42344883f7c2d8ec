"""A USD or SDF that names files elsewhere, opened in the window: *Locate* gives the folder, and the
preview follows."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from editor_app.core.tasks.task import TaskReporter
from editor_app.core.verbs.convert import ConversionOutcome, ConvertOptions, PreviewJob
from editor_app.window import dialogs
from editor_app.window.files.importing_preview import ConversionDialog
from tests.helpers.windows import open_window, wait_until

SDF = '<sdf version="1.9"><model name="{}"><link name="base"/>{}</model></sdf>'


def preview(window: Any) -> ConversionDialog:
    wait_until(lambda: window.findChildren(ConversionDialog), 30)
    (dialog,) = window.findChildren(ConversionDialog)
    wait_until(lambda: not dialog.is_working, 60)
    assert isinstance(dialog, ConversionDialog)
    return dialog


def click(dialog: ConversionDialog) -> None:
    assert dialog.locate.isVisible()
    QTest.mouseClick(dialog.locate, Qt.MouseButton.LeftButton)
    wait_until(lambda: not dialog.is_working, 60)


def test_a_missing_model_of_an_sdf_is_located(
    qapp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, shop = tmp_path / "home", tmp_path / "far" / "away" / "hand"
    home.mkdir()
    shop.mkdir(parents=True)
    (home / "arm.sdf").write_text(SDF.format("arm", "<include><uri>model://hand</uri></include>"))
    (shop / "model.sdf").write_text(SDF.format("hand", ""))
    kinds: list[str] = []

    def choose(*arguments: Any) -> list[str]:
        kinds.append(arguments[3])
        return [str(home / "arm.sdf")]

    monkeypatch.setattr(dialogs, "choose_files", choose)
    with open_window(tmp_path) as window:
        window.files.open_dialog()
        for ending in ("*.sdf", "*.world", "*.usd", "*.usda", "*.usdc", "*.usdz"):
            assert f" {ending} " in kinds[0]
        dialog = preview(window)
        assert "'model://hand' was not found" in dialog.summary.text()
        assert not dialog.accept_button.isEnabled()
        # A folder that does not hold it is refused with a reason.
        monkeypatch.setattr(dialogs, "choose_folder", lambda *_: str(home))
        click(dialog)
        assert f"was not found in {home}" in dialog.summary.text()
        monkeypatch.setattr(dialogs, "choose_folder", lambda *_: str(shop))
        click(dialog)
        assert not dialog.locate.isVisible()
        dialog.accept_button.click()
        wait_until(lambda: window.session.has_robot, 60)
        assert {link.name for link in window.session.document.robot.urdf.links} >= {
            "base",
            "hand::base",
        }
        # It is remembered for the robots of that folder.
        assert dict(window.settings.mesh_folders.of(home / "arm.sdf")) == {"hand": shop}


def test_a_missing_layer_of_a_usd_is_located(
    qapp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pxr", reason="the extra is not installed")
    from tests.usd.test_usd_becomes_a_robot import ARM, HEAD

    home, shop = tmp_path / "home", tmp_path / "far" / "shop"
    home.mkdir()
    shop.mkdir(parents=True)
    (home / "stage.usda").write_text(
        "#usda 1.0\n(\n    subLayers = [@omniverse://host/lib/arm.usda@]\n)\n"
    )
    (shop / "arm.usda").write_text(HEAD + ARM)
    with open_window(tmp_path) as window:
        window.files.open_paths([home / "stage.usda"])
        dialog = preview(window)
        assert "omniverse://host/lib/arm.usda: it is on a server" in dialog.summary.text()
        monkeypatch.setattr(dialogs, "choose_folder", lambda *_: str(shop))
        click(dialog)
        assert not dialog.locate.isVisible()
        assert dialog.accept_button.isEnabled()
        dialog.reject()


class AbortingJob(PreviewJob):
    """A conversion whose library ends the process, as OpenUSD does for some damaged files."""

    def __call__(self, reporter: TaskReporter) -> ConversionOutcome:
        os.abort()


def test_a_file_that_ends_the_library_is_no_fault_of_the_program(qapp: Any, tmp_path: Path) -> None:
    with open_window(tmp_path) as window:
        reports: list[object] = []
        window.jobs.failed_unexpectedly.connect(lambda *news: reports.append(news))
        job = AbortingJob((tmp_path / "arm.usda",), tmp_path / "arm.urdf", ConvertOptions())
        dialog = ConversionDialog(window, window.jobs, "Import", "Import", job, {})
        wait_until(lambda: not dialog.is_working, 60)
        assert "A file is damaged" in dialog.summary.text()
        assert not reports
        dialog.reject()
