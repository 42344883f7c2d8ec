"""Compare with another robot: what differs in meaning, side by side, and how far the frames are apart."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QTreeWidgetItem,
    QWidget,
)

from editor_app.edit.selection import Selection
from editor_app.gui import dialogs
from editor_app.gui.bindings.lists import EmptyWords, add_row, rows_list
from editor_app.gui.jobs import Jobs, JobSlot
from editor_app.gui.session import Session
from editor_app.gui.timers import Wait, after
from editor_app.gui.widgets import PlainLabel, dress, fill
from editor_app.gui.workbench import Workbench
from editor_app.model.counting import counted
from editor_app.operations.diff import DiffJob, RobotDiff, RobotSide
from editor_app.tasks.worker import JobError

_FILTER = "Robots (*.urdf *.xml *.xacro *.xrdf *.yaml *.yml *.srdf);;All files (*)"


class RobotComparisonDialog(dialogs.Dialog):
    """Stays open beside the window; follows the robot that is open, and leads from each row to its link or joint."""

    def __init__(self, session: Session, jobs: Jobs, path: Path, parent: QWidget) -> None:
        super().__init__(parent, "compare_robots", f"Compare with {path.name}", (860, 520))
        self._session, self._path = session, path
        self._work = JobSlot(jobs, quiet=True)
        #: What differs; None while it is looked for.
        self.compared: RobotDiff | None = None
        tip = "Links and joints that the other robot calls otherwise: its name, =, the name here; * stands for any rest"
        self.names = dress(QLineEdit(self), name="Names", hint="OLD=NEW, arm_*=left_arm_*", tip=tip)
        self.allow = QCheckBox("Expand the xacro file, which runs Python expressions of its own", self)
        self.allow.setVisible(path.name.endswith(".xacro"))
        self.list = rows_list("What differs", ("File", "What", path.name, "Here", "How far"), 2, self)
        self.list.header().setSectionResizeMode(3, QHeaderView.ResizeMode.Stretch)
        # Paths of meshes differ in their ends.
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.empty = EmptyWords(self.list)
        self.summary = dress(PlainLabel(parent=self), wrap=True)
        self.frames = dress(PlainLabel(parent=self), wrap=True)
        self.pose_button = self.button("&Pose there", "pose", dialogs.Role.ActionRole, self._pose)
        self.pose_button.setAutoDefault(False)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Close)
        form = QFormLayout()
        form.addRow("Same under other names", self.names)
        self.lay_out(fill(QHBoxLayout(), self.allow), form, self.summary, (self.list, 1), self.frames)
        after(self, self.look, Wait.TYPING, on=(self.names.textChanged,))
        after(self, self.look, on=(self.allow.toggled, session.robot_settled))
        self.list.itemClicked.connect(self._select)
        session.document_opened.connect(self.reject)
        self.finished.connect(lambda _: self._work.drop())
        self.look()

    def look(self, *_: object) -> None:
        """Compares anew, in the background."""
        document = self._session.document
        self.compared = None
        self.pose_button.setEnabled(False)
        if document is None:
            return
        names = tuple(part.strip() for part in self.names.text().split(",") if part.strip())
        side, packages = RobotSide.of(document), tuple(document.packages.items())
        job = DiffJob(self._path, side, names, packages, self.allow.isChecked())
        self.summary.setText("Comparing…")
        self._work.run("Comparing", job, self._show, failed=self._failed)

    # -- inside

    def _show(self, result: RobotDiff) -> None:
        self.compared = result
        self.list.clear()
        several = [(kind, each) for kind, differences in result.differences.items() for each in differences]
        for kind, each in several:
            old, new = each.shown
            tips = {1: f"{each.path}: {each.sentence}", 2: old, 3: new}
            add_row(self.list, (kind.upper(), each.path, old, new, each.note), tips=tips)
        self.empty.say("" if several else "No difference")
        kinds = ", ".join(kind.upper() for kind in result.differences)
        self.summary.setText(" ".join((f"{counted(len(several), 'difference')} in {kinds}.", *result.notes)))
        self.frames.setText(_frames_sentence(result))
        self.pose_button.setEnabled(result.deviations is not None and not result.is_same_mechanism)

    def _failed(self, error: JobError) -> None:
        self.list.clear()
        self.frames.setText("")
        self.summary.setText(error.message)

    def _select(self, item: QTreeWidgetItem, _: int = 0) -> None:
        """Selects the link or joint that a row is about, where the robot here has it."""
        tree, parts = self._session.tree, item.text(1).split(".")
        names = [".".join(parts[1:end]) for end in range(len(parts), 1, -1)] if tree is not None else []
        # A name may have dots itself.
        for name in names:
            if parts[0] == "joints" and tree is not None and tree.joint(name) is not None:
                self._session.select(Selection(joints=(name,)))
                return
            if parts[0] == "links" and tree is not None and name in tree.index:
                self._session.select(Selection(links=(name,)))
                return

    def _pose(self) -> None:
        """Poses the robot where the two are farthest apart."""
        deviations = self.compared and self.compared.deviations
        if deviations and deviations.farthest is not None:
            self._session.set_pose(deviations.farthest.farthest)
            self._session.select(Selection(links=(deviations.farthest.frame,)))


def compare_with(workbench: Workbench) -> None:
    document = workbench.session.document
    if document is None:
        return
    folder = str(document.urdf_path.parent) if document.urdf_path is not None else ""
    name = dialogs.choose_file(workbench.qt_window, "Compare with", folder, _FILTER)
    if name:
        RobotComparisonDialog(workbench.session, workbench.jobs, Path(name), workbench.qt_window).show()


def _frames_sentence(result: RobotDiff) -> str:
    deviations = result.deviations
    if deviations is None or deviations.farthest is None or deviations.most_turned is None:
        return ""
    where = f"in {deviations.configurations:,} configurations, seen from {deviations.base}"
    if result.is_same_mechanism:
        return f"Frames: the same places {where}."
    far, turned = deviations.farthest, deviations.most_turned
    turn = f", {turned.frame} turns most, by {turned.told_turn}" if turned.angle > turned.SEEN else ""
    return f"Frames: {far.frame} deviates most, by {far.told}{turn}; {where}."
