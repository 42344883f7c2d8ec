"""What is known about the pairs of the open robot: computing it, and keeping it true while the robot is edited."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from editor_app.edit.document import Document
from editor_app.gui.jobs import Jobs, JobSlot
from editor_app.gui.session import Session
from editor_app.gui.settings import Settings
from editor_app.gui.timers import Wait, after
from editor_app.model.frozen import FrozenDict
from editor_app.model.robot import RobotDescription
from editor_app.model.urdf import Urdf
from editor_app.model.xrdf import LinkPair
from editor_app.operations.mesh_look import NO_LOOK, LookAtMeshes, MeshLook, maker_pairs
from editor_app.operations.pair_distances import AnalyseMeshes, Solids, analyse_mask, refresh_mask
from editor_app.operations.robot_pairs import KeptEvidence, RobotPairs, concerns_pairs
from editor_app.operations.work import PlacedRobot
from editor_app.self_collision.options import ModelOptions
from editor_app.self_collision.results import Analysis, AnalysisSettings, PairEvidence
from editor_app.tasks.job import as_job
from editor_app.tasks.worker import JobError

#: Samples on meshes: some hundred times as slow as on spheres.
MESH_SAMPLES = 2048


class EvidenceKeeper(QObject):
    """The analysis of the open robot, and the second opinion of its meshes."""

    #: Other evidence, or none.
    analysis_changed = Signal()
    running_changed = Signal()
    opinion_changed = Signal()
    look_changed = Signal()

    def __init__(self, session: Session, jobs: Jobs, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._jobs = jobs
        self._window_settings = settings
        #: The keys that the user chose.
        self.keymap = settings.keymap
        self.options = ModelOptions()
        self.settings = AnalysisSettings()
        self.solids: Solids | None = None
        self.analysis: Analysis | None = None
        self.opinion: Analysis | None = None
        #: What the meshes say of the analysis; None until they were asked.
        self.look: MeshLook | None = None
        self._look_of: RobotDescription | None = None
        #: Pairs whose meshes were seen apart, and of which URDF: other spheres change nothing of it.
        self._apart: tuple[Urdf | None, frozenset[LinkPair]] = None, frozenset()
        self._asking = JobSlot(jobs, self.look_changed.emit)
        #: What the second opinion is of.
        self.opinion_of: Solids = "meshes"
        self._stopped = False
        self._work = JobSlot(jobs, self.running_changed.emit)
        self._refreshing = JobSlot(jobs)
        self.robot_pairs = RobotPairs()
        self._evidence, self._opinion_evidence = KeptEvidence(), KeptEvidence()
        self._timer = after(self, self._refresh, Wait.EVIDENCE)
        session.document_opened.connect(self._on_opened)
        session.robot_settled.connect(self._on_robot)

    # -- questions

    @property
    def is_running(self) -> bool:
        return self._work.is_running

    @property
    def reason_not_to_compute(self) -> str | None:
        """Why there is nothing to compute; None when there is."""
        if self.session.document is None:
            return "Open a robot first."
        if not self.robot_pairs.has_pairs(self.session.document.robot, self.options):
            return "Self-collision needs spheres on two links at least: fit spheres first."
        return None

    @property
    def grounds(self) -> Analysis | None:
        """The analysis; before one was computed, the pairs with what the tree alone says of them, if there are any."""
        if self.analysis is not None:
            return self.analysis
        robot = self.session.robot
        return self.robot_pairs.unexamined(robot, self.options, self.settings) if robot is not None else None

    @property
    def pairs(self) -> tuple[PairEvidence, ...]:
        """What is known about every pair, in the order of the tree; the same tuple until something changes."""
        return self._evidence.pairs(self.grounds)

    @property
    def opinion_pairs(self) -> tuple[PairEvidence, ...]:
        """The same of the second opinion."""
        return self._opinion_evidence.pairs(self.opinion)

    def evidence(self, pair: LinkPair) -> PairEvidence | None:
        return self._evidence.get(self.grounds, pair)

    # -- computing

    def compute(self) -> None:
        """Runs the analysis; what comes in between is shown, and stays when it is cancelled."""
        robot = self.session.robot
        if robot is None or self.reason_not_to_compute is not None:
            return
        self._cancel_refresh()
        job = as_job(analyse_mask, robot, self.options, self.settings)
        self._work.run("Computing the mask", job, self._done, each=self._take)

    def cancel(self) -> None:
        """Stops computing; what is known stays."""
        self._work.cancel()

    def stop(self) -> None:
        """The window closes: nothing is begun any more."""
        self._stopped = True
        self._timer.stop()

    def set_options(self, options: ModelOptions, settings: AnalysisSettings, solids: Solids | None) -> None:
        """Takes effect with the next computation; other ranges of joints make what is known out of date."""
        self.settings, self.solids = settings, solids
        if options != self.options:
            self.options = options
            self._follow()

    def _take(self, analysis: Analysis) -> None:
        robot = self.session.robot
        if robot is None:
            return
        if not self.robot_pairs.is_about(analysis, robot, self.options):
            # The robot was edited meanwhile.
            analysis = self.robot_pairs.carried(analysis, robot, self.options)
        self._forget_look()
        self.analysis = analysis
        self.analysis_changed.emit()

    def _done(self, analysis: Analysis) -> None:
        self._take(analysis)
        if self.analysis is not None and self.analysis.stale.any():
            self._timer.start()
        if self.solids is not None:
            self.compare_with_meshes(self.solids)

    def compare_with_meshes(self, solids: Solids) -> None:
        """The second opinion: the same pairs on hulls or meshes."""
        document = self.session.document
        if document is None or self.is_running:
            return
        settings = replace(self.settings, samples=min(MESH_SAMPLES, self.settings.samples), certify_seconds=2.0)
        job = AnalyseMeshes(self.placed(document), solids, self.options, settings)
        self._work.run(
            f"Comparing with {solids}",
            job,
            lambda result: self._take_opinion(result[0], solids),
            failed=self._not_asked,
        )

    @property
    def is_asking(self) -> bool:
        """Whether the meshes are being asked about the mask."""
        return self._asking.is_running

    def ask_meshes(self) -> None:
        """Asks which pairs are needless to check, and which collisions go unseen; see `look`."""
        document, analysis = self.session.document, self.analysis
        if document is None or analysis is None or self.look is not None or self.is_asking:
            return

        def take(look: MeshLook) -> None:
            pairs = self.seen_apart | {each.pair for each in look.needless}
            self.look, self._look_of = look, document.robot
            self._apart = document.robot.urdf, pairs

        def failed(error: JobError) -> None:
            self.look = NO_LOOK
            self._not_asked(error)

        maker = maker_pairs(document.robot, analysis)
        job = LookAtMeshes(self.placed(document), analysis, self.settings.seed, maker)
        name = "Asking the meshes about the mask"
        self._asking.run(name, job, take, failed=failed, about=lambda: self.analysis)

    @property
    def seen_apart(self) -> frozenset[LinkPair]:
        """Pairs of which only thick spheres collide, as far as the meshes of this URDF were asked."""
        (urdf, pairs), robot = self._apart, self.session.robot
        return pairs if robot is not None and robot.urdf is urdf else frozenset()

    def _not_asked(self, error: JobError) -> None:
        self.session.refused.emit(f"The meshes could not be asked: {error.message}")

    def _look_holds(self) -> bool:
        """Whether spheres, joints and meshes are those that the look was about: another mask alone changes nothing."""
        robot, analysis = self.session.robot, self.analysis
        if self._look_of is None or robot is None or analysis is None or robot.urdf is not self._look_of.urdf:
            return False
        return self.robot_pairs.is_about(analysis, robot, self.options)

    def _forget_look(self) -> None:
        self._asking.cancel()
        if self.look is not None:
            self.look = None
            self.look_changed.emit()

    def placed(self, document: Document) -> PlacedRobot:
        """The robot with the folders of meshes that the window knows."""
        folders = self._window_settings.mesh_folders.of(document.urdf_path)
        return PlacedRobot(document.robot, document.urdf_path, FrozenDict(folders))

    def _take_opinion(self, opinion: Analysis, solids: Solids) -> None:
        self.opinion, self.opinion_of = opinion, solids
        self.opinion_changed.emit()

    # -- following edits

    def _on_opened(self, document: object) -> None:
        self.cancel()
        self._cancel_refresh()
        self.robot_pairs.forget()
        self._forget_look()
        self.analysis = self.opinion = None
        self.analysis_changed.emit()
        self.opinion_changed.emit()

    def _on_robot(self, old: RobotDescription, new: RobotDescription) -> None:
        if concerns_pairs(old, new):
            self._follow()

    def _follow(self) -> None:
        """Takes the edit over at once: only the pairs that it concerns are measured, and hatched until examined."""
        self._cancel_refresh()
        if not self._look_holds():
            self._forget_look()
        if self.opinion is not None:
            self.opinion = None
            self.opinion_changed.emit()
        robot = self.session.robot
        if self.analysis is None or robot is None:
            self.analysis_changed.emit()
            return
        self.analysis = self.robot_pairs.carried(self.analysis, robot, self.options)
        self.analysis_changed.emit()
        if self.analysis.stale.any() and not self.is_running:
            self._timer.start()

    def _cancel_refresh(self) -> None:
        self._timer.stop()
        self._refreshing.drop()

    def _refresh(self) -> None:
        robot = self.session.robot
        if self.analysis is None or robot is None or self.is_running:
            return
        job = as_job(refresh_mask, self.analysis, self.robot_pairs.model(robot, self.options))
        # What fails is hatched on: the next computation tells why.
        self._refreshing.run("Examining edited pairs", job, self._take, failed=lambda _: None)
