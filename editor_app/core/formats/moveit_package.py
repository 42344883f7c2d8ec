"""Files beside a URDF, and of a MoveIt config package: which is what, by the rules of MoveIt's
loader where it has one.

As `moveit_configs_utils` of ROS 2 and the files of MoveIt 1's setup assistant have it:
`config/NAME.urdf.xacro` comes first, then what `.setup_assistant` names, then what
`planning_context.launch` loads.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editor_app.core.model.findings import Location
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.yaml.plain import load_plain, read_text_list

SETUP_FILE = ".setup_assistant"
_MANIFEST, _CONFIG = "package.xml", "config"
_NAME = re.compile(r"<name>\s*([^<\s]+)\s*</name>")
#: What MoveIt 1 loads: `$(find PACKAGE)/path` behind the parameter, in a textfile or in a call of
#: xacro.
_LOADED = (
    r"""<param[^>]*name\s*=\s*"[^"]*robot_description\)?{}"[^>]*\$\(find\s+([^)\s]+)\)/([^'"\s]+)"""
)
_LAUNCHED = {part: re.compile(_LOADED.format(part)) for part in ("", "_semantic")}


@dataclass(frozen=True, slots=True)
class MoveItPackage:
    """`robot`: the URDF or xacro file, whose `arguments` the package names; None, and `missing`
    says what is not there.

    `settings`: files by their names, as joint_limits.yaml.
    """

    folder: Path
    robot: Path | None
    srdf: Path | None
    arguments: tuple[tuple[str, str], ...] = ()
    settings: tuple[tuple[str, Path], ...] = ()
    missing: str = ""


def find_xrdf(urdf: Path) -> Path | None:
    """The XRDF of the same stem in the URDF's folder, else None."""
    for suffix in (".xrdf", ".xrdf.yaml", ".xrdf.yml"):
        candidate = urdf.with_name(urdf.stem + suffix)
        if candidate.is_file():
            return candidate
    return None


def find_srdf(urdf: Path) -> Path | None:
    """The SRDF of the same stem in the URDF's folder, or the only one of its MoveIt package; else
    None."""
    candidate = urdf.with_suffix(".srdf")
    if candidate.is_file():
        return candidate
    config = settings_folder(urdf)
    # The SRDF of a MoveIt package may be called otherwise than its URDF.
    others = sorted(config.glob("*.srdf")) if config is not None else []
    return others[0] if len(others) == 1 else None


def package_root(path: Path) -> Path | None:
    """The folder that a path stands for: itself, or around a package.xml or .setup_assistant; None
    for a file."""
    path = path.absolute()
    if path.is_dir():
        return path.parent if path.name == _CONFIG and is_moveit_package(path.parent) else path
    return path.parent if path.name in (_MANIFEST, SETUP_FILE) and path.is_file() else None


def is_moveit_package(folder: Path) -> bool:
    """Return whether there is something for MoveIt in a folder: what its setup assistant wrote, or
    a package with an SRDF."""
    if (folder / SETUP_FILE).is_file():
        return True
    is_package = (folder / _MANIFEST).is_file()
    return is_package and (package_name(folder).endswith("_moveit_config") or bool(_srdfs(folder)))


def settings_folder(*files: Path | None) -> Path | None:
    """The folder `config` of the MoveIt package that one of the files is in the first level of;
    None for none."""
    for file in files:
        folder = None if file is None else file.absolute().parent.parent
        if folder is not None and (folder / _CONFIG).is_dir() and is_moveit_package(folder):
            return folder / _CONFIG
    return None


def settings_files(config: Path, wanted: Sequence[str]) -> dict[str, Path]:
    """The files of settings in a folder, by their usual names; one of another name counts when it
    ends so, alone."""
    files = {}
    for name in wanted:
        others = sorted(path for path in config.glob(f"*{name}") if path.is_file())
        exact = config / name
        if exact in others or len(others) == 1:
            files[name] = exact if exact in others else others[0]
    return files


def read_package(
    folder: Path, wanted: Sequence[str], find: Callable[[str], Path | None]
) -> MoveItPackage:
    """Read the package in a folder. `wanted` are names of settings, `find` gives the folder of
    another package.

    Raises FormatError for a .setup_assistant that cannot be read.
    """
    setup = _setup(folder)
    name = package_name(folder)
    find_here: Callable[[str], Path | None] = lambda other: folder if other == name else find(other)  # noqa: E731
    robot, said = _robot(folder, name, setup.get("urdf", {}), find_here)
    semantic = setup.get("srdf", {}).get("relative_path")
    named = folder / str(semantic) if semantic else _launched(folder, "_semantic", find_here)
    srdf = (
        named
        if named is not None and named.is_file()
        else _best(_srdfs(folder), _stem(robot), name)
    )
    settings = settings_files(folder / _CONFIG, wanted)
    arguments = _arguments(setup.get("urdf", {}).get("xacro_args"))
    return MoveItPackage(folder, robot, srdf, arguments, tuple(settings.items()), said)


def controller_files(config: Path) -> tuple[Path, ...]:
    """The files in a folder that name controllers."""
    return tuple(sorted(path for path in config.glob("*controllers.yaml") if path.is_file()))


def joints_of_controllers(path: Path) -> tuple[str, ...]:
    """Every joint that a file of controllers names. Raises FormatError."""
    joints: list[str] = []

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            joints.extend(read_text_list(value.get("joints")) or ())
            joints.extend(
                name for name in (value.get("joint"), value.get("joints")) if isinstance(name, str)
            )
            for inner in value.values():
                walk(inner)

    walk(load_plain(SourceText.read(path)))
    return tuple(dict.fromkeys(joints))


def _setup(folder: Path) -> dict[str, Any]:
    """Of .setup_assistant: urdf and srdf, each with its keys; {} without the file."""
    path = folder / SETUP_FILE
    if not path.is_file():
        return {}
    value = load_plain(SourceText.read(path))
    config = value.get("moveit_setup_assistant_config") if isinstance(value, dict) else None
    if not isinstance(config, dict):
        raise FormatError(
            "No robot is named: moveit_setup_assistant_config is missing", Location(str(path))
        )
    parts = {part: config.get(part) or config.get(part.upper()) for part in ("urdf", "srdf")}
    return {part: entry for part, entry in parts.items() if isinstance(entry, dict)}


def package_name(folder: Path) -> str:
    """Return the name in package.xml; without one, the name of the folder."""
    try:
        match = _NAME.search(SourceText.read(folder / _MANIFEST).text)
    except (OSError, FormatError):
        match = None
    return match.group(1) if match is not None else folder.name


def _robot(
    folder: Path, name: str, setup: dict[str, Any], find: Callable[[str], Path | None]
) -> tuple[Path | None, str]:
    """The URDF or xacro file; else what is missing."""
    config = folder / _CONFIG
    named = Path(str(setup.get("relative_path", "")))
    modified = _best(sorted(config.glob("*.urdf.xacro")), named.name.partition(".")[0], name)
    if modified is not None:
        return modified, ""
    package = str(setup.get("package") or "")
    if named.name:
        home = find(package) if package else folder
        if home is not None and (home / named).is_file():
            return home / named, ""
        where = (
            f"{home / named}"
            if home is not None
            else f"package {package} for {named}, which .setup_assistant names"
        )
        return None, (
            f"{where} does not exist: name its folder (--package {package or 'NAME'}=FOLDER), or "
            "name the URDF as well"
        )
    launched = _launched(folder, "", find)
    plain = launched or _best(
        sorted((*config.glob("*.urdf"), *folder.glob("urdf/*.urdf"))), "", name
    )
    return plain, "" if plain is not None else "it names no URDF: name the URDF as well"


def urdf_within(xacro: Path) -> Path | None:
    """The URDF that a xacro file of its name adds something to, in the same folder; None where it
    does not."""
    plain = xacro.with_suffix("")
    return (
        plain
        if plain.is_file() and f'filename="{plain.name}"' in SourceText.read(xacro).text
        else None
    )


def _launched(folder: Path, part: str, find: Callable[[str], Path | None]) -> Path | None:
    try:
        match = _LAUNCHED[part].search(
            SourceText.read(folder / "launch" / "planning_context.launch").text
        )
    except (OSError, FormatError):
        return None
    home = find(match.group(1)) if match is not None else None
    path = home / match.group(2) if home is not None and match is not None else None
    return path if path is not None and path.is_file() else None


def _srdfs(folder: Path) -> list[Path]:
    """SRDFs before xacro files of such; macros are parts of others."""
    folders = (folder / _CONFIG, folder / "srdf")
    plain = [path for each in folders for path in sorted(each.glob("*.srdf"))]
    xacro = [
        path
        for each in folders
        for path in sorted(each.glob("*.srdf.xacro"))
        if "macro" not in path.name
    ]
    return [*plain, *xacro]


def _best(paths: Sequence[Path], stem: str, package: str) -> Path | None:
    """The one of this stem, else the one that the package is named for, else the first where there
    is no choice."""
    robot = package.removesuffix("_moveit_config").removesuffix("_moveit2_config")
    for wanted in (stem, robot):
        exact = [path for path in paths if path.name.partition(".")[0] == wanted]
        if exact:
            return exact[0]
    alike = [path for path in paths if robot.endswith(path.name.partition(".")[0])]
    return next(iter(alike or paths[:1]), None)


def _stem(path: Path | None) -> str:
    return path.name.partition(".")[0] if path is not None else ""


def _arguments(text: object) -> tuple[tuple[str, str], ...]:
    """`name:=value name:=value`, as .setup_assistant has them."""
    parts = (part.partition(":=") for part in str(text or "").split())
    return tuple((name, value) for name, mark, value in parts if mark and name)
