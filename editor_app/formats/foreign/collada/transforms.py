"""What both directions share: names, and COLLADA's transforms as 4x4 matrices, lengths in metres."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, count

import numpy as np

from editor_app.formats.xml import XmlElement
from editor_app.kinematics.transforms import Matrix as Matrix
from editor_app.kinematics.transforms import axis_transform as axis_transform
from editor_app.kinematics.transforms import matrix_to_quaternion
from editor_app.kinematics.transforms import origin_of as origin_of
from editor_app.kinematics.transforms import pose_matrix as pose_matrix
from editor_app.model.near_names import free_name

#: Element of a URDF that keeps a piece of COLLADA word for word; `where` tells its parent there.
EXTRA = "collada_extra"
#: Profile of the <technique> in which this editor says what COLLADA cannot.
OWN_PROFILE = "xrdf-editor"
OPENRAVE = "OpenRAVE"
MESH_FOLDER = "meshes"
#: Writers that give speeds and accelerations in radians although the format wants degrees.
RADIAN_WRITERS = ("OpenRAVE Collada Writer", "URDF Collada Writer")


@dataclass(frozen=True, slots=True)
class Kept:
    """A piece of COLLADA word for word, in the URDF's extra: `where` is its parent in COLLADA, `owner` the link or
    joint that it belongs to."""

    where: str
    text: str
    owner: str = ""


def sid_of(name: str) -> str:
    """A name as SIDs may be: no slashes, dots, brackets, blanks."""
    return re.sub(r"[^\w-]", "_", name)


def unique_sids(names: list[str], taken: set[str], ending: str) -> dict[str, str]:
    """Name -> SID that no other has; `ending` sets those apart that are taken. Adds them to `taken`."""
    sids: dict[str, str] = {}
    for name in names:
        base = sid_of(name) or ending.strip("_")
        sids[name] = free_name(f"{base}{ending}" if base in taken else base, taken)
        taken.add(sids[name])
    return sids


def file_name(text: str) -> str:
    """A text as it may be the name of a file."""
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in text)


def name_for(files: Mapping[str, bytes], folder: str, name: str, data: bytes) -> str:
    """The path in a folder that holds the content already, else one with a number that no other content has."""
    stem, dot, ending = file_name(name).rpartition(".")
    paths = chain((f"{folder}/{file_name(name)}",), (f"{folder}/{stem}_{i}{dot}{ending}" for i in count(2)))
    return next(path for path in paths if files.get(path, data) == data)


TAGS = ("translate", "rotate", "matrix", "scale", "lookat", "skew")


def floats(text: str) -> list[float]:
    """The numbers of a text; what is none is left out."""
    numbers = []
    for piece in text.split():
        try:
            value = float(piece)
        except ValueError:
            continue
        numbers.append(value if math.isfinite(value) else 0.0)
    return numbers


def transform_of(element: XmlElement, unit: float) -> Matrix:
    """The matrix of one transform element; `unit` metres."""
    values = floats(element.text)
    result = np.eye(4)
    if element.tag == "translate" and len(values) == 3:
        result[:3, 3] = np.array(values) * unit
    elif element.tag == "rotate" and len(values) == 4:
        result = axis_transform(values[:3], math.radians(values[3]))
    elif element.tag == "matrix" and len(values) == 16:
        result = np.array(values).reshape(4, 4)
        result[:3, 3] *= unit
    elif element.tag == "scale" and len(values) == 3:
        result[:3, :3] = np.diag(values)
    elif element.tag == "lookat" and len(values) == 9:
        eye, target, up = (np.array(values[i : i + 3]) for i in (0, 3, 6))
        z = eye - target
        z /= float(np.linalg.norm(z)) or 1.0
        x = np.cross(up, z)
        x /= float(np.linalg.norm(x)) or 1.0
        result[:3, 0], result[:3, 1], result[:3, 2], result[:3, 3] = x, np.cross(z, x), z, eye * unit
    return result


def product(elements: Iterable[XmlElement], unit: float) -> Matrix:
    """The transforms among `elements`, in their order."""
    result = np.eye(4)
    for element in elements:
        if element.tag in TAGS:
            result = result @ transform_of(element, unit)
    return result


def axis_angle(matrix: Matrix) -> tuple[float, float, float, float]:
    """(x, y, z, degrees), by way of the quaternion, which is right at half turns, too."""
    w, *vector = matrix_to_quaternion(matrix)
    length = math.hypot(*vector)
    if length < 1e-15:
        return 1.0, 0.0, 0.0, 0.0
    x, y, z = (v / length for v in vector)
    return x, y, z, math.degrees(2 * math.atan2(length, w))
