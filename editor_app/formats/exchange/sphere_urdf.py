"""XRDF's spheres as collision geometry, spliced into a copy of the URDF's text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from editor_app.formats.exchange.report import Reporter, TextConversion
from editor_app.formats.exchange.sphere_lists import spheres_of_links, tell_buffers
from editor_app.formats.source import FormatError
from editor_app.formats.urdf import UrdfSource, read_urdf
from editor_app.formats.urdf.wanted import DRAKE, DRAKE_URI, proximity_element
from editor_app.formats.xml import Splice, XmlElement, apply_splices, delete_element, set_attribute
from editor_app.formats.xml.morph import Wanted, morph, number_text, numbers_text
from editor_app.formats.xml.splices import replace_element
from editor_app.model.counting import counted
from editor_app.model.frozen import FrozenDict
from editor_app.model.urdf import Proximity
from editor_app.model.xrdf import CollisionSphere, Xrdf


def spheres_urdf_text(
    source: UrdfSource, xrdf: Xrdf, contacts: Mapping[str, Proximity] = FrozenDict()
) -> TextConversion:
    """The URDF with the collision geometry of every link replaced by its spheres against obstacles.

    The spheres touch in Drake as the shapes of their link do, else by `contacts` (link -> how).

    Raises FormatError when a value is not finite.
    """
    out = Reporter(f"XRDF {xrdf.format_version}", "URDF with spheres")
    spheres = spheres_of_links(xrdf, source.urdf, out)
    splices: list[Splice] = []
    for link, element in zip(source.urdf.links, source.link_elements, strict=True):
        proximity = link.proximity or contacts.get(link.name)
        if proximity is not None and proximity.hydroelastic and not proximity.mesh_resolution_hint:
            # Drake can do without it for boxes and meshes alone.
            sizes = [sphere.radius for sphere in spheres.get(link.name, ())]
            proximity = replace(proximity, mesh_resolution_hint=max(sizes, default=0.0) / 2)
            out.invented(f"mesh_resolution_hint of {link.name}", "half the radius of its largest sphere")
        wanted = [_collision(s, i, proximity) for i, s in enumerate(spheres.get(link.name, ()))]
        kinds = {collision.proximity for collision in link.collisions}
        if wanted and len(kinds) > 1:
            out.lost(f"drake:proximity_properties of {link.name}", "its collision shapes have not all the same")
        splices += _replaced(source, element.link, element.collisions, wanted)
    document = source.document
    if contacts and document.root.get(DRAKE) is None:
        splices += set_attribute(document, document.root, DRAKE, DRAKE_URI)
    text = apply_splices(source.source.text, splices)
    written = read_urdf(source.source.with_text(text))
    counts = {link.name: len(link.collisions) for link in written.urdf.links}
    if any(counts.get(link, 0) != len(of_link) for link, of_link in spheres.items()):
        raise FormatError("The spheres cannot be written", source.document.location(source.document.root))
    total = sum(map(len, spheres.values()))
    out.translated("geometry", f"{counted(total, 'sphere')} as collision geometry of {counted(len(spheres), 'link')}")
    bare = [link.name for link in source.urdf.links if link.collisions and not spheres.get(link.name)]
    if bare:
        out.lost("collision geometry", f"of links that have no spheres: {', '.join(bare)}")
    tell_buffers(xrdf, "a URDF", out)
    return TextConversion(text, out.report())


def _replaced(
    source: UrdfSource, link: XmlElement, old_elements: Sequence[XmlElement], new: Sequence[Wanted]
) -> list[Splice]:
    """New collision elements in the place of the old ones, as a whole: none of them is one of those, changed."""
    if not old_elements:
        return morph(source.document, link, Wanted("link"), Wanted("link", items=tuple(new)), lambda p, t: ())
    splices = [s for element in old_elements for s in delete_element(source.document, element)]
    if new:
        splices[0] = replace_element(source.document, old_elements[0], [w.element() for w in new])
    return splices


def _collision(sphere: CollisionSphere, index: int, proximity: Proximity | None) -> Wanted:
    origin = Wanted("origin", (("xyz", numbers_text(sphere.center)), ("rpy", "0 0 0")))
    ball = Wanted("sphere", (("radius", number_text(sphere.radius)),))
    touch = () if proximity is None else (proximity_element(proximity),)
    return Wanted("collision", parts=(origin, Wanted("geometry", parts=(ball,)), *touch), key=("new", str(index)))
