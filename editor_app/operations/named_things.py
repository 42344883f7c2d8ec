"""The names that a robot has, in the order in which they are worth offering, and what is known of each."""

from __future__ import annotations

from collections.abc import Iterator

from editor_app.model.findings import YamlPath
from editor_app.model.references import Named
from editor_app.model.robot import RobotDescription
from editor_app.model.urdf import Joint, JointType
from editor_app.model.xrdf import AddFrame, RemoveMimicAttributes


def names_of(robot: RobotDescription, kind: Named, path: YamlPath = ()) -> tuple[str, ...]:
    """The names of a kind, each once. `path`: the place in an XRDF where one is wanted, which may narrow the choice:
    fixed joints are not controlled, and only a mimic joint is freed."""
    if kind is Named.JOINT:
        return tuple(dict.fromkeys(joint.name for joint in robot.urdf.joints if _is_wanted(robot, joint, path)))
    if kind is Named.LINK:
        return tuple(dict.fromkeys((*(link.name for link in robot.urdf.links), *_added(robot))))
    if kind is Named.GEOMETRY_GROUP:
        if path == ("geometry", "*"):
            return tuple(name for name in _groups_asked_for(robot) if robot.xrdf.group(name) is None)
        edited_group = path[1] if len(path) > 2 and path[0] == "geometry" else None
        return tuple(group.name for group in robot.xrdf.geometry or () if group.name != edited_group)
    return tuple(group.name for group in robot.srdf.groups) if robot.srdf is not None else ()


def described(robot: RobotDescription, kind: Named, name: str) -> tuple[str, ...]:
    """What is known of a name, a sentence each, the most telling first; empty for a name that the robot has not."""
    tell = {
        Named.JOINT: _of_joint,
        Named.LINK: _of_frame,
        Named.GEOMETRY_GROUP: _of_geometry_group,
        Named.SRDF_GROUP: _of_srdf_group,
    }
    return tuple(tell[kind](robot, name))


def _is_wanted(robot: RobotDescription, joint: Joint, path: YamlPath) -> bool:
    if path[:1] == ("modifiers",):
        return joint.mimic is not None
    if path[:1] in (("cspace",), ("default_joint_positions",)):
        return joint.is_movable and (joint.mimic is None or joint.name in _freed(robot))
    return True


def _freed(robot: RobotDescription) -> frozenset[str]:
    modifiers = robot.xrdf.modifiers or ()
    return frozenset(m.joint_name for m in modifiers if isinstance(m, RemoveMimicAttributes))


def _added(robot: RobotDescription) -> tuple[str, ...]:
    return tuple(m.frame_name for m in robot.xrdf.modifiers or () if isinstance(m, AddFrame))


def _groups_asked_for(robot: RobotDescription) -> tuple[str, ...]:
    xrdf = robot.xrdf
    named = (xrdf.world_group, xrdf.self_group, *(n for g in xrdf.geometry or () for n in g.clone or ()))
    return tuple(dict.fromkeys(name for name in named if name))


def _of_joint(robot: RobotDescription, name: str) -> Iterator[str]:
    joint = robot.urdf.joint(name)
    if joint is None:
        added = next((m for m in robot.xrdf.modifiers or () if isinstance(m, AddFrame) and m.joint_name == name), None)
        if added is not None:
            yield f"Joint {name}: fixes the added frame {added.frame_name} to {added.parent_frame_name}"
        return
    yield f"Joint {name}: {joint.type.value}, from {joint.parent} to {joint.child}"
    turns = joint.type is not JointType.PRISMATIC
    limits = joint.position_limits
    if limits is not None:
        yield f"Limits {joint.position_text(limits[0])} to {joint.position_text(limits[1])}"
    if joint.limit is not None and joint.limit.velocity is not None:
        yield f"Speed at most {joint.limit.velocity:g} {'rad/s' if turns else 'm/s'}"
    if joint.mimic is not None:
        freed = ", but freed by this XRDF" if name in _freed(robot) else ""
        yield f"Mimics {joint.mimic.joint} × {joint.mimic.multiplier:g} + {joint.mimic.offset:g}{freed}"


def _of_frame(robot: RobotDescription, name: str) -> Iterator[str]:
    link = robot.urdf.link(name)
    added = next((m for m in robot.xrdf.modifiers or () if isinstance(m, AddFrame) and m.frame_name == name), None)
    if link is None and added is None:
        return
    if link is not None:
        joint = robot.urdf.joint_to(name)
        hangs = "the root" if joint is None else f"hangs on {joint.parent} by {joint.name} ({joint.type.value})"
        yield f"Link {name}: {hangs}"
        shapes = f"{len(link.collisions)} collision and {len(link.visuals)} visual shapes"
        yield f"Has {shapes}" + ("" if link.inertial is None else f", {link.inertial.mass:g} kg")
    elif added is not None:
        yield f"Frame {name}: added by this XRDF, fixed to {added.parent_frame_name}"
    for group in robot.xrdf.geometry or ():
        count = len(group.spheres.get(name, ()))
        if count:
            yield f"{count} sphere{'s' if count > 1 else ''} in the group {group.name}"


def _of_geometry_group(robot: RobotDescription, name: str) -> Iterator[str]:
    group = robot.xrdf.group(name)
    if group is not None:
        spheres = robot.xrdf.spheres_of(name)
        yield f"Group {name}: {sum(map(len, spheres.values()))} spheres on {len(spheres)} frames"


def _of_srdf_group(robot: RobotDescription, name: str) -> Iterator[str]:
    group = robot.srdf.group(name) if robot.srdf is not None else None
    if group is not None:
        chains = ", ".join(f"{base} to {tip}" for base, tip in group.chains)
        parts = [f"chains {chains}"] if chains else []
        for title, members in (("joints", group.joints), ("links", group.links), ("groups", group.subgroups)):
            if members:
                parts.append(f"{title} {', '.join(members)}")
        yield f"Group {name} of the SRDF: {'; '.join(parts) or 'empty'}"
