"""Poses of the frames of an SDF, and the link with which each moves.

A name means a frame within its model: `Scope`. Names of nested models are joined by `::`, as in
SDF, so each frame has one name in the file; the frame of a model has the name of the model. `WORLD`
does not move.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest

import numpy as np

from editor_app.core.model.near_names import whether_meant
from editor_app.core.space.kinematics.transforms import Matrix, invert
from editor_app.plugins.sdf.nodes import SdfElement

WORLD = "world"
#: Before the names of the world around the only model, which has its own names.
OUTSIDE = "\0world::"
#: What to do about frames in a circle, and about one that does not exist.
_CIRCLE = "Name another frame in relative_to, attached_to or placement_frame."
_NAME_ONE = "Name a link, joint, frame or model of the model that it is in."
#: How a model calls its own frame.
_MODEL = "__model__"
#: Behind the names of joints here: in old files, a joint may be called like a link.
_JOINT = "\0joint"


@dataclass(frozen=True, slots=True)
class Scope:
    """The names in a model. `prefix` is before the name of its links, `frame` is the name of its
    own frame."""

    prefix: str
    frame: str

    def full_name(self, name: str) -> str:
        """The name in the whole file of what the model calls `name`; "" is its own frame."""
        if name in ("", _MODEL):
            return self.frame
        if name in (WORLD, "__root__"):
            return WORLD
        inner = name.removesuffix(f"::{_MODEL}")
        return self.prefix + inner


def joint_frame(joint: str) -> str:
    """The name of the frame of a joint, which differs from that of a link of the same name."""
    return joint + _JOINT


@dataclass(frozen=True, slots=True)
class Frame:
    """`pose` (4, 4) in the frame `base`; `carrier`: the frame that it moves with, None for a link.

    `held`: the frame in this model that is at the pose, in the place of the model's own.
    """

    node: SdfElement
    pose: Matrix
    base: str
    carrier: str | None = None
    held: str = ""


@dataclass
class Frames:
    """All frames by their names. Raises FormatError for names that do not exist, and for
    circles."""

    frames: dict[str, Frame] = field(default_factory=dict)
    _poses: dict[str, Matrix] = field(default_factory=lambda: {WORLD: np.eye(4)})
    #: Models whose placement is being computed.
    _resolving: set[str] = field(default_factory=set)

    def pose(self, name: str, asker: SdfElement) -> Matrix:
        """(4, 4) of a frame in the world. `asker` is the element that names it."""
        chain: dict[str, Frame] = {}
        while name not in self._poses:
            frame = self._frame(name, asker)
            if name in chain:
                raise frame.node.error(f"The pose of {name!r} depends on itself", _CIRCLE)
            chain[name] = frame
            name, asker = frame.base, frame.node
        pose = self._poses[name]
        for each, frame in reversed(chain.items()):
            pose = self._poses[each] = pose @ self._local(each, frame)
        return pose

    def relative(self, name: str, base: str, asker: SdfElement) -> Matrix:
        """(4, 4) of one frame in another: without detour where a pose is relative to the other, so
        that digits stay."""
        # Both at a time: the chain above one of them may be long.
        for above_name, above_base in zip_longest(
            self._upward(name, asker), self._upward(base, asker)
        ):
            if above_name is not None and above_name[0] == base:
                return above_name[1]
            if above_base is not None and above_base[0] == name:
                return invert(above_base[1])
        return np.asarray(invert(self.pose(base, asker)) @ self.pose(name, asker))

    def _upward(self, name: str, asker: SdfElement) -> Iterator[tuple[str, Matrix]]:
        """The frames that a frame depends on, itself first, and (4, 4) of it in each; ends after a
        circle."""
        matrix, at, seen = np.eye(4), name, set[str]()
        yield at, matrix
        while at != WORLD and at not in seen:
            seen.add(at)
            frame = self._frame(at, asker)
            matrix, at, asker = self._local(at, frame) @ matrix, frame.base, frame.node
            yield at, matrix

    def body(self, name: str, asker: SdfElement) -> str:
        """The link that a frame moves with, or WORLD."""
        seen: set[str] = set()
        while name != WORLD:
            frame = self._frame(name, asker)
            if frame.carrier is None:
                return name
            if name in seen:
                raise frame.node.error(f"{name!r} is attached to itself", _CIRCLE)
            seen.add(name)
            name, asker = frame.carrier, frame.node
        return WORLD

    def _local(self, name: str, frame: Frame) -> Matrix:
        if not frame.held:
            return frame.pose
        if name in self._resolving:
            raise frame.node.error(f"The pose of {name!r} depends on itself", _CIRCLE)
        self._resolving.add(name)
        held = next(
            (matrix for at, matrix in self._upward(frame.held, frame.node) if at == name), None
        )
        self._resolving.discard(name)
        if held is None:
            raise frame.node.error(
                f"The placement_frame {frame.held!r} is no frame in its model", _NAME_ONE
            )
        return frame.pose @ invert(held)

    def _frame(self, name: str, asker: SdfElement) -> Frame:
        frame = self.frames.get(name) or self.frames.get(joint_frame(name))
        if frame is None:
            guess = whether_meant(name, self.frames).rstrip(".")
            sentence = (
                f"<{asker.tag}> names {name.removeprefix(OUTSIDE)!r}, which does not exist{guess}"
            )
            raise asker.error(sentence, _NAME_ONE)
        return frame
