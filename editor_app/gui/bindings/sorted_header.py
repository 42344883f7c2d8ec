"""A header whose sort arrow takes room in the sorted column alone."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHeaderView, QStyle, QStyleOptionHeaderV2, QWidget


class SortedHeader(QHeaderView):
    """Qt's own keeps room for the arrow in every column: names beside them would be cut for nothing."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setSectionsClickable(True)
        self.sortIndicatorChanged.connect(lambda *_: self.resizeSections())

    def sectionSizeFromContents(self, logical: int) -> QSize:
        """As Qt's, without the arrow's room where there is none."""
        size = super().sectionSizeFromContents(logical)
        if not self.isSortIndicatorShown() or logical == self.sortIndicatorSection():
            return size
        return QSize(size.width() - self._arrow(logical), size.height())

    def _arrow(self, logical: int) -> int:
        """Pixels that the style adds for an arrow."""
        option = QStyleOptionHeaderV2()
        self.initStyleOption(option)
        option.text = str(self.model().headerData(logical, Qt.Orientation.Horizontal) or "")
        option.fontMetrics = self.fontMetrics()
        widths = []
        for arrow in (QStyleOptionHeaderV2.SortIndicator.SortDown, QStyleOptionHeaderV2.SortIndicator.None_):
            option.sortIndicator = arrow
            widths.append(
                self.style().sizeFromContents(QStyle.ContentsType.CT_HeaderSection, option, QSize(), self).width()
            )
        return widths[0] - widths[1]
