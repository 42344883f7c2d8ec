"""An MJCF as MuJoCo's own compiler understands it, by the extra `mujoco`."""

from __future__ import annotations

import importlib.util
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.xml.document import XmlElement, parse_xml
from editor_app.kinematics.transforms import Matrix, pose_matrix
from editor_app.model.findings import Location
from editor_app.model.origin import Origin
from editor_app.model.regular_file import other_kind

EXTRA = "pip install 'xrdf-editor[mujoco]'"
_LINE = re.compile(r"\bline (\d+)")


@dataclass(frozen=True, eq=False)
class Compiled:
    """`spec`: the elements as they are written, defaults applied (mujoco.MjSpec); `model`: what MuJoCo simulates."""

    path: Path
    spec: Any
    model: Any
    warnings: tuple[str, ...]

    def name(self, kind: str, number: int) -> str:
        """The name of an element; "" where it has none. `kind` is a word of MuJoCo's: body, joint, geom…"""
        return str(getattr(self.model, kind)(number).name)


def compiled(path: Path) -> Compiled:
    """Raises FormatError: without the package mujoco, for what MuJoCo refuses, and for pipes and devices."""
    place = Location(str(path))
    if importlib.util.find_spec("mujoco") is None:
        remedy = f"Install it with: {EXTRA}. A URDF that it was made from can be opened without."
        raise FormatError("This is an MJCF file of MuJoCo, and to read it takes the package mujoco", place, remedy)
    included = _included(path)
    import mujoco

    told: list[str] = []
    # Else MuJoCo writes a file MUJOCO_LOG.TXT into the current folder.
    mujoco.set_mju_user_warning(told.append)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            spec, model = _spec_and_model(mujoco, path, included)
        told += [str(warning.message) for warning in caught]
    except (ValueError, mujoco.FatalError) as error:
        sentence = " ".join(str(error).split())
        line = _LINE.search(sentence)
        where = Location(str(path), int(line.group(1))) if line is not None and line.group(1) != "0" else place
        remedy = "Let MuJoCo load it first: its viewer says the same."
        raise FormatError(f"MuJoCo does not compile this file: {sentence}", where, remedy) from error
    finally:
        mujoco.set_mju_user_warning(None)
    return Compiled(path, spec, model, tuple(dict.fromkeys(" ".join(sentence.split()) for sentence in told)))


def _spec_and_model(mujoco: Any, path: Path, included: Mapping[str, bytes]) -> tuple[Any, Any]:
    if path.suffix.lower() == ".xml":
        spec = mujoco.MjSpec.from_file(str(path))
    else:
        # By another ending MuJoCo's specification does not know what kind of file it reads; its loader does.
        spec = mujoco.MjSpec.from_string(SourceText.read(path).text, include=included)
        spec.modelfiledir = str(path.parent)
    # All that is seen, and each body for itself.
    for compiler in (spec.compiler, spec):
        for switch in ("discardvisual", "fusestatic"):
            if hasattr(compiler, switch):
                setattr(compiler, switch, False)
    return spec, spec.compile()


def pose(xyz: Any, quat_wxyz: Any) -> Matrix:
    """(4, 4) of a place of MuJoCo's, in metres."""
    w, x, y, z = (float(v) for v in quat_wxyz)
    a, b, c = (float(v) for v in xyz)
    return pose_matrix(Origin((a, b, c), quat_xyzw=(x, y, z, w)))


def shift(xyz: Any) -> Matrix:
    """(4, 4) of a translation in metres."""
    matrix = np.eye(4)
    matrix[:3, 3] = xyz
    return matrix


def _included(path: Path) -> dict[str, bytes]:
    """Files that a file includes, and these in their turn, by the names that they are given there.

    MuJoCo opens all that a file names, and waits for a pipe for ever: raises FormatError for these and for devices.
    """
    included: dict[str, bytes] = {}
    waiting, seen = [path], set()
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        root = parse_xml(SourceText.read(file)).root
        folders = dict.fromkeys((path.parent, file.parent, *(path.parent / text for text in _folders(root))))
        for element in root.walk():
            for attribute in ("file", "filename"):
                name = element.get(attribute)
                for named in (folder / name for folder in folders) if name else ():
                    kind = other_kind(named)
                    if kind is not None and kind != "a folder":
                        raise FormatError(f"{name} is {kind}, not a file", Location(str(file)))
                    if name and element.tag == "include" and named.is_file():
                        waiting.append(named)
                        included.setdefault(name, SourceText.read(named).text.encode())
    return included


def _folders(root: XmlElement) -> Iterator[str]:
    for compiler in root.all("compiler"):
        for key in ("meshdir", "assetdir", "texturedir"):
            value = compiler.get(key)
            if value:
                yield value
