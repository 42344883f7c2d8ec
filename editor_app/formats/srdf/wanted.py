"""The model of an SRDF as elements."""

from __future__ import annotations

from editor_app.formats.xml.morph import Wanted, number_text, numbers_text
from editor_app.model.srdf import CollisionMargins, CollisionPair, Group, GroupState, Srdf, ToolCenterPoint


def srdf_element(srdf: Srdf) -> Wanted:
    """`<robot>`; the order of the sections is that of MoveIt's writer, then Tesseract's."""
    margins = () if srdf.margins is None else (_margins(srdf.margins),)
    configs = tuple(Wanted(tag, (("filename", name),)) for tag, name in srdf.configs.items())
    items: list[Wanted] = [_group(g) for g in srdf.groups]
    items += [_state(s) for s in srdf.states]
    items += _tcps(srdf.tcps)
    for e in srdf.end_effectors:
        attributes = (("parent_link", e.parent_link), ("group", e.group), ("parent_group", e.parent_group))
        items.append(Wanted("end_effector", (("name", e.name), *attributes), key=(e.name,)))
    for v in srdf.virtual_joints:
        virtual = (("type", v.type), ("parent_frame", v.parent_frame), ("child_link", v.child_link))
        items.append(Wanted("virtual_joint", (("name", v.name), *virtual), key=(v.name,)))
    items += [Wanted("passive_joint", (("name", name),)) for name in srdf.passive_joints]
    for p in srdf.joint_properties:
        properties = (("joint_name", p.joint), ("property_name", p.name), ("value", p.value))
        items.append(Wanted("joint_property", properties, key=(p.joint, p.name)))
    for link, spheres in srdf.sphere_approximations.items():
        inner = tuple(
            Wanted("sphere", (("center", numbers_text(s.center)), ("radius", number_text(s.radius)))) for s in spheres
        )
        items.append(Wanted("link_sphere_approximation", (("link", link),), items=inner, key=(link,)))
    items += [Wanted("disable_default_collisions", (("link", link),)) for link in srdf.default_disabled_links]
    items += [_pair("enable_collisions", p) for p in srdf.enabled_pairs]
    items += [_pair("disable_collisions", p) for p in srdf.disabled_pairs]
    attributes_of_root = (("name", srdf.name or None), ("version", srdf.version))
    return Wanted("robot", attributes_of_root, (*configs, *margins), tuple(items))


def _group(group: Group) -> Wanted:
    items = [Wanted("chain", (("base_link", base), ("tip_link", tip))) for base, tip in group.chains]
    for tag, names in (("joint", group.joints), ("link", group.links), ("group", group.subgroups)):
        items += [Wanted(tag, (("name", name),)) for name in names]
    return Wanted("group", (("name", group.name),), items=tuple(items), key=(group.name,))


def _state(state: GroupState) -> Wanted:
    joints = tuple(
        Wanted("joint", (("name", name), ("value", numbers_text(values))), key=(name,))
        for name, values in state.positions.items()
    )
    return Wanted(
        "group_state", (("name", state.name), ("group", state.group)), items=joints, key=(state.name, state.group)
    )


def _tcps(tcps: tuple[ToolCenterPoint, ...]) -> list[Wanted]:
    groups: dict[str, list[Wanted]] = {}
    for tcp in tcps:
        wxyz = None if tcp.wxyz is None else numbers_text(tcp.wxyz)
        rpy = None if tcp.rpy is None else numbers_text(tcp.rpy)
        attributes = (("name", tcp.name), ("xyz", numbers_text(tcp.xyz)), ("wxyz", wxyz), ("rpy", rpy))
        groups.setdefault(tcp.group, []).append(Wanted("tcp", attributes, key=(tcp.name,)))
    return [
        Wanted("group_tcps", (("group", group),), items=tuple(items), key=(group,)) for group, items in groups.items()
    ]


def _pair(tag: str, pair: CollisionPair) -> Wanted:
    attributes = (("link1", pair.link1), ("link2", pair.link2), ("reason", pair.reason))
    return Wanted(tag, attributes, key=(pair.link1, pair.link2))


def _margins(margins: CollisionMargins) -> Wanted:
    pairs = tuple(
        Wanted(
            "pair_margin",
            (("link1", p.link1), ("link2", p.link2), ("margin", number_text(p.margin))),
            key=(p.link1, p.link2),
        )
        for p in margins.pairs
    )
    return Wanted("collision_margins", (("default_margin", number_text(margins.default_margin)),), items=pairs)
