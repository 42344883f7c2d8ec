"""The verb new: from a bare URDF to a first XRDF, with everything that was guessed.

`BASIC_STEPS` and the steps of plug-ins decide, for every caller, what follows what: draft, spheres,
mask, buffers, pose, reasons, checks.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from editor_app.core.document.document import Document
from editor_app.core.drafting import NOTHING_ASKED, ControlRequest
from editor_app.core.tasks.work import Cancel, Progress, Refused, check_arguments, never, silent
from editor_app.core.verbs.mesh_inputs import mesh_inputs
from editor_app.core.verbs.open import open_robot
from editor_app.features.draft.verbs.new_settings import DRAFT, NewSettings
from editor_app.features.draft.verbs.pipeline import NewXrdf, list_steps, run_steps
from editor_app.features.draft.verbs.steps import BASIC_STEPS, CHECK_STEP

__all__ = ["NewSettings", "NewXrdf", "new"]


@check_arguments
def new(
    *files: str | Path,
    settings: NewSettings = DRAFT,
    control: ControlRequest = NOTHING_ASKED,
    version: str = "1.0",
    packages: Mapping[str, Path] | None = None,
    xacro_arguments: Mapping[str, str] | None = None,
    allow_xacro: bool = False,
    model: str | None = None,
    processes: int | None = 1,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> NewXrdf:
    """Create an XRDF for the URDF (and SRDF) among `files`; an XRDF next to it is left alone.

    `settings`: whether it gets spheres and a mask, and how. `control`: which joints are controlled;
    by default the joints that the SRDF names, else by the structure. `version`: the format's, 1.0
    or 2.0. Raises what `open_robot`, `fit` and `mask` raise, and CannotApply when `control` names
    what is not there.
    """
    document = open_robot(
        *files,
        new_xrdf=True,
        control=control,
        version=version,
        packages=packages,
        xacro_arguments=xacro_arguments,
        allow_xacro=allow_xacro,
        model=model,
        progress=lambda share, text: progress(-1.0, text),
    )
    _refuse(settings, document)
    inputs = (
        document.inputs | mesh_inputs(document)
        if settings.fit or settings.mask
        else document.inputs
    )
    steps = list_steps((*BASIC_STEPS, CHECK_STEP), settings)
    new_xrdf = NewXrdf(document=document, settings=settings, steps=steps, inputs=inputs)
    return run_steps(new_xrdf, processes, progress, cancel)


def _refuse(settings: NewSettings, document: Document) -> None:
    """Raises Refused for settings that cannot be followed."""
    if settings.cost_samples < 0:
        raise Refused("the number of configurations for the cost must not be negative")
    if settings.trust_srdf and (document.robot.srdf is None or not settings.mask):
        raise Refused("trusting the SRDF needs a mask, and an SRDF next to the URDF")
