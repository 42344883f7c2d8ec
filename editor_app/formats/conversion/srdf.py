"""XRDF <-> SRDF: ignored pairs with their reasons, controlled joints, postures, tools, bases, spheres, margins.

What corresponds to what, and what is lost, is the table in the project's notes on formats; the model-level part is
here, so that it holds for files and for what is open in the window alike.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from editor_app.formats.conversion.report import ConversionReport, Reporter, counted
from editor_app.formats.conversion.structure import Structure
from editor_app.model.frozen import FrozenDict
from editor_app.model.robot import RobotDescription
from editor_app.model.srdf import (
    CollisionMargins,
    CollisionPair,
    EndEffector,
    Group,
    GroupState,
    PairMargin,
    Srdf,
    ToolCenterPoint,
)
from editor_app.model.urdf import Urdf
from editor_app.model.xrdf import (
    AddFrame,
    CollisionSection,
    CSpace,
    FixedTransform,
    GeometryGroup,
    LinkPair,
    SelfCollisionSection,
    SetBaseFrame,
    Xrdf,
)

#: What pairs get as reason that the XRDF masks without saying why.
ADJACENT, UNKNOWN = "Adjacent", "User"
GROUP, STATE = "manipulator", "default"
PLACEHOLDER_ACCELERATION, PLACEHOLDER_JERK = 10.0, 500.0


@dataclass(frozen=True, slots=True)
class SrdfConversion:
    srdf: Srdf
    report: ConversionReport


@dataclass(frozen=True, slots=True)
class XrdfConversion:
    """`reasons` are for comments: XRDF has no place for them."""

    xrdf: Xrdf
    report: ConversionReport
    reasons: FrozenDict[LinkPair, str] = FrozenDict()


class NeedsChoice(ValueError):
    """The conversion needs a decision; the message lists the choices."""


def to_srdf(
    robot: RobotDescription,
    reasons: Mapping[LinkPair, str] | None = None,
    *,
    base: Srdf | None = None,
    tesseract: bool = False,
) -> SrdfConversion:
    """An SRDF that says what the XRDF of `robot` says.

    With `base`, an SRDF that is there already is brought up to date: what XRDF knows nothing of stays in it, and a pair
    that stays disabled keeps its reason.

    `reasons` are those of masked pairs (from comments). `tesseract` writes margins, which MoveIt does not read.
    """
    xrdf, structure = robot.xrdf, Structure(robot.urdf)
    out = Reporter(f"XRDF {xrdf.format_version}", "SRDF of Tesseract" if tesseract else "SRDF")
    srdf = base or Srdf(name=robot.urdf.name, version="1.0.0" if tesseract else None)
    links = structure.links
    added = {m.frame_name: m for m in xrdf.modifiers or () if isinstance(m, AddFrame)}
    srdf = _group_from_cspace(srdf, xrdf, structure, out)
    srdf = _state_from_defaults(srdf, xrdf, structure, out)
    srdf = _tools_from_frames(srdf, xrdf, structure, added, tesseract, out)
    srdf = _pairs_from_ignore(srdf, xrdf, structure, reasons or {}, out)
    spheres = {f: s for f, s in xrdf.spheres_of(xrdf.self_group or xrdf.world_group).items() if s and f in links}
    gone = [f for f, s in xrdf.spheres_of(xrdf.self_group or xrdf.world_group).items() if s and f not in links]
    if spheres:
        srdf = replace(srdf, sphere_approximations=FrozenDict(spheres))
        out.translated("geometry", f"{counted(sum(map(len, spheres.values())), 'sphere')} as link_sphere_approximation")
    if gone:
        out.lost("geometry", f"spheres of frames that are no links of the URDF: {', '.join(gone)}")
    if xrdf.world_group != xrdf.self_group and xrdf.world_group is not None and xrdf.self_group is not None:
        out.lost(f"geometry.{xrdf.world_group}", "SRDF has one set of spheres; that for self-collision was taken")
    srdf = _margins_from_buffers(srdf, xrdf, structure, tesseract, out)
    if xrdf.cspace is not None and xrdf.cspace.acceleration_limits:
        out.lost("cspace.acceleration_limits, cspace.jerk_limits", "SRDF has no place for them")
    for modifier in xrdf.modifiers or ():
        if isinstance(modifier, SetBaseFrame):
            out.translated("set_base_frame", f"{modifier.frame} is the base of the group's chain, where it is one")
        elif isinstance(modifier, AddFrame) and modifier.frame_name not in (xrdf.tool_frames or ()):
            out.lost(f"add_frame {modifier.frame_name}", "SRDF cannot add frames")
        elif not isinstance(modifier, AddFrame):
            out.lost("remove_mimic_attributes", "SRDF cannot free joints")
    return SrdfConversion(srdf, out.report())


def to_xrdf(
    srdf: Srdf, urdf: Urdf, *, group: str | None = None, state: str | None = None, base: Xrdf | None = None
) -> XrdfConversion:
    """An XRDF that says what an SRDF says. `group` is that whose joints are controlled, `state` its posture.

    With `base`, that XRDF is brought up to date: what SRDF knows nothing of stays. Raises NeedsChoice when there are
    several groups that could be meant and none is named, or an unknown one is.
    """
    structure = Structure(urdf)
    out = Reporter("SRDF of Tesseract" if srdf.is_tesseract else "SRDF", "XRDF")
    chosen = choose_group(srdf, structure, group)
    xrdf = base or Xrdf()
    name = xrdf.self_group or xrdf.world_group or f"{urdf.name or 'robot'}_collision_spheres"
    joints = group_joints(srdf, chosen, structure) if chosen is not None else ()
    if chosen is not None:
        same = xrdf.cspace is not None and xrdf.cspace.joint_names == joints
        if same:
            out.taken(f"group {chosen.name}", "its joints are those of the c-space already")
        else:
            xrdf = replace(xrdf, cspace=_cspace(joints, xrdf.cspace, structure, out))
            out.translated(f"group {chosen.name}", f"cspace.joint_names: {', '.join(joints)}")
        for other in srdf.groups:
            if other.name != chosen.name:
                out.lost(f"group {other.name}", "XRDF has one set of controlled joints")
    xrdf = _defaults_from_state(srdf, xrdf, structure, chosen, state, joints, out)
    xrdf = _frames_from_tools(srdf, xrdf, structure, chosen, out)
    ignored = {LinkPair.of(p.link1, p.link2): p.reason or "" for p in srdf.disabled_pairs if p.link1 != p.link2}
    ignored.update(_default_disabled(srdf, structure, set(ignored)))
    for pair in srdf.enabled_pairs:
        ignored.pop(LinkPair.of(pair.link1, pair.link2), None)
    section = xrdf.self_collision or SelfCollisionSection(name)
    if ignored or section.ignore is not None:
        if frozenset(ignored) != section.ignored_pairs():
            section = replace(section, ignore=ignore_mapping(ignored, urdf))
        out.translated("disable_collisions", f"{counted(len(ignored), 'pair')} in self_collision.ignore")
        if any(ignored.values()):
            out.kept("disable_collisions reason", "as comments: XRDF has no place for reasons")
    if srdf.sphere_approximations:
        xrdf = xrdf.with_group(GeometryGroup(name, srdf.sphere_approximations))
        total = counted(sum(map(len, srdf.sphere_approximations.values())), "sphere")
        out.translated("link_sphere_approximation", f"{total} in the geometry group {name}")
    elif xrdf.group(name) is None:
        xrdf = xrdf.with_group(GeometryGroup(name))
    section = replace(section, geometry=section.geometry or name)
    if srdf.margins is not None:
        buffers, residual = fit_buffers(srdf.margins, tuple(xrdf.spheres_of(name)) or tuple(sorted(structure.links)))
        section = replace(section, buffer_distance=buffers)
        if residual > 1e-9:
            detail = f"buffers whose sums come nearest; the worst pair is off by {residual:.4g} m"
        else:
            detail = "buffers whose sums are the margins"
        out.translated("collision_margins", detail)
    xrdf = replace(
        xrdf, self_collision=section, world_collision=xrdf.world_collision or CollisionSection(geometry=name)
    )
    for what, items in (
        ("end_effector", [e.name for e in srdf.end_effectors]),
        ("virtual_joint", [v.name for v in srdf.virtual_joints]),
        ("passive_joint", list(srdf.passive_joints)),
        ("joint_property", [f"{p.joint}.{p.name}" for p in srdf.joint_properties]),
        ("plugin and calibration configs", list(srdf.configs)),
    ):
        if items:
            out.lost(what, f"{', '.join(items)}: XRDF has no place for them; they stay in the SRDF")
    return XrdfConversion(xrdf, out.report(), FrozenDict({p: r for p, r in ignored.items() if r}))


def choose_group(srdf: Srdf, structure: Structure, name: str | None) -> Group | None:
    """The group that is named, else the only one with joints that move and that is part of no other choice.

    An end effector's group is no choice. Raises NeedsChoice.
    """
    if name is not None:
        found = srdf.group(name)
        if found is None:
            raise NeedsChoice(f"There is no group {name!r}; there are: {', '.join(g.name for g in srdf.groups)}")
        return found
    effectors = {e.group for e in srdf.end_effectors}
    choices = [g for g in srdf.groups if group_joints(srdf, g, structure)]
    arms = [g for g in choices if g.name not in effectors] or choices
    sets = {g.name: group_joints(srdf, g, structure) for g in arms}
    if len({frozenset(s) for s in sets.values()}) > 1:
        # A group that holds just the arm and its gripper leaves the arm as the choice.
        whole = [g for g in arms if not g.subgroups]
        if len({frozenset(sets[g.name]) for g in whole}) != 1:
            raise NeedsChoice(f"Several groups could be meant: {', '.join(sets)}. Name one.")
        arms = whole
    return arms[0] if arms else None


def group_joints(srdf: Srdf, group: Group, structure: Structure) -> tuple[str, ...]:
    """The movable joints of a group that mimic none and are not passive: chains, joints, links, subgroups."""
    found: dict[str, None] = {}
    seen: set[str] = set()

    def add(one: Group) -> None:
        if one.name in seen:
            return
        seen.add(one.name)
        for base, tip in one.chains:
            found.update(dict.fromkeys(structure.movable(structure.chain(base, tip) or ())))
        direct = [structure.joints[n] for n in one.joints if n in structure.joints]
        direct += [structure.incoming[n] for n in one.links if n in structure.incoming]
        found.update(dict.fromkeys(structure.movable(direct)))
        for name in one.subgroups:
            inner = srdf.group(name)
            if inner is not None:
                add(inner)

    add(group)
    return tuple(name for name in found if name not in srdf.passive_joints)


def ignore_mapping(pairs: Mapping[LinkPair, object], urdf: Urdf) -> FrozenDict[str, tuple[str, ...]]:
    """Each pair once, under the link that stands first in the URDF."""
    rank = {link.name: i for i, link in enumerate(urdf.links)}

    def place(name: str) -> tuple[int, str]:
        return rank.get(name, len(rank)), name

    ordered = sorted((sorted((p.first, p.second), key=place) for p in pairs), key=lambda ab: [place(n) for n in ab])
    ignore: dict[str, tuple[str, ...]] = {}
    for first, second in ordered:
        ignore[first] = (*ignore.get(first, ()), second)
    return FrozenDict(ignore)


def fit_buffers(margins: CollisionMargins, frames: tuple[str, ...]) -> tuple[FrozenDict[str, float], float]:
    """(frame -> buffer, largest deviation in metres): the buffers b with b1 + b2 nearest to the margin of each pair.

    Least squares over all pairs of `frames`, by Gauss-Seidel: every step puts one buffer where its own pairs want it.
    For margins that are sums it converges to those sums; otherwise the residual says how far off the worst pair is.
    """
    names = list(dict.fromkeys((*frames, *(n for p in margins.pairs for n in (p.link1, p.link2)))))
    special = {LinkPair.of(p.link1, p.link2): p.margin for p in margins.pairs}
    buffers = dict.fromkeys(names, margins.default_margin / 2)
    if not special or len(names) < 2:
        return FrozenDict({n: b for n, b in buffers.items() if b}), 0.0

    def margin(a: str, b: str) -> float:
        return special.get(LinkPair.of(a, b), margins.default_margin)

    wanted = {a: sum(margin(a, b) for b in names if b != a) for a in names}
    total = sum(buffers.values())
    if len(names) > 2:
        for _ in range(1000):
            worst = 0.0
            for a in names:
                new = (wanted[a] - (total - buffers[a])) / (len(names) - 1)
                worst = max(worst, abs(new - buffers[a]))
                total += new - buffers[a]
                buffers[a] = new
            if worst < 1e-15:
                break
    else:
        buffers = dict.fromkeys(names, margin(*names) / 2)
    residual = max(abs(buffers[a] + buffers[b] - margin(a, b)) for i, a in enumerate(names) for b in names[i + 1 :])
    rounded = {n: round(b, 12) for n, b in buffers.items()}
    return FrozenDict({n: b for n, b in rounded.items() if b}), residual


# ---------------------------------------------------------------------------------------------- towards SRDF


def _group_from_cspace(srdf: Srdf, xrdf: Xrdf, structure: Structure, out: Reporter) -> Srdf:
    names = xrdf.cspace.joint_names if xrdf.cspace is not None else None
    if not names:
        return srdf
    for group in srdf.groups:
        if set(group_joints(srdf, group, structure)) == set(names):
            out.taken("cspace.joint_names", f"the group {group.name} has these joints")
            return srdf
    base = next((m.frame for m in xrdf.modifiers or () if isinstance(m, SetBaseFrame)), structure.root)
    for tool in xrdf.tool_frames or ():
        chain = structure.chain(base, tool) if base is not None else None
        if base is not None and chain and structure.movable(chain) == names:
            group = Group(_free(GROUP, srdf), chains=((base, tool),))
            out.translated("cspace.joint_names", f"group {group.name}, the chain from {base} to {tool}")
            return replace(srdf, groups=(*srdf.groups, group))
    group = Group(_free(GROUP, srdf), joints=names)
    out.translated("cspace.joint_names", f"group {group.name}, a list of {counted(len(names), 'joint')}")
    return replace(srdf, groups=(*srdf.groups, group))


def _controlled(srdf: Srdf, xrdf: Xrdf, structure: Structure) -> Group | None:
    """The group of the c-space's joints, else the last one."""
    names = set(xrdf.cspace.joint_names or ()) if xrdf.cspace is not None else set()
    same = [g for g in srdf.groups if set(group_joints(srdf, g, structure)) == names]
    return same[0] if same else srdf.groups[-1] if srdf.groups else None


def _state_from_defaults(srdf: Srdf, xrdf: Xrdf, structure: Structure, out: Reporter) -> Srdf:
    defaults = xrdf.default_joint_positions
    group = _controlled(srdf, xrdf, structure)
    if not defaults:
        return srdf
    if group is None:
        out.lost("default_joint_positions", "there is no group that a state could belong to")
        return srdf
    names = set(xrdf.cspace.joint_names or ()) if xrdf.cspace is not None else set()
    within = {j: (v,) for j, v in defaults.items() if j in names}
    rest = [j for j in defaults if j not in names]
    if rest:
        out.lost("default_joint_positions", f"joints outside of the c-space: {', '.join(rest)}")
    for state in srdf.states:
        if state.group == group.name and dict(state.positions) == within:
            out.taken("default_joint_positions", f"the state {state.name} of {group.name} has them")
            return srdf
    if not within:
        return srdf
    fresh = GroupState(STATE, group.name, FrozenDict(within))
    out.translated("default_joint_positions", f"state {STATE} of the group {group.name}")
    if any((s.name, s.group) == (STATE, group.name) for s in srdf.states):
        changed = tuple(fresh if (s.name, s.group) == (STATE, group.name) else s for s in srdf.states)
        return replace(srdf, states=changed)
    return replace(srdf, states=(*srdf.states, fresh))


def _tools_from_frames(
    srdf: Srdf, xrdf: Xrdf, structure: Structure, added: Mapping[str, AddFrame], tesseract: bool, out: Reporter
) -> Srdf:
    controlled = _controlled(srdf, xrdf, structure)
    group = None if controlled is None else controlled.name
    for tool in xrdf.tool_frames or ():
        frame = added.get(tool)
        if group is None:
            out.lost(f"tool frame {tool}", "there is no group that it could belong to")
        elif tool in structure.links and any(e.parent_link == tool for e in srdf.end_effectors):
            out.taken(f"tool frame {tool}", "an end effector is there already")
        elif tool in structure.links and any(tool == tip for g in srdf.groups for _, tip in g.chains):
            out.translated(f"tool frame {tool}", "the tip of a chain")
        elif tesseract and frame is not None and frame.parent_frame_name in structure.links:
            transform = frame.fixed_transform
            tcp = ToolCenterPoint(tool, group, transform.position, transform.orientation_wxyz)
            if tcp not in srdf.tcps:
                kept = tuple(t for t in srdf.tcps if (t.name, t.group) != (tool, group))
                srdf = replace(srdf, tcps=(*kept, tcp))
            out.translated(
                f"tool frame {tool}", f"a tcp of the group {group}, whose tip has to be {frame.parent_frame_name}"
            )
        elif tool in structure.links:
            effector = EndEffector(tool, tool, group)
            srdf = replace(srdf, end_effectors=(*srdf.end_effectors, effector))
            out.translated(f"tool frame {tool}", "an end effector")
        else:
            out.lost(f"tool frame {tool}", "an added frame; only Tesseract's SRDF has poses of tools")
    return srdf


def _pairs_from_ignore(
    srdf: Srdf, xrdf: Xrdf, structure: Structure, reasons: Mapping[LinkPair, str], out: Reporter
) -> Srdf:
    section = xrdf.self_collision
    if section is None or section.ignore is None:
        return srdf
    masked = section.ignored_pairs()
    adjacent = structure.adjacent()
    kept = tuple(p for p in srdf.disabled_pairs if LinkPair.of(p.link1, p.link2) in masked)
    there = {LinkPair.of(p.link1, p.link2) for p in kept}
    rank = {link.name: i for i, link in enumerate(structure.urdf.links)}
    fresh = []
    for pair in sorted(masked - there, key=lambda p: sorted((rank.get(p.first, 9**9), rank.get(p.second, 9**9)))):
        a, b = sorted((pair.first, pair.second), key=lambda n: (rank.get(n, 9**9), n))
        unknown = [n for n in (a, b) if n not in structure.links]
        if unknown:
            out.lost(f"self_collision.ignore {a} - {b}", f"{unknown[0]} is no link of the URDF")
            continue
        fresh.append(CollisionPair(a, b, reasons.get(pair) or (ADJACENT if pair in adjacent else UNKNOWN)))
    told = sum(1 for p in fresh if LinkPair.of(p.link1, p.link2) in reasons)
    detail = f"{counted(len(kept) + len(fresh), 'pair')} in disable_collisions"
    if len(fresh) > told:
        detail += (
            f"; {len(fresh) - told} without a known reason are {ADJACENT} where a joint connects them, else {UNKNOWN}"
        )
    out.translated("self_collision.ignore", detail)
    gone = len(srdf.disabled_pairs) - len(kept)
    if gone:
        out.translated("disable_collisions", f"{counted(gone, 'pair')} removed that the XRDF does not ignore")
    return replace(srdf, disabled_pairs=(*kept, *fresh))


def _margins_from_buffers(srdf: Srdf, xrdf: Xrdf, structure: Structure, tesseract: bool, out: Reporter) -> Srdf:
    section = xrdf.self_collision
    frames = [f for f, s in xrdf.spheres_of(xrdf.self_group).items() if s and f in structure.links]
    buffers = {f: section.buffer(f) for f in frames} if section is not None else {}
    if not any(buffers.values()):
        return srdf
    if not tesseract:
        out.lost("self_collision.buffer_distance", "only Tesseract's SRDF has margins")
        return srdf
    sums = {
        (a, b): buffers[a] + buffers[b]
        for i, a in enumerate(frames)
        for b in frames[i + 1 :]
        if LinkPair.of(a, b) not in (section.ignored_pairs() if section else ())
    }
    values = sorted(sums.values())
    default = max(set(values), key=values.count) if values else 0.0
    pairs = tuple(PairMargin(a, b, v) for (a, b), v in sums.items() if v != default)
    out.translated(
        "self_collision.buffer_distance", f"default_margin {default:g} and {counted(len(pairs), 'pair margin')}"
    )
    return replace(srdf, margins=CollisionMargins(default, pairs))


def _free(name: str, srdf: Srdf) -> str:
    taken = {g.name for g in srdf.groups}
    number = 2
    found = name
    while found in taken:
        found = f"{name}_{number}"
        number += 1
    return found


# ---------------------------------------------------------------------------------------------- towards XRDF


def _cspace(joints: tuple[str, ...], old: CSpace | None, structure: Structure, out: Reporter) -> CSpace:
    def known(values: tuple[float, ...] | None) -> dict[str, float]:
        names = old.joint_names if old is not None else None
        return dict(zip(names or (), values or (), strict=False))

    acceleration = known(old.acceleration_limits if old else None)
    jerk = known(old.jerk_limits if old else None)
    guessed = []
    for name in joints:
        limit = structure.joints[name].limit
        if name not in acceleration:
            value = limit.acceleration if limit is not None else None
            guessed += [] if value is not None else [name]
            acceleration[name] = PLACEHOLDER_ACCELERATION if value is None else value
        if name not in jerk:
            value = limit.jerk if limit is not None else None
            jerk[name] = PLACEHOLDER_JERK if value is None else value
    if guessed:
        detail = f"SRDF has none: {PLACEHOLDER_ACCELERATION:g} and {PLACEHOLDER_JERK:g} are placeholders"
        out.translated("acceleration and jerk limits", detail)
    return CSpace(joints, tuple(acceleration[n] for n in joints), tuple(jerk[n] for n in joints))


def _defaults_from_state(
    srdf: Srdf,
    xrdf: Xrdf,
    structure: Structure,
    group: Group | None,
    name: str | None,
    joints: tuple[str, ...],
    out: Reporter,
) -> Xrdf:
    states = [s for s in srdf.states if group is None or s.group == group.name] or list(srdf.states)
    if name is not None:
        found = [s for s in srdf.states if s.name == name and (group is None or s.group == group.name)]
        found = found or [s for s in srdf.states if s.name == name]
        if not found:
            raise NeedsChoice(f"There is no state {name!r}; there are: {', '.join(s.name for s in srdf.states)}")
        chosen: GroupState | None = found[0]
    else:
        preferred = [s for s in states if s.name.lower() in (STATE, "home", "ready")]
        chosen = min(preferred, key=lambda s: (STATE, "home", "ready").index(s.name.lower())) if preferred else None
        chosen = chosen or (states[0] if states and xrdf.default_joint_positions is None else None)
    positions = dict(xrdf.default_joint_positions or {})
    before = dict(positions)
    if chosen is not None:
        positions.update({j: v[0] for j, v in chosen.positions.items() if len(v) == 1 and j in structure.joints})
        out.translated(f"group_state {chosen.name}", "default_joint_positions")
    for joint in joints:
        positions.setdefault(joint, structure.clamped(joint))
    for state in srdf.states:
        if state is not chosen:
            out.lost(f"group_state {state.name} of {state.group}", "XRDF has one posture")
    if positions and positions != before:
        xrdf = replace(xrdf, default_joint_positions=FrozenDict(positions))
    return xrdf


def _frames_from_tools(srdf: Srdf, xrdf: Xrdf, structure: Structure, group: Group | None, out: Reporter) -> Xrdf:
    frames = list(xrdf.tool_frames or ())
    modifiers = list(xrdf.modifiers or ())
    taken = structure.links | set(structure.joints)
    tip = group.chains[0][1] if group is not None and group.chains else None
    root = structure.root
    if group is not None and group.chains and group.chains[0][0] not in (root, None):
        out.translated(f"chain base {group.chains[0][0]}", "kept in the SRDF alone: frames above it stay in the XRDF")
    for tcp in srdf.tcps:
        if group is not None and tcp.group != group.name:
            out.lost(f"tcp {tcp.name} of {tcp.group}", "of another group")
            continue
        if tip is None:
            out.lost(f"tcp {tcp.name}", "the tip of its group is not known, since it is no chain")
            continue
        name = tcp.name if tcp.name not in taken else f"{tcp.name}_tcp"
        if name not in frames and not any(isinstance(m, AddFrame) and m.frame_name == name for m in modifiers):
            transform = FixedTransform(tcp.xyz, _quaternion(tcp))
            modifiers.append(AddFrame(name, tip, f"{name}_joint", transform))
            frames.append(name)
        out.translated(f"tcp {tcp.name}", f"add_frame {name} on {tip}, and a tool frame")
    if not frames and tip is not None:
        frames.append(tip)
        out.translated("the tip of the chain", f"tool frame {tip}")
    return replace(
        xrdf,
        tool_frames=tuple(frames) if frames else xrdf.tool_frames,
        modifiers=tuple(modifiers) if modifiers else xrdf.modifiers,
    )


def _quaternion(tcp: ToolCenterPoint) -> tuple[float, float, float, float]:
    """(w, x, y, z) of unit length; wxyz wins over rpy."""
    if tcp.wxyz is not None:
        norm = math.hypot(*tcp.wxyz)
        if norm > 0:
            w, x, y, z = (v / norm for v in tcp.wxyz)
            return w, x, y, z
    roll, pitch, yaw = (v / 2 for v in tcp.rpy or (0.0, 0.0, 0.0))
    cr, sr, cp, sp, cy, sy = (f(a) for a in (roll, pitch, yaw) for f in (math.cos, math.sin))
    return (
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    )


def _default_disabled(srdf: Srdf, structure: Structure, known: set[LinkPair]) -> dict[LinkPair, str]:
    """The pairs that `disable_default_collisions` stands for: such a link with every other one."""
    found: dict[LinkPair, str] = {}
    for link in srdf.default_disabled_links:
        for other in (o.name for o in structure.urdf.links):
            pair = LinkPair.of(link, other)
            if other != link and pair not in known:
                found[pair] = "Default"
    return found
