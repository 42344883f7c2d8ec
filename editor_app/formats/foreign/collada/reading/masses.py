"""What links weigh."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from editor_app.formats.foreign.collada.names import RADIAN_WRITERS
from editor_app.formats.foreign.collada.reading.state import Reading
from editor_app.formats.foreign.collada.transforms import floats, origin_of, product
from editor_app.formats.xml import XmlElement
from editor_app.model.counting import counted
from editor_app.model.urdf import Inertial

#: Elements of physics that become nothing.
_NO_PLACE = ("rigid_constraint", "physics_material", "force_field")


class Masses:
    """`nodes`: link -> its node in the scene, and from which of the node's children on transforms are its own."""

    def __init__(self, state: Reading, nodes: Mapping[str, tuple[XmlElement, int]]) -> None:
        self.state = state
        self.documents = state.documents
        self.nodes = nodes

    def weigh(self) -> None:
        """Masses and inertias; what an instance of a body says beats what the body says."""
        state = self.state
        by_name = {link.name: i for i, link in enumerate(state.links)}
        elements: defaultdict[str, list[XmlElement]] = defaultdict(list)
        for document in self.documents.all:
            for element in document.root.walk():
                elements[element.tag].append(element)
        instances = self._instances(elements["instance_rigid_body"])
        weighed: set[str] = set()
        shapes = 0
        for body in elements["rigid_body"]:
            bound_link, instance = instances.get(body.get("sid") or "", (None, None))
            name = body.get("name") or ""
            link = name if name in by_name else bound_link
            common = body.child("technique_common")
            if link is None or common is None or link in weighed:
                continue
            of_link = instance.child("technique_common") if instance is not None and bound_link == link else None
            inertial = self._inertial(common, of_link, link)
            shapes += len(common.all("shape"))
            if inertial is not None:
                weighed.add(link)
                state.links[by_name[link]] = replace(state.links[by_name[link]], inertial=inertial)
        if weighed:
            state.out.translated("rigid_body", f"inertia of {counted(len(weighed), 'link')}")
        if shapes:
            state.out.lost("shape of rigid_body", f"{counted(shapes, 'shape')}: a URDF collides with what is bound")
        for tag in _NO_PLACE:
            if elements[tag]:
                state.out.lost(tag, f"{len(elements[tag])}: a URDF has no place for it")

    def _instances(self, elements: list[XmlElement]) -> dict[str, tuple[str, XmlElement]]:
        """SID of a rigid body -> the link whose node an instance of the body moves, and that instance."""
        links = {node.get("id"): link for link, (node, _) in self.nodes.items() if node.get("id")}
        instances: dict[str, tuple[str, XmlElement]] = {}
        for instance in elements:
            link = links.get((instance.get("target") or "").rpartition("#")[2])
            if link is not None:
                instances.setdefault((instance.get("body") or "").split("/")[-1], (link, instance))
        return instances

    def _inertial(self, common: XmlElement, body_common: XmlElement | None, link: str) -> Inertial | None:
        def element_of(tag: str) -> XmlElement | None:
            element = body_common.child(tag) if body_common is not None else None
            return element if element is not None else common.child(tag)

        mass = self.state.number(body_common, "mass")
        mass = self.state.number(common, "mass") if mass is None else mass
        if mass is None:
            return None
        inertia, frame = element_of("inertia"), element_of("mass_frame")
        values = floats(inertia.text) if inertia is not None else []
        unit = self.documents.unit(common)
        document = self.documents.of(common)
        local = self.state.link_transforms[link]
        if frame is not None:
            # The writers that exist put the mass frame into the robot's frame at rest, not into the body's.
            matrix = document.up() @ product(frame.children, unit)
            local = np.linalg.inv(self.state.world[link]) @ matrix
        if document.tool == RADIAN_WRITERS[1]:
            # It writes the principal axes as rows where columns are meant (measured: so the tensors agree to 1e-17).
            local = local.copy()
            local[:3, :3] = local[:3, :3].T.copy()
        a, b, c = (v * unit * unit for v in (values if len(values) == 3 else (0.0, 0.0, 0.0)))
        return Inertial(mass, (a, 0.0, 0.0, b, 0.0, c), origin_of(local))
