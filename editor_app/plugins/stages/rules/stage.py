"""ISAAC001 to 004: the USD of a robot, which Isaac Sim simulates, against URDF and XRDF, which
cuMotion plans with."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from editor_app.core.formats.exchange.import_notes import read_import_note
from editor_app.core.model.findings import Finding
from editor_app.core.model.profile import Profile
from editor_app.core.text.source import FormatError, SourceText
from editor_app.features.checks.engine.rule import INFO, CheckContext, flaw, rule
from editor_app.plugins.stages.verbs.stage_differences import stage_differences

_ENDINGS = (".usd", ".usda", ".usdc", ".usdz")


@rule(
    "ISAAC001", "The USD has other links or joints than the URDF", "urdf", "urdf urdf_path urdf_source xrdf profile",
    slow=True, file="urdf", profile=Profile.ISAAC,
    also={
        "ISAAC002": "The USD moves otherwise than the URDF",
        "ISAAC003": "A mass or inertia of the USD differs from the URDF",
        "ISAAC004": "Other pairs may touch in the USD than in the XRDF",
    },
)  # fmt: skip
def the_usd_next_to_the_urdf_is_the_same_robot(c: CheckContext) -> Iterable[Finding]:
    usd = _find_usd(c)
    if usd is None:
        return
    try:
        yield from stage_differences(c, usd)
    except FormatError as error:
        yield flaw(INFO, f"{usd.name} is not compared: {error}")


def _find_usd(c: CheckContext) -> Path | None:
    """The USD that the URDF was imported from, else the one of its name in its folder."""
    if c.urdf_path is None:
        return None
    try:
        source = c.urdf_source.source if c.urdf_source is not None else SourceText.read(c.urdf_path)
        note = read_import_note(source)
    except FormatError:
        note = None
    if note is not None and note.path.is_file():
        return note.path
    candidates = (c.urdf_path.with_suffix(ending) for ending in _ENDINGS)
    return next((path for path in candidates if path.is_file()), None)
