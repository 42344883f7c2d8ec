"""False and missed collisions of spheres and mask, compared with the meshes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from editor_app.core.model.counting import Share, format_list
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.frozen import brief
from editor_app.core.model.old_arguments import keep_old_argument
from editor_app.core.model.pose import Pose
from editor_app.core.model.xrdf import LinkPair

Names = tuple[str, str]
#: Configurations in which the cost is measured.
COST_SAMPLES = 20_000
#: Links that a sentence names.
_NAMED = 4


@dataclass(frozen=True, slots=True)
class TooFat:
    """A pair whose spheres overlap while no meshes do: in how many configurations, its spheres, one
    of the poses.

    `alone`: configurations that no other pair refuses. `contacts`: the deepest contact of each
    configuration, by the number of configurations; `spheres`: the same by single spheres. `depth`:
    the deepest overlap, metres. `witness`: where it is; `witnesses`: more configurations, spread
    over all of them, with the deepest contact and its depth.
    """

    names: Names
    count: int
    alone: int
    depth: float
    contacts: tuple[tuple[SphereRef, SphereRef | None, int], ...]
    spheres: tuple[tuple[SphereRef, int], ...]
    witness: Pose
    witnesses: tuple[tuple[Pose, SphereRef, SphereRef | None, float], ...]


@dataclass(frozen=True, slots=True)
class Hidden:
    """A pair whose meshes touch while the model sees nothing. `masked`: because the mask leaves it
    out.

    Else the spheres are too thin there, or missing (`without_spheres`).
    """

    names: Names
    count: int
    masked: bool
    without_spheres: bool
    witness: Pose


@dataclass(frozen=True)
class ModelCost:
    """`false_collisions`, `missed_collisions`: configurations of `samples`; `too_fat`, `hidden`:
    worst pairs first.

    `refused`: configurations that the spheres refuse; `touching`: those in which the meshes touch.
    `spheres`: how many needless refusals each sphere has the deepest contact of. `left_out`: pairs
    of meshes that do not count: they are in one rigid group, touch always, or are not moved by the
    c-space. `apart`: pairs of links that count, whose meshes touch in none of the configurations.
    `seen`: links with collision shapes that are compared by what is visible of them.
    """

    samples: int
    seed: int
    refused: int
    touching: int
    false_collisions: int
    missed_collisions: int
    too_fat: tuple[TooFat, ...]
    hidden: tuple[Hidden, ...]
    spheres: tuple[tuple[SphereRef, int], ...]
    left_out: tuple[Names, ...]
    notes: tuple[str, ...]
    apart: frozenset[LinkPair]
    seen: frozenset[str] = frozenset()

    __repr__ = brief

    @property
    def shapes(self) -> str:
        """By which shapes the meshes were compared, in words; empty where they are collision shapes
        alone."""
        return (
            f"compared with the visual geometry of {format_list(sorted(self.seen), _NAMED)}"
            if self.seen
            else ""
        )

    @property
    def needless(self) -> Share:
        """Return the false collisions: configurations that spheres refuse, of all in which no
        meshes touch."""
        return Share(self.false_collisions, self.samples - self.touching)

    @property
    def wrong(self) -> Share:
        """Return the missed collisions: configurations in which meshes touch and no checked spheres
        overlap."""
        return Share(self.missed_collisions, self.touching)


keep_old_argument(ModelCost, "refused_needlessly", "false_collisions")
keep_old_argument(ModelCost, "accepted_wrongly", "missed_collisions")


def with_old_keys(record: dict[str, Any]) -> dict[str, Any]:
    """Return a report with the shares under their keys of release 0.9, too; release 0.11 drops
    those."""
    return record | {
        "refused_needlessly": record["false_collisions"],
        "accepted_wrongly": record["missed_collisions"],
    }
