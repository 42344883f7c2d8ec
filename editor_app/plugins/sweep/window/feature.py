"""Puts the swept volume into a window: an action that computes it in a worker process and saves
it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from editor_app.core.document.replacing import SaveError
from editor_app.core.document.writing import write_files
from editor_app.core.model.inputs import Inputs
from editor_app.core.tasks.task import Task
from editor_app.core.tasks.work import locate_robot
from editor_app.plugins.motion.window.feature import MotionTools
from editor_app.plugins.sweep.verbs import sweep
from editor_app.plugins.sweep.window.actions import SWEEP
from editor_app.window import dialogs
from editor_app.window.jobs import JobSlot
from editor_app.window.window_part import WindowPart
from editor_app.window.workbench import Workbench

_KINDS = "Mesh (*.stl);;Spheres (*.csv)"


class SweptVolumes(WindowPart):
    """One per window."""

    name = "swept_volumes"

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        self._player = workbench.part(MotionTools).controller.player
        self.no_motion = self._player.no_motion
        self._work = JobSlot(workbench.jobs, workbench.registry.refresh_later)
        workbench.registry.add(SWEEP, self)

    def no_sweep(self) -> str | None:
        return "The swept volume is being computed." if self._work.is_running else None

    def ask(self) -> None:
        """Ask for a file, and write the volume that the motion sweeps."""
        path = dialogs.save_target(
            self._workbench.qt_window, "Save the swept volume", "swept.stl", _KINDS, ".stl"
        )
        if path is not None:
            self.save(path)

    def save(self, path: Path) -> None:
        """Compute the swept volume of the motion, and write it: the spheres to .csv, the mesh to
        other files."""
        document = self._workbench.session.document
        motion = self._player.trajectory
        if motion is None:
            return
        make = lambda: Task(sweep.sweep, locate_robot(document), motion)  # noqa: E731
        refuse = partial(self._workbench.jobs.refuse, self._workbench.session.refused.emit)
        self._work.run_loaded(
            "Computing the swept volume",
            sweep,
            make,
            partial(self._write, path),
            failed=refuse,
        )

    def stop(self) -> None:
        self._work.drop()

    def _write(self, path: Path, volume: sweep.SweptVolume) -> None:
        session = self._workbench.session
        is_list = path.suffix.lower() == ".csv"
        data = volume.csv().encode("ascii") if is_list else volume.stl()
        try:
            write_files([(path, data)], Inputs.of([]), overwrite=True, make_folders=False)
        except SaveError as error:
            session.refused.emit(str(error))
            return
        excess = volume.sphere_excess if is_list else volume.mesh_excess
        session.noticed.emit(
            f"Wrote {path.name}: it contains the whole motion, and is at most {excess * 1e3:.1f} "
            "mm larger."
        )


PART = SweptVolumes
