"""COLLADA robots with OpenRAVE's extensions, `.dae` 1.4.1 and 1.5 and `.zae`: all that URDF, SRDF
and XRDF say."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from editor_app.core.formats.exchange.codec import (
    ALL_ROBOTS,
    MODEL,
    Choice,
    Codec,
    Conversion,
    ConvertOptions,
    InputFile,
    Offer,
    Part,
    ReadContext,
    Subject,
    Writer,
    input_path,
)
from editor_app.core.formats.exchange.meshes import meshes_at_hand
from editor_app.core.formats.exchange.stated_values import without_guesses
from editor_app.core.model.robot import RobotDescription
from editor_app.plugins.collada import read, write

GROUP = Choice("group", "Group", "group of the SRDF whose joints are controlled")


def _offers(file: InputFile, context: ReadContext) -> Mapping[str, Offer]:
    names = read.overview(input_path(file))
    if len(names.robots) > 1:
        return {
            MODEL.name: (
                *((name, name) for name in names.robots),
                ("all, fixed to the world", ALL_ROBOTS),
            )
        }
    if len(names.manipulators) > 1 and not names.complete:
        listed = ((name, name) for name in names.manipulators)
        return {"group": (("those numbered in the file, else all", None), *listed)}
    return {}


def _write(subject: Subject, output: Path, options: ConvertOptions) -> Conversion:
    robot, files = subject.robot, subject.files
    xrdf: str | None = ""
    if subject.draft is not None:
        robot = _without_guesses(subject)
    else:
        xrdf = (
            files.xrdf.source.text
            if files.xrdf is not None and robot.xrdf is files.xrdf.value
            else None
        )
    sources = write.OriginalTexts(
        files.urdf.source.text if files.urdf is not None else None,
        files.srdf.source.text
        if files.srdf is not None and robot.srdf is files.srdf.value
        else None,
        xrdf,
    )
    with meshes_at_hand(subject) as mesh_parts:
        written, report = write.collada_files(robot, output, mesh_parts, sources)
    return subject.written(written, report)


def _without_guesses(subject: Subject) -> RobotDescription:
    """The robot without what a draft guessed, which the next reader would take for the robot's
    own."""
    srdf = subject.files.srdf
    listed = subject.has_sphere_list or (
        srdf is not None and bool(srdf.value.sphere_approximations)
    )
    robot = subject.robot
    return robot.with_xrdf(
        without_guesses(robot.xrdf, subject.files.stated, srdf is not None, listed)
    )


CODEC = Codec(
    name="collada",
    title="&COLLADA robot",
    pattern="*.dae *.zae",
    endings=(".dae", ".zae"),
    recognise=lambda sample: not sample.is_yaml and "<COLLADA" in sample.source.text[:4000],
    read=lambda file, context: read.read_collada_robot(
        input_path(file), context.options.text(MODEL.name)
    ),
    is_whole=True,
    choices=(MODEL, GROUP),
    offers=_offers,
    writer=Writer(
        _write,
        endings=(".dae", ".zae"),
        proposal=".dae",
        holds=frozenset(Part) - {Part.SETTINGS},
        takes=("world", "merge", "ignore", "positions"),
    ),
)
