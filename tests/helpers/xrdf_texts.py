"""XRDF texts with everything that real ones have, and random typed edits of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import TypeVar

from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.xrdf import (
    AddFrame,
    CollisionSection,
    CollisionSphere,
    CSpace,
    FixedTransform,
    GeometryGroup,
    Modifier,
    RemoveMimicAttributes,
    SelfCollisionSection,
    SetBaseFrame,
    Xrdf,
)
from tests.helpers.robots import REPOSITORY, SHARED

T = TypeVar("T")

NASTY = """\
# head comment
# second

format:   xrdf   # fmt
format_version:\t1.0

# about modifiers
modifiers:
- set_base_frame: base   # base
# the tcp
- add_frame:
    frame_name:        "tcp"
    parent_frame_name: 'tool0'
    joint_name:        tcp_joint   # named
    fixed_transform:
        position: [ 0,0 , 1. ]
        orientation: {w: 1, xyz: [0, 0, +0.0]}   # quat

my_section:   # unknown
    - 1
    - {a: b}

default_joint_positions: {a: 0.0, "b": -2.2, c: 1e-3}

cspace:
    joint_names: [
        a,      # first
        "b",
        # now c
        c,
    ]  # end
    acceleration_limits: [12, 12.,
                          12.0]
    jerk_limits:
        - 500   # j1
        # about the second
        - 5_00.0
        - 500

tool_frames: # none yet
collision:
  geometry: g   # ref
  buffer_distance:
    shoulder_link: 0.01
    # above elbow
    elbow:         0.02   # e
    tool0:         -0.01

    # trailing comment in buffers

self_collision:
  geometry: g
  buffer_distance: {}
  ignore:
    upper: ["lower", 'x', z]
    lower:
    # inside
    - a
    - b
    q: []
geometry:
  g:
    # spheres of g
    spheres:
      "shoulder": &sh
        # first sphere
        - center: [-0, -0, 0.18]   # c
          # between
          radius: 0.09             # r
        # second sphere
        - radius:   0.05
          center: [0.12345678901234567,0,  0.18]

        - {center: [1,2,3], radius: .5}  # flow größe 日本 😀
        # bad one
        - center: [1,2]
        - center:
            - 1
            - 2   # y
            - 3
          radius: 1
        # end of shoulder
      elbow: *sh
      wrist: [{center: [0,0,0], radius: 1}, {center: [0,0,1], radius: 1}]
      empty:
      empty2: []   # nothing
    clone: [h]
  h: {spheres: {}}   # h
# the end
"""

TEXTS: dict[str, str] = {
    "nasty": NASTY,
    "nasty CRLF": NASTY.replace("\n", "\r\n"),
    "nasty without last newline": NASTY.replace("# the end\n", "").rstrip("\n"),
    "nasty between document markers": f"%YAML 1.2\n---\n{NASTY}...\n",
    "one line": '{"format": "xrdf", format_version: 1.0, tool_frames: [a]}',
    "nearly nothing": "format: xrdf\n",
    "nothing known": "a: 1",
}


def real_texts() -> dict[str, str]:
    """The XRDFs of the sample and, where it is there, of the folder beside us."""
    files = [*REPOSITORY.glob("resources/sample/*.xrdf"), *SHARED.glob("robots/*/*.xrdf")]
    return {file.name: file.read_bytes().decode() for file in files}


def many_spheres(count: int = 2000, per_link: int = 66) -> str:
    """A file of realistic shape with `count` spheres."""
    random = Random(7)
    lines = ["format: xrdf", "format_version: 1.0", "", "geometry:", "  g:", "    spheres:"]
    for index in range(count):
        if index % per_link == 0:
            lines.append(f"      link_{index // per_link}:")
        x, y, z = (f"{random.uniform(-1, 1):.6f}" for _ in range(3))
        lines += [
            f"        - center: [{x}, {y}, {z}]",
            f"          radius: {random.uniform(0.01, 0.1):.5f}",
        ]
    return "\n".join(lines) + "\n"


NAMES = (
    "a",
    "b",
    "c",
    "shoulder",
    "elbow",
    "tool0",
    "new_one",
    "yes",
    "with space",
    "ü",
    "upper",
    "x: y",
    "1",
)
NUMBERS = (0.0, 1.0, -0.5, 1e-5, 1e22, 0.1, 12.0, 500.0, 0.30000000000000004, -1.19904e-17)


class RandomEdits:
    """Edits drawn from one source of randomness. `gentle` ones delete nothing."""

    def __init__(self, random: Random, *, gentle: bool = False) -> None:
        self.random = random
        self.gentle = gentle

    def edited(self, xrdf: Xrdf) -> Xrdf:
        """`xrdf` with one thing changed, or nothing."""
        edits: list[Callable[[Xrdf], Xrdf]] = [
            self._modifiers,
            self._positions,
            self._cspace,
            self._tools,
            self._world,
            self._self,
            self._geometry,
            self._geometry,
            self._geometry,
        ]
        if not self.gentle:
            edits.append(lambda x: replace(x, format_version=self.random.choice(["1.0", "2.0"])))
        return self.random.choice(edits)(xrdf)

    def number(self) -> float:
        return self.random.choice([*NUMBERS, self.random.uniform(-2, 2)])

    def name(self) -> str:
        return self.random.choice(NAMES)

    def sphere(self) -> CollisionSphere:
        return CollisionSphere((self.number(), self.number(), self.number()), self.number())

    def modifier(self) -> Modifier:
        number = self.number
        transform = FixedTransform((number(), number(), number()), (1.0, number(), 0.0, 0.0))
        modifiers: list[Modifier] = [
            SetBaseFrame(self.name()),
            AddFrame(self.name(), "p", "j", transform, self.random.choice([None, "FIXED"])),
            RemoveMimicAttributes("j", (-1.0, number()), self.random.choice([None, 2.0])),
        ]
        return self.random.choice(modifiers)

    def _or_gone(self, value: T, *others: T) -> T:
        return value if self.gentle or self.random.random() < 0.7 else self.random.choice(others)

    def items(self, present: tuple[T, ...] | None, new: Callable[[], T]) -> tuple[T, ...]:
        """A list with one to three items added, replaced, edited, deleted or moved."""
        items = list(present or ())
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.randrange(5)
            if kind == 0 or not items:
                items.insert(self.random.randint(0, len(items)), new())
            elif kind == 1 and not self.gentle:
                items.pop(self.random.randrange(len(items)))
            elif kind == 2 and not self.gentle:
                items[self.random.randrange(len(items))] = new()
            elif kind == 3:
                self.random.shuffle(items)
            else:
                index = self.random.randrange(len(items))
                item = items[index]
                if isinstance(item, CollisionSphere):
                    items[index] = replace(item, radius=self.number())
                elif isinstance(item, float):
                    items[index] = new()
        return tuple(items)

    def entries(
        self,
        present: FrozenDict[str, T] | None,
        new: Callable[[], T],
        edited: Callable[[T], T] | None = None,
    ) -> FrozenDict[str, T]:
        entries: FrozenDict[str, T] = FrozenDict() if present is None else present
        # A key renamed and its value replaced in one go cannot be told from a deletion and an
        # addition.
        for _ in range(1 if self.gentle else self.random.randint(1, 3)):
            kind, keys = self.random.randrange(4), list(entries)
            if kind == 0 or not keys:
                name = self.name()
                if not self.gentle or name not in entries:
                    entries = entries.set(name, new())
            elif kind == 1 and not self.gentle:
                entries = entries.without(self.random.choice(keys))
            elif kind == 2:
                key = self.random.choice(keys)
                entries = entries.set(key, new() if edited is None else edited(entries[key]))
            else:
                name = self.name()
                if name not in entries:
                    entries = entries.renamed(self.random.choice(keys), name)
        return entries

    def _modifiers(self, xrdf: Xrdf) -> Xrdf:
        return replace(
            xrdf, modifiers=self._or_gone(self.items(xrdf.modifiers, self.modifier), None, ())
        )

    def _positions(self, xrdf: Xrdf) -> Xrdf:
        changed = self.entries(xrdf.default_joint_positions, self.number)
        return replace(xrdf, default_joint_positions=self._or_gone(changed, None, FrozenDict()))

    def _cspace(self, xrdf: Xrdf) -> Xrdf:
        cspace = xrdf.cspace or CSpace()
        kind = self.random.randrange(3)
        if kind == 0:
            changed = replace(
                cspace,
                joint_names=self._or_gone(self.items(cspace.joint_names, self.name), None, ()),
            )
        elif kind == 1:
            changed = replace(
                cspace, acceleration_limits=self.items(cspace.acceleration_limits, self.number)
            )
        else:
            limits = self._or_gone(self.items(cspace.jerk_limits, self.number), None, ())
            changed = replace(cspace, jerk_limits=limits)
        return replace(xrdf, cspace=self._or_gone(changed, None))

    def _tools(self, xrdf: Xrdf) -> Xrdf:
        return replace(
            xrdf, tool_frames=self._or_gone(self.items(xrdf.tool_frames, self.name), None, ())
        )

    def _buffers(self, section: CollisionSection) -> FrozenDict[str, float] | float | None:
        by_frame = (
            section.buffer_distance if isinstance(section.buffer_distance, FrozenDict) else None
        )
        changed: FrozenDict[str, float] | float | None = self.entries(by_frame, self.number)
        return self._or_gone(changed, None, 0.5, FrozenDict())

    def _world(self, xrdf: Xrdf) -> Xrdf:
        section = xrdf.world_collision or CollisionSection()
        if self.random.random() < 0.3:
            section = replace(section, geometry=self._or_gone(self.name(), None))
        else:
            section = replace(section, buffer_distance=self._buffers(section))
        return replace(xrdf, world_collision=self._or_gone(section, None))

    def _self(self, xrdf: Xrdf) -> Xrdf:
        section = xrdf.self_collision or SelfCollisionSection()
        kind = self.random.randrange(3)
        if kind == 0:
            section = replace(section, geometry=self._or_gone(self.name(), None))
        elif kind == 1:
            section = replace(section, buffer_distance=self._buffers(section))
        else:
            changed = self.entries(
                section.ignore,
                lambda: self.items((), self.name),
                lambda names: self.items(names, self.name),
            )
            section = replace(section, ignore=self._or_gone(changed, None, FrozenDict()))
        return replace(xrdf, self_collision=self._or_gone(section, None))

    def _geometry(self, xrdf: Xrdf) -> Xrdf:
        groups = list(xrdf.geometry or ())
        names = {group.name for group in groups}
        if not groups or self.random.random() < 0.1:
            name = f"group_{self.random.randrange(9)}"
            if name not in names:
                groups.insert(self.random.randint(0, len(groups)), GeometryGroup(name))
        if groups:
            index = self.random.randrange(len(groups))
            groups[index : index + 1] = self._group(groups[index], names)
        return replace(
            xrdf, geometry=self._or_gone(tuple(groups), tuple(groups), tuple(groups), None)
        )

    def _group(self, group: GeometryGroup, names: set[str]) -> list[GeometryGroup]:
        kind = self.random.randrange(10)
        if kind == 0 and not self.gentle:
            return []
        if kind == 1 and f"{group.name}_r" not in names:
            return [replace(group, name=f"{group.name}_r")]
        if kind == 2:
            return [
                replace(group, clone=self._or_gone(self.items(group.clone, self.name), None, ()))
            ]
        if kind == 3 and len(group.spheres) > 1:
            source, target = self.random.sample(list(group.spheres), 2)
            spheres_at = group.spheres[source]
            if spheres_at:
                index = self.random.randrange(len(spheres_at))
                spheres = group.spheres.set(source, spheres_at[:index] + spheres_at[index + 1 :])
                return [
                    replace(
                        group, spheres=spheres.set(target, (*spheres[target], spheres_at[index]))
                    )
                ]
        changed = self.entries(
            group.spheres,
            lambda: self.items((), self.sphere),
            lambda spheres_at: self.items(spheres_at, self.sphere),
        )
        return [replace(group, spheres=changed)]
