"""Shared state of the fitting tools: meshes as arrays, spheres of frames, worker processes,
proposals, estimates."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

from PySide6.QtCore import QObject, Signal

from editor_app.core.document.commands.fitted_spheres import group_for_fit
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Collision, Mesh, Visual
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.space.geometry.link_geometry import Kind, LinkGeometry
from editor_app.core.space.geometry.mount import Mount, mount_of
from editor_app.core.tasks.executor import ProcessExecutor, usual_processes
from editor_app.core.tasks.task import Job, Task, TaskReporter
from editor_app.core.tasks.work import PlacedRobot, locate_robot
from editor_app.core.tasks.worker import WorkerPool
from editor_app.features.spheres.engine.links import LinkMesh
from editor_app.features.spheres.engine.settings import USUAL_GEOMETRY, FitSettings, Geometry, Plane
from editor_app.features.spheres.verbs.budget_outlook import ProtrusionOutlook, budget_outlook
from editor_app.features.spheres.verbs.chosen_meshes import keeps_above, with_choices
from editor_app.features.spheres.verbs.fit import estimate_budget, fittable_links
from editor_app.features.spheres.verbs.fit_choices import FitChoices
from editor_app.features.spheres.verbs.link_fits import ENGINE, load_engine, prepare_fitting
from editor_app.features.spheres.verbs.surface_kind import report_partial_links, surface_kind
from editor_app.window.jobs import Jobs, JobSlot
from editor_app.window.mesh_store import WindowMeshes
from editor_app.window.session import Session
from editor_app.window.settings import Defaults
from editor_app.window.timers import Wait, after

_Arrays = dict[
    tuple[str, str, frozenset[int]], tuple["LinkGeometry", "LinkGeometry | None", "LinkMesh"]
]


class LinkSurfaces(QObject):
    """One per window; who owns it calls `forget` for another document, and `compare` when shapes
    may be others."""

    #: It is known now which links have partial collision shapes, or that it cannot be known.
    compared = Signal()

    def __init__(
        self, session: Session, meshes: WindowMeshes, jobs: Jobs, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._meshes = meshes
        self._jobs = jobs
        self._arrays: _Arrays = {}
        #: Visual and collision shapes of links as they were compared, and whether the latter are
        #: partial.
        self._comparisons: dict[str, tuple[LinkGeometry, LinkGeometry, bool]] = {}
        self._comparing = JobSlot(jobs, quiet=True)
        self._told = False
        self._mounts: dict[Geometry, tuple[object, Mount | None]] = {}
        self._clipped: dict[str, tuple[LinkMesh, Plane, LinkMesh]] = {}

    # -- which shapes

    def kind(self, link: str, geometry: Geometry = USUAL_GEOMETRY) -> Kind | None:
        """The kind that stands for a link; None when it has no shape, or none is loaded yet."""
        return surface_kind(geometry, lambda kind: self._has(link, kind), self._is_partial(link))

    @property
    def is_comparing(self) -> bool:
        """True while the partial collision shapes are being searched; `compared` follows."""
        return self._comparing.is_running or (not self._told and self._meshes.is_loading)

    def compare(self) -> bool:
        """Looks in the background at links where one was not compared as it is now; False:
        `compared` will not follow.

        Nothing is done as long as meshes are loaded: their end calls again.
        """
        robot = self._session.robot
        if not self._session.has_robot or self._meshes.is_loading:
            return False
        links = fittable_links(robot)
        self._comparisons = {
            link: each for link in links if (each := self._comparison(link)) is not None
        }
        # All together: how rough most shapes are decides about the others.
        shapes = {link: pair for link in links if (pair := self._both(link)) is not None}
        if shapes.keys() <= self._comparisons.keys():
            if not self._told:
                self._told = True
                self.compared.emit()
            return self._comparing.is_running

        def done(partial: frozenset[str]) -> None:
            self._comparisons |= {link: (*pair, link in partial) for link, pair in shapes.items()}
            end()

        def end(_: object = None) -> None:
            self._told = True
            self._mounts.clear()
            self.compared.emit()

        self._comparing.run(
            "Comparing shapes",
            Task(report_partial_links, robot.urdf, shapes),
            done,
            in_thread=True,
            failed=end,
        )
        return True

    def forget(self) -> None:
        """Another document is open; what is known of shapes that stay loaded is kept."""
        self._comparing.drop()
        self._told = False
        self._arrays.clear()
        self.forget_planes()

    def _has(self, link: str, kind: Kind) -> bool:
        geometry = self._meshes.geometry(link, kind)
        return geometry is not None and geometry.triangles > 0

    def _both(self, link: str) -> tuple[LinkGeometry, LinkGeometry] | None:
        visual, collision = (self._meshes.geometry(link, kind) for kind in ("visual", "collision"))
        if visual is None or collision is None or not visual.triangles or not collision.triangles:
            return None
        return visual, collision

    def _comparison(self, link: str) -> tuple[LinkGeometry, LinkGeometry, bool] | None:
        """Of the shapes that the link has now."""
        last, pair = self._comparisons.get(link), self._both(link)
        same = last is not None and pair is not None and last[0] is pair[0] and last[1] is pair[1]
        return last if same else None

    def _is_partial(self, link: str) -> bool:
        comparison = self._comparison(link)
        return comparison is not None and comparison[2]

    # -- as meshes

    def mesh(
        self, link: str, kind: Kind | None, without: frozenset[int] = frozenset()
    ) -> LinkMesh | None:
        """The shapes of a kind in the frame of the link, as one mesh; `without`: shapes that are
        left out.

        The same object as long as the shapes stay; None when there are none, or they are not loaded
        yet.
        """
        geometry = self._meshes.geometry(link, kind) if kind is not None else None
        if geometry is None or kind is None:
            return None
        seen = self._meshes.geometry(link, "visual") if kind == "collision" else None
        cached = self._arrays.get((kind, link, without))
        if cached is not None and cached[0] is geometry and cached[1] is seen:
            return cached[2]
        parts = [
            p
            for p, element in zip(geometry.parts, geometry.elements, strict=True)
            if element not in without
        ]
        mesh = LinkMesh.of_parts(link, parts, seen.parts if seen is not None else ())
        self._arrays[kind, link, without] = (geometry, seen, mesh)
        return mesh

    def usual(self, link: str) -> LinkMesh | None:
        """Return the mesh that figures of the link's spheres describe; None until its shapes are
        chosen.

        It follows from the shapes alone, so a file that is opened again has the figures that it was
        saved with.
        """
        return None if self.is_comparing else self.mesh(link, self.kind(link))

    def measured(self, link: str, spheres: tuple[CollisionSphere, ...]) -> LinkMesh | None:
        """Return `usual`; with the mounting plane, if the spheres of the link stay above it."""
        mesh = self.usual(link)
        plane = self.plane_of(link, USUAL_GEOMETRY) if mesh is not None else None
        if mesh is None or plane is None or not keeps_above(spheres, (plane,)):
            return mesh
        cached = self._clipped.get(link)
        if cached is None or cached[0] is not mesh or cached[1] != plane:
            cached = self._clipped[link] = mesh, plane, replace(mesh, clip_planes=(plane,))
        return cached[2]

    # -- the mount

    def mount(self, geometry: Geometry) -> Mount | None:
        """The plane below the base, from the meshes that are loaded; None for a robot that stands
        on none."""
        robot = self._session.robot
        if self._meshes.is_loading:
            return None
        # Other shapes, and another answer to which of them are partial, forget the planes.
        cached = self._mounts.get(geometry)
        if cached is None or cached[0] is not robot.urdf:

            def arrays(link: str) -> Any:
                mesh = self.mesh(link, self.kind(link, geometry))
                return None if mesh is None else (mesh.vertices, mesh.faces)

            cached = self._mounts[geometry] = robot.urdf, mount_of(robot.urdf, arrays)
        return cached[1]

    def plane_of(self, link: str, geometry: Geometry) -> Plane | None:
        """The plane of the mount in the frame of a link; None where the link does not stand on
        it."""
        mount = self.mount(geometry)
        below = mount.plane(link) if mount is not None else None
        if below is None:
            return None
        return Plane(below.point, below.normal)

    def forget_planes(self) -> None:
        """Other shapes may stand on another plane."""
        self._mounts.clear()
        self._clipped.clear()


class FitContext(QObject):
    """One per window; `close` before the window's jobs are closed."""

    #: Other spheres are proposed now, or none.
    proposed_changed = Signal()
    #: Other geometry is fitted to now.
    kind_changed = Signal()
    #: Name of a link of which other bodies are fitted to now.
    bodies_changed = Signal(str)
    #: The plane below the base is another one, or is used now, or no more.
    mount_changed = Signal()

    def __init__(
        self, session: Session, meshes: WindowMeshes, jobs: Jobs, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.session = session
        self.meshes = meshes
        #: What fits begin with.
        self.defaults: Callable[[], Defaults] = Defaults
        #: Makes the job that gives `Refusals` of fits (number -> spheres) of a link; None where no
        #: plug-in weighs them.
        self.weigh: (
            Callable[[PlacedRobot, str, FrozenDict[int, tuple[CollisionSphere, ...]]], Job] | None
        ) = None
        #: Of the window: what runs there is shown in the status bar.
        self.window_jobs = jobs
        preview, robot = (
            WorkerPool(n, preload=ENGINE, behind_window=True) for n in (1, usual_processes())
        )
        #: One process, so that the solids it knows serve the next refit.
        self.preview_jobs = Jobs(self, pool=preview)
        self.preview_jobs.failed_unexpectedly.connect(jobs.failed_unexpectedly)
        #: For a whole robot: one process per processor.
        self.robot_executor = ProcessExecutor(pool=robot)
        self._import: threading.Thread | None = None
        #: The shapes of links, which figures of spheres compare with; not the shapes chosen for a
        #: fit.
        self.surfaces = LinkSurfaces(session, meshes, jobs, self)
        #: Which geometry is fitted to where a link has it; "auto": the visual one where the
        #: collision is partial.
        self.kind: Geometry = USUAL_GEOMETRY
        #: Whether fits keep the base above the mount.
        self.mount_used = True
        #: Bodies that are left out, by kind and link: numbers of visuals or collisions.
        self._without: dict[tuple[str, str], frozenset[int]] = {}
        #: What a fit would put in the place of the spheres of these frames.
        self.proposed: dict[str, tuple[CollisionSphere, ...]] = {}
        #: The processes have ended: nothing that waits for the event loop may start another.
        self.is_closed = False
        session.document_opened.connect(self._on_opened)
        session.robot_changed.connect(self._on_robot)
        meshes.finished.connect(self._on_meshes)
        for signal in (self.kind_changed, self.mount_changed):
            self.surfaces.compared.connect(signal)

    # -- processes

    @property
    def is_previewing(self) -> bool:
        """True if the process of the previews has something to do."""
        return bool(self.preview_jobs.running)

    def warm(self) -> None:
        """Starts the processes for a whole robot, which load the engine meanwhile; the window loads
        it in a thread."""
        if self.is_closed or not self.has_link_with_mesh or self.robot_executor.has_processes:
            return
        for _ in range(usual_processes()):
            # What goes wrong here goes wrong with the fit, which tells.
            self.robot_executor.submit_job(prepare_fitting)
        # Results are made of its classes: without this the first of them would hold the window up.
        if self._import is None:
            self._import = threading.Thread(target=load_engine, daemon=True, name="fitting import")
            self._import.start()

    def warm_preview(self) -> None:
        """Starts the process of the previews, which loads the engine meanwhile."""
        if not self.preview_jobs.has_processes:
            self.preview_jobs.run(
                "Preparing the fit", prepare_fitting, on_error=lambda _: None, quiet=True
            )

    def close(self) -> None:
        """Ends the processes; may be called twice."""
        self.is_closed = True
        if self._import is not None:
            # An interpreter that ends in the middle of an import may crash.
            self._import.join(30)
        self.preview_jobs.close()
        self.robot_executor.shutdown(cancel_futures=True)

    # -- geometry

    def set_kind(self, kind: Geometry) -> None:
        if kind != self.kind:
            self.kind = kind
            self.kind_changed.emit()
            self.mount_changed.emit()

    @property
    def is_comparing(self) -> bool:
        """True until "auto" is resolved; `kind_changed` follows."""
        return self.kind == "auto" and self.surfaces.is_comparing

    def kind_of(self, link: str) -> Kind | None:
        """The kind that is used for a link: the chosen one, else the other, None when there is no
        geometry."""
        return self.surfaces.kind(link, self.kind)

    def mesh(self, link: str, *, whole: bool = False) -> LinkMesh | None:
        """The bodies of a link that are fitted to, or the `whole` of it, in its frame.

        None when it has no geometry, or is not loaded yet.
        """
        kind = self.kind_of(link)
        without = (
            frozenset() if whole or kind is None else self._without.get((kind, link), frozenset())
        )
        return self.surfaces.mesh(link, kind, without)

    def is_fitted_to_other(self, link: str) -> bool:
        """Return whether a fit would be to something else than figures of the link are of: other
        shapes, or some of them."""
        return self.mesh(link) is not self.surfaces.usual(link)

    # -- the mount

    @property
    def mount(self) -> Mount | None:
        """The plane below the base, from the meshes that are loaded; None for a robot that stands
        on none."""
        return self.surfaces.mount(self.kind)

    def use_mount(self, used: bool) -> None:
        if used != self.mount_used:
            self.mount_used = used
            self.mount_changed.emit()

    def planes_of(self, link: str) -> tuple[Plane, ...]:
        """The planes that spheres of a link must not reach below, in its frame."""
        plane = self.surfaces.plane_of(link, self.kind) if self.mount_used else None
        return () if plane is None else (plane,)

    def measured_mesh(self, link: str) -> LinkMesh | None:
        """Return the mesh that figures of a link describe; with the mount if its present spheres
        stay above it."""
        return self.surfaces.measured(link, self.present(link))

    # -- bodies

    def bodies(self, link: str) -> dict[int, str]:
        """Return the bodies of a link's geometry: number of the visual or collision, and its
        label."""
        robot, kind = self.session.robot, self.kind_of(link)
        geometry = self.meshes.geometry(link, kind) if kind is not None else None
        urdf_link = robot.urdf.link(link)
        if geometry is None or urdf_link is None:
            return {}
        shapes: tuple[Visual | Collision, ...] = (
            urdf_link.visuals if kind == "visual" else urdf_link.collisions
        )
        present = [i for i in dict.fromkeys(geometry.elements) if i < len(shapes)]
        return {i: _called(shapes[i], i) for i in present}

    def bodies_used(self, link: str) -> frozenset[int]:
        """The shapes that spheres are fitted to."""
        kind = self.kind_of(link) or "collision"
        return frozenset(self.bodies(link)) - self._without.get((kind, link), frozenset())

    def use_bodies(self, link: str, used: Iterable[int]) -> None:
        """Fits to these bodies of a link only; to all when none of them is there."""
        kind = self.kind_of(link) or "collision"
        every = frozenset(self.bodies(link))
        without = every - frozenset(used) if every & frozenset(used) else frozenset()
        if without != self._without.get((kind, link), frozenset()):
            self._without[kind, link] = without
            self.bodies_changed.emit(link)

    def budget_for(self, links: int) -> int:
        """Spheres that a fit of so many links begins with: the user's preference, else the usual
        number."""
        return self.defaults().spheres or estimate_budget(links)

    def links_with_mesh(self) -> tuple[str, ...]:
        """In the order of the URDF; only those that the kinematic structure still has."""
        return tuple(
            link for link in fittable_links(self.session.robot) if self.kind_of(link) is not None
        )

    @property
    def has_link_with_mesh(self) -> bool:
        return any(self.kind_of(link) is not None for link in fittable_links(self.session.robot))

    def measurable_links(self) -> tuple[str, ...]:
        """Return the links with a mesh that have spheres, in the order of the URDF."""
        with_spheres = (link for link in fittable_links(self.session.robot) if self.present(link))
        return tuple(link for link in with_spheres if self.kind_of(link) is not None)

    # -- spheres

    @property
    def group(self) -> str:
        """The group that fitted spheres go to; it may not be there yet."""
        return group_for_fit(self.session.robot, self.session.active_group)

    def spheres_in(self, name: str) -> Mapping[str, tuple[CollisionSphere, ...]]:
        """Frame -> spheres of a group, without its clones; nothing where there is no such group."""
        group = self.session.robot.xrdf.group(name)
        return group.spheres if group is not None else {}

    def present(self, frame: str) -> tuple[CollisionSphere, ...]:
        """Spheres of a frame in the group that is fitted."""
        return self.spheres_in(self.group).get(frame, ())

    def locked(self, frame: str) -> tuple[CollisionSphere, ...]:
        """The present spheres of a frame that fits keep."""
        return self.session.locks.of(self.session.robot, self.group, frame)

    def propose(self, spheres: Mapping[str, Iterable[CollisionSphere]]) -> None:
        """Shows spheres beside those that are there; an empty mapping takes them away."""
        new = {frame: tuple(each) for frame, each in spheres.items()}
        if new != self.proposed:
            self.proposed = new
            self.proposed_changed.emit()

    def _on_opened(self, document: object) -> None:
        self._without.clear()
        self.mount_used = True
        self.kind = USUAL_GEOMETRY
        self.surfaces.forget()
        self.propose({})
        self.kind_changed.emit()
        self.mount_changed.emit()
        self.surfaces.compare()

    def _on_robot(self, old: RobotDescription, new: RobotDescription) -> None:
        if old.urdf is not new.urdf:
            self.surfaces.compare()
            self.mount_changed.emit()

    def _on_meshes(self) -> None:
        self.surfaces.forget_planes()
        self.surfaces.compare()
        self.mount_changed.emit()


def _called(shape: Visual | Collision, number: int) -> str:
    """The name that the URDF gives, else that of the file, else what it is."""
    geometry = shape.geometry
    shape_name = (
        PurePosixPath(geometry.filename).name
        if isinstance(geometry, Mesh)
        else type(geometry).__name__.lower()
    )
    return shape.name or f"{number + 1}: {shape_name}"


#: Fits that are remembered: card and panel may ask about different ones.
_MOST = 4


@dataclass(slots=True)
class _Fit:
    """What a fit would be of; budgets that were asked about, and what is told of those that were
    looked at: None for one that is too small."""

    links: tuple[str, ...]
    choices: FitChoices
    settings: FitSettings | None
    wanted: set[int] = field(default_factory=set)
    told: dict[int, ProtrusionOutlook | None] = field(default_factory=dict)


class BudgetEstimates(QObject):
    """Estimates for the links that are asked about; one per window, so that card and panel look
    once."""

    changed = Signal()

    def __init__(self, context: FitContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        #: The last asked about first.
        self._fits: list[_Fit] = []
        self._work = JobSlot(context.window_jobs, quiet=True)
        self._later = after(self, self._look, Wait.BUDGET_ESTIMATES)
        # Another robot may have links of the same names.
        for signal in (context.session.document_opened, context.kind_changed):
            signal.connect(self._forget)
        for signal in (context.kind_changed, context.mount_changed):
            signal.connect(self.changed)

    def stands_out(
        self,
        links: tuple[str, ...],
        total: int,
        choices: FitChoices,
        settings: FitSettings | None = None,
    ) -> ProtrusionOutlook | None:
        """How far the spheres would stand out; None as long as that is not known, which `changed`
        tells.

        `choices`, `settings`: of the fit that would follow.
        """
        fit = next(
            (
                f
                for f in self._fits
                if (f.links, f.choices, f.settings) == (links, choices, settings)
            ),
            None,
        )
        if fit is None:
            fit = _Fit(links, choices, settings)
            self._fits = [fit, *self._fits[: _MOST - 1]]
        if total not in fit.told and total not in fit.wanted:
            fit.wanted.add(total)
            if not self._work.is_running:
                self._later.start()
        return fit.told.get(total)

    def stop(self) -> None:
        """Nothing is looked at until somebody asks again."""
        self._later.stop()
        for fit in self._fits:
            fit.wanted.clear()
        self._work.drop()

    # -- inside

    def _forget(self, *_: object) -> None:
        self.stop()
        self._fits.clear()

    def _look(self) -> None:
        fit = next((f for f in self._fits if f.wanted), None)
        document = self._context.session.document
        if fit is None or self._context.is_comparing or self._context.is_closed:
            return
        meshes = tuple(
            mesh for link in fit.links if (mesh := self._context.mesh(link, whole=True)) is not None
        )
        if not meshes:
            return
        totals = tuple(fit.wanted)
        self._context.warm()
        executor = self._context.robot_executor

        def work(reporter: TaskReporter) -> Mapping[int, ProtrusionOutlook]:
            chosen, _ = with_choices(locate_robot(document), meshes, fit.choices)
            return budget_outlook(
                chosen, totals, fit.settings, executor=executor, cancel=reporter.cancelled
            )

        def done(outlook: Mapping[int, ProtrusionOutlook]) -> None:
            fit.told.update({total: outlook.get(total) for total in totals})
            fit.wanted.difference_update(totals)
            if any(each.wanted for each in self._fits):
                self._later.start()
            self.changed.emit()

        # The fit itself tells what is wrong.
        self._work.run("Estimating budgets", work, done, in_thread=True, failed=lambda _: done({}))
