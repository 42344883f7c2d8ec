"""The verbs compare_cloud and fit_cloud: measured points that no sphere covers, and spheres that
cover them."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from editor_app.core.arrays import F64, I64
from editor_app.core.document.commands.spheres import AddSpheres
from editor_app.core.model.frozen import brief
from editor_app.core.model.near_names import refuse_name
from editor_app.core.model.pose import Pose
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import CollisionSphere
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.structure import (
    KinematicTree,
    complete_pose,
    get_default_positions,
)
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.tasks.task import TaskReporter
from editor_app.core.tasks.work import (
    Cancel,
    Described,
    PoseLike,
    Progress,
    Refused,
    check_arguments,
    describe_robot,
    make_stoppable,
    never,
    read_pose,
    scale_progress,
    silent,
)
from editor_app.plugins.clouds.cloud import PointCloud
from editor_app.plugins.clouds.engine import cover
from editor_app.plugins.clouds.files.ply import coloured_ply
from editor_app.plugins.clouds.files.read import read_cloud

#: Metres: a point so near to a sphere counts as covered; one so far from all of them is no part of
#: the robot.
NOISE, REACH = 0.005, 0.15
#: Metres between points that hang together; fewer points than these are noise.
SPACING, FEWEST = 0.015, 5
#: Metres: largest sphere around points, and what is added to its radius.
RADIUS, PADDING = 0.04, 0.005
_COVERED, _FAR = (150, 150, 150), (90, 110, 160)
#: Colours of uncovered points, from `NOISE` to the farthest one.
_NEAR_END, _FAR_END = np.array([255.0, 220.0, 60.0]), np.array([200.0, 20.0, 20.0])


@dataclass(frozen=True, eq=False)
class Gap:
    """Points that hang together and that no sphere covers, at the link whose spheres are nearest to
    most of them.

    `rows` (n,): which points of the comparison. `farthest`: largest distance from the nearest
    sphere, metres; `lower`, `upper` (3,): extent in the base frame.
    """

    link: str
    rows: I64
    farthest: float
    lower: F64
    upper: F64

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class CloudComparison:
    """`points` (n, 3): the cloud in the base frame, metres. `distances` (n,): from the nearest
    sphere of `group`, negative inside, infinite beyond `reach`. `gaps`: the uncovered points, that
    with the most of them first. `strays`: number of uncovered points that are too few to be a
    gap."""

    robot: RobotDescription
    group: str
    pose: Pose
    points: F64
    distances: F64
    gaps: tuple[Gap, ...]
    strays: int
    noise: float
    notes: tuple[str, ...] = ()

    __repr__ = brief

    @property
    def covered(self) -> int:
        """Number of points in a sphere, or within the noise of one."""
        return int((self.distances <= self.noise).sum())

    @property
    def beyond(self) -> int:
        """Number of points that are too far away to belong to the robot."""
        return int(np.isinf(self.distances).sum())

    @property
    def colours(self) -> np.ndarray:
        """(n, 3) 0..255: grey where covered, yellow to red by the distance, blue beyond the
        reach."""
        result = np.empty((len(self.points), 3))
        result[:] = _COVERED
        result[np.isinf(self.distances)] = _FAR
        is_open = np.isfinite(self.distances) & (self.distances > self.noise)
        if is_open.any():
            share = (self.distances[is_open] - self.noise) / max(
                1e-9, float(self.distances[is_open].max()) - self.noise
            )
            result[is_open] = _NEAR_END + share[:, None] * (_FAR_END - _NEAR_END)
        return result.astype(np.uint8)

    def ply(self) -> bytes:
        """Return the points in the base frame with their colours as a binary PLY file."""
        return coloured_ply(self.points, self.colours)


@dataclass(frozen=True)
class CloudFit:
    """`spheres` in the frame of `link` that contain every point of its gaps with the padding around
    it."""

    link: str
    group: str
    spheres: tuple[CollisionSphere, ...]

    @property
    def change(self) -> AddSpheres:
        return AddSpheres(self.group, self.link, self.spheres)


@check_arguments
def compare_cloud(
    robot: Described,
    cloud: PointCloud,
    *,
    pose: PoseLike | None = None,
    frame: str | None = None,
    group: str | None = None,
    noise: float = NOISE,
    reach: float = REACH,
    above: float | None = None,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> CloudComparison:
    """Find the points of a cloud near the robot that no sphere covers.

    `pose`: joint -> rad or m; default that of the cloud, the default positions for other joints.
    `frame`: where the points are; default the frame that the cloud names, else the base. `group`:
    geometry group; default that of the world collision section, else of self-collision. Radii are
    compared without buffers. `noise`: metres up to which a point outside of a sphere counts as
    covered. `reach`: metres beyond which a point is no part of the robot. `above`: points below
    this height (metres, base frame) are left out, such as a table. Raises Refused, Cancelled.
    """
    description = describe_robot(robot)
    tree, xrdf = get_tree(description), description.xrdf
    if not (math.isfinite(noise) and math.isfinite(reach) and 0.0 <= noise < reach):
        raise Refused(f"noise must be 0 or more and less than reach, not {noise:g} and {reach:g} m")
    chosen = _group(description, group)
    given = dict(read_pose(pose)) if pose is not None else dict(cloud.pose)
    placed_joints = {name: value for name, value in given.items() if name in tree.joint_index}
    strange = sorted(set(given) - set(placed_joints))
    if pose is not None and strange:
        raise Refused(refuse_name("joint", strange[0], tree.independent))
    placed = complete_pose(tree, {**get_default_positions(tree, xrdf), **placed_joints})
    poses = compute_forward(tree, placed)
    base = _frame(tree, frame, cloud)
    at = poses[tree.index[base]]
    points = cloud.points @ at[:3, :3].T + at[:3, 3]
    if above is not None:
        points = points[points[:, 2] > above]
    spheres = [
        (tree.index[link], sphere)
        for link, each in xrdf.spheres_of(chosen).items()
        if link in tree.index
        for sphere in each
        if sphere.radius > 0.0
    ]
    if not spheres:
        raise Refused(f"the group {chosen!r} has no spheres: fit spheres first")
    owners = np.array([index for index, _ in spheres], np.int64)
    local = np.array([sphere.center for _, sphere in spheres], float)
    centres = np.einsum("nij,nj->ni", poses[owners, :3, :3], local) + poses[owners, :3, 3]
    tick = scale_progress(make_stoppable(progress, cancel), 0.0, 0.9)
    gaps, nearest = cover.distances(
        points, centres, np.array([s.radius for _, s in spheres]), owners, reach,
        lambda share: tick(share, "Measuring points"),
    )  # fmt: skip
    grouped, strays = _gaps(points, gaps, nearest, noise, tree.frames)
    notes = [f"{cloud.dropped:,} points have no position"] if cloud.dropped else []
    notes += (
        [f"joints of the cloud that the robot does not have: {', '.join(strange[:5])}"]
        if strange
        else []
    )
    progress(1.0, "Done")
    return CloudComparison(
        description, chosen, placed, points, gaps, grouped, strays, noise, tuple(notes)
    )


def _group(robot: RobotDescription, name: str | None) -> str:
    """Raises Refused for a group that the XRDF does not have."""
    groups = [each.name for each in robot.xrdf.geometry or ()]
    chosen = name or robot.xrdf.world_group or robot.xrdf.self_group
    if chosen is None:
        raise Refused("the XRDF has no geometry group: fit spheres first")
    if chosen not in groups:
        raise Refused(refuse_name("geometry group", chosen, groups))
    return chosen


def _frame(tree: KinematicTree, name: str | None, cloud: PointCloud) -> str:
    """Raises Refused for a frame that the robot does not have."""
    if name is not None and name not in tree.index:
        raise Refused(refuse_name("frame", name, tree.frames))
    frame = name or cloud.frame or tree.root
    if frame not in tree.index:
        raise Refused(
            f"the points are in frame {frame!r}, which the robot does not have: name one of its "
            "frames"
        )
    return frame


def _gaps(
    points: F64, distances: F64, nearest: I64, noise: float, frames: Sequence[str]
) -> tuple[tuple[Gap, ...], int]:
    rows = np.flatnonzero(np.isfinite(distances) & (distances > noise))
    number = cover.clusters(points[rows], SPACING)
    gaps, strays = [], 0
    for each in range(int(number.max(initial=-1)) + 1):
        some = rows[number == each]
        if len(some) < FEWEST:
            strays += len(some)
            continue
        link = frames[int(np.bincount(nearest[some]).argmax())]
        lower, upper = points[some].min(axis=0), points[some].max(axis=0)
        gaps.append(Gap(link, some, float(distances[some].max()), lower, upper))
    return tuple(sorted(gaps, key=lambda gap: -len(gap.rows))), strays


@check_arguments
def fit_cloud(
    comparison: CloudComparison,
    link: str,
    *,
    gaps: Collection[int] | None = None,
    radius: float = RADIUS,
    padding: float = PADDING,
    number: int | None = None,
) -> CloudFit:
    """Fit spheres of a link around uncovered points.

    `gaps`: numbers of gaps in the comparison, of any link; default those at `link`. `radius`:
    metres, no sphere is larger, unless there are `number` already. `padding`: metres around each
    point. Raises Refused.
    """
    tree = get_tree(comparison.robot)
    if link not in tree.index:
        raise Refused(refuse_name("link", link, tree.frames))
    if not (math.isfinite(padding) and 0.0 <= padding < radius <= 10.0):
        raise Refused(
            f"radius must be more than the padding, and at most 10 m, not {radius:g} and "
            f"{padding:g} m"
        )
    if number is not None and number < 1:
        raise Refused("the number of spheres must be 1 or more")
    chosen = [
        gap
        for k, gap in enumerate(comparison.gaps)
        if (gap.link == link if gaps is None else k in gaps)
    ]
    if not chosen:
        links = ", ".join(dict.fromkeys(gap.link for gap in comparison.gaps)) or "none"
        raise Refused(f"no uncovered points are at link {link!r}; they are at: {links}")
    at = compute_forward(tree, comparison.pose)[tree.index[link]]
    points = comparison.points[np.concatenate([gap.rows for gap in chosen])]
    balls = cover.balls_around((points - at[:3, 3]) @ at[:3, :3], padding, radius, number)
    spheres = tuple(
        CollisionSphere((float(x), float(y), float(z)), float(r)) for x, y, z, r in balls
    )
    return CloudFit(link, comparison.group, _rounded(spheres))


def _rounded(spheres: tuple[CollisionSphere, ...]) -> tuple[CollisionSphere, ...]:
    """To a micrometre; the radius grows by what the centre moves."""
    result = []
    for sphere in spheres:
        x, y, z = (round(value, 6) for value in sphere.center)
        result.append(CollisionSphere((x, y, z), math.ceil((sphere.radius + 1e-6) * 1e6) / 1e6))
    return tuple(result)


def compare_file(
    reporter: TaskReporter,
    robot: RobotDescription,
    path: Path,
    pose: Mapping[str, float],
    frame: str | None,
) -> CloudComparison:
    """Compare the points of a file, as a job; at `pose` where the file has no joint states.

    Raises FormatError, Refused.
    """
    reporter.progress(0.0, f"Reading {path.name}")
    cloud = read_cloud(path)
    return compare_cloud(
        robot, cloud, pose=None if cloud.pose else pose, frame=frame, progress=reporter.progress
    )
