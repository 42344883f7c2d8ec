"""The rows of an <origin>: position; roll, pitch and yaw; and the quaternion where the file has one."""

from __future__ import annotations

from typing import Any

from editor_app.edit.commands.fields import field_of
from editor_app.gui.bindings.forms import Field, Number
from editor_app.gui.bindings.quantity import ANGLE, LENGTH, NUMBER

_NOTE = "The file has a quaternion. Angles that are typed here stand in its place."


def pose_rows(label: str, path: str, *, name: str = "", move: str = "", turn: str = "") -> tuple[Field, ...]:
    """`path` leads to the origin; `name` says what a short label is of; `move` and `turn` are titles of steps."""

    def has_quaternion(thing: Any) -> bool:
        return field_of(thing, f"{path}.quat_xyzw") is not None

    return (
        Number(label, f"{path}.xyz", LENGTH, "xyz", title=move, name=name, help=name),
        Number(
            # With its unit it has to leave room for three numbers.
            "Roll pitch yaw",
            f"{path}.rpy",
            ANGLE,
            ("roll", "pitch", "yaw"),
            title=turn,
            note=lambda thing: _NOTE if has_quaternion(thing) else "",
        ),
        Number("Quaternion", f"{path}.quat_xyzw", NUMBER, "xyzw", title=turn, shown=has_quaternion),
    )
