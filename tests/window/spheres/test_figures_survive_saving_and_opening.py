"""A file that is saved and opened again shows the coverage that it was saved with, and says what it
is of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from editor_app.core.document.commands import SetSpheres
from editor_app.core.document.selection import Selection
from editor_app.core.model.findings import SphereRef
from editor_app.core.verbs.open import save
from editor_app.window.link_tree.link_model import LinkColumn
from editor_app.window.link_tree.link_tree import LinkTreePanel
from editor_app.window.main_window import MainWindow
from editor_app.window.selection.panel import SelectionPanel
from tests.helpers.breadth import of_each_kind
from tests.helpers.fitting_windows import (
    LONG,
    nothing_goes_on_running,
    nothing_of_qt_is_left,
    window,
)
from tests.helpers.robots import PARTIAL_COLLISION, Z1_BY_VISUALS, example_robots
from tests.helpers.windows import open_in, wait_until

__all__ = ["nothing_goes_on_running", "nothing_of_qt_is_left", "window"]


def urdf_of(robot: str, folder: Path) -> Path:
    if robot == "z1":
        return example_robots() / "z1_description" / "urdf" / "z1.urdf"
    path = folder / "r.urdf"
    path.write_text(PARTIAL_COLLISION)
    return path


def ready(window: MainWindow) -> None:
    context = window.fitting.context
    wait_until(
        lambda: (
            not window.meshes.is_loading and not context.is_comparing and context.links_with_mesh()
        ),
        LONG,
    )


def fit_whole(window: MainWindow, budget: int) -> None:
    panel = window.fitting.fit_panel
    panel.cancel()
    panel.tick(panel.list.links)
    panel.form.effort.setCurrentIndex(0)
    panel.form.amount.set_value(budget, "budget")
    panel.start()
    wait_until(lambda: not panel.is_running and bool(panel.fits), LONG)
    wait_until(panel.accept_button.isEnabled, LONG)
    panel.accept()


def tree_of(window: MainWindow) -> LinkTreePanel:
    panel = window.docks.show("links")
    assert isinstance(panel, LinkTreePanel)
    return panel


def told(window: MainWindow) -> dict[str, tuple[Any, Any]]:
    """What the tree says of each link that is measured: the cell, and its tooltip."""
    quality = window.fitting.quality
    # Of a fit, too, the spheres are measured as they are written.
    wait_until(
        lambda: quality.links and quality.is_settled and not window.fitting.measuring.is_busy, LONG
    )
    model = tree_of(window).model
    roles = Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole
    return {
        link: (
            model.index_of(link, LinkColumn.COVERAGE).data(roles[0]),
            model.index_of(link, LinkColumn.COVERAGE).data(roles[1]),
        )
        for link in quality.links
    }


def selected(window: MainWindow, link: str) -> tuple[str, str]:
    """The coverage and the line below it in the panel of the selection."""
    window.session.select(Selection(links=(link,)))
    panel = window.docks.show("selection")
    assert isinstance(panel, SelectionPanel)
    figures = panel.numbers.quality
    wait_until(lambda: figures.is_current and figures.isVisible(), LONG)
    return figures.text("coverage"), figures.state.whole_text


ROBOTS = (("r", {"arm"}), ("z1", Z1_BY_VISUALS))


@pytest.mark.parametrize(("robot", "visual"), of_each_kind(ROBOTS, ROBOTS[:1]))
def test_every_figure_stays(
    window: MainWindow, tmp_path: Path, robot: str, visual: set[str]
) -> None:
    urdf, xrdf = urdf_of(robot, tmp_path), tmp_path / "saved.xrdf"
    window.session.open(None)
    assert window.files.open(urdf, new_xrdf=True)
    ready(window)
    # Whether the mount is switched off for fits is no property of the file.
    window.fitting.context.use_mount(False)
    fit_whole(window, 24)
    window.fitting.context.use_mount(True)
    before = told(window)
    link = min(visual)
    shown = selected(window, link)
    assert shown[1] == "Figures of the visual shapes"
    assert {k for k, (_, tip) in before.items() if "of the visual shapes" in tip} == visual
    document = window.session.document
    save(document, xrdf)
    window.session.open(None)
    assert window.files.open(urdf, xrdf)
    ready(window)
    assert told(window) == before
    assert selected(window, link) == shown
    # What a fit would begin with is the same surface.
    assert all(not window.fitting.context.is_fitted_to_other(k) for k in before)
    window.fitting.heat_map.set_on(True)
    wait_until(lambda: window.fitting.heat_map.links == {link}, LONG)
    legend = window.fitting.heat_map._legend
    assert legend is not None
    assert legend.surface == "Shows visual shapes"
    window.fitting.heat_map.set_on(False)


def test_an_edit_puts_the_figures_of_its_own_link_alone_out_of_date(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.session.open(None)
    open_in(window, urdf_of("r", tmp_path))
    ready(window)
    fit_whole(window, 8)
    before, context, robot, asked = (
        told(window),
        window.fitting.context,
        window.session.robot,
        set[str](),
    )
    assert len(before) > 1
    group = robot.xrdf.group(context.group)
    assert group is not None
    sphere = group.spheres["arm"][0]
    measured_mesh = context.measured_mesh

    def noted(link: str) -> Any:
        asked.add(link)
        return measured_mesh(link)

    monkeypatch.setattr(context, "measured_mesh", noted)
    ref = SphereRef(group.name, "arm", 0)
    assert window.session.execute(SetSpheres(((ref, replace(sphere, radius=1.1 * sphere.radius)),)))
    assert asked <= {"arm"}, "no other link is looked at"
    assert [link for link in before if not window.fitting.quality.of(link).current] == ["arm"]  # type: ignore[union-attr]
    window.session.undo()
    assert told(window) == before


def test_a_fit_to_other_shapes_names_them_and_changes_no_figure_elsewhere(
    window: MainWindow, tmp_path: Path
) -> None:
    window.session.open(None)
    open_in(window, urdf_of("r", tmp_path))
    ready(window)
    fit_whole(window, 8)
    before = told(window)
    window.session.select(Selection(links=("arm",)))
    window.registry.trigger("fit.links")
    panel = window.fitting.fit_panel
    panel.form.effort.setCurrentIndex(0)
    wait_until(lambda: panel.is_ready, LONG)
    assert panel.figures.surface.text() == "of visual shapes"
    assert "In Links" not in panel.notes.text()
    panel.form.geometry_kind.setCurrentIndex(panel.form.geometry_kind.findData("collision"))
    panel.form.amount.set_value(1, "number")
    wait_until(lambda: panel.is_ready, LONG)
    assert panel.figures.surface.text() == "of collision shapes"
    assert (
        "In Links and Selection, the figures of arm describe all visual shapes."
        in panel.notes.text()
    )
    assert panel.figures.text("coverage", proposed=True).endswith("100.0 %")
    assert told(window) == before, "what is chosen for a fit changes no figure of the robot"
    panel.accept()
    # One sphere of a centimetre in an arm of thirty.
    assert told(window)["arm"][0] not in (before["arm"][0], "100")
    assert float(told(window)["arm"][0]) < 20
    window.session.undo()
    assert told(window) == before
    window.fitting.context.set_kind("auto")
