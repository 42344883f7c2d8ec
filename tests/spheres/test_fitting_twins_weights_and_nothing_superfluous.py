"""A whole-robot fit: nearly mirrored links get mirrored spheres, weights shift the budget, no
sphere within another."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from editor_app.features.spheres.engine.budget import LossCurve, share_out
from editor_app.features.spheres.engine.fit import fit_spheres
from editor_app.features.spheres.engine.links import LinkJob, LinkMesh, group_links
from editor_app.features.spheres.engine.robot import fit_job
from editor_app.features.spheres.engine.settings import FitSettings, Plane
from editor_app.features.spheres.engine.superfluous import without_contained
from tests.helpers.fits import jobs_of


def part(link: str, knob: float, mirror: float = 1.0, **more: object) -> LinkMesh:
    """A bar with a knob at its side, whose radius differs a little from link to link."""
    body = trimesh.creation.box((0.3, 0.08, 0.06))
    ball = trimesh.creation.icosphere(2, knob)
    ball.apply_translation((0.1, 0.05, 0.01))
    both = trimesh.util.concatenate([body, ball])
    vertices = np.asarray(both.vertices, float) * (1, mirror, 1)
    faces = np.asarray(both.faces, np.int32)
    return LinkMesh(link, vertices, faces[:, ::-1] if mirror < 0 else faces, **more)  # type: ignore[arg-type]


def test_nearly_mirrored_links_get_mirrored_spheres_and_a_proof_each() -> None:
    left, right = part("left", 0.03), part("right", 0.0315, -1.0)
    ((links, mesh),) = group_links([left, right])
    assert links == ("left", "right")
    assert mesh.twin == (1, len(left.faces))
    first, second = fit_job(LinkJob.of_group(links, mesh, FitSettings(number=12, effort="fast")))
    assert first.result.certificate is not None
    assert first.result.certificate.certified
    assert second.result.certificate is not None
    assert second.result.certificate.certified
    assert second.result.spheres == pytest.approx(first.result.spheres * (1, -1, 1, 1))
    # The proof is of its own mesh.
    for mesh_, fitted in ((left, first), (right, second)):
        points = mesh_.vertices
        gaps = np.linalg.norm(points[:, None] - fitted.result.spheres[None, :, :3], axis=2)
        assert (gaps <= fitted.result.spheres[:, 3] + 1e-6).any(axis=1).all()


def test_what_differs_more_stays_apart() -> None:
    assert len(group_links([part("left", 0.03), part("right", 0.045, -1.0)])) == 2
    # Mirrored about another plane than one of the frame's: not the two sides of a robot.
    moved = part("right", 0.0315, -1.0)
    shifted = LinkMesh("right", moved.vertices + (0.05, 0, 0), moved.faces)
    assert len(group_links([part("left", 0.03), shifted])) == 2


def test_inside_stays_inside_of_each() -> None:
    ((links, mesh),) = group_links([part("left", 0.03), part("right", 0.0315, -1.0)])
    first, second = fit_job(
        LinkJob.of_group(links, mesh, FitSettings(number=6, mode="inside", effort="fast"))
    )
    assert (first.link, second.link) == ("left", "right")
    assert len(first.result.spheres)
    assert len(second.result.spheres)


def test_a_link_with_planes_of_its_own_keeps_to_them() -> None:
    plane = Plane((0.0, 0.0, -0.03), (0.0, 0.0, 1.0))
    groups = group_links([part("base", 0.03, clip_planes=(plane,)), part("arm", 0.03)])
    assert [links for links, _ in groups] == [("base",), ("arm",)]
    job = LinkJob.of_group(*groups[0], FitSettings(number=12, effort="fast"))
    assert job.settings.clip_planes == (plane,)
    (fitted,) = fit_job(job)
    assert (fitted.result.spheres[:, 2] - fitted.result.spheres[:, 3]).min() >= -0.03 - 1e-5


def test_weights_shift_a_budget() -> None:
    curve = LossCurve((1, 10, 100), (1.0, 0.1, 0.01))
    even = share_out([curve, curve], [1, 1], 40)
    shifted = share_out([curve, curve], [1, 1], 40, [1.0, 8.0])
    assert abs(even[0] - even[1]) <= 3
    assert shifted[1] > 1.5 * shifted[0]
    small, large = part("small", 0.03), part("large", 0.03)
    large = LinkMesh("large", large.vertices * 3, large.faces)
    numbers = {}
    for weight in (1.0, 20.0):
        weighted = LinkMesh("small", small.vertices, small.faces, weight=weight)
        jobs = jobs_of([large, weighted], FitSettings(number=1), 40)
        numbers[weight] = next(job.settings.number for job in jobs if job.links == ("small",))
    assert (numbers[20.0] or 0) > 1.3 * (numbers[1.0] or 0)


def test_nothing_superfluous() -> None:
    spheres = np.array(
        [
            [0, 0, 0, 0.1],
            [0.02, 0, 0, 0.05],
            [0.2, 0, 0, 0.1],
            [0.2, 0, 0, 0.1],
            [0.0, 0.0, 0.05, 0.050003],
        ]
    )
    kept = without_contained(spheres)
    assert len(kept) == 2
    # What stood out by 3 micrometres is still covered.
    assert kept[0, 3] == pytest.approx(0.100003)
    assert len(without_contained(spheres[:1], np.array([[0, 0, 0, 0.2]]))) == 0
    apart = np.array([[0, 0, 0, 0.1], [0.06, 0, 0, 0.05]])
    assert (without_contained(apart) == apart).all()


@pytest.mark.parametrize("number", [4, 9])
def test_no_fit_has_a_sphere_within_another(number: int) -> None:
    box = trimesh.creation.box((0.1, 0.1, 0.02))
    job = LinkJob(
        ("box",),
        LinkMesh("box", np.asarray(box.vertices), np.asarray(box.faces, np.int32)),
        FitSettings(number=number),
    )
    (fitted,) = fit_job(job)
    s = fitted.result.spheres
    apart = np.linalg.norm(s[:, None, :3] - s[None, :, :3], axis=2)
    within = apart + s[:, None, 3] <= s[None, :, 3] + 1e-6
    np.fill_diagonal(within, False)
    assert not within.any()
    assert fitted.result.certificate is not None
    assert fitted.result.certificate.certified


@pytest.mark.parametrize("mode", ["cover", "balanced"])
def test_the_number_asked_for_is_nearly_given_and_none_lies_within_another(mode: str) -> None:
    mesh = part("arm", 0.03)
    for number in (12, 48):
        spheres = fit_spheres(
            mesh.vertices,
            mesh.faces,
            FitSettings(number=number, mode=mode, effort="fast"),  # type: ignore[arg-type]
        ).spheres
        assert 0.9 * number < len(spheres) <= number
        apart = np.linalg.norm(spheres[:, None, :3] - spheres[None, :, :3], axis=2)
        within = apart + spheres[:, None, 3] <= spheres[None, :, 3]
        np.fill_diagonal(within, False)
        assert not within.any()
