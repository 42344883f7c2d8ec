"""The dialog that compares the open robot with another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QHeaderView,
    QLineEdit,
    QTabWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from editor_app.core.document.selection import Selection
from editor_app.core.model.counting import format_count
from editor_app.core.tasks.task import Task
from editor_app.core.tasks.worker import JobError
from editor_app.plugins.comparison.verbs.diff import RobotDiff, RobotSide, diff
from editor_app.window import dialogs
from editor_app.window.bindings.lists import Rows
from editor_app.window.jobs import Jobs, JobSlot
from editor_app.window.session import Session
from editor_app.window.timers import Wait, after
from editor_app.window.widgets import PlainLabel, dress, fill_layout, form_of
from editor_app.window.workbench import Workbench

_FILTER = "Robots (*.urdf *.xml *.xacro *.xrdf *.yaml *.yml *.srdf);;All files (*)"


class ComparisonPage(QWidget):
    """A page of the dialog that a plug-in adds to COMPARISON_PAGES. It compares while it is
    visible."""

    title = tip = ""
    #: The result; None until there is one for the present robots.
    compared: Any = None

    def __init__(self, session: Session, work: JobSlot, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._work = session, work

    def compare(self, path: Path, names: tuple[str, ...], *, allow_xacro: bool) -> None:
        """Compare the robot of a file with the open one, in the background."""
        raise NotImplementedError


#: The pages of plug-ins, in the order of their names.
COMPARISON_PAGES: list[type[ComparisonPage]] = []


class RobotComparisonDialog(dialogs.Dialog):
    """Stays open beside the window; follows the robot that is open, and leads from each row to its
    link or joint."""

    def __init__(self, session: Session, jobs: Jobs, path: Path, parent: QWidget) -> None:
        super().__init__(parent, "compare_robots", f"Compare with {path.name}", (860, 520), session)
        self._session, self._path = session, path
        self._work = self.slot(jobs, quiet=True)
        #: What differs; None while it is looked for.
        self.compared: RobotDiff | None = None
        tip = "Different names: name in the other robot = name here; * matches any ending"
        self.names = dress(QLineEdit(self), name="Names", hint="OLD=NEW, arm_*=left_arm_*", tip=tip)
        self.allow = QCheckBox("Expand the xacro file (runs its Python expressions)", self)
        self.allow.setVisible(path.name.endswith(".xacro"))
        # Tab goes through what was made first.
        self.tabs = QTabWidget(self)
        self.list = Rows("Difference", ("File", "What", path.name, "Here", "Distance"), 2, self)
        self.list.header().setSectionResizeMode(3, QHeaderView.ResizeMode.Stretch)
        # Paths of meshes differ in their ends.
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.summary = dress(PlainLabel(parent=self), wrap=True)
        self.frames = dress(PlainLabel(parent=self), wrap=True)
        self.pose_button = self.button("Go to &pose", "pose", dialogs.Role.ActionRole, self._pose)
        self.pose_button.setAutoDefault(False)
        form = form_of(("Same with other names", self.names))
        descriptions = QWidget(self.tabs)
        fill_layout(
            QVBoxLayout(descriptions),
            self.summary,
            (self.list, 1),
            self.frames,
            margins=4,
            spacing=4,
        )
        self.tabs.addTab(descriptions, "Descriptions")
        #: What plug-ins compare.
        self.pages = [
            kind(session, self.slot(jobs, quiet=True), self.tabs) for kind in COMPARISON_PAGES
        ]
        for page in self.pages:
            self.tabs.setTabToolTip(self.tabs.addTab(page, page.title), page.tip)
        self.lay_out(self.allow, form, (self.tabs, 1))
        after(self, self.look, Wait.TYPING, on=(self.names.textChanged,))
        after(self, self.look, on=(self.allow.toggled, session.robot_settled))
        self.list.itemClicked.connect(self._select)
        self.tabs.currentChanged.connect(self._compare_page)
        self.look()

    def look(self, *_: object) -> None:
        """Compares anew, in the background."""
        document = self._session.document
        self.compared = None
        for page in self.pages:
            page.compared = None
        self.pose_button.setEnabled(False)
        if not self._session.has_robot or self.is_over:
            return
        side, packages, allow = (
            RobotSide.of(document),
            dict(document.packages),
            self.allow.isChecked(),
        )
        job = Task(diff, self._path, side, names=self._names, packages=packages, allow_xacro=allow)
        self.summary.setText("Comparing…")
        self._work.run("Comparing", job, self._show, failed=self._failed)
        self._compare_page()

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(part.strip() for part in self.names.text().split(",") if part.strip())

    def _compare_page(self, *_: object) -> None:
        """Fill a page of a plug-in when it comes into sight, and after each change while it is."""
        page = self.tabs.currentWidget()
        if (
            isinstance(page, ComparisonPage)
            and page.compared is None
            and self._session.has_robot
            and not self.is_over
        ):
            page.compare(self._path, self._names, allow_xacro=self.allow.isChecked())

    def _show(self, result: RobotDiff) -> None:
        self.compared = result
        self.list.clear()
        several = [
            (kind, each) for kind, differences in result.differences.items() for each in differences
        ]
        for kind, each in several:
            old, new = each.shown
            tips = {1: f"{each.path}: {each.sentence}", 2: old, 3: new}
            self.list.add((kind.upper(), each.path, old, new, each.note), tips=tips)
        self.list.say("" if several else "No differences")
        kinds = ", ".join(kind.upper() for kind in result.differences)
        self.summary.setText(
            " ".join((f"{format_count(len(several), 'difference')} in {kinds}.", *result.notes))
        )
        self.frames.setText(_frames_sentence(result))
        self.pose_button.setEnabled(result.deviations is not None and not result.is_same_mechanism)

    def _failed(self, error: JobError) -> None:
        self.list.clear()
        self.frames.setText("")
        self.summary.setText(error.message)

    def _select(self, item: QTreeWidgetItem, _: int = 0) -> None:
        """Selects the link or joint that a row is about, where the robot here has it."""
        tree, parts = self._session.tree, item.text(1).split(".")
        names = [".".join(parts[1:end]) for end in range(len(parts), 1, -1)]
        # A name may have dots itself.
        for name in names:
            if parts[0] == "joints" and tree.joint(name) is not None:
                self._session.select(Selection(joints=(name,)))
                return
            if parts[0] == "links" and name in tree.index:
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
    folder = str(document.urdf_path.parent) if document.urdf_path is not None else ""
    name = dialogs.choose_file(workbench.qt_window, "Compare with", folder, _FILTER)
    if name:
        RobotComparisonDialog(
            workbench.session, workbench.jobs, Path(name), workbench.qt_window
        ).show()


def _frames_sentence(result: RobotDiff) -> str:
    deviations = result.deviations
    if deviations is None or deviations.farthest is None or deviations.most_turned is None:
        return ""
    where = f"in {deviations.configurations:,} configurations, seen from {deviations.base}"
    if result.is_same_mechanism:
        return f"Frames: no deviation {where}."
    far, turned = deviations.farthest, deviations.most_turned
    turn = (
        f", {turned.frame} turns most, by {turned.told_turn}" if turned.angle > turned.SEEN else ""
    )
    return f"Frames: {far.frame} deviates most, by {far.told}{turn}; {where}."
