"""What overlaps at the present pose, live while a slider or a sphere is dragged."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QWidget

from editor_app.edit.selection import Selection
from editor_app.gui.bindings.lists import EmptyWords, read_table
from editor_app.gui.self_collision.controller import MaskController
from editor_app.gui.self_collision.live import LiveOverlaps
from editor_app.gui.self_collision.tables import Line, LinesModel, table_page
from editor_app.gui.widgets import PlainLabel, WhenSeen, dress, icon
from editor_app.model.counting import counted


class OverlapsPage(QWidget):
    """A click selects the pair and the spheres that overlap."""

    def __init__(self, controller: MaskController, live: LiveOverlaps, parent: QWidget) -> None:
        super().__init__(parent)
        self._controller = controller
        self._live = live
        self.model = LinesModel(("Link", "Link", "Depth\nmm", "Spheres", ""), (2, 3), self)
        self.table = read_table("Overlaps at this pose", self, self.model, self._choose)
        self.empty = EmptyWords(self.table)
        self.text = dress(PlainLabel(parent=self), look="muted")
        self.again_button = dress(QPushButton(icon("arrow-clockwise"), "Prepare again", self), run=live.wake)
        table_page(self, (self.again_button, self.text), self.table)
        # Behind another tab, the table costs a drag nothing.
        WhenSeen(self, self.refresh, (live.changed,))
        self.refresh()

    def refresh(self) -> None:
        overlaps = self._live.overlaps
        self.again_button.setVisible(bool(self._live.trouble) and self._controller.session.document is not None)
        self.text.setText(self._words())
        self.text.setVisible(bool(overlaps) or not self.again_button.isHidden())
        self.empty.say("" if overlaps or not self.again_button.isHidden() else self.text.text())
        order, tip = self._live.at_pose.in_order, "Click to select the spheres that overlap"
        texts = [(*order(o.pair), f"{o.depth * 1e3:.1f}", str(len(o.contacts)), "") for o in overlaps]
        self.model.show([Line(text, o, tip) for text, o in zip(texts, overlaps, strict=True)])

    def _words(self) -> str:
        """What the list shows, or why it is empty."""
        live = self._live
        if not live.is_ready:
            has_robot = self._controller.session.document is not None
            return (live.trouble or "Preparing …") if has_robot else "Open a robot first."
        if not live.at_pose.compares:
            return "There are no two links with spheres to compare: fit spheres first."
        ignored = live.at_pose.masked
        besides = f"; {counted(ignored, 'pair')} that the XRDF ignores overlap{'s' * (ignored == 1)}" if ignored else ""
        if live.overlaps:
            return f"Pairs that the XRDF checks, and that overlap at this pose{besides}."
        return f"No pair that the XRDF checks overlaps at this pose{besides}."

    def _choose(self, row: int) -> None:
        overlap = self.model.items[row].value
        spheres = dict.fromkeys(ref for c in overlap.contacts for ref in (c.first, c.second))
        self._controller.session.select(Selection(spheres=tuple(spheres), pairs=(overlap.pair,)))
        self._controller.session.look_requested.emit()
