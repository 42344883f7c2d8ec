"""Coverage is of one surface, which follows from the shapes of the links: what a fit tells holds
for the saved file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from editor_app import FitChoices, fit, open_robot, save
from editor_app.cli import run_command
from editor_app.core.tasks.work import locate_robot
from editor_app.features.spheres.verbs.link_figures import measure_figures
from editor_app.features.spheres.verbs.link_meshes import link_meshes
from editor_app.features.spheres.verbs.surface_kind import surface_kind, surface_words
from tests.helpers.robots import PARTIAL_COLLISION, Z1_BY_VISUALS, copy_of_sample, example_robots


def urdf_of(robot: str, folder: Path) -> Path:
    if robot == "sample":
        return copy_of_sample(folder / "robot", bare=True)
    if robot == "z1":
        return example_robots() / "z1_description" / "urdf" / "z1.urdf"
    path = folder / "r.urdf"
    path.write_text(PARTIAL_COLLISION)
    return path


@pytest.mark.parametrize(
    ("robot", "visual"), [("sample", set()), ("z1", Z1_BY_VISUALS), ("partial", {"arm"})]
)
def test_a_fit_tells_what_is_measured_of_its_file(
    robot: str, visual: set[str], tmp_path: Path
) -> None:
    urdf = urdf_of(robot, tmp_path)
    document = open_robot(urdf, new_xrdf=True)
    fitted = fit(document, budget=40, choices=FitChoices(mount=False, effort="fast"))
    assert {each.link for each in fitted.links if each.surface == "of the visual shapes"} == visual
    assert {each.link for each in fitted.links if each.surface} == visual
    document.execute(fitted.change)
    save(document, tmp_path / "saved.xrdf")
    again = open_robot(urdf, tmp_path / "saved.xrdf")
    spheres = again.robot.xrdf.spheres_of(again.robot.xrdf.world_group)
    loaded = link_meshes(locate_robot(again), spheres)
    assert {link for link, kind in loaded.kinds.items() if kind == "visual"} == visual
    told = {each.link: each.result.quality for each in fitted.links}
    for mesh in loaded.meshes:
        figures, quality = measure_figures(mesh, spheres[mesh.link]), told[mesh.link]
        assert quality is not None
        assert figures.surface_coverage == pytest.approx(quality.surface_coverage, abs=2e-3)
        assert figures.protrusion_max == pytest.approx(quality.protrusion_max, abs=2e-4)
        assert figures.excess_ratio == pytest.approx(quality.excess_ratio, rel=0.02, abs=1e-3)


def test_a_fit_to_another_surface_says_so(tmp_path: Path, capsys: Any) -> None:
    urdf = urdf_of("partial", tmp_path)
    (each,) = fit(
        open_robot(urdf),
        links=["arm"],
        number=1,
        choices=FitChoices(effort="fast"),
        geometry="collision",
    ).links
    assert each.surface == "of the collision shapes (elsewhere: of the visual ones)"
    arguments = [
        str(urdf),
        "--links",
        "foot,arm",
        "--spheres",
        "2",
        "--effort",
        "fast",
        "--format",
        "html",
    ]
    assert run_command("fit", [*arguments, "--geometry", "collision"]) == 0
    page = capsys.readouterr().out
    assert page.count(f'<span class="quiet">{each.surface}</span>') == 1, (
        "of the arm, not of the foot"
    )


def test_surface_is_the_collision_shapes_unless_they_are_partial_or_missing() -> None:
    every = ("collision", "visual")
    assert surface_kind("auto", every.__contains__, False) == "collision"
    assert surface_kind("auto", every.__contains__, True) == "visual"
    assert surface_kind("collision", every.__contains__, True) == "collision"
    assert surface_kind("auto", ("visual",).__contains__, False) == "visual"
    assert surface_kind("auto", ("collision",).__contains__, True) == "collision"
    assert surface_kind("auto", ().__contains__, False) is None
    assert surface_words("collision", "collision") == surface_words(None, None) == ""
    assert surface_words("visual", "visual") == "of the visual shapes"
    assert (
        surface_words("visual", "collision")
        == "of the visual shapes (elsewhere: of the collision ones)"
    )
