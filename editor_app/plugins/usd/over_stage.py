"""The USD that a layer is written over: the one that is named, that the robot was imported from, or
of its name."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from editor_app.core.formats.exchange.codec import ALL_ROBOTS, MODEL, ConvertOptions, Subject
from editor_app.core.formats.exchange.import_notes import read_import_note
from editor_app.core.model.findings import Location
from editor_app.core.model.urdf import Urdf
from editor_app.core.text.source import FormatError
from editor_app.plugins.usd.choices import BELOW, ENDINGS, VARIANTS
from editor_app.plugins.usd.over_names import match_names
from editor_app.plugins.usd.reading.read import read_apart
from editor_app.plugins.usd.reading.values import ReadStage

#: Robots of a stage that are compared with the one that is written.
_MOST_ROBOTS = 4
_REMOTE = re.compile(r"[A-Za-z][\w+.-]+:|//")


@dataclass(frozen=True, slots=True)
class StageBelow:
    """`path`: the USD; `named`: as the layer names it; `robot`, `variants`: the choices of the
    import."""

    path: Path
    named: str
    robot: str | None = None
    variants: str | None = None


def find_stage(
    subject: Subject, output: Path, options: ConvertOptions, stem: str
) -> StageBelow | None:
    """Return the USD below a layer; None where it is not on this machine."""
    robot, variants = options.text(MODEL.name), options.text(VARIANTS.name)
    named = options.text(BELOW.name)
    if named is not None:
        paths = [] if _REMOTE.match(named) else [output.parent / named, Path(named)]
        path = next((each for each in paths if each.is_file()), None)
        if path is None:
            return None
        is_found_from_output = path is paths[0] and not Path(named).is_absolute()
        return StageBelow(
            path, named if is_found_from_output else _relative(path, output), robot, variants
        )
    source = subject.files.urdf
    note = read_import_note(source.source) if source is not None else None
    if note is not None and note.path.is_file():
        chosen = robot or note.choices.get(MODEL.name), variants or note.choices.get(VARIANTS.name)
        return StageBelow(note.path, _relative(note.path, output), *chosen)
    home = source.source.path if source is not None else None
    folders = [output.parent, *([home.parent] if home is not None else [])]
    for path in (folder / f"{stem}{ending}" for folder in folders for ending in ENDINGS):
        if path.is_file() and path.absolute() != output.absolute():
            return StageBelow(path, _relative(path, output), robot, variants)
    return None


def read_stage_of(stage: StageBelow, robot: Urdf, packages: Mapping[str, Path]) -> ReadStage:
    """Read the robot of a stage whose names fit best, unless the import chose one.

    `packages`: the folders of layers that the stage names elsewhere. Raises FormatError for one
    without such a robot.
    """
    read = read_apart(stage.path, stage.robot, stage.variants, packages)
    if stage.robot is not None or len(read.robots) == 1:
        return read
    place, enough = Location(str(stage.path)), len(robot.links) / 2
    best, fitting = read, -1
    for name in (None, ALL_ROBOTS, *read.robots[:_MOST_ROBOTS]):
        each = read if name is None else read_apart(stage.path, name, stage.variants, packages)
        try:
            matched = len(match_names(robot, each, place).links)
        except FormatError:
            continue
        if matched > fitting:
            best, fitting = each, matched
        if matched >= enough:
            break
    return best


def _relative(path: Path, output: Path) -> str:
    """The path as a layer names it, relative where possible."""
    try:
        name = Path(os.path.relpath(path.absolute(), output.absolute().parent)).as_posix()
    except ValueError:
        return path.absolute().as_posix()
    return name if name.startswith("..") else f"./{name}"
