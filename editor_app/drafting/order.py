"""The order in which a person lists links: from the base to the tools, chain after chain, left before right."""

from __future__ import annotations

from collections.abc import Callable

from editor_app.drafting.bodies import BodyTree
from editor_app.drafting.words import side
from editor_app.model.urdf import Joint, Urdf


def link_order(urdf: Urdf) -> tuple[str, ...]:
    """The links that hang on the root, depth first; where branches part, left before right, else as in the URDF."""
    tree = BodyTree.of(urdf)
    order: list[str] = []
    todo = [tree.root] if tree.links else []
    while todo:
        name = todo.pop()
        order.append(name)
        todo.extend(joint.child for joint in reversed(_sorted(tree, tree.below.get(name, ()))))
    return tuple(order)


def link_rank(urdf: Urdf) -> Callable[[str], tuple[int, str]]:
    """A sort key for links by `link_order`; others come last, by name."""
    places = {name: i for i, name in enumerate(link_order(urdf))}
    return lambda name: (places.get(name, len(places)), name)


def _sorted(tree: BodyTree, joints: tuple[Joint, ...]) -> list[Joint]:
    """Left branches are moved before the right ones that have the same name but for the side."""
    result = list(joints)
    for k, joint in enumerate(result):
        if side(joint.child) != 1:
            continue
        for m in range(k + 1, len(result)):
            other = result[m]
            if side(other.child) == -1 and len(other.child) - len(joint.child) in (-1, 0, 1):
                result[k], result[m] = other, joint
                break
    return result
