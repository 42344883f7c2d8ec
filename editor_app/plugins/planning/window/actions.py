"""Actions that prepare the robot model for planning."""

from __future__ import annotations

from editor_app.window.actions.action_tables import ActionSpec as A
from editor_app.window.actions.action_tables import under

# fmt: off
SELF_BUFFERS = under("Mask", "compute",
    A("mask.buffers", "Set &buffers for planning", "run", "", "arrows-in-line-horizontal",
      "Set self-collision buffers that cause few false collisions",
      "self_collision buffer_distance false collision passage planner padding "
      "XRDF514", when="refusal"),
)
TIGHTER_FIT = under("Spheres", "fit",
    A("fit.planning", "Fit tighter for &planning", "run", "", "arrows-in-simple",
      "Add tighter spheres where they cause false collisions, with a preview",
      "passage false collision planner free XRDF514 XRDF515", when="refusal"),
)
BLOCKING = under("Mask", "look",
    A("mask.blocking", "Count false and missed colli&sions", "weigh", "", "scales",
      "List false and missed collisions by pair, sphere and pose",
      "cost blocking spheres block most rank false missed", when="robot"),
)
