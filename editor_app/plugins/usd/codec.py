"""USD: a robot out of a stage, or a layer over a robot's USD for Isaac Sim and Newton.

The layer only adds ignored pairs as `physics:filteredPairs` and spheres as colliders: it takes in the robot's USD as
the layer below, and names its prims by where URDF importers put them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from editor_app.core.formats.exchange.codec import (
    COLLIDE,
    ROBOT,
    SPHERES,
    Choice,
    Codec,
    Conversion,
    ConvertOptions,
    Part,
    Subject,
    Writer,
)
from editor_app.core.formats.exchange.conversion import ConversionReport, Reporter, masked_pairs
from editor_app.core.formats.exchange.drake import tell_contact
from editor_app.core.formats.exchange.identifiers import identifier, identifiers
from editor_app.core.formats.exchange.sphere_lists import spheres_of_links, spheres_on_links, tell_buffers
from editor_app.core.model.counting import listed
from editor_app.core.model.findings import Location
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.text.source import FormatError
from editor_app.core.text.xml.morph import number_text
from editor_app.plugins.usd.reading.read import VARIANTS, offers_of_usd, read_usd

#: How the prims of spheres begin, and names that a report lists.
_BALL, _MOST = "planning_sphere_", 6
ROOT = Choice("usd_root", "Prim of the robot", "prim in the USD above the robot's links (default: /NAME of the URDF)")
BELOW = Choice("usd_robot", "USD of the robot", "USD to layer over, as named in the layer (default: STEM.usd)")
LAYOUT = Choice(
    "usd_layout",
    "Links in the USD",
    "links in the USD: all below the robot's prim, as Isaac Sim's importer does, or each below its parent",
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
        use = "they collide" if collide else "visible, without contacts"
        out.taken("geometry", f"{spheres_on_links(spheres)}: {use}")
    tell_buffers(xrdf, "USD", out)
    tell_contact(robot.urdf, out.lost, "the layer has only spheres and pairs")
    pairs = masked_pairs(xrdf, {link.name for link in robot.urdf.links}, "physics:filteredPairs", out)
    ids = identifiers(link.name for link in robot.urdf.links)
    names = [identifier(part) for part in root.split("/") if part]
    paths = {n: "/".join(("", *names, *(ids[m] for m in (_above(n, graph) if nested else [n])))) for n in ids}
    names = names or [ids[graph.root] if graph.root is not None else "robot"]
    example = paths.get(graph.root or "", root)
    _report_identifiers(ids, out)
    out.invented("places of the links", f"{example} and so on, in {below}: check that they exist")
    filtered: dict[str, list[str]] = {}
    for pair in pairs:
        filtered.setdefault(pair.first, []).append(paths[pair.second])
    ball = _BALL
    while any(each.startswith(ball) for each in ids.values()):
        ball = f"_{ball}"
    prims = {paths[n]: _prim(spheres.get(n, ()), filtered.get(n, ()), collide=collide, ball=ball) for n in ids}
    # Three marks for a name that has one itself.
    at, below = ("@@@", below.replace("@@@", "\\@@@")) if "@" in below else ("@", below)
    head = ["#usda 1.0", "(", f'    defaultPrim = "{names[0]}"', "    metersPerUnit = 1"]
    head += [f"    subLayers = [{at}{below}{at}]", '    upAxis = "Z"', ")", ""]
    lines = [*head, *_tree({path: prim for path, prim in prims.items() if prim[1]})]
    return "\n".join(lines) + "\n", out.report()


#: The API schemas of a prim, and the lines within it.
_Prim = tuple[tuple[str, ...], list[str]]


def _report_identifiers(ids: Mapping[str, str], out: Reporter) -> None:
    changed = [f"{name}: {text}" for name, text in ids.items() if identifier(name) != text]
    if changed:
        detail = f"{listed(changed, _MOST)}: two names would be the same prim; check the names in the import"
        out.invented("names of prims", detail)


def _prim(spheres: Sequence[CollisionSphere], filtered: Sequence[str], *, collide: bool, ball: str) -> _Prim:
    lines = [f"prepend rel physics:filteredPairs = [{', '.join(f'<{path}>' for path in filtered)}]"] if filtered else []
    for index, sphere in enumerate(spheres):
        lines += [
            f'def Sphere "{ball}{index}" (',
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


def _write(subject: Subject, output: Path, options: ConvertOptions) -> Conversion:
    source = subject.files.urdf
    stem = source.source.path.stem if source is not None and source.source.path is not None else "robot"
    below = options.text(BELOW.name) or f"./{stem}.usd"
    if not below.isprintable():
        raise FormatError(f"USD cannot name the file {below!r}", Location(str(output)), "Name it with --usd-robot.")
    text, report = layer_text(
        subject.robot,
        below=below,
        root=options.text(ROOT.name) or f"/{identifier(subject.robot.urdf.name or stem)}",
        nested=options.text(LAYOUT.name) is not None,
        collide=options.text(SPHERES.name) == COLLIDE,
    )
    return subject.written([(output, text)], report)


CODEC = Codec(
    name="usd",
    title="USD &layer over a robot",
    pattern="*.usd *.usda *.usdc *.usdz",
    endings=(".usd", ".usda", ".usdc", ".usdz"),
    read=read_usd,
    is_whole=True,
    choices=(ROBOT, VARIANTS, ROOT, BELOW),
    offers=offers_of_usd,
    writer=Writer(
        _write,
        endings=(".usda",),
        proposal="_planning.usda",
        holds=frozenset({Part.SPHERES}),
        takes=("ignore",),
        choices=(LAYOUT, SPHERES),
    ),
)
