"""TEST021, 022: signatures of ignored pairs that a change of the robot withdrew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from editor_app.core.formats.xrdf.mask_reasons import read_reasons
from editor_app.core.model.findings import Finding
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.tasks.work import PlacedRobot
from editor_app.features.checks.engine.rule import WARNING, CheckContext, flaw, rule
from editor_app.features.checks.rules.xrdf.sampled import find_mask_entry
from editor_app.plugins.robot_tests.verbs.signatures import pair_digests, read_signature

_INPUTS = "robot mappings urdf_path has_urdf"


def _withdrawn(c: CheckContext, reasons: Mapping[LinkPair, str]) -> Iterator[tuple[LinkPair, str]]:
    """Yield the pairs whose signature no longer holds, each with a sentence."""
    placed = PlacedRobot(c.robot, c.urdf_path, c.mappings)
    for pair, reason in reasons.items():
        signature = read_signature(reason)
        if signature is None or not (signature.digests or signature.is_damaged):
            continue
        changed = signature.changed_parts(pair_digests(placed, pair))
        if changed:
            yield (
                pair,
                f"the signature of {pair.first!r} and {pair.second!r} ({signature.told}) is "
                "withdrawn: "
                f"{' and '.join(changed)} changed since. Decide again, and sign with `xrdf-editor "
                "sign`",
            )


@rule(
    "TEST021", "A signature in the XRDF is withdrawn", "self_collision", f"source {_INPUTS}",
    needs_urdf=True,
)  # fmt: skip
def signatures_in_the_xrdf_hold(c: CheckContext) -> Iterable[Finding]:
    if c.source is None or c.self_collision is None:
        return
    for pair, message in _withdrawn(c, read_reasons(c.source)):
        path = find_mask_entry(c.self_collision, pair.first, pair.second)
        yield flaw(WARNING, message, path, links=(pair.first, pair.second))


@rule(
    "TEST022", "A signature in the SRDF is withdrawn", "srdf", f"srdf {_INPUTS}",
    needs_urdf=True, file="srdf",
)  # fmt: skip
def signatures_in_the_srdf_hold(c: CheckContext) -> Iterable[Finding]:
    if c.srdf is None:
        return
    reasons = {each.pair: each.reason or "" for each in c.srdf.disabled_pairs}
    rows = {each.pair: row for row, each in enumerate(c.srdf.disabled_pairs)}
    for pair, message in _withdrawn(c, reasons):
        yield flaw(
            WARNING, message, ("disabled_pairs", rows[pair]), links=(pair.first, pair.second)
        )
