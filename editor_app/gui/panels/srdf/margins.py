"""Collision margins of Tesseract: from which distance on a contact is told, and pairs with one of their own."""

from __future__ import annotations

from typing import Any

from editor_app.edit.commands.fields import OfSrdf
from editor_app.edit.commands.several import AllOf
from editor_app.edit.commands.srdf_parts import DeleteSrdfParts, SetMargins, SetPairMargin
from editor_app.edit.selection import Selection
from editor_app.gui.bindings.forms import Form, Number
from editor_app.gui.bindings.panel import muted_label, tool_button
from editor_app.gui.bindings.quantity import LENGTH
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.panels.srdf.panel import SrdfPanel, link_names
from editor_app.gui.widgets import dress
from editor_app.model.change import Change
from editor_app.model.robot import RobotDescription
from editor_app.model.srdf import CollisionMargins, PairMargin
from editor_app.model.xrdf import LinkPair


class MarginsPanel(SrdfPanel):
    """The default above, the pairs below; without the section, the default is 0."""

    purpose = "Collision margins of Tesseract: how far links have to stay apart."

    def build(self) -> None:
        default = Number("Default", "margins.default_margin", LENGTH, name="Default margin", empty="none")
        Form(self, (default,), OfSrdf, title="Set default collision margin")
        columns: list[Column[PairMargin]] = [
            Column("Link", lambda p: p.link1, problem=lambda p: self.unknown_link(p.link1), stretch=True),
            Column("and link", lambda p: p.link2, problem=lambda p: self.unknown_link(p.link2), stretch=True),
            Column("Margin", lambda p: p.margin, write=self._write, quantity=LENGTH),
        ]
        self.view = self.table(
            "Margins of pairs",
            columns,
            lambda robot: self._margins.pairs,
            delete=lambda rows: DeleteSrdfParts(margins=tuple(LinkPair.of(p.link1, p.link2) for p in rows)),
            chosen=self._selected,
        )
        self.first, self.second, line = self.pair_adder(
            ("First link of the margin", "Second link"),
            link_names,
            self._add,
            dress(tool_button("plus", "Add"), name="Add margin of a pair"),
            "A margin needs two links.",
        )
        self.body.addWidget(self.under(self.view, line))
        self.remove = tool_button("trash", "Remove margins")
        self.remove.setToolTip("Takes the whole section out of the SRDF")
        self.remove.clicked.connect(lambda: self.execute(SetMargins(None, "Remove collision margins")))
        self.body.addWidget(self.remove)
        self.body.addWidget(muted_label("Tesseract reads them; MoveIt does not."))

    @property
    def _margins(self) -> CollisionMargins:
        return self.srdf.margins or CollisionMargins()

    def _write(self, cells: list[tuple[PairMargin, Any]]) -> Change:
        changes = tuple(SetPairMargin(LinkPair.of(p.link1, p.link2), float(v)) for p, v in cells)
        return changes[0] if len(changes) == 1 else AllOf(changes, f"Set {len(changes)} margins")

    def update_view(self, robot: RobotDescription) -> None:
        self.remove.setVisible(self.srdf.margins is not None)

    def _add(self, first: str, second: str) -> bool:
        pair = LinkPair.of(first, second)
        if any(LinkPair.of(p.link1, p.link2) == pair for p in self._margins.pairs):
            self.tell(f"{first} and {second} have a margin already.")
            return False
        if not self.execute(SetPairMargin(pair, self._margins.default_margin)):
            return False
        self.view.select_row(len(self._margins.pairs) - 1, 2)
        return True

    def _selected(self, rows: list[PairMargin]) -> Selection:
        pairs = (LinkPair.of(row.link1, row.link2) for row in rows)
        robot = self.session.robot
        urdf_links = set(link_names(robot)) if robot is not None else set()
        return Selection(pairs=tuple(p for p in pairs if p.first in urdf_links and p.second in urdf_links))
