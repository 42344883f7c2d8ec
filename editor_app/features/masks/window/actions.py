"""Actions about self-collision."""

from __future__ import annotations

from editor_app.core.document.commands.self_collision import MaskFile
from editor_app.window.actions.action_tables import IN_PAIRS, under
from editor_app.window.actions.action_tables import ActionSpec as A

#: As RULES of action_tables, of the tables below.
RULES = {
    "computing": ("controller.state.is_analysing", "No computation is running."),
    "idle": ("not controller.state.is_analysing", "A computation is running."),
    "pairs": ("controller.selected", "Select pairs in the matrix first."),
    "pair_shown": ("controller.can_go_back", "Show a pair on the robot first."),
    "mask_srdf": ("controller.state.has_srdf", "Open or draft an SRDF first (panel SRDF)."),
}
# fmt: off
MASK = (
    *under("Mask", "compute",
        A("mask.compute", "&Compute the mask", "compute", "Shift+M", "grid-four",
          "Find which pairs of links can collide, by samples, search and proofs",
          "self-collision matrix allowed collision acm "
          "generate", when="controller.reason_not_to_compute",
          toolbar="mask"),
        A("mask.cancel", "S&top computing", "controller.cancel", tip="Stop and keep the results so far",
          when="computing"),
        A("mask.write", "&Write the mask…", "write", "", "floppy-disk-back",
          "Preview the changes, then write them "
          "as one step", "self-collision proposal", when="no_evidence"),
        A("mask.compare_meshes", "Compare with the &meshes", "compare_meshes",
          tip="Check whether collisions are real or false collisions of the spheres",
          words="second opinion hull fcl", when="idle no_evidence"),
    ),
    *under("Mask", "conflicts",
        A("mask.next_conflict", "&Next conflict", "next_conflict", "F7", "warning-circle",
          "Show the next pair on which mask and evidence disagree", when="no_evidence no_conflict",
          contexts="pairs", given=(1,)),
        A("mask.previous_conflict", "&Previous conflict", "next_conflict", "Shift+F7", "",
          "Show the previous pair on which mask and evidence disagree",
          when="no_evidence no_conflict", given=(-1,)),
        A("mask.leave", "&Skip, next conflict", "controller.leave_and_go_on", "K", "skip-forward",
          "Keep the selected conflict and do not show it again until the robot is reopened",
          when="no_evidence pairs no_selected_conflict", contexts="pairs", place=IN_PAIRS),
    ),
    *under("Mask", "pairs",
        A("mask.mask_pairs", "I&gnore the selected pairs", "change", "M", "eye-slash",
          "Ignore self-collision of the selected pairs",
          "disable mask allow", when="no_evidence pairs all_ignored", given=("ignore",)),
        A("mask.unmask_pairs", "C&heck the selected pairs", "change", "U", "eye",
          "Check self-collision of the selected pairs again", "enable unmask",
          when="no_evidence pairs all_checked", given=("check",)),
        A("mask.reset_pairs", "&Reset the selected pairs", "change", "O", "arrow-counter-clockwise",
          "Restore them as they were when the file was "
          "opened", when="no_evidence pairs all_as_opened",
          given=("reset",)),
        label="pairs_text", contexts="pairs", place=IN_PAIRS,
    ),
    *under("Mask", "pair",
        A("mask.show_pair", "Show the pair on the robot", "look", "", "robot",
          "Move the robot to the worst known configuration of the pair", given=("show_witness",)),
        A("mask.search", "Se&arch closer", "look", "", "magnifying-glass",
          "Search for a configuration in which the pair is closer", given=("search_closer",)),
        A("mask.nearest", "Select the n&earest spheres", "look", "", "circles-three",
          "Select the two nearest spheres of the pair, to shrink or "
          "move them", given=("select_spheres",)),
        when="no_evidence pairs", contexts="pairs",
    ),
    *under("Mask", "pair",
        A("mask.shrink", "Shrin&k the spheres of the pair", "look", "I", "arrows-in",
          "Shrink the overlapping spheres at this pose until they no longer overlap",
          when="no_evidence pairs not_overlapping", contexts="pairs", place=IN_PAIRS, given=("shrink",)),
        A("mask.back", "Restore m&y pose", "controller.back", "", "arrow-u-up-left",
          "Return to the pose before a pair was shown (Esc in the matrix)", when="pair_shown",
          contexts="pairs"),
    ),
    *under("Mask", "srdf",
        A("mask.from_srdf", "Copy &from the SRDF…", "carry", "", "arrow-square-in",
          "Preview the pairs that only the SRDF disables, then ignore them as one step",
          given=(MaskFile.XRDF,)),
        A("mask.to_srdf", "Copy &to the SRDF…", "carry", "", "arrow-square-out",
          "Preview the pairs that only the XRDF ignores, then disable them with reasons",
          given=(MaskFile.SRDF,)),
        words="disable_collisions moveit", when="robot mask_srdf",
    ),
    *under("Mask", "look",
        A("mask.overlaps", "Show &overlaps at this pose", "show_overlaps", tip="List the pairs that overlap now",
          when="robot"),
    ),
)
