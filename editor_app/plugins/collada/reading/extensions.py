"""OpenRAVE's extensions: manipulators, what is not to be checked for collision, sensors, and the
rest word for word."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from editor_app.core.model.counting import format_count
from editor_app.core.model.near_names import find_free_name
from editor_app.core.model.sensors import Sensor
from editor_app.core.model.srdf import CollisionPair, EndEffector, Group, ToolCenterPoint
from editor_app.core.text.xml.document import XmlElement
from editor_app.plugins.collada.reading.state import ColladaReading
from editor_app.plugins.collada.sensors import read_collada_sensor
from editor_app.plugins.collada.transforms import (
    OWN_PROFILE,
    build_origin,
    each,
    find_children,
    floats,
    inner,
    product,
)

#: Children of <extra type="collision"> that have a place elsewhere.
_COLLISION = ("ignore_link_pair", "bind_instance_geometry")


class Extensions:
    """Fills the SRDF of a state and what is kept; `sensors` are those that are attached."""

    def __init__(self, state: ColladaReading) -> None:
        self.state = state
        self.documents = state.documents
        self.sensors: list[Sensor] = []
        self._done: set[int] = set()
        self._attached: set[int] = set()

    def read(self) -> None:
        models = self.state.models
        systems = dict.fromkeys(
            (m.route, s) for m in models for s in (m.kinematics, m.motion) if s is not None
        )
        for route, system in systems:
            self.state.follow(route)
            self._system(system)
        pairs: dict[CollisionPair, None] = {}
        for route, parent in dict.fromkeys((*((m.route, m.element) for m in models), *systems)):
            self.state.follow(route)
            for extra in parent.all("extra"):
                if extra.get("type") == "collision":
                    self._collision(extra, pairs)
                elif parent.tag == "kinematics_model":
                    self._kept(extra, "kinematics_model")
        self.state.unfollow()
        if pairs:
            self.state.out.translated(
                "ignore_link_pair", f"{format_count(len(pairs), 'pair')} in disable_collisions"
            )
        self.state.srdf = replace(self.state.srdf, disabled_pairs=tuple(pairs))
        for document in self.documents.all:
            for extra in document.root.all("extra"):
                self._root(extra)
        self._rest()

    def _system(self, system: XmlElement) -> None:
        attachments = []
        for extra in system.all("extra"):
            kind = extra.get("type")
            if kind == "attach_sensor":
                attachments.append(extra)
            elif kind == "manipulator":
                again = id(extra) in self._done
                self._done.add(id(extra))
                if (not self._manipulator(extra, again) or not _is_plain(extra)) and not again:
                    self.state.keep("articulated_system", extra)
            elif kind != "collision":
                self._kept(extra, "articulated_system")
        self._sensors(attachments)

    def _kept(self, extra: XmlElement, where: str) -> None:
        if id(extra) in self._done:
            # Of a second robot that is made of the same system.
            return
        self._done.add(id(extra))
        name = f"{extra.get('type') or 'extra'} {extra.get('name') or ''}".strip()
        self.state.out.kept(name, "verbatim in the URDF")
        self.state.keep(where, extra)
        self._report_dangling(extra)

    def _report_dangling(self, extra: XmlElement) -> None:
        """Report the elements in an extra that name a link or a joint which does not exist."""
        for element in extra.walk():
            for kind, find in (("link", self.state.link), ("joint", self.state.joint)):
                name = element.get(kind)
                if name and find(name) is None:
                    line = self.documents.location(element)
                    self.state.out.lost(f"{element.tag} {name}", f"{line}: no such {kind}")

    def _root(self, extra: XmlElement) -> None:
        techniques = extra.all("technique")
        if id(extra) in self._done:
            return
        self._done.add(id(extra))
        if any(t.get("profile") == OWN_PROFILE for t in techniques) or not any(
            t.children for t in techniques
        ):
            return
        if extra.get("type") == "library_sensors":
            # Attached sensors have become sensors of the URDF.
            for sensor in (s for t in techniques for s in t.all("sensor")):
                if id(sensor) not in self._attached:
                    self.state.keep("library_sensors", sensor)
                    self.state.out.kept(
                        f"sensor {sensor.get('id')}", "attached nowhere; verbatim in the URDF"
                    )
            return
        self.state.out.kept(str(extra.get("type")), "verbatim in the URDF")
        self.state.keep("COLLADA", extra)

    def _rest(self) -> None:
        """What stands in places that nothing of a URDF corresponds to."""
        rest: Counter[tuple[str, str]] = Counter()
        read_types = {
            "geometry_info",
            "urdf_joint",
            "urdf_inertial",
            "slot",
            "collision",
            "idsuffix",
            OWN_PROFILE,
        }
        places = {"joint", "formula"}
        for extra in self.documents.all_of("extra"):
            parent = extra.parent.tag if extra.parent is not None else ""
            if (
                id(extra) not in self._done
                and extra.get("type") not in read_types
                and parent not in places
            ):
                rest[extra.get("type") or "extra", parent] += 1
        for document in self.documents.all:
            for tag in (
                "library_animations",
                "library_cameras",
                "library_controllers",
                "library_lights",
            ):
                for library in document.root.all(tag):
                    if library.children:
                        self.state.out.lost(tag, format_count(len(library.children), "element"))
        for (kind, parent), count in rest.items():
            self.state.out.lost(f"extra {kind} of {parent}", f"{count}: a URDF cannot store it")

    # -- manipulators

    def _manipulator(self, extra: XmlElement, again: bool) -> bool:
        """Whether it has become a group; `again`: of another robot that is made of the same
        system."""
        state = self.state
        name = extra.get("name") or f"manipulator{len(state.srdf.groups)}"
        if again:
            name = find_free_name(name, {group.name for group in state.srdf.groups})
        ends = [inner(extra, "technique", tag) for tag in ("frame_origin", "frame_tip")]
        base, tip = (state.link(e.get("link")) if e is not None else None for e in ends)
        if base is None or tip is None or ends[1] is None:
            line = self.documents.location(extra)
            state.out.kept(
                f"manipulator {name}", f"{line}: its links do not exist; verbatim in the URDF"
            )
            return False
        srdf = state.srdf
        if srdf.group(name) is not None:
            state.out.kept(
                f"manipulator {name}", "a second one with this name; verbatim in the URDF"
            )
            return False
        self._report_dangling(extra)
        gripper_joints = dict.fromkeys(
            state.joint(g.get("joint")) for g in each(extra, "technique", "gripper_joint")
        )
        joints = tuple(g for g in gripper_joints if g is not None)
        gripper = (Group(f"{name}_gripper", joints=joints),) if joints else ()
        if base == tip:
            # A hand alone: a chain without joints is refused as a group.
            state.srdf = replace(srdf, groups=(*srdf.groups, *gripper))
            line = self.documents.location(extra)
            state.out.kept(
                f"manipulator {name}", f"{line}: it has no chain of joints; verbatim in the URDF"
            )
            return False
        srdf = replace(srdf, groups=(*srdf.groups, Group(name, chains=((base, tip),)), *gripper))
        pose = state.link_transforms[tip] @ product(ends[1].children, self.documents.unit(ends[1]))
        if not np.allclose(pose, np.eye(4), atol=1e-12):
            origin = build_origin(pose)
            srdf = replace(
                srdf,
                tcps=(*srdf.tcps, ToolCenterPoint(f"{name}_tip", name, origin.xyz, rpy=origin.rpy)),
            )
        if joints:
            effector = EndEffector(f"{name}_hand", tip, f"{name}_gripper", name)
            srdf = replace(srdf, end_effectors=(*srdf.end_effectors, effector))
        state.srdf = srdf
        kept = "" if _is_plain(extra) else "; its other content is kept verbatim in the URDF"
        state.out.translated(f"manipulator {name}", f"an SRDF group{kept}")
        return True

    # -- collision

    def _collision(self, extra: XmlElement, pairs: dict[CollisionPair, None]) -> None:
        self._done.add(id(extra))
        state = self.state
        for child in (c for t in extra.all("technique") for c in t.children):
            if child.tag == "ignore_link_pair":
                first, second = state.link(child.get("link0")), state.link(child.get("link1"))
                if first is None or second is None:
                    line = self.documents.location(child)
                    state.out.lost(
                        "ignore_link_pair",
                        f"{line}: {child.get('link0')} - {child.get('link1')}: no such link",
                    )
                elif first == second:
                    line = self.documents.location(child)
                    state.out.lost(
                        "ignore_link_pair", f"{line}: {child.get('link0')} is paired with itself"
                    )
                elif CollisionPair(second, first) not in pairs:
                    pairs[CollisionPair(first, second)] = None
            elif child.tag not in _COLLISION:
                state.out.kept(child.tag, f"{child.get('link') or ''}: verbatim in the URDF")
                state.keep("collision", child)
                self._report_dangling(child)

    # -- sensors

    def _sensors(self, attachments: list[XmlElement]) -> None:
        state = self.state
        sensors: list[tuple[XmlElement, XmlElement, XmlElement, str]] = []
        for extra in attachments:
            self._done.add(id(extra))
            instance, origin = (
                inner(extra, "technique", tag) for tag in ("instance_sensor", "frame_origin")
            )
            element = (
                self.documents.find(instance.get("url"), instance) if instance is not None else None
            )
            link = state.link(origin.get("link")) if origin is not None else None
            if element is None or element.tag != "sensor" or origin is None or link is None:
                line = self.documents.location(extra)
                state.out.kept(
                    f"attach_sensor {extra.get('name')}",
                    f"{line}: its sensor or its link does not exist; verbatim in the URDF",
                )
                state.keep("articulated_system", extra)
                continue
            sensors.append((extra, element, origin, link))
        names: dict[str, str] = {}
        for extra, element, _, _ in sensors:
            names.setdefault(
                element.get("id") or "", extra.get("name") or element.get("id") or "sensor"
            )
        taken = {s.name for s in self.sensors}
        for extra, element, origin, link in sensors:
            self._attached.add(id(element))
            name = find_free_name(extra.get("name") or element.get("id") or "sensor", taken)
            taken.add(name)
            pose = state.link_transforms[link] @ product(
                origin.children, self.documents.unit(origin)
            )
            try:
                sensor = read_collada_sensor(element, self.documents.unit(element), names)
            except ValueError as error:
                state.out.lost(
                    f"attach_sensor {name}", f"{self.documents.location(element)}: {error}"
                )
                continue
            sensor = replace(sensor, name=name, parent=link, origin=build_origin(pose))
            self.sensors.append(sensor)
            state.out.translated(
                f"attach_sensor {name}", f"{sensor.kind} of {link}, as <sensor> in the URDF"
            )


def _is_plain(manipulator: XmlElement) -> bool:
    """Whether it says no more than a group, an end effector and a tool of an SRDF do."""
    for child in find_children(manipulator, "technique"):
        if child.tag not in ("frame_origin", "frame_tip", "gripper_joint"):
            return False
        for part in child.children:
            # A closing direction is zero where none is told.
            zero = part.tag in ("closing_direction", "chucking_direction") and not any(
                any(floats(e.text)) for e in part.walk()
            )
            if part.tag not in ("translate", "rotate", "matrix") and not zero:
                return False
    return [child.tag for child in manipulator.children if child.tag != "asset"] == ["technique"]
