"""The fields of the SRDF that name a link, joint or group: see model/references.py."""

from __future__ import annotations

from dataclasses import replace

from editor_app.model.reference_field import (
    Mentions,
    Named,
    ReferenceField,
    Rename,
    all_say,
    keys_of,
    names_of,
)
from editor_app.model.srdf import CollisionPair, Srdf

LINK, JOINT, GEOMETRY_GROUP, SRDF_GROUP = Named


def _of_group_links(srdf: Srdf) -> Mentions:
    for group in srdf.groups:
        links = (*group.links, *(link for chain in group.chains for link in chain))
        yield from all_say(links, f"it belongs to the group {group.name!r} of the SRDF")


def _group_links(srdf: Srdf, rename: Rename) -> Srdf:
    groups = []
    for group in srdf.groups:
        ends = [(rename(base), rename(tip)) for base, tip in group.chains]
        chains = tuple((base, tip) for base, tip in ends if base is not None and tip is not None)
        groups.append(replace(group, links=names_of(group.links, rename), chains=chains))
    return replace(srdf, groups=tuple(groups))


def _of_pairs(srdf: Srdf) -> Mentions:
    pairs = (link for pair in srdf.disabled_pairs for link in (pair.link1, pair.link2))
    return all_say(pairs, "the SRDF disables collisions of it")


def _pairs(pairs: tuple[CollisionPair, ...], rename: Rename) -> tuple[CollisionPair, ...]:
    renamed = ((pair, rename(pair.link1), rename(pair.link2)) for pair in pairs)
    return tuple(replace(p, link1=a, link2=b) for p, a, b in renamed if a is not None and b is not None)


def _margins(srdf: Srdf, rename: Rename) -> Srdf:
    if srdf.margins is None:
        return srdf
    renamed = ((pair, rename(pair.link1), rename(pair.link2)) for pair in srdf.margins.pairs)
    pairs = tuple(replace(p, link1=a, link2=b) for p, a, b in renamed if a is not None and b is not None)
    return replace(srdf, margins=replace(srdf.margins, pairs=pairs))


def _of_margins(srdf: Srdf) -> Mentions:
    pairs = srdf.margins.pairs if srdf.margins is not None else ()
    return all_say((link for pair in pairs for link in (pair.link1, pair.link2)), "the SRDF speaks of it")


def _end_effector_links(srdf: Srdf, rename: Rename) -> Srdf:
    renamed = ((e, rename(e.parent_link)) for e in srdf.end_effectors)
    return replace(srdf, end_effectors=tuple(replace(e, parent_link=new) for e, new in renamed if new is not None))


def _virtual_links(srdf: Srdf, rename: Rename) -> Srdf:
    renamed = ((v, rename(v.child_link)) for v in srdf.virtual_joints)
    return replace(srdf, virtual_joints=tuple(replace(v, child_link=new) for v, new in renamed if new is not None))


def _of_group_joints(srdf: Srdf) -> Mentions:
    for group in srdf.groups:
        yield from all_say(group.joints, f"it belongs to the group {group.name!r} of the SRDF")


def _of_states(srdf: Srdf) -> Mentions:
    for state in srdf.states:
        yield from all_say(state.positions, f"the state {state.name!r} of the SRDF gives its joint a position")


def _joint_properties(srdf: Srdf, rename: Rename) -> Srdf:
    renamed = ((p, rename(p.joint)) for p in srdf.joint_properties)
    return replace(srdf, joint_properties=tuple(replace(p, joint=new) for p, new in renamed if new is not None))


def _state_groups(srdf: Srdf, rename: Rename) -> Srdf:
    renamed = ((s, rename(s.group)) for s in srdf.states)
    return replace(srdf, states=tuple(replace(s, group=new) for s, new in renamed if new is not None))


def _tcp_groups(srdf: Srdf, rename: Rename) -> Srdf:
    renamed = ((t, rename(t.group)) for t in srdf.tcps)
    return replace(srdf, tcps=tuple(replace(t, group=new) for t, new in renamed if new is not None))


def _effector_groups(srdf: Srdf, rename: Rename) -> Srdf:
    renamed = ((e, rename(e.group)) for e in srdf.end_effectors)
    return replace(srdf, end_effectors=tuple(replace(e, group=new) for e, new in renamed if new is not None))


def _parent_groups(srdf: Srdf, rename: Rename) -> Srdf:
    effectors = (
        e if e.parent_group is None else replace(e, parent_group=rename(e.parent_group)) for e in srdf.end_effectors
    )
    return replace(srdf, end_effectors=tuple(effectors))


SRDF_FIELDS: tuple[ReferenceField[Srdf], ...] = (
    ReferenceField("srdf", LINK, "group", _of_group_links, _group_links),
    ReferenceField(
        "srdf",
        LINK,
        "end_effector",
        lambda srdf: all_say((e.parent_link for e in srdf.end_effectors), "it carries an end effector of the SRDF"),
        _end_effector_links,
    ),
    ReferenceField(
        "srdf",
        LINK,
        "virtual_joint",
        lambda srdf: all_say((v.child_link for v in srdf.virtual_joints), "a virtual joint of the SRDF leads to it"),
        _virtual_links,
    ),
    ReferenceField(
        "srdf",
        LINK,
        "disable_collisions",
        _of_pairs,
        lambda srdf, rename: replace(srdf, disabled_pairs=_pairs(srdf.disabled_pairs, rename)),
        moves_along=True,
    ),
    ReferenceField(
        "srdf",
        LINK,
        "enable_collisions",
        lambda srdf: all_say((n for p in srdf.enabled_pairs for n in (p.link1, p.link2)), "the SRDF speaks of it"),
        lambda srdf, rename: replace(srdf, enabled_pairs=_pairs(srdf.enabled_pairs, rename)),
    ),
    ReferenceField(
        "srdf",
        LINK,
        "disable_default_collisions",
        lambda srdf: all_say(srdf.default_disabled_links, "the SRDF speaks of it"),
        lambda srdf, rename: replace(srdf, default_disabled_links=names_of(srdf.default_disabled_links, rename)),
    ),
    ReferenceField("srdf", LINK, "pair_margin", _of_margins, _margins),
    ReferenceField(
        "srdf",
        LINK,
        "link_sphere_approximation",
        lambda srdf: all_say(srdf.sphere_approximations, "the SRDF speaks of it"),
        lambda srdf, rename: replace(srdf, sphere_approximations=keys_of(srdf.sphere_approximations, rename)),
    ),
    ReferenceField(
        "srdf",
        JOINT,
        "group",
        _of_group_joints,
        lambda srdf, rename: replace(
            srdf, groups=tuple(replace(g, joints=names_of(g.joints, rename)) for g in srdf.groups)
        ),
    ),
    ReferenceField(
        "srdf",
        JOINT,
        "group_state",
        _of_states,
        lambda srdf, rename: replace(
            srdf, states=tuple(replace(s, positions=keys_of(s.positions, rename)) for s in srdf.states)
        ),
    ),
    ReferenceField(
        "srdf",
        JOINT,
        "passive_joint",
        lambda srdf: all_say(srdf.passive_joints, "the SRDF speaks of its joint"),
        lambda srdf, rename: replace(srdf, passive_joints=names_of(srdf.passive_joints, rename)),
    ),
    ReferenceField(
        "srdf",
        JOINT,
        "joint_property",
        lambda srdf: all_say((p.joint for p in srdf.joint_properties), "the SRDF speaks of its joint"),
        _joint_properties,
    ),
    ReferenceField(
        "srdf",
        SRDF_GROUP,
        "subgroup",
        lambda srdf: ((inner, f"the group {g.name!r} includes it") for g in srdf.groups for inner in g.subgroups),
        lambda srdf, rename: replace(
            srdf, groups=tuple(replace(g, subgroups=names_of(g.subgroups, rename)) for g in srdf.groups)
        ),
    ),
    ReferenceField(
        "srdf",
        SRDF_GROUP,
        "group_state",
        lambda srdf: ((s.group, f"the state {s.name!r} is of it") for s in srdf.states),
        _state_groups,
    ),
    ReferenceField(
        "srdf",
        SRDF_GROUP,
        "tcp",
        lambda srdf: ((t.group, f"the tool {t.name!r} is of it") for t in srdf.tcps),
        _tcp_groups,
    ),
    ReferenceField(
        "srdf",
        SRDF_GROUP,
        "end_effector",
        lambda srdf: ((e.group, f"the end effector {e.name!r} is of this group") for e in srdf.end_effectors),
        _effector_groups,
    ),
    ReferenceField(
        "srdf",
        SRDF_GROUP,
        "parent_group",
        lambda srdf: (
            (e.parent_group, f"it is the parent group of end effector {e.name!r}")
            for e in srdf.end_effectors
            if e.parent_group is not None
        ),
        _parent_groups,
    ),
)
