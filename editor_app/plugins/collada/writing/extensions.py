"""OpenRAVE's extensions: manipulators, pairs that are not checked, sensors, and what was kept word
for word."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from editor_app.core.formats.exchange.meshes import make_plain_name
from editor_app.core.formats.urdf.sensors import list_sensors
from editor_app.core.model.counting import format_count
from editor_app.core.model.near_names import find_free_name
from editor_app.core.model.sensors import Sensor, SensorKind
from editor_app.core.model.srdf import Group, Srdf
from editor_app.core.model.xrdf import LinkPair
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.xml.document import XmlDocument, XmlElement, parse_xml
from editor_app.core.text.xml.morph import build_piece
from editor_app.plugins.collada.embedded_masks import is_manipulator, tool_pose, written_pairs
from editor_app.plugins.collada.sensors import build_collada_sensor
from editor_app.plugins.collada.transforms import (
    Kept,
    build_origin,
    build_pose_matrix,
    each,
    inner,
    own_unit,
    product,
)
from editor_app.plugins.collada.writing.state import E, Writing, openrave_extra, write_pose

#: From the axes of a view along x (Gazebo) to the axes of a view along z, with x to the right.
_VIEW = np.array(
    [[0.0, 0.0, 1.0, 0.0], [-1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
)
_CAMERAS = (SensorKind.CAMERA, SensorKind.DEPTH_CAMERA, SensorKind.STEREO_CAMERA)


def collision_extra(state: Writing, bindings: list[E]) -> tuple[E, ...]:
    """Return the collision extra of the kinematics model; empty without content."""
    left = written_pairs(state.robot.srdf, state.robot.xrdf, frozenset(state.world))
    told = [
        (p.link1, p.link2)
        for p in (state.robot.srdf.disabled_pairs if state.robot.srdf is not None else ())
    ]
    ordered: dict[LinkPair, tuple[str, str]] = {}
    for first, second in (*told, *((p.first, p.second) for p in sorted(left))):
        if LinkPair.of(first, second) in left:
            ordered.setdefault(LinkPair.of(first, second), (first, second))
    lines = [
        build_piece("ignore_link_pair", link0=state.link_path(first), link1=state.link_path(second))
        for first, second in ordered.values()
    ]
    if lines:
        state.out.translated("ignored pairs", format_count(len(lines), "ignore_link_pair"))
    parts = [*bindings, *lines, *state.pieces("collision")]
    return (openrave_extra("collision", parts),) if parts else ()


_ENDS = ("frame_origin", "frame_tip")


def system_extras(state: Writing, sensors: list[E]) -> tuple[E, ...]:
    """Manipulators, attachments of sensors, and what was kept of the articulated system."""
    kept = [k for k in state.kept if k.where == "articulated_system"]
    named: dict[str, tuple[Kept, XmlDocument]] = {}
    rest: list[Kept] = []
    for part in kept:
        document = _parsed(part.text)
        name = (
            document.root.get("name")
            if document is not None and _has_chain(document.root)
            else None
        )
        if document is not None and name and name not in named:
            named[name] = (part, document)
        else:
            rest.append(part)
    return (*_manipulators(state, named), *sensors, *(state.raw(p.text) for p in rest))


def _has_chain(extra: XmlElement) -> bool:
    """Return whether an extra is a manipulator with a chain of joints, which is a group of the
    SRDF."""
    ends = [inner(extra, "technique", tag) for tag in _ENDS]
    return (
        extra.get("type") == "manipulator"
        and len({end.get("link") for end in ends if end is not None}) > 1
    )


def _manipulators(state: Writing, kept: dict[str, tuple[Kept, XmlDocument]]) -> list[E]:
    srdf = state.robot.srdf
    if srdf is None:
        return [state.raw(part.text) for part, _ in kept.values()]
    manipulators = []
    for group in srdf.groups:
        if not is_manipulator(srdf, group):
            continue
        base, tip = group.chains[0]
        if base not in state.world or tip not in state.world:
            state.out.lost(f"group {group.name}", "its chain is not in this robot")
            continue
        if any(e.name == group.name for e in srdf.groups[: srdf.groups.index(group)]):
            continue
        part = kept.pop(group.name, None)
        if part is not None and _unchanged(state, srdf, group, part[1].root):
            manipulators.append(state.raw(part[0].text))
        else:
            manipulators.append(
                _manipulator(state, srdf, group, part[1] if part is not None else None)
            )
        state.out.translated(f"group {group.name}", "a manipulator")
    for name in kept:
        state.out.lost(f"manipulator {name}", "the SRDF no longer has a group with this name")
    return manipulators


def _grippers(srdf: Srdf, group: Group, state: Writing) -> list[str]:
    tip = group.chains[0][1]
    hands = [e for e in srdf.end_effectors if e.parent_group == group.name]
    hands = hands or [
        e for e in srdf.end_effectors if e.parent_group is None and e.parent_link == tip
    ]
    joints = [
        j for e in hands for g in srdf.groups if g.name == e.group for j in _joints_of(g, state)
    ]
    return list(dict.fromkeys(j for j in joints if j in state.joints))


def _joints_of(group: Group, state: Writing) -> list[str]:
    """Its joints; those that lead to its links where it lists links."""
    movable = {j.child: j.name for j in state.used() if j.is_movable and j.mimic is None}
    return [*group.joints, *(movable[link] for link in group.links if link in movable)]


def _unchanged(state: Writing, srdf: Srdf, group: Group, extra: XmlElement) -> bool:
    """Whether a manipulator that was kept still says what the SRDF says; its references are
    names."""
    ends = [inner(extra, "technique", tag) for tag in _ENDS]
    if ends[0] is None or ends[1] is None:
        return False
    joints = list(_fingers(extra))
    written_pose = build_pose_matrix(
        build_origin(product(ends[1].children, own_unit(extra) or 1.0))
    )
    tcp = next((t for t in srdf.tcps if t.group == group.name), None)
    wanted = tool_pose(tcp) if tcp is not None else np.eye(4)
    return (
        (ends[0].get("link"), ends[1].get("link")) == group.chains[0]
        and joints == _grippers(srdf, group, state)
        and bool(np.allclose(written_pose, wanted, rtol=0, atol=1e-9))
    )


def _manipulator(state: Writing, srdf: Srdf, group: Group, kept: XmlDocument | None) -> E:
    base, tip = group.chains[0]
    tcps = [t for t in srdf.tcps if t.group == group.name]
    for extra in tcps[1:]:
        state.out.kept(
            f"tcp {extra.name}", "a manipulator has one tip; it is readable by this editor only"
        )
    inside = inner(kept.root, "technique") if kept is not None else None
    before = inner(inside, "frame_tip")
    frame = list(write_pose(tool_pose(tcps[0]))) if tcps else []
    frame += _other_children(state, kept, before, ("translate", "rotate", "matrix"))
    parts = [
        build_piece("frame_origin", link=state.link_path(base)),
        build_piece("frame_tip", *frame, link=state.link_path(tip)),
    ]
    fingers = _fingers(kept.root) if kept is not None else {}
    for joint in _grippers(srdf, group, state):
        if joint in fingers and kept is not None:
            parts.append(state.raw(kept.text_of(fingers[joint])))
            continue
        closing = build_piece("closing_direction", build_piece("float", text="0"), axis="axis0")
        parts.append(build_piece("gripper_joint", closing, joint=state.joint_path(joint)))
    parts += _other_children(state, kept, inside, (*_ENDS, "gripper_joint"))
    return openrave_extra("manipulator", parts, group.name)


def _fingers(manipulator: XmlElement) -> dict[str, XmlElement]:
    """Joint -> what a manipulator that was kept says of it as part of its gripper."""
    return {
        (e.get("joint") or "").split("/")[0]: e
        for e in each(manipulator, "technique", "gripper_joint")
    }


def _other_children(
    state: Writing, kept: XmlDocument | None, parent: XmlElement | None, tags: tuple[str, ...]
) -> list[E]:
    """The children of an element that was kept, word for word, without elements of `tags`."""
    if kept is None or parent is None:
        return []
    return [state.raw(kept.text_of(child)) for child in parent.children if child.tag not in tags]


def _parsed(text: str) -> XmlDocument | None:
    try:
        return parse_xml(SourceText.from_text(text.strip()))
    except FormatError:
        return None


# -- sensors


class Sensors:
    """`library` is the <extra> of the document, `attachments` are the <extra> of the articulated
    system."""

    def __init__(self, state: Writing) -> None:
        self.state = state
        self.attachments: list[E] = []
        #: Of sensors that stand in extensions of the URDF, by the name that they got.
        self.borrowed: list[str] = []
        #: Of the URDF's own sensors: number -> name.
        self.written: dict[int, str] = {}
        self._library: dict[str, E] = {}
        kept = [k for k in state.kept if k.where == "library_sensors"]
        documents = [d for d in (_parsed(k.text) for k in kept) if d is not None]
        self._kept = [state.raw(k.text) for k in kept]
        self._reserved = {d.root.get("id") or "" for d in documents}
        self._write()

    def library(self) -> tuple[E, ...]:
        parts = [*self._library.values(), *self._kept]
        extra = openrave_extra("library_sensors", parts)
        return (
            (replace(extra, attributes=(*extra.attributes, ("id", "libsensors"))),) if parts else ()
        )

    def _write(self) -> None:
        state = self.state
        placed = list_sensors(state.robot.urdf)
        names: set[str] = set()
        taken: list[tuple[Sensor, str]] = []
        for item in placed:
            sensor = item.sensor
            name = find_free_name(sensor.name or "sensor", names)
            names.add(name)
            borrowed = item.place.extension is not None
            if sensor.openrave_type is None:
                state.out.kept(
                    f"sensor {name}",
                    f"OpenRAVE has no {sensor.kind}; it is readable by this editor only",
                )
                continue
            if sensor.parent not in state.world:
                state.out.kept(
                    f"sensor {name}",
                    "it is not on a link of the tree; it is readable by this editor only",
                )
                continue
            if not item.looks_along_z and sensor.kind in _CAMERAS:
                sensor = replace(
                    sensor, origin=build_origin(build_pose_matrix(sensor.origin) @ _VIEW)
                )
            if borrowed:
                self.borrowed.append(name)
            else:
                self.written[item.place.index] = name
            taken.append((sensor, name))
        ids = {name: self._identifier(sensor, name) for sensor, name in taken}
        for sensor, name in taken:
            try:
                element = build_collada_sensor(sensor, ids[name], ids)
            except ValueError as error:
                state.out.kept(f"sensor {name}", str(error))
                continue
            if self._library.get(ids[name], element) != element:
                # Two that share an entry of a library differ by now.
                ids[name] = find_free_name(
                    make_plain_name(name), self._library.keys() | self._reserved
                )
                element = build_collada_sensor(sensor, ids[name], ids)
            self._library[ids[name]] = element
            origin = write_pose(build_pose_matrix(sensor.origin))
            parts = (
                build_piece("instance_sensor", url=f"#{ids[name]}"),
                build_piece("frame_origin", *origin, link=state.link_path(sensor.parent)),
            )
            self.attachments.append(openrave_extra("attach_sensor", parts, name))
            state.out.translated(f"sensor {name}", f"{sensor.openrave_type} on {sensor.parent}")

    def _identifier(self, sensor: Sensor, name: str) -> str:
        wanted = sensor.id
        if (
            wanted
            and make_plain_name(wanted) == wanted
            and wanted not in self._reserved
            and not wanted.startswith("node")
        ):
            return wanted
        return find_free_name(
            f"sensor_{make_plain_name(name)}", self._library.keys() | self._reserved
        )
