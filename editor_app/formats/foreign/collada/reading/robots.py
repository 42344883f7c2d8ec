"""Which robots a file has, and where its scene puts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from dataclasses import dataclass, field

from editor_app.formats.foreign.collada.documents import Documents
from editor_app.formats.foreign.collada.reading.parameters import Parameters, reference_in
from editor_app.formats.foreign.collada.transforms import TAGS, Matrix, product
from editor_app.formats.xml import XmlElement
from editor_app.model.near_names import free_name


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
    #: Whether another robot of the file is made of the same systems; then the instance gives the robot its name.
    is_twin: bool = False


def candidates(documents: Documents) -> list[Candidate]:
    """The robots that the scene shows, then what else the file's own libraries have. Names are unique."""
    robots = _shown(documents)
    root = documents.main.root
    systems = [e for e in root.walk() if e.tag == "articulated_system"]
    # Systems with motions first: they lead to systems with kinematics.
    shown = {id(c.kinematics) for c in robots}
    for system in sorted(systems, key=lambda s: s.child("motion") is None):
        _add(documents, robots, system, None, shown)
    used = {id(m) for c in robots for _, m in c.models}
    for model in (e for e in root.walk() if e.tag == "kinematics_model"):
        if id(model) not in used:
            robots.append(Candidate(_name(model), [(None, model)]))
    _name_apart(robots)
    return robots


def _shown(documents: Documents) -> list[Candidate]:
    """Each instance in the scene is a separate robot, also where instances share a system."""
    robots: list[Candidate] = []
    for instance in (e for e in documents.main.root.walk() if e.tag == "instance_kinematics_scene"):
        scene = documents.find(instance.get("url"), instance)
        for child in scene.children if scene is not None else ():
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


def _name_apart(robots: list[Candidate]) -> None:
    """Twins are named by their instances, and what still has a name of another gets a number."""
    systems_used = Counter(id(c.kinematics) for c in robots if c.kinematics is not None)
    names: set[str] = set()
    for candidate in robots:
        if systems_used[id(candidate.kinematics)] > 1:
            candidate.is_twin = True
            candidate.name = _twin_name(candidate)
        candidate.name = free_name(candidate.name, names)
        names.add(candidate.name)


def _add(
    documents: Documents,
    robots: list[Candidate],
    system: XmlElement,
    instance: XmlElement | None,
    shown: Container[int] = (),
) -> None:
    """`shown`: systems with kinematics that are robots already, which their libraries need not give again."""
    kinematics, motion = system, None
    route = (instance,) if instance is not None else ()
    block = system.child("motion")
    inner = block.child("instance_articulated_system") if block is not None else None
    if inner is not None:
        below = documents.find(inner.get("url"), inner)
        if below is None:
            return
        kinematics, motion = below, system
        route = (*route, inner)
    if id(kinematics) in shown or (motion is None and instance is None and _has(robots, kinematics)):
        return
    block = kinematics.child("kinematics")
    models: list[tuple[XmlElement | None, XmlElement]] = []
    for inside in block.all("instance_kinematics_model") if block is not None else ():
        model = documents.find(inside.get("url"), inside)
        if model is not None and model.tag == "kinematics_model":
            models.append((inside, model))
    if models:
        name = (instance.get("name") if instance is not None else None) or kinematics.get("name")
        robots.append(Candidate(name or _name(models[0][1]), models, kinematics, motion, route))


def _has(robots: list[Candidate], kinematics: XmlElement) -> bool:
    return any(c.kinematics is kinematics for c in robots)


def _twin_name(candidate: Candidate) -> str:
    """What tells robots of the same systems apart: the instance in the scene, else the system with the motion."""
    called = [i for i in candidate.route if i.parent is not None and i.parent.tag == "kinematics_scene"]
    if candidate.motion is not None:
        called.append(candidate.motion)
    names = (e.get("name") or e.get("sid") or e.get("id") for e in called)
    return next((name for name in names if name), candidate.name)


def _name(element: XmlElement) -> str:
    return element.get("name") or element.get("id") or element.get("sid") or "robot"


@dataclass(eq=False)
class Scene:
    """Bindings of the scene, and nodes by their SID paths."""

    documents: Documents
    parameters: Parameters
    sids: dict[str, list[XmlElement]] = field(default_factory=dict)
    axes: list[XmlElement] = field(default_factory=list)
    bases: list[XmlElement] = field(default_factory=list)
    nodes: list[XmlElement] = field(default_factory=list)

    @staticmethod
    def of(documents: Documents, parameters: Parameters) -> Scene:
        scene = Scene(documents, parameters)
        for document in documents.all:
            for element in document.root.walk():
                tag = element.tag
                if tag == "node" or tag in TAGS:
                    if tag == "node":
                        scene.nodes.append(element)
                    if element.get("sid"):
                        scene.sids.setdefault(element.get("sid") or "", []).append(element)
                elif tag == "bind_joint_axis":
                    scene.axes.append(element)
                elif tag == "bind_kinematics_model":
                    scene.bases.append(element)
        return scene

    def at(self, path: str | None) -> XmlElement | None:
        """The node or transform of a SID path: where several have its SID, that below what the path names before."""
        if not path:
            return None
        parts = path.split("/")
        elements = self.sids.get(parts[-1], [])
        if len(elements) > 1:
            for element in elements:
                above = {n for e in ancestors(element) for n in (e.get("sid"), e.get("id"))}
                if all(part in above for part in parts[:-1]):
                    return element
        if elements:
            return elements[0]
        return next((n for n in self.nodes if n.get("id") == parts[-1]), None)

    def placement(self, keys: frozenset[str]) -> tuple[XmlElement | None, Matrix]:
        """The node that the scene binds to a model of these names, and its pose in the scene."""
        for bind in self.bases:
            text = reference_in(bind) or ""
            node = self.at(bind.get("node"))
            if node is None or self.parameters.is_of_another(text, bind):
                continue
            if (set(self.parameters.address(text, bind).split("/")) | set(text.split("/"))) & keys:
                return node, self.pose(node)
        return None, product((), 1.0)

    def pose(self, node: XmlElement) -> Matrix:
        """Of a node in its scene, without the transforms of joints' values."""
        result = product((), 1.0)
        for element in (*reversed(ancestors(node)), node):
            if element.tag == "node":
                result = result @ product(element.children, self.documents.unit(element))
        return result


def ancestors(element: XmlElement) -> list[XmlElement]:
    """The nearest one first."""
    parents = []
    above = element.parent
    while above is not None:
        parents.append(above)
        above = above.parent
    return parents
