"""Tesseract's calibration files: other origins for joints, by name."""

from __future__ import annotations

from dataclasses import dataclass, replace

from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.yaml.plain import load_plain, number
from editor_app.model.frozen import FrozenDict
from editor_app.model.origin import Origin
from editor_app.model.urdf import Urdf


@dataclass(frozen=True, slots=True)
class Calibration:
    """Joint -> its calibrated origin in its parent link. `notes` say what could not be read."""

    origins: FrozenDict[str, Origin]
    notes: tuple[str, ...] = ()

    def applied(self, urdf: Urdf) -> Urdf:
        """The robot with the calibrated origins, for showing; joints that it does not have do not matter."""
        joints = tuple(replace(j, origin=self.origins[j.name]) if j.name in self.origins else j for j in urdf.joints)
        return urdf if joints == urdf.joints else replace(urdf, joints=joints)


def read_calibration(source: SourceText) -> Calibration:
    """`calibration: joints: NAME: {position: {x, y, z}, orientation: {x, y, z, w}}`. Raises FormatError."""
    value = load_plain(source)
    outer = value.get("calibration") if isinstance(value, dict) else None
    joints = outer.get("joints") if isinstance(outer, dict) else None
    if not isinstance(joints, dict):
        raise FormatError(
            "There is no calibration.joints", source.location(0), "Is this a calibration file of Tesseract?"
        )
    origins: dict[str, Origin] = {}
    notes: list[str] = []
    for name, entry in joints.items():
        position = _parts(entry, "position", "xyz")
        turn = _parts(entry, "orientation", "xyzw")
        if position is None or turn is None or not any(turn):
            notes.append(f"joint {name}: position (x, y, z) and orientation (x, y, z, w) are needed; it is ignored")
            continue
        x, y, z = position
        qx, qy, qz, qw = turn
        origins[str(name)] = Origin((x, y, z), quat_xyzw=(qx, qy, qz, qw))
    return Calibration(FrozenDict(origins), tuple(notes))


def _parts(entry: object, key: str, names: str) -> tuple[float, ...] | None:
    inner = entry.get(key) if isinstance(entry, dict) else None
    values = [number(inner.get(n)) for n in names] if isinstance(inner, dict) else [None]
    return None if None in values else tuple(v for v in values if v is not None)
