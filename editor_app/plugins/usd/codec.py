"""USD: a robot out of a stage, a stage of a robot that needs no other file, or a layer over a USD that exists."""

from __future__ import annotations

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
from editor_app.core.formats.exchange.conversion import ConversionReport
from editor_app.core.formats.exchange.identifiers import identifier
from editor_app.core.formats.exchange.meshes import meshes_at_hand
from editor_app.core.model.findings import Location
from editor_app.core.text.source import FormatError
from editor_app.plugins.usd.reading.read import VARIANTS, offers_of_usd, read_usd
from editor_app.plugins.usd.writing import BALLS, TRIANGLES, StageChoices, stage_text
from editor_app.plugins.usd.writing_binary import PACKAGE, with_ending
from editor_app.plugins.usd.writing_layer import layer_text, usual_places

_LAYER, _FREE = "layer", "free"
ROOT = Choice("usd_root", "Prim of the robot", "prim in the USD above the robot's links (default: /NAME of the URDF)")
BELOW = Choice(
    "usd_robot",
    "USD of the robot",
    "write a layer over this USD of the robot, named as in the layer (with --usd-form layer: STEM.usd by default)",
)
FORM = Choice(
    "usd_form",
    "USD",
    "a stage that needs no other file, or a layer that adds mask and spheres to a USD that exists",
    (("the whole robot", None), ("layer over the robot's USD", _LAYER)),
)
LAYOUT = Choice(
    "usd_layout",
    "Links in the USD",
    "links in the USD: all below the robot's prim, as Isaac Sim's importer does, or each below its parent",
    (("all below the robot's prim", None), ("each below its parent", "nested")),
)
COLLISION = Choice(
    "usd_collision",
    "What collides",
    "what collides in a whole robot: convex hulls of the collision meshes, their triangles, or the spheres",
    (("convex hulls", None), ("triangle meshes", TRIANGLES), ("spheres", BALLS)),
)
BASE = Choice(
    "usd_base",
    "Base",
    "whether the base of a whole robot is fixed to the world, or free",
    (("fixed to the world", None), ("free", _FREE)),
)


def _write(subject: Subject, output: Path, options: ConvertOptions) -> Conversion:
    source = subject.files.urdf
    stem = source.source.path.stem if source is not None and source.source.path is not None else "robot"
    root = options.text(ROOT.name) or f"/{identifier(subject.robot.urdf.name or stem)}"
    nested, collide = options.text(LAYOUT.name) is not None, options.text(SPHERES.name) == COLLIDE
    if options.text(FORM.name) == _LAYER or options.text(BELOW.name):
        text, report = _layer(subject, output, options, stem, usual_places(subject.robot.urdf, root, nested=nested))
    else:
        choices = StageChoices(
            root,
            nested=nested,
            free=options.text(BASE.name) == _FREE,
            collision=options.text(COLLISION.name),
            spheres_collide=collide,
            touches_itself=not subject.is_guessed,
        )
        with meshes_at_hand(subject) as parts:
            text, report = stage_text(subject.robot, parts, choices)
    return subject.written([(output, with_ending(text, output))], report)


def _layer(
    subject: Subject, output: Path, options: ConvertOptions, stem: str, places: dict[str, str]
) -> tuple[str, ConversionReport]:
    below = options.text(BELOW.name) or f"./{stem}.usd"
    if output.suffix.lower() == PACKAGE:
        message, fix = "A package contains all its files, and a layer is over another file", "Name the output *.usda."
        raise FormatError(message, Location(str(output)), fix)
    if not below.isprintable():
        raise FormatError(f"USD cannot name the file {below!r}", Location(str(output)), "Name it with --usd-robot.")
    collide = options.text(SPHERES.name) == COLLIDE
    return layer_text(subject.robot, below=below, places=places, collide=collide)


CODEC = Codec(
    name="usd",
    title="&USD",
    pattern="*.usd *.usda *.usdc *.usdz",
    endings=(".usd", ".usda", ".usdc", ".usdz"),
    read=read_usd,
    is_whole=True,
    choices=(ROBOT, VARIANTS, ROOT, BELOW),
    offers=offers_of_usd,
    writer=Writer(
        _write,
        endings=(".usda", ".usd", ".usdc", ".usdz"),
        proposal=".usda",
        holds=frozenset({Part.LINKS, Part.SHAPES, Part.SPHERES}),
        takes=("ignore",),
        choices=(FORM, COLLISION, BASE, LAYOUT, SPHERES),
    ),
)
