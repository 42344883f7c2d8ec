"""The links of a robot with a tick, what they have now, a progress bar while they are fitted, and the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from editor_app.gui.plain_text import plain
from editor_app.gui.theme import colours, tabular_font
from editor_app.gui.window.thin_bar import ThinBar

if TYPE_CHECKING:
    from editor_app.fitting.links import LinkFit

_TICK, _WEIGHT, _NOW, _NEW, _RESULT = range(5)


class LinkList(QTreeWidget):
    """One row per link that has a mesh; `itemChanged` tells of ticks."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Links to fit")
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAlternatingRowColors(True)
        self.setHeaderLabels(["Link", "Weight", "Now", "Fitted", "Result"])
        self.headerItem().setToolTip(
            _WEIGHT, "How much a link counts when a total budget is shared out; double-click to type another"
        )
        self.setEditTriggers(QTreeWidget.EditTrigger.NoEditTriggers)
        self.itemDoubleClicked.connect(self._edit)
        #: Weights that were typed, and those that hold where none was.
        self._weights: dict[str, float] = {}
        self._usual_weights: dict[str, float] = {}
        self.setSelectionMode(QTreeWidget.SelectionMode.NoSelection)
        self._items: dict[str, QTreeWidgetItem] = {}
        self._bars: dict[str, ThinBar] = {}
        self._shares: dict[str, float] = {}
        self._soon = QTimer(self, singleShot=True, interval=200)
        self._soon.timeout.connect(self._show_shares)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for column in (_WEIGHT, _NOW, _NEW):
            self.headerItem().setTextAlignment(column, right)
        header = self.header()
        header.setStretchLastSection(True)
        for column in (_TICK, _WEIGHT, _NOW, _NEW):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)

    # -- links

    @property
    def links(self) -> tuple[str, ...]:
        return tuple(self._items)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The ticked links, in the order of the list."""
        return tuple(k for k, item in self._items.items() if item.checkState(_TICK) is Qt.CheckState.Checked)

    def set_links(self, links: Iterable[str]) -> None:
        """Other rows; links that were there keep their ticks, new ones get one."""
        ticked = {k: item.checkState(_TICK) for k, item in self._items.items()}
        self.blockSignals(True)
        self.clear()
        self._items, self._bars = {}, {}
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        height = self.fontMetrics().height() + 6
        for link in links:
            item = QTreeWidgetItem([link, "", "", "", ""])
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
            # On the column that is stretched: the width of a hint would count in the others.
            item.setSizeHint(_RESULT, QSize(0, height))
            item.setCheckState(_TICK, ticked.get(link, Qt.CheckState.Checked))
            for column in (_WEIGHT, _NOW, _NEW):
                item.setTextAlignment(column, right)
                item.setFont(column, tabular_font(self.font()))
            self.addTopLevelItem(item)
            self._items[link] = item
        self.blockSignals(False)

    def tick(self, wanted: Callable[[str], bool]) -> None:
        """Ticks exactly the wanted ones; tells once."""
        self.blockSignals(True)
        for link, item in self._items.items():
            item.setCheckState(_TICK, Qt.CheckState.Checked if wanted(link) else Qt.CheckState.Unchecked)
        self.blockSignals(False)
        if self._items:
            self.itemChanged.emit(next(iter(self._items.values())), _TICK)

    # -- weights

    @property
    def weights(self) -> dict[str, float]:
        """Weights that were typed, by link."""
        return {link: weight for link, weight in self._weights.items() if link in self._items}

    @property
    def shown_weights(self) -> dict[str, float]:
        """How much links count, by link: what was typed, else what is usual; 1 for the others."""
        return {**self._usual_weights, **self.weights}

    def show_weights(self, usual: Mapping[str, float]) -> None:
        """`usual`: what holds for links without a weight of their own; 1 where it says nothing."""
        self._usual_weights = dict(usual)
        self.blockSignals(True)
        for link, item in self._items.items():
            typed = link in self._weights
            item.setText(_WEIGHT, f"{self._weights.get(link, usual.get(link, 1.0)):g}")
            item.setForeground(_WEIGHT, QColor(colours().text if typed else colours().muted))
            item.setToolTip(_WEIGHT, "Typed" if typed else "By what the robot works with; double-click to type another")
        self.blockSignals(False)

    def forget_weights(self) -> None:
        """What was typed for another robot."""
        self._weights = {}

    def take_weight(self, item: QTreeWidgetItem, column: int) -> None:
        """Reads what was typed into a row; a text that is no number above 0 is the usual weight again."""
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
        self.blockSignals(True)
        for link, item in self._items.items():
            now = number_of(link)
            item.setText(_NOW, str(now) if now else "none")
        self.blockSignals(False)

    def start_bar(self, link: str) -> None:
        bar = ThinBar(f"Progress of {link}")
        holder = QWidget()
        layout = QHBoxLayout(holder)
        layout.setContentsMargins(4, 0, 8, 0)
        layout.addWidget(bar)
        self._bars[link] = bar
        self.set_result(link, "", keep_bar=True)
        self._items[link].setText(_NEW, "")
        self.setItemWidget(self._items[link], _RESULT, holder)

    def set_progress(self, link: str, fraction: float) -> None:
        """Shown a few times a second: processes tell some thirty times, and every picture is a frame of the view."""
        self._shares[link] = fraction
        if not self._soon.isActive():
            self._soon.start()

    def _show_shares(self) -> None:
        for link, share in self._shares.items():
            if link in self._bars:
                self._bars[link].set_share(share)
        self._shares.clear()

    def set_result(
        self, link: str, text: str, number: int | None = None, *, bad: bool = False, keep_bar: bool = False
    ) -> None:
        """In the place of the bar; `number` is how many spheres were fitted."""
        item = self._items.get(link)
        if item is None:
            return
        if not keep_bar and self._bars.pop(link, None) is not None:
            # It is deleted later, and would lie over the text until then.
            self.itemWidget(item, _RESULT).hide()
            self.removeItemWidget(item, _RESULT)
        item.setText(_RESULT, text)
        item.setToolTip(_RESULT, plain(text))
        item.setForeground(_RESULT, QColor(colours().error if bad else colours().text))
        if number is not None:
            item.setText(_NEW, str(number))

    def end_bars(self, text: str) -> None:
        """What is not done is told by this text."""
        for link in tuple(self._bars):
            self.set_result(link, text)

    def clear_results(self) -> None:
        for link, item in self._items.items():
            self.set_result(link, "")
            item.setText(_NEW, "")


def result_text(fit: LinkFit, lost: float = 0.0) -> tuple[str, bool]:
    """What is told about a fitted link, and whether it is bad. `lost`: share of its surface that the mount costs."""
    result = fit.result
    quality = result.quality
    if quality is None or not len(result.spheres):
        return " ".join(result.notes) or "nothing to fit", True
    parts = []
    bad = False
    if result.certificate is not None:
        bad = not result.certificate.holds
        above = "✓ certified above the clip plane" if result.certificate.band_m else "✓ certified"
        parts.append("✗ open" if bad else above)
    else:
        parts.append(f"{100 * quality.surface_coverage:.1f} % covered")
    parts.append(f"stands out {1000 * quality.protrusion_max:.1f} mm at most")
    if lost > 0:
        parts.append(f"{lost:.1%} left open next to the mount")
    if fit.shared_with:
        parts.append(f"same mesh as {', '.join(fit.shared_with)}")
    return ", ".join(parts + list(result.notes)), bad
