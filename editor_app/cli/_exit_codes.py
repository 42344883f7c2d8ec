"""The exit codes of all commands: what scripts and CI go by. Help and manual speak from this table."""

from __future__ import annotations

#: Of every command, beside its own.
COMMON = {
    2: "it could not be done: standard error says why",
    130: "it was interrupted",
}

#: Command -> exit code -> what it means.
EXIT_CODES: dict[str, dict[int, str]] = {
    "batch": {
        0: "every step of every robot was done, and none has an error",
        1: "a robot has a problem",
        4: "nothing is wrong but that mesh files are missing (MESH001): figures of these robots are of other shapes",
    },
    "check": {
        0: "no finding is as severe as --fail-on says",
        1: "at least one is",
        2: "a file cannot be read, or it could not be done: standard error says why",
    },
    "collide": {
        0: "free",
        1: "something collides that is not ignored, or a way between two points could not be proven free",
    },
    "collision": {0: "done", 1: "done, but the surface of a link is not proven to be covered"},
    "completion": {0: "done"},
    "compose": {
        0: "done",
        1: "done, but a pair between a part and what it hangs on is checked though its spheres overlap at the default "
        "configuration, or always",
    },
    "convert": {0: "written", 1: "with --fail-on-loss: something was lost on the way"},
    "cost": {0: "nothing is accepted wrongly", 1: "something is"},
    "detach": {0: "done"},
    "variant": {0: "done"},
    "diff": {0: "both mean the same", 1: "they differ"},
    "edit": {0: "done"},
    "fit": {
        0: "done",
        1: "done, but a surface that was to be covered stays open",
        3: "with --for planning: done, but the spheres refuse more than 20 % of what the meshes leave free, or close a "
        "passage",
    },
    "lsp": {0: "the editor has ended it"},
    "mask": {
        0: "the mask of the file as it was read hides no collision that is known to be possible, and misses none that "
        "is certain",
        1: "it hides a possible collision (a pair is ignored although it can collide)",
        3: "it misses a certain one (a pair is checked although it overlaps at the default configuration, or always)",
        4: "both",
    },
    "mend": {0: "no error is left", 1: "an error is left"},
    "new": {
        0: "done",
        1: "done, but errors remain in the file, by the rules of --profile",
        3: "done, but the spheres refuse more than 20 % of what the meshes leave free, close a passage, or let "
        "collisions pass (XRDF514 to XRDF516)",
        4: "done, but mesh files that links were to be fitted to are missing (MESH001): these links have no spheres, "
        "or spheres of other shapes",
    },
    "plan": {0: "every query was solved", 1: "at least one was not, or ignored links touch by their meshes on the way"},
    "pose": {0: "done; with --to or --by: the place is reached", 1: "the place is not reached"},
    "schema": {0: "done"},
}


def exit_codes(name: str) -> dict[int, str]:
    """All the exit codes of a command, in order -> what each means."""
    return dict(sorted({**COMMON, **EXIT_CODES[name]}.items()))
