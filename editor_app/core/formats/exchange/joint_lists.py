"""Robot files that list joints, as cuRobo's and Lula's do: numbers in that order, one base. All is
reported."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.model.guesses import PLACEHOLDERS, POSITIONS
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.xrdf import SetBaseFrame
from editor_app.core.text.yaml.plain import read_finite_number, read_finite_numbers

#: Radians or metres: positions nearer than this are one position, written with fewer digits.
_NEAR = 1e-4


def complete_default_positions(
    value: object, item: str, joints: Sequence[str], graph: KinematicGraph | None, out: Reporter
) -> dict[str, float]:
    """Return the position of each joint (rad, m): if the file lacks numbers, the limit nearest to
    zero or zero."""
    values = read_finite_numbers(value, len(joints))
    if values is not None:
        out.translated(item, "default_joint_positions, by name")
        return dict(zip(joints, values, strict=True))
    if value is None:
        out.translated(item, "absent: every joint as near to 0 as its limits allow")
    else:
        out.unread(item, f"it needs one number for each of the {len(joints)} joints")
    out.guess(POSITIONS, joints)
    return {name: graph.clamped(name) if graph is not None else 0.0 for name in joints}


def independent_positions(
    positions: Mapping[str, float],
    graph: KinematicGraph | None,
    freed: Collection[str],
    out: Reporter,
) -> dict[str, float]:
    """Return the positions (joint -> rad, m) that an XRDF holds: none of a joint that mimics
    another or cannot move.

    `freed`: mimic joints that a modifier makes independent. A position that its leader does not
    give is reported.
    """
    independent = dict(positions)
    for name, value in positions.items():
        joint = graph.joints.get(name) if graph is not None else None
        if (
            joint is None
            or graph is None
            or (joint.is_movable and (joint.mimic is None or name in freed))
        ):
            continue
        del independent[name]
        if not joint.is_movable:
            out.lost(f"position of {name}", f"the joint is {joint.type}")
            continue
        assert joint.mimic is not None
        leader = joint.mimic.joint
        follows = (
            joint.mimic.multiplier * positions.get(leader, graph.clamped(leader))
            + joint.mimic.offset
        )
        if abs(value - follows) > _NEAR:
            out.lost(
                f"position {value:g} of {name}",
                f"the joint mimics {leader}, which places it at {follows:g}",
            )
    return independent


def read_limits(
    value: object, item: str, listed: Sequence[str], active: Sequence[str], key: str, out: Reporter
) -> tuple[float, ...]:
    """One for each of the `active` joints, from one number for all or a list for these or for all
    that are `listed`.

    `key`: the limits of the XRDF. Without a number for each, they are placeholders.
    """
    one, many = read_finite_number(value), read_finite_numbers(value)
    if one is not None:
        out.translated(item, f"{one:g} for each joint")
        return (one,) * len(active)
    if many is not None and len(many) == len(active):
        out.taken(item)
        return many
    if many is not None and len(many) == len(listed):
        out.taken(item)
        by_name = dict(zip(listed, many, strict=True))
        return tuple(by_name[name] for name in active)
    placeholder = PLACEHOLDERS[key]
    if value is None:
        out.translated(item, f"absent: {placeholder:g} is a placeholder")
    else:
        count = f"one number is needed for each of the {len(listed)} joints"
        out.unread(item, f"{count}; {placeholder:g} is a placeholder")
    out.guess(key, active)
    return (placeholder,) * len(active)


def base_of(
    value: object, item: str, graph: KinematicGraph | None, out: Reporter
) -> tuple[SetBaseFrame, ...]:
    """Return a modifier if the file's base is not the root of the URDF."""
    if not isinstance(value, str):
        if value is not None:
            out.unread(item, f"{value!r} is not a link name")
        return ()
    if graph is not None and value == graph.root:
        out.taken(item, "the root of the URDF")
        return ()
    out.translated(item, f"set_base_frame {value}")
    return (SetBaseFrame(value),)
