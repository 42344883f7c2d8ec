"""Figures of the spheres that a link has now, measured in the background, and notes beside the figures of a fit."""

from __future__ import annotations

from collections.abc import Callable

from editor_app.fitting.results import FitResult
from editor_app.gui.fitting.context import FitContext
from editor_app.gui.fitting.fit_work import Work
from editor_app.model.counting import counted
from editor_app.operations.link_fits import Figures, MeasureLinks, as_rows


class PresentFigures:
    """Kept until spheres or shapes change."""

    def __init__(self, context: FitContext, changed: Callable[[], object]) -> None:
        self._context = context
        self._changed = changed
        self._figures: dict[str, Figures] = {}
        self._was_measured = False

    def of(self, link: str) -> Figures | None:
        return self._figures.get(link)

    def forget(self, link: str | None = None) -> None:
        """The spheres or shapes of the link are others; None: of all links."""
        self._figures = {} if link is None else {name: each for name, each in self._figures.items() if name != link}

    def work(self, link: str) -> Work | None:
        """Measures the spheres of a link, unless that is done."""
        context = self._context
        mesh = context.mesh(link) if context.is_fitted_to_other(link) else context.measured_mesh(link)
        if mesh is None or link in self._figures:
            return None
        spheres = context.present(link)

        def take(value: tuple[str, Figures]) -> None:
            self._was_measured = True
            if context.present(link) == spheres:
                # Figures of spheres that were dragged on meanwhile are dropped.
                self._figures[link] = value[1]
            self._changed()

        return Work("Measuring", MeasureLinks(((mesh, as_rows(spheres)),)), take)

    def caption(self, link: str) -> str:
        """The shapes that the figures are of."""
        bodies, used = self._context.bodies(link), self._context.bodies_used(link)
        if len(used) < len(bodies):
            return f"of {len(used)} of {len(bodies)} bodies"
        kind = self._context.kind_of(link)
        return f"of {kind} shapes" if kind else ""

    def notes(self, link: str, result: FitResult | None, kept: int, *, is_busy: bool) -> list[str]:
        """`result` of a fit; `kept`: spheres that it leaves as they are."""
        context, figures, lines = self._context, self.of(link), []
        if figures is None and result is None and is_busy:
            # The first time on a machine, the engine is compiled.
            lines.append("Measuring…" if self._was_measured else "Starting the fitting engine…")
        if result is not None:
            proof = result.certificate
            lines += [*result.notes, proof.text if proof is not None and proof.certified else ""]
        if figures is not None:
            lines.append(figures.note)
        if kept:
            lines.append(f"{counted(kept, 'sphere')} of {link} stay as they are; the number counts the others.")
        if context.kind not in ("auto", context.kind_of(link)):
            other = "visual" if context.kind == "collision" else "collision"
            lines.append(f"Without {context.kind} shapes, {other} ones are used.")
        if context.is_fitted_to_other(link) and not context.is_comparing:
            usual = context.surfaces.kind(link)
            lines.append(f"In the tree and the selection, figures of {link} are of all of the {usual} shapes.")
        return lines
