"""Actions of the panel Margins."""

from __future__ import annotations

from editor_app.window.actions.action_tables import ActionSpec as A
from editor_app.window.actions.action_tables import under

_WORDS = "tolerance margin clearance tracking error calibration mounting proof bound buffer"

# fmt: off
MARGINS = under("Robot", "tests",
    A("margins.pose", "Prove mar&gins here", "bound_pose", "", "ruler",
      "Prove the clearance that deviations leave at this configuration", when="robot no_work"),
    A("margins.motion", "Prove margins along the motion", "bound_motion", "", "path",
      "Prove the clearance that deviations leave along the motion", when="robot no_work no_motion"),
    A("margins.buffers", "Set buffers for tolerances", "set_buffers", "", "arrows-out-line-horizontal",
      "Set buffers that make up for the tolerances in any configuration", when="robot no_work"),
    words=_WORDS,
)
