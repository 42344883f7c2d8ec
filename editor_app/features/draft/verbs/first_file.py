"""The window's first file: what the verb `new` makes of a URDF, as a job and one step of the open
document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editor_app.core.document.document import Document
from editor_app.core.document.state import SETTINGS
from editor_app.core.drafting import ControlPlan
from editor_app.core.formats.file_part import FilePart
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.tasks.task import Task, TaskReporter
from editor_app.core.tasks.work import never
from editor_app.features.draft.verbs.new_settings import WHOLE, NewSettings
from editor_app.features.draft.verbs.pipeline import NewXrdf, list_steps, run_steps
from editor_app.features.draft.verbs.steps import BASIC_STEPS
from editor_app.features.spheres.verbs.fit import FittedLink
from editor_app.features.spheres.verbs.fit_choices import FIRST_FILE_STEP


@dataclass(frozen=True, slots=True)
class WriteFirstFile:
    """The step that gives a draft everything that `new` writes.

    `links`: the fits of its spheres. `plan`: the plan of its controlled joints.
    """

    text: str
    links: tuple[FittedLink, ...]
    plan: ControlPlan | None = None
    label: str = FIRST_FILE_STEP

    def apply_text(self, text: str) -> str:
        """The text of the first file, in the place of the draft's."""
        return self.text


def first_file_job(
    document: Document, settings: NewSettings = WHOLE
) -> Callable[[TaskReporter], WriteFirstFile]:
    """A job: `WriteFirstFile` for the robot of a document as it is now, with the bytes of `new`.
    Raises as `new`."""
    settings_read = (part for kind, part in document.state.parts.items() if kind in SETTINGS)
    parts = (document.urdf_now, document.xrdf_now, document.srdf_now, *settings_read)
    is_new = document.xrdf_digest is None
    return Task(
        _first_file, parts, FrozenDict(document.packages), document.first_plan, settings, is_new
    )


def _first_file(
    reporter: TaskReporter,
    parts: tuple[FilePart[Any] | None, ...],
    packages: FrozenDict[str, Path],
    plan: ControlPlan | None,
    settings: NewSettings,
    is_new: bool,
) -> WriteFirstFile:
    document = Document(*parts, xrdf_is_new=is_new, first_plan=plan)
    document.packages = packages
    new_xrdf = NewXrdf(
        document=document, settings=settings, steps=list_steps(BASIC_STEPS, settings)
    )
    fitted = run_steps(new_xrdf, 1, reporter.progress, never).fit
    return WriteFirstFile(
        document.xrdf_text, fitted.links if fitted is not None else (), document.first_plan
    )
