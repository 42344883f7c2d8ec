"""SRDF040: pairs that the SRDF leaves out of collision checking, although their meshes collide."""

from __future__ import annotations

from collections.abc import Iterable

from editor_app.core.document.commands import MaskFile, SetMask
from editor_app.core.document.commands.srdf import SrdfMask
from editor_app.core.model.findings import Finding
from editor_app.features.checks.engine.fixes import offer
from editor_app.features.checks.engine.rule import WARNING, CheckContext, flaw, rule
from editor_app.features.checks.rules.xrdf.sampled import load_solids
from editor_app.features.masks.engine.meshes import count_touches, meshes_available
from editor_app.features.masks.engine.results import PairClass

#: Configurations in which a pair is looked at.
_SAMPLES = 1024


@rule(
    "SRDF040",
    "A disabled pair collides by its meshes",
    "srdf",
    "srdf urdf urdf_path mappings modifiers geometry",
    file="srdf",
    slow=True,
)
def disabled_pairs_hide_no_collision(c: CheckContext) -> Iterable[Finding]:
    """Pairs that always touch, or never move against each other, are left out."""
    if c.srdf is None or not meshes_available():
        return
    meshes = load_solids(c)
    if meshes is None:
        return
    pairs = meshes.model.link_pairs
    always = {pairs[row] for row in meshes.always.tolist()}
    asked = SrdfMask.of(c.srdf).within(pairs) & meshes.model.pair_index.keys() - always
    if not asked:
        return
    counted = count_touches(meshes, asked, _SAMPLES, on_progress=c.tick)
    for each in sorted((counted[pair] for pair in sorted(asked)), key=lambda e: -e.hits):
        if not each.hits:
            continue
        message = (
            f"{each.first!r} and {each.second!r} are disabled, but their meshes touch in "
            f"{each.hits:,} of "
            f"{each.samples:,} random configurations. MoveIt misses these collisions: check the "
            "pair, or narrow "
            "the limits of the joints between."
        )
        # Checked, they would collide where the robot stands, or all along their joint.
        is_needed = each.kind is PairClass.ADJACENT or each.clearance_default <= 0.0
        again = offer(
            f"Check {each.first} and {each.second} again",
            SetMask(MaskFile.SRDF, checked=(each.pair,)),
        )
        yield flaw(
            WARNING, message, links=(each.first, each.second), fixes=() if is_needed else (again,)
        )
