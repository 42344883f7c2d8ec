"""What sensors look like: line segments in their own frame. Metres."""

from __future__ import annotations

import math

import numpy as np

from editor_app.gui.viewport.vtk_tools import Array, circle
from editor_app.model.sensors import Ray, Scan, Sensor, SensorKind

#: Opening of what says nothing about it (radians).
_USUAL = (1.0, 0.75)
_WIDE = (-0.75 * math.pi, 0.75 * math.pi)


def sensor_segments(sensor: Sensor, looks_along_z: bool, length: float, true_reach: float | None = None) -> Array:
    """(n, 2, 3) segments of about `length`; with `true_reach` they go as far as the sensor does, at most so far."""
    kind = sensor.kind
    if kind in (SensorKind.CAMERA, SensorKind.DEPTH_CAMERA, SensorKind.STEREO_CAMERA, SensorKind.FLASH_LASER):
        camera = sensor.camera
        angles = (camera.angles if camera is not None else None) or _USUAL
        far = _reach(camera.far if camera is not None else None, length, true_reach)
        near = min(camera.near if camera is not None and camera.near is not None and true_reach else 0.0, far)
        return _turned(_frustum(angles, max(near, 0.0), far), looks_along_z)
    if kind in (SensorKind.LASER_2D, SensorKind.LASER_3D):
        ray = sensor.ray or Ray()
        return _fan(ray, _reach(ray.max_range, 1.6 * length, true_reach), true_reach is not None)
    if kind is SensorKind.SONAR:
        ray = sensor.ray or Ray()
        return _cone(0.25, _reach(ray.max_range, length, true_reach))
    if kind is SensorKind.FORCE_TORQUE:
        return _wrench(0.45 * length)
    return _cube(0.16 * length)


def _reach(wanted: float | None, length: float, limit: float | None) -> float:
    return length if limit is None or wanted is None or not wanted > 0 else min(wanted, limit)


def _frustum(angles: tuple[float, float], near: float, far: float) -> Array:
    """Along x, y to the left, z up; a small triangle on the upper edge says which side that is."""
    wide, high = math.tan(min(angles[0], 3.0) / 2), math.tan(min(angles[1], 3.0) / 2)

    def corners(at: float) -> Array:
        return np.array([[at, s * wide * at, t * high * at] for s, t in ((1, 1), (-1, 1), (-1, -1), (1, -1))])

    front, back = corners(near), corners(far)
    lines = [[back[i], back[(i + 1) % 4]] for i in range(4)]
    lines += [[front[i], back[i]] for i in range(4)]
    if near > 0:
        lines += [[front[i], front[(i + 1) % 4]] for i in range(4)]
    top = np.array([far, 0.0, 1.35 * high * far])
    left, right = np.array([far, 0.3 * wide * far, high * far]), np.array([far, -0.3 * wide * far, high * far])
    lines += [[left, top], [top, right]]
    return np.array(lines)


def _turned(segments: Array, looks_along_z: bool) -> Array:
    """From x forward, z up to the optical frame's z forward, y down."""
    if not looks_along_z:
        return segments
    return np.stack([-segments[..., 1], -segments[..., 2], segments[..., 0]], axis=-1)


def _fan(ray: Ray, reach: float, exact: bool) -> Array:
    flat = _span(ray.horizontal, _WIDE)
    planes = _span(ray.vertical, (0.0, 0.0))
    tilts = [planes[0]] if planes[0] == planes[1] else list(np.linspace(*planes, 3))
    near = min(ray.min_range or 0.0, reach) if exact else 0.0
    lines: list[Array] = []
    for tilt in tilts:
        for count, edge in ((9, False), (49, True)):
            turns = np.linspace(*flat, count)
            directions = np.column_stack(
                [np.cos(tilt) * np.cos(turns), np.cos(tilt) * np.sin(turns), np.full(count, np.sin(tilt))]
            )
            if edge:
                lines.append(np.stack([reach * directions[:-1], reach * directions[1:]], axis=1))
            else:
                lines.append(np.stack([near * directions, reach * directions], axis=1))
    return np.concatenate(lines)


def _span(scan: Scan | None, usual: tuple[float, float]) -> tuple[float, float]:
    if scan is None or scan.min_angle is None or scan.max_angle is None:
        return usual
    low, high = sorted((scan.min_angle, scan.max_angle))
    return max(low, -2 * math.pi), min(high, 2 * math.pi)


def _cone(half_angle: float, reach: float) -> Array:
    ring = circle(24) * (reach * math.sin(half_angle))
    end = np.stack([np.full(ring.shape[:2], reach * math.cos(half_angle)), ring[..., 0], ring[..., 1]], axis=-1)
    sides = np.array([[np.zeros(3), end[i, 0]] for i in range(0, 24, 6)])
    return np.concatenate([end, sides])


def _wrench(size: float) -> Array:
    """A force along z and a moment about it."""
    ring = circle(32)[:26] * (0.6 * size)
    last = ring[-1, 1]
    head = np.array([[last, last + [0.25 * size, -0.05 * size, 0.0]], [last, last + [-0.02 * size, -0.28 * size, 0.0]]])
    arrow = np.array([[[0, 0, -0.6], [0, 0, 1.0]], [[0, 0, 1.0], [0.15, 0, 0.75]], [[0, 0, 1.0], [-0.15, 0, 0.75]]])
    return np.concatenate([ring, head, arrow * size])


def _cube(half: float) -> Array:
    points = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float) * half
    return np.array([[a, b] for i, a in enumerate(points) for b in points[i + 1 :] if np.count_nonzero(a != b) == 1])
