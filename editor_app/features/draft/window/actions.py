"""Actions of a first file."""

from __future__ import annotations

from editor_app.window.actions.action_tables import ActionSpec as A
from editor_app.window.actions.action_tables import under

# fmt: off
FREE_DEFAULT = under("Robot", "pose",
    A("robot.free_default", "&Find a free default position", "run", "", "house-line",
      "Look near the default position for one without self-collision, and make it the default",
      "default_joint_positions pose home collision overlap search XRDF605", when="refusal"),
)
FIRST_FILE = under("Robot", "pose",
    A("robot.first_file", "&Make the first file", "run", "", "sparkle",
      "Spheres, mask, buffers and a default position for a robot without any, fit for planning: as the command new",
      "new draft spheres mask fit begin XRDF312", when="refusal"),
)
