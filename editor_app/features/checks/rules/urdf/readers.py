"""URDF091 to 093: what the program of the profile refuses, changes and ignores of the features that
this robot has."""

from __future__ import annotations

from collections.abc import Iterable

from editor_app.core.model.findings import Finding, Location
from editor_app.features.checks.engine.readers import SOURCES, Fact, Treatment, Use, sentence, uses
from editor_app.features.checks.engine.rule import CheckContext, flaw, rule

_CODES = {Treatment.REFUSED: "URDF091", Treatment.CHANGED: "URDF092", Treatment.IGNORED: "URDF093"}


@rule(
    "URDF091",
    "Refused by the program that reads it",
    "urdf",
    "urdf urdf_source profile",
    file="urdf",
    also={
        "URDF092": "Changed by the program that reads it",
        "URDF093": "Ignored by the program that reads it",
    },
)
def as_it_is_read(c: CheckContext) -> Iterable[Finding]:
    told: dict[Fact, set[str]] = {}
    for use in uses(c) if c.profile in SOURCES else ():
        fact = use.feature.fact(c.profile)
        # One refusal of the same links is enough: a mesh is not among the shapes, and it is an STL.
        is_repeated = fact.treatment is Treatment.REFUSED and told.setdefault(fact, set()) >= set(
            use.names
        )
        if fact.treatment is Treatment.READ or is_repeated:
            continue
        told.setdefault(fact, set()).update(use.names)
        of = use.feature.of
        yield flaw(
            fact.severity,
            sentence(use, c.profile),
            links=use.names if of == "links" else (),
            joints=use.names if of == "joints" else (),
            location=_place(c, use),
            code=_CODES[fact.treatment],
        )


def _place(c: CheckContext, use: Use) -> Location | None:
    if c.urdf_source is None or use.feature.of == "robot":
        return None
    of_name = (
        c.urdf_source.link_location if use.feature.of == "links" else c.urdf_source.joint_location
    )
    return of_name(use.names[0])
