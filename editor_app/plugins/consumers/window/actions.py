"""Actions about what other programs read."""

from __future__ import annotations

from editor_app.window.actions.action_tables import ActionSpec as A
from editor_app.window.actions.action_tables import under

# fmt: off
OTHER_PROGRAMS = under("Robot", "bodies",
    A("robot.mend", "Mend f&or another program…", "show_mending", "", "wrench",
      "Apply the remedy of every error that cuRobo or cuMotion would refuse the robot for; one step",
      "curobo cumotion fix repair limits effort velocity axis vendor findings", when="robot"),
    A("robot.readers", "What other programs &read…", "show_readers", "", "table",
      "For each feature of this robot, which simulators and planners change, ignore or refuse it",
      "mujoco drake newton gazebo moveit isaac vamp agx profile drop lost ignored refused table", when="robot"),
    before="robot.world",
)
