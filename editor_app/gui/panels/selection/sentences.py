"""What is said of a link, and of what has its numbers in other panels: joints, pairs, sensors, tools."""

from __future__ import annotations

from editor_app.edit.features import features_of
from editor_app.gui.panels.xrdf.frames import quantity_of_joint
from editor_app.gui.session import Session
from editor_app.kinematics.structure import TreeJoint
from editor_app.model.counting import counted
from editor_app.model.features import FeatureKind
from editor_app.model.robot import RobotDescription


def about_frame(session: Session, robot: RobotDescription, frame: str) -> str:
    """By which joint a link hangs on which other, and how many spheres it has."""
    tree = session.tree
    joint = tree.joint_to(frame) if tree is not None and frame in tree.index else None
    sentences = []
    if joint is None:
        sentences.append("The base frame." if tree is not None and frame == tree.root else "Not in the structure.")
    else:
        sentences.append(f"On {joint.parent}, by {joint.type.value} joint {joint.name}.")
        sentences += _of_joint(session, robot, joint)
    spheres = robot.xrdf.spheres_of(session.active_group).get(frame, ())
    sentences.append(f"{counted(len(spheres), 'sphere') if spheres else 'No spheres'}.")
    return " ".join(sentences)


def about_others(session: Session, robot: RobotDescription) -> tuple[str, str] | None:
    """Title and sentence of what is selected beside links and spheres; None where there is nothing."""
    return _about_features(session, robot) or _about_joints(session, robot) or _about_pairs(session)


def _about_features(session: Session, robot: RobotDescription) -> tuple[str, str] | None:
    features = session.selection.features
    chosen = [placed for placed in features_of(robot) if placed.feature in features] if features else []
    if not chosen:
        return None
    last = chosen[-1]
    where = f" On {last.link}." if last.link else ""
    dock = "URDF, Sensors" if last.feature.kind is FeatureKind.SENSOR else "SRDF"
    text = f"{last.detail[:1].upper()}{last.detail[1:]}.{where} Its values are in the panel {dock}."
    return _title(len(chosen), last.feature.name), text


def _about_joints(session: Session, robot: RobotDescription) -> tuple[str, str] | None:
    names, tree = session.selection.joints, session.tree
    if not names:
        return None
    joint = next((j for j in tree.joints if j.name == names[-1]), None) if tree is not None else None
    title = _title(len(names), names[-1], "joint")
    if joint is None:
        return title, "Not in the structure."
    kind = joint.type.value
    text = [f"{kind[:1].upper()}{kind[1:]} joint from {joint.parent} to {joint.child}."]
    text += _of_joint(session, robot, joint)
    return title, " ".join([*text, "Its values are in the panel URDF, its position is in the panel Joints."])


def _about_pairs(session: Session) -> tuple[str, str] | None:
    pairs = session.selection.pairs
    if not pairs:
        return None
    last = pairs[-1]
    title = _title(len(pairs), f"{last.first} – {last.second}", "pair")
    return title, "Whether these links can collide is in the panel Self-collision."


def _of_joint(session: Session, robot: RobotDescription, joint: TreeJoint) -> list[str]:
    """Limits, and what it follows."""
    sentences = []
    if joint.limits is not None and joint.is_movable:
        quantity = quantity_of_joint(robot, joint.name)
        lower, upper = (quantity.described(limit, session.display) for limit in joint.limits)
        sentences.append(f"Limits {lower} to {upper}.")
    if joint.mimic is not None:
        sentences.append(f"Mimics {joint.mimic.joint}.")
    return sentences


def _title(count: int, last: str, noun: str = "") -> str:
    if count == 1:
        return last
    return f"{counted(count, noun)}, last {last}" if noun else f"{count}, last {last}"
