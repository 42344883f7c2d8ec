"""The layers of a USD asset in memory, with no file left to open while they are composed.

USD opens every file that a layer names: absolute paths, other folders, and what a resolver downloads. Here each layer
is read by the program's own function, from the folder of the asset, and names the others by their names in memory;
every other name is taken out. A package (.usdz) is unpacked first.
"""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections import deque
from pathlib import Path, PurePosixPath
from typing import Any

from pxr import Sdf, Tf, UsdUtils

from editor_app.core.model.findings import Location
from editor_app.core.model.regular_file import read_regular
from editor_app.core.text.source import FormatError

#: Bytes of all layers together, and their number.
MOST_BYTES, MOST_LAYERS = 1 << 30, 1000
#: Prims after references, payloads and variants took effect, at most; a bound that is computed before USD composes.
MOST_PRIMS = 500_000
_ENDINGS = (".usd", ".usda", ".usdc", ".usdz")
_CRATE, _TEXT, _PACKAGE, _POINTER = b"PXR-USDC", b"#usda", b"PK\x03\x04", b"version https://git-lfs"
_REMOTE = re.compile(r"[A-Za-z][\w+.-]+:")
_LINE = re.compile(r"\bline[: ]+(\d+)|:(\d+)\b")


class Layers:
    """The layers of the asset at `path`. `root`: its Sdf.Layer; `dropped`: name of an asset -> why it is left out.

    `textures` counts the names of files that are no layers. `folder`: for what USD reads from the disk alone.
    Raises FormatError for an asset that is no USD, cannot be read or is too large.
    """

    def __init__(self, path: Path, folder: Path) -> None:
        self.path, self._folder = path, folder
        self.dropped: dict[str, str] = {}
        self.textures = 0
        self._bytes = 0
        self._layers: dict[Path, Any] = {}
        self._waiting: deque[tuple[Path, Any]] = deque()
        data = self._read(path)
        if data.startswith(_PACKAGE):
            path = self._unpacked(data, folder / "package")
            data = self._read(path)
        self.home = path.parent.resolve()
        self.root = self._add(path, data)
        while self._waiting:
            self._isolate(*self._waiting.popleft())
        _Size(self).refuse_more(MOST_PRIMS)

    @property
    def layers(self) -> tuple[Any, ...]:
        return tuple(self._layers.values())

    # -- reading

    def _read(self, path: Path) -> bytes:
        try:
            data = read_regular(path, MOST_BYTES)
        except OSError as error:
            raise FormatError(f"{path.name} cannot be read: {error.strerror}", Location(str(path))) from None
        self._bytes += len(data)
        if self._bytes > MOST_BYTES or len(self._layers) >= MOST_LAYERS:
            sentence = f"The layers of this robot exceed the limit: {MOST_LAYERS} layers, {MOST_BYTES >> 20:,} MB"
            raise FormatError(sentence, Location(str(self.path)))
        return data

    def _add(self, path: Path, data: bytes) -> Any:
        """The layer of a file. Raises FormatError."""
        place = Location(str(self.path if self._folder in path.parents else path))
        number = len(self._layers)
        try:
            if data.startswith(_CRATE):
                # USD reads crates from the disk alone; the copy's name has no bracket, which would mean a package.
                copy = self._folder / f"{number}.usdc"
                copy.write_bytes(data)
                layer = Sdf.Layer.OpenAsAnonymous(str(copy))
                copy.unlink()
            elif data.startswith(_TEXT):
                layer = Sdf.Layer.CreateAnonymous(f"{number}.usda")
                layer.ImportFromString(data.decode("utf-8"))
            elif data.startswith(_POINTER):
                raise FormatError(f"{path.name} is a pointer of Git LFS", place, "Run git lfs pull in its repository.")
            else:
                raise FormatError(f"{path.name} is no USD layer", place, "Export it again from the program it is from.")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise FormatError(f"{path.name} is not UTF-8", Location(str(path), line)) from None
        except Tf.ErrorException as error:
            raise _broken(path, place, error) from None
        self._layers[path.resolve()] = layer
        self._waiting.append((path, layer))
        return layer

    def _unpacked(self, data: bytes, folder: Path) -> Path:
        """The first layer of a package, unpacked with the other layers. Raises FormatError."""
        place = Location(str(self.path))
        first = None
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as package:
                for entry in package.infolist():
                    name = PurePosixPath(entry.filename)
                    if name.suffix.lower() not in _ENDINGS:
                        continue
                    self._bytes += entry.file_size
                    if self._bytes > MOST_BYTES or name.is_absolute() or ".." in name.parts or "\\" in entry.filename:
                        raise FormatError(
                            f"{entry.filename!r} in the package is too large, or outside the package", place
                        )
                    target = folder / name
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(package.read(entry))
                    first = first or target
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError, OSError) as error:
            raise FormatError(f"The package cannot be unpacked: {error}", place) from None
        if first is None:
            raise FormatError("The package has no layer", place, "Export it again from the program it is from.")
        return first

    # -- what layers name

    def _isolate(self, path: Path, layer: Any) -> None:
        """Read the layers that a layer names, and let it name them in memory."""
        identifiers: dict[str, str] = {}

        def replaced(name: str) -> str:
            if name not in identifiers:
                below = self._named(path, name)
                identifiers[name] = below.identifier if below is not None else ""
            return identifiers[name]

        UsdUtils.ModifyAssetPaths(layer, replaced)

    def _named(self, path: Path, name: str) -> Any:
        """The layer that `path` names; None for a file of another kind, or one that is left out."""
        plain = name.partition(":SDF_FORMAT_ARGS:")[0].replace("\\", "/")
        if PurePosixPath(plain.partition("[")[0]).suffix.lower() not in _ENDINGS:
            self.textures += 1
            return None
        reason = self._reason_against(path, plain)
        target = path.parent / plain
        if reason is None:
            resolved = target.resolve()
            if resolved in self._layers:
                return self._layers[resolved]
            try:
                return self._add(target, self._read(target))
            except FormatError as error:
                reason = error.message
        self.dropped.setdefault(name, reason)
        return None

    def _reason_against(self, path: Path, name: str) -> str | None:
        if _REMOTE.match(name) or name.startswith("//"):
            return "it is not a file in the folder of the asset"
        if os.path.isabs(name) or name.startswith("`"):
            return "an absolute path is not followed" if name.startswith("/") else "the name is an expression"
        if "[" in name or name.lower().endswith(".usdz"):
            return "it is in another package: unpack it next to the asset"
        target = path.parent / name
        try:
            if not target.resolve().is_relative_to(self.home):
                return "it is outside the folder of the asset"
            return None if target.exists() else "it was not found"
        except (OSError, ValueError, RuntimeError):
            return "its name is not a path"


def _broken(path: Path, place: Location, error: Any) -> FormatError:
    message = " ".join(str(getattr(error.args[0], "commentary", error.args[0]) if error.args else error).split())
    line = _LINE.search(message)
    number = next((int(text) for text in line.groups() if text), None) if line is not None else None
    where = Location(place.file, number) if number and place.file == str(path) else place
    return FormatError(
        f"{path.name} is no valid USD layer: {message[:300]}", where, "Correct it until usdcat reads it."
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
            raise FormatError("The prims or references of this asset are nested too deep", place) from None
        if size > most:
            raise FormatError(f"The asset has up to {size:,} prims; the limit is {most:,}", place)

    def _stack(self, layer: Any) -> tuple[Any, ...]:
        """The layer and its sublayers."""
        if layer.identifier not in self._stacks:
            self._stacks[layer.identifier] = (layer,)
            below = (self._by_identifier.get(name) for name in layer.subLayerPaths)
            stack = [layer, *(each for sub in below if sub is not None for each in self._stack(sub))]
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
                size += sum(self._of_stack(top, path) for path in spec.GetInfo(field).GetAppliedItems())
        if size > MOST_PRIMS:
            raise FormatError(f"The asset has more than {MOST_PRIMS:,} prims, the limit", Location(str(self._path)))
        return size


def _default_path(layer: Any) -> Any:
    name = layer.defaultPrim
    return Sdf.Path.absoluteRootPath.AppendPath(name.strip("/")) if name else Sdf.Path.absoluteRootPath
