"""The audit of a window's mask lists its claims as findings, until the robot changes."""

from __future__ import annotations

from pathlib import Path

from editor_app.core.document.commands.lists import RemoveItems
from editor_app.core.model.xrdf import LinkPair
from editor_app.window.main_window import MainWindow
from tests.audit.test_audits import write_arm
from tests.helpers.fitting_windows import LONG, nothing_goes_on_running, nothing_of_qt_is_left
from tests.helpers.fitting_windows import window_alone as window
from tests.helpers.windows import open_in, wait_until

__all__ = ["nothing_goes_on_running", "nothing_of_qt_is_left", "window"]


def test_claims_are_findings_until_the_robot_changes(window: MainWindow, tmp_path: Path) -> None:
    urdf, _ = write_arm(tmp_path, ("base", "forearm", "Never"))
    assert "Open a robot" in window.registry["mask.audit"].toolTip()
    open_in(window, urdf)
    session, feed = window.session, window.feed
    wait_until(lambda: window.registry["mask.audit"].isEnabled())
    window.registry.trigger("mask.audit")
    wait_until(lambda: bool(feed.said.get("audit")), LONG)
    claims = {finding.code: finding for finding in feed.said["audit"]}
    assert claims["MASK001"].subject is not None
    assert claims["MASK001"].subject.links == ("base", "forearm")
    assert claims["MASK001"].location is not None
    assert claims["MASK001"].location.line == 6
    assert not window.docks.dock("findings").isHidden()
    session.execute(RemoveItems("srdf.disabled_pairs", (LinkPair.of("base", "forearm"),)))
    wait_until(lambda: not feed.said["audit"], LONG)
