"""The judge of `tests.opinions fits` agrees with a right report, and says what is wrong with
another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import trimesh

from editor_app.features.spheres.engine.fit import fit_spheres
from editor_app.features.spheres.engine.settings import FitSettings
from tests.helpers.fits import quality_of
from tests.opinions.fits import Case, Judge, build

BODY = trimesh.creation.box((0.2, 0.1, 0.05))
STRAY = trimesh.creation.box((0.005,) * 3).apply_translation((1, 0, 0))


def test_a_fit_is_judged_by_samples() -> None:
    case = Case("box", trimesh.util.concatenate([BODY, STRAY]), (STRAY,), has_cavities=False)
    result = fit_spheres(case.mesh.vertices, case.mesh.faces, FitSettings(number=8, effort="fast"))
    judge = Judge(case)
    assert judge.judge(result, covers=True).faults == ()
    quality = quality_of(result)
    wrong = replace(quality, surface_coverage=0.9, protrusion_max=1.2 * quality.protrusion_max)
    spheres = np.vstack([result.spheres, (0.5, 0.0, 0.0, 0.1)])
    spheres[spheres[:, 0] > 0.9, 3] *= 2
    faults = judge.judge(replace(result, quality=wrong, spheres=spheres), covers=True).faults
    text = "; ".join(faults)
    for part in (
        "1 spheres away",
        "a stray of radius 4.763 mm has a sphere of 8.66",
        "coverage 0.9000, sampled 1.0",
    ):
        assert part in text
    assert "protrusion" in text


def test_open_surfaces_have_no_spheres_inside_them() -> None:
    case = build(52)
    result = fit_spheres(
        case.mesh.vertices, case.mesh.faces, FitSettings(number=8, mode="inside", effort="fast")
    )
    assert len(result.spheres) == 0
    assert any("open surface" in note for note in result.notes)


def test_spheres_that_stay_inside_do_not_protrude() -> None:
    case = build(73)
    result = fit_spheres(
        case.mesh.vertices, case.mesh.faces, FitSettings(number=8, mode="inside", effort="fast")
    )
    assert len(result.spheres) == 8
    assert quality_of(result).protrusion_max == 0.0
