"""A conversion in a process of its own: meshes are loaded there; a cancel ends it at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editor_app.edit.choices import BodyChoices, prepared
from editor_app.formats.conversion.files import Conversion, Kind, Options
from editor_app.tasks.job import Report

if TYPE_CHECKING:
    from editor_app.model.urdf import Mesh

#: Option -> (what the user chooses from, value), the first being what happens without a choice.
Choices = Mapping[str, list[tuple[str, Any]]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """`conversion` is None when `error` says why there is none; `choices` are what the files leave to the user."""

    conversion: Conversion | None
    error: str = ""
    choices: tuple[tuple[str, tuple[tuple[str, Any], ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class ConvertFiles:
    """`options` without its functions. `beside` is the URDF whose meshes are looked for, `mappings` where packages are.

    `ask` names the input whose robots or groups are to be chosen from. `bodies` is done to the robot on the way.
    """

    inputs: tuple[Path, ...]
    output: Path
    options: Options
    beside: Path | None = None
    mappings: tuple[tuple[str, Path], ...] = ()
    ask: Path | None = None
    bodies: BodyChoices = BodyChoices()

    def __call__(self, report: Report) -> Outcome:
        from editor_app.formats.conversion.files import CannotConvert, NeedsChoice, convert_files
        from editor_app.formats.source import FormatError
        from editor_app.model.change import CannotApply

        report.progress(-1.0, f"Reading {self.inputs[-1].name}")
        choices: Choices = {}
        try:
            if self.ask is not None:
                choices = choices_of(self.ask)
            meshes = _Meshes(self.beside, dict(self.mappings), report)
            options = replace(
                self.options,
                mesh_parts=meshes.parts if self.beside is not None else None,
                prepare=partial(prepared, choices=self.bodies) if self.bodies else None,
                beside=self.beside,
            )
            conversion = convert_files(list(self.inputs), self.output, options)
        except (FormatError, NeedsChoice, CannotConvert, CannotApply, ValueError, OSError) as error:
            return Outcome(None, str(error), _frozen(choices))
        return Outcome(conversion, "", _frozen(choices))


class _Meshes:
    """Loads meshes by name, and says which."""

    def __init__(self, beside: Path | None, mappings: dict[str, Path], report: Report) -> None:
        self._beside = beside
        self._mappings = mappings
        self._report = report
        self._known: dict[Mesh, list[tuple[Any, ...]]] = {}

    def parts(self, mesh: Mesh) -> list[tuple[Any, ...]]:
        from editor_app.geometry.loading import load_mesh
        from editor_app.geometry.paths import resolve_mesh_path

        if mesh not in self._known:
            self._report.progress(-1.0, f"Loading {mesh.filename.rsplit('/', 1)[-1]}")
            path = resolve_mesh_path(mesh.filename, self._beside, self._mappings)
            found = load_mesh(path, mesh.scale).parts if path is not None else ()
            self._known[mesh] = [(p.vertices, p.faces, p.rgba, p.uv, p.texture) for p in found]
        return self._known[mesh]


def choices_of(path: Path) -> Choices:
    """What a file leaves to the user: groups and states of an SRDF, robots of a COLLADA file; {} when it is broken."""
    from editor_app.formats.conversion.files import kind_of
    from editor_app.formats.source import FormatError

    try:
        kind = kind_of(path)
        if kind == Kind.SRDF:
            return _srdf_choices(path)
        if kind == Kind.COLLADA:
            return _collada_choices(path)
    except (FormatError, OSError):
        # The conversion says what is wrong.
        pass
    return {}


def _srdf_choices(path: Path) -> Choices:
    from editor_app.formats.source import SourceText
    from editor_app.formats.srdf import read_srdf

    srdf = read_srdf(SourceText.read(path)).srdf
    choices: dict[str, list[tuple[str, Any]]] = {}
    if len(srdf.groups) > 1:
        choices["group"] = [("the only one that fits", None), *((g.name, g.name) for g in srdf.groups)]
    if srdf.states:
        names = dict.fromkeys(s.name for s in srdf.states)
        choices["state"] = [("default, home or ready, if there is one", None), *((name, name) for name in names)]
    return choices


def _collada_choices(path: Path) -> Choices:
    from editor_app.formats.foreign.collada import ALL, overview

    found = overview(path)
    if len(found.robots) > 1:
        named: list[tuple[str, Any]] = [(name, name) for name in found.robots]
        return {"robot": [*named, ("all of them, fixed to the world", ALL)]}
    if len(found.manipulators) > 1 and not found.complete:
        return {"group": [("those that the file numbers, else all", None), *((n, n) for n in found.manipulators)]}
    return {}


def _frozen(choices: Choices) -> tuple[tuple[str, tuple[tuple[str, Any], ...]], ...]:
    return tuple((name, tuple(values)) for name, values in choices.items())
