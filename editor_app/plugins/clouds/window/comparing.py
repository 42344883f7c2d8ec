"""Compares point clouds with the robot of a window in a worker process, and shows them in the 3D
view."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, Signal

from editor_app.core.document.replacing import SaveError
from editor_app.core.document.selection import Selection
from editor_app.core.document.writing import write_files
from editor_app.core.model.inputs import Inputs
from editor_app.core.model.refusal import Refusal
from editor_app.core.tasks.task import Task
from editor_app.core.tasks.worker import JobError
from editor_app.core.text.source import FormatError
from editor_app.plugins.clouds.verbs import compare
from editor_app.window import dialogs
from editor_app.window.jobs import JobSlot
from editor_app.window.workbench import Workbench

DOCK = "clouds"
KINDS = "Point clouds (*.ply *.pcd *.mcap *.bag *.db3);;All files (*)"
_OVERLAY = "clouds.points"
#: Points that are drawn at most, and their radius in metres.
_DRAWN, _DOT = 60_000, 0.002


class CloudComparing(QObject):
    """One per window. `frame`: where the points are; "": as the file says."""

    #: The comparison, the chosen gap or the state of the work changed.
    changed = Signal()

    def __init__(self, workbench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._workbench, self._session = workbench, workbench.session
        self._work = JobSlot(workbench.jobs, self._refresh)
        self.path: Path | None = None
        self.frame = ""
        self.comparison: compare.CloudComparison | None = None
        #: The row of the chosen gap.
        self.chosen: int | None = None
        #: Why there is no comparison; "" where there is one.
        self.trouble = ""
        self._session.document_opened.connect(self.clear)
        workbench.viewport_ready.connect(self._draw)

    @property
    def is_running(self) -> bool:
        return self._work.is_running

    def no_work(self) -> str | None:
        return "Points are being compared." if self._work.is_running else None

    def no_comparison(self) -> str | None:
        return None if self.comparison is not None else "Open a point cloud first."

    def no_gap(self) -> str | None:
        if self.comparison is None or self.chosen is None:
            return "Open a point cloud, and choose uncovered points in the panel."
        return None

    def ask(self) -> None:
        """Ask for a file, and compare it."""
        path = dialogs.choose_file(
            self._workbench.qt_window, "Compare with a point cloud", "", KINDS
        )
        if path:
            self.open(Path(path))

    def open(self, path: Path) -> None:
        """Compare the points of a file with the spheres, and show the panel."""
        self._workbench.docks.show(DOCK)
        self.path = path
        self.again()

    def again(self) -> None:
        """Compare the same file once more."""
        path, session = self.path, self._session
        if path is None:
            return
        make = lambda: Task(  # noqa: E731
            compare.compare_file, session.robot, path, dict(session.pose), self.frame or None
        )
        self._work.run_loaded(
            f"Comparing {path.name}", compare, make, self._take, failed=self._fail
        )

    def fit(self) -> None:
        """Add spheres that cover the chosen points, as one step."""
        comparison, chosen = self.comparison, self.chosen
        if comparison is None or chosen is None:
            return
        links = self._session.selection.links
        link = links[0] if len(links) == 1 else comparison.gaps[chosen].link
        make = lambda: Task(compare.fit_cloud, comparison, link, gaps=(chosen,))  # noqa: E731
        self._work.run_loaded(
            "Fitting spheres to points", compare, make, self._add, failed=self._fail
        )

    def save(self) -> None:
        """Ask for a file, and write the coloured points."""
        path = dialogs.save_target(
            self._workbench.qt_window,
            "Save the coloured points",
            "points.ply",
            "PLY (*.ply)",
            ".ply",
        )
        if path is not None and self.comparison is not None:
            write = partial(_write, path, self.comparison)
            done = partial(self._session.noticed.emit, f"Wrote {path.name}.")
            self._work.run(
                "Writing points",
                lambda _: write(),
                lambda _: done(),
                in_thread=True,
                failed=self._fail,
            )

    def clear(self, *_: object) -> None:
        """Forget the points."""
        self._work.drop()
        self.path, self.comparison, self.chosen, self.trouble, self.frame = None, None, None, "", ""
        self._refresh()

    def cancel(self) -> None:
        """End the work; the comparison before stays."""
        self._work.cancel()

    def stop(self) -> None:
        """End the work: the window closes."""
        self._work.drop()

    def choose(self, row: int | None) -> None:
        """Choose a gap, and select its link."""
        self.chosen = row
        if row is not None and self.comparison is not None:
            self._session.select(Selection((self.comparison.gaps[row].link,)))
        self._refresh()

    def _take(self, comparison: compare.CloudComparison) -> None:
        self.comparison, self.chosen, self.trouble = comparison, None, ""
        self._session.go_to(comparison.pose)

    def _add(self, fit: compare.CloudFit) -> None:
        if self._session.execute(fit.change):
            self._session.noticed.emit(f"Added {len(fit.spheres)} spheres to {fit.link}.")
            self.again()

    def _fail(self, error: JobError) -> None:
        if isinstance(error.exception, (Refusal, FormatError, SaveError, OSError)):
            self.trouble = error.message
            self._session.refused.emit(error.message)
        else:
            self._workbench.jobs.failed_unexpectedly.emit(None, error)

    def _refresh(self) -> None:
        self._draw()
        self._workbench.registry.refresh_later()
        self.changed.emit()

    def _draw(self, *_: object) -> None:
        view, comparison = self._workbench.viewport, self.comparison
        if view is None:
            return
        if comparison is None:
            view.scene.overlay.remove(_OVERLAY)
            return
        # Points far away belong to the surroundings; of many, every second or third is drawn.
        rows = np.flatnonzero(np.isfinite(comparison.distances))
        rows = rows[:: max(1, -(-len(rows) // _DRAWN))]
        colours = np.column_stack([comparison.colours[rows] / 255.0, np.ones(len(rows))])
        radii = np.full(len(rows), _DOT)
        if self.chosen is not None:
            radii[np.isin(rows, comparison.gaps[self.chosen].rows)] *= 2.0
        view.scene.overlay.set_spheres(_OVERLAY, comparison.points[rows], radii, colours)


def _write(path: Path, comparison: compare.CloudComparison) -> None:
    """The dialog has asked whether to replace a file. Raises SaveError."""
    write_files([(path, comparison.ply())], Inputs.of([]), overwrite=True, make_folders=False)
