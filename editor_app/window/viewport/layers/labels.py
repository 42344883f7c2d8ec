"""Short texts at points in space, always of the same size on the screen, moved apart where they
would overlap."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from vtkmodules.vtkCommonCore import vtkStringArray
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkRenderingCore import vtkActor2D, vtkRenderer, vtkTextRenderer
from vtkmodules.vtkRenderingLabel import vtkLabeledDataMapper

from editor_app.core.arrays import F64
from editor_app.window.viewport.camera import ViewCamera
from editor_app.window.viewport.palette import Rgb, scene_colours
from editor_app.window.viewport.vtk_tools import points_of

#: Points nearer to each other than this share a label (metres).
_SAME_PLACE = 1e-4
#: Of what is behind a text: more of a dark robot would make it faint.
_PAPER = 0.92


def at_one_place(points: Sequence[F64]) -> list[list[int]]:
    """The numbers of the points that are at one place, together: their names are written one below
    the other."""
    if not len(points):
        return []
    places = np.asarray(points, float).reshape(-1, 3)
    near = np.abs(places[:, None] - places[None]).max(axis=2) < _SAME_PLACE
    first = near.argmax(axis=1)
    groups: dict[int, list[int]] = {}
    for i, other in enumerate(first[first]):
        groups.setdefault(int(other), []).append(i)
    return list(groups.values())


class Labels:
    """One actor for any number of texts."""

    def __init__(self, renderer: vtkRenderer, size: int = 12) -> None:
        # Texts are shown as they stand: by itself VTK takes `$x^2$` for a formula, which only
        # matplotlib can set.
        vtkTextRenderer.GetInstance().SetDefaultBackend(vtkTextRenderer.FreeType)
        self._data = vtkPolyData()
        self._size = size
        mapper = vtkLabeledDataMapper()
        mapper.SetInputData(self._data)
        mapper.SetLabelModeToLabelFieldData()
        mapper.SetFieldDataName("label")
        text = mapper.GetLabelTextProperty()
        text.SetFontFamilyToArial()
        text.ItalicOff()
        text.BoldOff()
        text.ShadowOff()
        text.SetJustificationToLeft()
        text.SetVerticalJustificationToCentered()
        self._text = text
        self.actor = vtkActor2D()
        self.actor.SetMapper(mapper)
        self.actor.PickableOff()
        renderer.AddViewProp(self.actor)
        self._visible = True
        self._moved = False
        #: (n, 3): where the texts belong.
        self.points: F64 = np.zeros((0, 3))
        #: (n, 3): where they are drawn.
        self.places: F64 = self.points
        self._lines: list[list[str]] = []
        #: Another number after each change.
        self.version = 0
        self.set_scale(1.0)
        self.set([], [])

    def set_scale(self, scale: float) -> None:
        """Device pixels per pixel of the window system."""
        size = max(6, round(self._size * scale))
        if size != self._text.GetFontSize():
            self._text.SetFontSize(size)

    def set_style(self, ink: Rgb, paper: Rgb | None, opacity: float = 1.0) -> None:
        """`paper` is the colour behind the text; None for none."""
        self._text.SetColor(*ink)
        self._text.SetOpacity(opacity)
        if paper is None:
            self._text.SetBackgroundOpacity(0.0)
        else:
            self._text.SetBackgroundColor(*paper)
            self._text.SetBackgroundOpacity(_PAPER)

    def set(self, points: Sequence[F64], texts: Sequence[str | Sequence[str]]) -> None:
        """A text at each point; several lines are written one below the other."""
        lines = [[text] if isinstance(text, str) else list(dict.fromkeys(text)) for text in texts]
        if not lines and not self._lines and self._data.GetPoints() is not None:
            # A drag sets none at every step.
            return
        array = vtkStringArray()
        array.SetName("label")
        array.SetNumberOfValues(len(texts))
        for i, label_lines in enumerate(lines):
            array.SetValue(i, "\n".join(f" {line} " for line in label_lines))
        self.points = self.places = np.asarray(points, float).reshape(-1, 3)
        self._lines = lines
        self._moved = False
        self._data.Initialize()
        self._data.SetPoints(points_of(self.points))
        self._data.GetPointData().AddArray(array)
        self._data.Modified()
        self.set_visible(self._visible)

    def set_visible(self, visible: bool) -> None:
        self._visible = visible
        self.version += 1
        self.actor.SetVisibility(self.is_visible)

    @property
    def is_visible(self) -> bool:
        return self._visible and len(self._lines) > 0

    def size_of(self, index: int) -> tuple[float, float]:
        """Width and height of a text in device-independent pixels, rather too large than too
        small."""
        lines = self._lines[index]
        return 0.6 * self._size * (max(map(len, lines)) + 2), 1.3 * self._size * len(lines)

    def move(self, by: F64 | None) -> None:
        """Draws the texts away from where they belong, (n, 3) metres; None: there."""
        if by is None and not self._moved:
            return
        self._moved = by is not None
        self.places = self.points if by is None else self.points + by
        self._data.SetPoints(points_of(self.places))
        self._data.Modified()


class LineLook:
    """Length, names and what is hidden of a layer; `redraw` is called when one of them changes.

    Made after the layer's lines were added to the renderer, so that names are drawn over them.
    """

    def __init__(self, renderer: vtkRenderer, redraw: Callable[[], None]) -> None:
        self._redraw = redraw
        self.names = Labels(renderer)
        self.tool_names = Labels(renderer)
        #: Of a frame's axes, in metres.
        self.length = 0.08
        self.hidden: frozenset[str] = frozenset()

    @property
    def labels(self) -> tuple[Labels, Labels]:
        return self.names, self.tool_names

    def write(self, names: Sequence[tuple[F64, str, bool]]) -> None:
        """Names at places (3,), and whether each is of a tool; those at one place are written
        together."""
        together = at_one_place([place for place, _, _ in names])
        for labels, wanted in ((self.names, False), (self.tool_names, True)):
            chosen = [group for group in together if any(names[i][2] for i in group) is wanted]
            labels.set([names[k[0]][0] for k in chosen], [[names[i][1] for i in k] for k in chosen])

    def restyle(self) -> None:
        colours = scene_colours()
        self.names.set_style(colours.ink, colours.paper)
        self.tool_names.set_style(colours.tool, colours.paper)
        self._redraw()

    def set_length(self, length: float) -> None:
        if length != self.length:
            self.length = length
            self._redraw()

    def set_hidden(self, hidden: frozenset[str]) -> None:
        self.hidden = hidden
        self._redraw()


#: How many lines a name may be moved; beyond, it would no longer be seen what it names.
_MOST_LINES = 8


class LabelSpread:
    """Brings the names of several layers to where they can be read, before they are drawn."""

    def __init__(self, labels: Callable[[], Sequence[Labels]]) -> None:
        """`labels` gives those that are there now; what comes first keeps its place."""
        self._labels_now = labels
        self._last: object = None

    def arrange(self, camera: ViewCamera) -> None:
        """Moves what has to be moved; nothing when neither the names nor the view have changed
        since."""
        all_labels = tuple(self._labels_now())
        key = (camera.view, camera.size(), tuple((labels, labels.version) for labels in all_labels))
        if key == self._last:
            return
        self._last = key
        shown = [
            (labels, i)
            for labels in all_labels
            if labels.is_visible
            for i in range(len(labels.points))
        ]
        moves: dict[Labels, F64] = {}
        if shown:
            points = np.array([labels.points[i] for labels, i in shown])
            pixels = camera.project(points)[:, :2]
            sizes = np.array([labels.size_of(i) for labels, i in shown])
            aside = inward(pixels[:, 0], sizes[:, 0], camera.size()[0])
            downs = shifts(pixels + np.column_stack([aside, np.zeros(len(aside))]), sizes)
            for (labels, i), point, left, down in zip(shown, points, aside, downs, strict=True):
                if left or down:
                    offsets = moves.setdefault(labels, np.zeros((len(labels.points), 3)))
                    offsets[i] = (left * camera.right - down * camera.up) * camera.metres_per_pixel(
                        point
                    )
        for labels in all_labels:
            labels.move(moves.get(labels))


def inward(lefts: F64, widths: F64, width: float) -> F64:
    """(n,) pixels, 0 or less, by which texts are moved so that the right edge of a view of so many
    pixels cuts none.

    A text whose place is out of the view stays there, and none is moved beyond the left edge.
    """
    seen = np.isfinite(lefts) & (lefts >= 0.0) & (lefts <= width)
    beyond = np.where(seen, np.maximum(lefts + widths - width, 0.0), 0.0)
    return np.where(seen, -np.minimum(beyond, lefts), 0.0)


def shifts(places: F64, sizes: F64) -> F64:
    """(n,) pixels by which each text is to be moved down (below 0: up), so that none covers
    another.

    `places` (n, 2): the middle of the left edge of each; `sizes` (n, 2): width and height. The
    first keeps its place, those after it take the nearest that is free. Where there is none near
    enough, a text stays where it is.
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
