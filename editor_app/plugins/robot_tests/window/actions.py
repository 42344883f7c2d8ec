"""Actions of the panel Tests."""

from __future__ import annotations

from editor_app.window.actions.action_tables import ActionSpec as A
from editor_app.window.actions.action_tables import under

_WORDS = "test suite regression expectation assert"

# fmt: off
TESTS = (
    *under("Robot", "tests",
        A("tests.run", "Run tests", "run_now", "", "check-circle",
          "Run the tests in ROBOT.tests.yaml now, and list them "
          "in the panel Tests", when="robot no_file no_tests"),
        A("tests.keep_pose", "Keep this configuration as test", "keep_pose", "", "push-pin",
          "Add a test: this configuration is free, or collides, as measured", when="robot no_file"),
        A("tests.keep_motion", "Keep the motion as test", "keep_motion", "", "push-pin",
          "Add a test: the planner connects the first and last "
          "pose of the motion", when="robot no_file no_motion"),
        A("tests.keep_target", "Keep the tool target as test", "keep_target", "", "push-pin",
          "Add a test: the tool reaches the target that it was "
          "moved to", when="robot no_file no_target"),
        A("tests.keep_place", "Keep the place of the frame as test", "keep_place", "", "push-pin",
          "Add a test: the selected frame is at this place at "
          "this configuration", when="robot no_file no_frame"),
        A("tests.keep_measurement", "Keep the measurement as test", "keep_measurement", "", "push-pin",
          "Add a test: the two measured points keep their distance", "distance ruler",
          when="robot no_file no_measurement"),
        A("tests.keep_recorded", "Keep a recorded motion as test…", "keep_recorded", "", "push-pin",
          "Add a test: a trajectory or bag from the real robot stays "
          "possible", "rosbag recording log",
          when="robot no_file"),
        A("tests.propose", "Propose tests", "propose", "", "magic-wand",
          "Write a first test file with the measured behaviour of "
          "the robot", when="robot no_file has_file"),
        words=_WORDS,
    ),
)
DECISIONS = under("Mask", "look",
    A("mask.decisions", "Show &decisions", "show_decisions", "", "check",
      "List who decided which pairs are ignored, when and why; sign pairs",
      "sign signature approve audit evidence proof TEST021 TEST022", when="robot"),
)
