"""A joint: type, links, origin, axis; limits, dynamics, mimic, safety, calibration, added and removed as a whole."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from PySide6.QtWidgets import QCheckBox, QFormLayout, QToolButton

from editor_app.edit.commands.urdf import RenameJoint, SetJoint
from editor_app.edit.commands.urdf_tree import SetChild, SetParent, children_for, parents_for
from editor_app.edit.selection import Selection
from editor_app.gui.bindings.panel import Reading, flat_button, heading, row_of, set_button
from editor_app.gui.bindings.quantity import NUMBER, Quantity, joint_quantity
from editor_app.gui.bindings.text_field import TextField
from editor_app.gui.panels.urdf.panel import UrdfPanel
from editor_app.gui.panels.urdf.pose import PoseRows
from editor_app.gui.plain_text import plain
from editor_app.model.change import Change
from editor_app.model.robot import RobotDescription
from editor_app.model.urdf import Calibration, Dynamics, Joint, JointType, Limit, Mimic, Origin, SafetyController


def new_limit(joint: Joint) -> Limit | None:
    """Limits to begin with, None where there are none: half a turn either way, or 10 cm. All of it is a placeholder."""
    if joint.type is JointType.PRISMATIC:
        return Limit(0.0, 0.1, 100.0, 0.1)
    turn = math.pi if joint.type is JointType.REVOLUTE else 0.0
    return Limit(-turn, turn, 100.0, 1.0)


def _new_safety(joint: Joint) -> SafetyController:
    span = joint.position_limits
    lower, upper = span if span is not None else (None, None)
    return SafetyController(10.0, 15.0, lower, upper)


_BOUNDED = (JointType.REVOLUTE, JointType.PRISMATIC)
#: Attribute of the joint -> (title, what a new one is, (field, label, unit of the position or not, per)).
_PARTS: tuple[tuple[str, str, Callable[[Joint], Any], tuple[tuple[str, str, bool, str], ...]], ...] = (
    (
        "limit",
        "Limits",
        new_limit,
        (
            ("lower", "Lower", True, ""),
            ("upper", "Upper", True, ""),
            ("velocity", "Velocity", True, "/s"),
            ("effort", "Effort", False, ""),
            ("acceleration", "Acceleration", True, "/s²"),
            ("deceleration", "Deceleration", True, "/s²"),
            ("jerk", "Jerk", True, "/s³"),
        ),
    ),
    (
        "dynamics",
        "Dynamics",
        lambda _: Dynamics(0.0, 0.0),
        (("damping", "Damping", False, ""), ("friction", "Friction", False, "")),
    ),
    (
        "safety",
        "Safety controller",
        _new_safety,
        (
            ("soft_lower_limit", "Soft lower limit", True, ""),
            ("soft_upper_limit", "Soft upper limit", True, ""),
            ("k_position", "k position", False, ""),
            ("k_velocity", "k velocity", False, ""),
        ),
    ),
    (
        "calibration",
        "Calibration",
        lambda _: Calibration(rising=0.0),
        (
            ("reference_position", "Reference position", True, ""),
            ("rising", "Rising", True, ""),
            ("falling", "Falling", True, ""),
        ),
    ),
)


#: Of URDF 1.2.
_NEWER = ("acceleration", "deceleration", "jerk")
_TITLES = {**{part: title for part, title, _, _ in _PARTS}, "mimic": "Mimic"}


class JointPanel(UrdfPanel):
    """A part that the file does not have is one line with a button that adds it; of one that it has, any number."""

    def build(self) -> None:
        form = self.form()
        self.name = TextField("Name of the joint")
        self.name.setToolTip("Renaming follows every reference in URDF, XRDF and SRDF")
        self.name.edited.connect(self._rename)
        form.addRow("Name", self.name)
        self.type = self.name_field(
            "Type of the joint",
            "type",
            lambda robot: [str(kind) for kind in JointType],
            lambda robot: str(self.joint.type) if self.joint is not None else None,
            self._set_type,
        )
        form.addRow("Type", self.type)
        self.parent_link = self.name_field(
            "Parent link",
            "link",
            lambda robot: parents_for(robot.urdf, self.joint) if self.joint is not None else [],
            lambda robot: self.joint.parent if self.joint is not None else None,
            self._hang_on,
        )
        form.addRow("Parent", self.parent_link)
        self.keep_place = QCheckBox("Keep its place")
        self.keep_place.setToolTip(
            "When another parent is chosen, the origin is computed so that the branch stays where it is; "
            "otherwise the origin stays as it is written"
        )
        form.addRow("", self.keep_place)
        self.child_link = self.name_field(
            "Child link",
            "link",
            lambda robot: children_for(robot.urdf, self.joint) if self.joint is not None else [],
            lambda robot: self.joint.child if self.joint is not None else None,
            self._carry,
        )
        form.addRow("Child", self.child_link)
        self.pose = PoseRows(self, form, "Position", self._origin, self._set_origin)
        self.xyz, self.rpy = self.pose.xyz, self.pose.rpy
        self.axis = self.vector(form, "Axis", "xyz", NUMBER, self._axis, self._set_axis)
        self._axis_row = form, form.rowCount() - 1
        self.fields: dict[str, Any] = {}
        self.buttons: dict[str, QToolButton] = {}
        self._forms: dict[str, QFormLayout] = {}
        for part, title, new, rows in _PARTS:
            form = self._part(part, title, lambda part=part, new=new: self._toggle(part, new))  # type: ignore[misc]
            for name, label, positional, per in rows:
                self.fields[f"{part}.{name}"] = self.removable_number(
                    form,
                    label,
                    self._reader(part, name, positional, per),
                    self._writer(part, name, new),
                    self._remover(part, name, label),
                )
        form = self._part("mimic", "Mimic", self._toggle_mimic)
        self.mimic = self.name_field(
            "Joint that is followed", "joint", self._leaders, lambda robot: self._leader(), self._follow
        )
        form.addRow("Follows", self.mimic)
        self.multiplier = self.number(
            form, "Multiplier", NUMBER, lambda: self._mimic("multiplier"), lambda v: self._set_mimic("multiplier", v)
        )
        self.offset = self.number(
            form, "Offset", NUMBER, lambda: self._mimic("offset"), lambda v: self._set_mimic("offset", v)
        )
        self.body.addWidget(self.place)
        self.bind(self._show)

    def nothing(self) -> str | None:
        if self.joint is None:
            link = self.link
            return f"No joint leads to {link.name}: it is the root." if link is not None else super().nothing()
        return None

    def _part(self, part: str, title: str, toggle: Callable[[], None]) -> QFormLayout:
        button = flat_button("plus", f"Add {title.lower()}")
        button.clicked.connect(lambda: toggle())
        self.buttons[part] = button
        self.body.addWidget(row_of(heading(title), button))
        self._forms[part] = self.form()
        return self._forms[part]

    def _show(self, robot: RobotDescription) -> None:
        joint = self.joint
        if joint is None:
            return
        self.name.set_value(joint.name)
        self.pose.show()
        has_axis = joint.type not in (JointType.FIXED, JointType.FLOATING)
        self._axis_row[0].setRowVisible(self._axis_row[1], has_axis)
        for part, form in self._forms.items():
            there = getattr(joint, part) is not None
            for row in range(form.rowCount()):
                form.setRowVisible(row, there)
            if part == "limit" and there and robot.urdf.version in ("1.0", "1.1"):
                # Not of these versions; where the file has them all the same they can be seen, and removed.
                for row, name in enumerate(n for n, *_ in _PARTS[0][3]):
                    if name in _NEWER and getattr(joint.limit, name) is None:
                        form.setRowVisible(row, False)
            self._show_button(part, there, joint)
        source = self.source
        self.tell_place(source.joint_location(joint.name) if source is not None else None)

    def _show_button(self, part: str, there: bool, joint: Joint) -> None:
        button, title = self.buttons[part], _TITLES[part]
        set_button(button, "trash" if there else "plus", f"{'Remove' if there else 'Add'} {title.lower()}")
        needed = part == "limit" and there and joint.type in _BOUNDED
        nobody = part == "mimic" and not there and not self._others()
        button.setEnabled(not needed and not nobody)
        if needed:
            button.setToolTip(plain(f"A {joint.type} joint needs limits"))
        elif nobody:
            button.setToolTip("There is no other joint that moves")

    # -- reading

    def _origin(self) -> Origin | None:
        joint = self.joint
        return joint.origin if joint is not None else None

    def _axis(self, axis: int) -> Reading:
        joint = self.joint
        return Reading(joint.axis[axis] if joint is not None else None)

    def _reader(self, part: str, name: str, positional: bool, per: str) -> Callable[[], Reading]:
        def read() -> Reading:
            joint = self.joint
            quantity = _quantity(joint, per) if positional else NUMBER
            found = getattr(joint, part) if joint is not None else None
            value = getattr(found, name) if found is not None else None
            return Reading(value, empty="–", quantity=quantity)

        return read

    def _mimic(self, name: str) -> Reading:
        joint = self.joint
        mimic = joint.mimic if joint is not None else None
        quantity = _quantity(joint, "") if name == "offset" else NUMBER
        return Reading(getattr(mimic, name) if mimic is not None else None, empty="–", quantity=quantity)

    # -- writing

    def _toggle(self, part: str, new: Callable[[Joint], Any]) -> None:
        joint = self.joint
        if joint is None:
            return
        there = getattr(joint, part) is not None
        values: dict[str, Any] = {part: None if there else new(joint)}
        title = f"{'Remove' if there else 'Add'} {_TITLES[part].lower()} of {joint.name}"
        self.execute(SetJoint(joint.name, replace(joint, **values), title))

    def _set_type(self, text: str) -> Change | None:
        joint = self.joint
        if joint is None:
            return None
        changed = replace(joint, type=JointType(text))
        if changed.type in _BOUNDED and changed.limit is None:
            changed = replace(changed, limit=new_limit(changed))
        return SetJoint(joint.name, changed, f"Make {joint.name} {text}")

    def _others(self) -> list[str]:
        """The joints that this one may follow: those that move, and do not follow it."""
        robot, joint = self.session.robot, self.joint
        if robot is None or joint is None:
            return []
        followers = {joint.name}
        while (
            more := {j.name for j in robot.urdf.joints if j.mimic is not None and j.mimic.joint in followers}
            - followers
        ):
            followers |= more
        return [j.name for j in robot.urdf.joints if j.is_movable and j.name not in followers]

    def _leaders(self, robot: RobotDescription) -> list[str]:
        return self._others()

    def _leader(self) -> str | None:
        joint = self.joint
        return joint.mimic.joint if joint is not None and joint.mimic is not None else None

    def _follow(self, leader: str) -> Change | None:
        joint = self.joint
        if joint is None:
            return None
        mimic = replace(joint.mimic, joint=leader) if joint.mimic is not None else Mimic(leader)
        return SetJoint(joint.name, replace(joint, mimic=mimic), f"Set mimic of {joint.name}")

    def _toggle_mimic(self) -> None:
        joint, others = self.joint, self._others()
        if joint is None or (joint.mimic is None and not others):
            return
        mimic = None if joint.mimic is not None else Mimic(others[0])
        title = f"{'Add' if mimic is not None else 'Remove'} mimic of {joint.name}"
        self.execute(SetJoint(joint.name, replace(joint, mimic=mimic), title))

    def _writer(self, part: str, name: str, new: Callable[[Joint], Any]) -> Callable[[float], Change | None]:
        def write(value: float) -> Change | None:
            joint = self.joint
            if joint is None:
                return None
            there = getattr(joint, part)
            changed = replace(there if there is not None else new(joint), **{name: value})
            values: dict[str, Any] = {part: changed}
            return SetJoint(joint.name, replace(joint, **values), f"Set {part} of {joint.name}")

        return write

    def _remover(self, part: str, name: str, label: str) -> Callable[[], Change | None]:
        def remove() -> Change | None:
            joint, robot = self.joint, self.session.robot
            found = getattr(joint, part) if joint is not None else None
            if joint is None or robot is None or found is None or getattr(found, name) is None:
                return None
            if name in _required(joint, robot.urdf.version):
                return None
            changed = replace(found, **{name: None})
            rest = [getattr(changed, field.name) for field in fields(changed)]
            values: dict[str, Any] = {part: changed if any(v is not None for v in rest) else None}
            return SetJoint(joint.name, replace(joint, **values), f"Remove {label.lower()} of {joint.name}")

        return remove

    def _set_mimic(self, name: str, value: float) -> Change | None:
        joint = self.joint
        if joint is None or joint.mimic is None:
            return None
        changed: dict[str, Any] = {name: value}
        values = replace(joint, mimic=replace(joint.mimic, **changed))
        return SetJoint(joint.name, values, f"Set mimic of {joint.name}")

    def _set_origin(self, origin: Origin, turned: bool) -> Change | None:
        joint = self.joint
        if joint is None:
            return None
        return SetJoint(joint.name, replace(joint, origin=origin), f"{'Turn' if turned else 'Move'} {joint.name}")

    def _hang_on(self, link: str) -> Change | None:
        joint = self.joint
        return SetParent(joint.name, link, self.keep_place.isChecked()) if joint is not None else None

    def _carry(self, link: str) -> Change | None:
        joint = self.joint
        if joint is None:
            return None
        # Whoever selected the link looks at this joint, not at the one that carries the link from now on.
        if not self.execute(SetChild(joint.name, link), selection=Selection(joints=(joint.name,))):
            self.child_link.set_value(joint.child)
        return None

    def _set_axis(self, axis: int, value: float) -> Change | None:
        joint = self.joint
        if joint is None:
            return None
        x, y, z = (value if i == axis else v for i, v in enumerate(joint.axis))
        return SetJoint(joint.name, replace(joint, axis=(x, y, z)), f"Set axis of {joint.name}")

    def _rename(self, name: str) -> None:
        joint = self.joint
        if joint is not None:
            selection = self.session.selection
            if selection.joints:
                selection = replace(selection, joints=(*selection.joints[:-1], name))
            self.execute(RenameJoint(joint.name, name), selection=selection)


def _required(joint: Joint, version: str) -> tuple[str, ...]:
    """The attributes of its parts that a joint cannot be without, or that would mean something else by being absent."""
    needed = ("k_velocity",) if version == "1.2" else ("k_velocity", "effort", "velocity")
    return (*needed, "lower", "upper") if joint.type in _BOUNDED else needed


def _quantity(joint: Joint | None, per: str) -> Quantity:
    return joint_quantity(joint is not None and joint.type is JointType.PRISMATIC, per)
