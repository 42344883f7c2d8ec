"""Figures of spheres side by side: what is there, and what is proposed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from editor_app.features.spheres.engine.results import Certificate, CuroboReport, Quality
from editor_app.features.spheres.verbs.link_figures import Proof
from editor_app.window.bindings.lists import RIGHT
from editor_app.window.link_quality import proof_text, ratio_text
from editor_app.window.theme import colours, tabular_font, theme
from editor_app.window.widgets import PlainLabel, dress, grid, plain_text

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

    def told(self, name: str, kind: str) -> str:
        """A figure as people read it; `kind` as in `written`."""
        if kind == "proof" and self.certified is not None:
            return proof_text(self.certified, self.coverage)
        return written(getattr(self, name), kind)


def summarize_links(
    count: int, items: Sequence[tuple[Quality | None, Certificate | Proof | None]]
) -> Summary:
    """The least coverage, the greatest lengths, and means weighted by size, over several links."""
    qualities = [q for q, _ in items if q is not None]
    if not qualities:
        return Summary(count)
    weights = [q.diagonal**2 for q in qualities]
    mean = sum(q.protrusion_mean * w for q, w in zip(qualities, weights, strict=True)) / sum(
        weights
    )
    volume = sum(q.solid_volume for q in qualities)
    volumes = [q.volume_coverage for q in qualities if q.volume_coverage is not None]
    certified, text = _proof([proof for _, proof in items])
    return Summary(
        count,
        min(q.surface_coverage for q in qualities),
        min(volumes, default=None),
        mean,
        max(q.protrusion_at_most for q in qualities),
        max(q.uncovered_max for q in qualities),
        sum(q.excess_volume or 0.0 for q in qualities) / volume if volume > 0 else None,
        certified,
        text,
        _by_curobo(qualities[0].curobo) if len(qualities) == 1 else {},
    )


def _proof(proofs: Sequence[Certificate | Proof | None]) -> tuple[bool | None, str]:
    """Whether all hold (None: not all links have a proof), and the sentences of at most four, open
    ones first."""
    present = [proof for proof in proofs if proof is not None]
    texts = [proof.text for proof in present if not proof.certified] or [
        proof.text for proof in present
    ]
    return None if len(present) < len(proofs) else all(proof.holds for proof in present), "\n".join(
        texts[:4]
    )


def _by_curobo(report: CuroboReport | None) -> dict[str, str]:
    """What cuRobo's report would call it, and its value, by rows of the table."""
    if report is None:
        return {}

    def lengths(*names: str) -> str:
        return ", ".join(f"{name} {1000 * getattr(report, name):.2f} mm" for name in names)

    told = {
        "count": f"cuRobo: num_spheres {report.num_spheres}",
        "protrusion_mean": (
            "cuRobo, with the surface hidden in other spheres: protrusion "
            f"{report.protrusion:.4f}, "
        )
        + lengths("protrusion_dist_mean", "protrusion_dist_p95"),
        "uncovered_max": "cuRobo: "
        + lengths("surface_gap_mean", "surface_gap_p95", "max_uncovered_gap"),
    }
    if report.coverage is not None:
        told["volume"] = f"cuRobo: coverage {report.coverage:.4f}"
    if report.volume_ratio is not None:
        told["excess"] = f"cuRobo: volume_ratio {report.volume_ratio:.3f}, overlaps counted twice"
    return told


#: Text, attribute, how it is written, whether less is better (None: neither).
_ROWS = (
    ("Spheres", "count", "count", None, "Number of spheres"),
    (
        "Surface covered",
        "coverage",
        "percent",
        False,
        "Share of the outer surface inside the spheres",
    ),
    (
        "Volume covered",
        "volume",
        "percent",
        False,
        "Share of the volume of the mesh inside the spheres",
    ),
    (
        "Protrusion, mean",
        "protrusion_mean",
        "mm",
        True,
        "Mean distance from the exposed sphere surface to the mesh",
    ),
    (
        "Protrusion, max",
        "protrusion_max",
        "mm",
        True,
        "Proven: no point of the spheres is farther from the mesh",
    ),
    (
        "Deepest gap",
        "uncovered_max",
        "mm",
        True,
        "Largest distance from the mesh to the spheres; 0 when covered",
    ),
    (
        "Excess volume",
        "excess",
        "percent",
        True,
        "Sphere volume outside the mesh, relative to the mesh volume",
    ),
    (
        "Proof",
        "certified",
        "proof",
        None,
        "Whether full coverage of every triangle is proven, not sampled",
    ),
)


class FiguresTable(QWidget):
    """Two columns of figures; what got better or worse is marked by sign and colour."""

    def __init__(self) -> None:
        super().__init__()
        box = grid(self, across=14, down=2)
        self._now: dict[str, QLabel] = {}
        self._then: dict[str, QLabel] = {}
        self._last: tuple[Summary | None, Summary | None] = (None, None)
        self._stale = False
        #: What all figures are of.
        self.surface = dress(PlainLabel(), name="Shapes that the figures describe", look="muted")
        box.addWidget(self.surface, 0, 0)
        for column, text in ((1, "current"), (2, "proposed")):
            label = dress(PlainLabel(text), look="muted", align=Qt.AlignmentFlag.AlignRight)
            box.addWidget(label, 0, column)
        for row, (text, name, _, _, tip) in enumerate(_ROWS, 1):
            title = dress(PlainLabel(text), tip=tip)
            box.addWidget(title, row, 0)
            for column, labels in ((1, self._now), (2, self._then)):
                spoken = f"{text}, {'current' if column == 1 else 'proposed'}"
                label = dress(
                    PlainLabel(_NONE), name=spoken, font=tabular_font(self.font()), align=RIGHT
                )
                label.setMinimumWidth(label.fontMetrics().horizontalAdvance("▲ 888.88 mm"))
                labels[name] = label
                box.addWidget(label, row, column)
        box.setColumnStretch(0, 1)
        # A bound method: Qt takes the connection back when the widget goes.
        theme().changed.connect(self._colour)

    def _colour(self) -> None:
        self.show_figures(*self._last, stale=self._stale)

    def show_figures(
        self, now: Summary | None, then: Summary | None, *, stale: bool = False
    ) -> None:
        """`stale`: what is proposed is of the request before, as long as the next one is
        computed."""
        self._last = (now, then)
        self._stale = stale
        for _, name, kind, less, tip in _ROWS:
            before = getattr(now, name) if now is not None else None
            after = getattr(then, name) if then is not None else None
            self._now[name].setText(now.told(name, kind) if now is not None else _NONE)
            text, colour = _compared(before, after, kind, less)
            if kind == "proof" and then is not None:
                text = then.told(name, kind)
            if stale:
                colour = colours().faint
            self._then[name].setText(text)
            self._then[name].setStyleSheet(f"color: {colour}" if colour else "")
            for label, summary in ((self._now[name], now), (self._then[name], then)):
                label.setToolTip(plain_text(_tip(name, kind, tip, summary)))

    def show_surface(self, text: str) -> None:
        """Shapes that the figures describe, as a caption of few words."""
        self.surface.setText(text)
        self.surface.setToolTip(plain_text(f"All figures in this table are {text}" if text else ""))

    def text(self, name: str, *, proposed: bool = False) -> str:
        """Return the text of a figure: name as in Summary. Raises KeyError."""
        return (self._then if proposed else self._now)[name].text()

    def tip(self, name: str, *, proposed: bool = False) -> str:
        """Return the tooltip of a figure. Raises KeyError."""
        return (self._then if proposed else self._now)[name].toolTip()


def _tip(name: str, kind: str, tip: str, summary: Summary | None) -> str:
    if summary is None:
        return tip
    if kind == "proof":
        return summary.text
    more = summary.curobo.get(name, "")
    return f"{tip}\n{more}" if more else tip


def _compared(
    before: float | bool | None, after: float | bool | None, kind: str, less: bool | None
) -> tuple[str, str]:
    """The proposed value as text, with an arrow where it differs from the present one, and its
    colour ("": usual)."""
    text = written(after, kind)
    if kind == "proof" and after is False:
        return text, colours().error
    if (
        less is None
        or before is None
        or after is None
        or not math.isfinite(after)
        or written(before, kind) == text
    ):
        return text, ""
    better = (after < before) == less
    return (
        "▼ " if after < before else "▲ "
    ) + text, colours().accent if better else colours().warning


def written(value: float | bool | None, kind: str) -> str:
    """A figure as people read it; `kind` is "count", "percent", "mm" (of metres) or "proof"."""
    if value is None:
        return _NONE
    if kind == "proof":
        return proof_text(bool(value))
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
