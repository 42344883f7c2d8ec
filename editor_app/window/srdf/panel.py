"""Common parts of the SRDF's panels."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QWidget

from editor_app.core.document.commands.srdf import SetSrdf
from editor_app.core.document.commands.srdf_parts import NewSrdf
from editor_app.core.formats.exchange.xrdf_to_srdf import to_srdf
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.robot import Change, RobotDescription
from editor_app.core.model.srdf import Srdf
from editor_app.core.model.srdf_groups import list_planned_joints
from editor_app.core.model.urdf import Urdf
from editor_app.window.bindings.panel import Panel, compact
from editor_app.window.widgets import dress, icon


class SrdfPanel(Panel):
    """A panel that says, where there is no SRDF, what it is for, and offers a draft from the XRDF.

    `purpose`: the first says what an SRDF is; each of the others what its own section holds.
    """

    purpose = (
        "This robot has no SRDF. MoveIt and Tesseract read groups, states, tools and disabled "
        "pairs from it. A draft "
        "uses the XRDF."
    )
    add_text = "Draft an SRDF from the XRDF"
    shows = "srdf urdf"

    def _make_empty(self) -> QWidget:
        page = super()._make_empty()
        new = dress(
            QPushButton(icon("file-plus"), "New empty SRDF"), run=lambda: self.execute(NewSrdf())
        )
        self.new_button = compact(new)
        layout = page.layout()
        assert layout is not None
        layout.addWidget(self.new_button)
        return page

    def nothing(self) -> str | None:
        return self.purpose if self.robot.srdf is None else None

    def add_change(self, robot: RobotDescription) -> Change:
        return SetSrdf(to_srdf(robot).srdf, "Draft an SRDF")

    def unknown_link(self, link: str) -> str | None:
        """Why a link cannot be named, None when it can."""
        return None if self.robot.urdf.link(link) is not None else f"The URDF has no link {link}."

    def unknown_group(self, group: str) -> str | None:
        """Why a group cannot be named, None when it can."""
        return None if self.srdf.group(group) is not None else f"No group named {group}."

    def unknown_joint(self, joint: str) -> str | None:
        """Why a joint cannot be named, None when it can: virtual joints can be, too."""
        is_known = self.robot.urdf.joint(joint) is not None or any(
            v.name == joint for v in self.srdf.virtual_joints
        )
        return None if is_known else f"No joint named {joint}."

    @property
    def srdf(self) -> Srdf:
        """The present SRDF, an empty one when there is none."""
        return self.robot.srdf or Srdf()


def group_names(robot: RobotDescription, _: object = None) -> list[str]:
    """The groups of the SRDF, to choose from."""
    return [group.name for group in robot.srdf.groups] if robot.srdf is not None else []


def list_link_names(robot: RobotDescription, _: object = None) -> list[str]:
    """The links of the URDF, to choose from."""
    return [link.name for link in robot.urdf.links]


def planned_joint_names(srdf: Srdf, urdf: Urdf, name: str) -> tuple[str, ...]:
    """The movable joints of a group, subgroups included; none for a group that does not exist."""
    group = srdf.group(name)
    return list_planned_joints(srdf, group, KinematicGraph(urdf)) if group is not None else ()
