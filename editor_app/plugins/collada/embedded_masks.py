"""SRDF and XRDF of an exported file, brought up to date with what its COLLADA says (see
`embedded`)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from editor_app.core.formats.exchange.sphere_lists import with_spheres
from editor_app.core.formats.exchange.stated_values import with_limits
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.origin import Origin
from editor_app.core.model.srdf import CollisionPair, Group, Srdf, ToolCenterPoint
from editor_app.core.model.urdf import Urdf
from editor_app.core.model.xrdf import (
    CollisionSphere,
    LinkPair,
    SelfCollisionSection,
    Xrdf,
    ignore_mapping,
)
from editor_app.plugins.collada.embedded import TOLERANCE, Embedded
from editor_app.plugins.collada.reading.state import ColladaReading
from editor_app.plugins.collada.transforms import build_pose_matrix


def written_pairs(srdf: Srdf | None, xrdf: Xrdf, links: frozenset[str]) -> frozenset[LinkPair]:
    """The pairs that an export writes as ignore_link_pair."""
    pairs = xrdf.ignored_pairs().union(srdf.disabled() if srdf is not None else ())
    return frozenset(p for p in pairs if p.first in links and p.second in links)


def is_manipulator(srdf: Srdf, group: Group) -> bool:
    """Return whether a group of an SRDF is one in COLLADA: a chain, and no gripper."""
    alone = len(group.chains) == 1 and not (group.joints or group.links or group.subgroups)
    return alone and not any(e.group == group.name for e in srdf.end_effectors)


def tool_pose(tcp: ToolCenterPoint) -> np.ndarray:
    """(4, 4) in the link at the tip."""
    quaternion = None if tcp.wxyz is None else (tcp.wxyz[1], tcp.wxyz[2], tcp.wxyz[3], tcp.wxyz[0])
    return build_pose_matrix(Origin(tcp.xyz, tcp.rpy or (0.0, 0.0, 0.0), quaternion))


def reconciled_srdf(embedded: Embedded, collada: Srdf, urdf: Urdf) -> Srdf | None:
    """The SRDF; None when there was none and none is needed."""
    if embedded.urdf is None:
        return collada
    stored = embedded.srdf.value if embedded.srdf is not None else None
    xrdf = embedded.xrdf.value if embedded.xrdf is not None else Xrdf()
    links = frozenset(link.name for link in urdf.links)
    written = written_pairs(stored, xrdf, links)
    now = frozenset(p.pair for p in collada.disabled_pairs)
    base = stored if stored is not None else Srdf(name=collada.name)
    gone, new = written - now, now - written
    disabled = tuple(p for p in base.disabled_pairs if p.pair not in gone)
    disabled += tuple(CollisionPair(p.first, p.second) for p in sorted(new))
    srdf = _groups(replace(base, disabled_pairs=disabled), collada)
    return None if stored is None and srdf == base else srdf


def _groups(stored: Srdf, collada: Srdf) -> Srdf:
    """Chains and tool poses as the manipulators have them, those that are gone left out, new ones
    added."""
    groups, dropped, added = _chains(stored, collada)
    tcps = _tool_poses(stored, collada, dropped) + tuple(
        t for t in collada.tcps if t.group in added
    )
    if (groups, tcps, added) == (stored.groups, stored.tcps, {}):
        return stored
    effectors = stored.end_effectors + tuple(
        e for e in collada.end_effectors if e.parent_group in added
    )
    hands = {e.group for e in effectors if e.parent_group in added}
    grippers = tuple(g for g in collada.groups if g.name in hands)
    states = tuple(s for s in stored.states if s.group not in dropped)
    return replace(
        stored,
        groups=(*groups, *added.values(), *grippers),
        tcps=tcps,
        end_effectors=effectors,
        states=states,
    )


def _chains(stored: Srdf, collada: Srdf) -> tuple[tuple[Group, ...], set[str], dict[str, Group]]:
    """(the groups of `stored` with the chains of the manipulators, names of groups that are gone,
    new manipulators)."""
    manipulators = {g.name: g for g in collada.groups if is_manipulator(collada, g)}
    groups, dropped = [], set()
    for group in stored.groups:
        if not is_manipulator(stored, group):
            groups.append(group)
        elif group.name in manipulators:
            groups.append(replace(group, chains=manipulators.pop(group.name).chains))
        else:
            dropped.add(group.name)
    return tuple(groups), dropped, manipulators


def _tool_poses(
    stored: Srdf, collada: Srdf, dropped: Collection[str]
) -> tuple[ToolCenterPoint, ...]:
    """The tools of groups that are not `dropped`; the first of a manipulator stands where COLLADA
    has it."""
    placed = {tcp.group: tcp for tcp in reversed(collada.tcps)}
    tcps = []
    for tcp in stored.tcps:
        if tcp.group in dropped:
            continue
        other = placed.pop(tcp.group, None)
        group = stored.group(tcp.group)
        if other is not None and group is not None and is_manipulator(stored, group):
            same = np.allclose(tool_pose(tcp), tool_pose(other), rtol=0, atol=TOLERANCE)
            tcp = tcp if same else replace(tcp, xyz=other.xyz, rpy=other.rpy, wxyz=None)
        tcps.append(tcp)
    return tuple(tcps)


def reconciled_xrdf(
    embedded: Embedded, state: ColladaReading, order: tuple[str, ...], urdf: Urdf
) -> Xrdf:
    """The XRDF of the file, with pairs, limits, postures and spheres where COLLADA says others."""
    assert embedded.xrdf is not None
    xrdf = embedded.xrdf.value
    own_srdf = embedded.srdf.value if embedded.srdf is not None else None
    links = frozenset(link.name for link in urdf.links)
    xrdf = _pairs(xrdf, written_pairs(own_srdf, xrdf, links), state, urdf)
    xrdf = _spheres(xrdf, state.self_spheres, links)
    if xrdf.cspace is not None:
        xrdf = replace(xrdf, cspace=with_limits(xrdf.cspace, order, state.acceleration, state.jerk))
    old = dict(xrdf.default_joint_positions or {})
    changed = {
        n: v
        for n, v in state.positions.items()
        if abs(v - old.get(n, 0.0)) > TOLERANCE and (n in old or v != 0)
    }
    if changed:
        xrdf = replace(xrdf, default_joint_positions=FrozenDict({**old, **changed}))
    return xrdf


def _pairs(xrdf: Xrdf, written: frozenset[LinkPair], state: ColladaReading, urdf: Urdf) -> Xrdf:
    now = frozenset(p.pair for p in state.srdf.disabled_pairs)
    if now == written:
        return xrdf
    section = xrdf.self_collision or SelfCollisionSection()
    pairs = (section.ignored_pairs() - (written - now)) | (now - written)
    ignore = ignore_mapping(pairs, [link.name for link in urdf.links])
    return replace(xrdf, self_collision=replace(section, ignore=ignore))


def _spheres(
    xrdf: Xrdf, collada: Mapping[str, tuple[CollisionSphere, ...]], links: frozenset[str]
) -> Xrdf:
    name = xrdf.self_group or xrdf.world_group
    spheres = (
        (f, tuple(s for s in frame_spheres if s.radius > 0))
        for f, frame_spheres in xrdf.spheres_of(name).items()
    )
    stored = {f: frame_spheres for f, frame_spheres in spheres if f in links and frame_spheres}
    changed = {
        f: collada.get(f, ())
        for f in sorted({*stored, *collada})
        if not _same(stored.get(f, ()), collada.get(f, ()))
    }
    return with_spheres(xrdf, changed)


def _same(a: tuple[CollisionSphere, ...], b: tuple[CollisionSphere, ...]) -> bool:
    rows = [np.array([(*s.center, s.radius) for s in values]).reshape(-1, 4) for values in (a, b)]
    return rows[0].shape == rows[1].shape and bool(
        np.allclose(rows[0], rows[1], rtol=TOLERANCE, atol=TOLERANCE)
    )
