"""SRDF -> XRDF."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from editor_app.core.formats.exchange.conversion import (
    STATE,
    NeedsChoice,
    Reporter,
    XrdfConversion,
    choose_group,
)
from editor_app.core.formats.exchange.joint_lists import independent_positions
from editor_app.core.model.counting import format_count, format_list
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.guesses import POSITIONS
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.ros_settings import InitialPositions, MotionLimits
from editor_app.core.model.srdf import CollisionMargins, Group, GroupState, Srdf, ToolCenterPoint
from editor_app.core.model.srdf_groups import list_planned_joints
from editor_app.core.model.urdf import Urdf
from editor_app.core.model.xrdf import (
    PLACEHOLDER_ACCELERATION,
    PLACEHOLDER_JERK,
    AddFrame,
    CollisionSection,
    CSpace,
    FixedTransform,
    GeometryGroup,
    LinkPair,
    SelfCollisionSection,
    Xrdf,
    ignore_mapping,
)
from editor_app.core.space.kinematics import transforms

#: An item of reports.
REASONS = "disable_collisions reason"
_PLACEHOLDERS: tuple[tuple[Literal["acceleration", "jerk"], float], ...] = (
    ("acceleration", PLACEHOLDER_ACCELERATION),
    ("jerk", PLACEHOLDER_JERK),
)
#: Names of states that are taken without being asked for, the best first.
_POSTURES = (STATE, "home", "ready")


def to_xrdf(
    srdf: Srdf,
    urdf: Urdf,
    *,
    group: str | None = None,
    state: str | None = None,
    base: Xrdf | None = None,
    settings: tuple[MotionLimits | None, InitialPositions | None] = (None, None),
) -> XrdfConversion:
    """An XRDF that says what an SRDF says. `group` is that whose joints are controlled, `state` its
    posture.

    With `base`, that XRDF is brought up to date: what SRDF knows nothing of stays. `settings`:
    MoveIt's, which have limits of acceleration and jerk, and positions for joints that no state
    has. Raises NeedsChoice when there are several groups that could be meant and none is named, or
    an unknown one is.
    """
    structure = KinematicGraph(urdf)
    out = Reporter("SRDF of Tesseract" if srdf.is_tesseract else "SRDF", "XRDF")
    chosen = choose_group(srdf, structure, group)
    xrdf = base or Xrdf()
    name = xrdf.self_group or xrdf.world_group or f"{urdf.name or 'robot'}_collision_spheres"
    joints = list_planned_joints(srdf, chosen, structure) if chosen is not None else ()
    limits, initial = settings
    xrdf = _cspace_from_group(srdf, xrdf, structure, chosen, joints, limits or MotionLimits(), out)
    begins = initial.joints if initial is not None else FrozenDict[str, float]()
    xrdf = _defaults_from_state(srdf, xrdf, structure, chosen, state, joints, begins, out)
    xrdf = _frames_from_tools(srdf, xrdf, structure, chosen, out)
    disabled = _disabled_pairs(srdf, structure)
    section = _ignore_from_pairs(
        xrdf.self_collision or SelfCollisionSection(name), disabled, urdf, out
    )
    xrdf = _geometry_from_spheres(srdf, xrdf, name, out)
    section = replace(section, geometry=section.geometry or name)
    if srdf.margins is not None:
        frames = tuple(xrdf.spheres_of(name)) or tuple(sorted(structure.links))
        buffers, residual = fit_buffers(srdf.margins, frames)
        if residual > 1e-9:
            detail = (
                f"buffers with the closest sums; the largest error of a pair is {residual:.4g} m"
            )
        else:
            detail = "buffers whose sums are the margins"
        out.translated("collision_margins", detail)
        section = replace(section, buffer_distance=buffers)
    xrdf = replace(
        xrdf,
        self_collision=section,
        world_collision=xrdf.world_collision or CollisionSection(geometry=name),
    )
    _report_rest(srdf, out)
    reasons = FrozenDict({pair: reason for pair, reason in disabled.items() if reason})
    return XrdfConversion(xrdf, out.report(), reasons, guesses=frozenset(out.guesses))


def _report_rest(srdf: Srdf, out: Reporter) -> None:
    """Report the parts of an SRDF that XRDF has no place for."""
    for item, parts in (
        ("end_effector", [e.name for e in srdf.end_effectors]),
        ("virtual_joint", [v.name for v in srdf.virtual_joints]),
        ("passive_joint", list(srdf.passive_joints)),
        ("joint_property", [f"{p.joint}.{p.name}" for p in srdf.joint_properties]),
        ("plugin and calibration configs", list(srdf.configs)),
    ):
        if parts:
            out.lost(item, f"{', '.join(parts)}: XRDF cannot store them; they stay in the SRDF")


def _cspace_from_group(
    srdf: Srdf,
    xrdf: Xrdf,
    structure: KinematicGraph,
    group: Group | None,
    joints: tuple[str, ...],
    limits: MotionLimits,
    out: Reporter,
) -> Xrdf:
    if group is None:
        return xrdf
    for name in srdf.missing_members(group, structure.links, structure.joints):
        out.unread(f"{name} of group {group.name}", "the URDF does not have it")
    if xrdf.cspace is not None and xrdf.cspace.joint_names == joints:
        out.taken(f"group {group.name}", "its joints are already the c-space")
    else:
        xrdf = replace(xrdf, cspace=_cspace(joints, xrdf, structure, limits, out))
        out.translated(f"group {group.name}", f"cspace.joint_names: {', '.join(joints)}")
    for other in srdf.groups:
        if other.name != group.name:
            out.lost(f"group {other.name}", "XRDF has one set of controlled joints")
    return xrdf


def _disabled_pairs(srdf: Srdf, structure: KinematicGraph) -> dict[LinkPair, str]:
    """Pairs of links that are not checked, and the reasons given for that (empty: none).

    As MoveIt's AllowedCollisionMatrix: enable_collisions undoes disable_default_collisions, not
    disable_collisions.
    """
    disabled = {p.pair: p.reason or "" for p in srdf.disabled_pairs if p.link1 != p.link2}
    enabled = {pair.pair for pair in srdf.enabled_pairs}
    # Each link of disable_default_collisions with every other one.
    for link in srdf.default_disabled_links:
        for other in structure.urdf.links:
            pair = LinkPair.of(link, other.name)
            if other.name != link and pair not in enabled:
                disabled.setdefault(pair, "Default")
    return disabled


def _ignore_from_pairs(
    section: SelfCollisionSection, disabled: dict[LinkPair, str], urdf: Urdf, out: Reporter
) -> SelfCollisionSection:
    if not disabled and section.ignore is None:
        return section
    out.translated(
        "disable_collisions", f"{format_count(len(disabled), 'pair')} in self_collision.ignore"
    )
    links = {link.name for link in urdf.links}
    strangers = [pair for pair in disabled if not {pair.first, pair.second} <= links]
    if strangers:
        names = format_list(
            dict.fromkeys(
                n for pair in strangers for n in (pair.first, pair.second) if n not in links
            ),
            6,
        )
        detail = (
            f"{format_count(len(strangers), 'pair')} copied, although the URDF has no such links: "
            f"{names}"
        )
        out.translated("disable_collisions", detail)
    if any(disabled.values()):
        out.kept(REASONS, "as comments: XRDF cannot store reasons")
    if frozenset(disabled) == section.ignored_pairs():
        return section
    return replace(section, ignore=ignore_mapping(disabled, [link.name for link in urdf.links]))


def _geometry_from_spheres(srdf: Srdf, xrdf: Xrdf, name: str, out: Reporter) -> Xrdf:
    if srdf.sphere_approximations:
        total = format_count(sum(map(len, srdf.sphere_approximations.values())), "sphere")
        out.translated("link_sphere_approximation", f"{total} in the geometry group {name}")
        group = xrdf.group(name) or GeometryGroup(name)
        old = {link: group.spheres.get(link) for link in srdf.sphere_approximations}
        replaced = [
            link
            for link, of_link in old.items()
            if of_link and of_link != srdf.sphere_approximations[link]
        ]
        if replaced:
            out.lost(f"spheres of {', '.join(replaced)} in the XRDF", "replaced by the SRDF's")
        for link, of_link in srdf.sphere_approximations.items():
            group = group.with_spheres(link, of_link)
        return xrdf.with_group(group)
    return xrdf.with_group(GeometryGroup(name)) if xrdf.group(name) is None else xrdf


def fit_buffers(
    margins: CollisionMargins, frames: tuple[str, ...]
) -> tuple[FrozenDict[str, float], float]:
    """(frame -> buffer, largest deviation in metres): the buffers b with b1 + b2 nearest to the
    margin of each pair.

    Least squares over all pairs of the n `frames`: the derivative is zero where (n - 2) b + the sum
    of all buffers is the sum of the frame's margins, for each buffer b. Margins that are sums give
    those; otherwise the residual says how far off the worst pair is.
    """
    names = list(dict.fromkeys((*frames, *(n for p in margins.pairs for n in (p.link1, p.link2)))))
    special = {p.pair: p.margin for p in margins.pairs}
    buffers = dict.fromkeys(names, margins.default_margin / 2)
    if not special or len(names) < 2:
        return FrozenDict({n: b for n, b in buffers.items() if b}), 0.0

    def margin(a: str, b: str) -> float:
        return special.get(LinkPair.of(a, b), margins.default_margin)

    wanted = {a: sum(margin(a, b) for b in names if b != a) for a in names}
    if len(names) > 2:
        total = sum(wanted.values()) / (2 * len(names) - 2)
        buffers = {a: (wanted[a] - total) / (len(names) - 2) for a in names}
    else:
        buffers = dict.fromkeys(names, margin(*names) / 2)
    residual = max(
        abs(buffers[a] + buffers[b] - margin(a, b))
        for i, a in enumerate(names)
        for b in names[i + 1 :]
    )
    rounded = {n: round(b, 12) for n, b in buffers.items()}
    return FrozenDict({n: b for n, b in rounded.items() if b}), residual


def _cspace(
    joints: tuple[str, ...],
    xrdf: Xrdf,
    structure: KinematicGraph,
    moveit: MotionLimits,
    out: Reporter,
) -> CSpace:
    """With the limits of the XRDF, else the lower ones of URDF (1.2) and joint_limits.yaml, else
    placeholders."""
    tables = {}
    for kind, placeholder in _PLACEHOLDERS:
        stated: dict[str, float] = {}
        for name in joints:
            both = (structure.joints[name].limit, moveit.joints.get(name))
            values = [value for limit in both if (value := getattr(limit, kind, None)) is not None]
            stated |= {name: min(values)} if values else {}
        of_moveit = [
            name for name in joints if getattr(moveit.joints.get(name), kind, None) is not None
        ]
        if of_moveit:
            out.translated(
                f"joint_limits.yaml: {kind}", f"cspace.{kind}_limits of {', '.join(of_moveit)}"
            )
        stated |= xrdf.limits_of(kind)
        guessed = [name for name in joints if name not in stated]
        if guessed:
            detail = f"no file has them for {', '.join(guessed)}: {placeholder:g} is a placeholder"
            out.translated(f"{kind} limits", detail)
            out.guess(f"{kind}_limits", guessed)
        tables[kind] = tuple(stated.get(name, placeholder) for name in joints)
    return CSpace(joints, tables["acceleration"], tables["jerk"])


def _chosen_state(
    srdf: Srdf, group: Group | None, name: str | None, *, is_needed: bool
) -> GroupState | None:
    """The state of that name, of this group if it has one; without a name a usual one; where one is
    needed, any.

    Raises NeedsChoice when there is none of the name.
    """
    of_group = [s for s in srdf.states if group is None or s.group == group.name]
    if name is not None:
        named = [s for s in (*of_group, *srdf.states) if s.name == name]
        if not named:
            raise NeedsChoice(
                f"The SRDF has no state {name!r}; its states: "
                f"{', '.join(s.name for s in srdf.states)}"
            )
        return named[0]
    states = of_group or list(srdf.states)
    usual = [s for posture in _POSTURES for s in states if s.name.lower() == posture]
    return next(iter(usual or (states if is_needed else ())), None)


def _defaults_from_state(
    srdf: Srdf,
    xrdf: Xrdf,
    structure: KinematicGraph,
    group: Group | None,
    name: str | None,
    joints: tuple[str, ...],
    initial: Mapping[str, float],
    out: Reporter,
) -> Xrdf:
    chosen = _chosen_state(srdf, group, name, is_needed=xrdf.default_joint_positions is None)
    positions = dict(xrdf.default_joint_positions or {})
    before = dict(positions)
    if chosen is not None:
        stated: dict[str, float] = {}
        for joint, values in chosen.positions.items():
            if joint not in structure.joints:
                out.unread(f"{joint} of group_state {chosen.name}", "the URDF has no such joint")
            elif len(values) != 1:
                out.lost(
                    f"{joint} of group_state {chosen.name}", "XRDF stores one number per joint"
                )
            else:
                stated[joint] = values[0]
        positions.update(independent_positions(stated, structure, xrdf.freed_joints, out))
        out.translated(f"group_state {chosen.name}", "default_joint_positions")
    begins = [joint for joint in joints if joint not in positions and joint in initial]
    if begins:
        out.translated("initial_positions.yaml", f"default_joint_positions of {', '.join(begins)}")
    out.guess(
        POSITIONS, (joint for joint in joints if joint not in positions and joint not in initial)
    )
    for joint in joints:
        positions.setdefault(joint, structure.clamped(joint, initial.get(joint, 0.0)))
    for state in srdf.states:
        if state is not chosen:
            out.lost(f"group_state {state.name} of {state.group}", "XRDF has one posture")
    if positions and positions != before:
        xrdf = replace(xrdf, default_joint_positions=FrozenDict(positions))
    return xrdf


def _frames_from_tools(
    srdf: Srdf, xrdf: Xrdf, structure: KinematicGraph, group: Group | None, out: Reporter
) -> Xrdf:
    frames = list(xrdf.tool_frames or ())
    modifiers = list(xrdf.modifiers or ())
    present = {*frames, *(m.frame_name for m in modifiers if isinstance(m, AddFrame))}
    names_of_urdf = structure.links | set(structure.joints)
    base, tip = group.chains[0] if group is not None and group.chains else (None, None)
    if base not in (structure.root, None):
        out.translated(
            f"chain base {base}", "kept in the SRDF only: frames above it stay in the XRDF"
        )
    for tcp in srdf.tcps:
        if group is not None and tcp.group != group.name:
            out.lost(f"tcp {tcp.name} of {tcp.group}", "of another group")
            continue
        if tip is None:
            out.lost(f"tcp {tcp.name}", "its group has no known tip, because it is not a chain")
            continue
        name = tcp.name if tcp.name not in names_of_urdf else f"{tcp.name}_tcp"
        if name not in present:
            transform = FixedTransform(tcp.xyz, _quaternion(tcp))
            modifiers.append(AddFrame(name, tip, f"{name}_joint", transform))
            frames.append(name)
            present.add(name)
        out.translated(f"tcp {tcp.name}", f"add_frame {name} on {tip}, and a tool frame")
    if not frames and tip is not None:
        frames.append(tip)
        out.translated("the tip of the chain", f"tool frame {tip}")
    return replace(
        xrdf,
        tool_frames=tuple(frames) or xrdf.tool_frames,
        modifiers=tuple(modifiers) or xrdf.modifiers,
    )


def _quaternion(tcp: ToolCenterPoint) -> tuple[float, float, float, float]:
    """(w, x, y, z) of unit length; wxyz wins over rpy."""
    norm = math.hypot(*tcp.wxyz) if tcp.wxyz is not None else 0.0
    if tcp.wxyz is not None and norm > 0:
        w, x, y, z = (v / norm for v in tcp.wxyz)
        return w, x, y, z
    return transforms.rpy_to_quaternion(*(tcp.rpy or (0.0, 0.0, 0.0)))
