"""The action that creates collision shapes."""

from __future__ import annotations

from editor_app.window.actions.action_tables import ActionSpec as A
from editor_app.window.actions.action_tables import under

# fmt: off
SHAPES = under("Robot", "bodies",
    A("robot.collision", "Create c&ollision shapes…", "show_collision_shapes", "", "polygon",
      "Create hulls, convex parts, boxes, cylinders, capsules or spheres as collision elements of "
      "the URDF",
      "convex decomposition coacd simplify mesh hull box capsule primitive collision urdf",
      when="robot read_only_urdf", contexts="link"),
)
