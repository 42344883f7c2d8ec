"""Which link hangs on which by which joint, from the URDF alone: names, no poses."""

from __future__ import annotations

from collections.abc import Iterable

from editor_app.model.urdf import Joint, Urdf
from editor_app.model.xrdf import LinkPair


class KinematicGraph:
    """Joints by name and by child. In a broken URDF the first of two counts, and loops end."""

    def __init__(self, urdf: Urdf) -> None:
        self.urdf = urdf
        self.joints: dict[str, Joint] = {}
        self.incoming: dict[str, Joint] = {}
        for joint in urdf.joints:
            self.joints.setdefault(joint.name, joint)
            if joint.child != joint.parent:
                self.incoming.setdefault(joint.child, joint)
        self.links = {link.name for link in urdf.links}

    @property
    def root(self) -> str | None:
        """The first link that no joint leads to."""
        return next((link.name for link in self.urdf.links if link.name not in self.incoming), None)

    def chain(self, base: str, tip: str) -> tuple[Joint, ...] | None:
        """The joints from `base` down to `tip`, in this order; None when `tip` is not below `base`."""
        found: list[Joint] = []
        name = tip
        while name != base:
            joint = self.incoming.get(name)
            if joint is None or len(found) > len(self.incoming):
                return None
            found.append(joint)
            name = joint.parent
        return tuple(reversed(found))

    def movable(self, joints: Iterable[Joint]) -> tuple[str, ...]:
        """Names of those that one number moves and that mimic none."""
        return tuple(j.name for j in joints if j.is_movable and j.mimic is None)

    def adjacent(self) -> frozenset[LinkPair]:
        """The pairs of links that one joint connects."""
        return frozenset(LinkPair.of(j.parent, j.child) for j in self.urdf.joints if j.parent != j.child)

    def clamped(self, joint: str, value: float = 0.0) -> float:
        """`value` within the limits of a joint."""
        limits = self.joints[joint].position_limits if joint in self.joints else None
        if limits is None or limits[0] > limits[1]:
            return value
        return min(max(value, limits[0]), limits[1])
