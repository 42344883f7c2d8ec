"""Each thing that real XRDF files have, edited: what comes out is written here to the byte."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from editor_app.core.formats.xrdf import patch_xrdf, read_xrdf
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.xrdf import (
    AddFrame,
    CollisionSection,
    CollisionSphere,
    CSpace,
    GeometryGroup,
    SelfCollisionSection,
    SetBaseFrame,
    Xrdf,
)
from editor_app.core.text.source import SourceText

Change = Callable[[Xrdf], Xrdf]
HEAD = "format: xrdf\nformat_version: 1.0\n"


def sphere(x: float, radius: float = 1.0) -> CollisionSphere:
    return CollisionSphere((x, 0.0, 0.0), radius)


def spheres(
    frame: str, change: Callable[[tuple[CollisionSphere, ...]], tuple[CollisionSphere, ...]]
) -> Change:
    def apply(xrdf: Xrdf) -> Xrdf:
        assert xrdf.geometry is not None
        group = xrdf.geometry[0]
        changed = replace(
            group, spheres=group.spheres.set(frame, change(group.spheres.get(frame, ())))
        )
        return replace(xrdf, geometry=(changed, *xrdf.geometry[1:]))

    return apply


def tools(*names: str) -> Change:
    return lambda xrdf: replace(xrdf, tool_frames=names)


def buffers(change: Callable[[FrozenDict[str, float]], FrozenDict[str, float]]) -> Change:
    def apply(xrdf: Xrdf) -> Xrdf:
        section = xrdf.world_collision or CollisionSection()
        present = section.buffer_distance
        assert present is None or isinstance(present, FrozenDict)
        return replace(
            xrdf, world_collision=replace(section, buffer_distance=change(present or FrozenDict()))
        )

    return apply


def ignore(
    change: Callable[[FrozenDict[str, tuple[str, ...]]], FrozenDict[str, tuple[str, ...]]],
) -> Change:
    def apply(xrdf: Xrdf) -> Xrdf:
        section = xrdf.self_collision or SelfCollisionSection()
        return replace(
            xrdf, self_collision=replace(section, ignore=change(section.ignore or FrozenDict()))
        )

    return apply


def joints(change: Callable[[CSpace], CSpace]) -> Change:
    return lambda xrdf: replace(xrdf, cspace=change(xrdf.cspace or CSpace()))


def positions(change: Callable[[FrozenDict[str, float]], FrozenDict[str, float]]) -> Change:
    return lambda xrdf: replace(
        xrdf, default_joint_positions=change(xrdf.default_joint_positions or FrozenDict())
    )


def drop(index: int) -> Callable[[tuple[CollisionSphere, ...]], tuple[CollisionSphere, ...]]:
    return lambda listed: listed[:index] + listed[index + 1 :]


def resize(
    index: int, radius: float
) -> Callable[[tuple[CollisionSphere, ...]], tuple[CollisionSphere, ...]]:
    return lambda listed: (
        *listed[:index],
        replace(listed[index], radius=radius),
        *listed[index + 1 :],
    )


def move_sphere(source: str, index: int, target: str) -> Change:
    def apply(xrdf: Xrdf) -> Xrdf:
        assert xrdf.geometry is not None
        group = xrdf.geometry[0]
        moved = group.spheres[source][index]
        rest = group.spheres[source][:index] + group.spheres[source][index + 1 :]
        changed = group.spheres.set(source, rest).set(
            target, (*group.spheres.get(target, ()), moved)
        )
        return replace(xrdf, geometry=(replace(group, spheres=changed),))

    return apply


COMMENTED = """\
geometry:
  g:
    spheres:
      arm:   # the arm
        # first
        - center: [0, 0, 0]   # c
          # between
          radius: 1           # r
        # second
        - center: [1, 0, 0]
          radius: 1   # r2
        # third
        - center: [2, 0, 0]
          radius: 1
        # end of the arm
      # end of g
# end of file
"""

CASES: dict[str, tuple[str, Change, str]] = {
    "comments: one value": (
        COMMENTED,
        spheres("arm", resize(0, 0.25)),
        COMMENTED.replace("radius: 1           # r\n", "radius: 0.25           # r\n"),
    ),
    "comments: deleted between, the comment above stays": (
        COMMENTED,
        spheres("arm", drop(1)),
        COMMENTED.replace("        - center: [1, 0, 0]\n          radius: 1   # r2\n", ""),
    ),
    "comments: deleted first": (
        COMMENTED,
        spheres("arm", drop(0)),
        COMMENTED.replace(
            "        - center: [0, 0, 0]   # c\n          # between\n          radius: 1          "
            " # r\n",
            "",
        ),
    ),
    "comments: deleted last": (
        COMMENTED,
        spheres("arm", drop(2)),
        COMMENTED.replace("        - center: [2, 0, 0]\n          radius: 1\n", ""),
    ),
    "comments: appended before those at the end": (
        COMMENTED,
        spheres("arm", lambda listed: (*listed, sphere(9.0))),
        COMMENTED.replace(
            "        # end of the arm",
            "        - center: [9.0, 0.0, 0.0]\n          radius: 1.0\n        # end of the arm",
        ),
    ),
    "comments: all deleted, none is lost": (
        COMMENTED,
        spheres("arm", lambda listed: ()),
        """\
geometry:
  g:
    spheres:
      arm: []   # the arm
        # first
        # second
        # third
        # end of the arm
      # end of g
# end of file
""",
    ),
    "comments: moved along with the item they stand above": (
        COMMENTED,
        spheres("arm", lambda listed: (listed[1], listed[2], listed[0])),
        """\
geometry:
  g:
    spheres:
      arm:   # the arm
        # second
        - center: [1, 0, 0]
          radius: 1   # r2
        # third
        - center: [2, 0, 0]
          radius: 1
        # first
        - center: [0, 0, 0]   # c
          # between
          radius: 1           # r
        # end of the arm
      # end of g
# end of file
""",
    ),
    "flow and block mixed: a sphere in braces": (
        "geometry:\n  g:\n    spheres:\n      arm:\n      - {center: [0,0,0], radius: 1}  # a\n    "
        "  - center:\n"
        "        - 1\n        - 2 # y\n        - 3\n        radius: .5\n",
        spheres(
            "arm",
            lambda listed: (
                replace(listed[0], radius=2.5),
                replace(listed[1], center=(1.0, 7.5, 3.0)),
            ),
        ),
        "geometry:\n  g:\n    spheres:\n      arm:\n      - {center: [0,0,0], radius: 2.5}  # a\n  "
        "    - center:\n"
        "        - 1\n        - 7.5 # y\n        - 3\n        radius: .5\n",
    ),
    "flow list of mappings": (
        "geometry: {g: {spheres: {arm: [{center: [0,0,0], radius: 1}, {center: [1,0,0], radius: "
        "1}]}}}\n",
        spheres("arm", lambda listed: (*listed[1:], sphere(3.0))),
        "geometry: {g: {spheres: {arm: [{center: [1,0,0], radius: 1}, {center: [3.0,0.0,0.0], "
        "radius: 1.0}]}}}\n",
    ),
    "multi-line flow list with comments: insert": (
        "tool_frames: [\n  a,   # first\n  # about b\n  b    # last\n]  # end\n",
        tools("a", "x", "b", "z"),
        "tool_frames: [\n  a,   # first\n  x,\n  # about b\n  b,    # last\n  z\n]  # end\n",
    ),
    "multi-line flow list with comments: delete": (
        "tool_frames: [\n  a,   # first\n  # about b\n  b,   # second\n  c,\n]\n",
        tools("a", "c"),
        "tool_frames: [\n  a,   # first\n  # about b\n  c,\n]\n",
    ),
    "multi-line flow list: delete the last": (
        "cspace:\n  jerk_limits: [500, 500.,\n                600]\n",
        joints(lambda cspace: replace(cspace, jerk_limits=(500.0, 500.0))),
        "cspace:\n  jerk_limits: [500, 500.]\n",
    ),
    "aligned values": (
        "collision:\n  geometry: g\n  buffer_distance:\n    base:          0.01\n    "
        "shoulder_link: 0.02\n",
        buffers(lambda distances: distances.set("elbow", 0.5).set("base", 0.125)),
        "collision:\n  geometry: g\n  buffer_distance:\n    base:          0.125\n    "
        "shoulder_link: 0.02\n"
        "    elbow:         0.5\n",
    ),
    "odd indents": (
        "self_collision:\n       geometry: g\n       ignore:\n          a:\n             - b\n    "
        "      c: [ d ]\n",
        ignore(lambda ignored: ignored.set("a", ("b", "x")).set("c", ("d", "z")).set("e", ("f",))),
        "self_collision:\n       geometry: g\n       ignore:\n          a:\n             - b\n     "
        "        - x\n"
        "          c: [ d, z ]\n          e: [ f ]\n",
    ),
    "quoted and plain keys": (
        "default_joint_positions:\n  \"a\": 0.0\n  'b': 1.0\n  c: 2.0\n",
        positions(
            lambda defaults: defaults.renamed("a", "a2").renamed("b", "b2").renamed("c", "c2")
        ),
        "default_joint_positions:\n  \"a2\": 0.0\n  'b2': 1.0\n  c2: 2.0\n",
    ),
    "an alias is written out where it is edited; the anchor stays": (
        "self_collision:\n  geometry: g\n  ignore:\n    a: &mask [b, c]\n    d: *mask   # same\n",
        ignore(lambda ignored: ignored.set("d", ("b", "x"))),
        "self_collision:\n  geometry: g\n  ignore:\n    a: &mask [b, c]\n    d: [b, x]   # same\n",
    ),
    "an alias keeps the old value where its anchor is edited": (
        "self_collision:\n  geometry: g\n  ignore:\n    a: &mask [b, c]\n    d: *mask   # same\n",
        ignore(lambda ignored: ignored.set("a", ("b",))),
        "self_collision:\n  geometry: g\n  ignore:\n    a: &mask [b]\n    d: [b, c]   # same\n",
    ),
    "an anchored number keeps its anchor": (
        "default_joint_positions: {a: &x 0.5, b: *x, c: &y , d: &z 1}\n",
        positions(lambda defaults: defaults.set("a", 0.25).set("c", 2.0).set("d", 3.0)),
        "default_joint_positions: {a: &x 0.25, b: 0.5, c: &y 2.0 , d: &z 3.0}\n",
    ),
    "a merge key: an own entry wins over the merged one": (
        "base: &base\n  a: 0.1\n  b: 0.2\ndefault_joint_positions:\n  <<: *base\n  c: 0.3\n",
        positions(lambda defaults: defaults.set("a", 0.5)),
        "base: &base\n  a: 0.1\n  b: 0.2\ndefault_joint_positions:\n  <<: *base\n  c: 0.3\n  a: "
        "0.5\n",
    ),
    "a merge key is written out when one of its entries goes": (
        "base: &base\n  a: 0.1\n  b: 0.20\ndefault_joint_positions:\n  <<: *base\n  c: 0.3\n",
        positions(lambda defaults: defaults.without("a")),
        "base: &base\n  a: 0.1\n  b: 0.20\ndefault_joint_positions:\n  c: 0.3\n  b: 0.20\n",
    ),
    "entries of a merge key that is written out keep their order": (
        "base: &base {z: 0.1, a: 0.2, w: 0.3, b: 0.4, x: 0.5}\ndefault_joint_positions:\n  <<: "
        "*base\n  c: 0.6\n",
        positions(lambda defaults: defaults.without("a")),
        "base: &base {z: 0.1, a: 0.2, w: 0.3, b: 0.4, x: 0.5}\n"
        "default_joint_positions:\n  c: 0.6\n  z: 0.1\n  w: 0.3\n  b: 0.4\n  x: 0.5\n",
    ),
    "spellings of numbers": (
        "default_joint_positions: {a: -0, b: 1., c: +1.5, d: 0.12345678901234567, e: 1e-3, f: .5, "
        "g: 0x10}\n",
        positions(lambda defaults: defaults.set("f", 1e-5)),
        "default_joint_positions: {a: -0, b: 1., c: +1.5, d: 0.12345678901234567, e: 1e-3, f: "
        "0.00001, g: 0x10}\n",
    ),
    "CRLF": (
        "tool_frames:\r\n- a # x\r\n- b\r\nformat: xrdf\r\n",
        tools("a", "c", "b"),
        "tool_frames:\r\n- a # x\r\n- c\r\n- b\r\nformat: xrdf\r\n",
    ),
    "CR alone": (
        "tool_frames:\r- a # x\r- b\r",
        tools("a", "b", "c"),
        "tool_frames:\r- a # x\r- b\r- c\r",
    ),
    "no last newline: append": (
        "tool_frames:\n  - a\n  - b",
        tools("a", "b", "c"),
        "tool_frames:\n  - a\n  - b\n  - c",
    ),
    "no last newline: delete": ("tool_frames:\n  - a\n  - b", tools("a"), "tool_frames:\n  - a"),
    "no last newline: null section": (
        "format: xrdf\ntool_frames:",
        tools("a"),
        'format: xrdf\ntool_frames: ["a"]',
    ),
    "tabs after colons": (
        "format:\txrdf\ndefault_joint_positions:\n  a:\t0.5\t# half\n  b:\t1\n",
        positions(lambda defaults: defaults.set("a", 0.25).set("c", 2.0)),
        "format:\txrdf\ndefault_joint_positions:\n  a:\t0.25\t# half\n  b:\t1\n  c:\t2.0\n",
    ),
    "document markers": (
        "%YAML 1.2\n--- # begin\ntool_frames: [a]\n... # end\n",
        tools("a", "b"),
        "%YAML 1.2\n--- # begin\ntool_frames: [a, b]\n... # end\n",
    ),
    "document markers: a section more": (
        "---\nformat: xrdf\n...\n",
        tools("a"),
        '---\nformat: xrdf\n\ntool_frames: ["a"]\n...\n',
    ),
    "unknown sections and keys": (
        "dynamics: {mass: 1}   # mine\ntool_frames: [a]\nnotes:\n  - 1\n",
        tools("b"),
        "dynamics: {mass: 1}   # mine\ntool_frames: [b]\nnotes:\n  - 1\n",
    ),
    "duplicate keys elsewhere": (
        "tool_frames: [a]\nself_collision:\n  ignore:\n    a: [b]\n    a: [c]\n",
        tools("b"),
        "tool_frames: [b]\nself_collision:\n  ignore:\n    a: [b]\n    a: [c]\n",
    ),
    "null sections: a list": (
        "tool_frames:   # none\nformat: xrdf\n",
        tools("a"),
        'tool_frames: ["a"]   # none\nformat: xrdf\n',
    ),
    "null sections: a mapping": (
        "self_collision:\n  geometry: g\n  ignore:   # none yet\n\nformat: xrdf\n",
        ignore(lambda ignored: ignored.set("a", ("b",))),
        'self_collision:\n  geometry: g\n  ignore:   # none yet\n    a: ["b"]\n\nformat: xrdf\n',
    ),
    "tilde section": ("tool_frames: ~\n", tools("a"), 'tool_frames: ["a"]\n'),
    "empty braces become lines": (
        "geometry:\n  g:\n    spheres: {}   # none\n",
        spheres("arm", lambda listed: (sphere(0.5),)),
        "geometry:\n  g:\n    spheres:   # none\n"
        "      arm:\n        - center: [0.5, 0.0, 0.0]\n          radius: 1.0\n",
    ),
    "an empty list of spheres": (
        "geometry:\n  g:\n    spheres:\n"
        "      arm: []  # none\n      leg:\n      - radius:  2\n        center: [ 1,2,3 ]\n",
        spheres("arm", lambda listed: (sphere(0.5),)),
        "geometry:\n  g:\n    spheres:\n      arm:  # none\n      - radius:  1.0\n        center: "
        "[ 0.5,0.0,0.0 ]\n"
        "      leg:\n      - radius:  2\n        center: [ 1,2,3 ]\n",
    ),
    "delete the last item of a flow list": (
        "tool_frames: [ a ]  # x\n",
        tools(),
        "tool_frames: []  # x\n",
    ),
    "delete the last entry of a mapping": (
        "collision:\n  geometry: g\n  buffer_distance:\n    a: 0.1   # x\n  # y\n",
        buffers(lambda distances: FrozenDict()),
        "collision:\n  geometry: g\n  buffer_distance: {}\n  # y\n",
    ),
    "unicode": (
        "# größe 日本 😀\ntool_frames: ['über', \"日本\", 😀x]   # 😀\ndefault_joint_positions: {ä: "
        "1.0}\n",
        lambda xrdf: replace(
            positions(lambda defaults: defaults.set("ä", 0.5))(xrdf),
            tool_frames=("über", "😀x", "ß"),
        ),
        "# größe 日本 😀\ntool_frames: ['über', 😀x, 'ß']   # 😀\ndefault_joint_positions: {ä: 0.5}\n",
    ),
    "reorder a block list": (
        'cspace:\n  joint_names:\n    - "a"   # 1\n    # two\n    - "b"   # 2\n    - "c"   # 3\n',
        joints(lambda cspace: replace(cspace, joint_names=("b", "c", "a"))),
        'cspace:\n  joint_names:\n    # two\n    - "b"   # 2\n    - "c"   # 3\n    - "a"   # 1\n',
    ),
    "reorder a flow list": (
        "tool_frames: [a,b,  c]\n",
        tools("c", "a", "b"),
        "tool_frames: [c,  a,b]\n",
    ),
    "rename a link's key": (
        COMMENTED,
        lambda xrdf: replace(
            xrdf,
            geometry=tuple(
                replace(g, spheres=g.spheres.renamed("arm", "upper arm"))
                for g in xrdf.geometry or ()
            ),
        ),
        COMMENTED.replace("      arm:   # the arm", "      upper arm:   # the arm"),
    ),
    "rename a group": (
        "geometry:\n  'g':   # x\n    spheres:\n      a:\n      - center: [0,0,0]\n        "
        "radius: 1\n",
        lambda xrdf: replace(
            xrdf, geometry=tuple(replace(g, name="h") for g in xrdf.geometry or ())
        ),
        "geometry:\n  'h':   # x\n    spheres:\n      a:\n      - center: [0,0,0]\n        "
        "radius: 1\n",
    ),
    "move a sphere to another link, with comments and spelling": (
        "geometry:\n  g:\n    spheres:\n      a:\n      - center: [0,0,0]\n        radius: 1\n     "
        " # tip\n"
        "      - center: [-0, 1., +2]  # t\n        radius: 0.12345678901234567\n      b:\n      - "
        "center: [5, 5, 5]\n"
        "        radius: 5\n",
        move_sphere("a", 1, "b"),
        "geometry:\n  g:\n    spheres:\n      a:\n      - center: [0,0,0]\n        radius: 1\n     "
        " b:\n"
        "      - center: [5, 5, 5]\n        radius: 5\n      # tip\n      - center: [-0, 1., +2]  "
        "# t\n"
        "        radius: 0.12345678901234567\n",
    ),
    "sections in the customary order": (
        "# robot\nformat: xrdf\nformat_version: 1.0\n\n"
        "cspace:\n  joint_names: ['a']\n\ngeometry:\n  g:\n    spheres: {}\n",
        lambda xrdf: replace(
            xrdf,
            modifiers=(SetBaseFrame("base"),),
            tool_frames=("tool",),
            self_collision=SelfCollisionSection("g", None, FrozenDict({"a": ("b",)})),
        ),
        "# robot\nformat: xrdf\nformat_version: 1.0\n\nmodifiers:\n  - set_base_frame: "
        "'base'\n\ncspace:\n"
        "  joint_names: ['a']\n\ntool_frames: ['tool']\n\nself_collision:\n  geometry: 'g'\n  "
        "ignore:\n    a: ['b']\n\n"
        "geometry:\n  g:\n    spheres: {}\n",
    ),
    "a section goes with its blank line": (
        "format: xrdf\n\ntool_frames: [a]\n\ngeometry:\n  g:\n    spheres: {}\n",
        lambda xrdf: replace(xrdf, tool_frames=None),
        "format: xrdf\n\ngeometry:\n  g:\n    spheres: {}\n",
    ),
    "modifiers: one field, and one more frame": (
        'modifiers:\n- add_frame:\n    frame_name: "t"   # tcp\n    parent_frame_name: "p"\n    '
        'joint_name: "j"\n'
        "    fixed_transform:\n      position: [0, 0, 1]\n      orientation: {w: 1, xyz: "
        "[0,0,0]}\n",
        lambda xrdf: replace(
            xrdf,
            modifiers=tuple(
                replace(m, frame_name="t2", joint_type="FIXED")
                for m in xrdf.modifiers or ()
                if isinstance(m, AddFrame)
            )
            + (SetBaseFrame("b"),),
        ),
        'modifiers:\n- add_frame:\n    frame_name: "t2"   # tcp\n    parent_frame_name: "p"\n    '
        'joint_name: "j"\n'
        "    joint_type: FIXED\n"
        "    fixed_transform:\n      position: [0, 0, 1]\n      orientation: {w: 1, xyz: [0,0,0]}\n"
        '- set_base_frame: "b"\n',
    ),
    "the obstacle section follows the version": (
        "format_version: 1.0  # v\ncollision:  # c\n  geometry: g\n",
        lambda xrdf: replace(xrdf, format_version="2.0"),
        "format_version: 2.0  # v\nworld_collision:  # c\n  geometry: g\n",
    ),
    "the obstacle section keeps a name that its version does not know": (
        "format_version: '2.0'\ncollision:\n  geometry: g\n",
        lambda xrdf: replace(xrdf, world_collision=CollisionSection("h")),
        "format_version: '2.0'\ncollision:\n  geometry: h\n",
    ),
    "one buffer for all becomes one per frame": (
        "collision:\n  geometry: g\n  buffer_distance: 0.1  # all\n",
        lambda xrdf: replace(xrdf, world_collision=CollisionSection("g", FrozenDict({"a": 0.5}))),
        "collision:\n  geometry: g\n  buffer_distance:  # all\n    a: 0.5\n",
    ),
    "groups: one more, in its place": (
        "geometry:\n  a:\n    spheres: {}\n  c:\n    spheres: {}\n",
        lambda xrdf: replace(
            xrdf,
            geometry=(
                (xrdf.geometry or ())[0],
                GeometryGroup("b", clone=("a",)),
                (xrdf.geometry or ())[1],
            ),
        ),
        'geometry:\n  a:\n    spheres: {}\n  b:\n    clone: ["a"]\n  c:\n    spheres: {}\n',
    ),
    "groups: another order": (
        "geometry:\n  a:   # A\n    spheres: {}\n  # about c\n  c:\n    spheres: {}\n",
        lambda xrdf: replace(xrdf, geometry=(xrdf.geometry or ())[::-1]),
        "geometry:\n  # about c\n  c:\n    spheres: {}\n  a:   # A\n    spheres: {}\n",
    ),
    "an unreadable sphere stays": (
        "geometry:\n  g:\n    spheres:\n      a:\n      - center: [0,0]   # broken\n        "
        "radius: 1\n"
        "      - center: [1,1,1]\n        radius: 1\n",
        spheres("a", resize(0, 0.5)),
        "geometry:\n  g:\n    spheres:\n      a:\n      - center: [0,0]   # broken\n        "
        "radius: 1\n"
        "      - center: [1,1,1]\n        radius: 0.5\n",
    ),
    "a value over several lines": (
        'tool_frames:\n  - plain\n    text over lines\n  - "quoted\n    over lines"   # q\n',
        tools("plain text over lines", "short"),
        'tool_frames:\n  - plain\n    text over lines\n  - "short"   # q\n',
    ),
    "block scalars": (
        "description: |\n  # no comment\n  text\n\n# a comment\ntool_frames: [a]\n",
        tools("b"),
        "description: |\n  # no comment\n  text\n\n# a comment\ntool_frames: [b]\n",
    ),
    "names that need quotes": (
        "tool_frames: [a]\n",
        tools("a", "yes", "1e3", "x: y", "a'b\"c", "n#"),
        'tool_frames: [a, "yes", "1e3", "x: y", "a\'b\\"c", "n#"]\n',
    ),
    "an XRDF that is JSON": (
        '{"format": "xrdf", "tool_frames": ["a"], "default_joint_positions": {"a": 1.0}}\n',
        lambda xrdf: replace(
            positions(lambda defaults: defaults.set("b", 2.0))(xrdf), tool_frames=("a", "b")
        ),
        '{"format": "xrdf", "tool_frames": ["a", "b"], "default_joint_positions": {"a": 1.0, "b": '
        "2.0}}\n",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_an_edit_gives_exactly_this_text(name: str) -> None:
    before, change, after = CASES[name]
    source = read_xrdf(SourceText.from_text(before))
    wanted = change(source.value)
    assert wanted != source.value, "the change does nothing"
    patch = patch_xrdf(source, wanted)
    assert patch.text == after
    assert read_xrdf(SourceText.from_text(patch.text)).value == wanted


@pytest.mark.parametrize("name", CASES)
def test_an_edit_taken_back_in_the_new_text_gives_the_same_model(name: str) -> None:
    before, change, _ = CASES[name]
    source = read_xrdf(SourceText.from_text(before))
    edited = patch_xrdf(source, change(source.value)).written
    assert patch_xrdf(edited, source.value).written.value == source.value


def test_a_byte_order_mark_stays() -> None:
    data = b"\xef\xbb\xbf" + HEAD.encode() + b"tool_frames: [a]\r\n"
    source = read_xrdf(SourceText.from_bytes(data))
    patch = patch_xrdf(source, replace(source.value, tool_frames=("b",)))
    assert source.source.with_text(patch.text).data == data.replace(b"[a]", b"[b]")


def test_utf_16_stays() -> None:
    data = (HEAD + "tool_frames: [ä]\n").encode("utf-16")
    source = read_xrdf(SourceText.from_bytes(data))
    assert source.value.tool_frames == ("ä",)
    patch = patch_xrdf(source, replace(source.value, tool_frames=("ö",)))
    assert source.source.with_text(patch.text).data == data.replace(
        "ä".encode("utf-16-le"), "ö".encode("utf-16-le")
    )


def test_what_is_written_anew_is_told() -> None:
    text = (
        "tool_frames:\n  ? a\n  : 1\nmodifiers:\n- set_base_frame: x\n"
        "default_joint_positions:\n  ? a\n  : 1.0\n  ? b\n  : 2.0  # two\n"
    )
    source = read_xrdf(SourceText.from_text(text))
    patch = patch_xrdf(source, positions(lambda defaults: defaults.set("c", 3.0))(source.value))
    assert read_xrdf(SourceText.from_text(patch.text)).value.default_joint_positions == {
        "a": 1.0,
        "b": 2.0,
        "c": 3.0,
    }
    assert patch.text.startswith("tool_frames:\n  ? a\n  : 1\nmodifiers:\n- set_base_frame: x\n")
    assert any("line 7" in note and "rewritten" in note for note in patch.notes)
