"""Deviations that a real robot may have from its description: ± per joint and per frame."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict, brief
from editor_app.core.model.near_names import refuse_name
from editor_app.core.model.refusal import Refused
from editor_app.core.model.urdf import JointType
from editor_app.core.space.kinematics.structure import KinematicTree

#: Largest deviations that are accepted: radians of a turning joint or a frame, metres of a sliding
#: joint or a frame.
MOST_RADIANS, MOST_METRES = 1.0, 1.0


@dataclass(frozen=True, slots=True)
class FrameTolerance:
    """Error of the origin of the joint that leads to a frame.

    `position`: ± metres along each axis of the joint frame. `angle`: ± radians about each of them.
    """

    position: float = 0.0
    angle: float = 0.0


@dataclass(frozen=True)
class Tolerances:
    """`joints`: joint -> ± radians or metres; joints that mimic follow the deviation of their
    leader, and a tolerance of their own is added. `frames`: frame -> error of the origin that leads
    to it."""

    joints: FrozenDict[str, float] = FrozenDict()
    frames: FrozenDict[str, FrameTolerance] = FrozenDict()

    __repr__ = brief

    @classmethod
    def of(
        cls,
        joints: Mapping[str, float] | None = None,
        frames: Mapping[str, FrameTolerance] | None = None,
    ) -> Tolerances:
        return cls(FrozenDict(joints or {}), FrozenDict(frames or {}))

    @classmethod
    def same(cls, tree: KinematicTree, turning: float = 0.0, sliding: float = 0.0) -> Tolerances:
        """Return ± `turning` radians or ± `sliding` metres for each independent joint of the
        tree."""
        movable = (tree.joints[tree.joint_index[name]] for name in tree.independent)
        values = {
            joint.name: sliding if joint.type is JointType.PRISMATIC else turning
            for joint in movable
        }
        return cls.of({name: value for name, value in values.items() if value > 0.0})

    def check(self, tree: KinematicTree) -> None:
        """Raise Refused for names that the robot does not have, and for values that are no
        tolerance."""
        for name, value in self.joints.items():
            joint = tree.joint(name)
            if joint is None or not joint.is_movable:
                raise Refused(refuse_name("movable joint", name, tree.movable))
            limit = MOST_METRES if joint.type is JointType.PRISMATIC else MOST_RADIANS
            _check_value(f"the tolerance of joint {name!r}", value, limit)
        for frame, tolerance in self.frames.items():
            if frame not in tree.index:
                raise Refused(refuse_name("frame", frame, tree.frames))
            if frame == tree.root:
                raise Refused(
                    f"frame {frame!r} is the base: no joint leads to it, so its mounting has no "
                    "error here"
                )
            _check_value(
                f"the position tolerance of frame {frame!r}", tolerance.position, MOST_METRES
            )
            _check_value(f"the angle tolerance of frame {frame!r}", tolerance.angle, MOST_RADIANS)

    def sentences(self, tree: KinematicTree) -> Iterator[str]:
        """Yield one short text per group of equal tolerances."""
        groups: dict[str, list[str]] = {}
        for name, value in self.joints.items():
            groups.setdefault(amount_text(tree, name, value), []).append(name)
        for text, names in groups.items():
            yield f"±{text} in {names[0]}" + (
                f" and {format_count(len(names) - 1, 'other joint')}" if names[1:] else ""
            )
        for frame, tolerance in self.frames.items():
            yield (
                f"±{tolerance.position * 1e3:.4g} mm and ±{math.degrees(tolerance.angle):.4g} deg "
                f"at {frame}"
            )


def amount_text(tree: KinematicTree, joint: str, value: float) -> str:
    """Return a position or tolerance of a joint in degrees or millimetres."""
    is_sliding = tree.joints[tree.joint_index[joint]].type is JointType.PRISMATIC
    return f"{value * 1e3:.4g} mm" if is_sliding else f"{math.degrees(value):.4g} deg"


def _check_value(subject: str, value: float, limit: float) -> None:
    if not 0.0 <= value <= limit:
        raise Refused(f"{subject} must be from 0 to {limit:g} (radians or metres), not {value:g}")
