"""Elements of a URDF that Drake alone reads: ignored pairs as filter groups, and how shapes touch,
as Gazebo says it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from editor_app.core.formats.exchange.conversion import Reporter, TextConversion, masked_pairs
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.urdf.patch import DRAKE, DRAKE_URI
from editor_app.core.model.counting import format_count
from editor_app.core.model.urdf import Extension, Proximity, Urdf
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.splices import apply_splices
from editor_app.core.text.xml.document import parse_xml
from editor_app.core.text.xml.morph import build_piece
from editor_app.core.text.xml.splices import NewElement, insert_elements, set_attribute
from editor_app.core.text.yaml.plain import read_finite_number

#: The beginning of the names of Drake's groups.
_GROUP = "masked_"
#: What libsdformat reads of `<gazebo reference="LINK">` about contacts, and Drake has nothing for.
_UNKNOWN = ("fdir1", "minDepth", "maxVel", "maxContacts", "selfCollide", "laserRetro")


def with_filter_groups(text: SourceText, xrdf: Xrdf) -> TextConversion:
    """The URDF with Drake's collision filter groups: one for each link of an ignored pair, which
    leaves out the others.

    Raises FormatError for a text that is no URDF.
    """
    source = read_urdf(text)
    out = Reporter(f"XRDF {xrdf.format_version}", "URDF with Drake's elements")
    links = {link.name for link in source.value.links}
    pairs = masked_pairs(xrdf, links, "drake:collision_filter_group", out)
    out.translated(
        "bodies connected by a joint",
        "not checked by Drake, unless adjacent_bodies_collision_filters is off",
    )
    if not pairs:
        return TextConversion(text.text, out.report())
    others: dict[str, list[str]] = {}
    for pair in pairs:
        others.setdefault(pair.first, []).append(pair.second)
        others.setdefault(pair.second, [])
    document, root = source.document, source.document.root
    groups = [_filter_group(link, ignored_links) for link, ignored_links in others.items()]
    splices = [
        insert_elements(document, root, groups, after=root.children[-1] if root.children else None)
    ]
    if root.get(DRAKE) is None:
        splices += set_attribute(document, root, DRAKE, DRAKE_URI)
    return TextConversion(apply_splices(text.text, splices), out.report())


def _filter_group(link: str, others: Sequence[str]) -> NewElement:
    member = build_piece("drake:member", link=link)
    ignored = (
        build_piece("drake:ignored_collision_filter_group", name=_GROUP + other) for other in others
    )
    return build_piece("drake:collision_filter_group", member, *ignored, name=_GROUP + link)


def tell_contact(urdf: Urdf, tell: Callable[[str, str], None], detail: str) -> None:
    """Tells what becomes of the contact that a URDF has for Drake; nothing where it has none."""
    count = sum(any(collision.proximity for collision in link.collisions) for link in urdf.links)
    if count:
        tell("drake:proximity_properties", f"of {format_count(count, 'link')}: {detail}")


def gazebo_contacts(urdf: Urdf, out: Reporter) -> dict[str, Proximity]:
    """How links touch in Drake as `<gazebo reference="LINK">` says, where the file tells Drake
    nothing itself.

    Gazebo's `kp` and `kd` are a spring and a damper beside each other: Drake's stiffness is `kp`,
    its relaxation time `kd / kp`
    (https://drake.mit.edu/doxygen_cxx/group__contact__engineering.html). `mu1` and `mu2` are two
    directions of friction, of which Drake has one: the smaller is taken.
    """
    contacts = {}
    for link in urdf.links:
        texts: dict[str, str] = {}
        for extension in urdf.extensions:
            if extension.tag == "gazebo" and extension.reference == link.name:
                texts |= _texts(extension)
        item = f"Gazebo's contact of {link.name}"
        if texts and any(collision.proximity is not None for collision in link.collisions):
            out.kept(item, "the file already has Drake's elements for it")
        elif texts and (proximity := _proximity(texts, item, out)) != Proximity():
            contacts[link.name] = proximity
            out.translated(item, "drake:proximity_properties")
    return contacts


def _proximity(texts: dict[str, str], item: str, out: Reporter) -> Proximity:
    values = {
        name: value
        for name in ("mu1", "mu2", "kp", "kd")
        if (value := read_finite_number(texts.get(name, ""))) is not None
    }
    lost = [f"{name} {texts[name]}" for name in texts if name not in values]
    frictions = [values[name] for name in ("mu1", "mu2") if name in values]
    if len(set(frictions)) > 1:
        lost.append(f"mu {max(frictions):g}, the greater of two directions")
    stiffness, damping = values.get("kp"), values.get("kd")
    if stiffness is not None and stiffness <= 0.0:
        lost.append(f"kp {stiffness:g}, since stiffness is greater than 0")
        stiffness = None
    relaxation = damping / stiffness if damping is not None and stiffness is not None else None
    if damping is not None and relaxation is None:
        lost.append(f"kd {damping:g}, which is a relaxation time only with kp")
    if lost:
        out.lost(item, f"Drake has no {'; '.join(lost)}")
    friction = min(frictions, default=None)
    return Proximity(
        point_contact_stiffness=stiffness,
        relaxation_time=relaxation,
        mu_dynamic=friction,
        mu_static=friction,
    )


def _texts(extension: Extension) -> dict[str, str]:
    """What a Gazebo element says of contacts: a number is an element's text, or its attribute
    `value`."""
    try:
        children = parse_xml(SourceText.from_text(extension.text)).root.children
    except FormatError:
        return {}
    return {
        child.tag: child.get("value") or (child.text or "").strip()
        for child in children
        if child.tag in ("mu1", "mu2", "kp", "kd", *_UNKNOWN)
    }
