"""An MJCF and the files that it names, as one text and bytes for MuJoCo.

MuJoCo itself opens any file that is named, waits for a pipe for ever, and allocates any size that
is written. The text here names no file on the disk, leaves out everything that a URDF cannot hold
(pictures, height maps, sensors, skins), and is refused when it makes too many copies. Names are
resolved as in MuJoCo (xml.cc: IncludeXML, xml_util.cc: ResolveFilePath).
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from xml.sax.saxutils import quoteattr

from editor_app.core.formats.exchange.meshes import make_plain_name
from editor_app.core.model.findings import Location
from editor_app.core.model.regular_file import read_regular
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.xml.document import MAX_DEPTH, XmlDocument, XmlElement, parse_xml

#: Elements that replicates, composites and attached models may add to the bodies: MuJoCo's time
#: grows with the square.
MOST_COPIES = 10_000
#: Bytes of all files together.
MOST_BYTES = 1 << 30
#: Activations of an actuator; vertices along a side of a built-in mesh, or degrees that it covers.
_MOST_ACTIVATIONS, _MOST_RESOLUTION = 1000, 500
#: Elements that are left out, and their names in the report; "" for settings of the simulation.
_LEFT_OUT = {
    "texture": "texture",
    "sensor": "sensor",
    **dict.fromkeys(("skin", "flex", "flexcomp", "flexvert", "flexstrain"), "skin, flex"),
    **dict.fromkeys(("layer", "lengthrange", "size", "visual", "statistic", "custom"), ""),
}
#: Attributes that are left out of compilers: folders, since files get other names, and switches
#: that drop bodies.
_SETTINGS = ("meshdir", "texturedir", "assetdir", "strippath", "discardvisual", "fusestatic")
#: Attributes that are left out of all elements: pictures, and buffers for simulated delays.
_BUFFERS = ("texture", "nsample", "interp", "delay")


@dataclass(frozen=True, eq=False)
class MjcfSources:
    """`text`: the XML for MuJoCo. `files`: name in it -> content; `paths`: the same name -> the
    file on the disk.

    Each element is in its line of the main file, or in the line of its `<include>`. `left_out`: how
    many elements of a kind are not in the text.
    """

    text: str
    files: dict[str, bytes]
    paths: dict[str, Path]
    left_out: Counter[str]


def read_sources(path: Path) -> MjcfSources:
    """Read an MJCF with all files that it names.

    Raises FormatError for a missing file, a pipe or device, a file that includes itself, and for
    too many copies.
    """
    reading = _Reading()
    model = _Model(reading, path, Location(str(path)))
    return MjcfSources(model.text(), reading.files, reading.paths, reading.left_out)


class _Reading:
    """The files that were read so far, by their names in the text."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.paths: dict[str, Path] = {}
        self.left_out: Counter[str] = Counter()
        self.open: list[Path] = []
        self._bytes = 0
        self._names: dict[Path, str] = {}

    def document(self, path: Path, place: Location) -> XmlDocument:
        source = SourceText.read(path)
        self._count(len(source.data), place)
        return parse_xml(source)

    def asset(self, path: Path, place: Location) -> str:
        """Read a file; return its name in the text."""
        if path not in self._names:
            try:
                data = read_regular(path, MOST_BYTES)
            except OSError as error:
                raise FormatError(f"{path.name} cannot be read: {error.strerror}", place) from None
            self._count(len(data), place)
            self._names[path] = self.add(path, data)
        return self._names[path]

    def add(self, path: Path, data: bytes) -> str:
        """Name a file by its contents: MuJoCo caches decoded files by name, for all models of a
        process."""
        name = f"{hashlib.blake2b(data, digest_size=12).hexdigest()}_{make_plain_name(path.stem)}{path.suffix}"
        self.files[name], self.paths[name] = data, path
        return name

    def _count(self, size: int, place: Location) -> None:
        self._bytes += size
        if self._bytes > MOST_BYTES:
            raise FormatError(
                f"The files of this robot have more than {MOST_BYTES >> 20:,} MB, the limit", place
            )


@dataclass(eq=False, slots=True)
class _Element:
    """`folder`: of the document that it is in."""

    tag: str
    attributes: dict[str, str]
    place: Location
    folder: Path
    children: list[_Element] = field(default_factory=list)

    def walk(self) -> Iterator[_Element]:
        yield self
        for child in self.children:
            yield from child.walk()


class _Model:
    """A model with its includes. `size`: the number of elements that MuJoCo makes from its
    bodies."""

    def __init__(self, reading: _Reading, path: Path, place: Location) -> None:
        self.reading = reading
        self.path = path
        self._included: set[str] = set()
        if path in reading.open:
            raise FormatError(f"{path.name} attaches itself", place)
        reading.open.append(path)
        document = reading.document(path, place)
        start = document.location(document.root)
        if document.root.tag.lower() != "mujoco":
            sentence = f"The root element is <{document.root.tag}>; an MJCF needs <mujoco>"
            raise FormatError(sentence, start, "Attach MJCF files only.")
        (self.root,) = self._elements(document, document.root, 0)
        every = [*self.root.walk()]
        compilers = [element for element in every if element.tag.lower() == "compiler"]
        self.settings = {key: value for each in compilers for key, value in each.attributes.items()}
        self._models: dict[str | None, _Model] = {}
        for element in every:
            if element.tag == "model" and "file" in element.attributes:
                child = _Model(reading, self._file(element, ""), element.place)
                self._models[element.attributes.get("name", child.root.attributes.get("model"))] = (
                    child
                )
                element.attributes["file"] = reading.add(child.path, child.text().encode())
                element.attributes.pop("content_type", None)
        bodies = [element for element in self.root.children if element.tag == "worldbody"]
        self.size = sum(map(self._size, bodies))
        copies = self.size - sum(sum(1 for _ in element.walk()) for element in bodies)
        _refuse_more(
            copies, MOST_COPIES, "elements by replicates, composites and attached models", start
        )
        self._prepare(self.root)
        reading.open.pop()

    def text(self) -> str:
        """The XML, each element of the main document in its line."""
        pieces: list[str] = []
        self._write(self.root, pieces, 1)
        return "".join(pieces)

    # -- the elements

    def _elements(self, document: XmlDocument, element: XmlElement, depth: int) -> list[_Element]:
        """Return the element, or for an include the elements of the included document."""
        place = document.location(element)
        if depth > MAX_DEPTH:
            raise FormatError("The elements of this file are nested too deep", place)
        folder = (document.source.path or self.path).parent
        made = _Element(
            element.tag, {each.name: each.value for each in element.attributes}, place, folder
        )
        if element.tag.lower() != "include":
            made.children = [
                e for child in element.children for e in self._elements(document, child, depth + 1)
            ]
            return [made]
        name = made.attributes.get("file", "")
        if name in self._included:
            raise FormatError(f"{name!r} is already included", place)
        self._included.add(name)
        inner = self.reading.document(self._file(made, ""), place)
        return [e for child in inner.root.children for e in self._elements(inner, child, depth + 1)]

    def _file(self, element: _Element, below: str) -> Path:
        """Find the file that an element names: in a folder of the model, then in the folder of the
        document."""
        name = element.attributes.get("file", "").replace("\\", "/")
        candidates = (self.path.parent / below / name, element.folder / name)
        try:
            path = next((path for path in candidates if name and path.exists()), None)
        except (OSError, ValueError):
            path = None
        if path is None:
            sentence = f"The file {name!r} of <{element.tag}> was not found"
            raise FormatError(sentence, element.place, f"MuJoCo looks for it at {candidates[0]}.")
        return path

    # -- sizes

    def _size(self, element: _Element) -> float:
        inner = sum(self._size(child) for child in element.children)
        if element.tag == "attach":
            child = self._models.get(element.attributes.get("model"))
            inner += child.size if child is not None else 0
        if element.tag == "composite":
            inner += 1
        copies = (
            math.prod(_numbers(element, "count"))
            if element.tag in ("replicate", "composite")
            else 1.0
        )
        return 1 + copies * inner

    # -- the text

    def _prepare(self, element: _Element) -> None:
        attributes, tag = element.attributes, element.tag
        for key in (*_BUFFERS, *(_SETTINGS if tag.lower() == "compiler" else ())):
            attributes.pop(key, None)
        if tag in ("mesh", "hfield") and "file" in attributes:
            attributes.setdefault("name", PurePosixPath(attributes["file"].replace("\\", "/")).stem)
            if tag == "mesh":
                attributes["file"] = self._mesh(element)
        if tag == "hfield":
            # Only its place matters.
            kept: dict[str, str] = {
                key: attributes[key] for key in ("name", "size") if key in attributes
            }
            element.attributes = kept | {"nrow": "2", "ncol": "2"}
        if "builtin" in attributes and tag == "mesh":
            _refuse_more(
                max(_numbers(element, "params")),
                _MOST_RESOLUTION,
                "vertices along a mesh",
                element.place,
            )
        if "actdim" in attributes:
            _refuse_more(
                max(_numbers(element, "actdim")), _MOST_ACTIVATIONS, "activations", element.place
            )
        children = element.children
        element.children = [child for child in children if child.tag not in _LEFT_OUT]
        for child in children:
            if child.tag in _LEFT_OUT:
                self.reading.left_out[_LEFT_OUT[child.tag]] += (
                    len(child.children) if child.tag == "sensor" else 1
                )
            else:
                self._prepare(child)

    def _mesh(self, element: _Element) -> str:
        if self.settings.get("strippath") == "true":
            element.attributes["file"] = (
                element.attributes["file"].replace("\\", "/").rpartition("/")[2]
            )
        below = self.settings.get("meshdir", self.settings.get("assetdir", ""))
        return self.reading.asset(self._file(element, below.replace("\\", "/")), element.place)

    def _write(self, element: _Element, pieces: list[str], line: int) -> int:
        """Add the text of an element; return the number of its last line."""
        place = element.place
        if place.file == str(self.path) and place.line is not None and place.line > line:
            pieces.append("\n" * (place.line - line))
            line = place.line
        attributes = "".join(
            f" {key}={quoteattr(value)}" for key, value in element.attributes.items()
        )
        pieces.append(f"<{element.tag}{attributes}>")
        for child in element.children:
            line = self._write(child, pieces, line)
        pieces.append(f"</{element.tag}>")
        return line


def _numbers(element: _Element, key: str) -> list[float]:
    """Return the absolute numbers of an attribute, at least 1 each. Raises FormatError for other
    words."""
    words = element.attributes.get(key, "").split()
    try:
        numbers = [abs(float(word)) for word in words] or [1.0]
    except ValueError:
        numbers = [math.nan]
    if not all(map(math.isfinite, numbers)):
        raise FormatError(
            f"{key} {' '.join(words)!r} of <{element.tag}> is not a number", element.place
        )
    return [max(1.0, number) for number in numbers]


def _refuse_more(number: float, most: int, noun: str, place: Location) -> None:
    if number > most:
        raise FormatError(f"{number:,.0f} {noun}: the limit is {most:,}", place)
