"""Actions of the panel Point cloud."""

from __future__ import annotations

from editor_app.window.actions.action_tables import ActionSpec as A
from editor_app.window.actions.action_tables import under

# fmt: off
CLOUDS = under("Robot", "tests",
    A("clouds.open", "Compare with a point c&loud…", "ask", "", "cloud",
      "List measured points that no sphere covers: PLY, PCD, ROS bag or "
      "MCAP", when="robot no_work"),
    A("clouds.fit", "Fit spheres to these points", "fit", "", "plus-circle",
      "Add spheres that cover the chosen points to the selected link, else to the link of the row",
      when="robot no_work no_gap"),
    A("clouds.save", "Save the coloured points…", "save", "", "floppy-disk",
      "Save the points as PLY: grey covered, yellow to red uncovered", when="no_comparison"),
    A("clouds.clear", "Clear the point cloud", "clear", "", "trash", when="no_comparison"),
    words="scan depth camera lidar cable cover tool uncovered ply pcd heat map",
)
