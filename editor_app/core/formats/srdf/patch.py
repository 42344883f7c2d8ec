"""Model -> text: what differs from the model as read is spliced into the text as read; and the text
of a new file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace

from editor_app.core.formats.srdf.read import PLAIN, SrdfSource, read_srdf
from editor_app.core.model.findings import Location
from editor_app.core.model.lineage import Lineage, Trace, traced_items
from editor_app.core.model.srdf import CollisionMargins, Group, GroupState, Srdf, ToolCenterPoint
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.splices import apply_splices
from editor_app.core.text.xml.document import XmlElement
from editor_app.core.text.xml.morph import (
    Wanted,
    format_document,
    format_xml_number,
    format_xml_numbers,
    morph,
)
from editor_app.core.text.xml.splices import delete_element

#: Elements of attributes alone, and the fields of their lists.
_BEFORE_SPHERES = (
    ("end_effector", "end_effectors"),
    ("virtual_joint", "virtual_joints"),
    ("passive_joint", "passive_joints"),
    ("joint_property", "joint_properties"),
)
_BEHIND_SPHERES = (
    ("disable_default_collisions", "default_disabled_links"),
    ("enable_collisions", "enabled_pairs"),
    ("disable_collisions", "disabled_pairs"),
)


@dataclass(frozen=True, eq=False)
class SrdfPatch:
    """`text` is to be saved; `notes` say what could not be edited in place."""

    text: str
    notes: tuple[str, ...]
    written: SrdfSource


def patch_srdf(source: SrdfSource, srdf: Srdf, lineage: Lineage[Srdf] | None = None) -> SrdfPatch:
    """The text of `source` with what differs in `srdf` written into it; the result was read again
    and compared.

    `lineage` says which elements are which; without one, the two models are compared. Raises
    FormatError for a model that cannot be written (names that XML does not allow, values that are
    not finite).
    """
    if srdf is source.value or srdf == source.value:
        return SrdfPatch(source.source.text, (), source)
    notes: tuple[str, ...] = ()
    joined = _joined_tcps(source)
    if joined is not source and srdf.tcps != source.value.tcps:
        notes = ("tool centre points of one group were in several places and are now together",)
    else:
        joined = source
    place = source.document.location(source.document.root)

    def items(parent: XmlElement, tag: str) -> list[XmlElement]:
        return joined.items(parent, tag)

    elements = (
        srdf_element(Lineage(joined.value, joined.value)),
        srdf_element(Lineage.between(joined.value, srdf, lineage)),
    )
    try:
        splices = morph(
            joined.document, joined.document.root, *elements, items, keys_are_paths=True
        )
        text = apply_splices(joined.source.text, splices)
    except ValueError as error:
        raise FormatError(f"The change cannot be written as SRDF: {error}", place) from None
    written = read_srdf(source.source.with_text(text))
    if canonical(written.value) != canonical(srdf):
        is_now, shall = canonical(written.value), canonical(srdf)
        names = [n for n in Srdf.__dataclass_fields__ if getattr(is_now, n) != getattr(shall, n)]
        raise FormatError(
            f"The change of {', '.join(names)} cannot be written as SRDF",
            place,
            "Numbers must be finite, names must not be empty, and each joint or link may appear "
            "only once in a list.",
        )
    return SrdfPatch(text, notes, written)


def canonical(srdf: Srdf) -> Srdf:
    """Return the SRDF with its tool centre points ordered by the first place of their group, as a
    file has them."""
    order: dict[str, list[ToolCenterPoint]] = {}
    for tcp in srdf.tcps:
        order.setdefault(tcp.group, []).append(tcp)
    return replace(srdf, tcps=tuple(t for tcps in order.values() for t in tcps))


def _joined_tcps(source: SrdfSource) -> SrdfSource:
    """The source with one `group_tcps` per group; the very same when it is so already."""
    root = source.document.root
    blocks = source.items(root, "group_tcps")
    counts = Counter(e.get("group") for e in blocks)
    if all(n == 1 for n in counts.values()) and all(source.items(e, "tcp") for e in blocks):
        return source
    without = replace(source.value, tcps=())
    text = apply_splices(
        source.source.text, [s for e in blocks for s in delete_element(source.document, e)]
    )
    bare = read_srdf(source.source.with_text(text))
    assert bare.value == without
    return patch_srdf(bare, source.value).written


def srdf_element(lineage: Lineage[Srdf]) -> Wanted:
    """`<robot>` of the new SRDF; the order of the sections is that of MoveIt's writer, then
    Tesseract's."""
    srdf, trace = lineage.new, lineage.settled()
    margins = () if srdf.margins is None else (_margins(srdf.margins, trace.child("margins")),)
    configs = tuple(Wanted(tag, (("filename", name),)) for tag, name in srdf.configs.items())

    def plain(tag: str, name: str) -> Iterator[Wanted]:
        """Elements of attributes alone, of one list."""
        needed, optional = PLAIN[tag]
        for item, traced in traced_items(getattr(srdf, name), trace, name):
            values = (item,) if isinstance(item, str) else astuple(item)
            yield Wanted(
                tag, tuple(zip((*needed, *optional), values, strict=True)), key=traced.origin
            )

    items: list[Wanted] = [
        _group(group, traced) for group, traced in traced_items(srdf.groups, trace, "groups")
    ]
    items += [_state(state, traced) for state, traced in traced_items(srdf.states, trace, "states")]
    items += _tcps(lineage.old.tcps, srdf.tcps, trace.child("tcps"))
    for tag, name in _BEFORE_SPHERES:
        items += plain(tag, name)
    by_link = trace.child("sphere_approximations")
    for link, spheres in srdf.sphere_approximations.items():
        inner = tuple(
            Wanted(
                "sphere",
                (("center", format_xml_numbers(s.center)), ("radius", format_xml_number(s.radius))),
                key=traced.origin,
            )
            for s, traced in traced_items(spheres, by_link, link)
        )
        key = by_link.child(link).origin
        items.append(Wanted("link_sphere_approximation", (("link", link),), items=inner, key=key))
    for tag, name in _BEHIND_SPHERES:
        items += plain(tag, name)
    attributes_of_root = (("name", srdf.name or None), ("version", srdf.version))
    return Wanted("robot", attributes_of_root, (*configs, *margins), tuple(items))


def _group(group: Group, trace: Trace) -> Wanted:
    items = [
        Wanted("chain", (("base_link", base), ("tip_link", tip)), key=traced.origin)
        for (base, tip), traced in traced_items(group.chains, trace, "chains")
    ]
    for tag, name in (("joint", "joints"), ("link", "links"), ("group", "subgroups")):
        listed: tuple[str, ...] = getattr(group, name)
        items += [
            Wanted(tag, (("name", x),), key=traced.origin)
            for x, traced in traced_items(listed, trace, name)
        ]
    return Wanted("group", (("name", group.name),), items=tuple(items), key=trace.origin)


def _state(state: GroupState, trace: Trace) -> Wanted:
    positions = trace.child("positions")
    joints = tuple(
        Wanted(
            "joint",
            (("name", name), ("value", format_xml_numbers(values))),
            key=positions.child(name).origin,
        )
        for name, values in state.positions.items()
    )
    return Wanted(
        "group_state",
        (("name", state.name), ("group", state.group)),
        items=joints,
        key=trace.origin,
    )


def _tcps(
    old: tuple[ToolCenterPoint, ...], tcps: tuple[ToolCenterPoint, ...], trace: Trace
) -> list[Wanted]:
    """An element for each group, which is the one that the first of its points as read was in."""
    groups: dict[str, list[Wanted]] = {}
    keys: dict[str, tuple[object, ...]] = {}
    for index, (tcp, step) in enumerate(zip(tcps, trace.steps(range(len(tcps))), strict=True)):
        wxyz = None if tcp.wxyz is None else format_xml_numbers(tcp.wxyz)
        rpy = None if tcp.rpy is None else format_xml_numbers(tcp.rpy)
        attributes = (
            ("name", tcp.name),
            ("xyz", format_xml_numbers(tcp.xyz)),
            ("wxyz", wxyz),
            ("rpy", rpy),
        )
        groups.setdefault(tcp.group, []).append(
            Wanted("tcp", attributes, key=trace.child(index).origin)
        )
        key = (old[step].group,) if isinstance(step, int) else None
        if key is not None and key not in keys.values():
            keys.setdefault(tcp.group, key)
    return [
        Wanted("group_tcps", (("group", group),), items=tuple(items), key=keys.get(group))
        for group, items in groups.items()
    ]


def _margins(margins: CollisionMargins, trace: Trace) -> Wanted:
    pairs = tuple(
        Wanted(
            "pair_margin",
            (("link1", p.link1), ("link2", p.link2), ("margin", format_xml_number(p.margin))),
            key=traced.origin,
        )
        for p, traced in traced_items(margins.pairs, trace, "pairs")
    )
    return Wanted(
        "collision_margins",
        (("default_margin", format_xml_number(margins.default_margin)),),
        items=pairs,
    )


def srdf_text(srdf: Srdf) -> str:
    """A whole file for a model. Raises FormatError for what XML cannot hold, or values that are not
    finite."""
    try:
        text = format_document(srdf_element(Lineage(srdf, srdf)).element(), encoding="UTF-8")
    except ValueError as error:
        raise FormatError(
            f"It cannot be written as SRDF: {error}", Location("<new SRDF>")
        ) from None
    written = read_srdf(SourceText.from_text(text)).value
    if canonical(written) != canonical(srdf):
        names = [n for n in Srdf.__dataclass_fields__ if getattr(written, n) != getattr(srdf, n)]
        raise FormatError(f"{', '.join(names)} cannot be written as SRDF", Location("<new SRDF>"))
    return text
