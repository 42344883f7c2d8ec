"""Actions that fit spheres."""

from __future__ import annotations

from editor_app.window.actions.action_tables import ActionSpec as A
from editor_app.window.actions.action_tables import under

#: As RULES of action_tables, of the tables below.
RULES = {
    "shapes": ("context.links_with_mesh", "No link has shapes, or they are still loading."),
    "proposed": ("proposed", "Fit spheres first."),
    "mount": ("context.mount", "This robot has no mounting plane, or its meshes are loading."),
}
# fmt: off
FIT = (
    *under("Spheres", "fit",
        A("fit.links", "&Fit spheres…", "open_fit", "Shift+F", "sparkle", "Fit spheres to the selected links",
          "generate create automatic collision "
          "spheres", when="robot links_to_fit", toolbar="spheres",
          contexts="link sphere"),
        A("fit.robot", "Fit the &whole robot…", "open_robot", "Ctrl+Shift+F", "robot",
          "Fit spheres to all links at once", "generate automatic all links", when="robot shapes",
          toolbar="spheres", contexts="viewport"),
    ),
    *under("View", "show",
        A("view.heat_map", "&Coverage heat map", "heat_map.toggle", "Shift+V", "thermometer",
          "Colour the meshes: red where uncovered, blue where deep inside spheres",
          "quality deviation uncovered "
          "protrusion", when="robot", checked="heat_map.is_on", toolbar="spheres",
          contexts="viewport link", button=120),
    ),
    *under("Spheres", "fit",
        A("fit.mount", "Keep base above &mounting plane", "flip_mount", "", "align-bottom",
          "Fitted spheres of the base end at its lowest face instead of reaching into the table "
          "or floor",
          "plane table floor clip "
          "base", when="mount", checked="is_mount_used", contexts="viewport"),
    ),
)
COPY_ALIKE = under("Spheres", "alike",
    A("spheres.lock", "&Lock in fits", "lock", "", "lock-simple",
      "Protect the selected spheres from fits and tools until the robot is closed",
      "keep fix freeze protect", when="no_sphere", checked="is_locked", contexts="sphere"),
    A("spheres.copy_alike", "Copy to links with the same &mesh", "copy_to_alike", "", "copy",
      "Copy the spheres to every link with the same or a "
      "mirrored mesh", "mirror left right finger identical",
      when="no_alike", contexts="link sphere"),
)
ACCEPT = under("Spheres", "fit",
    A("fit.accept", "&Accept the proposed spheres", "accept", "Return Enter", "check", when="proposed",
      contexts="viewport", local=True),
)
