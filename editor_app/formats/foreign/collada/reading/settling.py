"""Joints once all is read: which of them cannot move, and what a URDF needs that the file does not say."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from editor_app.formats.foreign.collada.reading.state import Reading
from editor_app.formats.foreign.collada.transforms import origin_of
from editor_app.formats.xml import XmlElement
from editor_app.model.urdf import (
    PLACEHOLDER_EFFORT,
    PLACEHOLDER_SLIDING_SPEED,
    PLACEHOLDER_TURNING_SPEED,
    Joint,
    JointType,
    Limit,
    Mimic,
    Urdf,
)

#: A sliding joint without limits: no robot is larger (m).
_FAR = 1000.0
#: A turning joint of which one end is told (rad).
_TURN = 2 * math.pi


def still(state: Reading) -> None:
    """Joints whose two limits are 0 do not move: fixed ones. So OpenRAVE and Debian's tools write and read them."""
    leaders = {j.mimic.joint for j in state.joints if j.mimic is not None}
    for place, joint in enumerate(state.joints):
        limit = joint.limit
        if not joint.is_movable or joint.mimic is not None or joint.name in leaders or limit is None:
            continue
        if (limit.lower, limit.upper) == (0.0, 0.0):
            state.locked[joint.name] = joint.type != JointType.PRISMATIC, joint.axis
            state.joints[place] = replace(joint, type=JointType.FIXED, axis=(1.0, 0.0, 0.0), limit=None)
            state.out.translated(f"joint {joint.name}", "both limits are 0: a fixed joint")


def mount(state: Reading, tops: Sequence[XmlElement | None], nodes: Mapping[str, tuple[XmlElement, int]]) -> None:
    """Models of a composed robot hang where the scene has them: a gripper whose node is in that of a hand, on it.

    `tops` are the nodes of the models, `nodes` the nodes of the links. Before, all are fixed to the link of the world.
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
        state.joints[joints[root]] = replace(joint, name=name, parent=carrier, origin=origin_of(local))
        state.out.translated(f"model {root}", f"fixed to {carrier}, whose node of the scene has its node in it")


def complete(state: Reading, urdf: Urdf, described: frozenset[str], earlier_guesses: Iterable[tuple[str, str]]) -> Urdf:
    """The URDF with a value for each limit that URDF demands. What is guessed is told, and marked in the file.

    `described` are joints that the file describes in URDF's words, too: there nothing is to be guessed.
    `earlier_guesses` (joint, limit) are guesses of an earlier import, which the file took along.
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


def _complete(state: Reading, joint: Joint, joints: dict[str, Joint]) -> tuple[Joint, list[str]]:
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
            detail = f"{limit.velocity:g}, as the joint that it mimics and its multiplier have it"
            state.out.translated(f"velocity of joint {joint.name}", detail)
        else:
            limit = replace(limit, velocity=PLACEHOLDER_SLIDING_SPEED if slides else PLACEHOLDER_TURNING_SPEED)
            guessed.append("velocity")
    if limit.effort is None:
        limit = replace(limit, effort=PLACEHOLDER_EFFORT)
        guessed.append("effort")
    return replace(joint, limit=limit), guessed


def _ends(limit: Limit, mimic: Mimic | None, leader: Joint | None, far: float) -> tuple[Limit, list[str]]:
    """Both position limits, and which of them are guesses."""
    if limit.lower is None and limit.upper is None and mimic is not None and leader is not None:
        range_ = leader.position_limits
        if range_ is not None:
            a, b = sorted(mimic.multiplier * v + mimic.offset for v in range_)
            return replace(limit, lower=a, upper=b), []
    guessed = [key for key, value in (("lower", limit.lower), ("upper", limit.upper)) if value is None]
    lower = min(-far, limit.upper or 0.0) if limit.lower is None else limit.lower
    upper = max(far, limit.lower or 0.0) if limit.upper is None else limit.upper
    return replace(limit, lower=lower, upper=upper), guessed
