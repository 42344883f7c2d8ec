"""What half and twice the budget would give, before a fit: a row of three buttons, filled in the background."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from editor_app.gui.fitting.budget_estimates import BudgetEstimates
from editor_app.gui.plain_text import plain
from editor_app.gui.theme import colours
from editor_app.gui.widgets import fill


class _FlatButton(QPushButton):
    """Says also without a frame of its own that it has the focus."""

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self)
            painter.setPen(QPen(QColor(colours().accent), 1))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
            painter.end()


class BudgetOutlook(QWidget):
    """Half, the present, and twice the budget, each with how far its spheres would stand out."""

    #: The budget of the button that was clicked.
    chosen = Signal(int)

    def __init__(self, estimates: BudgetEstimates, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("What other budgets would give")
        self._estimates = estimates
        self._shown: tuple[tuple[str, ...], int, Mapping[str, float]] | None = None
        self.buttons: list[QPushButton] = []
        row = fill(QHBoxLayout(self), margins=0, spacing=4)
        for name in ("Half of the budget", "The budget", "Twice the budget"):
            button = _FlatButton(self)
            button.setAccessibleName(name)
            button.setFlat(True)
            button.clicked.connect(lambda _=False, b=button: self.chosen.emit(int(b.property("total"))))
            row.addWidget(button, 1)
            self.buttons.append(button)
        self._estimates.changed.connect(self._write)

    def show_for(self, links: tuple[str, ...], total: int, weights: Mapping[str, float]) -> None:
        """For this budget of these links, shared out by these weights."""
        self.show()
        if (links, total, weights) != self._shown:
            self._shown = links, total, dict(weights)
            self._write()

    def stop(self) -> None:
        """A fit takes the processes."""
        self._estimates.stop()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._write()

    def _write(self) -> None:
        if self._shown is None:
            return
        links, total, weights = self._shown
        for button, number in zip(self.buttons, (max(1, total // 2), total, 2 * total), strict=True):
            # Nobody looks at a panel that is hidden.
            protrusion = self._estimates.stands_out(links, number, weights) if self.isVisible() else None
            button.setProperty("total", number)
            button.setText(f"{number}: ≤ {1000 * protrusion.most:.0f} mm" if protrusion else f"{number}")
            button.setEnabled(number != total)
            tip = f"{number} spheres would stand out by {protrusion.text}" if protrusion else "Estimating…"
            button.setToolTip(plain(tip))
