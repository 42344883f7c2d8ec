"""The Robot menu's edits of the URDF as a whole: attach to the world, merge links, ignore linked bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from editor_app.edit.choices import no_attaching, no_ignoring, no_merging
from editor_app.edit.commands.urdf_merging import MergeLinks
from editor_app.edit.commands.urdf_robot import (
    AttachToWorld,
    DetachFromWorld,
    IgnoreLinkedBodies,
    world_joint,
)
from editor_app.gui.actions import NO_ROBOT
from editor_app.gui.files.expansions import read_only

if TYPE_CHECKING:
    from editor_app.gui.workbench import Workbench
    from editor_app.model.change import Change


def register(workbench: Workbench) -> None:
    """Adds the actions."""
    session, add = workbench.session, workbench.registry.register

    def world_text() -> str:
        robot = session.robot
        joint = world_joint(robot.urdf) if robot is not None else None
        return f"&Detach from {joint.parent}" if joint is not None else "&Attach to world"

    def toggle_world() -> None:
        robot = session.robot
        if robot is not None:
            change: Change = DetachFromWorld() if world_joint(robot.urdf) is not None else AttachToWorld()
            session.execute(change)

    def no_root() -> str | None:
        robot = session.robot
        if robot is None:
            return NO_ROBOT
        # What is attached can be detached again.
        attached = world_joint(robot.urdf) is not None
        return read_only(session) or (None if attached else no_attaching(robot))

    def nothing_to_merge() -> str | None:
        robot = session.robot
        return NO_ROBOT if robot is None else read_only(session) or no_merging(robot)

    def nothing_to_ignore() -> str | None:
        robot = session.robot
        if robot is None or robot.xrdf.self_collision is None:
            return NO_ROBOT if robot is None else "The XRDF has no section self-collision."
        return no_ignoring(robot)

    def show_mending() -> None:
        from PySide6.QtCore import Qt

        from editor_app.gui.window.mend_dialog import MendDialog

        dialog = MendDialog(session, workbench.jobs, workbench.qt_window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(lambda _: workbench.feed.refresh())
        dialog.open()

    add(
        "robot.mend",
        "Mend f&or another program…",
        show_mending,
        icon="wrench",
        menu="Robot",
        section="bodies",
        tooltip="Apply the remedy of every error that cuRobo or cuMotion would refuse the robot for; one step",
        enabled=lambda: None if session.robot is not None else NO_ROBOT,
        keywords="curobo cumotion fix repair limits effort velocity axis vendor findings",
    )
    add(
        "robot.world",
        world_text,
        toggle_world,
        icon="globe",
        menu="Robot",
        section="bodies",
        tooltip="A link “world” and a fixed joint from it to the root of the URDF, or without them again",
        enabled=no_root,
        keywords="urdf root base fixed attach detach",
    )
    add(
        "robot.merge",
        "&Merge links without inertial",
        lambda: session.execute(MergeLinks()),
        icon="git-merge",
        menu="Robot",
        section="bodies",
        tooltip="They become part of their parents in the URDF; shapes, spheres and joints move along",
        enabled=nothing_to_merge,
        keywords="urdf lump fixed kinematic mass",
    )
    add(
        "robot.ignore",
        "&Ignore collisions of linked bodies",
        lambda: session.execute(IgnoreLinkedBodies()),
        icon="link-break",
        menu="Robot",
        section="bodies",
        tooltip="Leave the pairs that a joint connects out of self-collision",
        enabled=nothing_to_ignore,
        keywords="mask adjacent self-collision",
    )
