"""The action that compares robots."""

from __future__ import annotations

from editor_app.window.actions.action_tables import ActionSpec as A
from editor_app.window.actions.action_tables import under

# fmt: off
COMPARISON = under("File/Compare", "disk",
    A("file.compare_robot", "Compare with a&nother robot…", "compare_with",
      tip="List differences in meaning from another URDF, SRDF or XRDF, and the distances of frames",
      words="diff vendor update calibration mechanism kinematics deviation", when="robot"),
    before="file.close",
)
