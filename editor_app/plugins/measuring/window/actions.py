"""Actions of measuring, of the section plane, and of the ghost of a former state."""

from __future__ import annotations

from editor_app.window.actions.action_tables import ActionSpec as A
from editor_app.window.actions.action_tables import under

#: As RULES of action_tables, of the tables below.
RULES = {
    "notes": ("ruler.notes", "Measure something first."),
    "hidden_note": ("any_hidden", "No measurement is hidden."),
    "cut": ("section.is_on", "The section plane is off."),
}
CUTS = (("both", "Cut meshes and spheres"), ("meshes", "Cut meshes"), ("spheres", "Cut spheres"))

# fmt: off
FORMER = under("View/View options", "show",
    A("view.former", "Show the state &before the last change", "flip_ghost", "Shift+G", "ghost",
      "Also draw spheres and links as they were before the last change",
      given=("former",), button=225),
    A("view.since_saved", "Show the sa&ved state", "flip_ghost", "Ctrl+Shift+G", "ghost",
      "Also draw spheres and links of the saved files",
      given=("since_saved",), button=230),
    words="ghost previous former compare onion skin before after saved file", checked="is_on", local=True,
    before="view.radius.bare",
)
_NOTE = "distance angle radius ruler note"
MEASURING = (
    *under("View", "measure",
        A("measure.tool", "Meas&ure", "flip_tool", "D", "ruler",
          "Measure distances, angles and radii between surfaces, spheres and frames",
          "distance angle radius ruler length gap",
          when="robot", checked="is_tool", contexts="viewport", local=True, given=("measure",), button=30),
        before="pose.tool",
    ),
    *under("View/Measurements", "measure",
        A("measure.rename", "Rename the measurement", "ruler.rename_asked.emit", "", "pencil-simple"),
        A("measure.copy", "Copy the measurement", "copy_note", "", "copy",
          "Copy its numbers and points as a line of text"),
        A("measure.remove", "Remove the measurement", "remove_note", "", "trash"),
        A("measure.hide", "Hide the measurement", "hide_note", "", "eye-slash", checked="is_note_hidden"),
        words=_NOTE, when="no_note_chosen", contexts="note",
        before="pose.tool",
    ),
    *under("View/Measurements", "measure",
        A("measure.show_all", "Show all measurements", "show_notes", "", "eye", words="distance angle ruler note",
          when="hidden_note"),
        A("measure.copy_all", "Copy all measurements", "copy_notes", "", "copy",
          words="distance angle ruler note clipboard", when="notes", contexts="note"),
        A("measure.clear", "Clear measurements", "ruler.clear", "Shift+D", "eraser",
          words="distance angle ruler remove", when="notes", contexts="viewport", local=True),
        before="pose.tool",
    ),
)
SECTION = (
    *under("View", "measure",
        A("section.toggle", "Section &plane", "section.toggle", "Q", "square-half",
          "Cut meshes and spheres with a plane; its arrow moves it, its rings tilt it",
          "cut clip slice "
          "look inside", when="robot", checked="section.is_on", contexts="viewport", local=True,
          button=235),
        before="pose.tool",
    ),
    *under("View/Section", "measure",
        *(A(f"section.across_{name.lower()}", f"Section across {name}", "section.set_axis", when="robot",
            words="cut clip slice plane axis normal", checked="is_across", given=(axis,))
          for axis, name in enumerate("XYZ")),
        before="pose.tool",
    ),
    *under("View/Section", "measure",
        A("section.flip", "Flip the section", "section.flip", "Shift+Q", tip="Cut away the other side of the plane",
          words="cut clip slice other side reverse", when="robot cut", local=True),
        before="pose.tool",
    ),
    *under("View/Section", "measure",
        *(A(f"section.cut_{cut}", text, "cut", when="robot", words="section plane clip slice",
            checked="is_cut", given=(cut,))
          for cut, text in CUTS),
        before="pose.tool",
    ),
)
