"""The surfaces of links that the window has loaded: the kind of shapes that stands for a link, as one mesh."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from editor_app.fitting.links import LinkMesh
from editor_app.fitting.settings import Plane
from editor_app.geometry.link_geometry import Kind, LinkGeometry
from editor_app.geometry.mesh import merged
from editor_app.geometry.mount import Mount, mount_of
from editor_app.gui.jobs import Jobs, JobSlot
from editor_app.gui.mesh_store import MeshStore
from editor_app.gui.session import Session
from editor_app.model.xrdf import CollisionSphere
from editor_app.operations.fit import fittable_links
from editor_app.operations.fit_choices import keeps_above
from editor_app.operations.surface_kind import USUAL_GEOMETRY, Geometry, partial_links, surface_kind
from editor_app.tasks.job import as_job

_Arrays = dict[tuple[str, str, frozenset[int]], tuple["LinkGeometry", "LinkMesh"]]


class LinkSurfaces(QObject):
    """One per window; who owns it calls `forget` for another document, and `compare` when shapes may be others."""

    #: It is known now which links have partial collision shapes, or that it cannot be known.
    compared = Signal()

    def __init__(self, session: Session, meshes: MeshStore, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._meshes = meshes
        self._jobs = jobs
        self._arrays: _Arrays = {}
        #: Visual and collision shapes of links as they were compared, and whether the latter are partial.
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
        """Whether it is being found out which collision shapes are partial; `compared` follows."""
        return self._comparing.is_running or (not self._told and self._meshes.is_loading)

    def compare(self) -> bool:
        """Looks in the background at links that were not compared as they are now; False: `compared` will not follow.

        Nothing is done as long as meshes are loaded: their end calls again.
        """
        robot = self._session.robot
        if robot is None or self._meshes.is_loading:
            return False
        links = fittable_links(robot)
        self._comparisons = {link: each for link in links if (each := self._comparison(link)) is not None}
        shapes = {
            link: pair for link in links if link not in self._comparisons and (pair := self._both(link)) is not None
        }
        if not shapes:
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

        self._comparing.run("Comparing shapes", as_job(partial_links, shapes), done, in_thread=True, failed=end)
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

    def mesh(self, link: str, kind: Kind | None, without: frozenset[int] = frozenset()) -> LinkMesh | None:
        """The shapes of a kind in the frame of the link, as one mesh; `without`: shapes that are left out.

        The same object as long as the shapes stay; None when there are none, or they are not loaded yet.
        """
        geometry = self._meshes.geometry(link, kind) if kind is not None else None
        if geometry is None or kind is None:
            return None
        cached = self._arrays.get((kind, link, without))
        if cached is not None and cached[0] is geometry:
            return cached[1]
        parts = [p for p, element in zip(geometry.parts, geometry.elements, strict=True) if element not in without]
        mesh = LinkMesh(link, *merged(parts))
        self._arrays[kind, link, without] = (geometry, mesh)
        return mesh

    def usual(self, link: str) -> LinkMesh | None:
        """What figures of the link's spheres are of; None as long as it is not known which shapes stand for it.

        It follows from the shapes alone, so a file that is opened again has the figures that it was saved with.
        """
        return None if self.is_comparing else self.mesh(link, self.kind(link))

    def measured(self, link: str, spheres: tuple[CollisionSphere, ...]) -> LinkMesh | None:
        """As `usual`; with the plane that the robot stands on, where the spheres of the link stay above it."""
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
        """The plane below the base, from the meshes that are loaded; None for a robot that stands on none."""
        robot = self._session.robot
        if robot is None or self._meshes.is_loading:
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
        """The plane of the mount in the frame of a link; None where the link does not stand on it."""
        mount = self.mount(geometry)
        below = mount.plane(link) if mount is not None else None
        if below is None:
            return None
        return Plane(below.point, below.normal)

    def forget_planes(self) -> None:
        """Other shapes may stand on another plane."""
        self._mounts.clear()
        self._clipped.clear()
