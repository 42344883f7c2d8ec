"""Known parts: URDFs of folders and of the examples by name, with pictures, taken over by the
dialog that asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from editor_app.plugins.assembly.verbs.known_parts import known_parts
from editor_app.plugins.assembly.window.attach_dialog import AttachDialog
from editor_app.plugins.assembly.window.known_parts_dialog import KnownPartsDialog
from editor_app.window import dialogs
from tests.helpers.robots import copy_of_sample
from tests.helpers.windows import button, menu_action, open_window, wait_until

PART = """<robot name="{name}"><link name="base">
<visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual></link></robot>"""


def written(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PART.format(name=path.stem))


def test_folders_are_searched_below_and_each_file_is_told_once(tmp_path: Path) -> None:
    written(
        tmp_path,
        "acme_description/urdf/hook.urdf",
        "lone.urdf",
        ".hidden/no.urdf",
        "a/b/c/d/e/f/deep.urdf",
    )
    parts = [part for part in known_parts([tmp_path, tmp_path]) if tmp_path in part.urdf.parents]
    assert [(part.family, part.title) for part in parts] == [
        ("acme", "hook"),
        (tmp_path.name, "lone"),
    ]


def test_a_part_is_found_by_name_seen_and_attached(
    tmp_path: Path, qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XRDF_EDITOR_CACHE", str(tmp_path / "cache"))
    written(tmp_path / "parts", "acme/hook.urdf", "acme/clamp.urdf")
    monkeypatch.setattr(dialogs, "choose_folder", lambda *_: str(tmp_path / "parts"))
    with open_window(tmp_path, copy_of_sample(tmp_path / "sample")) as window:
        menu_action(window, "Robot", "Attach a part").trigger()
        asked = next(d for d in window.findChildren(AttachDialog) if d.isVisible())
        button(asked, "known").click()
        dialog = next(d for d in asked.findChildren(KnownPartsDialog) if d.isVisible())
        wait_until(lambda: not dialog._reading.is_running)
        button(dialog, "folder").click()
        dialog.filter.setText("acme ho")
        wait_until(lambda: not dialog._reading.is_running)
        shown = [
            dialog.list.item(k).text()
            for k in range(dialog.list.count())
            if not dialog.list.item(k).isHidden()
        ]
        assert shown == ["hook\nacme"]
        hook = tmp_path / "parts" / "acme" / "hook.urdf"
        assert dialog.place.whole_text == str(hook)
        wait_until(lambda: hook in dialog._pictures, 120)
        assert dialog._pictures[hook] is not None
        button(dialog, "choose").click()
        assert asked.part_name.text() == "hook.urdf"
        assert json.loads(str(window.settings.store.value("part_folders"))) == [
            str(tmp_path / "parts")
        ]
        asked.reject()
