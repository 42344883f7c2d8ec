"""Actions that fit the robot's model for planning."""

from __future__ import annotations

from editor_app.window.actions.action_tables import ActionSpec as A
from editor_app.window.actions.action_tables import under

# fmt: off
SELF_BUFFERS = under("Mask", "compute",
    A("mask.buffers", "Set &buffers for planning", "run", "", "arrows-in-line-horizontal",
      "Self-collision buffers with which the spheres refuse few configurations that the meshes leave free",
      "self_collision buffer_distance needless passage planner XRDF514", when="refusal"),
)
TIGHTER_FIT = under("Spheres", "fit",
    A("fit.planning", "Fit tighter for &planning", "run", "", "arrows-in-simple",
      "More and tighter spheres where they refuse configurations that the meshes leave free, with a preview",
      "passage needless refuse planner free XRDF514 XRDF515", when="refusal"),
)
BLOCKING = under("Mask", "look",
    A("mask.blocking", "Co&st against the meshes", "weigh", "", "scales",
      "Configurations that spheres refuse though the meshes are free, by pair, sphere and pose; and those that are "
      "accepted though meshes touch", "cost blocking spheres block most rank needless", when="robot"),
)
