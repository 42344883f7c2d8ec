"""Actions that put robots together and take them apart."""

from __future__ import annotations

from editor_app.window.actions.action_tables import ActionSpec as A
from editor_app.window.actions.action_tables import under

# fmt: off
PARTS = under("Robot", "bodies",
    A("robot.attach", "Atta&ch a part…", "show_attaching", "", "puzzle-piece",
      "A gripper, a tool or an arm from its own URDF, XRDF and SRDF, on a link of this robot; one step",
      "compose gripper hand tool arm flange mount combine assembly", when="robot read_only_urdf"),
    A("robot.detach", "Detach a part", "detach", "", "puzzle-piece",
      "The part that the selected link belongs to comes off, with what names it; the files are as before, if "
      "nothing was edited since", "gripper hand tool remove part", when="robot read_only_urdf"),
    A("robot.replace", "Re&place a part…", "show_replacing", "", "swap",
      "Another part in the place of the one that the selected link belongs to, on the same mount; one step",
      "swap exchange gripper hand tool change", when="robot read_only_urdf"),
    A("robot.gripper_closed", "Gripper close&d", "set_gripper", "", "hand-fist",
      "The fingers of the selected hand, or of all, are closed by default: by its SRDF, or by their limits",
      "variant grasp fingers default close", when="robot no_fingers", given=("closed",)),
    A("robot.gripper_half", "Gripper &half open", "set_gripper", "", "hand-grabbing",
      "The fingers of the selected hand, or of all, are half open by default",
      "variant fingers default middle", when="robot no_fingers", given=("half",)),
    A("robot.gripper_open", "Gripper &open", "set_gripper", "", "hand-palm",
      "The fingers of the selected hand, or of all, are open by default: by its SRDF, or by their limits",
      "variant fingers default release", when="robot no_fingers", given=("open",)),
    before="robot.world",
)
