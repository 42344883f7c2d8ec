"""Elements of an SDF with the file and version that they belong to, and the values in them. Metres
and radians."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from editor_app.core.model.findings import Location
from editor_app.core.model.origin import Origin, Vector3
from editor_app.core.space.kinematics.transforms import Matrix, build_pose_matrix
from editor_app.core.text.source import FormatError
from editor_app.core.text.xml.document import XmlDocument, XmlElement

Version = tuple[int, int]
#: Before this version the axis of a joint is in the axes of the model, and no pose names a frame.
_FRAMES = (1, 7)
_NUMBER = re.compile(
    r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)\Z", re.ASCII | re.IGNORECASE
)
#: Metres.
_FARTHEST = 1e12
_EULER, _QUATERNION = "euler_rpy", "quat_xyzw"


@dataclass(frozen=True, slots=True)
class SdfFile:
    """One file that was read. `uri`: how a URDF names its folder; "" for the folder of the file
    that is converted."""

    document: XmlDocument
    path: Path
    version: Version
    uri: str


@dataclass(frozen=True, slots=True, eq=False)
class SdfElement:
    """An element in a file of SDF."""

    element: XmlElement
    file: SdfFile

    @property
    def tag(self) -> str:
        return self.element.tag

    @property
    def name(self) -> str:
        return self.element.get("name") or ""

    @property
    def text(self) -> str:
        return self.element.text

    @property
    def place(self) -> Location:
        return self.file.document.location(self.element)

    @property
    def source(self) -> str:
        """The element as it is in the file."""
        return self.file.document.text_of(self.element)

    def get(self, name: str) -> str:
        """The value of an attribute; "" where it is absent."""
        return (self.element.get(name) or "").strip()

    def child(self, path: str) -> SdfElement | None:
        """The first element at a path of tags: "axis/limit"."""
        element: XmlElement | None = self.element
        for tag in path.split("/"):
            element = element.child(tag) if element is not None else None
        return SdfElement(element, self.file) if element is not None else None

    def children(self, *tags: str) -> Iterator[SdfElement]:
        """The elements with one of these tags, or all, in the order of the file."""
        return (
            SdfElement(child, self.file)
            for child in self.element.children
            if not tags or child.tag in tags
        )

    def word(self, path: str, default: str = "") -> str:
        """The text of the element at a path."""
        child = self.child(path)
        return default if child is None else child.text or default

    # -- values. They raise FormatError with the place of what is no such value.

    def error(self, message: str, fix: str | None = None) -> FormatError:
        return FormatError(message, self.place, fix)

    def numbers(self, count: int) -> tuple[float, ...]:
        """The finite numbers in the text."""
        words = self.text.split()
        values = tuple(map(float, words)) if all(map(_NUMBER.match, words)) else (math.nan,)
        if len(values) != count or not all(map(math.isfinite, values)):
            raise self.error(f"<{self.tag}> needs {count} finite numbers, not {self.text[:60]!r}")
        return values

    def number(self, path: str, default: float) -> float:
        """The number at a path; infinite where the file says so. Unlike other numbers, limits may
        be infinite."""
        child = self.child(path)
        if child is None or not child.text:
            return default
        value = float(child.text) if _NUMBER.match(child.text) else math.nan
        if math.isnan(value):
            raise child.error(f"<{child.tag}> needs a number, not {child.text[:60]!r}")
        return value

    def finite(self, path: str, default: float) -> float:
        """The finite number at a path."""
        value = self.number(path, default)
        if not math.isfinite(value):
            raise (self.child(path) or self).error(f"<{path}> of <{self.tag}> must be finite")
        return value

    def vector(self, path: str, default: Vector3) -> Vector3:
        child = self.child(path)
        if child is None or not child.text:
            return default
        x, y, z = child.numbers(3)
        return x, y, z

    def is_on(self, path: str, default: bool = False) -> bool:
        child = self.child(path)
        return default if child is None or not child.text else is_true(child.text)

    def pose(self) -> Matrix:
        """(4, 4) of the <pose> in this element; the identity where it has none or an empty one."""
        child = self.child("pose")
        if child is None or not child.text:
            return np.eye(4)
        form = child.get("rotation_format") or _EULER
        if form not in (_EULER, _QUATERNION):
            raise child.error(
                f"Unknown rotation_format {form!r}", f"Write {_EULER} or {_QUATERNION}."
            )
        x, y, z, *turn = child.numbers(7 if form == _QUATERNION else 6)
        if max(map(abs, (x, y, z))) > _FARTHEST:
            raise child.error(
                f"This pose is more than {_FARTHEST:g} m away", "Correct its first three numbers."
            )
        if form == _QUATERNION:
            a, b, c, w = turn
            if not any(turn):
                raise child.error(
                    "The quaternion of this pose is 0", "Write 0 0 0 1 for no rotation."
                )
            return build_pose_matrix(Origin((x, y, z), quat_xyzw=(a, b, c, w)))
        roll, pitch, yaw = map(math.radians, turn) if is_true(child.get("degrees")) else turn
        return build_pose_matrix(Origin((x, y, z), (roll, pitch, yaw)))

    def pose_base(self) -> str:
        """The frame that the <pose> is relative to; "" for the usual one."""
        child = self.child("pose")
        if child is None:
            return ""
        return child.get("relative_to") or (
            child.get("frame") if self.file.version < _FRAMES else ""
        )

    def axis_base(self) -> str:
        """The frame of the <xyz> in this <axis>; "" for the joint's own.

        Up to 1.4 it is the model's; 1.5 and 1.6 say so by use_parent_model_frame, later versions by
        expressed_in.
        """
        xyz = self.child("xyz")
        stated = xyz.get("expressed_in") if xyz is not None else ""
        if stated or self.file.version >= _FRAMES:
            return stated
        return (
            "__model__" if self.is_on("use_parent_model_frame", self.file.version < (1, 5)) else ""
        )


def is_true(text: str) -> bool:
    return text.strip().lower() in ("1", "true")
