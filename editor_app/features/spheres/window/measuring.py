"""Measures the spheres of all links in the background, one link after the other, again when they
were edited."""

from __future__ import annotations

import time
from collections.abc import Mapping

from PySide6.QtCore import QObject

from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.tasks.task import Task
from editor_app.core.tasks.worker import JobError
from editor_app.features.spheres.engine.links import LinkMesh
from editor_app.features.spheres.verbs.link_figures import (
    LinkFigures,
    find_figures,
    measure_figures,
)
from editor_app.features.spheres.verbs.surface_kind import surface_words
from editor_app.features.spheres.window.context import FitContext
from editor_app.window.jobs import JobSlot
from editor_app.window.link_quality import LinkQuality, ShownQuality
from editor_app.window.timers import Wait, after

Spheres = tuple[CollisionSphere, ...]

#: Milliseconds after the first complete frame: a user who opens a robot looks at it, and moves it,
#: first. Figures that are kept on disk are shown at once.
AT_FIRST = 1200


class QualityMeter(QObject):
    """Fills a `LinkQuality`. Idle until `begin`; then it follows the session."""

    def __init__(
        self, context: FitContext, quality: LinkQuality, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._session = context.session
        self._quality = quality
        self._begun = False
        self._ended = False
        self._not_before = 0.0
        #: What was measured last, and of what.
        self._figures: dict[str, tuple[LinkMesh, Spheres, LinkFigures]] = {}
        #: Links whose figures are of a fit, before its spheres were rounded to be written.
        self._unwritten: set[str] = set()
        #: Links that were looked for on disk as they are now.
        self._looked: dict[str, tuple[LinkMesh, Spheres]] = {}
        self._work = JobSlot(context.window_jobs, quiet=True)
        self._timer = after(self, self._go_on, Wait.MEASURING)
        session = self._session
        session.document_opened.connect(self._on_opened)
        # What is shown is out of date at once; measuring anew waits for the timer.
        session.robot_changed.connect(self._on_robot)
        session.active_group_changed.connect(self._check)
        # While a robot is opened each of them is emitted, some once per link: all links are looked
        # at once.
        meshes = context.meshes
        signals = (
            context.kind_changed,
            context.mount_changed,
            meshes.geometry_changed,
            meshes.finished,
        )
        for signal in signals:
            signal.connect(self._check_later)
        self._soon = after(self, self._check, Wait.MEASURED_FIGURES)

    @property
    def is_busy(self) -> bool:
        return self._work.is_running or self._timer.isActive() or self._soon.isActive()

    def begin(self) -> None:
        """From now on what is not known is measured; nothing after `stop`."""
        if not self._begun and not self._ended:
            self._begun = True
            self._not_before = time.monotonic() + AT_FIRST / 1000
            self._timer.start(0)

    def stop(self) -> None:
        """For good: frames that are drawn and meshes that are loaded afterwards start nothing."""
        self._ended = True
        self._begun = False
        self._timer.stop()
        self._soon.stop()

    def take(self, results: Mapping[str, tuple[LinkMesh | None, Spheres, LinkFigures]]) -> None:
        """Use figures that a fit has measured: shown at once, and measured again for the spheres as
        written.

        A file has its digits rounded, which can turn the last one of a figure; who opens it
        measures these.
        """
        for link, (fitted_to, spheres, figures) in results.items():
            mesh = self._context.measured_mesh(link)
            # Figures of a part of the link, or of other shapes, say nothing about what is measured;
            # figures of a fit count what rests on the mount.
            if mesh is not None and mesh is fitted_to:
                self._figures[link] = (mesh, spheres, figures)
                self._unwritten.add(link)
        self._check()

    # -- following

    def _on_opened(self, document: object) -> None:
        self._figures.clear()
        self._unwritten.clear()
        self._looked.clear()
        self._quality.show({})
        self._check_later()

    def _on_robot(self, old: RobotDescription, new: RobotDescription) -> None:
        changed = old.xrdf.geometry is not new.xrdf.geometry or old.urdf is not new.urdf
        if changed and not self._follow_moved(old, new):
            self._check()

    def _follow_moved(self, old: RobotDescription, new: RobotDescription) -> bool:
        """Only figures of links whose spheres are others are out of date; False where more than
        that changed."""
        name = self._context.group
        one, other = old.xrdf.group(name), new.xrdf.group(name)
        if (
            old.urdf is not new.urdf
            or one is None
            or other is None
            or one.spheres.keys() != other.spheres.keys()
        ):
            return False
        moved = {
            link for link, spheres in other.spheres.items() if spheres is not one.spheres[link]
        }
        if not all(one.spheres[link] and other.spheres[link] for link in moved):
            return False
        shown = {
            link: self._shown(link, self._context.present(link))
            for link in moved
            if self._quality.of(link)
        }
        if shown:
            self._quality.update(shown)
            if self._begun:
                self._timer.start(max(Wait.MEASURING, self._timer.remainingTime()))
        return True

    def _shown(self, link: str, spheres: Spheres) -> ShownQuality:
        measured = self._figures.get(link)
        current = (
            measured is not None
            and measured[1] == spheres
            and (self._context.measured_mesh(link) is measured[0])
        )
        kind = self._context.surfaces.kind(link)
        return ShownQuality(
            measured[2] if measured is not None else None, current, surface_words(kind, kind)
        )

    def _check_later(self, *_: object) -> None:
        if not self._ended:
            self._soon.start()

    def _check(self, *_: object) -> None:
        """Shows what is known, and sees to the rest after a while."""
        self._soon.stop()
        shown, waits = {}, False
        for link in self._context.measurable_links():
            spheres = self._context.present(link)
            shown[link] = self._shown(link, spheres)
            waits = waits or not shown[link].current or link in self._unwritten
        self._quality.show(shown)
        if waits and self._begun:
            self._timer.start(max(Wait.MEASURING, self._timer.remainingTime()))
        else:
            self._timer.stop()

    # -- measuring

    def _waiting(self) -> list[tuple[LinkMesh, Spheres]]:
        """The selected links first, then as they stand in the tree; last what is shown as of a
        fit."""
        chosen = set(self._session.selection.frames)
        stale = [
            k
            for k in self._quality.links
            if (s := self._quality.of(k)) is not None and not s.current
        ]
        links = stale + [k for k in self._quality.links if k in self._unwritten and k not in stale]
        links.sort(key=lambda link: (link not in stale, link not in chosen))
        return [
            (mesh, self._context.present(k))
            for k in links
            if (mesh := self._context.measured_mesh(k)) is not None
        ]

    def _go_on(self) -> None:
        if self._work.is_running or not self._begun:
            return
        if not self._session.is_settled:
            # Something is dragged: nobody asks what waits before it rests.
            self._timer.start(Wait.MEASURING)
            return
        waiting = self._waiting()
        if not waiting:
            return
        unseen = [(m, s) for m, s in waiting if self._looked.get(m.link) != (m, s)]
        if unseen:

            def take(figures: dict[str, LinkFigures]) -> None:
                for mesh, spheres in unseen:
                    self._looked[mesh.link] = (mesh, spheres)
                    if mesh.link in figures:
                        self._take(mesh, spheres, figures[mesh.link])
                self._check()
                self._go_on()

            search = Task(find_figures, tuple(unseen))
            self._work.run("Measuring coverage", search, take, in_thread=True, failed=self._failed)
        elif self._context.is_previewing or time.monotonic() < self._not_before:
            # Somebody waits for that, or for the view to move; this can wait.
            self._timer.start(Wait.MEASURING)
        else:
            mesh, spheres = waiting[0]

            def done(figures: LinkFigures) -> None:
                self._take(mesh, spheres, figures)
                self._check()
                self._go_on()

            work = Task(measure_figures, mesh, spheres)
            self._work.run(
                "Measuring", work, done, jobs=self._context.preview_jobs, failed=self._failed
            )

    def _take(self, mesh: LinkMesh, spheres: Spheres, figures: LinkFigures) -> None:
        """Figures of another robot, or of spheres that are gone, are dropped."""
        if self._context.measured_mesh(mesh.link) is mesh:
            self._figures[mesh.link] = (mesh, spheres, figures)
            self._unwritten.discard(mesh.link)

    def _failed(self, error: JobError) -> None:
        # Told once, not after every edit.
        self.stop()
        self._context.window_jobs.failed_unexpectedly.emit(None, error)
