"""The mounting surface of a robot, from its frames: no part of an arm on a table belongs below
it."""

from __future__ import annotations

from editor_app.core.drafting.bodies import BodyTree
from editor_app.core.drafting.roles import Role, Roles, recognise
from editor_app.core.drafting.words import says
from editor_app.core.model.urdf import Urdf

#: Limbs that hang below the base by more than this share of their length carry the robot.
_HANGING = 0.2
_WHEELS = ("wheel", "caster", "castor")


def is_mounted(tree: BodyTree, roles: Roles) -> bool:
    """Return whether something moves on a base that neither drives, walks, nor flies.

    Wheels that do not turn in the description carry the robot all the same.
    """
    if any(says("wheel", name) in _WHEELS for name in tree.members[tree.root]):
        return False
    return bool(roles.ends) and not any(
        role in (Role.WHEEL, Role.LEG) for role, _ in roles.by_joint.values()
    )


def stands_on_the_ground(urdf: Urdf) -> bool:
    """Return whether wheels or several limbs below the root carry the robot: the ground is below
    them."""
    tree = BodyTree.of(urdf)
    if not tree.links:
        return False
    if any(role in (Role.WHEEL, Role.LEG) for role, _ in recognise(tree).by_joint.values()):
        return True
    limbs = [joint for joint in tree.branches(tree.root) if joint.is_movable]
    return len(limbs) > 1 and hangs(tree, _lowest_of_base(tree))


def hangs(tree: BodyTree, height: float) -> bool:
    """Return whether the first joint lies below a base that ends at `height` (m), or its only limb,
    or several limbs, reach below it.

    Such a base stands on nothing: what is below it is where the robot works.
    """
    moving = [joint for joint in tree.branches(tree.root) if joint.is_movable]
    if not moving:
        return False
    if all(tree.places[joint.child][2] < height for joint in moving):
        return True
    limbs = [joint for joint in moving if tree.reach(joint) > 0]
    below = [
        joint
        for joint in limbs
        if height - min(tree.places[name][2] for name in tree.subtree(joint.child))
        > _HANGING * tree.reach(joint)
    ]
    return bool(below) and len(below) >= min(2, len(limbs))


def floor_of(urdf: Urdf) -> float | None:
    """z (m) of the lowest frame of the base in the root's frame; None for a robot that is not
    mounted.

    Meshes tell more (`core.space.geometry.mount`); frames are known before them.
    """
    tree = BodyTree.of(urdf)
    if not tree.links or not is_mounted(tree, recognise(tree)):
        return None
    height = _lowest_of_base(tree)
    return None if hangs(tree, height) else height


def _lowest_of_base(tree: BodyTree) -> float:
    return min(tree.places[name][2] for name in tree.members[tree.root])
