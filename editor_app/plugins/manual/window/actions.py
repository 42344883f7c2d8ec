"""Actions that open the manual and its tour."""

from __future__ import annotations

from editor_app.window.actions.action_tables import ActionSpec as A
from editor_app.window.actions.action_tables import under

# fmt: off
MANUAL = under("Help", "manual",
    A("help.manual", "&Manual", "open_here", "F1", "book-open", "Open the manual page about the focused panel",
      "help documentation"),
    A("help.formats", "Formats and &specifications", "open_page", "", "file-text",
      words="XRDF URDF SRDF COLLADA specification", given=("formats.md",)),
    A("help.news", "What's &new", "open_page", "", "sparkle", words="changelog version", given=("what-is-new.md",)),
    A("help.tour", "Take the &tour", "tour.begin", "", "compass", "Five steps through the window with the sample robot",
      "introduction tutorial"),
    before="help.shortcuts",
)
