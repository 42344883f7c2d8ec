"""A prefix before every name of a robot: what it is attached to may have the same names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

from editor_app.edit.commands.tools import named
from editor_app.formats.urdf.embedded import with_prefix_in_text
from editor_app.model.references import FIELDS
from editor_app.model.robot import Label, RobotDescription
from editor_app.model.sensors import Sensor
from editor_app.model.srdf import EndEffector, Group, GroupState, Srdf, ToolCenterPoint, VirtualJoint
from editor_app.model.urdf import Extension, Joint, Link, Material, Transmission, Urdf, Visual
from editor_app.model.xrdf import AddFrame, GeometryGroup, Modifier, Xrdf

NamedThing = TypeVar("NamedThing", Group, GroupState, ToolCenterPoint, EndEffector, VirtualJoint, GeometryGroup)
Embedded = TypeVar("Embedded", Extension, Transmission)


@dataclass(frozen=True, slots=True)
class PrefixNames:
    """Writes `prefix` before the names of links, joints, frames, materials, sensors, transmissions, groups, states,
    tools and virtual joints, and wherever one of them is referred to, in Gazebo's and ros2_control's elements, too.

    The robot's own name stays.
    """

    prefix: str
    label = Label("Write {prefix} before every name")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        named(self.prefix, "A prefix")
        links, joints = robot.urdf.links, robot.urdf.joints
        names = frozenset((*(link.name for link in links), *(joint.name for joint in joints)))
        texts = _Texts(self.prefix, names)
        robot = self._with_references(robot)
        srdf = None if robot.srdf is None else self._srdf(robot.srdf)
        return RobotDescription(self._urdf(robot.urdf, texts), self._xrdf(robot.xrdf), srdf)

    def _name(self, name: str) -> str:
        # What names nothing names nothing with a prefix either.
        return self.prefix + name if name else name

    def _with_references(self, robot: RobotDescription) -> RobotDescription:
        for field in FIELDS:
            document = getattr(robot, field.document)
            # What an embedded element refers to stands in its text, and is renamed there.
            if document is not None and field.title not in ("extensions", "transmission"):
                robot = replace(robot, **{field.document: field.renamed(document, self._name)})
        return robot

    def _urdf(self, urdf: Urdf, texts: _Texts) -> Urdf:
        return replace(
            urdf,
            links=tuple(self._link(link, texts) for link in urdf.links),
            joints=tuple(self._joint(joint, texts) for joint in urdf.joints),
            materials=tuple(map(self._material, urdf.materials)),
            transmissions=texts.of(urdf.transmissions),
            extensions=texts.of(urdf.extensions),
            sensors=tuple(map(self._sensor, urdf.sensors)),
        )

    def _link(self, link: Link, texts: _Texts) -> Link:
        visuals = tuple(map(self._visual, link.visuals))
        return replace(link, name=self._name(link.name), visuals=visuals, extensions=texts.of(link.extensions))

    def _joint(self, joint: Joint, texts: _Texts) -> Joint:
        return replace(joint, name=self._name(joint.name), extensions=texts.of(joint.extensions))

    def _visual(self, visual: Visual) -> Visual:
        return visual if visual.material is None else replace(visual, material=self._material(visual.material))

    def _material(self, material: Material) -> Material:
        return replace(material, name=self._name(material.name)) if material.name else material

    def _sensor(self, sensor: Sensor) -> Sensor:
        eyes = tuple(replace(eye, sensor=self._name(eye.sensor)) for eye in sensor.eyes)
        target = None if sensor.target is None else self._name(sensor.target)
        return replace(sensor, name=self._name(sensor.name), eyes=eyes, target=target)

    def _xrdf(self, xrdf: Xrdf) -> Xrdf:
        def added(modifier: Modifier) -> Modifier:
            if not isinstance(modifier, AddFrame):
                return modifier
            frame, joint = self._name(modifier.frame_name), self._name(modifier.joint_name)
            return replace(modifier, frame_name=frame, joint_name=joint)

        modifiers = None if xrdf.modifiers is None else tuple(map(added, xrdf.modifiers))
        return replace(xrdf, modifiers=modifiers, geometry=xrdf.geometry and self._all_named(xrdf.geometry))

    def _srdf(self, srdf: Srdf) -> Srdf:
        return replace(
            srdf,
            groups=self._all_named(srdf.groups),
            states=self._all_named(srdf.states),
            tcps=self._all_named(srdf.tcps),
            end_effectors=self._all_named(srdf.end_effectors),
            virtual_joints=self._all_named(srdf.virtual_joints),
        )

    def _all_named(self, things: tuple[NamedThing, ...]) -> tuple[NamedThing, ...]:
        return tuple(replace(thing, name=self._name(thing.name)) for thing in things)


@dataclass(frozen=True, slots=True)
class _Texts:
    """The prefix for embedded elements, which refer to `names`."""

    prefix: str
    names: frozenset[str]

    def of(self, elements: tuple[Embedded, ...]) -> tuple[Embedded, ...]:
        return tuple(with_prefix_in_text(element, self.prefix, self.names) for element in elements)
