"""Fitting a link in the window: live beside what is there, taken or left as one step."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolTip

from editor_app.core.document.commands import SetFittedSpheres, SetIgnore, SetMask, SetSpheres
from editor_app.core.document.selection import Selection
from editor_app.core.model.counting import Share
from editor_app.core.model.findings import Finding, FindingSubject, Severity, SphereRef
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.tasks.work import locate_robot
from editor_app.features.spheres.verbs.link_fits import prepare_fitting, round_spheres
from editor_app.features.spheres.window.context import FitContext
from editor_app.features.spheres.window.fit_work import NUMBERS, PreviewWork, Work
from editor_app.plugins.planning.verbs.model_cost import model_cost
from editor_app.window.main_window import MainWindow
from tests.helpers.fits import excess_of
from tests.helpers.fitting_windows import (
    LINK,
    LONG,
    fitted,
    nothing_goes_on_running,
    nothing_of_qt_is_left,
    robot,
    run_tool,
    select,
    spheres,
    text,
)
from tests.helpers.fitting_windows import (
    window_alone as window,
)
from tests.helpers.robots import copy_of_sample, shared_robots
from tests.helpers.windows import open_in, reopen_sample, settle, wait_until

__all__ = ["nothing_goes_on_running", "nothing_of_qt_is_left", "robot", "window"]


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
    assert "largest radius" in panel.told.text()
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


def test_a_locked_sphere_is_kept_by_fits_and_tools(robot: MainWindow) -> None:
    old = spheres(robot, LINK)
    select(robot, 1)
    robot.registry.trigger("spheres.lock")
    table = robot.docks.show("selection").numbers.spheres
    assert table.model().index(0, 0).data() == f"{LINK}, locked"
    told: list[str] = []
    robot.session.refused.connect(told.append)
    run_tool(robot, "grow")
    assert told == ["Select spheres first."]
    assert spheres(robot, LINK) == old
    # It is moved by hand, stays locked, and stands first after the fit; the number is of the
    # others.
    group = robot.session.active_group
    assert group is not None
    moved = CollisionSphere((*old[1].center[:2], old[1].center[2] + 0.01), old[1].radius)
    robot.session.execute(SetSpheres(((SphereRef(group, LINK, 1), moved),)))
    panel = fitted(robot, 3)
    panel.accept()
    now = spheres(robot, LINK)
    assert now[0] == moved
    assert len(now) <= 4
    robot.session.undo()
    select(robot, 1)
    wait_until(robot.registry["spheres.lock"].isChecked)
    robot.registry.trigger("spheres.lock")
    assert robot.fitting.context.locked(LINK) == ()


def test_an_inside_fit_is_judged_by_the_volume_that_it_leaves_open(robot: MainWindow) -> None:
    panel = fitted(robot, 5)
    panel.form.mode.setCurrentIndex(panel.form.mode.findData("inside"))
    wait_until(lambda: panel.is_ready and len(panel.chart.points) >= 8 and not panel.is_busy, LONG)
    assert panel.chart.value(2) > panel.chart.value(64) > 0
    panel.cancel()


def test_the_selected_links_are_ticked_until_others_are_ticked_by_hand(robot: MainWindow) -> None:
    panel = robot.fitting.fit_panel
    robot.session.select(Selection())
    assert panel.chosen == panel.list.links, "nothing is selected: the whole robot"
    assert panel.form.total is not None
    robot.session.select(Selection(links=(LINK, "upper_arm_link")))
    assert set(panel.chosen) == {LINK, "upper_arm_link"}
    panel.all_button.click()
    robot.session.select(Selection(links=(LINK,)))
    assert panel.chosen == panel.list.links, "ticked by hand"
    panel.selected_button.click()
    assert panel.chosen == (LINK,)
    assert panel.details.isVisibleTo(panel)


def test_meshes_that_were_decoded_before_are_told_at_once(
    robot: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("editor_app.core.verbs.load_meshes._PATIENCE", 600.0)
    told: list[tuple[str, ...]] = []
    robot.meshes.geometry_changed.connect(told.append)
    reopen_sample(robot, tmp_path / "again")
    robot.meshes.geometry_changed.disconnect(told.append)
    # One after the other, so that the window answers in between: visual and collision shapes of
    # each link.
    links = [link for (link,) in told]
    assert len(set(links)) > 5
    assert max(map(links.count, links)) <= 2


def test_meshes_that_come_together_fill_the_list_once(
    robot: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = robot.fitting.fit_panel.list
    assert len(links.links) > 5
    fills: list[object] = []
    monkeypatch.setattr(links, "show_present", fills.append)
    for link in links.links:
        robot.meshes.geometry_changed.emit((link,))
    wait_until(lambda: bool(fills))
    settle(robot)
    assert len(fills) == 1


def test_buttons_keep_their_places(robot: MainWindow) -> None:
    """A click for Fit must never meet Accept, whatever happens at that moment."""
    panel = fitted(robot, 4)
    after = {button: button.geometry() for button in (panel.start_button, panel.accept_button)}
    panel.cancel()
    settle(robot)
    assert not panel.start_button.geometry().intersects(after[panel.accept_button])
    assert not panel.accept_button.geometry().intersects(after[panel.start_button])


def test_chart_grows_and_a_click_chooses(robot: MainWindow) -> None:
    panel = fitted(robot, 5)
    wait_until(lambda: len(panel.chart.points) >= 8 and not panel.is_busy, LONG)
    points = panel.chart.points
    assert excess_of(points[64]) < excess_of(points[2])
    place = panel.chart.place(12, excess_of(points[12]))
    QTest.mouseClick(panel.chart, Qt.MouseButton.LeftButton, pos=QPointF(place).toPoint())
    assert round(panel.form.amount.value) == 12
    wait_until(lambda: panel.is_ready, LONG)
    assert len(robot.fitting.context.proposed[LINK]) == 12
    panel.cancel()


def test_beside_the_excess_stands_what_the_robot_refuses(robot: MainWindow) -> None:
    """Measured in the background for the fits of the curve, and dropped with the robot that it was
    measured on."""
    panel = fitted(robot, 5)
    wait_until(lambda: len(panel.chart.refusals) == len(NUMBERS), LONG)
    document = robot.session.document
    refusals = panel.chart.refusals
    assert refusals.keys() == panel.chart.points.keys()
    assert refusals[2].needless.value > refusals[64].needless.value > 0
    # Where everything is refused, the axis ends at 100 %.
    points = panel.chart.points
    everything = {
        n: replace(each, needless=Share(each.needless.of, each.needless.of))
        for n, each in refusals.items()
    }
    panel.chart.set_points(points, refusals=everything)
    assert panel.chart._refused_top() == 1.0
    panel.chart.set_points(points, refusals=refusals)
    # What stands there for a number is what the document costs with these spheres.
    point = panel.curve.points(LINK)[2]
    spheres = FrozenDict({LINK: round_spheres(point.spheres)})
    robot_with = SetFittedSpheres(robot.fitting.context.group, spheres, "").apply(document.robot)
    cost = model_cost(replace(locate_robot(document), robot=robot_with))
    assert (cost.needless, cost.wrong) == (refusals[2].needless, refusals[2].wrong)
    QTest.mouseMove(panel.chart, QPointF(panel.chart.place(2, 0.0)).toPoint())
    wait_until(lambda: "False collisions: " in QToolTip.text())
    # Another robot: nothing of it is shown, and what is at work is dropped.
    section = document.robot.xrdf.self_collision
    assert section is not None
    robot.session.execute(SetMask(checked=(min(section.ignored_pairs()),)))
    wait_until(lambda: not panel.chart.refusals)
    robot.session.undo()
    panel.cancel()


def test_what_is_refused_is_not_measured_before_there_is_a_mask(robot: MainWindow) -> None:
    robot.session.execute(SetIgnore(None))
    panel = fitted(robot, 5)
    wait_until(lambda: len(panel.chart.points) >= 8 and not panel.is_busy, LONG)
    settle(robot)
    assert not panel.curve._weighing.is_running
    assert not panel.chart.refusals
    panel.cancel()


def test_a_fit_that_is_left_ends_the_measurement(robot: MainWindow) -> None:
    panel = fitted(robot, 5)
    wait_until(lambda: panel.curve._weighing.is_running, LONG)
    panel.cancel()
    assert not panel.curve._weighing.is_running
    settle(robot)
    assert not panel.chart.refusals


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
    finding = Finding("XRDF307", Severity.INFO, "no sphere", subject=FindingSubject(links=(LINK,)))
    [remedy] = [r for r in robot.feed.remedies(finding) if r.label == "Fit spheres…"]
    remedy.run()
    assert robot.session.selection.links == (LINK,)
    assert robot.fitting.fit_panel.isVisible()
    robot.fitting.fit_panel.cancel()


def test_a_preview_that_waits_for_the_event_loop_does_not_begin_once_its_window_is_closed(
    robot: MainWindow,
) -> None:
    context = FitContext(robot.session, robot.meshes, robot.jobs, robot)
    work = PreviewWork(
        context, {"measure": lambda: Work("Measuring", prepare_fitting, print)}, context
    )
    changes: list[str] = []
    work.changed.connect(lambda: changes.append(work.kind))
    work.need_later("measure")
    context.close()
    settle(robot)
    assert not work.kind
    assert not changes
    assert not context.is_previewing
    context.deleteLater()


def test_figures_of_spheres_that_are_gone_are_not_kept(robot: MainWindow) -> None:
    group = robot.session.active_group
    assert group is not None
    robot.session.select(Selection(links=(LINK,)))
    robot.docks.show("fit")
    panel = robot.fitting.fit_panel
    wait_until(lambda: panel.figures.text("coverage") != "–", LONG)
    first = panel.figures.text("protrusion_max")
    old = spheres(robot, LINK)[0]
    far = CollisionSphere((old.center[0] + 0.4, old.center[1], old.center[2]), old.radius)
    robot.session.execute(SetSpheres(((SphereRef(group, LINK, 0), far),)))
    wait_until(lambda: panel._work.kind == "measure", LONG)
    # While its figures are computed, it is taken back: a drag that Esc ends.
    robot.session.undo()
    wait_until(lambda: not panel.is_busy, LONG)
    assert panel.figures.text("protrusion_max") == first


def test_as_many_as_the_link_has_are_suggested_until_somebody_chooses(robot: MainWindow) -> None:
    panel = robot.fitting.fit_panel
    for link in (LINK, "upper_arm_link"):
        robot.session.select(Selection(links=(link,)))
        assert round(panel.form.amount.value) == len(spheres(robot, link))
    panel.form.amount.set_value(7, "number")
    panel.cancel()
    # Another link has another number: a fit would take spheres away that nobody asked to lose.
    robot.session.select(Selection(links=(LINK,)))
    assert round(panel.form.amount.value) == len(spheres(robot, LINK))
    robot.session.select(Selection(links=("upper_arm_link",)))
    assert round(panel.form.amount.value) == 7


def test_a_link_of_several_bodies_can_be_fitted_in_part(window: MainWindow, tmp_path: Path) -> None:
    path = copy_of_sample(tmp_path / "robot")
    # A second body well outside the first.
    link = path.read_text(encoding="utf-8").index(f'<link name="{LINK}">')
    whole = path.read_text(encoding="utf-8")
    end = whole.index("</link>", link)
    extra = (
        '<collision name="lamp"><origin xyz="0.1 0 0.4"/><geometry><box size="0.1 0.1 '
        '0.1"/></geometry></collision>'
    )
    path.write_text(whole[:end] + extra + whole[end:], encoding="utf-8")
    window.session.open(None)
    open_in(window, path)
    wait_until(
        lambda: not window.meshes.is_loading and bool(window.fitting.context.links_with_mesh())
    )
    panel = fitted(window, 4)
    context, form = window.fitting.context, panel.form
    assert form.bodies.isVisible()
    assert form.bodies.text() == "All 2 bodies"

    def top() -> float:
        return max(s.center[2] + s.radius for s in context.proposed[LINK])

    assert top() > 0.44, "both are covered"
    lamp = next(a for a in form.bodies.menu().actions() if a.text() == "lamp")
    lamp.trigger()
    assert form.bodies.text() == "1 of 2 bodies"
    wait_until(lambda: panel.is_ready, LONG)
    assert top() < 0.3, "the lamp is left out"
    assert "certified" in panel.figures.text("certified", proposed=True)
    # The tree goes on telling of the whole link.
    panel.accept()
    quality = window.fitting.quality
    wait_until(lambda: (shown := quality.of(LINK)) is not None and shown.current, LONG)
    shown = quality.of(LINK)
    assert shown is not None
    assert shown.figures is not None
    assert shown.figures.surface_coverage < 0.95
    other = next(a for a in form.bodies.menu().actions() if a.text() != "lamp")
    other.trigger()
    assert form.bodies.text() == "All 2 bodies", "one at least"
    panel.cancel()
    window.session.select(Selection(links=("base_link",)))
    assert not form.bodies.isVisible()
    window.session.open(None)
    wait_until(lambda: not panel.is_busy, LONG)
