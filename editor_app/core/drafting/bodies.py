"""The rigid bodies of a URDF and the branches between them, with the distances and heights that
tell limbs apart.

A body is a run of links that fixed joints hold together. The order in which a person lists links is
here, too: from the base to the tools, chain after chain, left before right. Lengths in metres, at
the all-zero pose, in the frame of the root.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush

import numpy as np

from editor_app.core.arrays import F64
from editor_app.core.drafting.words import side
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.origin import Vector3
from editor_app.core.model.urdf import Joint, Urdf
from editor_app.core.space.kinematics.transforms import build_pose_matrix


@dataclass(frozen=True)
class BodyTree:
    """Links in tree order (parents first), the joint above each, and its pose (4, 4) in the root's
    frame at zero.

    Of several roots the one with the most links below it is taken. A link that hangs on nothing is
    left out.
    """

    urdf: Urdf
    graph: KinematicGraph
    root: str
    links: tuple[str, ...]
    above: Mapping[str, Joint]
    below: Mapping[str, tuple[Joint, ...]]
    poses: Mapping[str, F64]

    @classmethod
    def of(cls, urdf: Urdf) -> BodyTree:
        graph = KinematicGraph(urdf)
        above, below = graph.incoming, graph.outgoing
        root = graph.root or ""
        links = graph.below(root) if root else ()
        poses = {root: np.eye(4)}
        for name in links[1:]:
            poses[name] = poses[above[name].parent] @ build_pose_matrix(above[name].origin)
        kept = {name: tuple(joints) for name, joints in below.items() if name in poses}
        return cls(urdf, graph, root, links, {n: above[n] for n in links[1:]}, kept, poses)

    @cached_property
    def places(self) -> Mapping[str, Vector3]:
        """Link -> where its frame lies."""
        return {
            name: (pose[0, 3].item(), pose[1, 3].item(), pose[2, 3].item())
            for name, pose in self.poses.items()
        }

    @cached_property
    def order(self) -> Mapping[str, int]:
        """Link -> its place in `links`."""
        return {name: i for i, name in enumerate(self.links)}

    @cached_property
    def joints(self) -> tuple[Joint, ...]:
        """The joints of the tree, in the order of the URDF."""
        used = {id(joint) for joint in self.above.values()}
        return tuple(joint for joint in self.urdf.joints if id(joint) in used)

    @cached_property
    def independent(self) -> tuple[Joint, ...]:
        """The joints that one number moves and that follow no other, in the order of the URDF."""
        return tuple(joint for joint in self.joints if joint.is_movable and joint.mimic is None)

    @cached_property
    def body(self) -> Mapping[str, str]:
        """Link -> the first link of its rigid body."""
        heads: dict[str, str] = {}
        for name in self.links:
            joint = self.above.get(name)
            fixed = joint is not None and joint.type == "fixed"
            heads[name] = heads[joint.parent] if joint is not None and fixed else name
        return heads

    @cached_property
    def members(self) -> Mapping[str, tuple[str, ...]]:
        """First link of a rigid body -> the links of the body, in tree order."""
        lists: dict[str, list[str]] = {}
        for name in self.links:
            lists.setdefault(self.body[name], []).append(name)
        return {head: tuple(names) for head, names in lists.items()}

    def branches(self, head: str) -> tuple[Joint, ...]:
        """The joints that move other bodies against this one, in the order of the tree."""
        joints = (joint for name in self.members[head] for joint in self.below.get(name, ()))
        return tuple(joint for joint in joints if joint.type != "fixed")

    def path(
        self, link: str, goes_on: Callable[[Joint], bool] = lambda joint: True
    ) -> tuple[Joint, ...]:
        """The joints from the root to a link, from the root on; only the last ones, as far as
        `goes_on` is true."""
        joints = []
        while link in self.above and goes_on(self.above[link]):
            joints.append(self.above[link])
            link = self.above[link].parent
        return tuple(reversed(joints))

    def common(self, links: set[str]) -> str:
        """Return the last link that is on the way to all of these, or one of them."""
        # In tree order parents come first: the link that hangs last cannot carry another one.
        waiting = [-self.order[link] for link in links]
        heapify(waiting)
        while waiting:
            last = heappop(waiting)
            while waiting and waiting[0] == last:
                heappop(waiting)
            if not waiting:
                return self.links[-last]
            heappush(waiting, -self.order[self.above[self.links[-last]].parent])
        return self.root

    def subtree(self, link: str) -> tuple[str, ...]:
        """A link and everything below it."""
        return self.graph.below(link)

    def reach(self, joint: Joint) -> float:
        """Greatest length of the polyline of frames from a joint's own frame outwards, metres."""
        return self._reaches[joint.child]

    def length(self, link: str) -> float:
        """Length of the polyline of frames from the root to a link, metres."""
        return self._lengths[link]

    def depth(self, link: str) -> int:
        """Number of joints from the root to a link."""
        return self._depths[link]

    def movers_to(self, link: str) -> int:
        """How many joints that move by themselves are on the way from the root to a link."""
        return self._movers_to[link]

    # Tables for all links at once: asked link by link, a chain of many links would cost their
    # square.

    @cached_property
    def _lengths(self) -> Mapping[str, float]:
        lengths = {self.root: 0.0}
        for name in self.links[1:]:
            joint = self.above[name]
            lengths[name] = lengths[joint.parent] + math.hypot(*joint.origin.xyz)
        return lengths

    @cached_property
    def _depths(self) -> Mapping[str, int]:
        depths = {self.root: 0}
        for name in self.links[1:]:
            depths[name] = depths[self.above[name].parent] + 1
        return depths

    @cached_property
    def _movers_to(self) -> Mapping[str, int]:
        counts = {self.root: 0}
        for name in self.links[1:]:
            joint = self.above[name]
            counts[name] = counts[joint.parent] + (joint.is_movable and joint.mimic is None)
        return counts

    @cached_property
    def _reaches(self) -> Mapping[str, float]:
        reaches = dict.fromkeys(self.links, 0.0)
        for name in reversed(self.links[1:]):
            joint = self.above[name]
            reaches[joint.parent] = max(
                reaches[joint.parent], math.hypot(*joint.origin.xyz) + reaches[name]
            )
        return reaches

    def below_counts(self, counts: Callable[[Joint], bool]) -> Mapping[str, int]:
        """Link -> how many of the joints behind it count."""
        totals = dict.fromkeys(self.links, 0)
        for name in reversed(self.links[1:]):
            joint = self.above[name]
            totals[joint.parent] += totals[name] + counts(joint)
        return totals


def link_order(urdf: Urdf) -> tuple[str, ...]:
    """The links that hang on the root, depth first; where branches part, left before right, else as
    in the URDF."""
    tree = BodyTree.of(urdf)
    order: list[str] = []
    todo = [tree.root] if tree.links else []
    while todo:
        name = todo.pop()
        order.append(name)
        todo.extend(joint.child for joint in reversed(_sorted(tree, tree.below.get(name, ()))))
    return tuple(order)


def link_rank(urdf: Urdf) -> Callable[[str], tuple[int, str]]:
    """A sort key for links by `link_order`; others come last, by name."""
    places = {name: i for i, name in enumerate(link_order(urdf))}
    return lambda name: (places.get(name, len(places)), name)


def _sorted(tree: BodyTree, joints: tuple[Joint, ...]) -> list[Joint]:
    """Left branches are moved before the right ones that have the same name but for the side."""
    result = list(joints)
    for k, joint in enumerate(result):
        if side(joint.child) != 1:
            continue
        for m in range(k + 1, len(result)):
            other = result[m]
            if side(other.child) == -1 and len(other.child) - len(joint.child) in (-1, 0, 1):
                result[k], result[m] = other, joint
                break
    return result
