"""xacro files -> the text of a URDF, by PyPI's xacro. It evaluates Python expressions: ask before calling this.

Packages ($(find …), package://) are looked for by the caller's resolver, since there need be no ROS here.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from editor_app.formats.source import FormatError, SourceText
from editor_app.model.findings import Location

#: A package's name -> its folder, or None.
FindPackage = Callable[[str], Path | None]

_ARGUMENT = re.compile(r"<xacro:arg\s([^>]*?)/?>", re.DOTALL)
_ATTRIBUTE = re.compile(r"(name|default)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


def declared_arguments(source: SourceText) -> dict[str, str | None]:
    """The arguments that the file itself declares, with their defaults as written; nothing is evaluated."""
    found: dict[str, str | None] = {}
    for match in _ARGUMENT.finditer(source.text):
        attributes = {
            m.group(1): m.group(2) if m.group(2) is not None else m.group(3)
            for m in _ATTRIBUTE.finditer(match.group(1))
        }
        if "name" in attributes:
            found.setdefault(attributes["name"], attributes.get("default"))
    return found


def parse_arguments(texts: list[str]) -> dict[str, str]:
    """`name:=value` each. Raises ValueError."""
    found = {}
    for text in texts:
        name, mark, value = text.partition(":=")
        if not mark or not name.strip():
            raise ValueError(f"{text!r} is not of the form name:=value")
        found[name.strip()] = value
    return found


def expand_xacro(
    path: Path, arguments: Mapping[str, str] | None = None, find_package: FindPackage | None = None
) -> SourceText:
    """The expanded text; its path is that of the xacro file with the suffix .urdf (where it does not exist yet).

    Evaluates the Python expressions of the file and of what it includes. Raises FormatError.
    """
    import xacro
    from xacro import substitution_args

    path = Path(path).absolute()
    SourceText.read(path)

    def find(name: str) -> str:
        folder = find_package(name) if find_package is not None else None
        if folder is None:
            raise substitution_args.SubstitutionException(f"the package {name!r} was not found")
        return str(folder)

    printed = io.StringIO()
    # xacro adds to it what it reads, and never forgets.
    xacro.all_includes.clear()
    try:
        with (
            _finding(substitution_args, find),
            contextlib.redirect_stderr(printed),
            contextlib.redirect_stdout(printed),
        ):
            document = xacro.process_file(str(path), mappings=dict(arguments or {}))
            text = document.toprettyxml(indent="  ")
    except SystemExit:
        raise FormatError(f"xacro gave up: {printed.getvalue().strip()[-500:]}", Location(str(path))) from None
    except Exception as error:  # xacro and the expressions of a file let whatever happens out
        stack = [Path(f) for f in _files(xacro)]
        where = stack[-1] if stack else path
        remedy = None
        if "package" in str(error) and "not found" in str(error):
            remedy = "Map the package to its folder (--package name=FOLDER)."
        elif "Undefined substitution argument" in str(error) or "xacro:arg: missing attribute 'default'" in str(error):
            remedy = "Give the argument (--xacro-arg name:=value)."
        raise FormatError(f"xacro: {error}", Location(str(where)), remedy) from None
    lines = [line for line in text.splitlines() if line.strip()]
    target = path.with_suffix("") if path.name.endswith(".urdf.xacro") else path.with_suffix(".urdf")
    return SourceText.from_text("\n".join(lines) + "\n", target)


def included_files() -> tuple[Path, ...]:
    """The files that the last `expand_xacro` of this process included."""
    import xacro

    return tuple(Path(name).absolute() for name in dict.fromkeys(xacro.all_includes))


@contextlib.contextmanager
def _finding(module: Any, find: Callable[[str], str]) -> Iterator[None]:
    """xacro's way to find packages, replaced for the time of one expansion: it would want an installed ROS."""
    old = module._eval_find
    module._eval_find = find
    # `${find('p')}` takes it from here.
    known = getattr(module, "_eval_dict", {})
    had = known.get("find")
    if had is not None:
        known["find"] = find
    try:
        yield
    finally:
        module._eval_find = old
        if had is not None:
            known["find"] = had


def _files(module: Any) -> list[str]:
    return [str(f) for f in getattr(module, "filestack", None) or () if f]
