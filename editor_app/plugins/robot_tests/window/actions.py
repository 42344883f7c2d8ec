"""Actions of the panel Tests."""

from __future__ import annotations

from editor_app.window.actions.action_tables import ActionSpec as A
from editor_app.window.actions.action_tables import under

_WORDS = "test suite regression expectation assert"

# fmt: off
TESTS = (
    *under("Robot", "tests",
        A("tests.run", "Run tests", "run_now", "", "check-circle",
          "Run the tests in ROBOT.tests.yaml now, and list them in the panel Tests", when="robot no_file no_tests"),
        A("tests.keep_pose", "Keep this configuration as test", "keep_pose", "", "push-pin",
          "Add a test: this configuration is free, or collides, as measured", when="robot no_file"),
        A("tests.keep_motion", "Keep the motion as test", "keep_motion", "", "push-pin",
          "Add a test: the planner connects the first and last pose of the motion", when="robot no_file no_motion"),
        A("tests.propose", "Propose tests", "propose", "", "magic-wand",
          "Write a first test file with the measured behaviour of the robot", when="robot no_file has_file"),
        words=_WORDS,
    ),
)
