"""What is fitted into the view fills it, and lies beside what covers the view, whichever corner
that takes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from editor_app.core.arrays import F64
from editor_app.window.viewport.camera import CameraView, FramedPoints, ViewCamera
from editor_app.window.viewport.overlays import LEAST, Rectangle, are_clear, find_free_areas

SIZE = (640, 400)
STRIP = Rectangle(8, 8, 40, 380)
CORNER = Rectangle(548, 8, 632, 92)
CARD = Rectangle(90, 10, 520, 110)
LEGEND = Rectangle(400, 330, 630, 390)


class Eye:
    """Takes what a vtkCamera is told."""

    def __getattr__(self, name: str) -> object:
        return lambda *_: None


def camera(*covers: Rectangle, parallel: bool = False) -> ViewCamera:
    made = ViewCamera(Eye(), lambda: SIZE, lambda: None)
    made.covers = lambda: covers
    made.set_view(CameraView(parallel=parallel))
    return made


def cloud(*size: float) -> F64:
    return np.random.default_rng(3).uniform(-0.5, 0.5, (200, 3)) * size + [0.3, -0.2, 0.5]


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("size", [(1, 1, 1), (0.2, 0.2, 2), (3, 0.3, 0.3), (0.3, 3, 0.1)])
@pytest.mark.parametrize("covers", [(), (STRIP, CORNER), (CARD,), (STRIP, CORNER, CARD, LEGEND)])
def test_all_of_it_is_seen_beside_the_covers(
    covers: tuple[Rectangle, ...], size: tuple[float, float, float], parallel: bool
) -> None:
    shown, points = camera(*covers, parallel=parallel), cloud(*size)
    shown.fit_points(points, margin=1.0)
    seen = shown.project(points)[:, :2]
    assert (seen >= -1e-6).all()
    assert (seen <= np.array(SIZE) + 1e-6).all()
    assert are_clear(seen, covers)
    assert not any(cover.over(1.02).holds(*point) for point in seen for cover in covers)
    # As near as that allows: a step nearer, and something of it is outside or covered.
    closer = replace(shown.view, distance=shown.view.distance * 0.97)
    nearer = shown.project(points, closer)[:, :2]
    inside = (nearer >= 0).all() and (nearer <= np.array(SIZE)).all()
    assert not (inside and are_clear(nearer, covers))


def test_a_corner_that_nothing_comes_to_lie_under_costs_nothing() -> None:
    plain, beside, points = camera(), camera(CORNER), cloud(0.2, 0.2, 2)
    plain.fit_points(points)
    beside.fit_points(points)
    assert beside.view == plain.view


def test_half_of_the_view_is_left_whatever_lies_over_it() -> None:
    for area in find_free_areas([Rectangle(0, 0, 640, 390), STRIP], *SIZE):
        assert area.right - area.left >= LEAST * SIZE[0] - 1e-6
        assert area.bottom - area.top >= LEAST * SIZE[1] - 1e-6
    hopeless, points = camera(Rectangle(0, 0, 640, 390)), cloud(1, 1, 1)
    hopeless.fit_points(points)
    assert np.isfinite(hopeless.project(points)).all()


@pytest.mark.parametrize("parallel", [False, True])
def test_what_stands_out_by_pixels_ends_in_the_view(parallel: bool) -> None:
    """Handles are as large on the screen from everywhere."""
    shown, points = camera(CARD, parallel=parallel), cloud(1, 1, 1)
    top = points[np.argmax(points @ shown.up)]
    arms = 90.0 * np.array([[0, 0, 1], [0.6, 0, 0.8]])

    def ends() -> F64:
        return shown.project(top + arms * shown.metres_per_pixel(top))[:, :2]

    shown.fit_points(points)
    assert not all(shown.is_free(*end) for end in ends())
    shown.fit_points(points, beside=[FramedPoints(top[None], arms)])
    assert ends()[:, 1].min() == pytest.approx(CARD.bottom, abs=1e-6)
    assert are_clear(shown.project(points)[:, :2], [CARD])


def test_points_around_a_cover_are_not_clear_of_it() -> None:
    around = np.array([[0, 200], [640, 200], [320, 0], [320, 400]], float)
    assert not are_clear(around, [Rectangle(300, 190, 340, 210)])
    assert are_clear(around, [Rectangle(0, 0, 60, 60)])
