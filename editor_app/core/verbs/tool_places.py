"""Pose of a frame in another one, as numbers and as text, and targets for inverse kinematics from
them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from editor_app.core.document.document import Document
from editor_app.core.model.expressions import ExpressionError, evaluate
from editor_app.core.model.frozen import brief
from editor_app.core.model.near_names import refuse_name
from editor_app.core.space.kinematics.frame_deviations import FramePose, compute_target_pose
from editor_app.core.space.kinematics.inverse import ToolTarget
from editor_app.core.space.kinematics.transforms import (
    Matrix,
    build_axis_rotation,
    invert,
    quaternion_matrix,
    rpy_matrix,
    transform,
)
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.tasks.work import Described, PoseLike, Refused, check_arguments, describe_robot
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.yaml.plain import load_plain, read_finite_number, read_finite_numbers
from editor_app.core.verbs.pose import frame_poses
from editor_app.core.verbs.pose_texts import yaml_name

PlaceText = Literal["urdf", "xrdf", "ros"]
#: Characters that are read: a longer text is no place.
MOST = 20_000
_LENGTHS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0}
_ANGLES = {"deg": math.pi / 180.0, "°": math.pi / 180.0, "rad": 1.0}
#: Words of a place that is typed, how many numbers follow, and what these are.
_WORDS = {"xyz": 3, "rpy": 3, "wxyz": 4, "xyzw": 4, "axis": 3, "angle": 1}
_WAYS = (
    "Write x y z, or x y z roll pitch yaw, or name them: `xyz 0.4 0 0.5 rpy 0 180deg 0`, with "
    "`wxyz` or `xyzw` "
    "for a quaternion, `axis 0 0 1 angle 90deg` for axis and angle."
)


@dataclass(frozen=True, eq=False)
class Place:
    """A place that a text describes: `position` (3,) in metres, `rotation` (3, 3); None for the one
    that it omits."""

    position: Matrix | None
    rotation: Matrix | None

    __repr__ = brief

    @property
    def matrix(self) -> Matrix:
        """(4, 4), with the identity for what is not named."""
        return transform(self.rotation, self.position)


@check_arguments
def frame_pose(
    robot: Described, frame: str, reference: str = "", pose: PoseLike | None = None
) -> FramePose:
    """Return the pose of `frame` in the frame `reference` (default: the base frame) at `pose` (see
    `frame_poses`).

    Raises Refused for a name that the robot does not have.
    """
    reference = reference or get_tree(describe_robot(robot)).root
    worlds = _worlds(robot, (frame, reference), pose)
    return FramePose(frame, reference, invert(worlds[1]) @ worlds[0])


@check_arguments
def tool_target(
    robot: Described,
    frame: str,
    place: str | Place | FramePose | Matrix,
    *,
    reference: str = "",
    pose: PoseLike | None = None,
    relative: bool = False,
) -> ToolTarget:
    """A target for `reach`, `plan_to_tool` and `plan_straight` in numbers.

    `place`: a text as `parse_place` reads it, or what `frame_pose` gives, or (4, 4); in the frame
    `reference` (default: the base frame), where that is at `pose`. Absolute: where the frame is to
    be; without a rotation any will do. `relative`: by how much it is moved along the axes of the
    reference and turned about them; with the frame itself as reference, along and about its own.
    Raises Refused for unknown names and for what is no place.
    """
    if isinstance(place, str):
        place = parse_place(place)
    elif isinstance(place, FramePose):
        place = Place(place.matrix[:3, 3], place.matrix[:3, :3])
    elif not isinstance(place, Place):
        given = np.asarray(place, float)
        if given.shape != (4, 4):
            raise Refused("a place must be text, a result of frame_pose, or a matrix (4, 4)")
        place = Place(given[:3, 3], given[:3, :3])
    root = get_tree(describe_robot(robot)).root
    now, base = _worlds(robot, (frame, reference or root), pose)
    goal = compute_target_pose(base, now, place.matrix, relative=relative)
    position = now[:3, 3] if place.position is None and not relative else goal[:3, 3]
    return ToolTarget(
        frame, position, goal[:3, :3] if relative or place.rotation is not None else None
    )


def _worlds(robot: Described, frames: tuple[str, ...], pose: PoseLike | None) -> list[Matrix]:
    """(4, 4) of each frame in the base frame. Raises Refused for unknown names."""
    worlds = frame_poses(robot, pose)
    unknown = [frame for frame in frames if frame not in worlds]
    if unknown:
        raise Refused(refuse_name("frame", unknown[0], worlds))
    return [worlds[frame] for frame in frames]


# -- as text


def place_text(place: FramePose, kind: PlaceText = "urdf") -> str:
    """To be pasted elsewhere, in metres and radians: the <origin> of a URDF, the `fixed_transform`
    of an XRDF's `add_frame`, or a `geometry_msgs/PoseStamped` of ROS. `parse_place` reads each of
    them."""
    if kind == "urdf":
        return f'<origin xyz="{_row(place.position)}" rpy="{_row(place.rpy)}"/>\n'
    if kind == "xrdf":
        w, *xyz = place.quaternion_wxyz
        return (
            f"fixed_transform:\n  position: [{_row(place.position, ', ')}]\n"
            f"  orientation: {{w: {_told(w)}, xyz: [{_row(xyz, ', ')}]}}\n"
        )
    if kind != "ros":
        raise Refused(f"unknown kind of text: {kind!r}; choose {', '.join(get_args(PlaceText))}")
    lines = [f"header:\n  frame_id: {yaml_name(place.reference)}\npose:\n  position:\n"]
    lines += [
        f"    {axis}: {_told(value)}\n" for axis, value in zip("xyz", place.position, strict=True)
    ]
    lines.append("  orientation:\n")
    lines += [
        f"    {axis}: {_told(value)}\n"
        for axis, value in zip("xyzw", place.quaternion_xyzw, strict=True)
    ]
    return "".join(lines)


def _told(value: float) -> str:
    """Twelve decimals: a picometre."""
    text = f"{value:.12f}".rstrip("0")
    text = f"{text}0" if text.endswith(".") else text
    return "0.0" if text == "-0.0" else text


def _row(values: tuple[float, ...] | list[float], between: str = " ") -> str:
    return between.join(map(_told, values))


@check_arguments
def parse_place(text: str) -> Place:
    """A place of a text: `x y z`, `x y z roll pitch yaw`, named numbers (`xyz 0.4 0 0.5 rpy 0
    180deg 0`, `wxyz`, `xyzw`, `axis` with `angle`), a URDF's <origin>, or YAML: a Pose of ROS, an
    XRDF's `fixed_transform`.

    Metres and radians without a unit; `10 mm`, `45deg` and `1/3` are read. Raises Refused.
    """
    if len(text) > MOST or not text.strip():
        raise Refused(f"the text contains no place. {_WAYS}")
    if re.search(r"\b(position|orientation)\b\"?\s*:", text):
        return _from_yaml(text)
    return _from_words(text)


def _from_words(text: str) -> Place:
    named = _named(text)
    values = {}
    for word, parts in named.items():
        if len(parts) != _WORDS[word]:
            raise Refused(f"{word} needs {_WORDS[word]} numbers, not {len(parts)}. {_WAYS}")
        units = _LENGTHS if word == "xyz" else _ANGLES if word in ("rpy", "angle") else {}
        values[word] = [_number(part, units) for part in parts]
    if ("axis" in values) != ("angle" in values):
        raise Refused(f"axis and angle go together. {_WAYS}")
    turns = [word for word in ("rpy", "wxyz", "xyzw", "axis") if word in values]
    if len(turns) > 1:
        raise Refused(f"{turns[0]} and {turns[1]} are two rotations. Give one. {_WAYS}")
    position = np.array(values["xyz"]) if "xyz" in values else None
    return Place(position, _rotation(turns[0], values) if turns else None)


def _named(text: str) -> dict[str, list[str]]:
    """Word -> the texts of its numbers; three numbers without a word are xyz, six xyz and rpy."""
    pieces = re.split(
        r"\b(xyz|rpy|wxyz|xyzw|axis|angle)\b", re.sub(r"<\s*origin|/?>|[=:\"'(){}\[\]]", " ", text)
    )
    named: dict[str, list[str]] = {}
    for word, given in zip(("", *pieces[1::2]), pieces[::2], strict=True):
        parts = [
            part
            for part in re.split(r"[\s,;]+", re.sub(r"\s+(?=(mm|cm|m|deg|°|rad)\b)", "", given))
            if part
        ]
        if word in named:
            raise Refused(f"{word} is given twice. {_WAYS}")
        if parts or word:
            named[word] = parts
    bare = named.pop("", None)
    if bare is not None:
        if len(bare) not in (3, 6) or "xyz" in named or (len(bare) == 6 and named):
            raise Refused(f"{len(bare)} numbers do not make a place. {_WAYS}")
        named["xyz"] = bare[:3]
        if len(bare) == 6:
            named["rpy"] = bare[3:]
    return named


def _rotation(word: str, values: Mapping[str, list[float]]) -> Matrix:
    given = values[word]
    try:
        if word == "rpy":
            return rpy_matrix(given[0], given[1], given[2])
        if word == "axis":
            return build_axis_rotation(given, values["angle"][0])
        return quaternion_matrix(given if word == "wxyz" else [given[3], *given[:3]])
    except ValueError as error:
        raise Refused(str(error)) from None


def _number(part: str, units: dict[str, float]) -> float:
    try:
        return evaluate(part, units, 1.0)
    except ExpressionError as error:
        plain = read_finite_number(part)
        if plain is not None:
            return plain
        raise Refused(f"{part!r}: {error} {_WAYS}") from None


def _from_yaml(text: str) -> Place:
    text = next((part for part in reversed(re.split(r"(?m)^---\s*$", text)) if part.strip()), text)
    try:
        value = load_plain(SourceText.from_text(text))
    except FormatError as error:
        raise Refused(f"the text is not a place: {error.message}. {_WAYS}") from None
    # A PoseStamped has a pose; one with covariance has one in that.
    for key in ("fixed_transform", "pose", "pose"):
        if isinstance(value, dict) and isinstance(value.get(key), dict):
            value = value[key]
    if not isinstance(value, dict):
        raise Refused(f"the text is not a place. {_WAYS}")
    position = value.get("position")
    place = None if position is None else _axes(position, "xyz", "position")
    orientation = value.get("orientation")
    if orientation is None:
        return Place(place, None)
    if isinstance(orientation, dict) and "xyz" in orientation:
        wxyz = [_plain(orientation.get("w"), "w"), *_axes(orientation["xyz"], "xyz", "xyz")]
    else:
        wxyz = _axes(orientation, "wxyz", "orientation").tolist()
    return Place(place, _rotation("wxyz", {"wxyz": wxyz}))


def _axes(value: Any, axes: str, name: str) -> Matrix:
    """(n,) of a mapping by the names of the axes, or of a list of three, whose order nobody can
    mistake."""
    row = (
        [_plain(value.get(axis), axis) for axis in axes]
        if isinstance(value, dict)
        else read_finite_numbers(value, 3)
    )
    if row is None or len(row) != len(axes):
        raise Refused(f"{name} needs {len(axes)} numbers named {', '.join(axes)}. {_WAYS}")
    return np.array(row, float)


def _plain(value: Any, axis: str) -> float:
    plain = read_finite_number(value)
    if plain is None:
        raise Refused(f"{axis} is not a number. {_WAYS}")
    return plain


def first_tool(document: Document) -> str:
    """The frame that is meant where none is named: the first tool frame. Raises Refused without
    one."""
    tools = document.robot.xrdf.tool_frames or ()
    if not tools:
        raise Refused("the XRDF has no tool frame: name a frame")
    return tools[0]
