"""The verb attach_object: what a tool holds becomes a frame of the XRDF, with spheres fitted to its
shape."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from editor_app.core.document.commands.fitted_spheres import AttachObject
from editor_app.core.model.frozen import brief
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.scene import MeshShape, Obstacle, Scene, Shape, SphereShape
from editor_app.core.model.xrdf import AddFrame, CollisionSphere, FixedTransform, LinkPair
from editor_app.core.space.geometry.units import guessed_use
from editor_app.core.space.kinematics.forward import compute_forward
from editor_app.core.space.kinematics.transforms import Matrix, apply, invert, matrix_to_quaternion
from editor_app.core.space.kinematics.tree import adjacent_pairs, get_tree
from editor_app.core.tasks.task import TaskReporter
from editor_app.core.tasks.work import (
    Cancel,
    Described,
    Progress,
    Refused,
    check_arguments,
    describe_robot,
    never,
    silent,
)
from editor_app.features.spheres.engine.links import LinkMesh
from editor_app.features.spheres.engine.settings import FitSettings
from editor_app.features.spheres.verbs.fit import fit_group, fit_meshes, report_steps
from editor_app.features.spheres.verbs.link_fits import round_spheres
from editor_app.plugins.motion.engine.obstacles import obstacle_mesh, obstacle_pose

#: What cuRobo calls the link that stands for what a gripper carries.
NAME = "attached_object"
#: Spheres of an object, if nothing else is said: a planner checks each of them against everything.
USUAL_NUMBER = 20


@dataclass(frozen=True)
class AttachedObject:
    """`spheres`: in the frame `frame`, metres. `holding`: frames that it is not checked against,
    since they hold it.

    `protrusion`: how far the spheres stand out, metres; `told`: what was guessed of a mesh file.
    """

    frame: str
    on: str
    spheres: tuple[CollisionSphere, ...]
    holding: tuple[str, ...]
    protrusion: float
    change: AttachObject
    told: str = ""

    __repr__ = brief


@check_arguments
def attach_object(
    robot: Described,
    shape: Shape | str | Path,
    on: str,
    place: Matrix | None = None,
    *,
    name: str = NAME,
    number: int | None = None,
    holding: Iterable[str] = (),
    pose: Mapping[str, float] | None = None,
    folder: str | None = None,
    group: str | None = None,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> AttachedObject:
    """A shape, or a mesh file, that the frame `on` holds; the robot is left as it is: see
    `AttachedObject.change`.

    `place`: (4, 4) pose of the object in the frame `on`, metres; default: its origin lies in that
    of `on`. `number` of spheres; default 20, which cover it. It is not checked against `on`,
    `holding`, frames of the same rigid group and adjacent ones, nor, with `pose`, against frames
    whose spheres overlap with it there. `folder`: what paths of meshes are relative to. Raises
    Refused, SceneError, FittingError, Cancelled.
    """
    description = describe_robot(robot)
    tree = get_tree(description)
    if on not in tree.index:
        raise Refused(f"the robot has no frame {on!r} to hold an object")
    if name in tree.index or description.urdf.link(name) is not None:
        raise Refused(f"the frame {name!r} already exists: detach it first, or use another name")
    spheres, protrusion, told = object_spheres(
        shape, name, number, folder, progress=progress, cancel=cancel
    )
    place = np.eye(4) if place is None else place
    position, orientation = _numbers(place[:3, 3]), _numbers(matrix_to_quaternion(place[:3, :3]))
    frame = AddFrame(name, on, f"{name}_joint", FixedTransform(position, orientation))  # type: ignore[arg-type]
    group = fit_group(description, group)
    held = [on, *holding, *_held_with(AttachObject(frame, group, spheres).apply(description), name)]
    if pose is not None:
        held += _overlapping(description, spheres, compute_forward(tree, pose), on, place)
    frames = tuple(dict.fromkeys(held))
    change = AttachObject(frame, group, spheres, frames)
    return AttachedObject(name, on, spheres, frames, protrusion, change, told)


def object_spheres(
    shape: Shape | str | Path,
    name: str = NAME,
    number: int | None = None,
    folder: str | None = None,
    *,
    progress: Progress = silent,
    cancel: Cancel = never,
) -> tuple[tuple[CollisionSphere, ...], float, str]:
    """(spheres that cover a shape, in its frame; how far they stand out; what was guessed of a mesh
    file), metres."""
    told = ""
    if isinstance(shape, SphereShape):
        return (CollisionSphere((0.0, 0.0, 0.0), shape.radius),), 0.0, told
    if isinstance(shape, str | Path):
        use = guessed_use(Path(shape))
        shape, told = MeshShape(str(Path(shape).absolute()), use.scale), use.told
    vertices, faces = obstacle_mesh(Obstacle(name, shape), Scene(folder=folder))
    settings = FitSettings(number=USUAL_NUMBER if number is None else number)
    mesh = LinkMesh(name, np.asarray(vertices, float), np.asarray(faces, np.int32))
    (fit,) = fit_meshes([mesh], settings, reporter=report_steps(progress, cancel))
    quality = fit.result.quality
    protrusion = 0.0 if quality is None else quality.protrusion_at_most
    return round_spheres(fit.result.spheres, settings.mode), protrusion, told


def grasp(
    reporter: TaskReporter,
    robot: RobotDescription,
    obstacle: Obstacle,
    on: str,
    pose: Mapping[str, float],
    folder: str | None,
) -> AttachedObject:
    """`attach_object` of an obstacle of a scene, at the pose in which it is held, as a job."""
    tree = get_tree(robot)
    if on not in tree.index:
        raise Refused(f"the robot has no frame {on!r} to hold an object")
    place = invert(compute_forward(tree, pose)[tree.index[on]]) @ obstacle_pose(obstacle)
    return attach_object(
        robot,
        obstacle.shape,
        on,
        place,
        holding=obstacle.may_touch,
        pose=pose,
        folder=folder,
        progress=reporter.progress,
    )


def _held_with(robot: RobotDescription, name: str) -> list[str]:
    """Return the frames with spheres that are in the rigid group of a frame, or adjacent to it."""
    groups, adjacent = get_tree(robot).rigid_groups(), adjacent_pairs(robot)
    return sorted(
        frame
        for frame in {*robot.xrdf.spheres_of(robot.xrdf.self_group)} - {name}
        if groups.get(frame) == groups[name] or LinkPair.of(frame, name) in adjacent
    )


def _overlapping(
    robot: RobotDescription,
    spheres: tuple[CollisionSphere, ...],
    world: Matrix,
    on: str,
    place: Matrix,
) -> list[str]:
    """The frames whose spheres for self-collision overlap with the object at a pose."""
    tree, xrdf = get_tree(robot), robot.xrdf
    group = xrdf.self_group or xrdf.world_group
    centers = apply(world[tree.index[on]] @ place, np.array([sphere.center for sphere in spheres]))
    radii = np.array([sphere.radius for sphere in spheres])
    overlapping = []
    for frame, others in (xrdf.spheres_of(group) if group is not None else {}).items():
        if frame not in tree.index or not others:
            continue
        places = apply(world[tree.index[frame]], np.array([sphere.center for sphere in others]))
        sizes = np.array([sphere.radius for sphere in others])
        gaps = (
            np.linalg.norm(centers[:, None] - places[None], axis=2) - radii[:, None] - sizes[None]
        )
        if (gaps < 0.0).any():
            overlapping.append(frame)
    return overlapping


def _numbers(values: Iterable[float]) -> tuple[float, ...]:
    """With the digits that files have: a micrometre is none that an object is placed by."""
    return tuple(round(float(value), 9) + 0.0 for value in values)
