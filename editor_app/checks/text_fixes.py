"""Remedies that edit the text itself, because the model cannot tell before from after."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from editor_app.formats.source import SourceText
from editor_app.formats.xrdf import XrdfSource, read_xrdf
from editor_app.formats.yaml.changes import CannotEdit, Delete, Edit, InsertKey, RenameKey, SetValue, edit_text
from editor_app.formats.yaml.nodes import Mapping, Node, Scalar, Sequence, key_text, resolved
from editor_app.formats.yaml.plan import Block, Flow, Spelled, spelled
from editor_app.formats.yaml.scalars import format_number, format_string, number_of
from editor_app.model.change import CannotApply
from editor_app.model.findings import Finding, YamlPath

Kind = Literal[
    "keep first", "keep last", "merge", "rename", "spell value", "spell name", "delete", "empty", "add spheres"
]
#: What the remedy of a number or name says that readers take differently.
SPELL = "Write it so that every reader agrees"
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
    """Several repairs as one step, those that do not fit (any more) left out; raises CannotApply when none fits.

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
        """With all spellings mended at once (there may be thousands of them), and what is left to do."""
        spellings = [one for one in self.repairs if one.kind in _SPELLINGS]
        if not spellings:
            return text, self.repairs
        source = read_xrdf(SourceText.from_text(text))
        try:
            edits = [respelled(source, one.path, as_name=one.kind == "spell name") for one in spellings]
            text = edit_text(source.source, edits).text
        except CannotEdit:
            return text, self.repairs
        return text, tuple(one for one in self.repairs if one.kind not in _SPELLINGS)


def with_text_fixes(finding: Finding, source: XrdfSource) -> Finding:
    """The finding of a reader with the remedies that its code has."""
    options = _options(finding)
    if finding.code == "XRDF003":
        # Not everything that stands twice can be merged. The other codes may come by the thousand: trying each of
        # them would take longer than reading the file.
        options = tuple(fix for fix in options if _works(fix, source))
    return replace(finding, fixes=options) if options else finding


def _options(finding: Finding) -> tuple[RepairText, ...]:
    path = finding.path
    if finding.code == "XRDF003":
        key = path[-1] if path else "it"
        return (
            # First what says in so many words how the file is read here: mending all of them changes no meaning.
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
    except Exception:  # an offer that fails for whatever reason is not made
        return False


def keep_one(source: XrdfSource, path: YamlPath, *, last: bool) -> list[Edit]:
    """Of a key that stands several times (XRDF003), keeps the first or the last entry. Raises CannotEdit."""
    return [Delete(path, 0 if last else 1)] * (len(_values(source, path)) - 1)


def merge_duplicates(source: XrdfSource, path: YamlPath) -> list[Edit]:
    """Unites the lists or mappings of a key that stands several times, first ones first. Raises CannotEdit."""
    values = [resolved(value) for value in _values(source, path)]
    text = source.source.text
    merged: object
    if all(isinstance(value, Sequence) for value in values):
        items: list[object] = []
        for value in values:
            for item in value.items if isinstance(value, Sequence) else ():
                new = spelled(item, text)
                if new not in items:
                    items.append(new)
        merged = Flow(items) if isinstance(values[-1], Sequence) and values[-1].flow else Block(items)
    elif all(isinstance(value, Mapping) for value in values):
        united: dict[str, object] = {}
        for value in values:
            part = spelled(value, text)
            united |= part if isinstance(part, dict) else {}
        merged = united
    else:
        raise CannotEdit("only lists, or only mappings, can be united")
    return [*(Delete(path, 0) for _ in values[1:]), SetValue(path, merged)]


def respelled(source: XrdfSource, path: YamlPath, *, as_name: bool = False) -> Edit:
    """Spells a value so that every reader takes it for the same (XRDF006): a number with a dot, a name in quotes.

    Raises CannotEdit.
    """
    node = source.node(path)
    node = None if node is None else resolved(node)
    if not isinstance(node, Scalar):
        raise CannotEdit("only a single value can be spelled anew")
    number = None if as_name else number_of(node.value.strip())
    text = format_string(node.value) if number is None else format_number(number)
    return SetValue(path, Spelled(text, node.value if number is None else number))


def _values(source: XrdfSource, path: YamlPath) -> list[Node]:
    parent = source.node(path[:-1])
    parent = None if parent is None else resolved(parent)
    if not isinstance(parent, Mapping):
        raise CannotEdit("there is no such key")
    values = [value for key, value in parent.entries if key_text(key) == path[-1]]
    if len(values) < 2:
        raise CannotEdit(f"{path[-1]!r} stands there only once")
    return values
