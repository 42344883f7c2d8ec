"""A USD asset -> URDF, SRDF and XRDF with meshes, and a report of what did not come along."""

from __future__ import annotations

import importlib
import importlib.util
import multiprocessing
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from editor_app.core.formats.exchange.codec import (
    ALL_ROBOTS,
    ROBOT,
    Choice,
    InputFile,
    Offer,
    ReadContext,
    RobotFiles,
    input_path,
)
from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.formats.exchange.drafted_documents import WholeRobot, drafted_documents
from editor_app.core.formats.exchange.import_notes import choices_of_import
from editor_app.core.libraries import install_command
from editor_app.core.model.findings import Location
from editor_app.core.tasks.executor import ProcessExecutor, WorkerFailed
from editor_app.core.text.source import FormatError
from editor_app.plugins.usd.reading.values import ReadStage

VARIANTS = Choice(
    "usd_variants", "Variants of the file", "variants to read from a USD: SET=NAME, several separated by commas"
)
#: Seconds that reading may take: a robot with a million triangles takes five.
_MOST_SECONDS = 300.0


def read_usd(file: InputFile, context: ReadContext) -> RobotFiles:
    """The robot of a USD asset.

    Raises FormatError: without the package usd-core, and as `stage.read_stage`.
    """
    path = input_path(file)
    robot, variants = context.options.text(ROBOT.name), context.options.text(VARIANTS.name)
    read = read_apart(path, robot, variants, context.surroundings.packages)
    out = Reporter(read.report.source, read.report.target)
    out.entries += read.report.entries
    whole = WholeRobot(
        read.urdf,
        read.driven,
        read.states,
        start=read.start,
        pairs=read.pairs,
        spheres=read.spheres,
        meshes=read.meshes,
        tools=read.tools,
        order=read.order,
    )
    chosen = {ROBOT.name: robot, VARIANTS.name: variants}
    return drafted_documents(whole, path, out, choices_of_import(chosen))


def offers_of_usd(file: InputFile, context: ReadContext) -> Mapping[str, Offer]:
    """The robots and the sets of variants that a user can choose. Raises FormatError."""
    read = read_apart(input_path(file), None, None, context.surroundings.packages)
    offers: dict[str, Offer] = {}
    if len(read.robots) > 1:
        robots = ((name, name) for name in read.robots)
        offers["robot"] = (("the largest", None), *robots, ("all, fixed to the world", ALL_ROBOTS))
    sets = {name: (chosen, every) for name, (chosen, every) in read.variants.items() if len(every) > 1}
    if sets:
        usual = ", ".join(f"{name}={chosen or 'none'}" for name, (chosen, _) in sets.items())
        others = ((f"{s}={v}", f"{s}={v}") for s, (chosen, every) in sets.items() for v in every if v != chosen)
        offers[VARIANTS.name] = ((usual, None), *others)
    return offers


def read_apart(path: Path, robot: str | None, variants: str | None, packages: Mapping[str, Path]) -> ReadStage:
    """Read in a process that may die: USD's library ends the process that reads some damaged files.

    Raises FormatError.
    """
    place = Location(str(path))
    if importlib.util.find_spec("pxr") is None:
        fix = f"Install it with: {install_command('usd')}. The URDF from which it was generated opens without it."
        raise FormatError("This is a USD scene; reading it needs the package usd-core", place, fix)
    if multiprocessing.parent_process() is not None:
        # This one may die, and must not start others.
        return read_stage_here(path, robot, variants, packages, None)
    # The folder is removed here: the other process may end before it can.
    with tempfile.TemporaryDirectory(prefix="xrdf-editor-") as scratch:
        try:
            with ProcessExecutor(1) as executor:
                with _without_main():
                    future = executor.submit(read_stage_here, path, robot, variants, dict(packages), Path(scratch))
                return cast("ReadStage", future.result(_MOST_SECONDS))
        except TimeoutError:
            raise FormatError(f"Reading takes more than {_MOST_SECONDS:.0f} seconds", place, _FIX) from None
        except (WorkerFailed, MemoryError):
            sentence = "USD's library ended while it read this file: it is damaged, or needs too much memory"
            raise FormatError(sentence, place, _FIX) from None


_FIX = "Check it with usdchecker, or export it again from the program it is from."


def read_stage_here(
    path: Path, robot: str | None, variants: str | None, packages: Mapping[str, Path], scratch: Path | None
) -> ReadStage:
    """Read the stage in this process, as `read_stage` of the module that imports USD. Raises FormatError."""
    # Not before it is needed: it imports USD.
    stage: Any = importlib.import_module("editor_app.plugins.usd.reading.stage")
    return cast("ReadStage", stage.read_stage(path, robot, variants, packages, scratch))


@contextmanager
def _without_main() -> Iterator[None]:
    """Let a new process import no main module: a script that has no guard for it would run again there."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
