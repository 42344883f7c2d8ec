"""Remedies that several findings offer: commands with the sentence that their button says; and
remedies of the text itself, because the model cannot tell before from after."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from editor_app.core.document import commands
from editor_app.core.document.commands.collision import Section
from editor_app.core.drafting import plan_control
from editor_app.core.formats.xrdf import XrdfSource, read_xrdf
from editor_app.core.model.findings import Finding, SphereRef, YamlPath
from editor_app.core.model.keys import Named
from editor_app.core.model.references import DocumentName
from editor_app.core.model.robot import CannotApply, Change
from editor_app.core.model.urdf import (
    PLACEHOLDER_EFFORT,
    PLACEHOLDER_SLIDING_SPEED,
    PLACEHOLDER_TURNING_SPEED,
    Joint,
    JointType,
    Limit,
    Urdf,
    finite_range,
)
from editor_app.core.model.xrdf import (
    PLACEHOLDER_ACCELERATION,
    PLACEHOLDER_JERK,
    AddFrame,
    CSpace,
    LinkPair,
    Xrdf,
)
from editor_app.core.space.kinematics.tree import KinematicTree
from editor_app.core.text.source import SourceText
from editor_app.core.text.yaml.changes import (
    CannotEdit,
    Delete,
    Edit,
    InsertKey,
    RenameKey,
    SetValue,
    edit_text,
)
from editor_app.core.text.yaml.compose import compose_document
from editor_app.core.text.yaml.nodes import (
    Mapping,
    Node,
    Scalar,
    Sequence,
    get_key_text,
    resolve_alias,
)
from editor_app.core.text.yaml.plan import Block, Flow, Spelled, spelled
from editor_app.core.text.yaml.scalars import format_number, format_string, parse_number


def offer(label: str, change: Change) -> Change:
    """`change` with the sentence that the button of a finding says."""
    return commands.Several(label, (change,))


def corrected(
    document: DocumentName, named: Named, field: str, wrong: str, right: str | None
) -> tuple[Change, ...]:
    """Writes the name that is probably meant, where there is one, or deletes what refers to the
    wrong one."""
    replaced = () if right is None else (commands.ReplaceName(document, named, wrong, right),)
    return *replaced, commands.CorrectReference(document, named, field, wrong, None)


# -- c-space


def remove_cspace_joint(index: int, name: str) -> Change:
    return offer(f"Remove {name} from the c-space", commands.RemoveJoints((index,)))


def add_cspace_joints(names: tuple[str, ...]) -> Change:
    label = names[0] if len(names) == 1 else f"these {len(names)} joints"
    return offer(f"Add {label} to the c-space", commands.AddJoints(names))


def lock_joint(index: int, name: str) -> Change:
    return offer(f"Lock {name} at its default position", commands.RemoveJoints((index,)))


def draft_cspace(tree: KinematicTree, xrdf: Xrdf, urdf: Urdf) -> Change:
    """The joints that a first plan would control, keeping the lists that are there."""
    present = xrdf.cspace or CSpace()
    independent = set(tree.independent)
    planned = tuple(name for name in plan_control(urdf).joints if name in independent)
    names = present.joint_names if present.joint_names else planned or tree.independent

    def limits(key: str, default: float, old_values: tuple[float, ...] | None) -> tuple[float, ...]:
        values = list(old_values or ())
        for name in names[len(values) :]:
            joint = tree.joint(name)
            limit = joint.urdf.limit if joint is not None and joint.urdf is not None else None
            values.append((getattr(limit, key) if limit is not None else None) or default)
        return tuple(values)

    drafted = CSpace(
        tuple(names),
        limits("acceleration", PLACEHOLDER_ACCELERATION, present.acceleration_limits),
        limits("jerk", PLACEHOLDER_JERK, present.jerk_limits),
    )
    return commands.ReplaceXrdf(replace(xrdf, cspace=drafted), "Draft the c-space from the URDF")


# -- default positions


def remove_default(name: str) -> Change:
    return offer(
        f"Delete the default of {name}",
        commands.RemoveItems("xrdf.default_joint_positions", (name,)),
    )


def set_default(name: str, value: float, label: str) -> Change:
    return offer(label, commands.set_item("xrdf.default_joint_positions", name, value))


# -- tool frames


def remove_tool_frame(index: int, name: str) -> Change:
    return offer(f"Delete {name}", commands.RemoveItems("xrdf.tool_frames", (index,)))


def use_tool_frame(frame: str) -> Change:
    return offer(f"Use {frame} as a tool frame", commands.InsertItem("xrdf.tool_frames", frame))


# -- collision sections


def remove_buffer(section: Section, frame: str) -> Change:
    return offer(
        f"Delete the buffer of {frame}",
        commands.RemoveItems(f"xrdf.{section}.buffer_distance", (frame,)),
    )


# -- masks


def mask_pairs(pairs: tuple[LinkPair, ...]) -> Change:
    one = f"{pairs[0].first} and {pairs[0].second}"
    label = f"Ignore {one}" if len(pairs) == 1 else f"Ignore {len(pairs)} adjacent pairs"
    return offer(label, commands.SetMask(pairs=pairs))


# -- modifiers


def edit_add_frame(index: int, modifier: AddFrame, label: str, **changes: Any) -> Change:
    return offer(label, commands.set_item("xrdf.modifiers", index, replace(modifier, **changes)))


def remove_modifier(index: int, label: str) -> Change:
    return offer(label, commands.RemoveItems("xrdf.modifiers", (index,)))


# -- joints of the URDF


def write_limits(joint: Joint) -> tuple[Change, ...]:
    """Return commands that write placeholders for limits that are missing, 0 or swapped, to be
    overwritten by hand."""
    old = joint.limit or Limit()
    new, _ = completed_limits(joint)
    changed = [
        f"{key} {getattr(new, key):.4g}"
        for key in LIMIT_KEYS
        if getattr(new, key) != getattr(old, key)
    ]
    label = f"Write {', '.join(changed)} for {joint.name} (not the manufacturer's values)"
    return (commands.SetJoint(joint.name, replace(joint, limit=new), label),) if changed else ()


def bound_turn(joint: Joint) -> tuple[Change, ...]:
    """For a revolute joint that turns without end: make it continuous, or write one turn from the
    limit that it has."""
    limit, span = joint.limit, joint.position_limits
    if (
        joint.type is not JointType.REVOLUTE
        or limit is None
        or (span is not None and all(map(math.isfinite, span)))
    ):
        return ()
    if span is None:
        limit = replace(limit, lower=None, upper=None)
        new = replace(joint, type=JointType.CONTINUOUS, limit=limit)
        return (commands.SetJoint(joint.name, new, f"Make {joint.name} continuous"),)
    lower, upper = finite_range(*span, 2.0 * math.pi)
    new = replace(joint, limit=replace(limit, lower=lower, upper=upper))
    return (
        commands.SetJoint(
            joint.name, new, f"Write one turn for {joint.name}: {lower:.4g} to {upper:.4g} rad"
        ),
    )


LIMIT_KEYS = ("lower", "upper", "effort", "velocity")


def completed_limits(joint: Joint, *sources: Limit) -> tuple[Limit, dict[str, Limit | None]]:
    """The limits of a joint that moves, with what is missing, 0 or the wrong way round taken from
    elsewhere.

    From the first of `sources` that has a number which leaves the joint something, else a
    placeholder. Gives the limits, and for each key that was written the source, or None for a
    placeholder. A range the wrong way round that no source knows better is swapped, and has the
    joint's own limits as its source.
    """
    slides = joint.type is JointType.PRISMATIC
    new, origins = joint.limit or Limit(), dict[str, Limit | None]()
    speed = PLACEHOLDER_SLIDING_SPEED if slides else PLACEHOLDER_TURNING_SPEED
    for key, placeholder in (("effort", PLACEHOLDER_EFFORT), ("velocity", speed)):
        if not _is_positive(new, key):
            origins[key] = next((s for s in sources if _is_positive(s, key)), None)
            new = replace(new, **{key: getattr(origins[key], key, placeholder)})
    if joint.type is JointType.CONTINUOUS or _leaves_a_range(new):
        return new, origins
    source, lower, upper = _range_from(new, sources, 1.0 if slides else math.pi)
    source = joint.limit if source is new else source
    origins |= {
        key: source
        for key, value in (("lower", lower), ("upper", upper))
        if getattr(new, key) != value
    }
    return replace(new, lower=lower, upper=upper), origins


def _range_from(
    limit: Limit, sources: tuple[Limit, ...], far: float
) -> tuple[Limit | None, float, float]:
    """(who says so, lower, upper): a source that leaves a range, else the numbers swapped, else a
    placeholder."""
    source = next((each for each in sources if _leaves_a_range(each)), None)
    if source is not None:
        return source, source.lower or 0.0, source.upper or 0.0
    # Numbers that somebody wrote; the one that is missing is 0 to every reader of URDF.
    lower, upper = sorted((limit.lower or 0.0, limit.upper or 0.0))
    return (limit, lower, upper) if 0.0 < upper - lower < math.inf else (None, -far, far)


def _is_positive(limit: Limit, key: str) -> bool:
    return 0 < (getattr(limit, key) or 0.0) < math.inf


def _leaves_a_range(limit: Limit) -> bool:
    return (
        limit.lower is not None
        and limit.upper is not None
        and 0.0 < limit.upper - limit.lower < math.inf
    )


# -- format


def set_version(version: str) -> Change:
    return offer(f"Write format_version: {version}", commands.SetFormatVersion(version))


def unmask(pair: LinkPair) -> Change:
    return offer(f"Check {pair.first} and {pair.second} again", commands.SetMask(checked=(pair,)))


def delete_sphere(ref: SphereRef) -> Change:
    return offer(f"Delete sphere {ref.index + 1} of {ref.frame}", commands.DeleteSpheres((ref,)))


Kind = Literal[
    "keep first",
    "keep last",
    "merge",
    "rename",
    "spell value",
    "spell name",
    "delete",
    "empty",
    "add spheres",
]
#: What the remedy of a number or name says that readers take differently.
SPELL = "Write it so that all readers agree"
_SPELLINGS = ("spell value", "spell name")


@dataclass(frozen=True, slots=True)
class RepairText:
    """A repair at a path; `name` is the new key of a renaming, or the empty value."""

    label: str
    kind: Kind
    path: YamlPath
    name: str = ""

    def apply_text(self, text: str) -> str:
        return self.apply_source(read_xrdf(SourceText.from_text(text)))

    def apply_source(self, source: XrdfSource) -> str:
        """The repaired text of a file that is read already. Raises CannotApply."""
        path = self.path
        repairs: dict[Kind, Callable[[], list[Edit]]] = {
            "keep first": lambda: keep_one(source, path, last=False),
            "keep last": lambda: keep_one(source, path, last=True),
            "merge": lambda: merge_duplicates(source, path),
            "rename": lambda: [RenameKey(path, self.name)],
            "spell value": lambda: [respelled(source, path)],
            "spell name": lambda: [respelled(source, path, as_name=True)],
            "add spheres": lambda: [InsertKey(path, "spheres", {})],
            "delete": lambda: [Delete(path)],
            "empty": lambda: [SetValue(path, [] if self.name == "[]" else {})],
        }
        try:
            return edit_text(source.source, repairs[self.kind]()).text
        except CannotEdit as error:
            raise CannotApply(str(error)) from error


@dataclass(frozen=True, slots=True)
class RepairTexts:
    """Several repairs as one step, those that do not fit (any more) left out; raises CannotApply
    when none fits.

    From the last to the first: what an earlier one moves is behind it.
    """

    label: str
    repairs: tuple[RepairText, ...]

    def apply_text(self, text: str) -> str:
        start, refusal = text, None
        text, rest = self._spelled(text)
        for one in reversed(rest):
            try:
                text = one.apply_text(text)
            except CannotApply as error:
                refusal = error
        if text == start and refusal is not None:
            raise refusal
        return text

    def _spelled(self, text: str) -> tuple[str, tuple[RepairText, ...]]:
        """With all spellings mended at once (there may be thousands of them), and what is left to
        do."""
        spellings = [one for one in self.repairs if one.kind in _SPELLINGS]
        if not spellings:
            return text, self.repairs
        source = read_xrdf(SourceText.from_text(text))
        try:
            edits = [
                respelled(source, one.path, as_name=one.kind == "spell name") for one in spellings
            ]
            text = edit_text(source.source, edits).text
        except CannotEdit:
            return text, self.repairs
        return text, tuple(one for one in self.repairs if one.kind not in _SPELLINGS)


@dataclass(frozen=True, slots=True)
class DropEmptyDocuments:
    """Remove the lines --- that begin a document with nothing in it."""

    label: str = "Remove the line ---"

    def apply_text(self, text: str) -> str:
        for start in reversed(compose_document(SourceText.from_text(text)).empty):
            mark = _EMPTY_DOCUMENT.match(text, start)
            text = text[:start] + text[mark.end() if mark is not None else start :]
        return text


_EMPTY_DOCUMENT = re.compile(r"---[ \t]*(?:\r?\n)?")


def with_text_fixes(finding: Finding, source: XrdfSource) -> Finding:
    """The finding of a reader with the remedies that its code has."""
    options = _options(finding)
    if finding.code == "XRDF003":
        # Not everything that stands twice can be merged. The other codes may come by the thousand:
        # trying each of them would take longer than reading the file.
        options = tuple(fix for fix in options if _works(fix, source))
    return replace(finding, fixes=options) if options else finding


def _options(finding: Finding) -> tuple[RepairText, ...]:
    path = finding.path
    if finding.code == "XRDF003":
        key = path[-1] if path else "it"
        return (
            # First what says in so many words how the file is read here: mending all of them
            # changes no meaning.
            RepairText(f"Keep the last {key}", "keep last", path),
            RepairText(f"Keep the first {key}", "keep first", path),
            RepairText(f"Merge all {key}", "merge", path),
        )
    if finding.code == "XRDF004" and finding.meant is not None:
        return (RepairText(f"Rename to {finding.meant}", "rename", path, finding.meant),)
    if finding.code == "XRDF006":
        kind: Kind = "spell name" if finding.expected == "name" else "spell value"
        return (RepairText(SPELL, kind, path),)
    return ()


def _works(fix: RepairText, source: XrdfSource) -> bool:
    try:
        return fix.apply_source(source) != source.source.text
    except Exception:  # an offer that fails, by any fault, is not made
        return False


def keep_one(source: XrdfSource, path: YamlPath, *, last: bool) -> list[Edit]:
    """Keep the first or the last entry of a repeated key (XRDF003). Raises CannotEdit."""
    return [Delete(path, 0 if last else 1)] * (len(_values(source, path)) - 1)


def merge_duplicates(source: XrdfSource, path: YamlPath) -> list[Edit]:
    """Unites the lists or mappings of a key that stands several times, first ones first. Raises
    CannotEdit."""
    values = [resolve_alias(value) for value in _values(source, path)]
    text = source.source.text
    merged: object
    if all(isinstance(value, Sequence) for value in values):
        items: list[object] = []
        for value in values:
            for item in value.items if isinstance(value, Sequence) else ():
                new = spelled(item, text)
                if new not in items:
                    items.append(new)
        merged = (
            Flow(items) if isinstance(values[-1], Sequence) and values[-1].flow else Block(items)
        )
    elif all(isinstance(value, Mapping) for value in values):
        united: dict[str, object] = {}
        for value in values:
            part = spelled(value, text)
            united |= part if isinstance(part, dict) else {}
        merged = united
    else:
        raise CannotEdit("only lists, or only mappings, can be merged")
    return [*(Delete(path, 0) for _ in values[1:]), SetValue(path, merged)]


def respelled(source: XrdfSource, path: YamlPath, *, as_name: bool = False) -> Edit:
    """Spells a value so that every reader takes it for the same (XRDF006): a number with a dot, a
    name in quotes.

    Raises CannotEdit.
    """
    node = source.node(path)
    node = None if node is None else resolve_alias(node)
    if not isinstance(node, Scalar):
        raise CannotEdit("only a single value can be respelled")
    number = None if as_name else parse_number(node.value.strip())
    text = format_string(node.value) if number is None else format_number(number)
    return SetValue(path, Spelled(text, node.value if number is None else number))


def _values(source: XrdfSource, path: YamlPath) -> list[Node]:
    parent = source.node(path[:-1])
    parent = None if parent is None else resolve_alias(parent)
    if not isinstance(parent, Mapping):
        raise CannotEdit("the key does not exist")
    values = [value for key, value in parent.entries if get_key_text(key) == path[-1]]
    if len(values) < 2:
        raise CannotEdit(f"{path[-1]!r} appears there only once")
    return values
