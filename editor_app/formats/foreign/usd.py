"""A layer over a robot's USD, for Isaac Sim and Newton: ignored pairs as `physics:filteredPairs`, spheres as colliders.

The layer only adds: it takes in the robot's USD as the layer below, and names its prims by where URDF importers put
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from editor_app.formats.exchange.codec import (
    COLLIDE,
    SPHERES,
    Choice,
    Codec,
    Conversion,
    ConvertOptions,
    Part,
    Subject,
    Writer,
)
from editor_app.formats.exchange.conversion import ConversionReport, Reporter, masked_pairs
from editor_app.formats.exchange.drake import tell_contact
from editor_app.formats.exchange.sphere_lists import spheres_of_links, spheres_on_links, tell_buffers
from editor_app.formats.xml.morph import number_text
from editor_app.model.kinematic_graph import KinematicGraph
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import CollisionSphere

ROOT = Choice(
    "usd_root", "Prim of the robot", "prim of a USD that the robot's links are below (default: /NAME of the URDF)"
)
BELOW = Choice("usd_robot", "USD of the robot", "USD that the layer is for, as the layer names it (default: STEM.usd)")
LAYOUT = Choice(
    "usd_layout",
    "Links in the USD",
    "links in a USD: all below the robot's prim, as Isaac Sim's importer puts them, or each below its parent",
    (("all below the robot's prim", None), ("each below its parent", "nested")),
)


def layer_text(
    robot: RobotDescription, *, below: str, root: str, nested: bool, collide: bool
) -> tuple[str, ConversionReport]:
    """(text, report) of a layer. `below`: the robot's USD as the layer names it; `root`: the prim of its links."""
    xrdf, graph = robot.xrdf, KinematicGraph(robot.urdf)
    out = Reporter(f"XRDF {xrdf.format_version}", "USD layer")
    spheres = spheres_of_links(xrdf, robot.urdf, out)
    if spheres:
        use = "they collide" if collide else "shown, without contacts"
        out.taken("geometry", f"{spheres_on_links(spheres)}: {use}")
    tell_buffers(xrdf, "USD", out)
    tell_contact(robot.urdf, out.lost, "the layer has spheres and pairs alone")
    pairs = masked_pairs(xrdf, {link.name for link in robot.urdf.links}, "physics:filteredPairs", out)
    paths = {name: _path(root, _above(name, graph) if nested else [name]) for name in graph.links}
    names = [_identifier(part) for part in root.split("/") if part] or [_identifier(graph.root or "robot")]
    example = paths.get(graph.root or "", root)
    out.invented("places of the links", f"{example} and so on, in {below}: look whether they are there")
    filtered: dict[str, list[str]] = {}
    for pair in pairs:
        filtered.setdefault(pair.first, []).append(paths[pair.second])
    prims = {paths[name]: _prim(spheres.get(name, ()), filtered.get(name, ()), collide) for name in graph.links}
    # Three marks for a name that has one itself.
    at = "@@@" if "@" in below else "@"
    head = ["#usda 1.0", "(", f'    defaultPrim = "{names[0]}"', "    metersPerUnit = 1"]
    head += [f"    subLayers = [{at}{below}{at}]", '    upAxis = "Z"', ")", ""]
    lines = [*head, *_tree({path: prim for path, prim in prims.items() if prim[1]})]
    return "\n".join(lines) + "\n", out.report()


#: The API schemas of a prim, and the lines within it.
_Prim = tuple[tuple[str, ...], list[str]]


def _prim(spheres: Sequence[CollisionSphere], filtered: Sequence[str], collide: bool) -> _Prim:
    lines = [f"prepend rel physics:filteredPairs = [{', '.join(f'<{path}>' for path in filtered)}]"] if filtered else []
    for index, sphere in enumerate(spheres):
        lines += [
            f'def Sphere "planning_sphere_{index}" (',
            '    prepend apiSchemas = ["PhysicsCollisionAPI"]',
            ")",
            "{",
            f"    bool physics:collisionEnabled = {'1' if collide else '0'}",
            '    uniform token purpose = "guide"',
            f"    double radius = {number_text(sphere.radius)}",
            f"    double3 xformOp:translate = ({', '.join(map(number_text, sphere.center))})",
            '    uniform token[] xformOpOrder = ["xformOp:translate"]',
            "}",
        ]
    return (("PhysicsFilteredPairsAPI",) if filtered else ()), lines


def _tree(prims: Mapping[str, _Prim]) -> Iterator[str]:
    """Overs of the prims, each within the overs that are above it."""
    above: list[str] = []
    # The last path is above all: it closes what is open.
    for path in (*sorted(prims), ""):
        parts = path.split("/")[1:]
        while above != parts[: len(above)]:
            above.pop()
            yield "    " * len(above) + "}"
        for part in parts[len(above) :]:
            indent = "    " * len(above)
            above.append(part)
            schemas, lines = prims.get("/".join(["", *above]), ((), []))
            yield f'{indent}over "{part}"' + (" (" if schemas else "")
            if schemas:
                listed = ", ".join(f'"{schema}"' for schema in schemas)
                yield f"{indent}    prepend apiSchemas = [{listed}]"
                yield f"{indent})"
            yield f"{indent}{{"
            yield from (f"{indent}    {line}" for line in lines)


def _above(link: str, graph: KinematicGraph) -> list[str]:
    """The links from the root down to one."""
    chain = [link]
    while (joint := graph.incoming.get(chain[0])) is not None and joint.parent not in chain:
        chain.insert(0, joint.parent)
    return chain


def _path(root: str, names: Sequence[str]) -> str:
    return "/".join(["", *(_identifier(name) for name in (*filter(None, root.split("/")), *names))])


def _identifier(name: str) -> str:
    """A name as USD allows it; importers write them the same way."""
    text = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return text if text[:1].isalpha() or text[:1] == "_" else f"_{text}"


def _write(subject: Subject, output: Path, options: ConvertOptions) -> Conversion:
    source = subject.files.urdf
    stem = source.source.path.stem if source is not None and source.source.path is not None else "robot"
    text, report = layer_text(
        subject.robot,
        below=options.text(BELOW.name) or f"./{stem}.usd",
        root=options.text(ROOT.name) or f"/{subject.robot.urdf.name or stem}",
        nested=options.text(LAYOUT.name) is not None,
        collide=options.text(SPHERES.name) == COLLIDE,
    )
    return subject.written([(output, text)], report)


CODEC = Codec(
    name="usd",
    title="USD &layer over a robot",
    pattern="*.usda",
    choices=(ROOT, BELOW),
    writer=Writer(
        _write,
        endings=(".usda",),
        proposal="_planning.usda",
        holds=frozenset({Part.SPHERES}),
        takes=("ignore",),
        choices=(LAYOUT, SPHERES),
    ),
)
