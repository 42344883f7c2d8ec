"""The layers of a USD asset in memory, with no file left to open while they are composed.

USD opens every file that a layer names: absolute paths, other folders, and what a resolver
downloads. Here each layer is read by the program's own function, from the folder of the asset or a
folder that the user named for it. It names the others by their names in memory; every other name is
taken out. A package (.usdz) is unpacked first.
"""

from __future__ import annotations

import io
import os
import re
import zipfile
import zlib
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from pxr import Sdf, Tf, UsdUtils

from editor_app.core.model.findings import Location
from editor_app.core.model.regular_file import read_regular
from editor_app.core.space.geometry.paths import mapped_file, package_option
from editor_app.core.tasks.worker import MemoryBound
from editor_app.core.text.source import FormatError
from editor_app.plugins.usd.choices import ENDINGS
from editor_app.plugins.usd.reading.crates import DamagedCrateError, refuse_false_counts

#: Bytes that reading may need: in any case, for each thread of OpenUSD, and for each byte of the
#: layers.
_USUAL_BYTES, _BYTES_PER_THREAD, _GROWTH = 1 << 31, 80 << 20, 24
#: Bytes of all layers together, and their number.
MOST_BYTES, MOST_LAYERS = 1 << 30, 1000
#: Prims after references, payloads and variants took effect, at most; a bound that is computed
#: before USD composes.
MOST_PRIMS = 500_000
_CRATE, _TEXT, _PACKAGE, _POINTER = b"PXR-USDC", b"#usda", b"PK\x03\x04", b"version https://git-lfs"
_REMOTE = re.compile(r"[A-Za-z][\w+.-]+:")
_LINE = re.compile(r"\bline[: ]+(\d+)|:(\d+)\b")
#: Parts of the messages of OpenUSD that say nothing about the file.
_JARGON = re.compile(
    r"parse error matching \S*pxrReserved\S*(?:<.*>)?(?= at )|^(?::\d+)+:\s*|^Encountered: "
    r"|,? while reading @.*?@|Corrupt asset <[^>]*>:\s*"
)
#: Characters of a message of OpenUSD, and of an asset's name, that a sentence has room for.
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class DroppedLayer:
    """Why a layer is left out, and what to do. `place`: what names it; `can_be_located`: a folder
    may hold it."""

    name: str
    reason: str
    fix: str
    place: Location
    can_be_located: bool = False

    def __str__(self) -> str:
        fix = (
            f"{self.fix}, or name its folder: {package_option(self.name)}"
            if self.can_be_located
            else self.fix
        )
        return f"{self.reason} ({self.place} names it). {fix}"


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A layer whose names are to be followed. `home`: the folder that they do not lead out of."""

    path: Path
    data: bytes
    home: Path
    layer: Any


class Layers:
    """The layers of the asset at `path`. `root`: its Sdf.Layer; `dropped`: name of an asset -> why
    it is left out.

    `textures` counts the names of files that are no layers. `folder`: for what USD reads from the
    disk alone. `packages`: the beginning of a name, as layers write it -> the folder that the user
    named for it. `memory` is bounded by what the files can need. Raises FormatError for an asset
    that is no USD, cannot be read or is too large.
    """

    def __init__(
        self,
        path: Path,
        folder: Path,
        packages: Mapping[str, Path] | None = None,
        memory: MemoryBound | None = None,
    ) -> None:
        self.path, self._folder, self._packages, self._memory = path, folder, packages or {}, memory
        self.dropped: dict[str, DroppedLayer] = {}
        self.textures = 0
        self._bytes = 0
        self._layers: dict[Path, Any] = {}
        self._waiting: deque[_Waiting] = deque()
        #: Folder with the layers of a package -> the package.
        self._unpacked: dict[Path, Path] = {}
        self.root = self._add(path, self._read(path), path.parent)
        while self._waiting:
            self._isolate(self._waiting.popleft())
        _Size(self).refuse_more(MOST_PRIMS)

    @property
    def layers(self) -> tuple[Any, ...]:
        return tuple(self._layers.values())

    @property
    def files(self) -> tuple[Path, ...]:
        """The files of the layers; a package for the layers in it."""
        inside = self._folder.resolve()
        return (self.path.resolve(), *(path for path in self._layers if inside not in path.parents))

    # -- reading

    def _read(self, path: Path) -> bytes:
        try:
            data = read_regular(path, MOST_BYTES)
        except OSError as error:
            fix = "Name a USD file." if path == self.path else "Replace it by a USD file."
            raise FormatError(
                f"{path.name} cannot be read: {error.strerror}", Location(str(path)), fix
            ) from None
        self._bytes += len(data)
        if self._bytes > MOST_BYTES or len(self._layers) >= MOST_LAYERS:
            raise self._too_large()
        if self._memory is not None:
            # OpenUSD allocates the sizes that a file declares.
            threads = (os.cpu_count() or 1) * _BYTES_PER_THREAD
            self._memory.allow(_USUAL_BYTES + threads + _GROWTH * self._bytes)
        return data

    def _too_large(self) -> FormatError:
        sentence = (
            f"The layers of this robot exceed the limit: {MOST_LAYERS:,} layers, "
            f"{MOST_BYTES >> 20:,} MB"
        )
        return FormatError(
            sentence, Location(str(self.path)), "Flatten it: usdcat --flatten FILE -o SMALLER.usdc"
        )

    def _shown(self, path: Path) -> str:
        """How a sentence calls a layer: one out of a package by the package and its name there."""
        for folder, package in self._unpacked.items():
            if folder in path.parents:
                return f"{package}[{path.relative_to(folder).as_posix()}]"
        return str(path)

    def _add(self, path: Path, data: bytes, home: Path) -> Any:
        """The layer of a file, the first one of a package. Raises FormatError."""
        if data.startswith(_PACKAGE):
            folder = self._folder / f"package{len(self._unpacked)}"
            self._unpacked[folder] = path
            first = self._unpack(data, folder, Location(self._shown(path)))
            layer = self._layers[path.resolve()] = self._add(first, self._read(first), folder)
            return layer
        place = Location(self._shown(path))
        number = len(self._layers)
        try:
            if data.startswith(_CRATE):
                # USD reads crates from the disk alone; the copy's name has no bracket, which would
                # mean a package.
                refuse_false_counts(data)
                copy = self._folder / f"{number}.usdc"
                copy.write_bytes(data)
                layer = Sdf.Layer.OpenAsAnonymous(str(copy))
                copy.unlink()
            elif data.startswith(_TEXT):
                _refuse_deep(data, path, place)
                layer = Sdf.Layer.CreateAnonymous(f"{number}.usda")
                layer.ImportFromString(data.decode("utf-8"))
            elif data.startswith(_POINTER):
                raise FormatError(
                    f"{path.name} is a pointer of Git LFS",
                    place,
                    "Run git lfs pull in its repository.",
                )
            else:
                raise FormatError(f"{path.name} is no USD layer", place, _AGAIN)
        except DamagedCrateError as error:
            raise FormatError(
                f"{path.name} is no valid USD layer: {error}", place, _AGAIN
            ) from None
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            fix = "Save it as UTF-8, or export it again from the program it is from."
            raise FormatError(
                f"{path.name} is not UTF-8", Location(place.file, line), fix
            ) from None
        except Tf.ErrorException as error:
            raise _broken(path, place, error) from None
        self._layers[path.resolve()] = layer
        self._waiting.append(_Waiting(path, data, home, layer))
        return layer

    def _unpack(self, data: bytes, folder: Path, place: Location) -> Path:
        """The first layer of a package, unpacked with the other layers. Raises FormatError."""
        first, count = None, 0
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as package:
                for entry in package.infolist():
                    name = PurePosixPath(entry.filename)
                    if name.suffix.lower() not in ENDINGS:
                        continue
                    if name.is_absolute() or ".." in name.parts or "\\" in entry.filename:
                        sentence = (
                            f"{entry.filename[:_LONGEST]!r} in the package is outside the package"
                        )
                        raise FormatError(sentence, place, _AGAIN)
                    self._bytes += entry.file_size
                    count += 1
                    if self._bytes > MOST_BYTES or count > MOST_LAYERS:
                        raise self._too_large()
                    target = folder / name
                    target.parent.mkdir(parents=True, exist_ok=True)
                    with package.open(entry) as file:
                        # Not more than the declared size: a few bytes may become gigabytes.
                        target.write_bytes(file.read(entry.file_size))
                    first = first or target
        except (
            zipfile.BadZipFile,
            zlib.error,
            NotImplementedError,
            RuntimeError,
            EOFError,
            ValueError,
        ) as error:
            raise FormatError(
                f"The package cannot be unpacked: {str(error)[:_LONGEST]}", place, _AGAIN
            ) from None
        except OSError as error:
            sentence = f"The package cannot be unpacked: {error.strerror or error}"
            raise FormatError(sentence, place, _AGAIN) from None
        if first is None:
            raise FormatError("The package has no layer", place, _AGAIN)
        return first

    # -- what layers name

    def _isolate(self, waiting: _Waiting) -> None:
        """Read the layers that a layer names, and let it name them in memory."""
        identifiers: dict[str, str] = {}

        def replaced(name: str) -> str:
            if name not in identifiers:
                below = self._named(waiting, name)
                identifiers[name] = below.identifier if below is not None else ""
            return identifiers[name]

        UsdUtils.ModifyAssetPaths(waiting.layer, replaced)

    def _named(self, above: _Waiting, name: str) -> Any:
        """The layer that `above` names; None for a file of another kind, or one that is left
        out."""
        plain = name.partition(":SDF_FORMAT_ARGS:")[0].replace("\\", "/")
        if PurePosixPath(plain.partition("[")[0]).suffix.lower() not in ENDINGS:
            self.textures += 1
            return None
        located = mapped_file(plain, self._packages)
        target, home = located or (above.path.parent / plain, above.home)
        refusal = None if located else _refusal(target, plain, home)
        if refusal is None:
            try:
                resolved = target.resolve()
                if resolved in self._layers:
                    return self._layers[resolved]
                return self._add(target, self._read(target), home)
            except FormatError as error:
                refusal = error.message, error.fix or "Correct it", False
        self._drop(above, name, *refusal)
        return None

    def _drop(
        self, above: _Waiting, name: str, reason: str, fix: str, can_be_located: bool
    ) -> None:
        at = above.data.find(f"@{name}@".encode()) if above.data.startswith(_TEXT) else -1
        line = above.data.count(b"\n", 0, at) + 1 if at >= 0 else None
        place = Location(self._shown(above.path), line)
        self.dropped.setdefault(
            name, DroppedLayer(name[:_LONGEST], reason, fix, place, can_be_located)
        )


def _refusal(target: Path, name: str, home: Path) -> tuple[str, str, bool] | None:
    """Why a name is not followed, what to do, and whether a folder that the user names can hold the
    layer."""
    copy = "Copy it next to the asset"
    if "[" in name:
        return (
            "it is in another package",
            "Unpack that next to the asset, and name the layer in it.",
            False,
        )
    if name.startswith("`") or "${" in name:
        return "the name is an expression", "Write the name that it means.", False
    if _REMOTE.match(name) or name.startswith("//"):
        return "it is on a server or another disk, and nothing is downloaded", copy, True
    if os.path.isabs(name):
        return "an absolute path is not followed", copy, True
    try:
        if not target.resolve().is_relative_to(home.resolve()):
            return "it is outside the folder of the asset", copy, True
        return None if target.exists() else ("it was not found", "Copy it there", True)
    except (OSError, ValueError, RuntimeError):
        return "its name is not a path", "Rename it.", False


def _refuse_deep(data: bytes, path: Path, place: Location) -> None:
    """Raises FormatError for a text with more brackets in brackets than OpenUSD's parser has a
    stack for."""
    depth = 0
    for start in range(0, len(data), _PIECE):
        letters = np.frombuffer(data[start : start + _PIECE], dtype=np.uint8)
        steps = _STEPS[letters]
        depths = depth + np.cumsum(steps[steps != 0], dtype=np.int64)
        if len(depths):
            if depths.max() > _DEEPEST:
                raise FormatError(
                    f"{path.name} has more than {_DEEPEST:,} brackets in each other", place, _AGAIN
                )
            depth = int(depths[-1])


#: Brackets within brackets, and bytes that are looked at in one piece.
_DEEPEST, _PIECE = 2000, 1 << 24
_STEPS = np.zeros(256, dtype=np.int8)
_STEPS[list(b"([{")] = 1
_STEPS[list(b")]}")] = -1
_AGAIN = "Export it again from the program it is from."
_LESS = "Export the robot alone, without copies and surroundings."


def _broken(path: Path, place: Location, error: Any) -> FormatError:
    message = " ".join(
        str(getattr(error.args[0], "commentary", error.args[0]) if error.args else error).split()
    )
    line = _LINE.search(message)
    number = next((int(text) for text in line.groups() if text), None) if line is not None else None
    where = Location(place.file, number) if number and place.file == str(path) else place
    message = (
        _JARGON.sub("", _JARGON.sub("", message)).strip().rstrip(".") or "its text ends too early"
    )
    if message.startswith("at "):
        message = f"not understood {message}"
    return FormatError(
        f"{path.name} is no valid USD layer: {message[:_LONGEST]}",
        where,
        "Correct it until usdcat reads it.",
    )


class _Size:
    """An upper bound of the prims that USD composes, instances counted once for each use."""

    def __init__(self, layers: Layers) -> None:
        self._root, self._path = layers.root, layers.path
        self._by_identifier = {layer.identifier: layer for layer in layers.layers}
        self._stacks: dict[str, tuple[Any, ...]] = {}
        self._sizes: dict[tuple[str, Any], int] = {}

    def refuse_more(self, most: int) -> None:
        place = Location(str(self._path))
        try:
            size = self._of_stack(self._root, Sdf.Path.absoluteRootPath)
        except RecursionError:
            raise FormatError(
                "The prims or references of this asset are nested too deep", place, _AGAIN
            ) from None
        if size > most:
            raise FormatError(
                f"The asset has up to {size:,} prims; the limit is {most:,}", place, _LESS
            )

    def _stack(self, layer: Any) -> tuple[Any, ...]:
        """The layer and its sublayers."""
        if layer.identifier not in self._stacks:
            self._stacks[layer.identifier] = (layer,)
            below = (self._by_identifier.get(name) for name in layer.subLayerPaths)
            stack = [
                layer,
                *(each for sub in below if sub is not None for each in self._stack(sub)),
            ]
            self._stacks[layer.identifier] = tuple(stack)
        return self._stacks[layer.identifier]

    def _of_stack(self, layer: Any, path: Any) -> int:
        key = (layer.identifier, path)
        if key not in self._sizes:
            # What refers to itself adds nothing: USD stops there.
            self._sizes[key] = 0
            specs = ((each, each.GetPrimAtPath(path)) for each in self._stack(layer))
            # The specs of a damaged layer may be none.
            self._sizes[key] = sum(self._of_spec(layer, each, spec) for each, spec in specs if spec)
        return self._sizes[key]

    def _of_spec(self, top: Any, layer: Any, spec: Any) -> int:
        size = 1 + sum(self._of_spec(top, layer, child) for child in spec.nameChildren if child)
        for variant_set in spec.variantSets:
            specs = (variant.primSpec for variant in variant_set.variantList if variant)
            size += sum(self._of_spec(top, layer, each) for each in specs if each)
        for field in ("references", "payload"):
            if spec.HasInfo(field):
                for item in spec.GetInfo(field).GetAppliedItems():
                    target = self._by_identifier.get(item.assetPath) if item.assetPath else top
                    if target is not None:
                        size += self._of_stack(target, item.primPath or _default_path(target))
        for field in ("inheritPaths", "specializes"):
            if spec.HasInfo(field):
                size += sum(
                    self._of_stack(top, path) for path in spec.GetInfo(field).GetAppliedItems()
                )
        if size > MOST_PRIMS:
            sentence = f"The asset has more than {MOST_PRIMS:,} prims, the limit"
            raise FormatError(sentence, Location(str(self._path)), _LESS)
        return size


def _default_path(layer: Any) -> Any:
    name = layer.defaultPrim
    return (
        Sdf.Path.absoluteRootPath.AppendPath(name.strip("/")) if name else Sdf.Path.absoluteRootPath
    )
