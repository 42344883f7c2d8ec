"""The coverage heat map and the hand tools, on real meshes and real workers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QToolButton
from vtkmodules.util.numpy_support import vtk_to_numpy

from editor_app.core.document.commands import ReplaceSpheres, SetSpheres
from editor_app.core.document.selection import Selection
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.features.spheres.verbs.deviations import subdivided
from editor_app.features.spheres.window.tool_box import ToolBox
from editor_app.window.bindings.number_field import NumberField
from editor_app.window.main_window import MainWindow
from tests.helpers.fitting_windows import (
    LINK,
    LONG,
    nothing_goes_on_running,
    nothing_of_qt_is_left,
    robot,
    run_tool,
    select,
    spheres,
    text,
    window,
)
from tests.helpers.windows import wait_until

__all__ = ["nothing_goes_on_running", "nothing_of_qt_is_left", "robot", "window"]


def drawn_colours(actor: Any) -> np.ndarray:
    """(n, 3) bytes."""
    return np.array(vtk_to_numpy(actor.GetMapper().GetInput().GetPointData().GetScalars()))


def test_heat_map_follows_a_drag(robot: MainWindow) -> None:
    robot.session.select(Selection(links=(LINK,)))
    robot.registry.trigger("view.heat_map")
    heat = robot.fitting.heat_map
    wait_until(lambda: heat.links == {LINK}, LONG)
    values = heat.values(LINK).copy()
    told: list[object] = []
    heat.updated.connect(told.append)
    layer = heat._layer
    assert layer is not None
    colours = drawn_colours(layer._actors[LINK])
    group = robot.session.active_group
    assert group is not None
    for step in range(1, 4):
        # What a drag does: changes that join one step.
        old = spheres(robot, LINK)[0]
        moved = CollisionSphere(
            (old.center[0] + 0.3 * step, old.center[1], old.center[2]), old.radius
        )
        robot.session.execute(SetSpheres(((SphereRef(group, LINK, 0), moved),)), merge="drag")
    robot.session.seal()
    assert told
    assert all(links == {LINK} for links in told)
    assert heat.values(LINK).max() > values.max() + 0.001, "what the sphere left is uncovered now"
    from editor_app.features.spheres.verbs.link_fits import stack_spheres
    from tests.helpers.fits import deviation

    mesh = robot.fitting.context.mesh(LINK)
    assert mesh is not None
    vertices, _ = subdivided(mesh.vertices, mesh.faces)
    np.testing.assert_allclose(
        heat.values(LINK), deviation(vertices, stack_spheres(spheres(robot, LINK))), atol=1e-9
    )
    changed = (drawn_colours(layer._actors[LINK]) != colours).any(axis=1)
    assert 0.01 < changed.mean() < 1
    open_ = heat.values(LINK) > 1e-4
    shown = drawn_colours(layer._actors[LINK]).astype(int)
    assert (shown[open_, 0] > shown[open_, 2]).all(), "uncovered is red"
    robot.registry.trigger("view.heat_map")
    assert not heat.links


def test_heat_map_has_a_switch_at_the_view_and_figures(robot: MainWindow) -> None:
    view, heat = robot.viewport, robot.fitting.heat_map
    assert view is not None
    robot.session.select(Selection(links=(LINK,)))
    action = robot.registry["view.heat_map"]
    [switch] = [b for b in view.strip.findChildren(QToolButton) if b.defaultAction() is action]
    QTest.mouseClick(switch, Qt.MouseButton.LeftButton)
    wait_until(lambda: heat.links == {LINK}, LONG)
    wait_until(switch.isChecked)
    values, legend = heat.values(LINK), heat._legend
    assert legend is not None
    assert legend.isVisible()
    stands_out, uncovered = legend.figures
    assert stands_out == f"deepest {-1000 * values.min():.1f} mm"
    assert uncovered == (
        f"farthest {1000 * values.max():.1f} mm" if values.max() > 5e-5 else "nowhere"
    )
    # Both fit beside each other, at their longest.
    from editor_app.window.theme import tabular_font

    width = QFontMetrics(tabular_font(legend.font())).horizontalAdvance("farthest 888.8 mm")
    assert legend.width() > 2 * width + 20
    # Spheres that are blended as they come hide what is drawn after them.
    props = view.canvas.main.GetViewProps()
    layer = heat._layer
    assert layer is not None
    cloud, _ = view.scene.spheres.actors
    assert props.IndexOfFirstOccurrence(layer._actors[LINK]) < props.IndexOfFirstOccurrence(cloud)
    assert view.scene.spheres._faded == {LINK}
    robot.registry.trigger("view.heat_map")
    wait_until(lambda: not switch.isChecked())
    assert not legend.isVisible()
    assert not view.scene.spheres._faded, "the spheres are drawn in full again"


def test_a_heat_map_that_is_off_draws_no_frame(
    robot: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shapes are compared in the background; a frame more would come in the middle of a drag."""
    assert robot.viewport is not None
    asked: list[str] = []
    monkeypatch.setattr(robot.viewport.scene, "redraw", lambda: asked.append("frame"))
    robot.fitting.context.surfaces.compared.emit()
    assert not asked


def test_subdivision_keeps_the_surface() -> None:
    vertices = np.array([[0.0, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 3]])
    faces = np.array([[0, 1, 2], [0, 1, 3]])
    fine, parts = subdivided(vertices, faces)

    def area(v: Any, f: Any) -> float:
        c = v[f]
        return float(
            np.linalg.norm(np.cross(c[:, 1] - c[:, 0], c[:, 2] - c[:, 0]), axis=1).sum() / 2
        )

    assert len(parts) > 100
    assert area(fine, parts) == pytest.approx(area(vertices, faces))
    edges = fine[parts] - fine[np.roll(parts, 1, axis=1)]
    assert np.linalg.norm(edges, axis=2).max() < 0.2


def pick(box: ToolBox, name: str, index: int) -> None:
    choice = box.input(name)
    assert isinstance(choice, QComboBox)
    choice.setCurrentIndex(index)
    choice.activated.emit(index)


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
    pick(box, "series", 1)
    wait_until(
        lambda: (
            not box.is_busy and len(robot.fitting.context.proposed.get(LINK, ())) == len(old) + 2
        ),
        LONG,
    )
    assert text(robot) == before
    box.apply()
    wait_until(lambda: box.tool is None and not box.is_busy, LONG)
    now = spheres(robot, LINK)
    assert now[: len(old)] == old
    first, last = old[0].radius, old[3].radius
    assert [s.radius for s in now[-2:]] == pytest.approx(
        [first * (last / first) ** (i / 3) for i in (1, 2)], abs=2e-6
    )
    assert len(robot.session.selection.spheres) == 2
    robot.session.undo()
    assert text(robot) == before


def test_tools_without_inputs_are_one_step(robot: MainWindow) -> None:
    for tool in ("split", "merge", "snap", "grow", "shrink", "improve"):
        _is_one_step(robot, tool)
        while robot.session.document.undo_label:
            robot.session.undo()


def _is_one_step(robot: MainWindow, tool: str) -> None:
    document, group = robot.session.document, robot.session.active_group
    assert group is not None
    if tool == "grow":
        # The sample's spheres touch the surface already.
        small = tuple(
            (SphereRef(group, LINK, i), CollisionSphere(spheres(robot, LINK)[i].center, 0.005))
            for i in (1, 2)
        )
        robot.session.execute(SetSpheres(small))
    before, old = text(robot), spheres(robot, LINK)
    steps = document.position
    select(robot, 1, 2)
    run_tool(robot, tool)
    wait_until(lambda: document.position == steps + 1, LONG)
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


def test_spheres_are_mirrored_onto_the_link_of_the_other_side(robot: MainWindow) -> None:
    left, right = "left_finger_link", "right_finger_link"
    before, box = spheres(robot, left), robot.fitting.tool_box
    group, document = robot.session.active_group, robot.session.document
    assert group is not None
    stray = CollisionSphere((0.3, 0.0, 0.0), 0.01)
    robot.session.execute(ReplaceSpheres(group, FrozenDict({right: (stray,)}), "Another one"))
    robot.session.locks.toggle(document.robot, [SphereRef(group, right, 0)])
    robot.session.select(Selection(links=(left,)))
    run_tool(robot, "mirror")
    place = box.input("place")
    assert isinstance(place, QComboBox)
    assert place.currentData() == "link", "a name says which link is the other one"
    assert not box.input("axis").isEnabled()
    box.apply()
    wait_until(lambda: box.tool is None and not box.is_busy, LONG)
    after = spheres(robot, right)
    assert after[0] == stray, "locked"
    assert [s.radius for s in after[1:]] == [s.radius for s in before]
    assert spheres(robot, left) == before
    assert {ref.frame for ref in robot.session.selection.spheres} == {right}
    quality = robot.fitting.quality

    def covered(link: str) -> float | None:
        shown = quality.of(link)
        return (
            None
            if shown is None or shown.figures is None or not shown.current
            else shown.figures.surface_coverage
        )

    wait_until(lambda: covered(left) is not None and covered(right) is not None, LONG)
    assert covered(right) == pytest.approx(covered(left), abs=0.02)
    robot.session.undo()
    robot.session.undo()
    # A link without another side is told, not mirrored somewhere.
    told: list[str] = []
    robot.session.refused.connect(told.append)
    robot.session.select(Selection(links=("upper_arm_link",)))
    run_tool(robot, "mirror")
    place = box.input("place")
    assert isinstance(place, QComboBox)
    assert place.currentData() == "middle"
    pick(box, "place", place.findData("link"))
    box.apply()
    assert "No opposite link found for upper_arm_link" in told[-1]
    box.close_box()


def test_scale_of_all_and_mirror_and_fill(robot: MainWindow) -> None:
    old = {k: spheres(robot, k) for k in robot.fitting.context.links_with_mesh()}
    box = robot.fitting.tool_box
    select(robot, 0)
    run_tool(robot, "scale")
    pick(box, "scope", 2)
    box.apply()
    wait_until(lambda: box.tool is None and not box.is_busy, LONG)
    for link, before in old.items():
        assert [s.radius for s in spheres(robot, link)] == pytest.approx(
            [1.1 * s.radius for s in before], abs=1e-6
        )
    robot.session.undo()
    select(robot, 0)
    run_tool(robot, "mirror")
    told: list[str] = []
    robot.session.message.connect(told.append)
    box.apply()
    wait_until(lambda: box.tool is None and not box.is_busy, LONG)
    assert spheres(robot, LINK) == old[LINK], "it lies on the plane y = 0"
    assert "both sides" in told[-1]
    run_tool(robot, "mirror")
    pick(box, "axis", 0)
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
    from editor_app.core.document.commands import AddSpheres

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
    wait_until(lambda: refused or (document.undo_label or "").startswith(label), LONG)
    left, right = spheres(robot, "left_finger_link"), spheres(robot, "right_finger_link")
    assert not refused, refused
    assert [s.radius for s in left] == [s.radius for s in right]
    np.testing.assert_allclose(np.abs([s.center for s in left]), np.abs([s.center for s in right]))


def test_tools_say_why_they_cannot(robot: MainWindow) -> None:
    robot.session.select(Selection())
    told: list[str] = []
    robot.session.refused.connect(told.append)
    for action in (
        "fit.links",
        "spheres.connect",
        "spheres.merge",
        "spheres.snap",
        "spheres.copy_alike",
    ):
        told.clear()
        robot.registry.trigger(action)
        assert told, action
        assert told[0].startswith("Select"), told
