"""How good the spheres of the selected links are, in three lines; what is measured anew is shown as such."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QLabel, QWidget

from editor_app.gui.bindings.elision import ElidedLabel
from editor_app.gui.bindings.lists import RIGHT
from editor_app.gui.fitting.figures import summary
from editor_app.gui.link_quality import Shown
from editor_app.gui.theme import colours, tabular_font, theme
from editor_app.gui.widgets import PlainLabel, dress, grid, plain

#: Text, attribute of a Summary, how it is written, what it is; two to a line.
_FIGURES = (
    ("Covered", "coverage", "percent", "Share of the outer surface inside the spheres"),
    ("Excess", "excess", "percent", "Volume of the spheres outside the mesh, by the mesh's volume"),
    ("Stands out", "protrusion_mean", "mm", "Mean distance of the spheres' exposed surface to the mesh"),
    ("peak", "protrusion_max", "mm", "Greatest distance of the spheres' surface to the mesh that was seen"),
    ("Uncovered", "uncovered_max", "mm", "Greatest distance of the mesh to the spheres; 0 when covered"),
    ("Proof", "certified", "proof", "Whether it is proved, not sampled, that every triangle is covered"),
)
#: Kind of a figure -> what has its place from the start: no panel grows under the mouse when figures come.
_USUAL = {"percent": "888.8 %", "mm": "88.88 mm", "proof": "✓ certified"}


class QualityFigures(QWidget):
    """`show_links` gives it what to show; hidden when there is nothing to say.

    `note` has its place elsewhere: it comes and goes with the figures, and must move nothing that is pressed.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Quality of the spheres")
        box = grid(self, across=2, down=1)
        self._labels: dict[str, QLabel] = {}
        self._shown: tuple[Shown, ...] = ()
        for number, (text, name, kind, tip) in enumerate(_FIGURES):
            row, column = divmod(number, 2)
            title = dress(PlainLabel(text), tip=tip, look="muted")
            spoken = text if text != "peak" else "Stands out, peak"
            value = dress(PlainLabel("…"), name=spoken, tip=tip, font=tabular_font(self.font()), align=RIGHT)
            value.setMinimumWidth(value.fontMetrics().horizontalAdvance(_USUAL[kind]))
            box.addWidget(title, row, 3 * column)
            box.addWidget(value, row, 3 * column + 1)
            self._labels[name] = value
        box.setColumnMinimumWidth(2, 4)
        for column in (1, 4):
            box.setColumnStretch(column, 1)
        self.note = dress(PlainLabel(), name="Note on the quality of the spheres", look="muted", wrap=True)
        self.note.hide()
        # Always there, one line high: what is below must not move under the mouse when figures grow stale.
        self.state = dress(ElidedLabel(self), look="muted")
        self.state.setFixedHeight(self.state.fontMetrics().height())
        box.addWidget(self.state, 3, 0, 1, 5)
        # A bound method: Qt takes the connection back when the widget goes.
        theme().changed.connect(self._colour)
        self.hide()

    def text(self, name: str) -> str:
        """What stands there: name as in Summary. Raises KeyError."""
        return self._labels[name].text()

    @property
    def is_current(self) -> bool:
        """Nothing that is shown is of spheres before an edit, or missing."""
        return all(shown.current for shown in self._shown)

    def show_links(self, links: Sequence[Shown]) -> None:
        """Of several links: the least coverage, the greatest lengths, means weighted by size."""
        if tuple(links) == self._shown:
            # A drag in the view asks at every step.
            return
        self._shown = tuple(links)
        self.setVisible(bool(links))
        figures = [shown.figures for shown in links if shown.figures is not None]
        notes = list(dict.fromkeys(f.note for f in figures if f.note))
        measured = [(f, f.proof) for f in figures if not f.note]
        total = summary(sum(f.count for f in figures), measured)
        for _, name, kind, tip in _FIGURES:
            label = self._labels[name]
            label.setText("…" if not figures else total.told(name, kind))
            if name == "certified":
                label.setToolTip(plain(total.text or tip))
        if self.is_current:
            surfaces = {shown.surface for shown in links}
            one = surfaces.pop() if len(surfaces) == 1 else "of visual shapes where collision ones are partial"
            self.state.set_text(one[:1].upper() + one[1:])
        else:
            self.state.set_text("From before the edit, measured anew…" if figures else "Being measured…")
        if len(links) > 1:
            notes.append(f"Of {len(links)} links: the least coverage, the greatest lengths, means by size.")
        self.note.setText(" ".join(notes))
        self.note.setVisible(bool(notes))
        self._colour()

    def _colour(self) -> None:
        faint = not self.is_current
        for name, label in self._labels.items():
            font = tabular_font(self.font())
            font.setItalic(faint)
            if font != label.font():
                label.setFont(font)
            colour = colours().faint if faint else ""
            if name == "certified" and not faint and label.text().startswith("✗"):
                colour = colours().warning
            style = f"color: {colour}" if colour else ""
            # Setting the same again would lay the label out and draw it anew, at every step of a drag.
            if style != label.styleSheet():
                label.setStyleSheet(style)
