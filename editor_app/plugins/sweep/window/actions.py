"""Actions of the swept volume."""

from __future__ import annotations

from editor_app.window.actions.action_tables import ActionSpec as A
from editor_app.window.actions.action_tables import under

# fmt: off
SWEEP = under("Motion", "export",
    A("motion.sweep", "Save the swept &volume…", "ask", "", "cube",
      "Save the volume that the robot sweeps along the motion as a closed mesh, or as spheres",
      "stl space envelope trajectory export cad", when="robot no_motion no_sweep"),
)
