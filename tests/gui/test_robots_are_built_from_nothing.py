"""A robot from nothing in the window: base, three joints, a finger from an STL in millimetres; saved, and planned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trimesh

import editor_app
from editor_app.edit.commands import SetJoint, SetLink
from editor_app.edit.selection import Selection
from editor_app.gui import dialogs
from editor_app.gui.panels.urdf.shapes import ShapesPanel
from editor_app.gui.window.main_window import MainWindow
from editor_app.model.urdf import Cylinder, JointType, Limit, Visual
from tests.helpers.windows import menu_action, open_window, settle, wait_until

LIMIT = Limit(-2.0, 2.0, 50.0, 2.0)


def add_link(window: MainWindow, parent: str, name: str, z: float, axis: tuple[float, float, float]) -> None:
    """By the menu of the parent; then the values of its joint, and a cylinder up to the next joint."""
    window.session.select(Selection(links=(parent,)))
    window.registry.trigger("links.add_link")
    urdf = window.session.document.robot.urdf  # type: ignore[union-attr]
    joint, link = urdf.joint_to(name), urdf.link(name)
    assert joint is not None
    assert link is not None
    origin = replace(joint.origin, xyz=(0.0, 0.0, z))
    moving = replace(joint, type=JointType.REVOLUTE, origin=origin, axis=axis, limit=LIMIT)
    window.session.execute(SetJoint(joint.name, moving))
    place = replace(joint.origin, xyz=(0.0, 0.0, 0.15))
    window.session.execute(SetLink(name, replace(link, visuals=(Visual(Cylinder(0.04, 0.2), place),))))


def test_base_three_joints_and_a_finger_are_saved_and_planned(
    tmp_path: Path, qapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    urdf = tmp_path / "mine.urdf"
    monkeypatch.setattr(dialogs, "save_target", lambda *_: urdf)
    names = iter(("turret", "lower", "upper", "finger"))

    def answer(*arguments: Any) -> None:
        take: Callable[[str], object] = arguments[-1]
        take(next(names))

    monkeypatch.setattr(dialogs, "ask_text", answer)
    with open_window(tmp_path) as window:
        menu_action(window, "File", "New robot").trigger()
        wait_until(lambda: window.session.document is not None)
        assert urdf.read_text(encoding="utf-8").splitlines()[1] == '<robot name="mine">'
        add_link(window, "base_link", "turret", 0.05, (0.0, 0.0, 1.0))
        add_link(window, "turret", "lower", 0.3, (0.0, 1.0, 0.0))
        add_link(window, "lower", "upper", 0.3, (0.0, 1.0, 0.0))
        window.session.select(Selection(links=("upper",)))
        window.registry.trigger("links.add_link")
        stl = tmp_path / "finger.stl"
        trimesh.creation.box((30.0, 20.0, 80.0)).export(stl)
        monkeypatch.setattr(dialogs, "choose_file", lambda *_: str(stl))
        notices: list[str] = []
        window.session.noticed.connect(notices.append)
        shapes = window.docks.show("urdf").reveal("urdf.shapes")
        assert isinstance(shapes, ShapesPanel)
        shapes.add_visual.click()
        shapes.kind.chosen.emit("mesh")
        document = window.session.document
        assert document is not None
        wait_until(lambda: bool(notices))
        assert notices == ["finger.stl is 30 × 20 × 80 large: taken as millimetres, scale 0.001."]
        settle(window)
        # The draft of an empty robot controls nothing: joints are added, as the findings offer.
        while True:
            locked = [finding for finding in editor_app.check(document) if finding.code == "XRDF708"]
            if not locked:
                break
            window.session.execute(locked[0].fixes[0])
        window.session.select(Selection(links=("finger",)))
        window.registry.trigger("links.tool_frame")
        settle(window)
        assert window.files.save()
    saved = editor_app.open_robot(urdf)
    assert saved.robot.xrdf.cspace is not None
    assert saved.robot.xrdf.cspace.joint_names == ("turret_joint", "lower_joint", "upper_joint")
    assert saved.robot.xrdf.tool_frames == ("finger",)
    assert [link.name for link in saved.robot.urdf.links] == ["base_link", "turret", "lower", "upper", "finger"]
    saved.execute(editor_app.fit(saved, number=4).change)
    way = editor_app.plan_to_random(saved, editor_app.default_pose(saved))
    assert way.path is not None
