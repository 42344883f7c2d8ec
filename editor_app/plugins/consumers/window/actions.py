"""Actions that prepare the robot for other programs."""

from __future__ import annotations

from editor_app.window.actions.action_tables import ActionSpec as A
from editor_app.window.actions.action_tables import under

# fmt: off
OTHER_PROGRAMS = under("Robot", "programs",
    A("robot.mend", "Fix f&or another program…", "show_repair", "", "wrench",
      "Fix every error for which cuRobo or cuMotion would reject the robot, as one undo step",
      "curobo cumotion repair effort velocity axis vendor findings", when="robot"),
    A("robot.readers", "Show what other programs &read…", "show_readers", "", "table",
      "List which simulators and planners change, ignore or reject each feature of this robot",
      "mujoco drake newton gazebo moveit isaac vamp agx profile drop lost ignored "
      "refused table", when="robot"),
)
