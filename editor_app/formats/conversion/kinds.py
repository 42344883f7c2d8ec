"""Which format a file is, and what may be chosen for a conversion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from editor_app.formats.exchange.plain_values import load_plain
from editor_app.formats.exchange.report import ConversionReport
from editor_app.formats.foreign.curobo import is_curobo
from editor_app.formats.foreign.lula import is_lula
from editor_app.formats.foreign.sphere_lists import is_sphere_list
from editor_app.formats.source import FormatError, SourceText
from editor_app.model.findings import Location
from editor_app.model.robot import RobotDescription
from editor_app.model.urdf import Mesh


class Kind(StrEnum):
    URDF = "urdf"
    XACRO = "xacro"
    XRDF = "xrdf"
    SRDF = "srdf"
    CUROBO = "curobo"
    LULA = "lula"
    SPHERES = "spheres"
    SPHERES_URDF = "spheres-urdf"
    COLLADA = "collada"


#: What can be written, as the option is called.
TARGETS = (Kind.XRDF, Kind.SRDF, Kind.CUROBO, Kind.LULA, Kind.SPHERES_URDF, Kind.URDF, Kind.COLLADA)
_YAML = (".yml", ".yaml", ".json")

#: The parts of a mesh in metres, scale applied: (vertices, triangles, colour), and where it has a picture (texture
#: coordinates, its path); empty when it is not there.
MeshParts = Callable[[Mesh], list[tuple[Any, ...]]]
ExpandXacro = Callable[[Path], SourceText]
#: What is to be done to the robot between reading and writing, and what that did.
Prepare = Callable[[RobotDescription], tuple[RobotDescription, ConversionReport]]


@dataclass(frozen=True)
class Options:
    """`group` and `state` name those of an SRDF, `link` that of a nameless list of spheres."""

    to: Kind | None = None
    group: str | None = None
    state: str | None = None
    link: str | None = None
    xrdf_version: str | None = None
    curobo_version: str = "2"
    tesseract: bool = False
    #: Bring a file that is there up to date by splices instead of writing a new one.
    update: bool = False
    #: None refuses xacro, which evaluates Python expressions.
    expand_xacro: ExpandXacro | None = None
    #: None leaves meshes out of COLLADA.
    mesh_parts: MeshParts | None = None
    #: Changes the robot between reading and writing.
    prepare: Prepare | None = None
    #: Which robot of a COLLADA file; "*" is all of them, None the first.
    robot: str | None = None
    #: Where the URDF really is, when the one that is read is a copy: meshes may be named from there.
    beside: Path | None = None


@dataclass(frozen=True)
class Conversion:
    """`files` in the order in which they should be written; the first is the one that was asked for."""

    files: tuple[tuple[Path, bytes], ...]
    reports: tuple[ConversionReport, ...]
    notes: tuple[str, ...] = ()


def kind_of(path: Path) -> Kind:
    """What a file is, by its name and, where that does not tell, its content. Raises FormatError."""
    suffix = path.suffix.lower()
    named = {".xacro": Kind.XACRO, ".xrdf": Kind.XRDF, ".dae": Kind.COLLADA, ".zae": Kind.COLLADA, ".srdf": Kind.SRDF}
    if suffix in named:
        return named[suffix]
    source = SourceText.read(path)
    if suffix in _YAML:
        value = load_plain(source)
        if is_curobo(value):
            return Kind.CUROBO
        if is_lula(value):
            return Kind.LULA
        if isinstance(value, dict) and ("format_version" in value or str(value.get("format")).lower() == "xrdf"):
            return Kind.XRDF
        if is_sphere_list(value):
            return Kind.SPHERES
        raise FormatError(
            "This is no XRDF, cuRobo or Lula file, and no list of spheres", source.location(0), "Check its content."
        )
    head = source.text[:4000]
    if "<COLLADA" in head:
        return Kind.COLLADA
    if "<robot" in source.text and not any(t in source.text for t in ("<link", "<joint name", "xacro:")):
        return Kind.SRDF
    if "<robot" in source.text:
        return Kind.URDF
    raise FormatError("This file is of no format that can be converted", source.location(0))


def target_of(path: Path, options: Options, inputs: list[Kind]) -> Kind:
    """What the output's name, or `options.to`, asks for. Raises FormatError when neither tells."""
    if options.to is not None:
        return options.to
    name = path.name.lower()
    for ending, kind in (
        (".xrdf", Kind.XRDF),
        (".xrdf.yaml", Kind.XRDF),
        (".xrdf.yml", Kind.XRDF),
        (".srdf", Kind.SRDF),
        (".dae", Kind.COLLADA),
        (".zae", Kind.COLLADA),
        (".curobo.yml", Kind.CUROBO),
        (".curobo.yaml", Kind.CUROBO),
        (".lula.yaml", Kind.LULA),
        (".lula.yml", Kind.LULA),
    ):
        if name.endswith(ending):
            return kind
    if name.endswith(".urdf"):
        # With nothing that says where spheres are, the robot itself is meant.
        whole = {Kind.XACRO, Kind.COLLADA} & set(inputs) or inputs == [Kind.URDF]
        return Kind.URDF if whole else Kind.SPHERES_URDF
    names = ", ".join(TARGETS)
    raise FormatError("The name does not tell which format is meant", Location(str(path)), f"Say --to one of: {names}.")
