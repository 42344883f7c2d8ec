"""A test file: reading it with the place of every fault, and the values that it becomes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editor_app.core.formats.scenes import read_scene
from editor_app.core.model.findings import Finding, Location, Severity, YamlPath
from editor_app.core.model.frozen import FrozenDict, brief
from editor_app.core.model.keys import Named
from editor_app.core.model.near_names import hint, refuse_name
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.scene import EMPTY_SCENE, Scene
from editor_app.core.space.kinematics.tree import get_tree
from editor_app.core.tasks.work import Described, Refused, describe_robot
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.yaml.compose import compose_document
from editor_app.core.text.yaml.nodes import YamlTree, find_key_node, find_node, find_repeated_keys
from editor_app.core.text.yaml.scalars import to_value
from editor_app.plugins.robot_tests.forms import read_value
from editor_app.plugins.robot_tests.kinds import (
    FORMAT,
    KINDS,
    VOCABULARY,
    TestKind,
    entries_of_kind,
)

#: Codes of the faults of a file, with their titles.
FILE_CODES: Mapping[str, str] = FrozenDict(
    {
        "TEST001": "Not a test file",
        "TEST002": "Unknown or repeated key",
        "TEST003": "Missing or wrong value",
        "TEST004": "Name that the robot does not have",
    }
)


@dataclass(frozen=True, slots=True)
class RobotTest:
    """One test. `path`: of its kind in the file, as ("tests", 0, "free")."""

    name: str
    kind: TestKind
    path: YamlPath
    location: Location


@dataclass(frozen=True)
class Suite:
    """`findings`: the faults of the file; tests with one are left out. `folder`: of the files that
    tests name."""

    source: SourceText
    tests: tuple[RobotTest, ...]
    findings: tuple[Finding, ...] = ()
    scene: Scene = EMPTY_SCENE

    __repr__ = brief

    @property
    def folder(self) -> Path:
        return Path() if self.source.path is None else self.source.path.parent


def read_suite(source: SourceText | str, robot: Described) -> Suite:
    """Return the tests of a text for a robot, and the faults of the text. Raises FormatError for no
    YAML."""
    if isinstance(source, str):
        source = SourceText.from_text(source)
    return _Reader(source, compose_document(source), describe_robot(robot)).suite()


class _Reader:
    def __init__(self, source: SourceText, tree: YamlTree, robot: RobotDescription) -> None:
        self._source, self._tree, self._robot = source, tree, robot
        self._findings: list[Finding] = []
        self._scene = EMPTY_SCENE

    def suite(self) -> Suite:
        value = None if self._tree.root is None else to_value(self._tree.root)
        if (
            not isinstance(value, dict)
            or value.get("format") != FORMAT
            or value.get("format_version") != 1
        ):
            self._add(
                "TEST001",
                "the file must begin with format: robot-tests and format_version: 1. Add both keys",
                (),
            )
            value = value if isinstance(value, dict) else {}
        for path, keys in find_repeated_keys(self._tree):
            text = f"the key {path[-1]!r} is in this mapping {len(keys)} times: keep one"
            self._findings.append(
                self._finding("TEST002", text, path, self._source.location(keys[-1].start))
            )
        self._refuse_unknown(value, VOCABULARY.keys_at(()), ())
        self._read_scene(value.get("scene"))
        items = value.get("tests")
        if not isinstance(items, list) and ("tests" in value or value):
            if items is not None or "tests" not in value:
                self._add(
                    "TEST003",
                    "tests must be a list of tests, each with a name and a kind",
                    ("tests",),
                )
            items = []
        tests = tuple(
            test
            for number, item in enumerate(items or ())
            if (test := self._test(number, item)) is not None
        )
        self._refuse_equal_names(tests)
        findings = tuple(sorted(self._findings, key=lambda each: each.place))
        return Suite(self._source, tests, findings, self._scene)

    def _read_scene(self, name: Any) -> None:
        if name is None:
            return
        path = self._source.path
        try:
            if not isinstance(name, str) or Path(name).is_absolute():
                raise Refused(
                    "scene must be the path of a file, relative to the folder of this file"
                )
            self._scene = read_scene((Path() if path is None else path.parent) / name)
        except (FormatError, Refused, OSError) as error:
            self._add("TEST003", str(error), ("scene",))

    def _test(self, number: int, item: Any) -> RobotTest | None:
        path = ("tests", number)
        if not isinstance(item, dict):
            self._add(
                "TEST003",
                "a test must be a mapping with the keys name and one of: " + ", ".join(KINDS),
                path,
            )
            return None
        before = len(self._findings)
        self._refuse_unknown(item, VOCABULARY.keys_at(path), path)
        name = item.get("name")
        if (
            not isinstance(name, (str, int, float))
            or isinstance(name, bool)
            or not str(name).strip()
        ):
            self._add(
                "TEST003", "the test needs a name: add name: with a few words", (*path, "name")
            )
        keys = [key for key in item if key in KINDS]
        if len(keys) != 1 and len(self._findings) == before:
            listed = "no kind" if not keys else f"the kinds {', '.join(keys)}"
            self._add("TEST003", f"the test has {listed}: keep one of {', '.join(KINDS)}", path)
        kind = self._kind(keys[0], item[keys[0]], path) if len(keys) == 1 else None
        if kind is None or len(self._findings) > before:
            return None
        return RobotTest(
            str(name), kind, (*path, keys[0]), self._location((*path, "name"), of_key=False)
        )

    def _kind(self, key: str, value: Any, path: YamlPath) -> TestKind | None:
        kind, place = KINDS[key], (*path, key)
        entries = entries_of_kind(kind)
        needed = [name for name, each in entries.items() if each.is_required]
        given = {} if value is None and not needed and not kind.ONE_OF else value
        if not isinstance(given, dict):
            self._add(
                "TEST003",
                f"{key} must be a mapping with the keys {', '.join(needed or entries)}",
                place,
            )
            return None
        self._refuse_unknown(given, entries, place)
        missing = [name for name in needed if name not in given]
        if kind.ONE_OF and not any(name in given for name in kind.ONE_OF):
            self._add("TEST003", f"{key} needs one of the keys {', '.join(kind.ONE_OF)}", place)
        if missing:
            self._add(
                "TEST003",
                f"{key} needs the key {missing[0]}: {entries[missing[0]].place.sentence}",
                place,
            )
        values: dict[str, Any] = {}
        for name, each in entries.items():
            if name not in given:
                continue
            try:
                values[name] = read_value(each.form, given[name])
            except Refused as error:
                self._add("TEST003", f"{name} {error}", (*place, name))
                continue
            self._refuse_names(values[name], each.names, (*place, name))
        return None if missing or len(values) < len(given) else kind(**values)

    def _refuse_unknown(
        self, value: Mapping[str, Any], keys: Collection[str], path: YamlPath
    ) -> None:
        for key in value:
            if key not in keys:
                text = f"unknown key {key!r}{hint(key, keys)}; the keys are: {', '.join(keys)}"
                self._add("TEST002", text, (*path, key), of_key=True)

    def _refuse_names(self, value: Any, named: Named | None, path: YamlPath) -> None:
        tree = get_tree(self._robot)
        if isinstance(value, str) and named is Named.JOINT and path[-1] != "joint":
            states = (
                ()
                if self._robot.srdf is None
                else (state.name for state in self._robot.srdf.states)
            )
            self._refuse_name("configuration", value, ("default", *states), path)
        elif named is Named.JOINT:
            for name, place in _names_in(value, path):
                self._refuse_name(
                    "joint", name, tree.joint_index, place, of_key=isinstance(value, Mapping)
                )
        elif named is Named.LINK:
            obstacles = (each.name for each in self._scene.obstacles) if path[-1] == "pair" else ()
            for name, place in _names_in(value, path):
                self._refuse_name("frame", name, (*tree.frames, *obstacles), place)

    def _refuse_name(
        self,
        kind: str,
        name: str,
        candidates: Iterable[str],
        path: YamlPath,
        *,
        of_key: bool = False,
    ) -> None:
        names = tuple(candidates)
        if name not in names:
            self._add("TEST004", refuse_name(kind, name, names), path, of_key=of_key)

    def _refuse_equal_names(self, tests: Iterable[RobotTest]) -> None:
        first: dict[str, RobotTest] = {}
        for test in tests:
            if test.name in first:
                line = first[test.name].location.line
                text = f"another test has the name {test.name!r} (line {line}): rename one"
                self._add("TEST003", text, (*test.path[:2], "name"))
            first.setdefault(test.name, test)

    def _add(self, code: str, message: str, path: YamlPath, *, of_key: bool = False) -> None:
        self._findings.append(
            self._finding(code, message, path, self._location(path, of_key=of_key))
        )

    def _finding(self, code: str, message: str, path: YamlPath, location: Location) -> Finding:
        return Finding(code, Severity.ERROR, message, path, location)

    def _location(self, path: YamlPath, *, of_key: bool) -> Location:
        """Return the place of a value or of its key; of the nearest value around it where it is
        missing."""
        while path:
            node = (
                find_key_node(self._tree.root, path) if of_key else find_node(self._tree.root, path)
            )
            if node is not None:
                return self._source.location(node.start)
            path = path[:-1]
        return self._source.location(0)


def _names_in(value: Any, path: YamlPath) -> Iterator[tuple[str, YamlPath]]:
    """Yield the names in a value with their paths: a name, the items of a list, the keys of a
    mapping."""
    if isinstance(value, Mapping):
        yield from ((name, (*path, name)) for name in value)
    elif isinstance(value, tuple):
        yield from ((name, (*path, number)) for number, name in enumerate(value))
    elif value:
        yield value, path
