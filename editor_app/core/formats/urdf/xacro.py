"""xacro files -> the text of a URDF, by PyPI's xacro. It evaluates Python expressions: ask before
calling this.

Packages ($(find …), package://) are looked for by the caller's resolver, since there need be no ROS
here.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.parsers.expat import ExpatError

from editor_app.core.formats.misnamed_files import OF_AN_SRDF
from editor_app.core.model.counting import format_list
from editor_app.core.model.findings import Location
from editor_app.core.model.regular_file import read_regular
from editor_app.core.text.source import MAX_BYTES, FormatError, SourceText

#: A package's name -> its folder, or None.
FindPackage = Callable[[str], Path | None]

_ARGUMENT = re.compile(r"<xacro:arg\s([^>]*?)/?>", re.DOTALL)
_USED = re.compile(r"\$\(arg\s+([^\s()$]+)\s*\)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LINK = re.compile(r"<link[\s/>]")
#: (verb, noun, plural, element with a name) of what may be in a file that describes no robot.
_PARTS = tuple(
    (verb, noun, plural, re.compile(rf"<xacro:{tag}\s[^>]*?\b{attribute}\s*=\s*[\"']([^\"']*)"))
    for verb, noun, plural, tag, attribute in (
        ("defines", "macro", "macros", "macro", "name"),
        ("sets", "property", "properties", "property", "name"),
        ("includes", "file", "files", "include", "filename"),
    )
)
_OPEN_THE_ROBOT = "Open the file of the robot, which includes it."
#: Names that a sentence lists.
_NAMED = 4
_ATTRIBUTE = re.compile(r"(name|default)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


def declared_arguments(source: SourceText) -> dict[str, str | None]:
    """The arguments of the file itself, with their defaults as written; None for one that has to be
    given.

    Nothing is evaluated. xacro wants a default in every declaration: what has to be given is used
    undeclared.
    """
    arguments: dict[str, str | None] = {}
    for match in _ARGUMENT.finditer(source.text):
        attributes = {
            m.group(1): m.group(2) if m.group(2) is not None else m.group(3)
            for m in _ATTRIBUTE.finditer(match.group(1))
        }
        if "name" in attributes:
            arguments.setdefault(attributes["name"], attributes.get("default"))
    for match in _USED.finditer(source.text):
        arguments.setdefault(match.group(1))
    return arguments


def parse_arguments(texts: list[str]) -> dict[str, str]:
    """`name:=value` each. Raises ValueError."""
    arguments = {}
    for text in texts:
        name, mark, value = text.partition(":=")
        if not mark or not name.strip():
            raise ValueError(f"{text!r} does not have the form name:=value")
        arguments[name.strip()] = value
    return arguments


def expand_xacro(
    path: Path, arguments: Mapping[str, str] | None = None, find_package: FindPackage | None = None
) -> SourceText:
    """The expanded text; its path is that of the xacro file with the suffix .urdf (where it does
    not exist yet).

    Evaluates the Python expressions of the file and of what it includes. Raises FormatError, also
    for a file that expands to no link: it holds macros or other parts of a robot.
    """
    import xacro
    from xacro import substitution_args

    path = Path(path).absolute()

    def find(name: str) -> str:
        folder = find_package(name) if find_package is not None else None
        if folder is None:
            raise substitution_args.SubstitutionException(f"the package {name!r} was not found")
        return str(folder)

    given = dict(arguments or {})
    declared = declared_arguments(SourceText.read(path))
    # The attributes of the root are evaluated before its arguments are: their defaults are given a
    # second time.
    while True:
        try:
            text = _expanded(path, given, find)
            break
        except FormatError:
            raise
        except Exception as error:  # xacro and the expressions of a file let whatever happens out
            name = undefined_argument(error)
            default = declared.get(name) if name is not None and name not in given else None
            if name is None or default is None or "$" in default:
                raise explained(error, path, xacro, given) from None
            given[name] = default
    _refuse_unknown(arguments or {}, declared, path)
    _refuse_without_robot(text, path)
    lines = [line for line in text.splitlines() if line.strip()]
    is_named = path.name.endswith((".urdf.xacro", ".srdf.xacro"))
    target = path.with_suffix("") if is_named else path.with_suffix(".urdf")
    return SourceText.from_text("\n".join(lines) + "\n", target)


def _expanded(path: Path, arguments: Mapping[str, str], find: Callable[[str], str]) -> str:
    import xacro
    from xacro import substitution_args

    printed = io.StringIO()
    # xacro adds to it what it reads, and never forgets.
    xacro.all_includes.clear()
    try:
        with (
            _reading(xacro),
            _finding(substitution_args, find),
            contextlib.redirect_stderr(printed),
            contextlib.redirect_stdout(printed),
        ):
            document = xacro.process_file(str(path), mappings=dict(arguments))
            return str(document.toprettyxml(indent="  "))
    except SystemExit:
        raise FormatError(
            f"xacro stopped: {printed.getvalue().strip()[-500:]}", Location(str(path))
        ) from None


def _refuse_unknown(
    arguments: Mapping[str, str], declared: Mapping[str, str | None], path: Path
) -> None:
    if all(name in declared for name in arguments):
        return
    all_arguments = _all_arguments(declared)
    for name in arguments:
        if name not in all_arguments:
            # An argument was given that no file asks for: it would be passed over in silence.
            remedy = (
                f"There are: {', '.join(sorted(all_arguments))}."
                if all_arguments
                else "They declare none."
            )
            raise FormatError(
                f"xacro: no file declares the argument {name!r}", Location(str(path)), remedy
            )


def _all_arguments(declared: Mapping[str, str | None]) -> dict[str, str | None]:
    """The arguments of a file, and of the files that its expansion included."""
    arguments = dict(declared)
    for file in included_files():
        with contextlib.suppress(FormatError, OSError):
            arguments.update(declared_arguments(SourceText.read(file)))
    return arguments


def _refuse_without_robot(text: str, path: Path) -> None:
    """Raises FormatError for an expansion without a link that is no SRDF: it is a part that another
    file includes."""
    if _LINK.search(text) is not None or OF_AN_SRDF.search(text) is not None:
        return
    source = SourceText.read(path)
    content = _COMMENT.sub(lambda comment: " " * len(comment[0]), source.text)
    parts = []
    for verb, noun, plural, pattern in _PARTS:
        names = list(dict.fromkeys(match[1] for match in pattern.finditer(content)))
        if names:
            parts.append(
                f"{verb} the {noun if len(names) == 1 else plural} {format_list(names, _NAMED)}"
            )
    macro = _PARTS[0][-1].search(content)
    place = source.location(macro.start() if macro is not None else 0)
    end = "no robot" if macro is not None and len(parts) == 1 else "describes no robot"
    remedy = (
        "Open the file that includes it and calls its macros."
        if macro is not None
        else _OPEN_THE_ROBOT
    )
    raise FormatError(
        f"{path.name} {', '.join(parts)}{' and ' if parts else ''}{end}", place, remedy
    )


def included_files() -> tuple[Path, ...]:
    """The files that the last `expand_xacro` of this process included."""
    import xacro

    return tuple(Path(name).absolute() for name in dict.fromkeys(xacro.all_includes))


@contextlib.contextmanager
def _reading(module: Any) -> Iterator[None]:
    """Replace xacro's way to open files for the time of one expansion: it would wait for a pipe."""
    module.open = lambda name, *_: io.StringIO(
        SourceText.from_bytes(read_regular(name, MAX_BYTES)).text
    )
    try:
        yield
    finally:
        del module.open


@contextlib.contextmanager
def _finding(module: Any, find: Callable[[str], str]) -> Iterator[None]:
    """xacro's way to find packages, replaced for the time of one expansion: it would want an
    installed ROS."""
    old = module._eval_find
    module._eval_find = find
    # `${find('p')}` takes it from here.
    find_table = getattr(module, "_eval_dict", {})
    had = find_table.get("find")
    if had is not None:
        find_table["find"] = find
    try:
        yield
    finally:
        module._eval_find = old
        if had is not None:
            find_table["find"] = had


_UNDEFINED = re.compile(r"Undefined substitution argument ([^\s,]+)")
_EXPRESSION = re.compile(r"when evaluating expression '(.*?)'\s*(?:$|\n)", re.DOTALL)
_PACKAGE = re.compile(r"the package '([^']+)' was not found")
_NO_DEFAULT = "xacro:arg: missing attribute 'default'"
_WITHOUT_DEFAULT = re.compile(r"<xacro:arg\b(?![^>]*\bdefault\s*=)")
_UNKNOWN_MACRO = re.compile(r"unknown macro name: (\S+)")


def undefined_argument(error: Exception) -> str | None:
    """The argument that an expansion failed for want of, if that was it."""
    match = _UNDEFINED.search(str(error))
    return match.group(1) if match is not None else None


def missing_package(error: Exception) -> str | None:
    """The package that was not found, if that was it."""
    match = _PACKAGE.search(str(error))
    return match.group(1) if match is not None else None


def explained(error: Exception, path: Path, module: Any, given: Mapping[str, str]) -> FormatError:
    """`module` is xacro, whose stacks still say where it was; `path` the file that was to be
    expanded, with `given`."""
    files = _files(module, path)
    if isinstance(error, ExpatError):
        place = Location(str(files[0]), error.lineno, error.offset + 1)
        return FormatError(f"xacro: not well-formed XML: {str(error).split(':')[0]}", place)
    inner = getattr(error, "exc", None)
    # xacro wraps some of what happens in a sentence that says the same with the name of a class.
    message = str(inner) if str(error).startswith("<class") and inner is not None else str(error)
    if isinstance(inner, OSError) and inner.filename:
        message = f"{inner.strerror}: {inner.filename}"
    sentence = ", ".join(line.strip() for line in message.strip().splitlines())
    sentence = (
        f"{type(error).__name__}: {sentence}"
        if type(error).__name__ == "RecursionError"
        else sentence
    )
    cause, remedy = error, _remedy(message)
    while isinstance(deeper := getattr(cause, "exc", None), Exception):
        cause = deeper
    if isinstance(cause, OSError) and cause.filename:
        remedy = _name_file_arguments(str(cause.filename), str(error), {**_declared(path), **given})
    return FormatError(f"xacro: {sentence}", _place(message, error, files), remedy)


def _declared(path: Path) -> dict[str, str]:
    """Argument -> default as written, of a file and those that it includes; empty where it has
    none."""
    return {
        name: default or ""
        for name, default in _all_arguments(declared_arguments(SourceText.read(path))).items()
    }


def _name_file_arguments(filename: str, message: str, values: Mapping[str, str]) -> str | None:
    """The arguments that a file which cannot be read comes from: those in the expression, else
    empty or in its name."""
    expressions = " ".join(_EXPRESSION.findall(message))
    in_expression = [name for name in values if re.search(rf"\b{re.escape(name)}\b", expressions)]
    # What `$(find …)` or `$(arg …)` at its start gives is not known here.
    ends = {name: value.rpartition(")")[2] for name, value in values.items()}
    names = in_expression or [name for name, end in ends.items() if not end or end in filename]
    arguments = ", ".join(f"--xacro-arg {name}:=FILE" for name in names)
    return f"Give the argument that names the file ({arguments})." if arguments else None


def _remedy(message: str) -> str | None:
    if _PACKAGE.search(message) is not None:
        return "Map the package to its folder (--package name=FOLDER)."
    if _UNDEFINED.search(message) is not None:
        return "Give the argument (--xacro-arg name:=value)."
    if _NO_DEFAULT in message:
        return (
            'xacro needs a default in each declaration: add one (default=""), or remove the '
            "declaration."
        )
    if _UNKNOWN_MACRO.search(message) is not None:
        return "Include the file that defines it, or correct its name."
    return None


def _files(module: Any, path: Path) -> list[Path]:
    """The files that xacro was in, the innermost first, then all that it read."""
    macros = [
        m.history[-1][-1] for m in reversed(getattr(module, "macrostack", None) or ()) if m.history
    ]
    stack = list(reversed(getattr(module, "filestack", None) or ()))
    names = [*stack, *macros, *reversed(getattr(module, "all_includes", ())), str(path)]
    return [Path(name) for name in dict.fromkeys(names) if name]


def _place(message: str, error: Exception, files: Iterable[Path]) -> Location:
    """Where the piece of text stands that the message speaks of; the file alone when it is not
    found."""
    paths = list(files)
    for piece in _pieces(message, error):
        for file in paths:
            try:
                source = SourceText.read(file)
            except (FormatError, OSError):
                continue
            match = piece.search(source.text)
            if match is not None:
                return Location(str(file), *source.line_column(match.start()))
    return Location(str(paths[0]))


def _pieces(message: str, error: Exception) -> list[re.Pattern[str]]:
    """What to look for, what tells most first."""
    if _NO_DEFAULT in message:
        return [_WITHOUT_DEFAULT]
    pieces = ["${" + text + "}" for text in _EXPRESSION.findall(message)]
    if match := _UNDEFINED.search(message):
        pieces.append(f"$(arg {match.group(1)})")
    if match := _PACKAGE.search(message):
        pieces += [f"$(find {match.group(1)})", f"package://{match.group(1)}/", match.group(1)]
    if match := _UNKNOWN_MACRO.search(message):
        pieces.append(f"<{match.group(1)}")
    for macro in getattr(error, "macros", ()):
        name = macro.body.getAttribute("name") if macro is not None else ""
        pieces += [f"<xacro:{name.removeprefix('xacro:')}"] if name else []
    inner = getattr(error, "exc", None)
    if isinstance(inner, OSError) and inner.filename:
        pieces.append(Path(str(inner.filename)).name)
    return [re.compile(re.escape(piece)) for piece in pieces]
