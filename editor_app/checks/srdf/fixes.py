"""The remedies that findings about the SRDF offer."""

from __future__ import annotations

from editor_app.edit.commands import Several
from editor_app.edit.commands.srdf_pairs import DeleteExceptions, SetSrdfPairs
from editor_app.model.change import Change
from editor_app.model.srdf import CollisionPair
from editor_app.model.xrdf import LinkPair


def delete_disabled_pair(pair: CollisionPair) -> Change:
    both = LinkPair.of(pair.link1, pair.link2)
    return Several(label=f"Delete the pair {pair.link1}, {pair.link2}", changes=(SetSrdfPairs(checked=(both,)),))


def delete_enabled_pair(pair: CollisionPair) -> Change:
    return DeleteExceptions((LinkPair.of(pair.link1, pair.link2),))
