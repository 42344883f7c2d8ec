"""What is measured from, and the notes that are made of it: plain values, which follow the robot when it changes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from editor_app.model.findings import SphereRef
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import CollisionSphere


@dataclass(frozen=True)
class Anchor:
    """A place on the robot: `local` (3,) in metres and the face's `normal` (3,), both in the frame; or a sphere.

    `sphere_then` is the sphere as it was when it was seen last. `is_lost`: the sphere is no more. `is_stale`: the
    shapes of the link are others than those that were measured.
    """

    frame: str
    local: tuple[float, float, float] = (0.0, 0.0, 0.0)
    normal: tuple[float, float, float] | None = None
    sphere: SphereRef | None = None
    sphere_then: CollisionSphere | None = None
    is_lost: bool = False
    is_stale: bool = False

    @property
    def name(self) -> str:
        if self.sphere is not None:
            return f"centre of sphere {self.sphere.index + 1} of {self.frame}"
        return f"origin of {self.frame}" if self.normal is None else f"surface of {self.frame}"


@dataclass(frozen=True)
class Note:
    """Two anchors for a distance, three for an angle at the second, one for a radius."""

    anchors: tuple[Anchor, ...]
    name: str = ""
    is_hidden: bool = False

    @property
    def is_stale(self) -> bool:
        return any(anchor.is_stale for anchor in self.anchors)

    @property
    def between(self) -> str:
        """From where to where."""
        names = [anchor.name for anchor in self.anchors]
        if len(names) == 3:
            return f"at {names[1]}, between {names[0]} and {names[2]}"
        return " → ".join(names)


def followed(note: Note, old: RobotDescription, new: RobotDescription) -> Note:
    """The note on the changed robot: spheres that were renumbered are still the same spheres."""
    anchors = tuple(_followed(anchor, old, new) for anchor in note.anchors)
    # The same object where nothing is different.
    return note if anchors == note.anchors else replace(note, anchors=anchors)


def _followed(anchor: Anchor, old: RobotDescription, new: RobotDescription) -> Anchor:
    if anchor.sphere is not None:
        return anchor if new.xrdf.geometry is old.xrdf.geometry else _followed_sphere(anchor, anchor.sphere, old, new)
    if anchor.normal is None or anchor.is_stale or new.urdf is old.urdf:
        return anchor
    before, now = old.urdf.link(anchor.frame), new.urdf.link(anchor.frame)
    if before is None or now is None or (before.visuals, before.collisions) == (now.visuals, now.collisions):
        return anchor
    return replace(anchor, is_stale=True)


def _followed_sphere(anchor: Anchor, ref: SphereRef, old: RobotDescription, new: RobotDescription) -> Anchor:
    before, now = spheres_of(old, ref), spheres_of(new, ref)
    if before is now:
        return anchor
    if len(before) == len(now) and not anchor.is_lost:
        # Moved or resized in its place.
        return replace(anchor, sphere_then=now[ref.index]) if ref.index < len(now) else anchor
    then = anchor.sphere_then if anchor.is_lost or ref.index >= len(before) else before[ref.index]
    places = [k for k, sphere in enumerate(now) if sphere is then] or [k for k, s in enumerate(now) if s == then]
    if not places:
        return replace(anchor, sphere_then=then, is_lost=True)
    nearest = min(places, key=lambda k: abs(k - ref.index))
    return replace(anchor, sphere=replace(ref, index=nearest), sphere_then=then, is_lost=False)


def spheres_of(robot: RobotDescription, ref: SphereRef) -> tuple[CollisionSphere, ...]:
    """The spheres among which the one of `ref` is counted; none where the group has none in that frame."""
    group = robot.xrdf.group(ref.group)
    return group.spheres.get(ref.frame, ()) if group is not None else ()
