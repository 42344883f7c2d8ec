"""What the results of a robot depend on, by content: its files, its meshes, the settings, the program.

A robot is worked on in a folder of its own, into which its files are put under their own names: the same on this
machine and on another one, to which they travel by their digests, each once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from editor_app.edit.replacing import SaveError
from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.urdf import read_urdf
from editor_app.geometry.paths import resolve_mesh_path
from editor_app.model.frozen import FrozenDict
from editor_app.model.regular_file import read_regular
from editor_app.model.urdf import Mesh
from editor_app.operations.batch.fleet import BatchSettings, FleetRobot
from editor_app.version import __version__

#: A larger file is no mesh of a robot.
MAX_BYTES = 512 * 1024 * 1024
#: Formats whose files refer to others beside them, of the same stem.
_WITH_COMPANIONS = (".obj", ".gltf")
_COMPANIONS = (".mtl", ".bin")


@dataclass(frozen=True, slots=True)
class InputFile:
    """`place`: where it is put in the robot's folder, with slashes. `source`: where it is now."""

    place: str
    digest: str
    source: Path


@dataclass(frozen=True, slots=True)
class RobotInputs:
    """`home`: the folder of the URDF. `meshes` maps a path as the URDF writes it to the place of that file.

    `key`: digest of all that counts.
    """

    name: str
    home: str
    urdf: str
    xrdf: str | None
    srdf: str | None
    files: tuple[InputFile, ...]
    meshes: FrozenDict[str, str]
    settings: BatchSettings
    key: str

    @property
    def digests(self) -> dict[str, Path]:
        """Each content once -> a file that has it."""
        return {file.digest: file.source for file in self.files}


def gathered(robot: FleetRobot) -> RobotInputs:
    """The inputs of a robot. A mesh that is not found is left out: the steps tell of it. Raises FormatError."""
    places = {path: f"robot/{path.name}" for path in robot.files}
    files = [_input(place, path) for path, place in places.items()]
    meshes: dict[str, str] = {}
    shapes = [shape.geometry for link in read_urdf(SourceText.read(robot.urdf)).urdf.links for shape in link.shapes]
    for filename in dict.fromkeys(shape.filename for shape in shapes if isinstance(shape, Mesh)):
        mesh_path = resolve_mesh_path(filename, robot.urdf, robot.packages)
        if mesh_path is not None:
            mesh = _mesh_input(mesh_path)
            meshes[filename] = mesh.place
            files.append(mesh)
            folder = mesh.place.rpartition("/")[0]
            files += [_input(f"{folder}/{other.name}", other) for other in _companions(mesh_path)]
    # Two meshes of one content, or two names of one mesh.
    unique = tuple({file.place: file for file in files}.values())
    xrdf, srdf = robot.xrdf, robot.srdf
    home = robot.urdf.absolute().parent.as_posix()
    return RobotInputs(
        robot.name,
        home,
        places[robot.urdf],
        None if xrdf is None else places[xrdf],
        None if srdf is None else places[srdf],
        unique,
        FrozenDict(meshes),
        robot.settings,
        _key(unique, meshes, robot.settings, home),
    )


def staged(inputs: RobotInputs, folder: Path, content: Callable[[InputFile], bytes]) -> Mapping[str, Path]:
    """Puts the files into a folder; gives path of a mesh as written -> file, as `open_robot` takes its packages."""
    for file in inputs.files:
        target = folder / file.place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content(file))
    return {filename: folder / place for filename, place in inputs.meshes.items()}


# -- inside


def _input(place: str, path: Path) -> InputFile:
    return InputFile(place, _digest(path), path)


def _mesh_input(path: Path) -> InputFile:
    # The name stays: by it, its format is known, and what it refers to is found.
    digest = _digest(path)
    return InputFile(f"meshes/{digest[:20]}/{path.name}", digest, path)


def _companions(mesh: Path) -> Iterator[Path]:
    if mesh.suffix.lower() in _WITH_COMPANIONS:
        for ending in _COMPANIONS:
            other = mesh.with_suffix(ending)
            if other.is_file():
                yield other


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(read_regular(path, MAX_BYTES)).hexdigest()
    except OSError:
        # The same sentence as everywhere.
        SourceText.read(path)
        raise


def _key(files: tuple[InputFile, ...], meshes: Mapping[str, str], settings: BatchSettings, home: str) -> str:
    parts = {
        "program": __version__,
        "files": sorted((file.place, file.digest) for file in files),
        "meshes": sorted(meshes.items()),
        "settings": asdict(settings),
        # Stands in files of some formats.
        "home": home if "convert" in settings.steps else None,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


#: What is wrong with a robot, its files or the place of its results; it ends nothing but the work on this robot.
READING_ERRORS = (FormatError, SaveError, OSError, ValueError, RecursionError)
