"""A prefix before every name of a robot: what it is attached to may have the same names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from editor_app.core.document.commands.tools import check_name
from editor_app.core.formats.urdf.embedded import with_prefix_in_text
from editor_app.core.model.references import FIELDS, DocumentName, change_at
from editor_app.core.model.robot import Label, RobotDescription

#: Where the things of a document have their own names.
_OWN_NAMES: Mapping[DocumentName, str] = {
    "urdf": "links.*.name joints.*.name materials.*.name links.*.visuals.*.material.name "
    "sensors.*.name sensors.*.eyes.*.sensor sensors.*.target",
    "xrdf": "modifiers.*AddFrame.frame_name|joint_name geometry.*.name",
    "srdf": "groups.*.name states.*.name tcps.*.name end_effectors.*.name virtual_joints.*.name",
}
#: What an embedded element refers to stands in its text, and is renamed there.
_EMBEDDED = "transmissions.* extensions.* links.*.extensions.* joints.*.extensions.*"


@dataclass(frozen=True, slots=True)
class PrefixNames:
    """Writes `prefix` before the names of links, joints, frames, materials, sensors, transmissions,
    groups, states, tools and virtual joints, and wherever one of them is referred to, in Gazebo's
    and ros2_control's elements, too.

    The robot's own name stays.
    """

    prefix: str
    label = Label("Add the prefix {prefix} to every name")

    def apply(self, robot: RobotDescription) -> RobotDescription:
        check_name(self.prefix, "A prefix")
        links, joints = robot.urdf.links, robot.urdf.joints
        names = frozenset((*(link.name for link in links), *(joint.name for joint in joints)))
        references = [
            (field.document, field.path)
            for field in FIELDS
            if field.title not in ("extensions", "transmission")
        ]
        for document, path in (*references, *_OWN_NAMES.items()):
            part = getattr(robot, document)
            if part is not None:
                robot = replace(robot, **{document: change_at(part, path, self._name)})
        urdf = change_at(
            robot.urdf, _EMBEDDED, lambda element: with_prefix_in_text(element, self.prefix, names)
        )
        return robot.with_urdf(urdf)

    def _name(self, name: str) -> str:
        # What names nothing names nothing with a prefix either.
        return self.prefix + name if name else name
