"""The robots of a stage: bodies that joints connect, one of which is chosen, and its tree from the
root on."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pxr import Sdf

from editor_app.core.formats.exchange.codec import ALL_ROBOTS
from editor_app.core.formats.exchange.conversion import Reporter
from editor_app.core.model.counting import format_list
from editor_app.core.model.near_names import find_free_name
from editor_app.core.space.kinematics.transforms import invert
from editor_app.core.text.source import FormatError
from editor_app.plugins.usd.reading.joints import UsdJoint
from editor_app.plugins.usd.reading.scene import UsdScene
from editor_app.plugins.usd.reading.values import display_name

#: Names that a sentence lists, and names of prims that the name of a link has room for.
_MOST, _MOST_WORDS = 8, 12
#: Metres, and parts of a rotation, between two places that are one in single precision.
_SAME = 1e-5


@dataclass(eq=False)
class Robot:
    """Bodies that are connected. `top`: the prim that it is named by; `articulation`: its root, a
    prim, or None."""

    name: str
    bodies: tuple[Any, ...]
    joints: tuple[UsdJoint, ...]
    articulation: Any = None

    @property
    def moves(self) -> bool:
        return any(joint.freedoms for joint in self.joints)


@dataclass(frozen=True, slots=True)
class Edge:
    """A joint on the way from `parent` to `child`, paths of bodies; None is the world. `joint`
    None: a free body.

    `more`: joints of the same two bodies that move in series with it, as converters of MJCF write
    them.
    """

    joint: UsdJoint | None
    parent: Any
    child: Any
    more: tuple[UsdJoint, ...] = ()

    @property
    def series(self) -> tuple[UsdJoint, ...]:
        return (self.joint, *self.more) if self.joint is not None else ()


@dataclass
class Tree:
    """`root`: the path of a body, None for the world; `edges` in the order in which the links are
    reached."""

    root: Any
    edges: list[Edge] = field(default_factory=list)
    #: Joints that close a loop.
    loops: list[UsdJoint] = field(default_factory=list)


def find_robots(scene: UsdScene, joints: Sequence[UsdJoint]) -> tuple[Robot, ...]:
    """The connected bodies that may be robots, in the order of the stage: those that move or have
    an articulation root, else those with joints, else all."""
    above = {path: path for path in scene.bodies}

    def top(path: Any) -> Any:
        while above[path] != path:
            above[path] = above[above[path]]
            path = above[path]
        return path

    for joint in joints:
        first, second = joint.ends
        if first is not None and second is not None:
            above[top(second)] = top(first)
    bodies: dict[Any, list[Any]] = {}
    for path in scene.bodies:
        bodies.setdefault(top(path), []).append(path)
    of_group: dict[Any, list[UsdJoint]] = {}
    for joint in joints:
        end = joint.ends[0] if joint.ends[0] is not None else joint.ends[1]
        of_group.setdefault(top(end), []).append(joint)
    robots = [_robot(scene, paths, of_group.get(group, [])) for group, paths in bodies.items()]
    chosen = (
        [robot for robot in robots if robot.articulation is not None or robot.moves]
        or [robot for robot in robots if robot.joints]
        or robots
    )
    default = scene.stage.GetDefaultPrim()
    if len(chosen) == 1 and chosen[0].articulation is None and default:
        chosen[0].name = str(default.GetName())
    return tuple(_with_own_names(chosen))


def _robot(scene: UsdScene, bodies: Sequence[Any], joints: Sequence[UsdJoint]) -> Robot:
    members = {*bodies, *(joint.prim.GetPath() for joint in joints)}
    around = [
        prim
        for prim in scene.articulations
        if any(path.HasPrefix(prim.GetPath()) for path in members)
    ]
    # The nearest one, if several enclose it.
    articulation = max(around, key=lambda prim: prim.GetPath().pathElementCount, default=None)
    top = _common(bodies) if articulation is None else articulation.GetPath()
    if top in members and top.pathElementCount > 1:
        top = top.GetParentPath()
    return Robot(str(top.name) or "robot", tuple(bodies), tuple(joints), articulation)


def _common(paths: Sequence[Any]) -> Any:
    common = paths[0]
    for path in paths[1:]:
        common = common.GetCommonPrefix(path)
    return common


def _with_own_names(robots: Sequence[Robot]) -> Iterable[Robot]:
    names = [robot.name for robot in robots]
    for number, robot in enumerate(robots):
        if names.count(robot.name) > 1:
            robot.name = f"{robot.name}_{names[: number + 1].count(robot.name)}"
        yield robot


def likely_robots(robots: Sequence[Robot]) -> Sequence[Robot]:
    """Return the robots with an articulation root; all of them where none has one."""
    return [robot for robot in robots if robot.articulation is not None] or robots


def choose_robot(
    scene: UsdScene, robots: Sequence[Robot], name: str | None, out: Reporter
) -> Robot:
    """The robot of that name, all of them as one for ALL_ROBOTS, else the likely one with the most
    bodies.

    Raises FormatError for a stage without bodies, and for a name that no robot has.
    """
    if not robots:
        remedy = (
            "Its bodies need the schema PhysicsRigidBodyAPI: import the robot into Isaac Sim, or "
            "name another file."
        )
        raise FormatError("The file has no rigid body, so no robot", scene.place, remedy)
    if name == ALL_ROBOTS:
        bodies = tuple(path for robot in robots for path in robot.bodies)
        joints = tuple(joint for robot in robots for joint in robot.joints)
        return Robot("robots" if len(robots) > 1 else robots[0].name, bodies, joints)
    names = [robot.name for robot in robots]
    if name is not None and name not in names:
        raise FormatError(
            f"The file has no robot {name!r}",
            scene.place,
            f"Its robots: {format_list(names, _MOST)}.",
        )
    by_size = max(likely_robots(robots), key=lambda robot: len(robot.bodies))
    robot = robots[names.index(name)] if name is not None else by_size
    rest = [each.name for each in robots if each is not robot]
    if rest:
        out.lost(
            "robot",
            f"{format_list(rest, _MOST)}: not chosen; choose one, or all, as robot of the file "
            "(--model)",
        )
    loose = [path.name for path in scene.bodies if not any(path in each.bodies for each in robots)]
    if loose:
        out.lost("body", f"{format_list(loose, _MOST)}: loose objects, not part of a robot")
    return robot


def spanning_tree(robot: Robot, every: bool) -> Tree:
    """The tree of a robot, from the world where a joint fixes it there or `every` robot is taken,
    else from its root.

    Joints are followed in both directions, those within the articulation first. What is not reached
    floats.
    """
    at_world = [joint for joint in robot.joints if None in joint.ends]
    tree = Tree(None if at_world or every else _root(robot))
    reached = {tree.root}
    used: set[int] = set()
    by_body: dict[Any, list[UsdJoint]] = {}
    for joint in robot.joints:
        for end in joint.ends:
            by_body.setdefault(end, []).append(joint)
    for excluded in (False, True):
        waiting = deque([tree.root, *(edge.child for edge in tree.edges)])
        while waiting:
            body = waiting.popleft()
            for joint in by_body.get(body, ()):
                other = joint.ends[1] if joint.ends[0] == body else joint.ends[0]
                if (
                    other in reached
                    or (joint.is_excluded and not excluded)
                    or joint.kind == "distance"
                ):
                    continue
                reached.add(other)
                more = tuple(each for each in by_body[other] if _is_in_series(joint, each))
                used.update(map(id, (joint, *more)))
                tree.edges.append(Edge(joint, body, other, more))
                waiting.append(other)
    tree.loops = [joint for joint in robot.joints if id(joint) not in used]
    _add_floating(robot, tree, reached, by_body)
    return tree


def _is_in_series(joint: UsdJoint, other: UsdJoint) -> bool:
    """Whether another joint of the same two bodies leaves them at the same place while it does not
    move."""
    if (
        other is joint
        or other.ends != joint.ends
        or other.is_excluded
        or not (other.freedoms and joint.freedoms)
    ):
        return False
    rests = [first @ invert(second) for first, second in (joint.frames, other.frames)]
    return bool(np.abs(rests[0] - rests[1]).max() < _SAME)


def _add_floating(
    robot: Robot, tree: Tree, reached: set[Any], by_body: dict[Any, list[UsdJoint]]
) -> None:
    """Bodies that no joint leads to from the root float from it, and carry what hangs on them."""
    for path in robot.bodies:
        if path in reached:
            continue
        reached.add(path)
        tree.edges.append(Edge(None, tree.root, path))
        waiting = deque([path])
        while waiting:
            body = waiting.popleft()
            for joint in by_body.get(body, ()):
                other = joint.ends[1] if joint.ends[0] == body else joint.ends[0]
                if other not in reached and joint.kind != "distance":
                    reached.add(other)
                    tree.loops.remove(joint)
                    tree.edges.append(Edge(joint, body, other))
                    waiting.append(other)


def _root(robot: Robot) -> Any:
    """The body with the articulation root, else the first one that is no joint's second body."""
    if robot.articulation is not None and robot.articulation.GetPath() in robot.bodies:
        return robot.articulation.GetPath()
    children = {joint.ends[1] for joint in robot.joints if not joint.is_excluded}
    return next((path for path in robot.bodies if path not in children), robot.bodies[0])


def name_links(scene: UsdScene, bodies: Iterable[Any]) -> dict[Any, str]:
    """Path -> name of a prim, with the names above it as far as they are needed to tell it from
    others.

    A name that an importer had to write in other letters (tn__…) is the one that it displays.
    """
    names: dict[Any, str] = {}
    paths = list(bodies)
    deepest = max((path.pathElementCount for path in paths), default=0)
    for depth in range(1, 1 + min(deepest, _MOST_WORDS)):
        rest = [path for path in paths if path not in names]
        tails = {path: _tail(scene, path, depth) for path in rest}
        counts = Counter(tails.values())
        taken = set(names.values())
        names |= {
            path: tail for path, tail in tails.items() if counts[tail] == 1 and tail not in taken
        }
    taken = set(names.values())
    for number, path in enumerate(path for path in paths if path not in names):
        names[path] = find_free_name(
            f"{display_name(scene.stage.GetPrimAtPath(path))}_{number}", taken
        )
        taken.add(names[path])
    return names


def _tail(scene: UsdScene, path: Any, depth: int) -> str:
    words = [display_name(scene.stage.GetPrimAtPath(path))]
    above = path.GetParentPath()
    while len(words) < depth and above != Sdf.Path.absoluteRootPath:
        words.insert(0, str(above.name))
        above = above.GetParentPath()
    return "_".join(words)
