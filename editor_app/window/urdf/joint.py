"""A joint: type, links, origin, axis; limits, dynamics, mimic, safety, calibration, added and
removed as a whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtWidgets import QCheckBox, QMenu, QToolButton, QWidget

from editor_app.core.document.commands.field_paths import get_field, new_part
from editor_app.core.document.commands.fields import OfJoint, OfMotionLimit, SetField
from editor_app.core.document.commands.urdf import RenameJoint
from editor_app.core.document.commands.urdf_tree import (
    SetChild,
    SetParent,
    children_for,
    parents_for,
)
from editor_app.core.document.selection import Selection
from editor_app.core.model.robot import Change, RobotDescription
from editor_app.core.model.urdf import BOUNDED, Joint, JointType, Mimic
from editor_app.window.bindings.forms import ChoiceField, Field, Form, Number, Text
from editor_app.window.bindings.panel import flat_button, heading, row_of, set_button, tool_button
from editor_app.window.bindings.quantity import NUMBER, Dimension, Quantity, joint_quantity
from editor_app.window.urdf.panel import RENAMING, UrdfPanel, pose_rows
from editor_app.window.widgets import dress, plain_text


def _position(per: str = "") -> Callable[[Joint], Quantity]:
    """Positions of the joint, or their derivatives."""
    return lambda joint: joint_quantity(joint.type is JointType.PRISMATIC, per)


def _effort(joint: Joint) -> Quantity:
    return Quantity(Dimension.FORCE if joint.type is JointType.PRISMATIC else Dimension.TORQUE)


_KEEP_PLACE = (
    "When you choose another parent, compute the origin so that the branch stays in place; "
    "otherwise keep the origin "
    "as written"
)


class JointPanel(UrdfPanel):
    """A part that the file does not have is one line with a button that adds it; of one that it
    has, any number."""

    shows = "urdf limits"

    def build(self) -> None:
        self.keep_place = dress(QCheckBox("Keep position in space"), tip=_KEEP_PLACE)
        Form(
            self,
            (
                Text("Name", "name", name="Name of the joint", help=RENAMING, write=self._rename),
                ChoiceField(
                    "Type",
                    "type",
                    lambda robot, joint: [str(kind) for kind in JointType],
                    name="Type of the joint",
                    noun="type",
                    value=JointType,
                    title="Make {name} {value}",
                ),
                ChoiceField(
                    "Parent",
                    "parent",
                    lambda robot, joint: parents_for(robot.urdf, joint),
                    name="Parent link",
                    noun="link",
                    write=self._hang_on,
                ),
                Field("", beside=(self.keep_place,)),
                ChoiceField(
                    "Child",
                    "child",
                    lambda robot, joint: children_for(robot.urdf, joint),
                    name="Child link",
                    noun="link",
                    write=self._carry,
                ),
                *pose_rows("Position", "origin", move="Move {name}", turn="Turn {name}"),
                Number("Axis", "axis", NUMBER, "xyz", title="Set axis of {name}", shown=_has_axis),
            ),
            self._target,
        )
        self.buttons: dict[str, QToolButton] = {}
        self._heads: dict[str, QWidget] = {}
        for part, numbers in _PARTS.items():
            self._part(
                part,
                *(self._number(label, f"{part}.{name}", unit) for label, name, unit in numbers),
            )
        self._part(
            "mimic",
            ChoiceField(
                "Follows", "mimic.joint", _leaders, name="Joint that is followed", noun="joint"
            ),
            Number("Multiplier", "mimic.multiplier"),
            Number("Offset", "mimic.offset", _position()),
        )
        self.more = self.put(
            tool_button("plus", "Add", tip="Add calibration or a safety controller")
        )
        menu = QMenu(self.more)
        self.rare_actions = {
            part: menu.addAction(_TITLES[part], partial(self._toggle, part))
            for part in ("calibration", "safety")
        }
        self.more.setMenu(menu)
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.moveit = self.put(heading("Limits of MoveIt (joint_limits.yaml)"))
        form = Form(
            self,
            [
                Number(
                    label,
                    f"max_{name}",
                    self._moving(per),
                    limits=(0.0, None),
                    can_remove=lambda _: True,
                )
                for label, name, per in _MOVEIT
            ],
            lambda: (
                OfMotionLimit(self.joint.name)
                if self.joint is not None and self.joint.is_movable
                else None
            ),
            title="Set MoveIt's limits of {name}",
        )
        # They stand in a file of their own, which can be edited while the URDF is a xacro file's.
        self.free += [field.parentWidget() for field in form.fields.values()]
        self.bind(self._show)

    def nothing(self) -> str | None:
        if self.joint is None:
            link = self.link
            return (
                f"No joint leads to {link.name}: it is the root."
                if link is not None
                else super().nothing()
            )
        return None

    def _target(self) -> OfJoint | None:
        joint = self.joint
        return OfJoint(joint.name) if joint is not None else None

    def _number(
        self, label: str, path: str, quantity: Quantity | Callable[[Joint], Quantity]
    ) -> Number:
        """A number of a part, which may be removed where the joint does not need it."""
        name = path.rpartition(".")[2]
        return Number(
            label,
            path,
            quantity,
            can_remove=lambda joint: name not in _required(joint, self._version),
            shown=(lambda joint: self._is_newer(joint, path)) if name in _NEWER else None,
        )

    def _moving(self, per: str) -> Callable[[object], Quantity]:
        """What a limit of MoveIt for the joint measures."""
        return lambda _: joint_quantity(
            self.joint is not None and self.joint.type is JointType.PRISMATIC, per
        )

    def _part(self, part: str, *rows: Field) -> Form:
        button = flat_button("plus", f"Add {_TITLES[part].lower()}", run=lambda: self._toggle(part))
        self.buttons[part] = button
        self._heads[part] = self.put(row_of(heading(_TITLES[part]), button))
        return Form(self, rows, self._target, part=part, title=f"Set {part} of {{name}}")

    # -- showing

    @property
    def _version(self) -> str:
        return self.robot.urdf.version

    def _is_newer(self, joint: Joint, path: str) -> bool:
        """Of URDF 1.2; where an older file has it all the same it can be seen, and removed."""
        return self._version not in ("1.0", "1.1") or get_field(joint, path) is not None

    def _show(self, robot: RobotDescription) -> None:
        joint = self.joint
        if joint is None:
            return
        for part, button in self.buttons.items():
            has_part, title = getattr(joint, part) is not None, _TITLES[part].lower()
            set_button(
                button,
                "trash" if has_part else "plus",
                f"{'Remove' if has_part else 'Add'} {title}",
            )
            needed = part == "limit" and has_part and joint.type in BOUNDED
            nobody = part == "mimic" and not has_part and not _leaders(robot, joint)
            button.setEnabled(not needed and not nobody)
            if needed:
                button.setToolTip(plain_text(f"A {joint.type} joint needs limits"))
            elif nobody:
                button.setToolTip("No other joint can be followed")
        for part, action in self.rare_actions.items():
            has_part = getattr(joint, part) is not None
            self._heads[part].setVisible(has_part)
            action.setVisible(not has_part)
        self.more.setVisible(any(action.isVisible() for action in self.rare_actions.values()))
        self.moveit.setVisible(robot.limits is not None and joint.is_movable)
        self.tell_place(lambda source: source.joint_location(joint.name))

    # -- steps that are more than a field

    def _toggle(self, part: str) -> None:
        joint = self.joint
        if joint is None:
            return
        value = None
        if getattr(joint, part) is None:
            leaders = _leaders(self.robot, joint)
            if part == "mimic" and not leaders:
                return
            value = Mimic(leaders[0]) if part == "mimic" else new_part(joint, part)
        title = f"{'Remove' if value is None else 'Add'} {_TITLES[part].lower()} of {joint.name}"
        self.execute(SetField(OfJoint(joint.name), part, value, title))

    def _hang_on(self, link: str) -> Change | None:
        joint = self.joint
        return (
            SetParent(joint.name, link, self.keep_place.isChecked()) if joint is not None else None
        )

    def _carry(self, link: str) -> Change | None:
        joint = self.joint
        if joint is None:
            return None
        # A user who selected the link looks at this joint, not at the one that carries the link
        # from now on.
        self.execute(SetChild(joint.name, link), selection=Selection(joints=(joint.name,)))
        return None

    def _rename(self, name: str) -> None:
        joint = self.joint
        if joint is not None:
            selection = self.session.selection
            if selection.joints:
                selection = replace(selection, joints=(*selection.joints[:-1], name))
            self.execute(RenameJoint(joint.name, name), selection=selection)


#: The numbers of each part: label, attribute, what it measures.
_PARTS: dict[str, tuple[tuple[str, str, Quantity | Callable[[Joint], Quantity]], ...]] = {
    "limit": (
        ("Lower", "lower", _position()),
        ("Upper", "upper", _position()),
        ("Velocity", "velocity", _position("/s")),
        ("Effort", "effort", _effort),
        ("Acceleration", "acceleration", _position("/s²")),
        ("Deceleration", "deceleration", _position("/s²")),
        ("Jerk", "jerk", _position("/s³")),
    ),
    "dynamics": (("Damping", "damping", NUMBER), ("Friction", "friction", NUMBER)),
    "safety": (
        ("Soft lower limit", "soft_lower_limit", _position()),
        ("Soft upper limit", "soft_upper_limit", _position()),
        ("k position", "k_position", NUMBER),
        ("k velocity", "k_velocity", NUMBER),
    ),
    "calibration": (
        ("Reference position", "reference_position", _position()),
        ("Rising", "rising", _position()),
        ("Falling", "falling", _position()),
    ),
}
#: Of joint_limits.yaml: label, key behind max_, unit.
_MOVEIT = (
    ("MoveIt velocity", "velocity", "/s"),
    ("MoveIt acceleration", "acceleration", "/s²"),
    ("MoveIt jerk", "jerk", "/s³"),
)
#: Of URDF 1.2.
_NEWER = ("acceleration", "deceleration", "jerk")
_TITLES = {
    "limit": "Limits",
    "dynamics": "Dynamics",
    "safety": "Safety controller",
    "calibration": "Calibration",
    "mimic": "Mimic",
}


def _has_axis(joint: Joint) -> bool:
    return joint.type not in (JointType.FIXED, JointType.FLOATING)


def _leaders(robot: RobotDescription, joint: Joint) -> list[str]:
    """The joints that this one may follow: those that move, and do not follow it."""
    followers = {joint.name}
    while (
        more := {
            j.name for j in robot.urdf.joints if j.mimic is not None and j.mimic.joint in followers
        }
        - followers
    ):
        followers |= more
    return [j.name for j in robot.urdf.joints if j.is_movable and j.name not in followers]


def _required(joint: Joint, version: str) -> tuple[str, ...]:
    """The attributes of its parts that a joint cannot be without, or that would mean something else
    by being absent."""
    needed = ("k_velocity",) if version == "1.2" else ("k_velocity", "effort", "velocity")
    return (*needed, "lower", "upper") if joint.type in BOUNDED else needed
