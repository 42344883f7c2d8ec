"""Links come and go with the joints that carry them, and all that refers to them in URDF, XRDF and
SRDF follows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from editor_app.core.document.commands.tools import (
    get_joint,
    get_link,
    refuse_taken_names,
    replace_xrdf,
)
from editor_app.core.document.commands.urdf import limit_problem
from editor_app.core.document.commands.urdf_merging import compose_origins
from editor_app.core.document.commands.urdf_parts import follow_joints, replace_urdf
from editor_app.core.document.commands.urdf_tree import connection_problem
from editor_app.core.model import near_names
from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.keys import Named
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.origin import IDENTITY
from editor_app.core.model.references import DOCUMENTS, mentions, rename_references
from editor_app.core.model.robot import CannotApply, Label, RobotDescription
from editor_app.core.model.urdf import Joint, JointType, Link, Mimic, Urdf
from editor_app.core.model.xrdf import AddFrame, CollisionSection, SelfCollisionSection


@dataclass(frozen=True, slots=True)
class AddLink:
    """Adds `link` behind its parent, and `joint`, which carries it."""

    link: Link
    joint: Joint
    label = Label("Add link {link.name}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        refuse_taken_names(robot, self.link.name, self.joint.name)
        if self.joint.child != self.link.name:
            raise CannotApply(
                f"The child of the joint {self.joint.name} is {self.joint.child}, not "
                f"{self.link.name}."
            )
        parent = get_link(robot, self.joint.parent)
        urdf = robot.urdf
        reason = limit_problem(self.joint, urdf.version)
        if reason is not None:
            raise CannotApply(reason)
        place = urdf.links.index(parent) + 1
        links = (*urdf.links[:place], self.link, *urdf.links[place:])
        reason = connection_problem(replace(urdf, links=links), self.joint, self.joint)
        if reason is not None:
            raise CannotApply(reason)
        return replace_urdf(robot, links=links, joints=(*urdf.joints, self.joint))


@dataclass(frozen=True, slots=True)
class InsertLink:
    """An empty link between the two that `joint` connects: a new fixed joint has its origin, and it
    none any more.

    Every frame stays where it is, in every pose.
    """

    joint: str
    link: str
    fixed: str
    label = Label("Insert link {link} at {joint}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        old = get_joint(robot, self.joint)
        added = AddLink(
            Link(self.link), Joint(self.fixed, JointType.FIXED, old.parent, self.link, old.origin)
        )
        robot = added.apply(robot)
        hung = replace(old, parent=self.link, origin=IDENTITY)
        return replace_urdf(robot, joints=tuple(hung if j is old else j for j in robot.urdf.joints))


@dataclass(frozen=True, slots=True)
class SplitLink:
    """Moves shapes of a link, by their places in its lists, to a new link that is fixed to it in
    the same place.

    Mass and spheres stay: which part of them belongs to the shapes is not known.
    """

    link: str
    visuals: tuple[int, ...]
    collisions: tuple[int, ...]
    new: str
    joint: str
    label = Label("Split {new} off {link}")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        old = get_link(robot, self.link)
        chosen = [*(("visual", i, len(old.visuals)) for i in self.visuals)]
        chosen += [("collision", i, len(old.collisions)) for i in self.collisions]
        for kind, place, count in chosen:
            if not 0 <= place < count:
                raise CannotApply(f"{self.link} has no {kind} {place + 1}.")
        if not chosen:
            raise CannotApply("Name a shape to split off.")
        visuals = tuple(old.visuals[i] for i in sorted(set(self.visuals)))
        collisions = tuple(old.collisions[i] for i in sorted(set(self.collisions)))
        part = Link(self.new, visuals=visuals, collisions=collisions)
        robot = AddLink(part, Joint(self.joint, JointType.FIXED, self.link, self.new)).apply(robot)
        rest = replace(
            old,
            visuals=tuple(v for i, v in enumerate(old.visuals) if i not in self.visuals),
            collisions=tuple(c for i, c in enumerate(old.collisions) if i not in self.collisions),
        )
        return replace_urdf(
            robot, links=tuple(rest if link is old else link for link in robot.urdf.links)
        )


@dataclass(frozen=True, slots=True)
class RemoveLink:
    """Removes a link with all that hangs on it, and what URDF, XRDF and SRDF say of them.

    With `keep_children` it goes alone: what hung on it hangs on its parent, in the place that it
    has while the joint to the link is at zero. The root goes only alone, when one link hangs on it.
    """

    link: str
    keep_children: bool = False

    @property
    def label(self) -> str:
        return f"Remove link {self.link}" + (
            "" if self.keep_children else " and everything below it"
        )

    def apply(self, robot: RobotDescription) -> RobotDescription:
        get_link(robot, self.link)
        urdf, links = robot.urdf, self.links(robot.urdf)
        joints = self._joints(urdf)
        kept = {joint.name for joint in joints}
        robot = replace_urdf(
            robot,
            links=tuple(link for link in urdf.links if link.name not in links),
            joints=joints,
            sensors=tuple(sensor for sensor in urdf.sensors if sensor.parent not in links),
        )
        gone = [joint.name for joint in urdf.joints if joint.name not in kept]
        return _without_references(robot, [*links, *_frames_on(robot, links)], gone)

    def _joints(self, urdf: Urdf) -> tuple[Joint, ...]:
        """The joints that stay; with `keep_children`, what carries the children hangs on the
        parent."""
        incoming = urdf.joint_to(self.link)
        hanging = [joint for joint in urdf.joints if joint.parent == self.link]
        if incoming is None:
            if not self.keep_children or len(hanging) != 1:
                raise CannotApply(
                    f"{self.link} is the root: it can only be removed if it has exactly one child."
                )
            return tuple(joint for joint in urdf.joints if joint not in hanging)
        links = self.links(urdf)
        kept = (joint for joint in urdf.joints if joint.child not in links)
        return tuple(
            _hung_above(joint, incoming) if joint.parent == self.link else joint for joint in kept
        )

    def links(self, urdf: Urdf) -> tuple[str, ...]:
        """The links that go."""
        return (self.link,) if self.keep_children else KinematicGraph(urdf).below(self.link)

    def consequences(self, robot: RobotDescription) -> str:
        """List the references that are removed with the links, for a question; "" without any."""
        links = self.links(robot.urdf)
        joints = [joint.name for joint in robot.urdf.joints if joint.child in links]
        frames = [*links, *_frames_on(robot, links)]
        spheres = sum(
            len(g.spheres.get(frame, ())) for g in robot.xrdf.geometry or () for frame in frames
        )
        counts = Counter(
            f"{field.document.upper()}: {field.title}"
            for kind, names in ((Named.LINK, frames), (Named.JOINT, joints))
            for name in names
            for field, _ in mentions(robot, kind, name)
            if field.title not in ("joint", "geometry")
        )
        parts = [format_count(len(links), "link"), format_count(len(joints), "joint")]
        parts += [format_count(spheres, "sphere")] if spheres else []
        parts += [f"{title} ({count})" if count > 1 else title for title, count in counts.items()]
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class DuplicateBranch:
    """A second `link` with all that hangs on it, in the same place; `suffix` makes its names.

    Spheres, buffers and ignored pairs come along, among the copies and to the rest of the robot.
    What the SRDF says, sensors and extensions do not.
    """

    link: str
    suffix: str
    label = Label("Duplicate {link} and everything below it")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        get_link(robot, self.link)
        urdf, graph = robot.urdf, KinematicGraph(robot.urdf)
        if self.link not in graph.incoming:
            raise CannotApply(f"{self.link} is the root: a copy would have no parent.")
        links = graph.below(self.link)
        joints = {j.name for j in urdf.joints if j.child in links}
        for name in links:
            refuse_taken_names(robot, name + self.suffix, None)
        for name in joints:
            refuse_taken_names(robot, None, name + self.suffix)

        def copied(joint: Joint) -> Joint:
            parent = joint.parent + self.suffix if joint.parent in links else joint.parent
            mimic = joint.mimic
            if mimic is not None and mimic.joint in joints:
                mimic = Mimic(mimic.joint + self.suffix, mimic.multiplier, mimic.offset)
            name, child = joint.name + self.suffix, joint.child + self.suffix
            return replace(joint, name=name, parent=parent, child=child, mimic=mimic)

        new_links = (
            replace(link, name=link.name + self.suffix) for link in urdf.links if link.name in links
        )
        new_joints = (copied(joint) for joint in urdf.joints if joint.name in joints)
        new = replace(urdf, links=(*urdf.links, *new_links), joints=(*urdf.joints, *new_joints))
        return follow_joints(robot, self._with_spheres(robot.with_urdf(new), links))

    def _with_spheres(self, robot: RobotDescription, links: tuple[str, ...]) -> RobotDescription:
        xrdf = robot.xrdf
        groups = xrdf.geometry
        for group in groups or ():
            new = group
            for link in links:
                if group.spheres.get(link):
                    new = new.with_spheres(link + self.suffix, group.spheres[link])
            groups = tuple(new if each is group else each for each in groups or ())
        world, itself = xrdf.world_collision, xrdf.self_collision
        if world is not None:
            world = replace(world, buffer_distance=self._buffers(world, links))
        if itself is not None:
            buffers, ignored = self._buffers(itself, links), self._ignored(itself, links)
            itself = replace(itself, buffer_distance=buffers, ignore=ignored)
        return replace_xrdf(robot, geometry=groups, world_collision=world, self_collision=itself)

    def _buffers(
        self, section: CollisionSection, links: tuple[str, ...]
    ) -> float | FrozenDict[str, float] | None:
        buffers = section.buffer_distance
        if not isinstance(buffers, FrozenDict):
            return buffers
        return FrozenDict(
            {**buffers, **{name + self.suffix: buffers[name] for name in links if name in buffers}}
        )

    def _ignored(
        self, section: SelfCollisionSection, links: tuple[str, ...]
    ) -> FrozenDict[str, tuple[str, ...]] | None:
        if section.ignore is None:
            return None
        ignore = {frame: list(others) for frame, others in section.ignore.items()}
        for first, others in section.ignore.items():
            for second in others:
                # The copy of one with what stays, and the copies among each other.
                if second in links and first not in links:
                    ignore[first].append(second + self.suffix)
                elif first in links:
                    other = second + self.suffix if second in links else second
                    ignore.setdefault(first + self.suffix, []).append(other)
        return FrozenDict({frame: tuple(dict.fromkeys(others)) for frame, others in ignore.items()})


def _hung_above(joint: Joint, incoming: Joint) -> Joint:
    """A joint on the parent of the link that it hung on, in the place that it has while `incoming`
    is at zero."""
    return replace(
        joint, parent=incoming.parent, origin=compose_origins(incoming.origin, joint.origin)
    )


def find_free_frame_name(robot: RobotDescription, wanted: str) -> str:
    """`wanted`, or with the first number that makes it a name which no link, joint or added frame
    has."""
    added = robot.xrdf.added_frames
    taken = {link.name for link in robot.urdf.links} | {joint.name for joint in robot.urdf.joints}
    taken |= {name for frame in added for name in (frame.frame_name, frame.joint_name)}
    return near_names.find_free_name(wanted, taken)


def _frames_on(robot: RobotDescription, links: tuple[str, ...]) -> list[str]:
    """The frames that the XRDF adds to links, and to frames on them."""
    frames: list[str] = []
    while True:
        more = [
            m.frame_name
            for m in robot.xrdf.modifiers or ()
            if isinstance(m, AddFrame)
            and m.parent_frame_name in (*links, *frames)
            and m.frame_name not in (*links, *frames)
        ]
        if not more:
            return frames
        frames += more


def _without_references(
    robot: RobotDescription, links: list[str], joints: list[str]
) -> RobotDescription:
    for kind, names in ((Named.LINK, links), (Named.JOINT, joints)):
        for name in names:
            robot = rename_references(robot, kind, name, None, DOCUMENTS)
    return robot
