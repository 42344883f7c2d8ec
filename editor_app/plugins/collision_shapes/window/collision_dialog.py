"""Collision shapes: of which kind, for which links; what they are like is shown and drawn before
they are one step."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QCheckBox, QSpinBox, QTreeWidgetItem

from editor_app.core.document.selection import Selection
from editor_app.core.model.options import ends_of
from editor_app.core.tasks.task import Task
from editor_app.core.tasks.work import Refused, locate_robot
from editor_app.plugins.collision_shapes.verbs import collision_shapes
from editor_app.plugins.collision_shapes.verbs.shape_choices import (
    ShapeChoices,
    refuse_missing_extras,
)
from editor_app.plugins.collision_shapes.verbs.shape_report import HEADS, figure_cells, told_links
from editor_app.window import dialogs
from editor_app.window.bindings.choice_box import choice_box
from editor_app.window.bindings.lists import Rows, thing_of
from editor_app.window.link_tree.link_model import selected_frames
from editor_app.window.timers import after
from editor_app.window.widgets import PlainLabel, dress, form_of, icon, plain_text
from editor_app.window.workbench import Workbench

#: Name of what is drawn of the proposal.
_OVERLAY = "collision shapes"
_KINDS = (
    ("Best fit", "best"),
    ("Convex hull", "hull"),
    ("Convex parts", "parts"),
    ("Box", "box"),
    ("Cylinder", "cylinder"),
    ("Capsule", "capsule"),
    ("Sphere", "sphere"),
)
_FROM = (
    ("collision, else visible shapes", "auto"),
    ("collision shapes", "collision"),
    ("visible shapes", "visual"),
)
#: Pixels from the window's corner.
_CORNER = 36


class CollisionDialog(dialogs.Dialog):
    """Stays open beside the window. *Make* works in the background; *Accept* is one step that undo
    takes back."""

    def __init__(self, workbench: Workbench) -> None:
        title, session = "Create collision shapes", workbench.session
        super().__init__(workbench.qt_window, "collision_shapes", title, (640, 430), session)
        self._workbench, self._session = workbench, session
        self._work = self.slot(workbench.jobs, self._show_state)
        links = selected_frames(self._session)
        #: What is proposed; None before it is made, and after the robot was changed.
        self.made: collision_shapes.MadeCollision | None = None
        scopes = [("All links", ()), *([(", ".join(links), links)] if links else [])]
        self.kind = choice_box("Kind of shape", _KINDS, self._forget, "best", self)
        self.excess = dress(QSpinBox(self), name="Largest excess of the best shape")
        self.excess.setRange(*ends_of(ShapeChoices, "excess"))
        self.excess.setSuffix(" % excess, maximum")
        self.excess.setValue(round(100 * ShapeChoices().excess))
        self.excess.setToolTip(
            "Relative to the link's volume. Uses the simplest shape below this limit, or the one "
            "with the least excess"
        )
        self.source = choice_box("Source shapes", _FROM, self._forget, "auto", self)
        self.scope = choice_box("Links", scopes, self._forget, links or (), self)
        self.faces = dress(QSpinBox(self), name="Largest number of triangles per hull")
        fewest, most = ends_of(ShapeChoices, "faces")
        self.faces.setRange(fewest - 1, most)
        self.faces.setSpecialValueText("no limit")
        self.faces.setToolTip("Without a limit, hulls are exact within 0.5 mm")
        self.keep = QCheckBox("&Keep current shapes", self)
        heads = ("Link", *(head.capitalize() for head in HEADS))
        self.list = Rows("Proposed shapes", heads, 0, self, numbers=range(2, len(HEADS)))
        self.summary = dress(PlainLabel(parent=self), wrap=True)
        self.make_button = self.button("&Compute", "make", dialogs.Role.ActionRole, self.make)
        self.accept_button = dress(self.button("&Accept", "apply"), icon=icon("check"))
        form = form_of(
            ("Shape", ((self.kind, 1), (self.excess, 1))),
            ("Source", self.source),
            ("Links", self.scope),
            ("Triangles of a hull", ((self.faces, 1), self.keep)),
        )
        self.lay_out(form, (self.list, 1), self.summary)
        self.make_button.setAutoDefault(False)
        self.faces.valueChanged.connect(self._forget)
        self.excess.valueChanged.connect(self._forget)
        self.keep.toggled.connect(self._forget)
        self.list.itemClicked.connect(self._select)
        self._session.robot_changed.connect(self._forget)
        after(self, self._draw, on=(self._session.pose_changed,))
        self.finished.connect(self._forget)
        self._forget()

    def make(self) -> None:
        """Makes what is asked for, in a worker process; ends it where it runs."""
        document = self._session.document
        if self._work.is_running:
            self._work.cancel()
            return
        if document.urdf_path is None:
            self._tell("Save the robot first: mesh files are written next to it.")
            return
        faces = self.faces.value()
        choices = ShapeChoices(
            self.kind.currentData(),
            self.keep.isChecked(),
            faces if faces > self.faces.minimum() else None,
            excess=self.excess.value() / 100,
            geometry=self.source.currentData(),
        )
        self._forget()
        try:
            refuse_missing_extras(choices)
        except Refused as refusal:
            self._tell(f"{refusal}.")
            return
        links = tuple(self.scope.currentData()) or None
        self._work.run_loaded(
            "Computing collision shapes",
            collision_shapes,
            lambda: Task(collision_shapes.make_collision, locate_robot(document), links, choices),
            self._show,
            failed=lambda error: self._tell(error.message),
            about=lambda: document.state.robot,
            stale=self._forget,
            cancelled=self._forget,
            progress=lambda _, sentence: self.summary.setText(sentence),
        )

    def accept(self) -> None:
        made = self.made
        if made is not None and self._session.execute(made.change):
            self._session.message.emit(
                f"{told_links(made)}. Saving the robot writes the mesh files."
            )
            super().accept()

    def _show(self, made: collision_shapes.MadeCollision) -> None:
        self.made = made
        self.list.clear()
        for each in made.links:
            tips = {} if each.figures.proof is None else {len(HEADS): each.figures.proof.text}
            self.list.add((plain_text(each.link), *figure_cells(each)), each.link, tips=tips)
        skipped = [
            f"{each.link}: {each.reason}." for each in made.skipped if self.scope.currentData()
        ]
        self._tell(
            " ".join(
                (
                    made.verdict_text,
                    *(f"{note[:1].upper()}{note[1:]}." for note in made.notes),
                    *skipped,
                )
            )
        )
        self._draw()

    def _tell(self, text: str) -> None:
        self.summary.setText(text[:1].upper() + text[1:])
        self._show_state()

    def _forget(self, *_: object) -> None:
        """What was proposed is not what is asked for any more."""
        self.made = None
        self.list.clear()
        self.list.say("Compute shows the shapes here and in the view")
        self._tell("")
        self._draw()

    def _show_state(self) -> None:
        is_running = self._work.is_running
        self.make_button.setText("&Stop" if is_running else "&Compute")
        self.accept_button.setEnabled(self.made is not None and not is_running)
        self.excess.setEnabled(self.kind.currentData() == "best")

    def _select(self, item: QTreeWidgetItem, _: int = 0) -> None:
        self._session.select(Selection(links=(thing_of(item),)))

    def _draw(self) -> None:
        """The edges of what is proposed, where the links stand."""
        view = self._workbench.viewport
        if view is None:
            return
        segments = []
        for each in self.made.links if self.made is not None else ():
            pose = self._session.transform(each.link)
            if pose is None:
                continue
            for shape in each.shapes:
                edges = collision_shapes.edges(shape)
                segments.append(edges @ pose[:3, :3].T + pose[:3, 3])
        lines = np.concatenate(segments) if segments else np.zeros((0, 2, 3))
        view.scene.overlay.set_lines(
            _OVERLAY, lines, np.array([*view.scene.accent, 0.9]), width=1.5
        )


def show_collision_shapes(workbench: Workbench) -> None:
    """Opens the dialog beside the window, for the selected links or for all."""
    dialog, window = CollisionDialog(workbench), workbench.qt_window
    # In the corner: the middle of the view is where the proposal is drawn.
    dialog.move(
        window.geometry().bottomRight() - dialog.rect().bottomRight() - QPoint(_CORNER, _CORNER)
    )
    dialog.show()
