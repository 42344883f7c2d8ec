"""Words in names that say what a link or joint is for; asked only after the structure."""

from __future__ import annotations

import re

_WORDS = {
    "wheel": r"wheel|caster|castor|rotor|propell?er|track(?:_|$)",
    "finger": r"finger|knuckle|jaw|thumb|gripper|claw|pinky|phalan",
    "head": r"head|neck|pan_?tilt|laser|lidar|velodyne|camera|kinect|d435|eye|tilt_mount",
    "leg": r"(?:^|[_\-])leg|leg[_\-]|leg(?:left|right)|hip|thigh|calf|shank|knee|ankle|foot|toe",
    "sensor": r"camera|sensor|lidar|laser|imu|optical|gyro|accelero|d435|xtion|range|led|rotor|inertia|sonar|itb",
}
_COMPILED = {kind: re.compile(words, re.IGNORECASE) for kind, words in _WORDS.items()}

#: Names of frames that were made for a task, the surest first, and names of hands and feet.
_TOOLS = (
    r"(?:^|[_\-/])(?:hand_)?tcp|tool_?center_?point",
    r"tool0",
    r"grasp|pinch",
    r"(?:^|[_\-/])ee(?:f)?(?:$|[_\-/])|end_?effector",
    r"tool|(?:gripper|hand)_frame",
    r"(?:^|[_\-/])tip",
    r"flange",
)
#: Ranks up to this one are of names that a link in the middle may have, too: tip, flange.
WEAK = 2
#: From this rank on a name says what the frame is for: an end effector, a grasp; and that of a TCP,
#: the surest.
NAMED_FOR_IT, SUREST = 4, len(_TOOLS)
_HANDS = re.compile(
    r"palm|hand|gripper|(?:^|[_\-])(?:sole|foot|contact)|foot|sole|toe", re.IGNORECASE
)
_TOOL_PATTERNS = tuple(re.compile(words, re.IGNORECASE) for words in _TOOLS)
_LEFT = re.compile(r"(?:^|[_\-.])(?:left|l|lf|lh|fl|rl)(?:$|[_\-.\d])|left|^L(?=[A-Z])")
_RIGHT = re.compile(r"(?:^|[_\-.])(?:right|r|rf|rh|fr|rr)(?:$|[_\-.\d])|right|^R(?=[A-Z])")


def says(kind: str, *names: str) -> str | None:
    """The word in one of the names that speaks for `kind`; None when none does."""
    for name in names:
        match = _COMPILED[kind].search(name)
        if match is not None:
            return match.group().strip("_-")
    return None


def tool_rank(name: str) -> int:
    """How surely a name belongs to a frame made for a task: 7 (tcp) to 1 (flange), 0 for none."""
    for i, pattern in enumerate(_TOOL_PATTERNS):
        if pattern.search(name):
            return len(_TOOL_PATTERNS) - i
    return 0


def is_hand(name: str) -> bool:
    """Return whether a name belongs to a hand, a palm, or a foot."""
    return _HANDS.search(name) is not None


def side(name: str) -> int:
    """-1 for left, 1 for right, 0 when the name does not say."""
    low = name if name[:1] in "LR" and name[1:2].isupper() is False else name.lower()
    left, right = _LEFT.search(low) or _LEFT.search(name), _RIGHT.search(low) or _RIGHT.search(name)
    if (left is None) == (right is None):
        return 0
    return -1 if left is not None else 1
