"""The remedies that findings about the URDF offer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from editor_app.edit.commands import (
    DropRepeatedMaterial,
    RenameJoint,
    SetChild,
    SetJoint,
    SetParent,
    Several,
    UseMaterial,
)
from editor_app.model.change import Change
from editor_app.model.near_names import nearest
from editor_app.model.urdf import Joint, Limit, Material


def other_end(joint: Joint, role: str, links: Collection[str]) -> tuple[Change, ...]:
    """Names the link that looks most like the one that does not exist, as parent or child of the joint."""
    wrong = joint.parent if role == "parent" else joint.child
    right = nearest(wrong, links)
    if right is None or not joint.name:
        return ()
    change: Change = SetParent(joint.name, right) if role == "parent" else SetChild(joint.name, right)
    return (Several(label=f"Write {right} instead of {wrong}", changes=(change,)),)


def other_leader(joint: Joint, joints: Collection[str]) -> tuple[Change, ...]:
    """Mimics the joint that looks most like the one that does not exist, or none."""
    assert joint.mimic is not None
    right = nearest(joint.mimic.joint, [name for name in joints if name != joint.name])
    if right is None:
        return (without_mimic(joint),)
    values = replace(joint, mimic=replace(joint.mimic, joint=right))
    return SetJoint(joint.name, values, f"Write {right} instead of {joint.mimic.joint}"), without_mimic(joint)


def without_mimic(joint: Joint) -> Change:
    return SetJoint(joint.name, replace(joint, mimic=None), f"Let {joint.name} move by itself")


def swapped_limits(joint: Joint, limit: Limit) -> Change:
    values = replace(joint, limit=replace(limit, lower=limit.upper, upper=limit.lower))
    return SetJoint(joint.name, values, "Swap the limits")


def usual_axis(joint: Joint) -> Change:
    return SetJoint(joint.name, replace(joint, axis=(1.0, 0.0, 0.0)), "Write the axis that is taken: 1 0 0")


def other_joint_name(name: str, names: Collection[str]) -> tuple[Change, ...]:
    """A name of its own for a joint that is called like a link; everything that speaks of the joint follows."""
    free = next(new for number in range(len(names) + 1) if (new := f"{name}_joint{number or ''}") not in names)
    return (Several(label=f"Call the joint {free}", changes=(RenameJoint(name, free),)),)


def other_material(name: str, materials: Collection[str]) -> tuple[Change, ...]:
    """Names the material that looks most like the one that is not defined."""
    right = nearest(name, materials)
    return () if right is None else (UseMaterial(name, right),)


def one_definition(materials: Sequence[Material], name: str) -> tuple[Change, ...]:
    """Deletes the other definitions where all say the same."""
    same = {material for material in materials if material.name == name}
    return (DropRepeatedMaterial(name),) if len(same) == 1 else ()
