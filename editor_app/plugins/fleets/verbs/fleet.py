"""Which robots a fleet has, and what is to be done with each: a folder, or a manifest in YAML.

steps: [new, fit, mask, check, plan, convert]
settings: {effort: fast, samples: 20000}
robots:
  - arms/ur10e.urdf
  - {name: panda, urdf: panda/panda.urdf, srdf: panda/hand.srdf, packages: {franka: ../franka},
    budget: 80}
  - {urdf: worlds/lab.world, model: arm}

What results depend on is told by content: files, meshes, settings, program. A robot is worked on in
a folder of its own, into which its files are put under their own names, here and on the machine to
which they travel, each once.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path, PurePosixPath
from typing import Any

from editor_app.core.document.replacing import SaveError
from editor_app.core.feature import hook
from editor_app.core.formats.moveit_package import find_srdf, find_xrdf
from editor_app.core.formats.registry import recognise_format, writable
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.model.coercion import MisfitError
from editor_app.core.model.findings import Location
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.regular_file import read_regular
from editor_app.core.model.urdf import Mesh
from editor_app.core.space.geometry.paths import resolve_mesh_path
from editor_app.core.tasks.work import Refused
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.yaml.plain import load_plain
from editor_app.core.verbs.open import import_robot
from editor_app.plugins.fleets.settings import STEPS, BatchSettings
from editor_app.version import __version__

_MANIFEST = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class FleetRobot:
    """`name`: unique in the fleet, and the folder of its results. `files`: the URDF, and its XRDF
    and SRDF.

    In the place of the URDF, `urdf` may be a robot of another program (USD, SDF, MJCF, COLLADA);
    `model`: which one of a file with several.
    """

    name: str
    urdf: Path
    xrdf: Path | None = None
    srdf: Path | None = None
    packages: FrozenDict[str, Path] = FrozenDict()
    settings: BatchSettings = field(default_factory=BatchSettings)
    model: str | None = None

    @property
    def files(self) -> tuple[Path, ...]:
        """All the files, the URDF first."""
        return tuple(path for path in (self.urdf, self.xrdf, self.srdf) if path is not None)


@dataclass(frozen=True, slots=True)
class Fleet:
    """`source`: the folder or manifest."""

    source: Path
    robots: tuple[FleetRobot, ...]


def read_fleet(
    source: Path,
    settings: Mapping[str, Any] | None = None,
    *,
    packages: Mapping[str, Path] | None = None,
    without: Path | None = None,
) -> Fleet:
    """The robots of a folder, or of a manifest (.yaml, .yml, .json); `settings` go before what a
    manifest says.

    `packages`: as of `open_robot`, for all. `without`: a folder that is left out, as that of the
    results. Raises Refused, FormatError, OSError.
    """
    if source.is_dir():
        base = with_values(BatchSettings(), settings or {})
        return fleet_in(source, base, packages=packages or {}, without=without)
    if source.name.lower().endswith(_MANIFEST):
        return read_manifest(source, settings or {}, packages=packages or {})
    raise Refused(f"{source} is neither a folder nor a manifest ({', '.join(_MANIFEST)})")


def fleet_in(
    folder: Path,
    settings: BatchSettings,
    *,
    packages: Mapping[str, Path] = FrozenDict(),
    without: Path | None = None,
) -> Fleet:
    """Every robot below a folder, by the path from there. Raises Refused where there is none.

    A URDF goes before files of other programs with its name: they are the same robot. Files that
    are only a part of another one, such as the layers of an Isaac asset, are no robots.
    """
    left_out = without.resolve() if without is not None else None
    paths = []
    # Links are not followed: a loop of them would be a fleet without end.
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(
            f for f in folders if not f.startswith(".") and (Path(where) / f).resolve() != left_out
        )
        for name in sorted(files):
            path = Path(where) / name
            if _is_robot(path, files) and path.is_file():
                paths.append(path)
    part_files = hook("part_files")
    parts = frozenset() if part_files is None else part_files.find_part_files(paths)
    robots = [
        _robot(path.relative_to(folder).with_suffix("").as_posix(), path, settings, packages)
        for path in paths
        if path not in parts
    ]
    if not robots:
        raise Refused(f"no URDF, USD, SDF or MJCF in {folder}")
    return Fleet(folder, _told_apart(robots))


#: Endings of robots of other programs, and beginnings of files whose ending has other meanings,
#: too.
_FOREIGN = (".usd", ".usda", ".usdc", ".usdz", ".sdf", ".world")
_MARKED = {".xml": b"<mujoco", ".dae": b"<articulated_system"}
_HEAD = 1 << 20


def _is_robot(path: Path, files: Collection[str]) -> bool:
    ending = path.suffix.lower()
    if ending == ".urdf":
        return True
    if f"{path.stem}.urdf" in files:
        return False
    if ending in _MARKED:
        try:
            return _MARKED[ending] in read_regular(path, MAX_BYTES)[:_HEAD]
        except OSError:
            return False
    return ending in _FOREIGN


def read_manifest(
    path: Path, settings: Mapping[str, Any], *, packages: Mapping[str, Path] = FrozenDict()
) -> Fleet:
    """The robots of a manifest; paths are relative to its folder. Raises Refused, FormatError,
    OSError."""
    source = SourceText.read(path)
    value = load_plain(source)
    try:
        return Fleet(path, _read_robots(value, path.absolute().parent, settings, packages))
    except (Refused, MisfitError) as error:
        remedy = "A manifest has the keys steps, settings, packages and robots (a list of URDFs)."
        raise FormatError(str(error), Location(str(path)), remedy) from error


# -- inside


def _read_robots(
    value: object, folder: Path, wishes: Mapping[str, Any], packages: Mapping[str, Path]
) -> tuple[FleetRobot, ...]:
    if (
        not isinstance(value, dict)
        or not isinstance(value.get("robots"), list)
        or not value["robots"]
    ):
        raise Refused("the manifest lists no robots")
    unknown = [str(key) for key in value if key not in ("steps", "settings", "packages", "robots")]
    if unknown:
        raise Refused(f"the manifest has an unknown key {unknown[0]!r}")
    settings = _mapping("settings", value.get("settings") or {})
    if "steps" in value:
        settings = {"steps": value["steps"], **settings}
    base = with_values(BatchSettings(), {**settings, **wishes})
    places = {**_packages(value.get("packages") or {}, folder), **packages}
    robots = [_listed(entry, folder, base, wishes, places) for entry in value["robots"]]
    return _told_apart(robots)


def _listed(
    entry: object,
    folder: Path,
    base: BatchSettings,
    wishes: Mapping[str, Any],
    packages: Mapping[str, Path],
) -> FleetRobot:
    if isinstance(entry, str):
        return _robot(Path(entry).stem, folder / entry, base, packages)
    listing = _mapping("a robot", entry)
    if not isinstance(listing.get("urdf"), str):
        raise Refused("a robot of the manifest has no urdf")
    urdf = folder / listing.pop("urdf")
    name = str(listing.pop("name", urdf.stem))
    xrdf, srdf = listing.pop("xrdf", None), listing.pop("srdf", None)
    places = {**packages, **_packages(listing.pop("packages", None) or {}, folder)}
    model = listing.pop("model", None)
    robot = _robot(name, urdf, with_values(base, {**listing, **wishes}), places)
    robot = robot if model is None else replace(robot, model=str(model))
    if xrdf is not None:
        robot = replace(robot, xrdf=folder / str(xrdf))
    return robot if srdf is None else replace(robot, srdf=folder / str(srdf))


def _robot(
    name: str, urdf: Path, settings: BatchSettings, packages: Mapping[str, Path]
) -> FleetRobot:
    # Whether results can lie in a folder of that name is the store's business: it ends this robot,
    # not the fleet.
    name = "/".join(PurePosixPath(name.replace("\\", "/")).parts)
    places = FrozenDict({key: Path(folder).absolute() for key, folder in packages.items()})
    robot = FleetRobot(name, urdf, None, None, places, settings)
    try:
        return replace(
            robot, xrdf=None if "new" in settings.steps else find_xrdf(urdf), srdf=find_srdf(urdf)
        )
    except (OSError, ValueError):
        # No system has a file of that name, which the work on this robot will tell.
        return robot


def _told_apart(robots: Iterable[FleetRobot]) -> tuple[FleetRobot, ...]:
    """Robots whose names differ, also where a file system does not tell large letters from
    small."""
    taken: set[str] = set()
    unique = []
    for robot in robots:
        name, number = robot.name, 2
        while name.casefold() in taken:
            name, number = f"{robot.name}-{number}", number + 1
        taken.add(name.casefold())
        unique.append(replace(robot, name=name))
    return tuple(unique)


def with_values(settings: BatchSettings, values: Mapping[str, Any]) -> BatchSettings:
    """Return settings with some values from a manifest or a command line. Raises Refused and
    MisfitError, which name the setting.
    """
    names = [each.name for each in fields(settings)]
    if strange := [key for key in values if key not in names]:
        raise Refused(f"unknown setting {strange[0]!r}; the settings are: {', '.join(names)}")
    allowed = {"steps": STEPS, "formats": tuple(codec.name for codec in writable())}
    listed = {key: _names(key, values[key], allowed[key]) for key in allowed if key in values}
    return replace(settings, **{**values, **listed})


def _names(key: str, value: object, allowed: tuple[str, ...]) -> tuple[str, ...]:
    listed = [part.strip() for part in value.split(",")] if isinstance(value, str) else value
    if not isinstance(listed, list | tuple):
        raise Refused(f"{key}: expected a list, not {value!r}")
    for name in listed:
        if name not in allowed:
            raise Refused(f"{key}: {name!r} is not one of {', '.join(allowed)}")
    return tuple(name for name in allowed if name in listed)


def _mapping(subject: str, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Refused(f"{subject}: expected a mapping, not {value!r}")
    return {str(key): each for key, each in value.items()}


def _packages(value: object, folder: Path) -> dict[str, Path]:
    return {name: folder / str(where) for name, where in _mapping("packages", value).items()}


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
    """`home`: the folder of the URDF. `tests`: the test file. `meshes` maps a path as the URDF
    writes it to the place of that file.

    `key`: digest of all that counts.
    """

    name: str
    home: str
    urdf: str
    xrdf: str | None
    srdf: str | None
    tests: str | None
    files: tuple[InputFile, ...]
    meshes: FrozenDict[str, str]
    settings: BatchSettings
    key: str

    @property
    def digests(self) -> dict[str, Path]:
        """Each content once -> a file that has it."""
        return {file.digest: file.source for file in self.files}


def gathered(robot: FleetRobot) -> RobotInputs:
    """Return the inputs of a robot. A mesh that is not found is left out: the steps report it.

    Raises FormatError, Refused.
    """
    home = robot.urdf.absolute().parent.as_posix()
    suite = hook("suite")
    tests = None if suite is None else suite.tests_beside(robot.xrdf, robot.urdf)
    if recognise_format(robot.urdf).name not in ("urdf", "xacro"):
        urdf, xrdf, srdf = import_robot(robot.urdf, robot.packages, robot.model)
        xrdf = robot.xrdf or (None if "new" in robot.settings.steps else xrdf)
        robot = replace(robot, urdf=urdf, xrdf=xrdf, srdf=robot.srdf or srdf)
    places = {path: f"robot/{path.name}" for path in robot.files}
    files = [_input(place, path) for path, place in places.items()]
    if tests is not None:
        places[tests] = f"robot/{tests.name}"
        files.append(_input(places[tests], tests))
    meshes: dict[str, str] = {}
    shapes = [
        shape.geometry
        for link in read_urdf(SourceText.read(robot.urdf)).value.links
        for shape in link.shapes
    ]
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
    return RobotInputs(
        robot.name,
        home,
        places[robot.urdf],
        None if xrdf is None else places[xrdf],
        None if srdf is None else places[srdf],
        None if tests is None else places[tests],
        unique,
        FrozenDict(meshes),
        robot.settings,
        _key(unique, meshes, robot.settings, home),
    )


def staged(
    inputs: RobotInputs, folder: Path, content: Callable[[InputFile], bytes]
) -> Mapping[str, Path]:
    """Puts the files into a folder; gives path of a mesh as written -> file, as `open_robot` takes
    its packages."""
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


def _key(
    files: tuple[InputFile, ...], meshes: Mapping[str, str], settings: BatchSettings, home: str
) -> str:
    parts = {
        "program": __version__,
        "files": sorted((file.place, file.digest) for file in files),
        "meshes": sorted(meshes.items()),
        "settings": asdict(settings),
        # Stands in files of some formats.
        "home": home if "convert" in settings.steps else None,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


#: What is wrong with a robot, its files or the place of its results; it ends nothing but the work
#: on this robot.
READING_ERRORS = (FormatError, SaveError, Refused, OSError, ValueError, RecursionError)
