"""One fit of some links: the verb in a thread, its work in the window's processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from editor_app.gui.jobs import ThreadReport

if TYPE_CHECKING:
    from editor_app.fitting.links import LinkFit, LinkMesh
    from editor_app.fitting.settings import FitSettings
    from editor_app.model.robot import RobotDescription
    from editor_app.operations.fit_choices import FitChoices
    from editor_app.tasks.executor import ProcessExecutor


@dataclass(frozen=True, slots=True)
class FitNews:
    """What is told while a fit runs: a sentence, the share of the work of links that is done, or finished fits."""

    sentence: str = ""
    links: tuple[str, ...] = ()
    share: float = 0.0
    fits: tuple[LinkFit, ...] = ()


@dataclass(frozen=True, slots=True)
class FitRun:
    """Called in a thread; its partial results are FitNews.

    `total`: spheres to share out; None: every mesh gets the settings as they are.
    """

    robot: RobotDescription
    urdf_path: Path | None
    packages: Mapping[str, Path]
    meshes: tuple[LinkMesh, ...]
    settings: FitSettings
    total: int | None
    choices: FitChoices
    executor: ProcessExecutor

    def __call__(self, report: ThreadReport) -> None:
        from editor_app.operations.fit import fit_meshes
        from editor_app.operations.fit_choices import with_choices

        shares = {mesh.link: 0.0 for mesh in self.meshes}

        def tell(fraction: float, sentence: str) -> None:
            report.tell(fraction, f"{sum(share >= 1 for share in shares.values())} of {len(shares)} links")
            report.partial(FitNews(sentence))

        def tell_links(links: tuple[str, ...], share: float) -> None:
            shares.update(dict.fromkeys(links, share))
            report.partial(FitNews(links=links, share=share))

        meshes, _ = with_choices(self.robot, self.urdf_path, self.packages, self.meshes, self.choices)
        fit_meshes(
            meshes,
            self.settings,
            self.total,
            executor=self.executor,
            progress=tell,
            cancel=report.is_cancelled,
            on_links=tell_links,
            on_fits=lambda fits: report.partial(FitNews(fits=tuple(fits))),
        )
