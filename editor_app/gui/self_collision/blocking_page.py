"""Which spheres cause most of the collisions that the meshes do not have."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QWidget

from editor_app.edit.selection import Selection
from editor_app.gui.bindings.empty_words import EmptyWords
from editor_app.gui.icons import icon
from editor_app.gui.jobs import Jobs
from editor_app.gui.plain_text import PlainLabel, plain
from editor_app.gui.self_collision.controller import MaskController
from editor_app.gui.self_collision.tables import Line, LinesModel, make_table, table_page
from editor_app.operations.pair_distances import RankBlocking
from editor_app.self_collision.results import Blocking

_QUESTION = "Which spheres cause collisions that the meshes do not have?"
_HINT = "“Rank the spheres” lists the spheres that cause most of these collisions, to be shrunk or moved."


class BlockingPage(QWidget):
    """A click selects the sphere, to be shrunk or moved."""

    def __init__(self, controller: MaskController, jobs: Jobs, parent: QWidget) -> None:
        super().__init__(parent)
        self._controller = controller
        self._jobs = jobs
        self._is_ranking = False
        self.model = LinesModel(("Sphere", "Collisions", "Not of the meshes", "With"), (1, 2), self)
        self.table = make_table("Spheres that block most", self, self._choose, names=1)
        self.table.setModel(self.model)
        self.empty = EmptyWords(self.table, _HINT)
        self.button = QPushButton(icon("sort-descending"), "Rank the spheres", self)
        self.button.setToolTip("Count the collisions that each sphere causes and the meshes do not have")
        self.button.clicked.connect(self.rank)
        self.text = PlainLabel(_QUESTION, self)
        self.text.setProperty("muted", True)
        table_page(self, (self.button, self.text), self.table)
        controller.session.document_opened.connect(self._on_opened)
        # Spheres may have come or gone: then there is something to rank, or nothing any more.
        for signal in (controller.running_changed, controller.analysis_changed):
            signal.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        reason = self._controller.reason_not_to_compute
        self.button.setEnabled(reason is None and not self._is_ranking)
        self.button.setToolTip(
            plain(reason or "Count the collisions that each sphere causes and the meshes do not have")
        )

    def rank(self) -> None:
        """Ranks the spheres by the collisions that they cause and the meshes do not have."""
        controller = self._controller
        document = controller.session.document
        if document is None or controller.reason_not_to_compute is not None:
            return
        job = RankBlocking(
            document.robot, document.urdf_path, controller.mappings(), controller.options, controller.ignored
        )
        self._is_ranking = True
        self.refresh()
        self.text.setText("Ranking …")
        self.empty.say("")
        self._jobs.run(
            "Ranking the spheres",
            job,
            on_done=self._show,
            on_cancelled=lambda: self._end(_QUESTION),
            on_error=lambda error: self._end(f"The ranking failed: {error.message}"),
        )

    def _end(self, text: str) -> None:
        self.empty.say(_HINT if text == _QUESTION else "")
        self._is_ranking = False
        self.text.setText(text)
        self.refresh()

    def _show(self, ranking: tuple[tuple[Blocking, ...], bool]) -> None:
        ranked, asked = ranking
        samples = ranked[0].samples if ranked else 0
        if not ranked:
            self._end("No sphere of a pair that is checked collides.")
        elif asked:
            self._end(f"Of {samples:,} configurations, those in which a sphere collides.")
        else:
            self._end(f"Of {samples:,} configurations; no meshes to compare with: every collision counts.")
        self.model.show([self._line(b) for b in ranked])

    def _line(self, b: Blocking) -> Line:
        others = dict.fromkeys(f for p in b.pairs for f in (p.first, p.second) if f != b.sphere.frame)
        name = f"{b.sphere.frame} [{b.sphere.index + 1}]"
        return Line((name, f"{b.collisions:,}", f"{b.needless:,}", ", ".join(others)), b, "Click to select the sphere")

    def _choose(self, row: int) -> None:
        self._controller.session.select(Selection(spheres=(self.model.items[row].value.sphere,)))
        self._controller.session.look_requested.emit()

    def _on_opened(self, document: object) -> None:
        self.model.show([])
        self._end(_QUESTION)
