"""Which values of an XRDF are guesses or placeholders that nobody has confirmed yet."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Urdf
from editor_app.core.model.xrdf import PLACEHOLDER_ACCELERATION, PLACEHOLDER_JERK, CSpace, Xrdf

#: A key of the XRDF and a joint; "" for the value of the key as a whole.
GuessedPart = tuple[str, str]
POSITIONS, TOOLS = "default_joint_positions", "tool_frames"
#: Keys of the c-space with a value for each joint, and the values of a draft.
PLACEHOLDERS = {"acceleration_limits": PLACEHOLDER_ACCELERATION, "jerk_limits": PLACEHOLDER_JERK}


@dataclass(frozen=True, slots=True)
class Guesses:
    """`parts`: each guessed part with its guessed value, in the order of the file."""

    parts: FrozenDict[GuessedPart, object] = FrozenDict()

    @property
    def entries(self) -> tuple[str, ...]:
        """The keys of the XRDF that have guesses."""
        return tuple(dict.fromkeys(key for key, _ in self.parts))

    def joints(self, key: str) -> tuple[str, ...]:
        """The joints of a key whose values are guesses."""
        return tuple(joint for each, joint in self.parts if each == key and joint)

    def under(self, keys: Collection[str]) -> tuple[GuessedPart, ...]:
        """The guessed parts of these keys."""
        return tuple(part for part in self.parts if part[0] in keys)

    def described(self, keys: Collection[str] | None = None) -> str:
        """ "controlled joints, 6 jerk limits": of all entries, or of `keys`."""
        wanted = [key for key in self.entries if keys is None or key in keys]
        return ", ".join(_described(key, len(self.joints(key))) for key in wanted)

    def left_in(self, xrdf: Xrdf) -> Guesses:
        """The guesses whose value is still the guessed one."""
        values = {key: get_values(xrdf, key) for key in self.entries}
        return Guesses(
            FrozenDict(
                {
                    (k, j): v
                    for (k, j), v in self.parts.items()
                    if j in values[k] and values[k][j] == v
                }
            )
        )


NO_GUESSES = Guesses()


def _described(key: str, joints: int) -> str:
    if key == "cspace":
        return "controlled joints"
    words = key.removesuffix("s").replace("_joint_", " ").replace("_", " ")
    return format_count(joints, words) if joints else f"{words}s"


def get_values(xrdf: Xrdf, key: str) -> dict[str, object]:
    """Return the values of a key that can be given one by one: joint -> value, or "" -> the whole
    value."""
    cspace = xrdf.cspace or CSpace()
    joints = cspace.joint_names or ()
    match key:
        case "default_joint_positions":
            return dict(xrdf.default_joint_positions or {})
        case "acceleration_limits" | "jerk_limits":
            return dict(zip(joints, getattr(cspace, key) or (), strict=False))
        case "cspace":
            return {"": joints}
        case "tool_frames":
            return {"": xrdf.tool_frames}
        case _:
            return {"": None}


def added_placeholders(old: Xrdf, new: Xrdf, urdf: Urdf) -> dict[GuessedPart, object]:
    """Return the limits that `old` did not give, or not above 0, and that `new` fills with
    placeholders."""
    parts: dict[GuessedPart, object] = {}
    if new.cspace is None or new.cspace is old.cspace:
        return parts
    names = _renamed_joints(old, new)
    for key, placeholder in PLACEHOLDERS.items():
        before = {names.get(joint, joint): value for joint, value in get_values(old, key).items()}
        for joint, value in get_values(new, key).items():
            given = before.get(joint)
            if value == placeholder and not (isinstance(given, (int, float)) and given > 0.0):
                limit = next((each.limit for each in urdf.joints if each.name == joint), None)
                if limit is None or getattr(limit, key.removesuffix("_limits")) is None:
                    parts[key, joint] = value
    return parts


def _renamed_joints(old: Xrdf, new: Xrdf) -> dict[str, str]:
    """Return old name -> new name of the controlled joints that were renamed: they keep their
    places in the c-space."""
    before, after = ((each.cspace or CSpace()).joint_names or () for each in (old, new))
    if len(before) != len(after):
        return {}
    return {a: b for a, b in zip(before, after, strict=True) if a not in after and b not in before}


def present_guesses(
    read: Guesses, old: Xrdf, new: Xrdf, urdf: Urdf, confirmed: Iterable[GuessedPart]
) -> Guesses:
    """Return the guesses of an edited XRDF.

    `read`: the guesses of the file, whose XRDF is `old`. `confirmed`: parts that somebody confirmed
    since.
    """
    names = _renamed_joints(old, new)
    renamed: dict[GuessedPart, object] = {}
    for (key, joint), value in read.parts.items():
        if key == "cspace" and isinstance(value, tuple):
            value = tuple(names.get(name, name) for name in value)
        renamed[key, names.get(joint, joint)] = value
    parts = {
        **Guesses(FrozenDict(renamed)).left_in(new).parts,
        **added_placeholders(old, new, urdf),
    }
    for part in confirmed:
        parts.pop(part, None)
    return read if parts == dict(read.parts) else Guesses(FrozenDict(parts))


def given_parts(change: object, robot: RobotDescription) -> Iterator[GuessedPart]:
    """Yield the parts to which a change gives a value, the present one included: none of them is a
    guess then."""
    for part in getattr(change, "changes", ()):
        yield from given_parts(part, robot)
    gives = getattr(change, "given_parts", None)
    if gives is not None:
        yield from gives(robot)
