"""The rows of an <origin>: position; roll, pitch and yaw; and the quaternion where the file has one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFormLayout

from editor_app.gui.bindings.panel import Reading
from editor_app.gui.bindings.quantity import ANGLE, LENGTH, NUMBER
from editor_app.kinematics.transforms import quaternion_to_rpy
from editor_app.model.change import Change
from editor_app.model.urdf import Origin

if TYPE_CHECKING:
    from editor_app.gui.panels.urdf.panel import UrdfPanel

_QUATERNION_NOTE = "The file has a quaternion. Angles that are typed here stand in its place."


class PoseRows:
    """`origin` is what is shown, None for nothing; `write` makes the change to another one, which is turned or not."""

    def __init__(
        self,
        panel: UrdfPanel,
        form: QFormLayout,
        label: str,
        origin: Callable[[], Origin | None],
        write: Callable[[Origin, bool], Change | None],
        reading: Callable[[float | None], Reading] = Reading,
    ) -> None:
        self._form = form
        self._origin = origin
        self._write = write
        self._reading = reading
        self.xyz = panel.vector(form, label, "xyz", LENGTH, self._position, self._move)
        self.rpy = panel.vector(form, "Roll, pitch, yaw", "rpy", ANGLE, self._angle, self._turn)
        self.quaternion = panel.vector(form, "Quaternion", "xyzw", NUMBER, self._part, self._set_part)
        self._row = form.rowCount() - 1

    def show(self) -> None:
        """Shows the quaternion only where there is one; after whatever else shows and hides rows of the form."""
        origin = self._origin()
        self._form.setRowVisible(self._row, origin is not None and origin.quat_xyzw is not None)

    def _position(self, i: int) -> Reading:
        origin = self._origin()
        return self._reading(origin.xyz[i] if origin is not None else None)

    def _angle(self, i: int) -> Reading:
        origin = self._origin()
        reading = self._reading(rpy_of(origin)[i] if origin is not None else None)
        if origin is None or origin.quat_xyzw is None:
            return reading
        return replace(reading, note=_QUATERNION_NOTE)

    def _part(self, i: int) -> Reading:
        origin = self._origin()
        quaternion = origin.quat_xyzw if origin is not None else None
        return self._reading(quaternion[i] if quaternion is not None else None)

    def _move(self, i: int, value: float) -> Change | None:
        origin = self._origin()
        return self._write(moved(origin, i, value), False) if origin is not None else None

    def _turn(self, i: int, value: float) -> Change | None:
        origin = self._origin()
        return self._write(turned(origin, i, value), True) if origin is not None else None

    def _set_part(self, i: int, value: float) -> Change | None:
        origin = self._origin()
        if origin is None or origin.quat_xyzw is None:
            return None
        x, y, z, w = (value if k == i else v for k, v in enumerate(origin.quat_xyzw))
        return self._write(replace(origin, quat_xyzw=(x, y, z, w)), True)


def rpy_of(origin: Origin) -> tuple[float, float, float]:
    """Roll, pitch and yaw, also of an origin that stands as a quaternion."""
    if origin.quat_xyzw is None:
        return origin.rpy
    x, y, z, w = origin.quat_xyzw
    return quaternion_to_rpy((w, x, y, z))


def moved(origin: Origin, axis: int, value: float) -> Origin:
    x, y, z = (value if i == axis else v for i, v in enumerate(origin.xyz))
    return replace(origin, xyz=(x, y, z))


def turned(origin: Origin, axis: int, value: float) -> Origin:
    """With another angle; a quaternion gives way to roll, pitch and yaw."""
    r, p, y = (value if i == axis else v for i, v in enumerate(rpy_of(origin)))
    return replace(origin, rpy=(r, p, y), quat_xyzw=None)
