"""How the coverage of a link is written: a number in the tree, figures beside the numbers of the selection."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont

from editor_app.gui.bindings.lists import RIGHT
from editor_app.gui.link_quality import Shown, proof_text, ratio_text, share_text
from editor_app.gui.theme import colours, tabular_font
from editor_app.gui.widgets import plain

#: Less than this share is pointed at.
FEW = 0.99


def coverage_cell(shown: Shown | None, role: int) -> Any:
    """What a cell of the tree shows, by role; nothing for links without spheres or without a mesh."""
    if role == Qt.ItemDataRole.TextAlignmentRole:
        return int(RIGHT)
    figures = shown.figures if shown is not None else None
    if shown is None or (figures is not None and figures.note):
        if role == Qt.ItemDataRole.DisplayRole:
            return "–"
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(colours().faint)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain(told(shown)) if shown is not None else "Without spheres and a mesh there is nothing to measure"
        return None
    if role == Qt.ItemDataRole.DisplayRole:
        if figures is None:
            return "…"
        # Not to the tenth while it is not the last word: there is no room for both signs.
        return share_text(figures.surface_coverage) if shown.current else f"~{100 * figures.surface_coverage:.0f}"
    if role == Qt.ItemDataRole.FontRole:
        font: QFont = tabular_font()
        font.setItalic(not shown.current)
        return font
    if role == Qt.ItemDataRole.ForegroundRole:
        if figures is None or not shown.current:
            return QColor(colours().faint)
        return QColor(colours().warning) if figures.surface_coverage < FEW else None
    if role == Qt.ItemDataRole.ToolTipRole:
        return plain(told(shown))
    if role == Qt.ItemDataRole.AccessibleTextRole:
        return told(shown).splitlines()[0]
    return None


def told(shown: Shown) -> str:
    """The figures in words, a line each."""
    figures = shown.figures
    if figures is None:
        return "being measured"
    if figures.note:
        return figures.note
    mean, most = 1000 * figures.protrusion_mean, 1000 * figures.protrusion_max
    lines = [
        f"{share_text(figures.surface_coverage)} % of the surface {shown.surface or 'of the link'} covered",
        f"stands out {mean:.1f} mm on average, up to {most:.1f} mm seen",
        f"excess volume {ratio_text(figures.excess_ratio)}",
    ]
    if figures.uncovered_max > 0:
        lines.insert(1, f"uncovered up to {1000 * figures.uncovered_max:.1f} mm seen")
    if figures.proof is not None and figures.proof.certified:
        lines.append(proof_text(True, figures.surface_coverage))
    if not shown.current:
        lines.append("Of the spheres before the last edit: being measured anew")
    return "\n".join(lines)
