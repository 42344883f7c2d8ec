"""Hook of `mesh_look`: the meshes of a robot in many configurations."""

from __future__ import annotations

from editor_app.core.tasks.work import PlacedRobot, Progress
from editor_app.plugins.planning.verbs.model_cost import MeshVerdicts


def mesh_verdicts(
    placed: PlacedRobot, progress: Progress, seen: frozenset[str] | None, samples: int
) -> MeshVerdicts:
    """Return `MeshVerdicts.of` the robot. Raises NothingToCompare."""
    return MeshVerdicts.of(placed, progress, seen, samples)
