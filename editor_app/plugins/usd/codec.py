"""USD: a robot out of a stage, a stage of a robot that needs no other file, or a layer over a USD
that exists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from editor_app.core.formats.exchange.codec import (
    COLLIDE,
    MODEL,
    SPHERES,
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
from editor_app.plugins.usd import over_stage, writing, writing_binary, writing_layer, writing_over
from editor_app.plugins.usd.choices import (
    BASE,
    BELOW,
    COLLISION,
    ENDINGS,
    FORM,
    FREE,
    LAYER,
    LAYOUT,
    ROOT,
    VARIANTS,
)
from editor_app.plugins.usd.reading import read as reading

#: USD files in the folder of a robot that a dialog offers.
_MOST_OFFERED = 30


def _write(subject: Subject, output: Path, options: ConvertOptions) -> Conversion:
    source = subject.files.urdf
    stem = (
        source.source.path.stem
        if source is not None and source.source.path is not None
        else "robot"
    )
    root = options.text(ROOT.name) or f"/{identifier(subject.robot.urdf.name or stem)}"
    nested, collide = options.text(LAYOUT.name) is not None, options.text(SPHERES.name) == COLLIDE
    notes: tuple[str, ...] = ()
    note = read_import_note(source.source) if source is not None else None
    if note is not None and note.path.resolve() == output.resolve():
        message = f"{output.name} is the USD that the robot was imported from"
        raise FormatError(message, Location(str(output)), "Name another file.")
    if options.text(FORM.name) == LAYER or options.text(BELOW.name):
        text, report = _layer(
            subject,
            output,
            options,
            stem,
            writing_layer.usual_places(subject.robot.urdf, root, nested=nested),
        )
    else:
        choices = writing.StageChoices(
            root,
            nested=nested,
            free=options.text(BASE.name) == FREE,
            collision=options.text(COLLISION.name),
            spheres_collide=collide,
            touches_itself=not subject.is_guessed,
        )
        with meshes_at_hand(subject) as parts:
            text, report = writing.stage_text(subject.robot, parts, choices)
        if note is not None and note.path.is_file():
            notes = (
                f"The robot came from {note.path.name}: --usd-form layer writes only the changes, "
                "over that USD.",
            )
    return subject.written(
        [(output, writing_binary.with_ending(text, output))], report, notes=notes
    )


def _layer(
    subject: Subject, output: Path, options: ConvertOptions, stem: str, places: dict[str, str]
) -> tuple[str, ConversionReport]:
    if output.suffix.lower() == writing_binary.PACKAGE:
        message, fix = (
            "A package contains all its files, and a layer is over another file",
            "Name the output *.usda.",
        )
        raise FormatError(message, Location(str(output)), fix)
    is_placed = options.text(ROOT.name) is not None or options.text(LAYOUT.name) is not None
    stage = None if is_placed else over_stage.find_stage(subject, output, options, stem)
    below = options.text(BELOW.name) or f"./{stem}.usd" if stage is None else stage.named
    if not below.isprintable():
        raise FormatError(
            f"USD cannot name the file {below!r}",
            Location(str(output)),
            "Name it with --usd-robot.",
        )
    collide = options.text(SPHERES.name) == COLLIDE
    if stage is not None:
        read = over_stage.read_stage_of(stage, subject.robot.urdf, subject.surroundings.packages)
        if output.resolve() in read.places.layers:
            message = f"{output.name} is part of the USD that the layer is over"
            raise FormatError(message, Location(str(output)), "Name another file.")
        place = Location(str(stage.path))
        guessed = subject.is_guessed
        with meshes_at_hand(subject) as parts:
            return writing_over.over_text(
                subject.robot,
                read,
                below=below,
                place=place,
                collide=collide,
                is_guessed=guessed,
                meshes=parts,
            )
    return writing_layer.layer_text(subject.robot, below=below, places=places, collide=collide)


def _offers(files: Sequence[InputFile]) -> Mapping[str, Offer]:
    """Return the form of the USD for a robot that came from one: first a layer over that one."""
    note = next(
        (
            note
            for file in files
            if isinstance(file, SourceText) and (note := read_import_note(file))
        ),
        None,
    )
    if note is not None and note.path.is_file():
        return {
            FORM.name: (
                (f"only the changes, as a layer over {note.path.name}", LAYER),
                FORM.values[0],
            )
        }
    homes = {input_path(file).parent for file in files}
    stages = sorted(
        path.name for home in homes for ending in CODEC.endings for path in home.glob(f"*{ending}")
    )
    layers = tuple((f"layer over {name}", f"./{name}") for name in stages[:_MOST_OFFERED])
    return {BELOW.name: (("none: see above", None), *layers)} if layers else {}


CODEC = Codec(
    name="usd",
    title="&USD",
    pattern="*.usd *.usda *.usdc *.usdz",
    endings=ENDINGS,
    read=lambda file, context: reading.read_usd(file, context),
    is_whole=True,
    choices=(MODEL, VARIANTS, ROOT, BELOW),
    offers=lambda file, context: reading.offers_of_usd(file, context),
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
