"""XRDF -> SRDF."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from editor_app.core.formats.exchange.conversion import (
    ADJACENT,
    GROUP,
    STATE,
    UNKNOWN,
    Reporter,
    SrdfConversion,
)
from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.near_names import find_free_name
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.srdf import (
    CollisionMargins,
    CollisionPair,
    EndEffector,
    Group,
    GroupState,
    PairMargin,
    Srdf,
    ToolCenterPoint,
)
from editor_app.core.model.srdf_groups import list_group_links, list_planned_joints
from editor_app.core.model.xrdf import (
    AddFrame,
    CollisionSphere,
    LinkPair,
    SetBaseFrame,
    Xrdf,
    rank_in,
)


def to_srdf(
    robot: RobotDescription,
    reasons: Mapping[LinkPair, str] | None = None,
    *,
    base: Srdf | None = None,
    tesseract: bool = False,
) -> SrdfConversion:
    """An SRDF that says what the XRDF of `robot` says.

    With `base`, an SRDF that is there already is brought up to date: what XRDF knows nothing of
    stays in it, and a pair that stays disabled keeps its reason.

    `reasons`: why each pair is masked (from comments). `tesseract` writes margins, which MoveIt
    does not read.
    """
    xrdf, structure = robot.xrdf, KinematicGraph(robot.urdf)
    out = Reporter(f"XRDF {xrdf.format_version}", "SRDF of Tesseract" if tesseract else "SRDF")
    srdf = base or Srdf(name=robot.urdf.name, version="1.0.0" if tesseract else None)
    links = structure.links
    added = {each.frame_name: each for each in xrdf.added_frames}
    srdf = _group_from_cspace(srdf, xrdf, structure, out)
    srdf = _state_from_defaults(srdf, xrdf, structure, out)
    srdf = _tools_from_frames(srdf, xrdf, structure, added, tesseract, out)
    srdf = _pairs_from_ignore(srdf, xrdf, structure, reasons or {}, out)
    srdf = _spheres_from_geometry(srdf, xrdf, links, out)
    srdf = _margins_from_buffers(srdf, xrdf, structure, tesseract, out)
    _tell_losses(xrdf, links, out)
    return SrdfConversion(srdf, out.report())


def _spheres_from_geometry(srdf: Srdf, xrdf: Xrdf, links: Collection[str], out: Reporter) -> Srdf:
    spheres = _group_spheres(xrdf)
    on_links = {frame: of_frame for frame, of_frame in spheres.items() if frame in links}
    elsewhere = [frame for frame in spheres if frame not in links]
    if on_links:
        srdf = replace(srdf, sphere_approximations=FrozenDict(on_links))
        out.translated(
            "geometry",
            f"{format_count(sum(map(len, on_links.values())), 'sphere')} as "
            "link_sphere_approximation",
        )
    if elsewhere:
        out.lost(
            "geometry", f"spheres of frames that are not links of the URDF: {', '.join(elsewhere)}"
        )
    if (
        xrdf.world_group != xrdf.self_group
        and xrdf.world_group is not None
        and xrdf.self_group is not None
    ):
        out.lost(
            f"geometry.{xrdf.world_group}",
            "SRDF has one set of spheres; the set for self-collision was used",
        )
    return srdf


def _group_spheres(xrdf: Xrdf) -> dict[str, tuple[CollisionSphere, ...]]:
    """Frame -> spheres of the one geometry group that SRDF has a place for; frames without spheres
    left out."""
    spheres = xrdf.spheres_of(xrdf.self_group or xrdf.world_group)
    return {frame: of_frame for frame, of_frame in spheres.items() if of_frame}


def _tell_losses(xrdf: Xrdf, links: Collection[str], out: Reporter) -> None:
    """Reports the parts of an XRDF that become nothing in an SRDF, or nothing that MoveIt reads."""
    world = xrdf.world_collision
    if world is not None and any(
        world.buffer(frame) for frame in xrdf.spheres_of(xrdf.world_group)
    ):
        out.lost("collision.buffer_distance", "SRDF has no buffers for obstacles")
    spheres = {
        frame: of_frame for frame, of_frame in _group_spheres(xrdf).items() if frame in links
    }
    not_positive = [
        frame for frame, of_frame in spheres.items() if any(s.radius <= 0 for s in of_frame)
    ]
    if not_positive:
        out.kept(
            f"spheres of {', '.join(not_positive)}",
            "MoveIt skips spheres without a positive radius",
        )
    if xrdf.cspace is not None and xrdf.cspace.acceleration_limits:
        out.lost("cspace.acceleration_limits, cspace.jerk_limits", "SRDF cannot store them")
    for modifier in xrdf.modifiers or ():
        if isinstance(modifier, SetBaseFrame):
            out.translated(
                "set_base_frame",
                f"{modifier.frame} becomes the base of the group, if the group is a chain",
            )
        elif not isinstance(modifier, AddFrame):
            out.lost("remove_mimic_attributes", "SRDF cannot free joints")
        elif modifier.frame_name not in (xrdf.tool_frames or ()):
            out.lost(f"add_frame {modifier.frame_name}", "SRDF cannot add frames")


def _group_from_cspace(srdf: Srdf, xrdf: Xrdf, structure: KinematicGraph, out: Reporter) -> Srdf:
    names = xrdf.controlled
    if not names:
        return srdf
    for group in srdf.groups:
        if set(list_planned_joints(srdf, group, structure)) == set(names):
            out.taken("cspace.joint_names", f"the group {group.name} has these joints")
            return srdf
    base = xrdf.base_frame or structure.root
    for tool in xrdf.tool_frames or ():
        chain = structure.chain(base, tool) if base is not None else None
        if base is not None and chain and structure.movable(chain) == names:
            group = Group(
                find_free_name(GROUP, {g.name for g in srdf.groups}), chains=((base, tool),)
            )
            out.translated(
                "cspace.joint_names", f"group {group.name}, the chain from {base} to {tool}"
            )
            return replace(srdf, groups=(*srdf.groups, group))
    group = Group(find_free_name(GROUP, {g.name for g in srdf.groups}), joints=names)
    out.translated(
        "cspace.joint_names", f"group {group.name}, a list of {format_count(len(names), 'joint')}"
    )
    return replace(srdf, groups=(*srdf.groups, group))


def _controlled(srdf: Srdf, xrdf: Xrdf, structure: KinematicGraph) -> Group | None:
    """The group of the c-space's joints, else the last one."""
    names = set(xrdf.controlled)
    same = [g for g in srdf.groups if set(list_planned_joints(srdf, g, structure)) == names]
    return same[0] if same else srdf.groups[-1] if srdf.groups else None


def _state_from_defaults(srdf: Srdf, xrdf: Xrdf, structure: KinematicGraph, out: Reporter) -> Srdf:
    defaults = xrdf.default_joint_positions
    group = _controlled(srdf, xrdf, structure)
    if not defaults:
        return srdf
    if group is None:
        out.lost("default_joint_positions", "no group can contain the state")
        return srdf
    names = set(xrdf.controlled)
    within = {j: (v,) for j, v in defaults.items() if j in names}
    rest = [j for j in defaults if j not in names]
    if rest:
        out.lost("default_joint_positions", f"joints outside the c-space: {', '.join(rest)}")
    for state in srdf.states:
        if state.group == group.name and dict(state.positions) == within:
            out.taken("default_joint_positions", f"the state {state.name} of {group.name} has them")
            return srdf
    if not within:
        return srdf
    fresh = GroupState(STATE, group.name, FrozenDict(within))
    out.translated("default_joint_positions", f"state {STATE} of the group {group.name}")
    if any((s.name, s.group) == (STATE, group.name) for s in srdf.states):
        changed = tuple(
            fresh if (s.name, s.group) == (STATE, group.name) else s for s in srdf.states
        )
        return replace(srdf, states=changed)
    return replace(srdf, states=(*srdf.states, fresh))


def _tools_from_frames(
    srdf: Srdf,
    xrdf: Xrdf,
    structure: KinematicGraph,
    added: Mapping[str, AddFrame],
    tesseract: bool,
    out: Reporter,
) -> Srdf:
    group = _controlled(srdf, xrdf, structure)
    for tool in xrdf.tool_frames or ():
        frame = added.get(tool)
        if group is None:
            out.lost(f"tool frame {tool}", "no group can contain it")
        elif tool in structure.links and any(
            _is_effector_at(srdf, e, tool) for e in srdf.end_effectors
        ):
            out.taken(f"tool frame {tool}", "the SRDF already has an end effector")
        elif tool in structure.links and any(
            tool == tip for g in srdf.groups for _, tip in g.chains
        ):
            out.translated(f"tool frame {tool}", "the tip of a chain")
        elif tesseract and frame is not None and frame.parent_frame_name in structure.links:
            transform = frame.fixed_transform
            tcp = ToolCenterPoint(tool, group.name, transform.position, transform.orientation_wxyz)
            if tcp not in srdf.tcps:
                kept = tuple(t for t in srdf.tcps if (t.name, t.group) != (tool, group.name))
                srdf = replace(srdf, tcps=(*kept, tcp))
            out.translated(
                f"tool frame {tool}",
                f"a tcp of the group {group.name}, whose tip must be {frame.parent_frame_name}",
            )
        elif tool in structure.links:
            srdf = _with_effector(srdf, structure, group, tool, out)
        else:
            out.lost(
                f"tool frame {tool}", "an added frame; only Tesseract's SRDF has poses of tools"
            )
    return srdf


def _is_effector_at(srdf: Srdf, effector: EndEffector, tool: str) -> bool:
    group = srdf.group(effector.group)
    return effector.parent_link == tool or (group is not None and group.links == (tool,))


def _with_effector(
    srdf: Srdf, structure: KinematicGraph, group: Group, tool: str, out: Reporter
) -> Srdf:
    """The SRDF with an end effector for a link.

    MoveIt wants a group for the effector itself, which holds what the last joint of `group` does
    not move, and a parent link of `group`. A link of `group` needs no effector: poses are set for
    any of its links.
    """
    links = set(list_group_links(srdf, group, structure))
    if tool in links:
        out.translated(f"tool frame {tool}", f"a link of the group {group.name}")
        return srdf
    parent = next(
        (joint.parent for joint in structure.path_up(tool) if joint.parent in links), None
    )
    if parent is None:
        out.lost(f"tool frame {tool}", f"the group {group.name} does not move it")
        return srdf
    name = find_free_name(tool, {each.name for each in srdf.groups})
    out.translated(
        f"tool frame {tool}", f"the end effector of {group.name} at {parent}, the group {name}"
    )
    groups = (*srdf.groups, Group(name, links=(tool,)))
    return replace(
        srdf,
        groups=groups,
        end_effectors=(*srdf.end_effectors, EndEffector(tool, parent, name, group.name)),
    )


def _pairs_from_ignore(
    srdf: Srdf,
    xrdf: Xrdf,
    structure: KinematicGraph,
    reasons: Mapping[LinkPair, str],
    out: Reporter,
) -> Srdf:
    section = xrdf.self_collision
    if section is None or section.ignore is None:
        return srdf
    masked = section.ignored_pairs()
    adjacent = {LinkPair.of(*names) for names in structure.adjacent(xrdf).items()}
    kept = tuple(p for p in srdf.disabled_pairs if p.pair in masked)
    kept_pairs = {p.pair for p in kept}
    rank = rank_in([link.name for link in structure.urdf.links])
    fresh = []
    ordered = (sorted((pair.first, pair.second), key=rank) for pair in masked - kept_pairs)
    for a, b in sorted(ordered, key=lambda ends: (rank(ends[0]), rank(ends[1]))):
        pair = LinkPair.of(a, b)
        unknown = [n for n in (a, b) if n not in structure.links]
        if unknown:
            out.lost(f"self_collision.ignore {a} - {b}", f"{unknown[0]} is not a link of the URDF")
            continue
        fresh.append(
            CollisionPair(a, b, reasons.get(pair) or (ADJACENT if pair in adjacent else UNKNOWN))
        )
    told = sum(1 for p in fresh if p.pair in reasons)
    detail = f"{format_count(len(kept) + len(fresh), 'pair')} in disable_collisions"
    if len(fresh) > told:
        detail += (
            f"; {len(fresh) - told} without a known reason are marked {ADJACENT} where they are "
            "adjacent, else "
            f"{UNKNOWN}"
        )
    out.translated("self_collision.ignore", detail)
    gone = len(srdf.disabled_pairs) - len(kept)
    if gone:
        out.translated(
            "disable_collisions",
            f"{format_count(gone, 'pair')} removed that the XRDF does not ignore",
        )
    return replace(srdf, disabled_pairs=(*kept, *fresh))


def _margins_from_buffers(
    srdf: Srdf, xrdf: Xrdf, structure: KinematicGraph, tesseract: bool, out: Reporter
) -> Srdf:
    section = xrdf.self_collision
    frames = [f for f, s in xrdf.spheres_of(xrdf.self_group).items() if s and f in structure.links]
    buffers = {f: section.buffer(f) for f in frames} if section is not None else {}
    ignored = xrdf.ignored_pairs()
    if not any(buffers.values()):
        return srdf
    if not tesseract:
        out.lost("self_collision.buffer_distance", "only Tesseract's SRDF has margins")
        return srdf
    sums = {
        (a, b): buffers[a] + buffers[b]
        for i, a in enumerate(frames)
        for b in frames[i + 1 :]
        if LinkPair.of(a, b) not in ignored
    }
    values = sorted(sums.values())
    default = max(set(values), key=values.count) if values else 0.0
    pairs = tuple(PairMargin(a, b, v) for (a, b), v in sums.items() if v != default)
    out.translated(
        "self_collision.buffer_distance",
        f"default_margin {default:g} and {format_count(len(pairs), 'pair margin')}",
    )
    return replace(srdf, margins=CollisionMargins(default, pairs))
