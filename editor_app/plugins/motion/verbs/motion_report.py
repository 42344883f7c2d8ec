"""A motion as it would drive the real robot: clearance from itself and obstacles, room to joint
limits, singularity, velocity and acceleration, and what of it is proven; with stills as SVG, in
parallel projection."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull

from editor_app.core.arrays import F64, I64
from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.model.frozen import brief
from editor_app.core.model.options import attribute_record
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.scene import EMPTY_SCENE, Scene
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.space.kinematics.structure import KinematicTree
from editor_app.core.space.kinematics.tool_chain import ToolChain, tool_chain
from editor_app.core.space.kinematics.transforms import looking_from
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.tasks.work import (
    Cancel,
    Described,
    Progress,
    Refused,
    check_arguments,
    describe_robot,
    locate_robot,
    make_stoppable,
    never,
    scale_progress,
    silent,
)
from editor_app.plugins.motion.engine.allowed_contacts import AllowedContacts
from editor_app.plugins.motion.engine.limit_check import greatest_rates
from editor_app.plugins.motion.engine.limits import list_limits
from editor_app.plugins.motion.engine.model import MotionModel
from editor_app.plugins.motion.engine.obstacles import obstacle_mesh, obstacle_pose
from editor_app.plugins.motion.engine.results import BeyondLimit, Rate, told_missed
from editor_app.plugins.motion.verbs.collide import (
    Collided,
    collide,
    motion_model_of,
    pose_variables,
)

#: Moments of a motion that are looked at for its curves.
MOMENTS = 400
#: Of the greatest singular value of the tool's Jacobian: below this share of it joints race for a
#: slow tool.
NEAR_SINGULAR = 0.02
#: Of a joint's range: nearer to a limit it is told.
NEAR_LIMIT = 0.05


@dataclass(frozen=True)
class Closest:
    """The least clearance (metres, proven within 0.1 mm) at `seconds`, between `names`; `proven`:
    it is above 0 all the way. `curve` (n,): the clearance at the moments of the report."""

    clearance: float
    seconds: float
    names: tuple[str, str]
    proven: bool
    curve: F64


@dataclass(frozen=True)
class JointUse:
    """A joint on its way. `room`: the least distance to a limit, rad or m, at `seconds`; None
    without limits, and `share` of its range. `rates`: greatest velocity, acceleration and jerk as
    shares of the limits; None where no file limits them, or the motion has no times. `curve` (n,):
    positions."""

    joint: str
    slides: bool
    lowest: float
    highest: float
    room: float | None
    share: float | None
    seconds: float
    rates: tuple[float | None, float | None, float | None]
    curve: F64


@dataclass(frozen=True)
class Singularity:
    """`curve` (n,): least singular value of the Jacobian of the `tool` as a share of the greatest,
    0 where it is singular; metres count as shares of the reach. `least` of it at `seconds`.
    `measure` (n,): manipulability (T. Yoshikawa, Manipulability of robotic mechanisms, IJRR 4(2),
    1985) in the same units. `places` (n, 3) of the tool.
    """

    tool: str
    curve: F64
    measure: F64
    least: float
    seconds: float
    places: F64

    @property
    def is_near(self) -> bool:
        return self.least < NEAR_SINGULAR


@dataclass(frozen=True)
class MotionReport:
    """`seconds` (n,): the moments that curves are drawn at; without times the numbers of points.
    `to_self`, `to_obstacles`: None where nothing is checked. `proofs`: sentences, what is proven
    and what not."""

    robot: str
    motion: Trajectory
    is_timed: bool
    seconds: F64
    is_free: bool
    to_self: Closest | None
    to_obstacles: Closest | None
    joints: tuple[JointUse, ...]
    singularity: Singularity | None
    too_fast: tuple[BeyondLimit, ...]
    proofs: tuple[str, ...]
    notes: tuple[str, ...]
    pictures: tuple[MotionPicture, ...] = ()

    __repr__ = brief

    @property
    def duration(self) -> float | None:
        return float(self.seconds[-1]) if self.is_timed else None

    def record(self) -> dict[str, Any]:
        """Everything but the pictures, as JSON has it: metres, radians, seconds."""
        return {
            "robot": self.robot,
            "points": len(self.motion),
            "duration_s": self.duration,
            "free": self.is_free,
            "self": _closest(self.to_self),
            "obstacles": _closest(self.to_obstacles),
            "joints": [
                {
                    "joint": use.joint,
                    "unit": "m" if use.slides else "rad",
                    **attribute_record(
                        use, "lowest", "highest", "room", share_of_range="share", time_s="seconds"
                    ),
                    **dict(zip([rate.value for rate in Rate], use.rates, strict=True)),
                    "positions": use.curve.tolist(),
                }
                for use in self.joints
            ],
            "singularity": None
            if self.singularity is None
            else {
                "tool": self.singularity.tool,
                "least": self.singularity.least,
                "time_s": self.singularity.seconds,
                "near": self.singularity.is_near,
                "shares": self.singularity.curve.tolist(),
                "manipulability": self.singularity.measure.tolist(),
                "places_m": self.singularity.places.tolist(),
            },
            "too_fast": [beyond.record() for beyond in self.too_fast],
            "proofs": list(self.proofs),
            "notes": list(self.notes),
            "moments": self.seconds.tolist(),
        }


def _closest(closest: Closest | None) -> dict[str, Any] | None:
    if closest is None:
        return None
    return {
        "clearance_m": closest.clearance,
        "time_s": closest.seconds,
        "between": list(closest.names),
        "proven": closest.proven,
        "clearances_m": closest.curve.tolist(),
    }


@check_arguments
def report_motion(
    robot: Described,
    motion: Trajectory,
    *,
    scene: Scene = EMPTY_SCENE,
    mask: MaskFile | None = None,
    model: MotionModel | None = None,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> MotionReport:
    """Report the effects of a motion on the robot. Joints that it does not name stay at the
    default.

    Raises Refused (poses that have nothing to do with each other, no spheres), SceneError,
    Cancelled.
    """
    if not motion.moves or len(motion) < 2:
        raise Refused("a report needs a motion of two or more points")
    placed, robot = locate_robot(robot), describe_robot(robot)
    model = model or motion_model_of(robot, scene, mask)
    tick = make_stoppable(progress, cancel)
    collided = collide(
        placed,
        motion,
        model=model,
        mask=mask,
        progress=scale_progress(progress, 0.0, 0.4),
        cancel=cancel,
    )
    is_timed = motion.times is not None and motion.times[-1] > 0.0
    clock = np.array(motion.times if is_timed else range(len(motion)), float)
    moments = np.linspace(0.0, float(clock[-1]), MOMENTS)
    values = pose_variables(model, robot, motion)
    table = np.column_stack([np.interp(moments, clock, column) for column in values.T])
    is_self = np.arange(model.row_count) < len(model.spheres.pairs)
    contacts = AllowedContacts(model, values)
    to_self, to_obstacles = (
        _closest_of(
            contacts,
            values,
            clock,
            (moments, table),
            rows,
            scale_progress(tick, begin, begin + 0.25),
        )
        for rows, begin in (
            (np.flatnonzero(model.checked & is_self), 0.4),
            (np.flatnonzero(~is_self), 0.65),
        )
    )
    tick(0.9, "Joints and tool")
    singularity = _singularity(robot, model, motion, moments, table)
    places = singularity.places if singularity is not None else np.zeros((0, 3))
    nearest = min(
        (each for each in (to_self, to_obstacles) if each is not None),
        key=lambda c: c.clearance,
        default=None,
    )
    shown = [("Start", 0.0), ("End", float(clock[-1]))]
    if nearest is not None:
        shown.insert(1, ("Nearest", nearest.seconds))
    stands = [np.array([np.interp(at, clock, column) for column in values.T]) for _, at in shown]
    pictures = pictures_of(model, [title for title, _ in shown], np.array(stands), places)
    progress(1.0, "Done")
    return MotionReport(
        robot.urdf.name or "robot",
        motion,
        is_timed,
        moments,
        collided.all_free,
        to_self,
        to_obstacles,
        _joints(robot, model, motion, clock, moments, table, is_timed),
        singularity,
        collided.too_fast,
        _proofs(motion, collided, to_self, to_obstacles),
        tuple(collided.notes),
        pictures,
    )


def _closest_of(
    contacts: AllowedContacts,
    values: F64,
    clock: F64,
    looks: tuple[F64, F64],
    rows: I64,
    tick: Progress,
) -> Closest | None:
    """`looks`: moments and the configurations at them."""
    if not len(rows):
        return None
    best: tuple[float, float, int] = (np.inf, 0.0, -1)
    proven = True
    for k in range(len(values) - 1):
        if k % 50 == 0:
            tick(k / len(values), f"Clearance between points: {k + 1} of {len(values) - 1}")
        worst = contacts.worst(k, rows=rows)
        proven &= worst.decided and not worst.touching
        if worst.row >= 0 and worst.clearance < best[0]:
            best = (
                worst.clearance,
                float(clock[k] + worst.at * (clock[k + 1] - clock[k])),
                worst.row,
            )
    moments, table = looks
    curve, _ = contacts.clearances(table, np.interp(moments, clock, np.arange(len(values))), rows)
    if best[2] < 0:
        return None
    # Where all that is compared may touch, no clearance is asked for.
    curve = np.minimum(curve, curve[np.isfinite(curve)].max(initial=best[0]))
    return Closest(best[0], best[1], contacts.model.names(best[2]), proven, curve)


def _joints(
    robot: RobotDescription,
    model: MotionModel,
    motion: Trajectory,
    clock: F64,
    moments: F64,
    table: F64,
    is_timed: bool,
) -> tuple[JointUse, ...]:
    limits = list_limits(robot, motion.joints)
    rates = greatest_rates(motion) if is_timed else None
    uses = []
    for k, joint in enumerate(motion.joints):
        points = np.array([row[k] for row in motion.points])
        room = share = None
        at = 0
        if joint in model.variables:
            variable = model.variables.index(joint)
            low, high = model.spheres.limits[variable].tolist()
            rooms = np.minimum(points - low, high - points)
            at = int(np.argmin(rooms))
            if np.isfinite(rooms[at]):
                room = float(rooms[at])
                share = room / (high - low) if 0.0 < high - low < np.inf else None
        shares: list[float | None] = [None, None, None]
        for order, bound in enumerate((limits.velocity, limits.acceleration, limits.jerk)):
            if rates is not None and np.isfinite(bound[k]):
                shares[order] = float(rates[order, k] / bound[k])
        curve = np.interp(moments, clock, points)
        uses.append(
            JointUse(
                joint,
                limits.slides[k],
                float(points.min()),
                float(points.max()),
                room,
                share,
                float(clock[at]),
                (shares[0], shares[1], shares[2]),
                curve,
            )
        )
    return tuple(uses)


def _singularity(
    robot: RobotDescription, model: MotionModel, motion: Trajectory, moments: F64, table: F64
) -> Singularity | None:
    """Of the first tool frame that the motion moves; None without one."""
    tree = get_tree(robot)
    chain = _chain(
        robot,
        tree,
        {name for name in motion.joints if name in tree.independent},
        model.pose(table[0]),
    )
    if chain is None:
        return None
    columns = [model.variables.index(name) for name in chain.variables]
    joints, tools = chain.poses(table[:, columns])
    moved, turned = chain.jacobian(joints, tools)
    jacobian = np.concatenate([moved[:, 0] / chain.reach, turned[:, 0]], axis=1)
    singular = np.linalg.svd(jacobian, compute_uv=False)
    curve = np.divide(
        singular[:, -1], singular[:, 0], out=np.zeros(len(singular)), where=singular[:, 0] > 0.0
    )
    k = int(np.argmin(curve))
    return Singularity(
        chain.frames[0],
        curve,
        singular.prod(axis=1),
        float(curve[k]),
        float(moments[k]),
        tools[:, 0, :3, 3].copy(),
    )


def _chain(
    robot: RobotDescription, tree: KinematicTree, moved: set[str], pose: Any
) -> ToolChain | None:
    locked = {*tree.independent} - moved
    for frame in (*(robot.xrdf.tool_frames or ()), *reversed(tree.frames)):
        if frame in tree.index:
            chain = tool_chain(tree, [frame], pose, locked)
            if len(chain.variables) == len(moved) or (
                frame in (robot.xrdf.tool_frames or ()) and chain.variables
            ):
                return chain
    return None


def _proofs(
    motion: Trajectory, collided: Collided, to_self: Closest | None, to_obstacles: Closest | None
) -> tuple[str, ...]:
    missed = told_missed(collided.missed, "on the way")
    sentences = [f"Not free: {missed}."] if missed else []
    for closest, subject in ((to_self, "each other"), (to_obstacles, "obstacles")):
        if closest is None:
            sentences.append(f"No part of the robot is checked against {subject}.")
        elif closest.proven:
            sentences.append(
                f"Proven on every straight line between points: the robot's spheres stay at least "
                f"{max(0.0, closest.clearance - 1e-4) * 1e3:.1f} mm from {subject}."
            )
        else:
            sentences.append(f"Not proven free of {subject}: see the smallest clearance.")
    if motion.times is None:
        sentences.append("The motion has no times: speed is not checked.")
    elif collided.too_fast:
        sentences.append("Beyond the limits for every smooth motion through the points: see below.")
    else:
        sentences.append(
            "No velocity, acceleration or jerk between points exceeds a limit in the files."
        )
    if motion.accelerations is not None:
        sentences.append("Not proven: the curve that a controller draws between the points.")
    sentences.append(
        "Not covered: parts outside the spheres, loads, tracking errors of the robot, and people."
    )
    return tuple(sentences)


#: Where the eye is: degrees round the robot and above the ground.
ROUND, ABOVE = 35.0, 20.0
#: Pixels of the longer side.
SIZE = 420


@dataclass(frozen=True, slots=True)
class MotionPicture:
    """A title and the text of an SVG; no name from a file is in it."""

    title: str
    svg: str


def pictures_of(
    model: MotionModel, titles: Sequence[str], values: F64, way: F64
) -> tuple[MotionPicture, ...]:
    """A still for each configuration (n, variables), all in one frame; `way` (m, 3): the places of
    the tool."""
    spheres = model.world if len(model.world.spheres) else model.spheres
    if not len(spheres.spheres):
        return ()
    poses = model.body_poses(values)
    frame_of: I64 = np.repeat(
        np.arange(len(spheres.frames), dtype=np.int64), np.diff(spheres.starts)
    )
    bodies = spheres.frame_body[frame_of]
    centres = (
        np.einsum("nkij,kj->nki", poses[:, bodies][..., :3], spheres.spheres[:, :3])
        + poses[:, bodies][..., 3]
    )
    radii = spheres.spheres[:, 3]
    look = looking_from(ROUND, ABOVE)
    solids = [
        (points @ look.T, depth)
        for points, depth in ((p, float((p @ look.T)[:, 2].mean())) for p in _solids(model))
    ]
    flat, path = centres @ look.T, way @ look.T
    reach = radii[None, :, None]
    corners = np.concatenate(
        [
            (flat - reach)[:, :, :2].reshape(-1, 2),
            (flat + reach)[:, :, :2].reshape(-1, 2),
            path[:, :2],
        ]
    )
    low, high = corners.min(axis=0), corners.max(axis=0)
    # A large table or wall does not make the robot small.
    margin = 0.12 * float((high - low).max())
    low, high = low - margin, high + margin
    return tuple(
        MotionPicture(title, _drawn(flat[k], radii, frame_of, solids, path, low, high))
        for k, title in enumerate(titles)
    )


def _solids(model: MotionModel) -> list[F64]:
    """Points (k, 3) of each obstacle, whose hull is its outline."""
    outlines = []
    for obstacle in model.scene.obstacles:
        corners, _ = obstacle_mesh(obstacle, model.scene)
        pose = obstacle_pose(obstacle)
        outlines.append(corners @ pose[:3, :3].T + pose[:3, 3])
    return outlines


def _drawn(
    flat: F64,
    radii: F64,
    frames: I64,
    solids: Sequence[tuple[F64, float]],
    path: F64,
    low: F64,
    high: F64,
) -> str:
    """From the farthest to the nearest."""
    scale = SIZE / float((high - low).max())
    width, height = ((high - low) * scale).tolist()

    def at(points: F64) -> F64:
        return np.asarray(np.column_stack([points[:, 0] - low[0], high[1] - points[:, 1]]) * scale)

    shapes = []
    for (x, y), radius, frame, depth in zip(
        at(flat).tolist(), radii.tolist(), frames.tolist(), flat[:, 2], strict=True
    ):
        circle = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius * scale:.1f}" '
        shapes.append(
            (depth, f'{circle}fill="{_colour(int(frame))}"/>{circle}fill="url(#light)"/>')
        )
    for points, depth in solids:
        outline = " ".join(f"{x:.1f},{y:.1f}" for x, y in at(_hull(points[:, :2])).tolist())
        shapes.append(
            (
                depth,
                f'<polygon points="{outline}" fill="#8898a8" fill-opacity=".55" stroke="#556"/>',
            )
        )
    shapes.sort(key=lambda shape: shape[0])
    line = ""
    if len(path):
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in at(path).tolist())
        line = f'<polyline points="{places}" fill="none" stroke="#c62828" stroke-width="2"/>'
    return (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" '
        'role="img">'
        '<defs><radialGradient id="light" cx=".38" cy=".32" r=".75"><stop offset="0" '
        'stop-color="#fff" '
        'stop-opacity=".55"/><stop offset="1" stop-color="#000" '
        'stop-opacity=".3"/></radialGradient></defs>'
        f"{''.join(text for _, text in shapes)}{line}</svg>"
    )


def _colour(frame: int) -> str:
    """Neighbours differ: hues go round by the golden section."""
    red, green, blue = colorsys.hls_to_rgb((0.58 + 0.618034 * frame) % 1.0, 0.62, 0.42)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


def _hull(points: F64) -> F64:
    """The corners of the hull of points (n, 2), in order; of what is seen from its edge, moved by
    next to nothing."""
    return np.asarray(points[ConvexHull(points, qhull_options="QJ").vertices])
