"""The action that makes collision shapes."""

from __future__ import annotations

from editor_app.window.actions.action_tables import ActionSpec as A
from editor_app.window.actions.action_tables import under

# fmt: off
SHAPES = under("Robot", "bodies",
    A("robot.collision", "Make c&ollision shapes…", "show_collision_shapes", "", "polygon",
      "Hulls, convex parts, boxes, cylinders, capsules or spheres as collision elements of the URDF, with figures; "
      "one step", "convex decomposition coacd simplify mesh hull box capsule primitive collision urdf",
      when="robot read_only_urdf", contexts="link"),
    before="robot.world",
)
