"""Actions that put robots together and take them apart."""

from __future__ import annotations

from editor_app.window.actions.action_tables import ActionSpec as A
from editor_app.window.actions.action_tables import under

# fmt: off
PARTS = (
    *under("Robot", "bodies",
        A("robot.attach", "Atta&ch a part…", "show_attaching", "", "puzzle-piece",
          "Attach a gripper, tool or arm from its own URDF, XRDF and SRDF to a link, as one undo "
          "step",
          "compose gripper hand tool arm flange mount combine "
          "assembly payload", when="robot read_only_urdf"),
        A("robot.replace", "Re&place a part…", "show_replacing", "", "swap",
          "Replace the part of the selected link by another one on the same mount, as one undo "
          "step",
          "swap exchange gripper hand tool change", when="robot read_only_urdf no_part"),
        A("robot.detach", "Detach a part", "detach", "", "puzzle-piece",
          "Remove the part of the selected link and everything that refers to it; files without "
          "later edits are "
          "restored exactly", "gripper hand tool remove part", when="robot read_only_urdf no_part"),
    ),
    *under("Robot/Gripper", "pose",
        A("robot.gripper_closed", "Set gripper close&d", "set_gripper", "", "hand-fist",
          "Close the fingers of the selected hand, or of all hands, by default: from its SRDF, or "
          "by their limits",
          "variant grasp fingers default close", when="robot no_fingers", given=("closed",)),
        A("robot.gripper_half", "Set gripper &half open", "set_gripper", "", "hand-grabbing",
          "Open the fingers of the selected hand, or of all hands, half-way by default",
          "variant fingers default middle", when="robot no_fingers", given=("half",)),
        A("robot.gripper_open", "Set gripper &open", "set_gripper", "", "hand-palm",
          "Open the fingers of the selected hand, or of all hands, by default: from its SRDF, or "
          "by their limits",
          "variant fingers default release", when="robot no_fingers", given=("open",)),
    ),
)
