"""The links of a robot, each with a tick, what they have now, a progress bar while they are fitted,
and the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from editor_app.features.spheres.engine.links import LinkFit
from editor_app.features.spheres.window.figures import Summary
from editor_app.window.bindings.lists import RIGHT, DistinctCells
from editor_app.window.link_quality import proof_text, share_text
from editor_app.window.theme import colours, tabular_font, theme
from editor_app.window.timers import Wait, after
from editor_app.window.widgets import ThinBar, fill_layout, plain_text

_TICK, _WEIGHT, _NOW, _NEW, _COVERED, _OUT, _EXCESS, _RESULT = range(8)
#: Where a row has the number that a column sorts by.
_VALUE = Qt.ItemDataRole.UserRole
#: Column of a figure of a fit -> what it is, its attribute, and how it stands below the title,
#: which has the unit.
_FIGURES: dict[int, tuple[str, str, Callable[[float], str]]] = {
    _NEW: ("Number of spheres", "count", str),
    _COVERED: ("Share of the outer surface inside the spheres", "coverage", share_text),
    _OUT: (
        "Proven: no point of the spheres is farther from the mesh",
        "protrusion_max",
        lambda metres: f"{1000 * metres:.1f}",
    ),
    _EXCESS: (
        "Sphere volume outside the mesh, relative to the mesh volume",
        "excess",
        lambda share: f"{100 * share:.0f}",
    ),
}


class LinkList(QTreeWidget):
    """One row per link that has a mesh; `itemChanged` tells of ticks. Each column sorts; a third
    click gives the robot's order back. Figures stay until a fit brings others: figures of the fit
    before stand in brackets."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Links to fit")
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAlternatingRowColors(True)
        self.setHeaderLabels(
            ["Link", "Weight", "Now", "Fitted", "Covered %", "Protr. mm", "Excess %", "Result"]
        )
        self.headerItem().setToolTip(
            _WEIGHT, "Share of a total budget that the link gets; double-click to edit"
        )
        self.setEditTriggers(QTreeWidget.EditTrigger.NoEditTriggers)
        self.itemDoubleClicked.connect(self._edit)
        #: Weights that were typed, and those that hold where none was.
        self._weights: dict[str, float] = {}
        self._usual_weights: dict[str, float] = {}
        self.setSelectionMode(QTreeWidget.SelectionMode.NoSelection)
        self._items: dict[str, QTreeWidgetItem] = {}
        #: Whether rows are being put into the robot's order.
        self.sorts_by_place = False
        self._narrow = False
        #: Ticks are set by the program.
        self.is_ticking = False
        #: Of the last fit of each link and of the one before it.
        self._fitted: dict[str, Summary] = {}
        self._before: dict[str, Summary] = {}
        #: Links whose result is told in the colour of errors.
        self._bad: set[str] = set()
        theme().changed.connect(self._colour_all)
        self._bars: dict[str, ThinBar] = {}
        self._shares: dict[str, float] = {}
        self._soon = after(self, self._show_shares, Wait.FIT_LIST)
        for column in (_WEIGHT, _NOW, *_FIGURES):
            self.headerItem().setTextAlignment(column, RIGHT)
        for column, (meaning, _, _) in _FIGURES.items():
            self.headerItem().setToolTip(
                column, plain_text(f"{meaning}. In brackets: the previous fit")
            )
        self.setSortingEnabled(True)
        self.header().setSortIndicatorClearable(True)
        self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        # Its arrow takes room in every column: names of links need it as long as nothing is sorted.
        self.header().setSortIndicatorShown(False)
        self.header().sortIndicatorChanged.connect(self._on_sorted)
        header = self.header()
        # Long names give way, so that the result is seen without scrolling.
        header.setStretchLastSection(True)
        header.setMinimumSectionSize(44)
        header.setSectionResizeMode(_TICK, QHeaderView.ResizeMode.Stretch)
        self.setItemDelegateForColumn(_TICK, DistinctCells(self))
        self._show_columns()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus():
            # Without a row that could show it, too.
            painter = QPainter(self.viewport())
            painter.setPen(QColor(colours().accent))
            painter.drawRect(self.viewport().rect().adjusted(0, 0, -1, -1))
            painter.end()

    def _on_sorted(self, column: int) -> None:
        self.header().setSortIndicatorShown(column >= 0)
        self._size_columns()
        if column < 0:
            # Qt sorts by no column by doing nothing; rows compare by their places meanwhile.
            self.sorts_by_place = True
            self.model().sort(_TICK)
            self.sorts_by_place = False

    # -- links

    @property
    def links(self) -> tuple[str, ...]:
        return tuple(self._items)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The ticked links, in the order of the list."""
        return tuple(
            k for k, item in self._items.items() if item.checkState(_TICK) is Qt.CheckState.Checked
        )

    def set_links(self, links: Iterable[str]) -> None:
        """Other rows; links that were there keep their ticks, new ones get one."""
        ticked = {k: item.checkState(_TICK) for k, item in self._items.items()}
        blocker = QSignalBlocker(self)
        self.clear()
        self._items, self._bars = {}, {}
        height = self.fontMetrics().height() + 6
        for place, link in enumerate(links):
            item = _Row([link], place)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
            # On the column that is stretched: the width of a hint would count in the others.
            item.setSizeHint(_RESULT, QSize(0, height))
            item.setCheckState(_TICK, ticked.get(link, Qt.CheckState.Checked))
            for column in (_WEIGHT, _NOW, *_FIGURES):
                item.setTextAlignment(column, RIGHT)
                item.setFont(column, tabular_font(self.font()))
            self.addTopLevelItem(item)
            self._items[link] = item
            self._show_figures(link)
        blocker.unblock()

    def tick(self, wanted: Callable[[str], bool]) -> None:
        """Ticks exactly the wanted ones; tells once, where that changes anything."""
        before = self.chosen
        with QSignalBlocker(self):
            for link, item in self._items.items():
                item.setCheckState(
                    _TICK, Qt.CheckState.Checked if wanted(link) else Qt.CheckState.Unchecked
                )
        if self.chosen != before:
            self.is_ticking = True
            self.itemChanged.emit(next(iter(self._items.values())), _TICK)
            self.is_ticking = False

    # -- weights

    @property
    def weights(self) -> dict[str, float]:
        """Weights that were typed, by link."""
        return {link: weight for link, weight in self._weights.items() if link in self._items}

    def show_weights(self, usual: Mapping[str, float]) -> None:
        """`usual`: what holds for links without a weight of their own; 1 where it says nothing."""
        self._usual_weights = dict(usual)
        usual_tip = "Computed from the distance to the tool; double-click to edit"
        with QSignalBlocker(self):
            for link, item in self._items.items():
                item.setText(_WEIGHT, f"{self._weights.get(link, usual.get(link, 1.0)):g}")
                self._colour(link, item)
                item.setToolTip(
                    _WEIGHT, plain_text("Typed" if link in self._weights else usual_tip)
                )

    def _colour(self, link: str, item: QTreeWidgetItem) -> None:
        now = colours()
        item.setForeground(_WEIGHT, QColor(now.text if link in self._weights else now.muted))
        item.setForeground(_RESULT, QColor(now.error if link in self._bad else now.text))

    def _colour_all(self) -> None:
        """Light or dark: an item keeps the colour that it was given."""
        with QSignalBlocker(self):
            for link, item in self._items.items():
                self._colour(link, item)
        self.viewport().update()

    def take_weight(self, item: QTreeWidgetItem, column: int) -> None:
        """Reads what was typed into a row; a text that is no number above 0 is the usual weight
        again."""
        if column != _WEIGHT:
            return
        link = item.text(_TICK)
        try:
            weight = float(item.text(_WEIGHT).strip().replace(",", "."))
        except ValueError:
            weight = 0.0
        if 0 < weight < 1e6:
            self._weights[link] = weight
        else:
            self._weights.pop(link, None)
        self.show_weights(self._usual_weights)

    def _edit(self, item: QTreeWidgetItem, column: int) -> None:
        if column == _WEIGHT:
            self.editItem(item, column)

    # -- what they have

    def show_present(self, number_of: Callable[[str], int]) -> None:
        with QSignalBlocker(self):
            for link, item in self._items.items():
                item.setText(_NOW, str(number_of(link) or "none"))

    def start_bar(self, link: str) -> None:
        bar = ThinBar(f"Progress of {link}")
        holder = QWidget()
        fill_layout(QHBoxLayout(holder), bar, margins=(4, 0, 8, 0))
        self._bars[link] = bar
        self.set_result(link, "", keep_bar=True)
        self._pass(link)
        self.setItemWidget(self._items[link], _RESULT, holder)

    def set_progress(self, link: str, fraction: float) -> None:
        """Shown a few times a second: processes tell some thirty times, and every picture is a
        frame of the view."""
        self._shares[link] = fraction
        if not self._soon.isActive():
            self._soon.start()

    def _show_shares(self) -> None:
        for link, share in self._shares.items():
            if link in self._bars:
                self._bars[link].set_share(share)
        self._shares.clear()

    def show_fit(self, link: str, figures: Summary, text: str, *, bad: bool = False) -> None:
        """A link is fitted: figures in the columns, and words."""
        self._fitted[link] = figures
        self.set_result(link, text, bad=bad)
        self._show_figures(link)

    def _pass(self, link: str) -> None:
        """What was fitted is the fit before."""
        if link in self._fitted:
            self._before[link] = self._fitted.pop(link)
        self._show_figures(link)

    def _show_columns(self) -> None:
        """Names have the room of the figures until there are any."""
        hidden = self._narrow or not (self._fitted or self._before or self._bars)
        for column in _FIGURES:
            self.setColumnHidden(column, hidden)
        for column in (_WEIGHT, _RESULT):
            self.setColumnHidden(column, self._narrow)
        self._size_columns()

    def _size_columns(self) -> None:
        """By the longest figures that there can be: heads and rows stay in step while the figures
        come."""
        metrics = QFontMetrics(tabular_font(self.font()))
        figure = metrics.horizontalAdvance("88.8 (88.8)" if self._before else "100.0") + 14
        for column in (_WEIGHT, _NOW, *_FIGURES):
            least = figure if column in _FIGURES else 0
            self.header().resizeSection(column, max(least, self.header().sectionSizeHint(column)))

    def set_narrow(self, narrow: bool) -> None:
        """Beside the details of one link: names, and how many spheres each has."""
        if narrow != self._narrow:
            self._narrow = narrow
            self._show_columns()

    def _show_figures(self, link: str) -> None:
        self._show_columns()
        item, now, before = self._items.get(link), self._fitted.get(link), self._before.get(link)
        if item is None:
            return
        with QSignalBlocker(self):
            for column, (_, name, written) in _FIGURES.items():
                value, old = getattr(now, name, None), getattr(before, name, None)
                parts = (
                    "" if value is None else written(value),
                    "" if old is None else f"({written(old)})",
                )
                item.setText(column, " ".join(filter(None, parts)))
                item.setData(column, _VALUE, value)

    def set_result(
        self, link: str, text: str, *, bad: bool = False, keep_bar: bool = False
    ) -> None:
        """Words in the place of the bar."""
        item = self._items.get(link)
        if item is None:
            return
        if not keep_bar and self._bars.pop(link, None) is not None:
            # It is deleted later, and would lie over the text until then.
            self.itemWidget(item, _RESULT).hide()
            self.removeItemWidget(item, _RESULT)
        item.setText(_RESULT, text)
        item.setToolTip(_RESULT, plain_text(text))
        (self._bad.add if bad else self._bad.discard)(link)
        self._colour(link, item)

    def end_bars(self, text: str) -> None:
        """Show this text for links that are not done."""
        for link in tuple(self._bars):
            self.set_result(link, text)

    def clear_results(self, links: Iterable[str]) -> None:
        """Keep the results of links that were not accepted or have changed for comparison only."""
        for link in links:
            self.set_result(link, "")
            self._pass(link)

    def forget(self) -> None:
        """Another robot."""
        self._fitted, self._before, self._weights = {}, {}, {}
        self._show_columns()
        self.clear_results(self._items)


class _Row(QTreeWidgetItem):
    """Numbers sort as numbers; without a column, rows stand in the robot's order."""

    def __init__(self, texts: list[str], place: int) -> None:
        super().__init__(texts)
        self._place = place

    def __lt__(self, other: object) -> bool:
        assert isinstance(other, _Row)
        rows = self.treeWidget()
        column = rows.sortColumn()
        if column < 0 or (isinstance(rows, LinkList) and rows.sorts_by_place):
            return self._place < other._place
        if column in (_TICK, _RESULT):
            return self.text(column) < other.text(column)
        return (self._number(column), self._place) < (other._number(column), other._place)

    def _number(self, column: int) -> float:
        if column in _FIGURES:
            value = self.data(column, _VALUE)
            return -1.0 if value is None else float(value)
        try:
            return float(self.text(column))
        except ValueError:
            return -1.0


def result_text(fit: LinkFit, lost: float = 0.0, surface: str = "") -> tuple[str, bool]:
    """Return the text about a fitted link, and whether it is bad. `lost`: share of its surface that
    the mount costs; `surface`: what the figures are of, where they are not of the collision
    shapes."""
    result = fit.result
    quality = result.quality
    if quality is None or not len(result.spheres):
        return " ".join(result.notes) or "no shape", True
    parts = []
    bad = False
    if result.certificate is not None:
        bad = not result.certificate.holds
        parts.append(proof_text(not bad, 0.0 if result.certificate.band_m else 1.0))
    if lost > 0:
        parts.append(f"{lost * 100:.1f} % uncovered below the mounting plane")
    if surface:
        parts.append(surface)
    if fit.shared_with:
        parts.append(f"same mesh as {', '.join(fit.shared_with)}")
    told = ", ".join(parts)
    # The notes are sentences.
    return " ".join((f"{told}." if told and result.notes else told, *result.notes)).lstrip(), bad
