"""Names in the 3D view: those that would be written through each other are moved apart, the others
stay."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("vtkmodules")

from editor_app.window.viewport.layers.labels import at_one_place, inward, shifts

places = st.lists(
    st.tuples(
        st.integers(0, 300), st.integers(0, 60), st.integers(10, 120), st.sampled_from((15.0, 30.0))
    ),
    min_size=1,
    max_size=12,
)


def covers(boxes: np.ndarray, i: int, j: int) -> bool:
    (x, y, w, h), (u, v, a, b) = boxes[i], boxes[j]
    return bool(x < u + a and u < x + w and abs(y - v) < (h + b) / 2 - 1e-6)


@given(places)
def test_what_is_moved_covers_nothing_and_what_is_free_stays(
    rectangles: list[tuple[int, int, int, float]],
) -> None:
    boxes = np.array(rectangles, float)
    moved = shifts(boxes[:, :2], boxes[:, 2:])
    assert moved[0] == 0.0
    after = boxes.copy()
    after[:, 1] += moved
    for i in range(len(boxes)):
        if moved[i]:
            assert not any(covers(after, i, j) for j in range(i))
        if not any(covers(boxes, i, j) for j in range(len(boxes)) if j != i):
            # It may still have to give way to one that was moved before it, but never without
            # reason.
            assert not moved[i] or any(moved[j] for j in range(i))
    if not any(covers(boxes, i, j) for i in range(len(boxes)) for j in range(i)):
        assert not moved.any()


def test_two_at_one_place_stand_one_below_the_other() -> None:
    boxes = np.array([[10.0, 50.0, 80.0, 16.0]] * 3)
    assert sorted(shifts(boxes[:, :2], boxes[:, 2:])) == [-16.0, 0.0, 16.0]
    assert not shifts(np.full((2, 2), np.nan), boxes[:2, 2:]).any(), "behind the eye"


def test_the_right_edge_cuts_no_text_whose_place_is_seen() -> None:
    lefts, widths = (
        np.array([10.0, 950.0, 950.0, 1010.0, -5.0, np.nan]),
        np.array([80.0, 40.0, 80.0, 80.0, 9.0, 80.0]),
    )
    assert inward(lefts, widths, 1000).tolist() == [0, 0, -30, 0, 0, 0]
    assert inward(np.array([50.0]), np.array([400.0]), 200).tolist() == [-50], (
        "its beginning is not cut instead"
    )


def test_points_at_one_place_share_a_label() -> None:
    points = [np.array(p, float) for p in ((0, 0, 1), (0, 0, 2), (1e-5, 0, 1), (0, 0, 1))]
    assert at_one_place(points) == [[0, 2, 3], [1]]
    assert at_one_place([]) == []
