"""Collision margins of Tesseract: from which distance on a contact is told, and pairs with one of their own."""

from __future__ import annotations

from typing import Any

from editor_app.edit.commands.fields import OfSrdf
from editor_app.edit.commands.several import AllOf
from editor_app.edit.commands.srdf_parts import DeleteSrdfParts, SetMargins, SetPairMargin
from editor_app.edit.selection import Selection
from editor_app.gui.bindings.forms import Form, Number
from editor_app.gui.bindings.name_box import NameBox
from editor_app.gui.bindings.panel import muted_label, row_of, tool_button
from editor_app.gui.bindings.quantity import LENGTH
from editor_app.gui.bindings.rows_model import Column
from editor_app.gui.panels.srdf.panel import SrdfPanel
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
        )
        self.view.rows_selected.connect(self._select)
        self.body.addWidget(self.view)
        self.first, self.second = NameBox("First link of the margin", "link"), NameBox("Second link", "link")
        for box in (self.first, self.second):
            box.set_value(None, "Link…")
            box.rejected.connect(self.tell)
        add = dress(tool_button("plus", "Add"), name="Add margin of a pair", run=self._add)
        self.body.addWidget(self.under(self.view, row_of(self.first, self.second, add)))
        self.remove = tool_button("trash", "Remove margins")
        self.remove.setToolTip("Takes the whole section out of the SRDF")
        self.remove.clicked.connect(lambda: self.execute(SetMargins(None, "Remove collision margins")))
        self.body.addWidget(self.remove)
        self.body.addWidget(muted_label("Tesseract reads them; MoveIt does not."))
        self.bind(self._show_links)

    @property
    def _margins(self) -> CollisionMargins:
        return self.srdf.margins or CollisionMargins()

    def _write(self, cells: list[tuple[PairMargin, Any]]) -> Change:
        changes = tuple(SetPairMargin(LinkPair.of(p.link1, p.link2), float(v)) for p, v in cells)
        return changes[0] if len(changes) == 1 else AllOf(changes, f"Set {len(changes)} margins")

    def _show_links(self, robot: RobotDescription) -> None:
        links = [link.name for link in robot.urdf.links]
        for box in (self.first, self.second):
            box.set_choices(links)
            box.set_value(box.value if box.value in links else None, "Link…")
        self.remove.setVisible(self.srdf.margins is not None)

    def _add(self) -> None:
        if not (self.first.commit() and self.second.commit()):
            return
        first, second = self.first.value, self.second.value
        if first is None or second is None:
            self.tell("A margin needs two links.")
            return
        pair = LinkPair.of(first, second)
        if any(LinkPair.of(p.link1, p.link2) == pair for p in self._margins.pairs):
            self.tell(f"{first} and {second} have a margin already.")
            return
        if self.execute(SetPairMargin(pair, self._margins.default_margin)):
            self.view.select_row(len(self._margins.pairs) - 1, 2)
            for box in (self.first, self.second):
                box.set_value(None, "Link…")

    def _select(self, rows: tuple[int, ...]) -> None:
        items = self.view.rows_model.rows
        pairs = tuple(LinkPair.of(items[i].link1, items[i].link2) for i in rows if i < len(items))
        robot = self.session.robot
        link_names = {link.name for link in robot.urdf.links} if robot is not None else set()
        pairs = tuple(p for p in pairs if p.first in link_names and p.second in link_names)
        if pairs:
            self.session.select(Selection(pairs=pairs))
