"""Which link hangs on which by which joint, from the URDF alone: names, no poses.

A URDF may be broken: links that do not exist, two joints to one link, loops. Here is decided which
joints count, once for all; who builds something on the graph (poses, drafts, files of other
formats) agrees on it for that reason.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, Protocol, TypeVar

from editor_app.core.model.urdf import Joint, JointType, Urdf
from editor_app.core.model.xrdf import Xrdf

Name = TypeVar("Name", bound=Hashable)


#: Joints that let two links go anywhere: they hold nothing together.
LOOSE = frozenset({JointType.PLANAR, JointType.FLOATING})


class Connection(Protocol):
    """A joint of a URDF, or of a tree."""

    @property
    def type(self) -> JointType: ...
    @property
    def parent(self) -> str: ...
    @property
    def child(self) -> str: ...


class JointFault(StrEnum):
    """Why a joint does not count."""

    NO_LINK = "one of its links does not exist"
    ITSELF = "its parent and child are the same link"
    SAME_NAME = "an earlier joint has its name"
    SECOND_PARENT = "an earlier joint has the same child"


class KinematicGraph:
    """The joints that count, by name, by child and by parent; of two that exclude each other, the
    first counts.

    `incoming` maps a link to the joint that leads to it, `outgoing` to those that lead on; both may
    hold loops. `faults` maps the place of a joint in the URDF to why it does not count; `joints`
    has those, too, by name, since their limits hold for every part that names them.
    """

    def __init__(self, urdf: Urdf) -> None:
        self.urdf = urdf
        self.links = {link.name for link in urdf.links}
        self.joints: dict[str, Joint] = {}
        self.incoming: dict[str, Joint] = {}
        self.outgoing: dict[str, list[Joint]] = {}
        self.faults: dict[int, JointFault] = {}
        counted: set[str] = set()
        for place, joint in enumerate(urdf.joints):
            self.joints.setdefault(joint.name, joint)
            fault = self._fault(joint, counted)
            if fault is not None:
                self.faults[place] = fault
                continue
            counted.add(joint.name)
            self.incoming[joint.child] = joint
            self.outgoing.setdefault(joint.parent, []).append(joint)

    def _fault(self, joint: Joint, counted: set[str]) -> JointFault | None:
        if joint.parent not in self.links or joint.child not in self.links:
            return JointFault.NO_LINK
        if joint.parent == joint.child:
            return JointFault.ITSELF
        if joint.name in counted:
            return JointFault.SAME_NAME
        return JointFault.SECOND_PARENT if joint.child in self.incoming else None

    @property
    def roots(self) -> tuple[str, ...]:
        """The links that no joint leads to, in the order of the URDF."""
        return tuple(link.name for link in self.urdf.links if link.name not in self.incoming)

    @property
    def root(self) -> str | None:
        """The root of the robot: of several links that no joint leads to, the one that carries most
        links.

        A URDF has one; with several, the largest part is surely the robot. None when all links
        stand in loops.
        """
        roots = dict.fromkeys(self.roots)
        if len(roots) < 2:
            return next(iter(roots), None)
        return max(roots, key=lambda name: len(self.below(name)))

    def below(self, link: str) -> tuple[str, ...]:
        """A link and all that hangs on it, each before what hangs on it, in the order of the URDF;
        loops end."""
        return links_below(link, self.outgoing)

    def chain(self, base: str, tip: str) -> tuple[Joint, ...] | None:
        """The joints from `base` down to `tip`, in this order; None when `tip` is not below
        `base`."""
        joints: list[Joint] = []
        name = tip
        while name != base:
            joint = self.incoming.get(name)
            if joint is None or len(joints) > len(self.incoming):
                return None
            joints.append(joint)
            name = joint.parent
        return tuple(reversed(joints))

    def connection(self, base: str, tip: str) -> tuple[Joint, ...] | None:
        """Return the joints between two links: up from `base` to the last link above both, then
        down to `tip`.

        MoveIt and Tesseract read a chain of an SRDF like this. None when no joints connect the
        links.
        """
        up, down = self.path_up(base), self.path_up(tip)
        if not {base, tip} <= self.links or (up[-1].parent if up else base) != (
            down[-1].parent if down else tip
        ):
            return None
        while up and down and up[-1] is down[-1]:
            del up[-1], down[-1]
        return (*up, *reversed(down))

    def path_up(self, link: str) -> list[Joint]:
        """Return the joints from a link up to its root; a loop ends after one round."""
        joints: list[Joint] = []
        while (joint := self.incoming.get(link)) is not None and len(joints) < len(self.incoming):
            joints.append(joint)
            link = joint.parent
        return joints

    def movable(self, joints: Iterable[Joint]) -> tuple[str, ...]:
        """Names of the joints that one number moves and that mimic none."""
        return tuple(j.name for j in joints if j.is_movable and j.mimic is None)

    def adjacent(self, xrdf: Xrdf | None = None) -> dict[str, str]:
        """Child -> parent of the adjacent links, as `adjacent_links` defines them."""
        return adjacent_links(self.incoming.values(), solid_frames(self.urdf, xrdf))

    def clamped(self, joint: str, value: float = 0.0) -> float:
        """`value` within the limits of a joint."""
        return self.joints[joint].clamped(value) if joint in self.joints else value


def links_below(link: str, outgoing: Mapping[str, Sequence[Any]]) -> tuple[str, ...]:
    """A link and all that hangs on it by `outgoing` (link -> joints, which have a `child`), depth
    first; loops end."""
    order: dict[str, None] = {}
    waiting = [link]
    while waiting:
        name = waiting.pop()
        if name not in order:
            order[name] = None
            waiting.extend(joint.child for joint in reversed(outgoing.get(name, ())))
    return tuple(order)


def nearest_above(name: Name, above: Mapping[Name, Name], solid: Collection[Name]) -> Name | None:
    """The first of `solid` on the way up from `name` by `above` (child -> parent); None without
    one, or in a loop."""
    passed = {name}
    parent = above.get(name)
    while parent is not None and parent not in solid and parent not in passed:
        passed.add(parent)
        parent = above.get(parent)
    return parent if parent in solid else None


def solid_frames(urdf: Urdf, xrdf: Xrdf | None = None) -> frozenset[str]:
    """Return the frames that stand for a body: links with visual or collision shapes, and frames
    with spheres.

    A visual shape counts, too: the body is there, whether anything checks it or not. Where no frame
    has shapes or spheres, every link counts: its spheres are still to be made.
    """
    shaped = {link.name for link in urdf.links if link.visuals or link.collisions}
    groups = xrdf.geometry if xrdf is not None else None
    shaped.update(
        frame for group in groups or () for frame, spheres in group.spheres.items() if spheres
    )
    return frozenset(shaped or {link.name for link in urdf.links})


def adjacent_links(joints: Iterable[Connection], solid: Collection[str]) -> dict[str, str]:
    """Map each child to its parent where the two are adjacent: the only definition of adjacency in
    the program.

    Adjacent are the parent and the child of one joint. Links that are not `solid` are passed over
    on the way up, as in MoveIt's `compute_default_collisions.cpp`; links with geometry never are,
    not even in the same rigid group: a mast on the base is not adjacent to the first moving link.
    Planar and floating joints hold nothing together.
    """
    above = {joint.child: joint.parent for joint in joints if joint.type not in LOOSE}
    parents = {child: nearest_above(child, above, solid) for child in above if child in solid}
    return {
        child: parent for child, parent in parents.items() if parent is not None and parent != child
    }


def on_loops(following: Mapping[str, str]) -> set[str]:
    """The names that come back to themselves, when from each one goes on to the name that it is
    mapped to."""
    loops: set[str] = set()
    passed: set[str] = set()
    for name in following:
        trail: dict[str, int] = {}
        while name in following and name not in passed and name not in trail:
            trail[name] = len(trail)
            name = following[name]
        if name in trail:
            loops.update(other for other, place in trail.items() if place >= trail[name])
        passed.update(trail)
    return loops
