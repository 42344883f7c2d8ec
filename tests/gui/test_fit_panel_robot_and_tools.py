"""Fitting in the window: a link, the whole robot, the heat map and the hand tools, on real meshes and real workers."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox

from editor_app.edit.commands import SetSpheres
from editor_app.edit.selection import Selection
from editor_app.gui.bindings.number_field import NumberField
from editor_app.gui.fitting.fit_panel import FitPanel
from editor_app.gui.fitting.heat_map import subdivided
from editor_app.gui.fitting.robot_panel import RobotFitPanel
from editor_app.gui.main_window import MainWindow
from editor_app.model.findings import Finding, Severity, SphereRef, Subject
from editor_app.model.xrdf import CollisionSphere
from tests.helpers.robots import sample_urdf, shared_robots
from tests.helpers.shared_workers import nothing_goes_on_running
from tests.helpers.windows import open_in, open_window, settle, wait_until

__all__ = ["nothing_goes_on_running"]

LINK = "forearm_link"
#: Starting a worker and loading the compiled engine takes its time on a busy machine.
LONG = 90.0


@pytest.fixture(scope="module", autouse=True)
def nothing_of_qt_is_left(nothing_goes_on_running: None) -> Iterator[None]:
    """As in tests/gui/conftest.py, but after the last test: the window serves all tests here."""
    from tests.helpers import qt_leaks

    with pytest.MonkeyPatch.context() as patch:
        recorder = qt_leaks.Recorder()
        recorder.install(patch.setattr)
        before = qt_leaks.windows()
        yield
        qt_leaks.settle()
        found = qt_leaks.left_behind(recorder, before)
        if found:
            qt_leaks.settle()
            pytest.fail("the tests have left behind:\n  " + "\n  ".join(found), pytrace=False)


@pytest.fixture(scope="module")
def window(qapp: Any, nothing_of_qt_is_left: None, tmp_path_factory: Any) -> Iterator[MainWindow]:
    """One window with its view and its workers for all tests here."""
    with open_window(tmp_path_factory.mktemp("fit"), viewport=True) as made:
        made.load_viewport()
        wait_until(lambda: made.viewport is not None, LONG)
        yield made


@pytest.fixture
def robot(window: MainWindow, tmp_path: Path) -> Iterator[MainWindow]:
    """The sample robot, fresh, with its meshes loaded."""
    shutil.copytree(sample_urdf().parent, tmp_path / "robot")
    window.session.open(None)
    open_in(window, tmp_path / "robot" / sample_urdf().name)
    wait_until(lambda: not window.meshes.is_loading and bool(window.fitting.context.links_with_mesh()))
    yield window
    fit = window.fitting
    fit.heat_map.set_on(False)
    fit.tool_box.close_box()
    window.session.open(None)
    wait_until(lambda: not fit.fit_panel.is_busy and not fit.tool_box.is_busy, LONG)
    settle(window)


def text(window: MainWindow) -> str:
    document = window.session.document
    assert document is not None
    return document.xrdf_text


def spheres(window: MainWindow, frame: str) -> tuple[CollisionSphere, ...]:
    return window.fitting.context.present(frame)


def fitted(window: MainWindow, number: int = 6) -> FitPanel:
    """The panel with an up-to-date proposal of so many spheres for LINK."""
    window.session.select(Selection(links=(LINK,)))
    window.registry.trigger("fit.links")
    panel = window.fitting.fit_panel
    panel.form.effort.setCurrentIndex(0)
    panel.form.amount.set_value(number, "number")
    wait_until(lambda: panel.is_ready, LONG)
    return panel


def select(window: MainWindow, *indices: int, frame: str = LINK) -> None:
    group = window.session.active_group
    assert group is not None
    window.session.select(Selection(spheres=tuple(SphereRef(group, frame, i) for i in indices)))


def run_tool(window: MainWindow, tool: str) -> None:
    window.registry.trigger(f"spheres.{tool}")
    wait_until(lambda: not window.fitting.tool_box.is_busy, LONG)


def test_fit_look_accept_undo(robot: MainWindow) -> None:
    before = text(robot)
    document = robot.session.document
    assert document is not None
    steps = len(document.history)
    panel = fitted(robot, 6)
    wait_until(lambda: panel.figures.text("coverage") != "–", LONG)
    # Figures of both, side by side, and a picture of the proposal.
    assert panel.figures.text("count") == str(len(spheres(robot, LINK)))
    assert panel.figures.text("count", proposed=True) == "6"
    assert "100.0 %" in panel.figures.text("coverage", proposed=True)
    assert "certified" in panel.figures.text("certified", proposed=True)
    assert "mm" in panel.figures.text("protrusion_max", proposed=True)
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
    assert document is not None
    steps = len(document.history)
    panel = fitted(robot, 4)
    QTest.keyClick(panel, Qt.Key.Key_Escape)
    assert not panel.is_active
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


def test_the_last_value_of_the_slider_wins(robot: MainWindow) -> None:
    panel = fitted(robot, 4)
    for place in (100, 300, 420, 500):
        panel.form.amount.slider.setValue(place)
    wanted = round(panel.form.amount.value)
    wait_until(lambda: panel.is_ready, LONG)
    assert len(robot.fitting.context.proposed[LINK]) == wanted
    panel.cancel()


def test_settings_that_contradict_each_other_are_told(robot: MainWindow) -> None:
    panel = fitted(robot, 4)
    panel.form.least.set_value(0.05)
    panel.form.most.set_value(0.01)
    panel.form.changed.emit(False)
    wait_until(lambda: not panel.is_busy, LONG)
    assert not panel.is_ready
    assert "largest radius" in panel.notes.text()
    panel.form.least.set_value(0.0)
    panel.form.most.set_value(None)
    panel.cancel()


def test_locked_spheres_stay(robot: MainWindow) -> None:
    old = spheres(robot, LINK)
    panel = fitted(robot, 3)
    panel.form.keep.setChecked(True)
    wait_until(lambda: panel.is_ready, LONG)
    panel.accept()
    panel.form.keep.setChecked(False)
    panel.cancel()
    now = spheres(robot, LINK)
    assert now[: len(old)] == old
    assert len(now) == len(old) + 3


def test_chart_grows_and_a_click_chooses(robot: MainWindow) -> None:
    panel = fitted(robot, 5)
    wait_until(lambda: len(panel.chart.points) >= 8 and not panel.is_busy, LONG)
    points = panel.chart.points
    assert points[64].excess_ratio < points[2].excess_ratio
    place = panel.chart.place(12, points[12].excess_ratio)
    QTest.mouseClick(panel.chart, Qt.MouseButton.LeftButton, pos=QPointF(place).toPoint())
    assert round(panel.form.amount.value) == 12
    wait_until(lambda: panel.is_ready, LONG)
    assert len(robot.fitting.context.proposed[LINK]) == 12
    panel.cancel()


def test_heat_map_follows_a_drag(robot: MainWindow) -> None:
    robot.session.select(Selection(links=(LINK,)))
    robot.registry.trigger("view.heat_map")
    heat = robot.fitting.heat_map
    wait_until(lambda: heat.links == {LINK}, LONG)
    values, told = heat.values(LINK).copy(), []
    heat.updated.connect(told.append)
    layer = heat._layer
    assert layer is not None
    colours = layer.colour_bytes(LINK).copy()
    group = robot.session.active_group
    assert group is not None
    for step in range(1, 4):
        # What a drag does: changes that join one step.
        old = spheres(robot, LINK)[0]
        moved = CollisionSphere((old.center[0] + 0.3 * step, old.center[1], old.center[2]), old.radius)
        robot.session.execute(SetSpheres(((SphereRef(group, LINK, 0), moved),)), merge="drag")
    robot.session.seal()
    assert told
    assert all(links == {LINK} for links in told)
    assert heat.values(LINK).max() > values.max() + 0.001, "what the sphere left is uncovered now"
    from editor_app.fitting import deviation
    from editor_app.tasks.fitting import as_rows

    mesh = robot.fitting.context.mesh(LINK)
    assert mesh is not None
    vertices, faces = subdivided(mesh.vertices, mesh.faces)
    np.testing.assert_allclose(heat.values(LINK), deviation(vertices, faces, as_rows(spheres(robot, LINK))), atol=1e-9)
    changed = (layer.colour_bytes(LINK) != colours).any(axis=1)
    assert 0.01 < changed.mean() < 1
    open_ = heat.values(LINK) > 1e-4
    shown = layer.colour_bytes(LINK).astype(int)
    assert (shown[open_, 0] > shown[open_, 2]).all(), "uncovered is red"
    robot.registry.trigger("view.heat_map")
    assert not heat.links


def test_subdivision_keeps_the_surface() -> None:
    vertices = np.array([[0.0, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 3]])
    faces = np.array([[0, 1, 2], [0, 1, 3]])
    fine, parts = subdivided(vertices, faces)

    def area(v: Any, f: Any) -> float:
        c = v[f]
        return float(np.linalg.norm(np.cross(c[:, 1] - c[:, 0], c[:, 2] - c[:, 0]), axis=1).sum() / 2)

    assert len(parts) > 100
    assert area(fine, parts) == pytest.approx(area(vertices, faces))
    edges = fine[parts] - fine[np.roll(parts, 1, axis=1)]
    assert np.linalg.norm(edges, axis=2).max() < 0.2


def test_whole_robot_is_one_step(robot: MainWindow) -> None:
    before = text(robot)
    document = robot.session.document
    assert document is not None
    steps = len(document.history)
    robot.registry.trigger("fit.robot")
    panel = robot.fitting.robot_panel
    panel.effort.setCurrentIndex(0)
    panel.amount.set_value(5, "number")
    keep = ("flange_link", "left_finger_link", "right_finger_link")
    for link, item in panel.list._items.items():
        item.setCheckState(0, Qt.CheckState.Checked if link in keep else Qt.CheckState.Unchecked)
    panel.world_buffer.set_value(0.004)
    others = {k: spheres(robot, k) for k in robot.fitting.context.links_with_mesh() if k not in keep}
    panel.start_button.click()
    assert panel.is_running
    wait_until(lambda: not panel.is_running, LONG)
    assert set(panel.fits) == set(keep)
    assert text(robot) == before
    panel.accept_button.click()
    panel.world_buffer.set_value(None)
    assert len(document.history) == steps + 1
    assert all(len(spheres(robot, link)) == 5 for link in keep)
    assert {k: spheres(robot, k) for k in others} == others
    section = document.robot.xrdf.world_collision
    assert section is not None
    assert all(section.buffer(link) == 0.004 for link in keep)
    robot.session.undo()
    assert text(robot) == before


def test_cancel_offers_what_is_finished(robot: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    before = text(robot)
    robot.registry.trigger("fit.robot")
    panel: RobotFitPanel = robot.fitting.robot_panel
    panel.none_button.click()
    assert not panel.start_button.isEnabled()
    panel.all_button.click()
    panel.effort.setCurrentIndex(0)
    panel.amount.set_value(4, "number")
    panel.start()
    wait_until(lambda: len(panel.fits) >= 1, LONG)
    panel.stop_button.click()
    assert not panel.is_running
    done = len(panel.fits)
    assert 1 <= done < len(panel.list.links), "the test needs some that are not finished"
    assert str(done) in panel.told.text()
    assert text(robot) == before
    panel.discard_button.click()
    assert not robot.fitting.context.proposed
    assert text(robot) == before
    wait_until(lambda: not robot.fitting.context.robot_jobs.running)


def test_connect_previews_then_applies(robot: MainWindow) -> None:
    before, old = text(robot), spheres(robot, LINK)
    select(robot, 0, 3)
    run_tool(robot, "connect")
    box = robot.fitting.tool_box
    number = box.input("count")
    assert isinstance(number, NumberField)
    number.setText("2")
    number.setModified(True)
    number.commit()
    series = box.input("series")
    assert isinstance(series, QComboBox)
    series.setCurrentIndex(1)
    wait_until(lambda: not box.is_busy and len(robot.fitting.context.proposed.get(LINK, ())) == len(old) + 2, LONG)
    assert text(robot) == before
    box.apply()
    wait_until(lambda: box.tool is None and not box.is_busy, LONG)
    now = spheres(robot, LINK)
    assert now[: len(old)] == old
    first, last = old[0].radius, old[3].radius
    assert [s.radius for s in now[-2:]] == pytest.approx([first * (last / first) ** (i / 3) for i in (1, 2)], abs=2e-6)
    assert len(robot.session.selection.spheres) == 2
    robot.session.undo()
    assert text(robot) == before


@pytest.mark.parametrize("tool", ["split", "merge", "snap", "grow", "shrink", "improve"])
def test_tools_without_inputs_are_one_step(robot: MainWindow, tool: str) -> None:
    document, group = robot.session.document, robot.session.active_group
    assert document is not None
    assert group is not None
    if tool == "grow":
        # Those of the sample touch the surface already.
        small = tuple(
            (SphereRef(group, LINK, i), CollisionSphere(spheres(robot, LINK)[i].center, 0.005)) for i in (1, 2)
        )
        robot.session.execute(SetSpheres(small))
    before, old = text(robot), spheres(robot, LINK)
    steps = len(document.history)
    select(robot, 1, 2)
    run_tool(robot, tool)
    wait_until(lambda: len(document.history) == steps + 1, LONG)
    now = spheres(robot, LINK)
    assert len(now) == len(old) + {"split": 2, "merge": -1}.get(tool, 0)
    untouched = [s for i, s in enumerate(old) if i not in (1, 2)]
    assert all(s in now for s in untouched)
    if tool == "grow":
        assert all(a.radius >= b.radius for a, b in zip(now, old, strict=True))
    if tool == "shrink":
        assert all(a.radius <= b.radius + 1e-6 for a, b in zip(now, old, strict=True))
    if tool == "merge":
        big = now[1]
        for s in old[1:3]:
            assert np.linalg.norm(np.subtract(s.center, big.center)) + s.radius <= big.radius + 3e-6
    robot.session.undo()
    assert text(robot) == before


def test_scale_of_all_and_mirror_and_fill(robot: MainWindow) -> None:
    old = {k: spheres(robot, k) for k in robot.fitting.context.links_with_mesh()}
    box = robot.fitting.tool_box
    select(robot, 0)
    run_tool(robot, "scale")
    scope = box.input("scope")
    assert isinstance(scope, QComboBox)
    scope.setCurrentIndex(2)
    box.apply()
    wait_until(lambda: box.tool is None and not box.is_busy, LONG)
    for link, before in old.items():
        assert [s.radius for s in spheres(robot, link)] == pytest.approx([1.1 * s.radius for s in before], abs=1e-6)
    robot.session.undo()
    select(robot, 0)
    run_tool(robot, "mirror")
    box.apply()
    wait_until(lambda: box.tool is None and not box.is_busy, LONG)
    assert len(spheres(robot, LINK)) == len(old[LINK]) + 1
    robot.session.undo()
    robot.session.select(Selection(links=("upper_arm_link",)))
    run_tool(robot, "fill")
    box.apply()
    wait_until(lambda: box.tool is None and not box.is_busy, LONG)
    assert len(spheres(robot, "upper_arm_link")) == len(old["upper_arm_link"]) + 5


def test_superfluous_and_copy_to_alike(robot: MainWindow) -> None:
    group = robot.session.active_group
    assert group is not None
    old = spheres(robot, "left_finger_link")
    double = [old[0]] * 2
    from editor_app.edit.commands import AddSpheres

    robot.session.execute(AddSpheres(group, "left_finger_link", tuple(double)))
    robot.session.select(Selection(links=("left_finger_link",)))
    run_tool(robot, "superfluous")
    wait_until(lambda: len(spheres(robot, "left_finger_link")) <= len(old), LONG)
    robot.session.select(Selection(links=("left_finger_link",)))
    robot.registry.trigger("spheres.copy_alike")
    refused: list[str] = []
    robot.session.refused.connect(refused.append)
    label = "Copy"
    document = robot.session.document
    assert document is not None
    wait_until(lambda: refused or (document.undo_label or "").startswith(label), LONG)
    left, right = spheres(robot, "left_finger_link"), spheres(robot, "right_finger_link")
    assert not refused, refused
    assert [s.radius for s in left] == [s.radius for s in right]
    np.testing.assert_allclose(np.abs([s.center for s in left]), np.abs([s.center for s in right]))


def test_tools_say_why_they_cannot(robot: MainWindow) -> None:
    robot.session.select(Selection())
    told: list[str] = []
    robot.session.refused.connect(told.append)
    for action in ("fit.links", "spheres.connect", "spheres.merge", "spheres.snap", "spheres.copy_alike"):
        told.clear()
        robot.registry.trigger(action)
        assert told, action
        assert told[0].startswith("Select"), told


def test_real_robot(window: MainWindow, tmp_path: Path) -> None:
    source = next((shared_robots() / "panda").rglob("*.urdf"))
    window.session.open(None)
    open_in(window, source)
    wait_until(lambda: not window.meshes.is_loading, LONG)
    before = text(window)
    link = window.fitting.context.links_with_mesh()[1]
    window.session.select(Selection(links=(link,)))
    panel = window.fitting.fit_panel
    panel.form.effort.setCurrentIndex(0)
    panel.form.amount.set_value(8, "number")
    panel.start()
    wait_until(lambda: panel.is_ready, LONG)
    panel.accept()
    assert len(spheres(window, link)) == 8
    window.session.undo()
    assert text(window) == before
    wait_until(lambda: not panel.is_busy, LONG)
    window.session.open(None)
    settle(window)


def test_a_link_without_spheres_is_told_and_the_way_out_selects_it(robot: MainWindow) -> None:
    finding = Finding("XRDF307", Severity.INFO, "no sphere", subject=Subject(links=(LINK,)))
    [remedy] = [r for r in robot.feed.remedies(finding) if r.label == "Fit spheres…"]
    remedy.run(finding)
    assert robot.session.selection.links == (LINK,)
    assert robot.fitting.fit_panel.isVisible()
    robot.fitting.fit_panel.cancel()
