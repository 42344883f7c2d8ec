"""Which pairs collide at given configurations, and between them: the verb behind `collide`,
timeline and plots.

Any number of configurations in one call; what touches is a table of numbers, and `moment` says one
row in names.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import Literal

import numpy as np

from editor_app.core.arrays import F64, I64, Bools
from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.core.document.commands.srdf import SrdfMask
from editor_app.core.model.counting import format_list
from editor_app.core.model.findings import SphereRef
from editor_app.core.model.frozen import FrozenDict, brief
from editor_app.core.model.pose import Pose
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.scene import EMPTY_SCENE, Scene
from editor_app.core.model.trajectory import Trajectory
from editor_app.core.model.xrdf import LinkPair, Xrdf
from editor_app.core.space.kinematics.tree import complete_pose, get_tree
from editor_app.core.tasks.work import (
    Cancel,
    Described,
    PlacedRobot,
    PoseLike,
    Progress,
    Refused,
    check_arguments,
    describe_robot,
    locate_robot,
    make_stoppable,
    make_trajectory,
    never,
    silent,
)
from editor_app.core.verbs.reading_notes import list_reading_notes
from editor_app.features.masks.engine.meshes import BY_SIGHT
from editor_app.features.masks.engine.options import ModelOptions
from editor_app.features.masks.verbs.pair_distances import NothingToCompare, Solids, mesh_model
from editor_app.plugins.motion.engine import mesh_motion as moved_meshes
from editor_app.plugins.motion.engine.allowed_contacts import AllowedContacts
from editor_app.plugins.motion.engine.limit_check import beyond_limits
from editor_app.plugins.motion.engine.limits import list_limits
from editor_app.plugins.motion.engine.model import MotionModel, build_motion_model
from editor_app.plugins.motion.engine.results import BeyondLimit
from editor_app.plugins.motion.engine.unchecked import UncheckedPairs

#: Configurations between two looks at the cancel flag.
CHUNK = 20_000
#: Links that may touch an obstacle for a time, named in notes.
MOST_TOLD = 6


class Geometry(StrEnum):
    SPHERES = "spheres"
    HULLS = "hulls"
    MESHES = "meshes"
    BOTH = "both"


@dataclass(frozen=True)
class Touch:
    """A pair of links, or a link and an obstacle, that overlaps. `depth` in metres; None where
    meshes only touch.

    `masked`: it does not count, since the pair is left out, or may touch at the start or end of the
    motion. `missed`: the meshes touch although nothing checks the pair: the mask ignores it, or a
    link has no spheres; it counts. `at`: share of the way from one configuration to the next, None
    at a configuration itself.
    """

    first: str
    second: str
    is_obstacle: bool
    masked: bool
    depth: float | None
    spheres: tuple[SphereRef, ...] = ()
    solid: str = "spheres"
    at: float | None = None
    missed: bool = False


@dataclass(frozen=True)
class JointRoom:
    """How far a joint is from its limits, radians or metres; negative beyond them, None where there
    is no limit."""

    joint: str
    position: float
    to_lower: float | None
    to_upper: float | None

    @property
    def is_beyond(self) -> bool:
        """True if the joint is outside of its limits."""
        return any(room is not None and room < -1e-9 for room in (self.to_lower, self.to_upper))


@dataclass(frozen=True)
class Moment:
    """One configuration. `clearance`: smallest one of what counts (metres), between `nearest`; None
    without spheres."""

    index: int
    label: str
    time: float | None
    free: bool
    clearance: float | None
    nearest: tuple[str, str] | None
    touches: tuple[Touch, ...]
    limits: tuple[JointRoom, ...]

    @property
    def beyond_limits(self) -> tuple[JointRoom, ...]:
        return tuple(room for room in self.limits if room.is_beyond)


@dataclass(frozen=True)
class Passage:
    """The way from configuration `index` to the next. `clearance` is proven within 0.1 mm; `free`
    only if proven."""

    index: int
    free: bool
    clearance: float | None
    at: float
    nearest: tuple[str, str] | None
    touches: tuple[Touch, ...]
    #: Neither touching nor proven free, however finely it was divided.
    undecided: bool = False


@dataclass(frozen=True)
class WorstMoment:
    """The worst moment: `index` and `at` (share of the way to the next), `time` where it is
    known."""

    index: int
    at: float
    time: float | None
    clearance: float
    nearest: tuple[str, str]
    values: F64


@dataclass(frozen=True)
class Collided:
    """`spots` (m, 4): configuration, row of `model`, sphere, sphere; `depths` (m,). `free`,
    `clearance` (n,)."""

    model: MotionModel
    trajectory: Trajectory
    values: F64
    geometry: Geometry
    free: np.ndarray[tuple[int], np.dtype[np.bool_]]
    clearance: F64
    nearest: I64
    spots: I64
    depths: F64
    #: What may touch at the start or end of the motion, and until where; None for poses that are
    #: none.
    contacts: AllowedContacts | None = None
    #: (configuration, touch): of meshes or hulls.
    solids: FrozenDict[int, tuple[Touch, ...]] = FrozenDict()
    passages: tuple[Passage, ...] = ()
    notes: tuple[str, ...] = ()
    #: Joints that the times of the trajectory move faster than their limits allow, worst first.
    too_fast: tuple[BeyondLimit, ...] = ()

    __repr__ = brief

    def __len__(self) -> int:
        return len(self.values)

    @property
    def all_free(self) -> bool:
        """True if nothing that counts collides, at the configurations and between them."""
        return bool(self.free.all()) and all(passage.free for passage in self.passages)

    @property
    def missed(self) -> tuple[tuple[str, str], ...]:
        """The pairs whose meshes touch although nothing checks them."""
        touches = (touch for each in self.solids.values() for touch in each)
        between = (touch for passage in self.passages for touch in passage.touches)
        return tuple(dict.fromkeys((t.first, t.second) for t in (*touches, *between) if t.missed))

    def moment(self, index: int) -> Moment:
        """One configuration in names."""
        model = self.model
        first, last = np.searchsorted(self.spots[:, 0], [index, index + 1]).tolist()
        touches = [
            Touch(
                *model.names(row),
                model.is_touch(row),
                not _counts(model, self.contacts, row, index),
                -float(self.depths[k]),
                model.refs(row, one, other),
            )
            for k, (_, row, one, other) in enumerate(self.spots[first:last].tolist(), first)
        ]
        touches.sort(key=lambda touch: (touch.masked, -(touch.depth or 0.0)))
        clearance = float(self.clearance[index])
        is_finite = np.isfinite(clearance)
        return Moment(
            index,
            self.trajectory.label(index),
            self.trajectory.times[index] if self.trajectory.times is not None else None,
            bool(self.free[index]),
            clearance if is_finite else None,
            model.names(int(self.nearest[index, 0])) if is_finite else None,
            (*touches, *self.solids.get(index, ())),
            _limits(model, self.values[index]),
        )

    def worst(self) -> WorstMoment | None:
        """Return the moment of the smallest clearance, also between configurations; None without
        spheres."""
        best: tuple[float, int, float, tuple[str, str]] | None = None
        if len(self) and np.isfinite(self.clearance).any():
            k = int(np.argmin(self.clearance))
            best = (float(self.clearance[k]), k, 0.0, self.model.names(int(self.nearest[k, 0])))
        for passage in self.passages:
            if (
                passage.clearance is not None
                and passage.nearest
                and (best is None or passage.clearance < best[0])
            ):
                best = (passage.clearance, passage.index, passage.at, passage.nearest)
        if best is None:
            return None
        clearance, k, at, names = best
        values = (
            self.values[k]
            if at == 0.0
            else self.values[k] + at * (self.values[k + 1] - self.values[k])
        )
        return WorstMoment(k, at, self.time(k, at), clearance, names, values)

    def time(self, index: int, at: float = 0.0) -> float | None:
        """Seconds at a share of the way from a configuration to the next."""
        times = self.trajectory.times
        if times is None:
            return None
        return times[index] if at == 0.0 else times[index] + at * (times[index + 1] - times[index])


def profile(collided: Collided, count: int = 600) -> tuple[tuple[int, float, float], ...]:
    """Clearances between the configurations, for a plot: (index, share of the way to the next,
    clearance in metres).

    About `count` of them, spread over all ways. Empty where nothing moves, and without spheres.
    """
    passage_count = len(collided.passages)
    if not passage_count or collided.geometry in (Geometry.HULLS, Geometry.MESHES):
        return ()
    each = max(1, count // passage_count)
    shares = np.arange(1, each + 1) / (each + 1.0)
    one, other = collided.values[:-1, None, :], collided.values[1:, None, :]
    table = (one + shares[None, :, None] * (other - one)).reshape(-1, collided.values.shape[1])
    places = [(k, float(share)) for k in range(passage_count) for share in shares]
    if collided.contacts is None:
        clearance, _ = collided.model.least_clearances(table)
    else:
        clearance, _ = collided.contacts.clearances(
            table, np.array([k + share for k, share in places])
        )
    return tuple(
        (k, share, float(c)) for (k, share), c in zip(places, clearance.tolist(), strict=True)
    )


def motion_model_of(
    robot: RobotDescription, scene: Scene = EMPTY_SCENE, file: MaskFile | None = None
) -> MotionModel:
    """The model with the mask that holds: that of `file`; default the XRDF's, else the SRDF's, else
    an assumed one.

    Raises SceneError.
    """
    return build_motion_model(robot, scene, mask_of(robot, file))


def comparing_model(
    robot: RobotDescription,
    scene: Scene = EMPTY_SCENE,
    file: MaskFile | None = None,
    model: MotionModel | None = None,
) -> MotionModel:
    """Return `motion_model_of` or the existing `model`. Raises Refused if no two frames have
    spheres."""
    model = model or motion_model_of(robot, scene, file)
    if not model.row_count:
        raise Refused("fewer than two frames have collision spheres: fit spheres first")
    return model


def mask_of(robot: RobotDescription, file: MaskFile | None = None) -> frozenset[LinkPair] | None:
    """Return the pairs that are not checked, as the file lists them; None where no file has a
    mask."""
    section = robot.xrdf.self_collision
    if file is MaskFile.XRDF or robot.srdf is None or (section is not None and file is None):
        return None if section is None else section.ignored_pairs()
    links = [link.name for link in robot.urdf.links]
    pairs = [LinkPair.of(a, b) for i, a in enumerate(links) for b in links[i + 1 :]]
    disabled = SrdfMask.of(robot.srdf).within(pairs)
    return disabled if disabled or file is MaskFile.SRDF else None


def pose_variables(model: MotionModel, robot: RobotDescription, poses: PoseLike) -> F64:
    """(n, variables): joints that the trajectory does not name stand at the default.

    Raises Refused for a name that is no joint of the robot; joints that follow others are left to
    do so.
    """
    trajectory = make_trajectory(poses)
    tree = get_tree(robot)
    column = {name: k for k, name in enumerate(model.variables)}
    joint_names = {joint.name for joint in tree.joints}
    strange = [name for name in trajectory.joints if name not in joint_names]
    if strange:
        near = ", ".join(model.variables[:8]) + (" …" if len(model.variables) > 8 else "")
        raise Refused(f"the robot has no joint {strange[0]!r}; its movable joints are {near}")
    result = np.repeat(model.default[None, :], len(trajectory), axis=0)
    table = np.array(trajectory.points, float).reshape(len(trajectory), len(trajectory.joints))
    if not np.isfinite(table).all():
        raise Refused("a configuration has a value that is not finite")
    for k, name in enumerate(trajectory.joints):
        if name in column:
            result[:, column[name]] = table[:, k]
    return result


@check_arguments
def state_pose(robot: Described, name: str) -> Pose:
    """A named state of the SRDF (joint -> rad or m); "default" is the default configuration. Raises
    Refused."""
    robot = describe_robot(robot)
    states = robot.srdf.states if robot.srdf is not None else ()
    matching = [state for state in states if state.name == name]
    if not matching and name == "default":
        tree = get_tree(robot)
        return FrozenDict(complete_pose(tree, robot.xrdf.default_joint_positions or {}))
    if not matching:
        names = ", ".join(sorted({state.name for state in states})) or "no SRDF states"
        raise Refused(f"the robot has no state {name!r}; its states: default, {names}")
    return FrozenDict(
        {joint: v[0] for state in matching for joint, v in state.positions.items() if len(v) == 1}
    )


@check_arguments
def collide(
    robot: Described,
    trajectory: PoseLike,
    *,
    geometry: Geometry | Literal["spheres", "hulls", "meshes", "both"] = Geometry.SPHERES,
    scene: Scene = EMPTY_SCENE,
    between: bool = True,
    mask: MaskFile | None = None,
    model: MotionModel | None = None,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> Collided:
    """Every configuration of `trajectory`, and the straight lines between them where it moves and
    `between` holds.

    A pose (joint -> rad or m) is a trajectory of one point.

    `geometry`: what is compared. `scene`: obstacles beside the robot. `mask`: the file whose mask
    holds; default the XRDF's, where it has one. `model`: made before, for many calls. Pairs that
    the mask ignores are compared by their meshes all the same, as far as these can be had: where
    they touch, the configuration is not free. Raises Refused, SceneError, NothingToCompare (no
    meshes), ImportError (no python-fcl), Cancelled.
    """
    placed, trajectory, told = (
        locate_robot(robot),
        make_trajectory(trajectory),
        list_reading_notes(robot),
    )
    robot = placed.robot
    geometry = _known_geometry(geometry)
    has_spheres = geometry in (Geometry.SPHERES, Geometry.BOTH)
    model = model or motion_model_of(robot, scene, mask)
    if has_spheres and not model.row_count:
        raise Refused(
            "fewer than two frames have collision spheres, and none is compared with an obstacle. "
            "Fit spheres "
            "first, or compare meshes (--geometry meshes)"
        )
    values, tick = pose_variables(model, robot, trajectory), make_stoppable(progress, cancel)
    count = len(values)
    moves = trajectory.moves and count > 1
    contacts = AllowedContacts(model, values) if moves else None
    clearance, nearest, spots, depths = _empty(count)
    if has_spheres:
        clearance, nearest, spots, depths = _by_spheres(model, values, contacts, tick)
    free = clearance > 0.0
    passages: tuple[Passage, ...] = ()
    if contacts is not None and between and has_spheres:
        passages = _passages(model, contacts, count, tick)
    solids: dict[int, tuple[Touch, ...]] = {}
    notes = [*told, *model.notes]
    if geometry is not Geometry.SPHERES:
        # What was asked for are the collision shapes.
        meshes = mesh_motion(placed, scene, geometry, notes, mask, seen=())
        solid = "hulls" if geometry is Geometry.HULLS else "meshes"
        solid_values = pose_variables(meshes.motion, robot, trajectory)
        solid_contacts = AllowedContacts(meshes.motion, solid_values) if moves else None
        solids = _solid_touches(meshes, solid_values, solid_contacts, solid, tick)
        _deny_touching(free, solids)
        if solid_contacts is not None and between:
            passages = _with_solids(meshes, solid_values, solid_contacts, solid, passages, tick)
    is_exact = geometry not in (Geometry.SPHERES, Geometry.HULLS)
    if (unchecked := None if is_exact else unchecked_pairs(placed, model, notes)) is not None:
        passages = _with_missed(unchecked, values, free, solids, passages, moves and between, tick)
    if contacts:
        notes += _told_contacts(contacts, trajectory)
    progress(1.0, "Done")
    return Collided(
        model,
        trajectory,
        values,
        geometry,
        free,
        clearance,
        nearest,
        spots,
        depths,
        contacts,
        FrozenDict(solids),
        passages,
        tuple(notes),
        beyond_limits(trajectory, list_limits(robot, trajectory.joints)),
    )


def _known_geometry(name: str) -> Geometry:
    """Raises Refused for a name that is no geometry."""
    if name not in tuple(Geometry):
        raise Refused(f"unknown geometry {name!r}. Choose one of: {', '.join(Geometry)}")
    return Geometry(name)


def _deny_touching(free: Bools, solids: Mapping[int, Sequence[Touch]]) -> None:
    """Take the configurations out of `free` in which solids touch that no mask ignores."""
    for index, touches in solids.items():
        free[index] &= all(touch.masked for touch in touches)


def mesh_motion(
    placed: PlacedRobot,
    scene: Scene,
    geometry: Geometry,
    notes: list[str],
    mask: MaskFile | None = None,
    seen: Collection[str] | None = None,
) -> moved_meshes.MeshMotion:
    """Meshes, or hulls, of the robot; of the links `seen`, as of `model_cost`, and of links without
    a collision shape, the visible ones.

    Raises NothingToCompare, ImportError. `notes` hears of missing meshes, and which frames have
    nothing to compare though they have spheres or weigh something.
    """
    kind: Solids = "hulls" if geometry is Geometry.HULLS else "meshes"
    robot, meshes = placed.robot, mesh_model(placed, kind, ModelOptions(), notes.append, seen)
    bodies = {
        link.name
        for link in robot.urdf.links
        if link.inertial is not None and link.inertial.mass > 0.0
    }
    bodies |= {
        *robot.xrdf.spheres_of(robot.xrdf.self_group),
        *robot.xrdf.spheres_of(robot.xrdf.world_group),
    }
    if left_out := sorted(bodies & {*get_tree(robot).frames} - {*meshes.model.frames}):
        notes.append(f"nothing to compare on {', '.join(left_out)}")
    return moved_meshes.MeshMotion(robot, meshes, scene, mask_of(robot, mask))


def unchecked_pairs(
    placed: PlacedRobot, model: MotionModel, notes: list[str]
) -> UncheckedPairs | None:
    """Return the pairs of meshes that `model` does not check; None where there is nothing to
    compare.

    `notes` receives why ignored pairs are not compared, where their meshes are missing.
    """
    # Spheres and mask may change without another look at the files.
    xrdf = placed.robot.xrdf
    bare = Xrdf(
        modifiers=xrdf.modifiers,
        default_joint_positions=xrdf.default_joint_positions,
        cspace=xrdf.cspace,
    )
    meshes, trouble = _meshes_of(replace(placed, robot=RobotDescription(placed.robot.urdf, bare)))
    if trouble:
        notes.append(f"not all ignored pairs are compared by their meshes: {trouble}")
    return None if meshes is None else UncheckedPairs(meshes, model)


@lru_cache(maxsize=1)
def _meshes_of(placed: PlacedRobot) -> tuple[moved_meshes.MeshMotion | None, str]:
    """Return the meshes by which spheres are judged, and which are missing; remembered, as loading
    takes a second."""
    missing: list[str] = []
    try:
        meshes = mesh_model(placed, "meshes", ModelOptions(), missing.append)
    except NothingToCompare:
        return None, ""
    except ImportError as error:
        return None, str(error)
    missing = [sentence for sentence in missing if not sentence.startswith(BY_SIGHT)]
    return moved_meshes.MeshMotion(placed.robot, meshes, EMPTY_SCENE, None), format_list(missing, 1)


def _with_missed(
    unchecked: UncheckedPairs,
    values: F64,
    free: Bools,
    solids: dict[int, tuple[Touch, ...]],
    passages: tuple[Passage, ...],
    between: bool,
    tick: Progress,
) -> tuple[Passage, ...]:
    """Add what touches among pairs that nothing checks to `free`, `solids` and the passages, which
    are returned."""
    count = len(values)
    for first in range(0, count, CHUNK):
        tick(0.9 + 0.05 * first / count, "Comparing the meshes of ignored pairs")
        for n, names in unchecked.at(values[first : first + CHUNK]):
            solids[first + n] = (*solids.get(first + n, ()), _missed(names))
            free[first + n] = False
    if not between:
        return passages
    tick(0.95, "Comparing the meshes of ignored pairs between configurations")
    seen = unchecked.meshes.seen_along(values, unchecked.rows)
    result = []
    for k in range(count - 1):
        before = passages[k] if passages else Passage(k, True, None, 0.0, None, ())
        touches = tuple(
            _missed(unchecked.meshes.motion.names(row), at) for row, at in seen.get(k, {}).items()
        )
        result.append(
            replace(before, free=before.free and not touches, touches=(*before.touches, *touches))
        )
    return tuple(result)


def _missed(names: tuple[str, str], at: float | None = None) -> Touch:
    return Touch(*names, False, False, None, (), "meshes", at, missed=True)


def _empty(count: int) -> tuple[F64, I64, I64, F64]:
    return (
        np.full(count, np.inf),
        np.full((count, 3), -1, np.int64),
        np.zeros((0, 4), np.int64),
        np.zeros(0),
    )


def _by_spheres(
    model: MotionModel, values: F64, contacts: AllowedContacts | None, tick: Progress
) -> tuple[F64, I64, I64, F64]:
    """Clearance (n,), nearest (n, 3), and spots (m, 4) with their depths, as `Collided` has
    them."""
    count = len(values)
    clearance, nearest, none, no_depths = _empty(count)
    spots, depths = [none], [no_depths]
    for first in range(0, count, CHUNK):
        tick(0.5 * first / count, f"Configuration {first + 1} of {count}")
        part = values[first : first + CHUNK]
        places = np.arange(first, first + len(part), dtype=float)
        clearance[first : first + CHUNK], nearest[first : first + CHUNK] = (
            model.least_clearances(part) if contacts is None else contacts.clearances(part, places)
        )
        contact_rows, gaps = model.row_clearances(part)
        contact_rows[:, 0] += first
        spots.append(contact_rows)
        depths.append(gaps)
    return clearance, nearest, np.concatenate(spots), np.concatenate(depths)


def _told_contacts(contacts: AllowedContacts, trajectory: Trajectory) -> list[str]:
    numbers = np.arange(len(trajectory), dtype=float)

    def named(place: float) -> str:
        if trajectory.times is None:
            return f"point {place + 1.0:.2f}"
        return f"{np.interp(place, numbers, trajectory.times):.3f} s"

    told = contacts.told(named)
    more = len(told) - MOST_TOLD
    return [
        *told[:MOST_TOLD],
        *([f"{more} more links may touch obstacles at the start or end"] if more > 0 else []),
    ]


def _counts(model: MotionModel, contacts: AllowedContacts | None, row: int, place: float) -> bool:
    return bool(model.checked[row]) and (contacts is None or contacts.counts(row, place))


def _passages(
    model: MotionModel, contacts: AllowedContacts, count: int, tick: Progress
) -> tuple[Passage, ...]:
    passages = []
    for k in range(count - 1):
        if k % 50 == 0:
            tick(0.5 + 0.3 * k / count, f"Between configurations: {k + 1} of {count - 1}")
        worst = contacts.worst(k)
        touches = tuple(
            Touch(*model.names(row), model.is_touch(row), False, -gap, (), "spheres", at)
            for row, (at, gap) in sorted(worst.touching.items(), key=lambda entry: entry[1][1])
        )
        names = model.names(worst.row) if worst.row >= 0 else None
        free = worst.decided and not touches
        clearance = worst.clearance if worst.row >= 0 else None
        passages.append(
            Passage(k, free, clearance, worst.at, names, touches, not worst.decided and not touches)
        )
    return tuple(passages)


def _solid_touches(
    meshes: moved_meshes.MeshMotion,
    values: F64,
    contacts: AllowedContacts | None,
    solid: str,
    tick: Progress,
) -> dict[int, tuple[Touch, ...]]:
    model, unproven = meshes.motion, {*_unproven(meshes).tolist()}
    touches_at: dict[int, list[Touch]] = {}
    step = 64
    for first in range(0, len(values), step):
        tick(0.8 + 0.1 * first / len(values), f"Comparing {solid}: {first + 1} of {len(values)}")
        for n, row in meshes.touching(values[first : first + step]):
            missed = row in unproven and bool(meshes.ignored[row])
            counts = row in unproven or _counts(model, contacts, row, first + n)
            touch = Touch(
                *model.names(row), model.is_touch(row), not counts, None, (), solid, missed=missed
            )
            touches_at.setdefault(first + n, []).append(touch)
    return {
        index: tuple(sorted(touches, key=lambda t: t.masked))
        for index, touches in touches_at.items()
    }


def _unproven(meshes: moved_meshes.MeshMotion) -> I64:
    """Return the rows of meshes whose touching counts although nothing is proven of them: ignored
    and adjacent pairs.

    Hulls touch where meshes do not: of them, only what the mask checks counts.
    """
    return np.setdiff1d([] if meshes.meshes.hulls else meshes.colliding, meshes.motion.rows).astype(
        np.int64
    )


def _with_solids(
    meshes: moved_meshes.MeshMotion,
    values: F64,
    contacts: AllowedContacts,
    solid: str,
    passages: tuple[Passage, ...],
    tick: Progress,
) -> tuple[Passage, ...]:
    model = meshes.motion
    seen = meshes.seen_along(values, _unproven(meshes))
    result = []
    for k in range(len(values) - 1):
        tick(0.9 + 0.1 * k / len(values), f"Comparing {solid} between configurations")
        one, way = values[k], values[k + 1] - values[k]
        touching: dict[int, float] = {}
        undecided: set[int] = set()
        for low, high, rows in contacts.parts(k):
            line = meshes.line(
                one + low * way, one + high * way if high < 1.0 else values[k + 1], rows
            )
            touching |= {row: low + at * (high - low) for row, at in line.touching.items()}
            undecided |= {*line.undecided}
        touching |= seen.get(k, {})
        touches = tuple(
            Touch(
                *model.names(row),
                model.is_touch(row),
                False,
                None,
                (),
                solid,
                at,
                missed=bool(meshes.ignored[row]),
            )
            for row, at in touching.items()
        )
        before = passages[k] if passages else Passage(k, True, None, 0.0, None, ())
        result.append(
            Passage(
                k,
                before.free and not touches and not undecided,
                before.clearance,
                before.at,
                before.nearest,
                (*before.touches, *touches),
                before.undecided or bool(undecided and not touches),
            )
        )
    return tuple(result)


def _limits(model: MotionModel, values: F64) -> tuple[JointRoom, ...]:
    rooms = []
    for name, q, limits in zip(
        model.variables, values.tolist(), model.spheres.limits.tolist(), strict=True
    ):
        below, above = (
            room if math.isfinite(room) else None for room in (q - limits[0], limits[1] - q)
        )
        if (below, above) != (None, None):
            rooms.append(JointRoom(name, q, below, above))
    return tuple(rooms)
