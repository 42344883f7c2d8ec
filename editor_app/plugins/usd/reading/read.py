"""A USD asset -> URDF, SRDF and XRDF with meshes, and a report of what did not come along."""

from __future__ import annotations

import importlib
import importlib.util
import multiprocessing
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from editor_app.core.formats.exchange.codec import (
    ALL_ROBOTS,
    MODEL,
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
from editor_app.core.model.counting import format_list
from editor_app.core.model.findings import Location
from editor_app.core.tasks.executor import ProcessExecutor, WorkerFailed
from editor_app.core.text.source import FormatError
from editor_app.plugins.usd.choices import VARIANTS
from editor_app.plugins.usd.reading.values import ReadStage

#: Seconds that reading may take: a robot with a million triangles takes five.
_MOST_SECONDS = 300.0
#: Names that a sentence lists.
_MOST_NAMES = 20


def read_usd(file: InputFile, context: ReadContext) -> RobotFiles:
    """The robot of a USD asset.

    Raises FormatError: without the package usd-core, and as `stage.read_stage`.
    """
    path = input_path(file)
    robot, variants = context.options.text(MODEL.name), context.options.text(VARIANTS.name)
    read = read_apart(path, robot, variants, context.surroundings.packages)
    if robot is None and len(read.likely) > 1:
        names = format_list(read.likely, _MOST_NAMES)
        fix = f"Choose one with --model NAME, or all with --model '{ALL_ROBOTS}': {names}."
        raise FormatError(f"The file has {len(read.likely)} robots", Location(str(path)), fix)
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
    chosen = {MODEL.name: robot, VARIANTS.name: variants}
    return drafted_documents(whole, path, out, choices_of_import(chosen))


def offers_of_usd(file: InputFile, context: ReadContext) -> Mapping[str, Offer]:
    """The robots and the sets of variants that a user can choose. Raises FormatError."""
    read = read_apart(input_path(file), None, None, context.surroundings.packages)
    offers: dict[str, Offer] = {}
    if len(read.robots) > 1:
        # The first one is the default.
        robots = (
            (name, name) for name in sorted(read.robots, key=lambda name: name != read.urdf.name)
        )
        offers[MODEL.name] = (*robots, ("all, fixed to the world", ALL_ROBOTS))
    sets = {
        name: (chosen, every) for name, (chosen, every) in read.variants.items() if len(every) > 1
    }
    if sets:
        usual = ", ".join(f"{name}={chosen or 'none'}" for name, (chosen, _) in sets.items())
        others = (
            (f"{s}={v}", f"{s}={v}")
            for s, (chosen, every) in sets.items()
            for v in every
            if v != chosen
        )
        offers[VARIANTS.name] = ((usual, None), *others)
    return offers


def read_apart(
    path: Path, robot: str | None, variants: str | None, packages: Mapping[str, Path]
) -> ReadStage:
    """Read in a process that may die: USD's library ends the process that reads some damaged files.

    Raises FormatError.
    """
    return cast("ReadStage", _call_apart(read_stage_here, path, robot, variants, dict(packages)))


def list_layers_apart(path: Path) -> tuple[Path, ...]:
    """Return the files that an asset is composed of, from a process that may die. Raises
    FormatError."""
    return cast("tuple[Path, ...]", _call_apart(list_layers_here, path))


def _call_apart(function: Callable[..., Any], path: Path, *arguments: Any) -> Any:
    """Call `function(path, *arguments, scratch)` in a process that may die. Raises FormatError."""
    place = Location(str(path))
    if importlib.util.find_spec("pxr") is None:
        fix = (
            f"Install it with: {install_command('usd')}. The URDF from which it was generated "
            "opens without it."
        )
        raise FormatError("This is a USD scene; reading it needs the package usd-core", place, fix)
    if multiprocessing.parent_process() is not None:
        # This one may die, and must not start others.
        return function(path, *arguments, None)
    # The folder is removed here: the other process may end before it can.
    with tempfile.TemporaryDirectory(prefix="xrdf-editor-") as scratch:
        try:
            with ProcessExecutor(1, copy_process=True) as executor:
                with _without_main():
                    future = executor.submit(function, path, *arguments, Path(scratch))
                return future.result(_MOST_SECONDS)
        except TimeoutError:
            raise FormatError(
                f"Reading takes more than {_MOST_SECONDS:.0f} seconds", place, _FIX
            ) from None
        except (WorkerFailed, MemoryError):
            sentence = (
                "USD's library ended while it read this file: it is damaged, or needs too much "
                "memory"
            )
            raise FormatError(sentence, place, _FIX) from None


_FIX = "Check it with usdchecker, or export it again from the program it is from."


def read_stage_here(
    path: Path,
    robot: str | None,
    variants: str | None,
    packages: Mapping[str, Path],
    scratch: Path | None,
) -> ReadStage:
    """Read the stage in this process, as `read_stage` of the module that imports USD. Raises
    FormatError."""
    # Not before it is needed: it imports USD.
    stage: Any = importlib.import_module("editor_app.plugins.usd.reading.stage")
    return cast("ReadStage", stage.read_stage(path, robot, variants, packages, scratch))


def list_layers_here(path: Path, scratch: Path | None) -> tuple[Path, ...]:
    """List the files of an asset in this process. Raises FormatError."""
    stage: Any = importlib.import_module("editor_app.plugins.usd.reading.stage")
    return cast("tuple[Path, ...]", stage.list_layers(path, scratch))


@contextmanager
def _without_main() -> Iterator[None]:
    """Let a new process import no main module: a script that has no guard for it would run again
    there."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
