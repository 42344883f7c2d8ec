"""The links and joints of an SRDF's groups, as MoveIt and Tesseract read them."""

from __future__ import annotations

from collections.abc import Iterator

from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.srdf import Group, Srdf
from editor_app.core.model.urdf import Joint


def list_group_links(srdf: Srdf, group: Group, graph: KinematicGraph) -> tuple[str, ...]:
    """Return the links that a group moves or holds: links that it names, and the children of its
    joints.

    The base of a chain is no link of the group: the chain stands on it. Subgroups are included, and
    cycles of groups end. The order is that of the file; a chain goes from its base to its tip.
    """
    return tuple(dict.fromkeys(_iterate_links(srdf, group, graph, set())))


def joints_of_group(srdf: Srdf, group: Group, graph: KinematicGraph) -> tuple[Joint, ...]:
    """Return all joints of a group, fixed and mimic joints included, in the order of
    `list_group_links`."""
    links = list_group_links(srdf, group, graph)
    return tuple(graph.incoming[link] for link in links if link in graph.incoming)


def list_planned_joints(srdf: Srdf, group: Group, graph: KinematicGraph) -> tuple[str, ...]:
    """Return the names of a group's joints that move with one value, mimic no joint and are not
    passive."""
    joints = graph.movable(joints_of_group(srdf, group, graph))
    return tuple(name for name in joints if name not in srdf.passive_joints)


def is_serial(srdf: Srdf, group: Group, graph: KinematicGraph) -> bool:
    """Return whether the joints of a group that move lie on one path from the root, as solvers of
    MoveIt need it."""
    paths = [
        graph.path_up(joint.child)
        for joint in joints_of_group(srdf, group, graph)
        if joint.type != "fixed"
    ]
    longest = {joint.name for joint in max(paths, key=len, default=[])}
    return all(path[0].name in longest for path in paths)


def _iterate_links(
    srdf: Srdf, group: Group, graph: KinematicGraph, visited: set[str]
) -> Iterator[str]:
    if group.name in visited:
        return
    visited.add(group.name)
    for base, tip in group.chains:
        yield from (joint.child for joint in graph.connection(base, tip) or ())
    for name in group.joints:
        joint = graph.joints.get(name)
        if joint is not None and graph.incoming.get(joint.child) is joint:
            yield joint.child
    yield from (link for link in group.links if link in graph.links)
    for name in group.subgroups:
        subgroup = srdf.group(name)
        if subgroup is not None:
            yield from _iterate_links(srdf, subgroup, graph, visited)
