"""Which robots a file has, where its scene puts them, and what of them a URDF needs that the file
does not say."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from editor_app.core.model.near_names import find_free_name
from editor_app.core.model.urdf import (
    PLACEHOLDER_EFFORT,
    PLACEHOLDER_SLIDING_SPEED,
    PLACEHOLDER_TURNING_SPEED,
    Joint,
    JointType,
    Limit,
    Mimic,
    Urdf,
)
from editor_app.core.space.kinematics.transforms import joint_motion
from editor_app.core.text.xml.document import XmlElement
from editor_app.plugins.collada.documents import ColladaDocuments
from editor_app.plugins.collada.reading.parameters import reference_in
from editor_app.plugins.collada.reading.state import ColladaReading, Model
from editor_app.plugins.collada.transforms import (
    RADIAN_WRITERS,
    TAGS,
    Matrix,
    build_origin,
    build_pose_matrix,
    each,
    find_children,
    inner,
    product,
)


@dataclass(eq=False)
class Candidate:
    """A robot: its models as (instance, kinematics_model), and the articulated systems around them.

    `route`: the instances that lead to the models, from the scene's inwards.
    """

    name: str
    models: list[tuple[XmlElement | None, XmlElement]]
    kinematics: XmlElement | None = None
    motion: XmlElement | None = None
    route: tuple[XmlElement, ...] = ()
    #: Whether another robot of the file is made of the same systems; then the instance gives the
    #: robot its name.
    is_twin: bool = False


def candidates(documents: ColladaDocuments) -> list[Candidate]:
    """The robots that the scene shows, then what else the file's own libraries have. Names are
    unique."""
    robots = _shown(documents)
    # Systems with motions first: they lead to systems with kinematics.
    shown = {id(c.kinematics) for c in robots}
    for system in sorted(
        documents.main.all_of("articulated_system"), key=lambda s: s.child("motion") is None
    ):
        _add(documents, robots, system, None, shown)
    used = {id(m) for c in robots for _, m in c.models}
    for model in documents.main.all_of("kinematics_model"):
        if id(model) not in used:
            robots.append(Candidate(_name(model), [(None, model)]))
    # Twins are named by their instances, and what still has a name of another gets a number.
    systems_used = Counter(id(c.kinematics) for c in robots if c.kinematics is not None)
    names: set[str] = set()
    for candidate in robots:
        if systems_used[id(candidate.kinematics)] > 1:
            candidate.is_twin = True
            candidate.name = _twin_name(candidate)
        candidate.name = find_free_name(candidate.name, names)
        names.add(candidate.name)
    return robots


def _shown(documents: ColladaDocuments) -> list[Candidate]:
    """Each instance in the scene is a separate robot, also where instances share a system."""
    robots: list[Candidate] = []
    for instance in documents.main.all_of("instance_kinematics_scene"):
        for child in find_children(documents.find(instance.get("url"), instance)):
            if child.tag not in ("instance_articulated_system", "instance_kinematics_model"):
                continue
            target = documents.find(child.get("url"), child)
            if target is None:
                continue
            if child.tag == "instance_articulated_system":
                _add(documents, robots, target, child)
            elif target.tag == "kinematics_model":
                robots.append(Candidate(_name(target), [(child, target)]))
    return robots


def _add(
    documents: ColladaDocuments,
    robots: list[Candidate],
    system: XmlElement,
    instance: XmlElement | None,
    shown: Container[int] = (),
) -> None:
    """`shown`: systems with kinematics that are robots already, which their libraries need not give
    again."""
    kinematics, motion = system, None
    route = (instance,) if instance is not None else ()
    led_to = inner(system, "motion", "instance_articulated_system")
    if led_to is not None:
        below = documents.find(led_to.get("url"), led_to)
        if below is None:
            return
        kinematics, motion = below, system
        route = (*route, led_to)
    if id(kinematics) in shown or (
        motion is None and instance is None and _has(robots, kinematics)
    ):
        return
    models: list[tuple[XmlElement | None, XmlElement]] = []
    for inside in each(kinematics, "kinematics", "instance_kinematics_model"):
        model = documents.find(inside.get("url"), inside)
        if model is not None and model.tag == "kinematics_model":
            models.append((inside, model))
    if models:
        name = (instance.get("name") if instance is not None else None) or kinematics.get("name")
        robots.append(Candidate(name or _name(models[0][1]), models, kinematics, motion, route))


def _has(robots: list[Candidate], kinematics: XmlElement) -> bool:
    return any(c.kinematics is kinematics for c in robots)


def _twin_name(candidate: Candidate) -> str:
    """What tells robots of the same systems apart: the instance in the scene, else the system with
    the motion."""
    called = [
        i for i in candidate.route if i.parent is not None and i.parent.tag == "kinematics_scene"
    ]
    if candidate.motion is not None:
        called.append(candidate.motion)
    names = (e.get("name") or e.get("sid") or e.get("id") for e in called)
    return next((name for name in names if name), candidate.name)


def _name(element: XmlElement) -> str:
    return element.get("name") or element.get("id") or element.get("sid") or "robot"


def _at(state: ColladaReading, path: str | None) -> XmlElement | None:
    """The node or transform of a SID path: where several have its SID, that below what the path
    names before."""
    if not path:
        return None
    *before, name = path.split("/")
    named = [e for e in state.parameters.named(name) if e.tag in ("node", *TAGS)]
    elements = [e for e in named if e.get("sid") == name]
    if not elements:
        return next((e for e in named if e.tag == "node"), None)
    for element in elements if len(elements) > 1 else ():
        above = {n for e in ancestors(element) for n in (e.get("sid"), e.get("id"))}
        if above.issuperset(before):
            return element
    return elements[0]


def find_scene_node(
    state: ColladaReading, keys: frozenset[str]
) -> tuple[XmlElement | None, Matrix]:
    """The node that the scene binds to a model of these names, and its pose in the scene."""
    for bind in state.documents.all_of("bind_kinematics_model"):
        text = reference_in(bind) or ""
        node = _at(state, bind.get("node"))
        if node is None or state.parameters.is_of_another(text, bind):
            continue
        if (set(state.parameters.address(text, bind).split("/")) | set(text.split("/"))) & keys:
            return node, _pose(state, node)
    return None, np.eye(4)


def _pose(state: ColladaReading, node: XmlElement) -> Matrix:
    """Of a node in its scene, without the transforms of joints' values."""
    result = np.eye(4)
    for element in (*reversed(ancestors(node)), node):
        if element.tag == "node":
            result = result @ product(element.children, state.documents.unit(element))
    return result


def ancestors(element: XmlElement) -> list[XmlElement]:
    """The nearest one first."""
    parents = []
    above = element.parent
    while above is not None:
        parents.append(above)
        above = above.parent
    return parents


#: Link -> its node, and from which of the node's children on transforms are the link's own; -1:
#: from none on.
Nodes = dict[str, tuple[XmlElement, int]]


def nodes_of_links(state: ColladaReading, tops: Sequence[XmlElement | None]) -> Nodes:
    """`tops`: the node that the scene binds each model to. The positions of joints are noted in the
    state."""
    nodes = _nodes_of_joints(state)
    state.unfollow()
    for model, top in zip(state.models, tops, strict=True):
        _add_named(nodes, state, model, top)
    return nodes


def _nodes_of_joints(state: ColladaReading) -> Nodes:
    """The nodes whose transforms the scene binds to joints; the values that it binds are taken
    over."""
    joints = {j.name: j for j in state.joints}
    nodes: Nodes = {}
    for bind in state.documents.all_of("bind_joint_axis"):
        axis = bind.child("axis")
        text = (
            " ".join((e.text or e.get("ref") or "") for e in axis.walk())
            if axis is not None
            else ""
        )
        variable = next(iter(text.split()), "")
        if not _follow(state, variable, bind):
            continue
        reference = state.parameters.address(variable, axis)
        name = state.joint(reference)
        target = _at(state, bind.get("target"))
        if (
            name is None
            or name not in joints
            or (state.model_of(reference) is None and "/" not in reference)
        ):
            continue
        _position(state, bind, state.axis(reference) or name)
        if target is not None and target.parent is not None and target.tag in TAGS:
            nodes[joints[name].child] = (target.parent, target.parent.children.index(target) + 1)
    return nodes


def _add_named(nodes: Nodes, state: ColladaReading, model: Model, top: XmlElement | None) -> None:
    """Adds the nodes that are called as the links of a model that have none yet."""
    home = state.documents.of(model.element)
    # Nodes below the one that the scene binds, nodes of the same file, the others.
    below = [e for e in top.walk() if e.tag == "node"] if top is not None else []
    everywhere = [*below, *home.all_of("node"), *state.documents.all_of("node")]
    for i, name in enumerate([n for n in model.links.values() if n not in nodes]):
        called = state.called.get(name, name)
        # Of several instances of a model each has nodes of its own; another's are none of it.
        among = everywhere if called == name else below
        node = next(
            (n for n in among if called in (n.get("name"), n.get("sid"), n.get("id"))), None
        )
        if node is None and i == 0 and len(state.models) > 1:
            node = top
        if node is not None:
            nodes[name] = (node, -1)


def _follow(state: ColladaReading, reference: str, bind: XmlElement) -> bool:
    """Whether what the scene binds is of a robot that is read; it is followed from here on."""
    for route in state.routes:
        state.follow(route)
        if not state.parameters.is_of_another(reference, bind):
            return True
    return False


def _position(state: ColladaReading, bind: XmlElement, joint: str) -> None:
    """The value that the scene gives a joint."""
    value = state.number(bind, "value")
    if value is None:
        return
    place, old_joint = next((i, j) for i, j in enumerate(state.joints) if j.name == joint)
    turns, axis = state.locked.get(joint, (old_joint.type != JointType.PRISMATIC, old_joint.axis))
    if not turns:
        value *= state.documents.unit(bind)
    elif state.documents.of(bind).tool not in RADIAN_WRITERS:
        value = float(np.radians(value))
    if old_joint.type != JointType.FIXED:
        state.positions[joint] = value
    elif value and joint in state.locked:
        # It is held where it is, not at zero.
        origin = build_origin(
            build_pose_matrix(old_joint.origin) @ joint_motion(axis, value, slides=not turns)
        )
        state.joints[place] = replace(old_joint, origin=origin)
        state.out.translated(f"joint {joint}", f"locked: a fixed joint, at its value of {value:g}")


#: A sliding joint without limits: no robot is larger (m).
_FAR = 10.0
#: A turning joint of which one end is told (rad).
_TURN = 2 * math.pi


def still(state: ColladaReading) -> None:
    """Joints whose two limits are 0 do not move: fixed ones. So OpenRAVE and Debian's tools write
    and read them."""
    leaders = {j.mimic.joint for j in state.joints if j.mimic is not None}
    for place, joint in enumerate(state.joints):
        limit = joint.limit
        if (
            not joint.is_movable
            or joint.mimic is not None
            or joint.name in leaders
            or limit is None
        ):
            continue
        if (limit.lower, limit.upper) == (0.0, 0.0):
            state.locked[joint.name] = joint.type != JointType.PRISMATIC, joint.axis
            state.joints[place] = replace(
                joint, type=JointType.FIXED, axis=(1.0, 0.0, 0.0), limit=None
            )
            state.out.translated(f"joint {joint.name}", "both limits are 0: a fixed joint")


def mount(
    state: ColladaReading,
    tops: Sequence[XmlElement | None],
    nodes: Mapping[str, tuple[XmlElement, int]],
) -> None:
    """Models of a composed robot hang where the scene has them: a gripper whose node is in a hand's
    node, on the hand.

    `tops` are the nodes of the models, `nodes` the nodes of the links. Before, all are fixed to the
    link of the world.
    """
    if len(state.models) < 2:
        return
    link_of = {id(node): link for link, (node, _) in nodes.items()}
    joints = {j.child: i for i, j in enumerate(state.joints)}
    for model, top in zip(state.models, tops, strict=True):
        root = next(iter(model.links.values()))
        link_names = set(model.links.values())
        above = top.parent if top is not None else None
        while above is not None and link_of.get(id(above), root) in link_names:
            above = above.parent
        carrier = link_of.get(id(above)) if above is not None else None
        if carrier is None or root not in joints:
            continue
        joint = state.joints[joints[root]]
        # What carries it has a frame of its own within its node.
        local = np.linalg.inv(state.world[carrier]) @ state.world[root]
        name = state.free(f"{carrier}_to_{root}", "joint")
        state.joints[joints[root]] = replace(
            joint, name=name, parent=carrier, origin=build_origin(local)
        )
        state.out.translated(
            f"model {root}", f"fixed to {carrier}, whose scene node contains its node"
        )


def complete_limits(
    state: ColladaReading,
    urdf: Urdf,
    described: frozenset[str],
    earlier_guesses: Iterable[tuple[str, str]],
) -> Urdf:
    """The URDF with a value for each limit that URDF demands. What is guessed is told, and marked
    in the file.

    `described` are joints that the file describes in URDF's words, too: there nothing is to be
    guessed. `earlier_guesses` (joint, limit) are guesses of an earlier import, which the file took
    along.
    """
    joints = {j.name: j for j in urdf.joints}
    marked: dict[str, list[str]] = {}
    for name, limit_name in earlier_guesses:
        if name in joints:
            marked.setdefault(name, []).append(limit_name)
    completed = []
    for joint in urdf.joints:
        if joint.name not in described and joint.is_movable:
            joint, guessed = _complete(state, joint, joints)
            marked.setdefault(joint.name, []).extend(guessed)
        completed.append(joint)
    for name in joints:
        state.invent(name, tuple(marked.get(name, ())))
    return replace(urdf, joints=tuple(completed))


def _complete(
    state: ColladaReading, joint: Joint, joints: dict[str, Joint]
) -> tuple[Joint, list[str]]:
    guessed: list[str] = []
    limit = joint.limit or Limit()
    slides = joint.type == JointType.PRISMATIC
    leader = joints.get(joint.mimic.joint) if joint.mimic is not None else None
    if joint.type != JointType.CONTINUOUS:
        limit, ends = _ends(limit, joint.mimic, leader, _FAR if slides else _TURN)
        guessed += ends
    if limit.velocity is None:
        told = leader.limit.velocity if leader is not None and leader.limit is not None else None
        if told is not None and joint.mimic is not None:
            limit = replace(limit, velocity=abs(joint.mimic.multiplier) * told)
            detail = f"{limit.velocity:g}, from the joint that it mimics and the multiplier"
            state.out.translated(f"velocity of joint {joint.name}", detail)
        else:
            limit = replace(
                limit, velocity=PLACEHOLDER_SLIDING_SPEED if slides else PLACEHOLDER_TURNING_SPEED
            )
            guessed.append("velocity")
    if limit.effort is None:
        limit = replace(limit, effort=PLACEHOLDER_EFFORT)
        guessed.append("effort")
    return replace(joint, limit=limit), guessed


def _ends(
    limit: Limit, mimic: Mimic | None, leader: Joint | None, far: float
) -> tuple[Limit, list[str]]:
    """Both position limits, and which of them are guesses."""
    if limit.lower is None and limit.upper is None and mimic is not None and leader is not None:
        range_ = leader.position_limits
        if range_ is not None and all(map(math.isfinite, range_)):
            a, b = sorted(mimic.multiplier * v + mimic.offset for v in range_)
            return replace(limit, lower=a, upper=b), []
    guessed = [
        key for key, value in (("lower", limit.lower), ("upper", limit.upper)) if value is None
    ]
    lower = min(-far, limit.upper or 0.0) if limit.lower is None else limit.lower
    upper = max(far, limit.lower or 0.0) if limit.upper is None else limit.upper
    return replace(limit, lower=lower, upper=upper), guessed
