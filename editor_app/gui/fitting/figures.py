"""Figures of spheres side by side: what is there, and what is proposed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from editor_app.gui.link_quality import ratio_text
from editor_app.gui.plain_text import PlainLabel, plain
from editor_app.gui.theme import colours, tabular_font, theme

if TYPE_CHECKING:
    from editor_app.fitting.certificate import Certificate
    from editor_app.fitting.quality import Quality
    from editor_app.operations.link_figures import LinkFigures, Proof

_MINUS, _NONE = "−", "–"


@dataclass(frozen=True, slots=True)
class Summary:
    """Figures of one or several links together; lengths in metres, None for what cannot be said."""

    count: int
    coverage: float | None = None
    volume: float | None = None
    protrusion_mean: float | None = None
    protrusion_max: float | None = None
    uncovered_max: float | None = None
    excess: float | None = None
    #: True: proved; False: open; None: nothing was to be proved.
    certified: bool | None = None
    text: str = ""
    #: The same by the names of cuRobo's report, for one link: row -> sentence.
    curobo: Mapping[str, str] = field(default_factory=dict)


def summary(count: int, items: Sequence[tuple[Quality | LinkFigures | None, Certificate | Proof | None]]) -> Summary:
    """The least coverage, the greatest lengths, and means weighted by size, over several links."""
    known = [q for q, _ in items if q is not None]
    proofs = [c for _, c in items if c is not None]
    if not known:
        return Summary(count)
    weights = [q.diagonal**2 for q in known]
    mean = sum(q.protrusion_mean * w for q, w in zip(known, weights, strict=True)) / sum(weights)
    volume = sum(q.solid_volume for q in known)
    certified = None if len(proofs) < len(items) else all(c.holds for c in proofs)
    texts = [c.text for c in proofs if not c.certified] or [c.text for c in proofs]
    return Summary(
        count,
        min(q.surface_coverage for q in known),
        min(q.volume_coverage for q in known),
        mean,
        max(q.protrusion_max for q in known),
        max(q.uncovered_max for q in known),
        sum(q.excess_volume for q in known) / volume if volume > 0 else None,
        certified,
        "\n".join(texts[:4]),
        _by_curobo(known[0]) if len(known) == 1 else {},
    )


def _by_curobo(quality: Quality | LinkFigures) -> dict[str, str]:
    """What cuRobo's report would call it, and its value, by rows of the table."""
    report = getattr(quality, "curobo", None)
    if report is None:
        return {}
    mm = {k: f"{1000 * getattr(report, k):.2f} mm" for k in ("protrusion_dist_mean", "protrusion_dist_p95")}
    gaps = {
        k: f"{1000 * getattr(report, k):.2f} mm" for k in ("surface_gap_mean", "surface_gap_p95", "max_uncovered_gap")
    }
    return {
        "count": f"cuRobo: num_spheres {report.num_spheres}",
        "volume": f"cuRobo: coverage {report.coverage:.4f}",
        "protrusion_mean": f"cuRobo, with the surface hidden in other spheres: protrusion {report.protrusion:.4f}, "
        + ", ".join(f"{k} {v}" for k, v in mm.items()),
        "uncovered_max": "cuRobo: " + ", ".join(f"{k} {v}" for k, v in gaps.items()),
        "excess": f"cuRobo: volume_ratio {report.volume_ratio:.3f}, overlaps counted twice",
    }


#: Text, attribute, how it is written, whether less is better (None: neither).
_ROWS = (
    ("Spheres", "count", "count", None, "How many spheres"),
    ("Surface covered", "coverage", "percent", False, "Share of the outer surface inside the spheres"),
    ("Volume covered", "volume", "percent", False, "Share of the volume of the mesh inside the spheres"),
    ("Stands out, mean", "protrusion_mean", "mm", True, "Mean distance of the spheres' exposed surface to the mesh"),
    ("Stands out, most", "protrusion_max", "mm", True, "Greatest distance of the spheres' surface to the mesh"),
    ("Uncovered, most", "uncovered_max", "mm", True, "Greatest distance of the mesh to the spheres; 0 when covered"),
    ("Excess volume", "excess", "percent", True, "Volume of the spheres outside the mesh, by the mesh's volume"),
    ("Proof", "certified", "proof", None, "Whether it is proved, not sampled, that every triangle is covered"),
)


class FiguresTable(QWidget):
    """Two columns of figures; what got better or worse is marked by sign and colour."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(2)
        self._now: dict[str, QLabel] = {}
        self._then: dict[str, QLabel] = {}
        self._last: tuple[Summary | None, Summary | None] = (None, None)
        self._stale = False
        for column, text in ((1, "present"), (2, "proposed")):
            label = PlainLabel(text)
            label.setProperty("muted", True)
            label.setAlignment(Qt.AlignmentFlag.AlignRight)
            grid.addWidget(label, 0, column)
        for row, (text, name, _, _, tip) in enumerate(_ROWS, 1):
            title = PlainLabel(text)
            title.setToolTip(plain(tip))
            grid.addWidget(title, row, 0)
            for column, labels in ((1, self._now), (2, self._then)):
                label = PlainLabel(_NONE)
                label.setFont(tabular_font(label.font()))
                label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                label.setMinimumWidth(label.fontMetrics().horizontalAdvance("▲ 888.88 mm"))
                label.setAccessibleName(f"{text}, {'present' if column == 1 else 'proposed'}")
                labels[name] = label
                grid.addWidget(label, row, column)
        grid.setColumnStretch(0, 1)
        # A bound method: Qt takes the connection back when the widget goes.
        theme().changed.connect(self._colour)

    def _colour(self) -> None:
        self.show_figures(*self._last, stale=self._stale)

    def show_figures(self, now: Summary | None, then: Summary | None, *, stale: bool = False) -> None:
        """`stale`: what is proposed is of the request before, as long as the next one is computed."""
        self._last = (now, then)
        self._stale = stale
        for _, name, kind, less, tip in _ROWS:
            before = getattr(now, name) if now is not None else None
            after = getattr(then, name) if then is not None else None
            self._now[name].setText(written(before, kind))
            text, colour = written(after, kind), ""
            if less is None or before is None or after is None:
                pass
            elif math.isfinite(after) and written(before, kind) != text:
                better = (after < before) == less
                text = ("▼ " if after < before else "▲ ") + text
                colour = colours().accent if better else colours().warning
            if kind == "proof" and after is False:
                colour = colours().error
            if stale:
                colour = colours().faint
            self._then[name].setText(text)
            self._then[name].setStyleSheet(f"color: {colour}" if colour else "")
            if kind == "proof":
                self._now[name].setToolTip(plain(now.text if now is not None else tip))
                self._then[name].setToolTip(plain(then.text if then is not None else tip))
                continue
            for labels, known in ((self._now, now), (self._then, then)):
                more = known.curobo.get(name, "") if known is not None else ""
                labels[name].setToolTip(plain(f"{tip}\n{more}" if more else tip))

    def text(self, name: str, *, proposed: bool = False) -> str:
        """What stands there: name as in Summary. Raises KeyError."""
        return (self._then if proposed else self._now)[name].text()

    def tip(self, name: str, *, proposed: bool = False) -> str:
        """What is told about it when the pointer rests there. Raises KeyError."""
        return (self._then if proposed else self._now)[name].toolTip()


def written(value: float | bool | None, kind: str) -> str:
    """A figure as people read it; `kind` is "count", "percent", "mm" (of metres) or "proof"."""
    if value is None:
        return _NONE
    if kind == "proof":
        return "✓ certified" if value else "✗ open"
    if kind == "count":
        return str(int(value))
    if not math.isfinite(value):
        return _NONE
    if kind == "percent":
        # 100 % has to mean all of it.
        if value > 2:
            return ratio_text(value)
        share = 100 * value
        return f"{math.floor(share * 100) / 100:.2f} %" if 99 <= share < 100 else f"{share:.1f} %"
    return f"{1000 * value:.2f} mm"
