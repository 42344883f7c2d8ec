"""The panel that fits spheres to the selected links: live, beside what is there, taken or left as one step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from editor_app.edit.commands.fitted_spheres import SetFittedSpheres
from editor_app.edit.selection import Selection
from editor_app.gui.fitting.context import FitContext
from editor_app.gui.fitting.figures import Summary, summary
from editor_app.gui.fitting.fit_layout import FitLayout
from editor_app.gui.fitting.fit_settings import choose_defaults
from editor_app.gui.fitting.preview_work import PreviewWork, Work
from editor_app.gui.fitting.surface_words import caption, difference
from editor_app.model.counting import counted
from editor_app.model.frozen import FrozenDict
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import CollisionSphere
from editor_app.operations.link_fits import (
    Figures,
    FitLinks,
    MeasureLinks,
    QualityCurve,
    as_rows,
    as_spheres,
)

if TYPE_CHECKING:
    from editor_app.fitting.links import LinkMesh
    from editor_app.fitting.results import FitResult, Quality
    from editor_app.fitting.settings import FitSettings
    from editor_app.tasks.worker import JobError

#: Milliseconds of quiet before a refit: a slider sends many values.
DELAY = 120
#: How many spheres are proposed for a link that has none.
USUAL = 16
NUMBERS = (2, 4, 6, 8, 12, 16, 24, 32, 48, 64)


class FitPanel(FitLayout):
    """Idle until `start`, then each change of the form fits again; `accept` and `cancel` end that."""

    #: {link: (FitResult, its spheres, mesh that the figures are of)} of an accepted fit.
    accepted = Signal(object)
    #: A proposal is there or on its way, or not any more.
    active_changed = Signal(bool)

    def __init__(self, context: FitContext, parent: QWidget | None = None) -> None:
        super().__init__(context.session, parent)
        self.setAccessibleName("Fit spheres")
        self._context = context
        self._session = context.session
        self._active = False
        self._fast = False
        self._targets: tuple[str, ...] = ()
        self._results: dict[str, FitResult] = {}
        self._present: dict[str, Figures] = {}
        #: What the results are of; None where a plane took some of it away.
        self._fitted_to: dict[str, LinkMesh | None] = {}
        self._curves: dict[tuple[Any, ...], dict[int, Quality]] = {}
        self._curve_key: tuple[Any, ...] | None = None
        self._warning = ""
        self._measured_once = False
        #: Nobody has said yet how many: the number that a link has is the one to compare with.
        self._number_is_usual = True
        self._work = PreviewWork(context, {"measure": self._measure, "fit": self._fit, "curve": self._curve}, self)
        self._timer = QTimer(self, singleShot=True, interval=DELAY)
        self._timer.timeout.connect(lambda: self._need("fit"))
        self.form.changed.connect(self._on_form)
        self.form.amount.changed.connect(lambda _: self._number_is_chosen())
        self.form.bodies_chosen.connect(self._choose_bodies)
        self.accept_button.clicked.connect(self.accept)
        self.cancel_button.clicked.connect(self.cancel)
        self.start_button.clicked.connect(self.start)
        self.chart.chosen.connect(lambda number: self.form.amount.set_value(number, "number"))
        work = self._work
        work.changed.connect(self._show)
        work.progressed.connect(self.progress.set_share)
        work.ended.connect(self._ended)
        work.failed.connect(self._failed)
        session = self._session
        session.document_opened.connect(lambda _: self._on_opened())
        session.selection_changed.connect(lambda _: self._retarget())
        session.active_group_changed.connect(lambda _: self._robot_changed_meanwhile())
        session.robot_settled.connect(self._on_robot)
        context.meshes.geometry_changed.connect(self._on_geometry)
        context.bodies_changed.connect(self._on_bodies)
        context.kind_changed.connect(self._on_kind)
        context.mount_changed.connect(self._on_mount)
        context.warm_preview()
        choose_defaults(self.form.mode, self.form.effort, context.defaults())
        self._on_kind()
        self._retarget()

    # -- what others call

    @property
    def is_active(self) -> bool:
        return self._active

    @property
    def is_ready(self) -> bool:
        """Whether the proposal is up to date and can be accepted."""
        return (
            self._active
            and not self._work.runs_or_waits("fit")
            and not self._timer.isActive()
            and bool(self._results)
            and all(link in self._results for link in self._targets)
        )

    @property
    def is_busy(self) -> bool:
        """Whether anything is computed, or about to be."""
        return self._work.is_busy or self._timer.isActive()

    @property
    def targets(self) -> tuple[str, ...]:
        return self._targets

    @property
    def results(self) -> dict[str, FitResult]:
        return dict(self._results)

    def start(self) -> None:
        """Fits the selected links with the form as it is."""
        self._retarget()
        if not self._targets:
            self._session.refused.emit("Select a link that has shapes first.")
            return
        self._set_active(True)
        self._need("fit")

    def accept(self) -> None:
        """Takes the proposal, as one step."""
        robot = self._session.robot
        if not self.is_ready or robot is None:
            return
        spheres = {link: tuple(self._context.proposed[link]) for link in self._targets}
        empty = [link for link, each in spheres.items() if not each]
        if empty:
            self._session.refused.emit(f"{empty[0]} would lose all its spheres: the fit found none.")
            return
        label = f"Fit {counted(sum(map(len, spheres.values())), 'sphere')} to {_names(self._targets)}"
        change = SetFittedSpheres(self._context.group, FrozenDict(spheres), label)
        results = {link: (self._results[link], spheres[link], self._fitted_to.get(link)) for link in self._targets}
        self._set_active(False)
        if self._session.execute(change, selection=Selection(links=self._targets)):
            self.accepted.emit(results)
        self._need("measure")

    def cancel(self) -> None:
        """Nothing happened."""
        self._set_active(False)

    # -- events

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.is_ready:
            self.accept()
        elif key == Qt.Key.Key_Escape and self._active:
            self.cancel()
        else:
            super().keyPressEvent(event)

    # -- following

    def _on_opened(self) -> None:
        self._curves.clear()
        self._number_is_usual = True
        choose_defaults(self.form.mode, self.form.effort, self._context.defaults())
        self._set_active(False)
        self._present = {}
        self._retarget()

    def _on_geometry(self, link: str) -> None:
        for key in [key for key in self._curves if key[0] == link]:
            del self._curves[key]
        self._present.pop(link, None)
        self._retarget()

    def _choose_bodies(self, used: frozenset[int]) -> None:
        if len(self._targets) == 1:
            if not used:
                self._session.refused.emit("One body at least has to be fitted to.")
            self._context.use_bodies(self._targets[0], used)
            self._show()

    def _on_bodies(self, link: str) -> None:
        if link not in self._targets:
            return
        self._present.pop(link, None)
        self._work.need_later("measure")
        self._on_form(False)

    def _retarget(self) -> None:
        mesh_links = self._context.links_with_mesh()
        chosen = set(self._session.selection.frames)
        targets = tuple(link for link in mesh_links if link in chosen)
        if targets == self._targets:
            self._show()
            return
        was_active = self._active
        self._set_active(False)
        self._targets = targets
        self._present = {}
        self._results = {}
        if targets:
            self._suggest_number()
            self._need("measure")
            if was_active:
                # A user who fits link after link goes on with the next one.
                self.start()
        self._show()

    def _suggest_number(self) -> None:
        """As many as the link has, until somebody says how many."""
        number = len(self._context.present(self._targets[0]))
        if self._number_is_usual and len(self._targets) == 1 and self.form.amount.amount.id == "number":
            self.form.amount.suggest(number or USUAL)

    def _number_is_chosen(self) -> None:
        self._number_is_usual = False

    def _on_robot(self, old: RobotDescription, new: RobotDescription) -> None:
        name = self._context.group
        before, now = old.xrdf.group(name), new.xrdf.group(name)
        same = before is not None and now is not None
        if same and all(before.spheres.get(k) is now.spheres.get(k) for k in self._targets):  # type: ignore[union-attr]
            return
        self._robot_changed_meanwhile()

    def _robot_changed_meanwhile(self) -> None:
        if not self._targets:
            return
        self._present = {}
        if self._active and self.form.keep.isChecked():
            self._warning = "The present spheres were changed meanwhile: fitted again around them."
            self._timer.start()
        self._work.need_later("measure")
        self._show()

    def _on_kind(self) -> None:
        """Other geometry was chosen elsewhere, or was found to be the better one."""
        box = self.form.geometry_kind
        box.blockSignals(True)
        box.setCurrentIndex(box.findData(self._context.kind))
        box.blockSignals(False)
        self._present = {}
        if self._targets:
            self._work.need_later("measure")
        self._show()

    def _on_mount(self) -> None:
        if self._active:
            self._timer.start()

    def _on_form(self, live: bool) -> None:
        kind = self.form.geometry_kind.currentData()
        if kind != self._context.kind:
            self._context.set_kind(kind)
        self._fast = live
        self._warning = ""
        if not self._targets:
            return
        self._set_active(True)
        self._timer.start()
        self._show()

    def _set_active(self, active: bool) -> None:
        if not active:
            self._timer.stop()
            self._work.drop("fit", "curve")
            self._results = {}
            self._warning = ""
            if self._active:
                self._context.propose({})
        if active != self._active:
            self._active = active
            self.active_changed.emit(active)
        self._show()

    # -- work

    def _need(self, work: str) -> None:
        self._work.need(work, instead_of=("fit", "curve") if work == "fit" else ())

    def _ended(self, kind: str) -> None:
        if kind == "fit" and self._active and not self._work.waits("fit") and len(self._targets) == 1:
            self._work.need_later("curve")

    def _failed(self, error: JobError) -> None:
        from editor_app.fitting.settings import FittingError

        if isinstance(error.exception, FittingError):
            self._warning = str(error.exception)
        else:
            self._context.window_jobs.failed_unexpectedly.emit(None, error)

    def _measure(self) -> Work | None:
        items = []
        spheres = {}
        for link in self._targets:
            other = self._context.is_fitted_to_other(link)
            mesh = self._context.mesh(link) if other else self._context.measured_mesh(link)
            if mesh is not None and link not in self._present:
                spheres[link] = self._context.present(link)
                items.append((mesh, as_rows(spheres[link])))
        if not items:
            return None
        return Work("Measuring", MeasureLinks(tuple(items)), lambda value: self._take_present(value, spheres))

    def _take_present(self, value: tuple[str, Figures], spheres: dict[str, tuple[CollisionSphere, ...]]) -> None:
        link, figures = value
        self._measured_once = True
        if self._context.present(link) == spheres[link]:
            # Figures of spheres that were dragged on meanwhile are dropped.
            self._present[link] = figures
        self._show()

    def _fit(self) -> Work | None:
        from editor_app.fitting.settings import FittingError

        if not self._active:
            return None
        try:
            items = [
                (mesh, self._settings_of(mesh))
                for link in self._targets
                if (mesh := self._context.mesh(link)) is not None
            ]
        except FittingError as why:
            self._warning = str(why)
            self._results = {}
            self._context.propose({})
            return None
        if not items:
            return None
        self._fitted_to = {mesh.link: None if settings.clip_planes else mesh for mesh, settings in items}
        return Work("Fitting", FitLinks(tuple(items), self._context.stop_file()), self._take_fit)

    def _settings_of(self, mesh: LinkMesh) -> FitSettings:
        from editor_app.fitting.settings import Plane

        more: dict[str, Any] = {}
        if self.form.keep.isChecked():
            more["locked"] = tuple((*s.center, s.radius) for s in self._context.present(mesh.link) if s.radius > 0)
        pose = self._session.transform(mesh.link)
        planes = self._context.planes_of(mesh.link)
        if self.form.ground.isChecked() and pose is not None:
            point = -pose[:3, :3].T @ pose[:3, 3]
            planes = (*planes, Plane(_vector(point), _vector(pose[2, :3])))
        if planes:
            more["clip_planes"] = planes
        axis = self.form.mirror.currentData()
        if axis:
            middle = (mesh.vertices.min(axis=0) + mesh.vertices.max(axis=0)) / 2
            more["mirror"] = Plane(_vector(middle), _vector(np.eye(3)["xyz".index(axis)]))
        return self.form.settings(fast=self._fast, **more)

    def _take_fit(self, value: tuple[str, FitResult]) -> None:
        link, result = value
        if not self._active or self._work.waits("fit") or link not in self._targets:
            # A newer request is waiting: an old answer must not flash up.
            return
        self._results[link] = result
        locked = self._context.present(link) if self.form.keep.isChecked() else ()
        fitted = as_spheres(result.spheres, self.form.mode_id)
        self._context.propose({**self._context.proposed, link: (*locked, *fitted)})
        self._show()

    def _curve(self) -> Work | None:
        if not self._active or len(self._targets) != 1:
            return None
        mesh = self._context.mesh(self._targets[0])
        if mesh is None or self.form.keep.isChecked():
            return None
        self._curve_key = self._key_of(mesh.link)
        curve = self._curves.setdefault(self._curve_key, {})
        missing = tuple(n for n in NUMBERS if n not in curve)
        if not missing:
            return None
        from editor_app.fitting.settings import FitSettings

        settings = FitSettings(number=1, mode=self.form.mode.currentData(), effort="fast")
        return Work(
            "Computing the curve", QualityCurve(mesh, settings, missing, self._context.stop_file()), self._take_point
        )

    def _key_of(self, link: str) -> tuple[Any, ...]:
        return link, self._context.kind_of(link), self._context.bodies_used(link), self.form.mode_id

    def _take_point(self, value: tuple[int, Quality]) -> None:
        if self._curve_key in self._curves:
            self._curves[self._curve_key][value[0]] = value[1]
        self._show()

    # -- showing

    def _show(self) -> None:
        targets, robot = self._targets, self._session.robot
        if robot is None:
            self.title.setText("No robot is open")
        elif not targets:
            self.title.setText("Select a link with a mesh, in the view or in the tree")
        else:
            self.title.setText(_names(targets))
        self.form.setEnabled(bool(targets))
        one = targets[0] if len(targets) == 1 else None
        self.form.offer_bodies(
            *((self._context.bodies(one), self._context.bodies_used(one)) if one else ({}, frozenset()))
        )
        now = then = None
        if targets:
            figures = [self._present[k] for k in targets if k in self._present]
            number = sum(len(self._context.present(k)) for k in targets)
            whole = len(figures) == len(targets)
            now = summary(number, [(f.quality, f.certificate) for f in figures]) if whole else Summary(number)
        if self._results:
            number = sum(len(each) for each in self._context.proposed.values())
            then = summary(number, [(r.quality, r.certificate) for r in self._results.values()])
        fitting = self._work.runs_or_waits("fit") or self._timer.isActive()
        self.figures.show_figures(now, then, stale=fitting)
        self.figures.show_surface(caption(self._context, targets))
        self.notes.setText(self._note_text())
        self.progress.setVisible(self._active and fitting)
        self.start_button.setVisible(not self._active)
        self.start_button.setEnabled(bool(targets))
        self.cancel_button.setVisible(self._active)
        self.accept_button.setVisible(self._active)
        self.accept_button.setEnabled(self.is_ready)
        points = self._curves.get(self._key_of(targets[0]), {}) if len(targets) == 1 else {}
        self.chart.set_points(points, busy=self._work.kind == "curve")
        self.chart.set_current(then.count if then is not None and len(targets) == 1 else None)

    def _note_text(self) -> str:
        lines = [self._warning] if self._warning else []
        if self._targets and not self._results and not self._present and self._work.is_busy:
            # The first time on a machine, the engine is compiled.
            lines.append("Starting the fitting engine…" if not self._measured_once else "Measuring…")
        lines += self._result_lines()
        lines += [f"{k}: {f.note}" for k, f in self._present.items() if f.note]
        kinds = {self._context.kind_of(link) for link in self._targets}
        if self._targets and self._context.kind != "auto" and kinds != {self._context.kind}:
            other = "visual" if self._context.kind == "collision" else "collision"
            lines.append(f"Without {self._context.kind} shapes, {other} ones are used.")
        lines.append(difference(self._context, self._targets))
        return "\n".join(line for line in dict.fromkeys(lines) if line)

    def _result_lines(self) -> list[str]:
        if len(self._results) == 1:
            (result,) = self._results.values()
            proof = result.certificate
            certified = [proof.text] if proof is not None and proof.certified else []
            return [*result.notes, *certified, f"Fitted in {result.wall_seconds:.2f} s."]
        return [f"{link}: {note}" for link, result in self._results.items() for note in result.notes]


def _names(links: tuple[str, ...]) -> str:
    return links[0] if len(links) == 1 else f"{len(links)} links"


def _vector(values: Any) -> tuple[float, float, float]:
    x, y, z = (float(v) for v in values)
    return x, y, z
