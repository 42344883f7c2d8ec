"""USD: a robot out of a stage, a stage of a robot that needs no other file, or a layer over a USD that exists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from editor_app.core.formats.exchange.codec import (
    COLLIDE,
    ROBOT,
    SPHERES,
    Choice,
    Codec,
    Conversion,
    ConvertOptions,
    InputFile,
    Offer,
    Part,
    Subject,
    Writer,
    input_path,
)
from editor_app.core.formats.exchange.conversion import ConversionReport
from editor_app.core.formats.exchange.identifiers import identifier
from editor_app.core.formats.exchange.import_notes import read_import_note
from editor_app.core.formats.exchange.meshes import meshes_at_hand
from editor_app.core.model.findings import Location
from editor_app.core.text.source import FormatError, SourceText
from editor_app.plugins.usd.over_stage import BELOW, find_stage, read_stage_of
from editor_app.plugins.usd.reading.read import VARIANTS, offers_of_usd, read_usd
from editor_app.plugins.usd.writing import BALLS, TRIANGLES, StageChoices, stage_text
from editor_app.plugins.usd.writing_binary import PACKAGE, with_ending
from editor_app.plugins.usd.writing_layer import layer_text, usual_places
from editor_app.plugins.usd.writing_over import over_text

_LAYER, _FREE = "layer", "free"
#: USD files in the folder of a robot that a dialog offers.
_MOST_OFFERED = 30
ROOT = Choice("usd_root", "Prim of the robot", "prim in the USD above the robot's links (default: /NAME of the URDF)")
FORM = Choice(
    "usd_form",
    "USD",
    "a stage that needs no other file, or a layer with only the changes, over the USD that the robot came from",
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
    notes: tuple[str, ...] = ()
    note = read_import_note(source.source) if source is not None else None
    if note is not None and note.path.resolve() == output.resolve():
        message = f"{output.name} is the USD that the robot was imported from"
        raise FormatError(message, Location(str(output)), "Name another file.")
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
        if note is not None and note.path.is_file():
            notes = (f"The robot came from {note.path.name}: --usd-form layer writes only the changes, over that USD.",)
    return subject.written([(output, with_ending(text, output))], report, notes=notes)


def _layer(
    subject: Subject, output: Path, options: ConvertOptions, stem: str, places: dict[str, str]
) -> tuple[str, ConversionReport]:
    if output.suffix.lower() == PACKAGE:
        message, fix = "A package contains all its files, and a layer is over another file", "Name the output *.usda."
        raise FormatError(message, Location(str(output)), fix)
    is_placed = options.text(ROOT.name) is not None or options.text(LAYOUT.name) is not None
    stage = None if is_placed else find_stage(subject, output, options, stem)
    below = options.text(BELOW.name) or f"./{stem}.usd" if stage is None else stage.named
    if not below.isprintable():
        raise FormatError(f"USD cannot name the file {below!r}", Location(str(output)), "Name it with --usd-robot.")
    collide = options.text(SPHERES.name) == COLLIDE
    if stage is not None:
        read = read_stage_of(stage, subject.robot.urdf, subject.surroundings.packages)
        if output.resolve() in read.places.layers:
            message = f"{output.name} is part of the USD that the layer is over"
            raise FormatError(message, Location(str(output)), "Name another file.")
        place = Location(str(stage.path))
        guessed = subject.is_guessed
        return over_text(subject.robot, read, below=below, place=place, collide=collide, is_guessed=guessed)
    return layer_text(subject.robot, below=below, places=places, collide=collide)


def _offers(files: Sequence[InputFile]) -> Mapping[str, Offer]:
    """Return the form of the USD for a robot that came from one: first a layer over that one."""
    note = next((note for file in files if isinstance(file, SourceText) and (note := read_import_note(file))), None)
    if note is not None and note.path.is_file():
        return {FORM.name: ((f"only the changes, as a layer over {note.path.name}", _LAYER), FORM.values[0])}
    homes = {input_path(file).parent for file in files}
    stages = sorted(path.name for home in homes for ending in CODEC.endings for path in home.glob(f"*{ending}"))
    layers = tuple((f"layer over {name}", f"./{name}") for name in stages[:_MOST_OFFERED])
    return {BELOW.name: (("none: see above", None), *layers)} if layers else {}


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
        offers=_offers,
    ),
)
