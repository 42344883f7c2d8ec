"""Insert, set, remove, move and rename the items of any list or mapping of the model.

A `path` is a key of `LIST_RULES`, such as "xrdf.tool_frames" or "srdf.end_effectors". Its row has
the labels of the steps, and refuses what cannot be saved.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from editor_app.core.document.commands.field_paths import get_field, with_field
from editor_app.core.document.commands.list_rules import LIST_RULES, ItemEdit, ListRules
from editor_app.core.document.commands.tools import get_item, inserted, move_item, the_srdf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.guesses import GuessedPart
from editor_app.core.model.robot import CannotApply, RobotDescription


class ListChange:
    """A change of the list at `path`."""

    __slots__ = ()
    path: str
    verb: str

    @property
    def label(self) -> str:
        """The label of the row of `path`; "Edit …" for an edit without one."""
        rules = self.rules
        return (
            rules.labels[self.verb].describe(self)
            if self.verb in rules.labels
            else f"Edit {rules.noun}"
        )

    @property
    def rules(self) -> ListRules:
        """The row of `path`. Raises CannotApply."""
        if self.path not in LIST_RULES:
            raise CannotApply(
                f"{self.path!r} is not a list that can be edited. Use one of "
                f"{', '.join(LIST_RULES)}."
            )
        return LIST_RULES[self.path]

    @property
    def item_hints(self) -> dict[str, Any]:
        """The types of the fields of a change of this list, which `conformed` asks for. Raises
        CannotApply."""
        key, value = self.rules.types
        values = FrozenDict[key, value | None]  # type: ignore[valid-type]
        return {"value": value, "values": values, "keys": tuple[key, ...], "old": key}  # type: ignore[valid-type]

    def read(self, robot: RobotDescription) -> list[tuple[Any, Any]]:
        """Return the keys and items of the list. Raises CannotApply."""
        return self.rules.list_entries(self._read_items(robot))

    def write(self, robot: RobotDescription, entries: list[tuple[Any, Any]]) -> RobotDescription:
        """Return the robot with these keys and items; itself where none changes."""
        items = FrozenDict(entries) if self.rules.is_mapping else tuple(item for _, item in entries)
        if items == self._read_items(robot):
            return robot
        document, path = self.path.split(".", 1)
        changed = with_field(getattr(robot, document), path, items)
        if document == "srdf":
            return robot.with_srdf(changed)
        return robot.with_xrdf(changed) if document == "xrdf" else robot.with_urdf(changed)

    def _read_items(self, robot: RobotDescription) -> Any:
        if self.path.startswith("srdf."):
            the_srdf(robot)
        return get_field(robot, self.path) if self.rules.read is None else self.rules.read(robot)


@dataclass(frozen=True, slots=True)
class InsertItem(ListChange):
    """Inserts an item in front of `index`, or at the end. Use SetItems for the entries of a
    mapping."""

    path: str
    value: Any
    index: int | None = None
    verb = "insert"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        rules, entries = self.rules, self.read(robot)
        if rules.is_mapping:
            raise CannotApply(f"The items of {self.path} have keys: use SetItems.")
        key = rules.get_key(self.value) if rules.get_key is not None else None
        is_taken = key is not None and any(each == key for each, _ in entries)
        if is_taken and rules.is_set:
            return robot
        rules.check(ItemEdit(robot, key, self.value, None, tuple(item for _, item in entries)))
        if is_taken:
            raise CannotApply(f"The {rules.noun} {key!r} already exists.")
        return self.write(robot, list(inserted(tuple(entries), self.index, ((key, self.value),))))


@dataclass(frozen=True, slots=True)
class SetItems(ListChange):
    """Sets items by their keys (index, name, ...); references follow a new name. A value None
    removes the item."""

    path: str
    values: FrozenDict[Any, Any]
    verb = "set"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        rules, entries = self.rules, self.read(robot)
        places: defaultdict[Any, list[int]] = defaultdict(list)
        for place, (key, _) in enumerate(entries):
            places[key].append(place)
        renamed = {}
        for key, value in self.values.items():
            if rules.has_indices:
                get_item(entries, key, rules.noun)
            present = places.get(rules.normalise(key), [])
            for place in (present if rules.adds else present[:1]) or [len(entries)]:
                old = entries[place][1] if present else None
                new = rules.make(old, key, value)
                if new is not None and new != old:
                    others = tuple(item for i, (_, item) in enumerate(entries) if i not in present)
                    rules.check(ItemEdit(robot, key, new, old, others))
                    new_key = rules.get_key(new) if rules.get_key is not None else key
                    if new_key != rules.normalise(key):
                        if new_key in places:
                            raise CannotApply(f"The {rules.noun} {new_key!r} already exists.")
                        renamed[key] = new_key
                    if not present and not rules.adds:
                        raise CannotApply(f"The {rules.noun} {key!r} does not exist.")
                entries[place : place + 1] = [(key, new)]
        robot = self.write(robot, [entry for entry in entries if entry[1] is not None])
        for key, new_key in renamed.items():
            robot = rules.follow(robot, key, new_key)
        return robot

    def given_parts(self, robot: RobotDescription) -> Iterator[GuessedPart]:
        """Yield the guessed parts that the values confirm."""
        guess = self.rules.guess
        return map(guess, self.values) if guess is not None else iter(())


@dataclass(frozen=True, slots=True)
class RemoveItems(ListChange):
    """Removes the items with these keys (index, name, ...), and references to them."""

    path: str
    keys: tuple[Any, ...]
    verb = "remove"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        rules, entries = self.rules, self.read(robot)
        if not self.keys:
            return robot
        gone = {rules.normalise(key): key for key in self.keys}
        present = {key for key, _ in entries}
        for normal, key in gone.items():
            if rules.has_indices:
                get_item(entries, key, rules.noun)
            rules.check_removal(robot, key)
            if normal not in present and rules.missing:
                raise CannotApply(rules.missing.format(key=normal))
        robot = self.write(robot, [entry for entry in entries if entry[0] not in gone])
        for key in gone.values():
            robot = rules.follow(robot, key, None)
        return robot


@dataclass(frozen=True, slots=True)
class MoveItem(ListChange):
    """Moves the item at `index` to index `to` of the result."""

    path: str
    index: int
    to: int
    verb = "move"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        return self.write(robot, list(move_item(tuple(self.read(robot)), self.index, self.to)))


@dataclass(frozen=True, slots=True)
class RenameItem(ListChange):
    """Renames the item with the key `old` (index, name, ...), and references to it."""

    path: str
    old: Any
    new: str
    verb = "rename"

    def apply(self, robot: RobotDescription) -> RobotDescription:
        if self.rules.rename is None:
            raise CannotApply(f"The items of {self.path} cannot be renamed.")
        return self.rules.rename(robot, self.old, self.new)


def set_item(path: str, key: Any, value: Any) -> SetItems:
    """Return the change that sets one item."""
    return SetItems(path, FrozenDict({key: value}))
