"""Files with a visual scene and no kinematics: each tree of nodes is a rigid link, as OpenRAVE's format notes say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from editor_app.formats.foreign.collada.documents import Documents
from editor_app.formats.foreign.collada.reading.state import Reading
from editor_app.formats.foreign.collada.transforms import Matrix, origin_of, product
from editor_app.formats.xml import XmlElement
from editor_app.model.counting import counted
from editor_app.model.origin import Origin
from editor_app.model.urdf import Joint, JointType, Link

_SHOWN = ("instance_geometry", "instance_node", "instance_controller")


@dataclass(frozen=True, eq=False)
class Scenery:
    """The trees of nodes that show something, in the scene's order."""

    name: str
    trees: tuple[XmlElement, ...]


def scenery(documents: Documents) -> Scenery | None:
    """The scene that the file shows, else its first one; None when nothing is to be seen in it."""
    root = documents.main.root
    scene = None
    for instance in (e for e in root.walk() if e.tag == "instance_visual_scene"):
        scene = scene if scene is not None else documents.find(instance.get("url"), instance)
    if scene is None:
        scene = next((e for e in root.walk() if e.tag == "visual_scene"), None)
    trees = [n for n in scene.all("node") if any(e.tag in _SHOWN for e in n.walk())] if scene is not None else []
    if scene is None or not trees:
        return None
    name = scene.get("name") or (trees[0].get("name") if len(trees) == 1 else None) or ""
    return Scenery(name, tuple(trees))


def read_scenery(state: Reading, scene: Scenery) -> dict[str, tuple[XmlElement, int]]:
    """Adds a link for each tree; gives their nodes. Several are fixed to a link for the world, where they stand."""
    nodes: dict[str, tuple[XmlElement, int]] = {}
    several = len(scene.trees) > 1
    world = state.free("world", "link") if several else ""
    if several:
        state.links.append(Link(world))
        state.link_transforms[world] = state.world[world] = np.eye(4)
    for place, tree in enumerate(scene.trees):
        called = tree.get("name") or tree.get("id") or tree.get("sid") or f"link{place}"
        name = state.free(called, "link")
        pose = state.documents.of(tree).up() @ product(tree.children, state.documents.unit(tree))
        frame = pose if several and _is_rigid(pose) else np.eye(4)
        state.links.append(Link(name))
        state.link_transforms[name], state.world[name] = np.linalg.inv(frame) @ pose, frame
        nodes[name] = (tree, -1)
        if several:
            joint = state.free(f"{world}_to_{name}", "joint")
            origin = origin_of(frame) if frame is pose else Origin()
            state.joints.append(Joint(joint, JointType.FIXED, world, name, origin))
    state.out.translated(
        "visual_scene", f"no kinematics: {counted(len(nodes), 'rigid link')}, one for each tree of nodes"
    )
    return nodes


def _is_rigid(pose: Matrix) -> bool:
    turn = pose[:3, :3]
    return bool(np.allclose(turn @ turn.T, np.eye(3), atol=1e-9)) and float(np.linalg.det(turn)) > 0
