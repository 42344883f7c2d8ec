"""Which node of the scene shows a link, and the values that the scene gives to joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from editor_app.formats.foreign.collada.names import RADIAN_WRITERS
from editor_app.formats.foreign.collada.reading.robots import Scene
from editor_app.formats.foreign.collada.reading.state import Model, Reading
from editor_app.formats.foreign.collada.transforms import TAGS, matrix_of, origin_of, rotation
from editor_app.formats.xml import XmlElement
from editor_app.model.urdf import JointType

#: Link -> its node, and from which of the node's children on transforms are the link's own; -1: from none on.
Nodes = dict[str, tuple[XmlElement, int]]


def nodes_of_links(state: Reading, scene: Scene, tops: Sequence[XmlElement | None]) -> Nodes:
    """`tops`: the node that the scene binds each model to. The positions of joints are noted in the state."""
    nodes = _nodes_of_joints(state, scene)
    state.unfollow()
    for model, top in zip(state.models, tops, strict=True):
        _add_named(nodes, state, scene, model, top)
    return nodes


def _nodes_of_joints(state: Reading, scene: Scene) -> Nodes:
    """The nodes whose transforms the scene binds to joints; the values that it binds are taken over."""
    joints = {j.name: j for j in state.joints}
    nodes: Nodes = {}
    for bind in scene.axes:
        axis = bind.child("axis")
        text = " ".join((e.text or e.get("ref") or "") for e in axis.walk()) if axis is not None else ""
        variable = next(iter(text.split()), "")
        if not _follow(state, variable, bind):
            continue
        reference = state.parameters.address(variable, axis)
        name = state.joint(reference)
        target = scene.at(bind.get("target"))
        if name is None or name not in joints or (state.model_of(reference) is None and "/" not in reference):
            continue
        _position(state, bind, state.axis(reference) or name)
        if target is not None and target.parent is not None and target.tag in TAGS:
            nodes[joints[name].child] = (target.parent, target.parent.children.index(target) + 1)
    return nodes


def _add_named(nodes: Nodes, state: Reading, scene: Scene, model: Model, top: XmlElement | None) -> None:
    """Adds the nodes that are called as the links of a model that have none yet."""
    home = state.documents.of(model.element)
    # Nodes below the one that the scene binds, nodes of the same file, the others.
    below = [e for e in top.walk() if e.tag == "node"] if top is not None else []
    everywhere = [*below, *(n for n in scene.nodes if state.documents.of(n) is home), *scene.nodes]
    for i, name in enumerate([n for n in model.links.values() if n not in nodes]):
        called = state.called.get(name, name)
        # Of several instances of a model each has nodes of its own; another's are none of it.
        among = everywhere if called == name else below
        node = next((n for n in among if called in (n.get("name"), n.get("sid"), n.get("id"))), None)
        if node is None and i == 0 and len(state.models) > 1:
            node = top
        if node is not None:
            nodes[name] = (node, -1)


def _follow(state: Reading, reference: str, bind: XmlElement) -> bool:
    """Whether what the scene binds is of a robot that is read; it is followed from here on."""
    for route in state.routes:
        state.follow(route)
        if not state.parameters.is_of_another(reference, bind):
            return True
    return False


def _position(state: Reading, bind: XmlElement, joint: str) -> None:
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
        move = rotation(axis, value) if turns else np.eye(4)
        if not turns:
            move[:3, 3] = value * np.array(axis) / (np.linalg.norm(axis) or 1.0)
        origin = origin_of(matrix_of(old_joint.origin) @ move)
        state.joints[place] = replace(old_joint, origin=origin)
        state.out.translated(f"joint {joint}", f"locked: a fixed joint, at its value of {value:g}")
