"""MuJoCo's MJCF: a new file from a robot, or mask and spheres in one that is there."""

from __future__ import annotations

from pathlib import Path

from editor_app.core.formats.exchange.codec import (
    COLLIDE,
    SPHERES,
    Codec,
    Conversion,
    ConvertOptions,
    Part,
    Sample,
    Subject,
    Writer,
    input_path,
)
from editor_app.core.formats.exchange.meshes import meshes_at_hand
from editor_app.core.formats.misnamed_files import find_root_tag
from editor_app.plugins.mjcf import patch, read, write

_ENDINGS = (".mjcf.xml", ".mjcf")


def _recognise(sample: Sample) -> bool:
    return not sample.is_yaml and find_root_tag(sample.source.text) == "mujoco"


def _write(subject: Subject, output: Path, options: ConvertOptions) -> Conversion:
    if subject.existing is not None:
        collide = options.text(SPHERES.name) == COLLIDE
        text, report = patch.patched_mjcf(subject.existing, subject.robot, collide=collide)
        files = [(output, subject.existing.with_text(text).data)]
        return subject.written(files, report)
    stem = next(
        (output.name.removesuffix(end) for end in _ENDINGS if output.name.endswith(end)),
        output.stem,
    )
    with meshes_at_hand(subject) as parts:
        text, meshes, report = write.mjcf_files(subject.robot, parts, f"{stem}_meshes")
    files = [(output, text.encode()), *((output.parent / name, data) for name, data in meshes)]
    return subject.written(files, report)


CODEC = Codec(
    name="mjcf",
    title="&MuJoCo MJCF",
    pattern="*.xml *.mjcf",
    recognise=_recognise,
    read=lambda file, context: read.read_mjcf(input_path(file)),
    is_whole=True,
    writer=Writer(
        _write,
        endings=_ENDINGS,
        proposal=".mjcf.xml",
        holds=frozenset({Part.LINKS, Part.SHAPES, Part.SPHERES}),
        takes=("world", "merge", "ignore", "positions"),
        choices=(SPHERES,),
        patches=True,
    ),
)
