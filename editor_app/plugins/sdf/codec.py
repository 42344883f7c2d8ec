"""SDF of Gazebo: models and worlds, as robots."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from editor_app.core.formats.exchange.codec import (
    ALL_ROBOTS,
    MODEL,
    Codec,
    Conversion,
    ConvertOptions,
    InputFile,
    Offer,
    Part,
    ReadContext,
    Sample,
    Subject,
    Writer,
    input_path,
)
from editor_app.core.formats.misnamed_files import find_root_tag
from editor_app.core.formats.native import left_behind
from editor_app.plugins.sdf import read, write


def _recognise(sample: Sample) -> bool:
    return not sample.is_yaml and find_root_tag(sample.source.text) == "sdf"


def _offers(file: InputFile, context: ReadContext) -> Mapping[str, Offer]:
    names = read.model_names(input_path(file), context.surroundings.packages)
    if len(names) < 2:
        return {}
    return {
        MODEL.name: (
            ("the only robot", None),
            *((name, name) for name in names),
            ("all, fixed to the world", ALL_ROBOTS),
        )
    }


def _write(subject: Subject, output: Path, options: ConvertOptions) -> Conversion:
    text, report = write.sdf_text(subject.robot.urdf)
    files: list[tuple[Path, str | bytes]] = [(output, text)]
    files += [(output.parent / name, data) for name, data in subject.files.meshes]
    source = subject.files.urdf
    notes = (
        left_behind(source, output) if source is not None and subject.files.stated is None else ()
    )
    return subject.written(files, report, notes=notes)


CODEC = Codec(
    name="sdf",
    title="SDF of &Gazebo",
    pattern="*.sdf *.world",
    endings=(".sdf", ".world"),
    recognise=_recognise,
    read=lambda file, context: read.read_sdf(input_path(file), context),
    is_whole=True,
    choices=(MODEL,),
    offers=_offers,
    writer=Writer(
        _write,
        endings=(".sdf",),
        proposal=".sdf",
        holds=frozenset({Part.LINKS, Part.SHAPES}),
        takes=("world", "merge"),
    ),
)
