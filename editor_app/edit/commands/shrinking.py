"""From overlapping spheres to the step that shrinks them until they only just touch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from editor_app.edit.commands.spheres import SetSpheres
from editor_app.model.change import CannotApply
from editor_app.model.counting import counted
from editor_app.model.findings import SphereRef
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import CollisionSphere
from editor_app.self_collision.results import Contact

#: Metres that stay between two spheres: more than rounding in a file takes away.
GAP = 1e-4
#: A sphere that loses more than this share of its radius does not cover its link any more.
MOST = 0.5


def shrink_change(robot: RobotDescription, contacts: Sequence[Contact]) -> SetSpheres:
    """The step after which the spheres of `contacts` do not overlap at the pose that the contacts are of.

    The two of a contact share what is too much by their radii, and a sphere takes the most of what its contacts ask.
    Raises CannotApply when nothing overlaps, or a sphere would lose more than half of its radius.
    """
    less: dict[SphereRef, float] = {}
    for contact in contacts:
        if contact.gap >= 0.0:
            continue
        radii = [_sphere(robot, ref).radius for ref in (contact.first, contact.second)]
        too_much = GAP - contact.gap
        for ref, radius in zip((contact.first, contact.second), radii, strict=True):
            share = radius / sum(radii) if sum(radii) > 0 else 0.5
            less[ref] = max(less.get(ref, 0.0), too_much * share)
    if not less:
        raise CannotApply("The spheres of this pair do not overlap at this pose: there is nothing to shrink.")
    values = []
    for ref, by in less.items():
        sphere = _sphere(robot, ref)
        if by > MOST * sphere.radius:
            raise CannotApply(
                f"Sphere {ref.index + 1} of {ref.frame} would shrink from {sphere.radius * 1e3:.1f} to "
                f"{max(0.0, sphere.radius - by) * 1e3:.1f} mm, less than half: select the spheres and move them, "
                "or fit the link with more of them."
            )
        values.append((ref, replace(sphere, radius=sphere.radius - by)))
    frames = list(dict.fromkeys(ref.frame for ref in less))
    return SetSpheres(tuple(values), f"Shrink {counted(len(values), 'sphere')} of {' and '.join(frames)}")


def _sphere(robot: RobotDescription, ref: SphereRef) -> CollisionSphere:
    group = robot.xrdf.group(ref.group)
    assert group is not None
    return group.spheres[ref.frame][ref.index]
