"""Words of the style guide that readers stumble over, and what to write instead. One table for
pages and program."""

from __future__ import annotations

import re

#: Whole words to avoid -> what to write.
AVOIDED = {
    r"tells?|told|telling": "reports, lists, prints",
    r"beside|along with it|thereof": "next to, in the same folder",
    r"mends?|mended|mending": "fix",
    r"remed(?:y|ies)": "fix",
    r"stands? (?:out|for|in|beside|open)|stood": "protrude, represent, is in",
    r"whatever|what comes back": "name the thing",
    r"of its own|of them|of his own": "rewrite the sentence",
    r"is none|are none|there is none": "no …, missing",
    r"lets? (?:\w+ )?pass|refused needlessly|accepted "
    r"wrongly": "missed collisions, false collisions",
    r"bare": "uncovered",
    r"ask the meshes": "compare with the meshes",
    r"makers?": "manufacturer",
    r"twins?|siblings?": "duplicate, mirrored link",
    r"house|doors?|roads?": "package, module, entry point",
}
#: Also to avoid in texts of the program, which are short.
AVOIDED_IN_TEXTS = {
    **AVOIDED,
    r"hangs? on|hung": "is a child of, is attached to",
    r"has to be|have to be": "must be",
    r"look whether": "check whether",
    r"made anew|written anew": "rebuilt, rewritten",
    r"is not there|are not there": "does not exist, was not found",
    r"stands? twice|judged?": "appears twice, checked",
    r"all the same": "anyway",
    r"outside of": "outside",
    r"first file": "XRDF",
    r"as it is|as they are": "unchanged",
}
#: Labels and output of the program, which pages quote as they are: *label*, `code`, fenced blocks,
#: link targets, and the headings of commands.
_QUOTED = re.compile(
    r"^```.*?^```|`[^`\n]*`|\*{1,2}[^*\n]+\*{1,2}|\]\([^)\n]*\)|^## xrdf-editor \w+$",
    re.MULTILINE | re.DOTALL,
)


def without_quotes(text: str) -> str:
    """Return a page without what it quotes; lines keep their numbers."""
    return _QUOTED.sub(lambda quoted: "\n" * quoted.group().count("\n"), text)


def find_faults(text: str, avoided: dict[str, str]) -> list[str]:
    """Return `line: word: what to write` for each word to avoid."""
    return [
        f"{text.count(chr(10), 0, hit.start()) + 1}: {hit.group()}: {advice}"
        for pattern, advice in avoided.items()
        for hit in re.finditer(rf"\b(?:{pattern})\b", text, re.IGNORECASE)
    ]
