"""A file of settings that is a pipe, a device or far too large is set aside, and the window says
where."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings

from editor_app.window import settings as module
from editor_app.window.settings import Settings, read_json


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    place = QSettings.Format.IniFormat, QSettings.Scope.UserScope
    before = Path(QSettings(*place, "xrdf-editor", "none").fileName()).parents[1]
    QSettings.setPath(*place, str(tmp_path))
    path = tmp_path / "xrdf-editor" / "xrdf-editor.ini"
    path.parent.mkdir()
    yield path
    QSettings.setPath(*place, str(before))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_a_pipe_in_the_place_of_the_settings_is_set_aside(file: Path) -> None:
    os.mkfifo(file)
    settings = Settings()
    assert settings.set_aside == file.with_suffix(".unreadable")
    settings.store.setValue("theme", "dark")
    settings.sync()
    assert file.is_file()
    assert Settings().set_aside is None


def test_settings_that_are_too_large_are_set_aside(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("[General]\ntheme=dark\n")
    assert Settings().set_aside is None
    monkeypatch.setattr(module, "_MOST_BYTES", 10)
    assert Settings().set_aside == file.with_suffix(".unreadable")


def test_values_that_cannot_be_read_count_as_not_set(file: Path) -> None:
    settings = Settings()
    settings.store.setValue("deep", "[" * 100_000)
    assert read_json(settings.store, "deep", []) == []
