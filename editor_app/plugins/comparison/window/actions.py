"""The action that compares robots."""

from __future__ import annotations

from editor_app.window.actions.action_tables import ActionSpec as A
from editor_app.window.actions.action_tables import under

# fmt: off
COMPARISON = under("File", "disk",
    A("file.compare_robot", "Compare with a&nother robot…", "compare_with",
      tip="Show what differs in meaning from another URDF, SRDF or XRDF, and how far the frames are apart",
      words="diff vendor update calibration mechanism kinematics deviation", when="robot"),
    before="file.close",
)
