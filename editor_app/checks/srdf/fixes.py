"""The remedies that findings about the SRDF offer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from editor_app.edit.commands import CorrectReference, NameSrdf, SetSrdfGroup, SetStatePositions, Several
from editor_app.model.change import Change
from editor_app.model.frozen import FrozenDict
from editor_app.model.near_names import nearest
from editor_app.model.references import Named
from editor_app.model.srdf import Group, GroupState


def other_name(named: Named, field: str, wrong: str, names: Iterable[str]) -> tuple[Change, ...]:
    """Writes the name that looks most like the one that does not exist, or deletes what refers to it."""
    right = nearest(wrong, names)
    forget = CorrectReference("srdf", named, field, wrong, None)
    return (forget,) if right is None else (CorrectReference("srdf", named, field, wrong, right), forget)


def turned_chain(group: Group, base: str, tip: str) -> Change:
    chains = tuple((tip, base) if chain == (base, tip) else chain for chain in group.chains)
    change = SetSrdfGroup(replace(group, chains=chains), group.name)
    return Several(label="Exchange base and tip", changes=(change,))


def clamped_position(state: GroupState, joint: str, value: float) -> Change:
    change = SetStatePositions(state.name, state.group, FrozenDict({joint: (value,)}))
    return Several(label=f"Write {value:g}, the nearest within the limits", changes=(change,))


def robot_name(name: str) -> Change:
    return NameSrdf(name)
