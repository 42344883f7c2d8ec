"""The plug-in that the manual writes has a panel and an action in the window."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QMenu

from editor_app.features.checks.engine.rule import RULES
from editor_app.window.widgets import PlainLabel
from tests.helpers.plug_ins import files_of_the_manual, installed_plug_in
from tests.helpers.windows import open_window, reopen, settle


def test_an_action_of_a_plug_in_opens_its_panel(qapp: object, tmp_path: Path) -> None:
    files = files_of_the_manual("acme")
    assert {"codec.py", "rules/tools.py", "cli/count.py", "window/feature.py"} <= set(files)
    try:
        with (
            installed_plug_in(tmp_path / "site", "acme", files),
            open_window(tmp_path / "settings") as window,
        ):
            action = window.registry["acme.links"]
            window.menus.rebuild()
            menu = window.menuBar().findChild(QMenu, "menu.Robot")
            assert menu is not None
            assert action in menu.actions()
            assert "Open a robot first." in action.toolTip()
            reopen(window, tmp_path)
            settle(window)
            window.registry.trigger("acme.links")
            panel = window.docks.panel("acme")
            assert isinstance(panel, PlainLabel)
            assert panel.isVisible()
            assert panel.text() == ", ".join(link.name for link in window.session.robot.urdf.links)
    finally:
        RULES.pop("ACME001", None)


def test_without_the_plug_in_the_window_has_neither(qapp: object, tmp_path: Path) -> None:
    with open_window(tmp_path) as window:
        assert "acme.links" not in window.registry
        with pytest.raises(KeyError):
            window.docks.dock("acme")
