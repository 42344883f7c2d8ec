"""Actions that draft an XRDF and list its choices."""

from __future__ import annotations

from editor_app.window.actions.action_tables import ActionSpec as A
from editor_app.window.actions.action_tables import under

# fmt: off
DECIDED = under("Help", "",
    A("help.decided", "What was &decided", "run", "", "clipboard-text",
      "List the choices in the XRDF: joints, tool frames, default position, spheres, ignored "
      "pairs, buffers, guesses",
      "decisions summary guessed placeholder mask "
      "buffers explain why", when="refusal", before="help.shortcuts"),
)
FREE_DEFAULT = under("Robot", "draft",
    A("robot.free_default", "&Find a free default position", "run", "", "house-line",
      "Search near the default position for one without self-collision and make it the default",
      "default_joint_positions pose home collision overlap search XRDF605", when="refusal"),
)
FIRST_FILE = under("Robot", "draft",
    A("robot.first_file", "Create &XRDF", "run", "", "sparkle",
      "Compute spheres, mask, buffers and default position for a robot without spheres, as the "
      "command new does",
      "new draft spheres mask fit begin generate XRDF312", when="refusal"),
    before="robot.make_default",
)
