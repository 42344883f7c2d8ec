"""Model -> text: what differs from the model as read is spliced into the text as read; and the text of a new file."""

from __future__ import annotations

from collections import Counter
from dataclasses import astuple, dataclass, replace

from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.splices import apply_splices
from editor_app.formats.srdf.read import PLAIN, SrdfSource, read_srdf
from editor_app.formats.xml.document import XmlElement
from editor_app.formats.xml.morph import Wanted, document_text, morph, number_text, numbers_text
from editor_app.formats.xml.splices import delete_element
from editor_app.model.findings import Location
from editor_app.model.srdf import CollisionMargins, Group, GroupState, Srdf, ToolCenterPoint


@dataclass(frozen=True, eq=False)
class SrdfPatch:
    """`text` is to be saved; `notes` say what could not be edited in place."""

    text: str
    notes: tuple[str, ...]
    written: SrdfSource


def patch_srdf(source: SrdfSource, srdf: Srdf) -> SrdfPatch:
    """The text of `source` with what differs in `srdf` written into it; the result was read again and compared.

    Raises FormatError for a model that cannot be written (names that XML does not allow, values that are not finite).
    """
    if srdf is source.srdf or srdf == source.srdf:
        return SrdfPatch(source.source.text, (), source)
    notes: tuple[str, ...] = ()
    joined = _joined_tcps(source)
    if joined is not source and srdf.tcps != source.srdf.tcps:
        notes = ("the tool centre points of one group, which stood in several places, were brought together",)
    else:
        joined = source
    place = source.document.location(source.document.root)

    def items(parent: XmlElement, tag: str) -> list[XmlElement]:
        return joined.items(parent, tag)

    try:
        splices = morph(joined.document, joined.document.root, srdf_element(joined.srdf), srdf_element(srdf), items)
        text = apply_splices(joined.source.text, splices)
    except ValueError as error:
        raise FormatError(f"The change cannot be written as SRDF: {error}", place) from None
    written = read_srdf(source.source.with_text(text))
    if canonical(written.srdf) != canonical(srdf):
        is_now, shall = canonical(written.srdf), canonical(srdf)
        names = [n for n in Srdf.__dataclass_fields__ if getattr(is_now, n) != getattr(shall, n)]
        raise FormatError(
            f"The change of {', '.join(names)} cannot be written as SRDF",
            place,
            "Numbers must be finite, names must not be empty, and a joint or link may stand once in one list.",
        )
    return SrdfPatch(text, notes, written)


def canonical(srdf: Srdf) -> Srdf:
    """The same, with the tool centre points ordered by the first place of their group, as a file has them."""
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
    without = replace(source.srdf, tcps=())
    text = apply_splices(source.source.text, [s for e in blocks for s in delete_element(source.document, e)])
    bare = read_srdf(source.source.with_text(text))
    assert bare.srdf == without
    return patch_srdf(bare, source.srdf).written


def srdf_element(srdf: Srdf) -> Wanted:
    """`<robot>`; the order of the sections is that of MoveIt's writer, then Tesseract's."""
    margins = () if srdf.margins is None else (_margins(srdf.margins),)
    configs = tuple(Wanted(tag, (("filename", name),)) for tag, name in srdf.configs.items())
    items: list[Wanted] = [_group(g) for g in srdf.groups]
    items += [_state(s) for s in srdf.states]
    items += _tcps(srdf.tcps)
    items += [_plain("end_effector", astuple(effector), 1) for effector in srdf.end_effectors]
    items += [_plain("virtual_joint", astuple(joint), 1) for joint in srdf.virtual_joints]
    items += [_plain("passive_joint", (name,), 0) for name in srdf.passive_joints]
    items += [_plain("joint_property", astuple(stated), 2) for stated in srdf.joint_properties]
    for link, spheres in srdf.sphere_approximations.items():
        inner = tuple(
            Wanted("sphere", (("center", numbers_text(s.center)), ("radius", number_text(s.radius)))) for s in spheres
        )
        items.append(Wanted("link_sphere_approximation", (("link", link),), items=inner, key=(link,)))
    items += [_plain("disable_default_collisions", (link,), 0) for link in srdf.default_disabled_links]
    items += [_plain("enable_collisions", astuple(pair), 2) for pair in srdf.enabled_pairs]
    items += [_plain("disable_collisions", astuple(pair), 2) for pair in srdf.disabled_pairs]
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


def _plain(tag: str, values: tuple[str | None, ...], known_by: int) -> Wanted:
    """An element of attributes alone; the first `known_by` of them tell it from others of its tag."""
    needed, optional = PLAIN[tag]
    key = tuple(value or "" for value in values[:known_by])
    return Wanted(tag, tuple(zip((*needed, *optional), values, strict=True)), key=key)


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


def srdf_text(srdf: Srdf) -> str:
    """A whole file for a model. Raises FormatError for what XML cannot hold, or values that are not finite."""
    try:
        text = document_text(srdf_element(srdf).element(), encoding="UTF-8")
    except ValueError as error:
        raise FormatError(f"It cannot be written as SRDF: {error}", Location("<new SRDF>")) from None
    written = read_srdf(SourceText.from_text(text)).srdf
    if canonical(written) != canonical(srdf):
        names = [n for n in Srdf.__dataclass_fields__ if getattr(written, n) != getattr(srdf, n)]
        raise FormatError(f"{', '.join(names)} cannot be written as SRDF", Location("<new SRDF>"))
    return text
