"""Actions that open the manual and its tour."""

from __future__ import annotations

from editor_app.window.actions.action_tables import ActionSpec as A
from editor_app.window.actions.action_tables import under

# fmt: off
MANUAL = under("Help", "manual",
    A("help.manual", "&Manual", "open_here", "F1", "book-open", "The page about the panel that has the focus",
      "help documentation"),
    A("help.formats", "&Formats and their specifications", "open_page", "", "file-text",
      words="XRDF URDF SRDF COLLADA specification", given=("formats.md",)),
    A("help.news", "What is &new", "open_page", "", "sparkle", words="changelog version", given=("what-is-new.md",)),
    A("help.tour", "&Tour over the sample robot", "tour.begin", "", "compass", "Five steps through the window",
      "introduction tutorial"),
    before="help.shortcuts",
)
