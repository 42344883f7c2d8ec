"""What a fit of the whole robot takes into account: the mount, shown in the view; weights; partial
collision shapes.

And what is proposed for one link, as it is drawn until it is taken or left.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from editor_app.core.document.commands.spheres import AddSpheres
from editor_app.core.model.findings import Finding, FindingSubject, Severity
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.features.spheres.verbs.chosen_meshes import keeps_above
from editor_app.features.spheres.window.link_list import _COVERED, _WEIGHT
from editor_app.window.link_quality import share_text
from editor_app.window.main_window import MainWindow
from tests.helpers.fitting_windows import (
    LINK,
    LONG,
    fitted,
    nothing_goes_on_running,
    nothing_of_qt_is_left,
    robot,
    spheres,
    text,
    window,
)
from tests.helpers.windows import open_in, settle, wait_until

__all__ = ["nothing_goes_on_running", "nothing_of_qt_is_left", "robot", "window"]

#: The collision shape of the cover is a small ball in a large box; the base stands on z = -0.05.
URDF = """<robot name="r">
  <link name="foot">
    <visual><geometry><box size="0.2 0.2 0.1"/></geometry></visual>
    <collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <link name="arm">
    <visual><origin xyz="0 0 0.15"/><geometry><box size="0.06 0.06 0.3"/></geometry></visual>
    <collision><origin xyz="0 0 0.01"/><geometry><sphere radius="0.01"/></geometry></collision></link>
  <link name="tip">
    <collision><geometry><box size="0.03 0.03 0.06"/></geometry></collision></link>
  <joint name="a" type="revolute"><parent link="foot"/><child link="arm"/><origin xyz="0 0 0.06"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="b" type="revolute"><parent link="arm"/><child link="tip"/><origin xyz="0 0 0.34"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>"""


@pytest.fixture
def bare(window: MainWindow, tmp_path: Path) -> MainWindow:
    path = tmp_path / "r.urdf"
    path.write_text(URDF)
    window.session.open(None)
    open_in(window, path)
    context = window.fitting.context
    wait_until(lambda: len(context.links_with_mesh()) == 3 and not window.meshes.is_loading, LONG)
    wait_until(lambda: not context.is_comparing and context.surfaces.kind("arm") == "visual", LONG)
    return window


def test_plane_is_shown_and_one_click_takes_it_away(bare: MainWindow) -> None:
    context, view = bare.fitting.context, bare.viewport
    assert view is not None
    wait_until(lambda: view.scene.mount._corners is not None, LONG)
    assert len(view.scene.mount.labels.points) == 1, "the square says what it is"
    action = bare.registry["fit.mount"]
    wait_until(action.isChecked)
    assert context.mount is not None
    assert context.mount.height == pytest.approx(-0.05)
    action.trigger()
    wait_until(lambda: view.scene.mount._corners is None)
    assert not bare.fitting.fit_panel.form.mount.isChecked(), "the panel's box says the same"
    assert not bare.registry["fit.mount"].isChecked() or not context.mount_used
    assert context.planes_of("foot") == ()
    bare.registry.trigger("fit.mount")
    wait_until(lambda: view.scene.mount._corners is not None)
    # With spheres, it is there as long as the panel of fits is in front.
    group = bare.session.active_group
    assert group is not None
    ball = CollisionSphere((0.0, 0.0, 0.0), 0.05)
    bare.session.execute(AddSpheres(group, "arm", (ball,)))
    bare.docks.show("joints")
    wait_until(lambda: view.scene.mount._corners is None)
    bare.docks.show("fit")
    wait_until(lambda: view.scene.mount._corners is not None)
    bare.docks.show("joints")
    wait_until(lambda: view.scene.mount._corners is None)


def test_fit_tells_what_the_mount_costs_and_what_it_was_fitted_to(bare: MainWindow) -> None:
    context, panel = bare.fitting.context, bare.fitting.fit_panel
    assert context.kind == "auto"
    assert [context.kind_of(link) for link in ("foot", "arm", "tip")] == [
        "collision",
        "visual",
        "collision",
    ]
    bare.registry.trigger("fit.robot")
    panel.cancel()
    panel.form.effort.setCurrentIndex(0)
    panel.form.amount.set_value(24, "budget")
    wait_until(lambda: all("mm" in button.text() for button in panel.form.outlook.buttons), LONG)
    assert [button.property("total") for button in panel.form.outlook.buttons] == [12, 24, 48]
    # A weight that is typed shares the budget out otherwise, so its spheres stand out otherwise.
    told = [button.text() for button in panel.form.outlook.buttons]
    item = panel.list._items["foot"]
    item.setText(_WEIGHT, "40")
    wait_until(lambda: [button.text() for button in panel.form.outlook.buttons] != told, LONG)
    item.setText(_WEIGHT, "")
    wait_until(lambda: [button.text() for button in panel.form.outlook.buttons] == told, LONG)
    panel.start()
    wait_until(lambda: not panel.is_running and len(panel.fits) == 3, LONG)
    assert "below the mounting plane is uncovered" in panel.told.text()
    assert "% of foot" in panel.told.text()
    # The guard against late clicks is not what is tested here.
    wait_until(panel.accept_button.isEnabled)
    panel.accept()
    wait_until(lambda: bool(spheres(bare, "foot")))
    assert keeps_above(spheres(bare, "foot"), context.planes_of("foot"))
    # The visible arm is 0.3 m high, its collision shape 0.02 m.
    assert max(each.center[2] for each in spheres(bare, "arm")) > 0.2
    # Figures of present spheres are taken on the clipped link: what the plane costs is told, not
    # called open.
    mesh = context.measured_mesh("foot")
    assert mesh is not None
    assert mesh.clip_planes
    shown = bare.fitting.quality
    wait_until(
        lambda: (f := shown.of("foot")) is not None and f.current and f.figures is not None, LONG
    )
    figures = shown.of("foot")
    assert figures is not None
    assert figures.figures is not None
    assert figures.figures.proof is not None
    assert figures.figures.proof.holds
    # The bottom, a quarter of the surface, rests on the mount; the share that is covered counts it.
    assert 0.6 < figures.figures.surface_coverage < 0.75
    # The row of the fit says the same.
    assert panel.list._items["foot"].text(_COVERED) == share_text(figures.figures.surface_coverage)
    bare.session.undo()


def test_weights_are_by_the_tool_or_by_hand(bare: MainWindow) -> None:
    panel = bare.fitting.fit_panel
    items = panel.list._items
    assert items["tip"].text(1) == "4", "the tool counts more"
    items["foot"].setText(1, "3")
    assert panel.list.weights == {"foot": 3.0}
    panel.form.at_tool.setChecked(False)
    assert [items[link].text(1) for link in ("foot", "arm", "tip")] == ["3", "1", "1"]
    items["foot"].setText(1, "none")
    assert panel.list.weights == {}, "what is no number is the usual weight again"
    assert items["foot"].text(1) == "1"
    panel.form.at_tool.setChecked(True)
    assert items["tip"].checkState(0) is Qt.CheckState.Checked


def test_links_whose_shapes_are_partial_have_a_remedy_of_one_click(bare: MainWindow) -> None:
    context = bare.fitting.context
    context.set_kind("collision")
    message = "The spheres of 'arm' leave 90% of its visible surface uncovered."
    finding = Finding(
        "XRDF314",
        Severity.WARNING,
        message,
        subject=FindingSubject(links=("arm",), section="geometry"),
    )
    (remedy,) = bare.feed.remedies(finding)
    assert remedy.label == "Fit the visible shape…"
    remedy.run()
    panel = bare.fitting.fit_panel
    assert panel.chosen == ("arm",)
    wait_until(lambda: context.kind_of("arm") == "visual", LONG)
    wait_until(lambda: panel.is_ready, LONG)
    assert max(each.center[2] for each in context.proposed["arm"]) > 0.2, (
        "the visible arm, not its ball"
    )
    panel.cancel()


def test_fit_look_accept_undo(robot: MainWindow) -> None:
    before = text(robot)
    document = robot.session.document
    steps = len(document.history)
    panel = fitted(robot, 6)
    wait_until(lambda: panel.figures.text("coverage") != "–", LONG)
    # Figures of both, side by side, and a picture of the proposal.
    assert panel.figures.text("count") == str(len(spheres(robot, LINK)))
    assert panel.figures.text("count", proposed=True) == "6"
    assert "100.0 %" in panel.figures.text("coverage", proposed=True)
    assert "certified" in panel.figures.text("certified", proposed=True)
    assert "mm" in panel.figures.text("protrusion_max", proposed=True)
    assert panel.figures.text("volume", proposed=True).removeprefix("▲ ") in ("100.0 %", "99.99 %")
    # Those who compare with cuRobo find its names.
    quality = panel.fits[LINK].result.quality
    assert quality is not None
    curobo = quality.curobo
    assert curobo is not None
    for name, told in (
        ("volume", f"coverage {curobo.coverage:.4f}"),
        ("excess", f"volume_ratio {curobo.volume_ratio:.3f}"),
        ("uncovered_max", "max_uncovered_gap 0.00 mm"),
    ):
        assert told in panel.figures.tip(name, proposed=True)
    assert robot.viewport is not None
    assert "fit.proposed" in robot.viewport.scene.overlay.names
    assert text(robot) == before, "a preview must not touch the document"
    QTest.keyClick(panel.form.amount.slider, Qt.Key.Key_Return)
    assert len(document.history) == steps + 1
    assert document.undo_label == f"Fit 6 spheres to {LINK}"
    assert len(spheres(robot, LINK)) == 6
    assert "fit.proposed" not in robot.viewport.scene.overlay.names
    settle(robot)
    proofs = [f for f in robot.session.findings if f.code == "FIT001"]
    assert [f.severity for f in proofs] == [Severity.INFO]
    assert LINK in proofs[0].message
    robot.session.undo()
    assert text(robot) == before
    wait_until(lambda: not [f for f in robot.session.findings if f.code == "FIT001"])


def test_cancel_leaves_nothing(robot: MainWindow) -> None:
    before = text(robot)
    document = robot.session.document
    steps = len(document.history)
    panel = fitted(robot, 4)
    QTest.keyClick(panel, Qt.Key.Key_Escape)
    assert panel.is_idle
    assert not robot.fitting.context.proposed
    assert robot.viewport is not None
    assert "fit.proposed" not in robot.viewport.scene.overlay.names
    assert text(robot) == before
    assert len(document.history) == steps
    assert not document.is_modified
    # Not a late answer of the worker either.
    panel.start()
    panel.cancel()
    wait_until(lambda: not panel.is_busy, LONG)
    assert not robot.fitting.context.proposed


def test_rare_settings_are_folded_and_counted_where_they_are_set(bare: MainWindow) -> None:
    bare.docks.show("fit")
    form = bare.fitting.fit_panel.form
    assert not form.mirror.isVisible()
    assert form.more_button.text() == "More"
    QTest.mouseClick(form.more_button, Qt.MouseButton.LeftButton)
    assert all(field.isVisible() for field in (form.mirror, form.seed, form.least, form.most))
    form.mirror.setCurrentIndex(2)
    QTest.mouseClick(form.more_button, Qt.MouseButton.LeftButton)
    assert not form.mirror.isVisible()
    assert form.more_button.text() == "More (1 set)"
    form.mirror.setCurrentIndex(0)
    assert form.more_button.text() == "More"
