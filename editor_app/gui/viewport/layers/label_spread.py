"""Names that the edge of the view would cut are moved inward, and those written through each other up or down."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from editor_app.gui.viewport.camera import Camera
from editor_app.gui.viewport.layers.labels import Labels
from editor_app.gui.viewport.vtk_tools import Array

#: How many lines a name may be moved; beyond, it would no longer be seen what it names.
_MOST_LINES = 8


class LabelSpread:
    """Brings the names of several layers to where they can be read, before they are drawn."""

    def __init__(self, labels: Callable[[], Sequence[Labels]]) -> None:
        """`labels` gives those that are there now; what comes first keeps its place."""
        self._labels_now = labels
        self._last: object = None

    def arrange(self, camera: Camera) -> None:
        """Moves what has to be moved; nothing when neither the names nor the view have changed since."""
        all_labels = tuple(self._labels_now())
        key = (camera.view, camera.size(), tuple((labels, labels.version) for labels in all_labels))
        if key == self._last:
            return
        self._last = key
        shown = [(labels, i) for labels in all_labels if labels.is_visible for i in range(len(labels.points))]
        moves: dict[Labels, Array] = {}
        if shown:
            points = np.array([labels.points[i] for labels, i in shown])
            pixels = camera.project(points)[:, :2]
            sizes = np.array([labels.size_of(i) for labels, i in shown])
            aside = inward(pixels[:, 0], sizes[:, 0], camera.size()[0])
            downs = shifts(pixels + np.column_stack([aside, np.zeros(len(aside))]), sizes)
            for (labels, i), point, left, down in zip(shown, points, aside, downs, strict=True):
                if left or down:
                    offsets = moves.setdefault(labels, np.zeros((len(labels.points), 3)))
                    offsets[i] = (left * camera.right - down * camera.up) * camera.metres_per_pixel(point)
        for labels in all_labels:
            labels.move(moves.get(labels))


def inward(lefts: Array, widths: Array, width: float) -> Array:
    """(n,) pixels, 0 or less, by which texts are moved so that the right edge of a view of so many pixels cuts none.

    A text whose place is out of the view stays there, and none is moved beyond the left edge.
    """
    seen = np.isfinite(lefts) & (lefts >= 0.0) & (lefts <= width)
    beyond = np.where(seen, np.maximum(lefts + widths - width, 0.0), 0.0)
    return np.where(seen, -np.minimum(beyond, lefts), 0.0)


def shifts(places: Array, sizes: Array) -> Array:
    """(n,) pixels by which each text is to be moved down (below 0: up), so that none covers another.

    `places` (n, 2): the middle of the left edge of each; `sizes` (n, 2): width and height. The first keeps its place,
    those after it take the nearest that is free. Where there is none near enough, a text stays where it is.
    """
    offsets = np.zeros(len(places))
    left, right = places[:, 0], places[:, 0] + sizes[:, 0]
    half = sizes[:, 1] / 2
    middle = places[:, 1].astype(float).copy()
    for i in range(1, len(places)):
        if not np.isfinite(places[i]).all():
            continue
        beside = np.flatnonzero((left[:i] < right[i]) & (left[i] < right[:i]))
        room = half[beside] + half[i]
        # Just above or below one of the others is the nearest place that is free, if any is.
        tries = np.concatenate([[places[i, 1]], middle[beside] + room, middle[beside] - room])
        for y in tries[np.argsort(np.abs(tries - places[i, 1]), kind="stable")]:
            if abs(y - places[i, 1]) > _MOST_LINES * 2 * half[i]:
                break
            if not (np.abs(middle[beside] - y) < room - 1e-6).any():
                middle[i] = y
                break
        offsets[i] = middle[i] - places[i, 1]
    return offsets
