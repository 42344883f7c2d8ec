"""A layer over a robot's USD: ignored pairs as `physics:filteredPairs`, spheres as colliders.

The layer only adds: it includes the robot's USD as the layer below, and names its prims by where
they are there.
"""

from __future__ import annotations

from collections.abc import Mapping

from editor_app.core.formats.exchange.conversion import ConversionReport, Reporter, masked_pairs
from editor_app.core.formats.exchange.drake import tell_contact
from editor_app.core.formats.exchange.identifiers import identifier, identifiers
from editor_app.core.formats.exchange.sphere_lists import (
    count_spheres_on_links,
    spheres_of_links,
    tell_buffers,
)
from editor_app.core.model.counting import format_list
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Urdf
from editor_app.plugins.usd.writing_prims import (
    MOST_NAMES,
    Prim,
    add_filtered,
    asset_text,
    ball_prefix,
    layer_lines,
    quoted,
    sphere_prims,
)


def usual_places(urdf: Urdf, root: str, *, nested: bool) -> dict[str, str]:
    """Link -> path of its prim, where URDF importers put it: below `root`, or each below its
    parent."""
    graph = KinematicGraph(urdf)
    ids = identifiers(link.name for link in urdf.links)
    above = [identifier(part) for part in root.split("/") if part]
    return {
        n: "/".join(("", *above, *(ids[m] for m in (_above(n, graph) if nested else [n]))))
        for n in ids
    }


def layer_text(
    robot: RobotDescription, *, below: str, places: Mapping[str, str], collide: bool
) -> tuple[str, ConversionReport]:
    """(text, report) of a layer. `below`: the robot's USD as the layer names it; `places`: link ->
    path of its prim."""
    xrdf = robot.xrdf
    out = Reporter(f"XRDF {xrdf.format_version}", "USD layer")
    spheres = spheres_of_links(xrdf, robot.urdf, out)
    if spheres:
        use = "they collide" if collide else "visible, without contacts"
        out.taken("geometry", f"{count_spheres_on_links(spheres)}: {use}")
    tell_buffers(xrdf, "USD", out)
    tell_contact(robot.urdf, out.lost, "the layer has only spheres and pairs")
    pairs = masked_pairs(
        xrdf, {link.name for link in robot.urdf.links}, "physics:filteredPairs", out
    )
    _report_names(places, out)
    example = places.get(KinematicGraph(robot.urdf).root or "") or next(
        iter(places.values()), "/robot"
    )
    out.invented("places of the links", f"{example} and so on, in {below}: check that they exist")
    filtered: dict[str, list[str]] = {}
    for pair in pairs:
        filtered.setdefault(pair.first, []).append(places[pair.second])
    ball = ball_prefix(path.rpartition("/")[2] for path in places.values())
    tree = Overs()
    for path, link in sorted((path, link) for link, path in places.items()):
        if link in spheres or link in filtered:
            prim = tree.at(path)
            add_filtered(prim, filtered.get(link, ()))
            prim.children[:0] = sphere_prims(spheres.get(link, ()), ball, collide=collide)
    head = [f"defaultPrim = {quoted(example.split('/')[1])}", "metersPerUnit = 1"]
    return layer_lines(
        [*head, f"subLayers = [{asset_text(below)}]", 'upAxis = "Z"'], tree.roots
    ), out.report()


class Overs:
    """Overs of prims, each inside the overs that are above it."""

    def __init__(self) -> None:
        self.roots: list[Prim] = []
        self._by_path: dict[str, Prim] = {}

    def at(self, path: str) -> Prim:
        siblings, parts = self.roots, path.split("/")[1:]
        for count, name in enumerate(parts, 1):
            key = "/".join(parts[:count])
            if key not in self._by_path:
                self._by_path[key] = Prim(name, specifier="over")
                siblings.append(self._by_path[key])
            siblings = self._by_path[key].children
        return self._by_path["/".join(parts)]


def _report_names(places: Mapping[str, str], out: Reporter) -> None:
    names = {link: path.rpartition("/")[2] for link, path in places.items()}
    changed = [f"{link}: {name}" for link, name in names.items() if identifier(link) != name]
    if changed:
        detail = (
            f"{format_list(changed, MOST_NAMES)}: two names would be the same prim; check the "
            "names in the import"
        )
        out.invented("names of prims", detail)


def _above(link: str, graph: KinematicGraph) -> list[str]:
    """The links from the root down to one."""
    chain = [link]
    while (joint := graph.incoming.get(chain[0])) is not None and joint.parent not in chain:
        chain.insert(0, joint.parent)
    return chain
