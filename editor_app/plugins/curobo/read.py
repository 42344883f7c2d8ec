"""cuRobo configuration -> XRDF.

What cuRobo means (its loader and its own converters were read for it): `cspace.joint_names` lists
locked joints, too; a locked joint stands at the value in `lock_joints`. `collision_sphere_buffer`
grows spheres towards the world only, `self_collision_buffer` towards each other only: the same two
as XRDF's. Only links in `collision_link_names` take part.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editor_app.core.formats.exchange.conversion import Reporter, XrdfConversion
from editor_app.core.formats.exchange.joint_lists import (
    base_of,
    complete_default_positions,
    independent_positions,
    read_limits,
)
from editor_app.core.formats.exchange.plain_values import read_names, report_repeated
from editor_app.core.formats.exchange.sphere_lists import (
    count_spheres_on_links,
    spheres_of_lists,
    tell_strange_joints,
    tell_strangers,
)
from editor_app.core.formats.exchange.stated_values import (
    ACCELERATION,
    BASE,
    FRAMES,
    IGNORE,
    JERK,
    SELF_BUFFER,
    SPHERES,
    TOOLS,
    WORLD_BUFFER,
)
from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.guesses import POSITIONS
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.urdf import Urdf
from editor_app.core.model.xrdf import (
    AddFrame,
    CollisionSection,
    CSpace,
    FixedTransform,
    GeometryGroup,
    Modifier,
    SelfCollisionSection,
    Xrdf,
)
from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.yaml.compose import compose_document
from editor_app.core.text.yaml.nodes import Scalar, walk_nodes
from editor_app.core.text.yaml.plain import load_plain, read_finite_number, read_finite_numbers
from editor_app.core.text.yaml.scalars import (
    format_number,
    parse_number,
    reads_differently_in_yaml_1_1,
)
from editor_app.plugins.curobo.write import (
    ASIDE,
    TRANSLATED,
    Aside,
    kinematics_of,
    loaded,
    version_of,
)

GROUP = "collision_model"
#: What numbers look like that YAML 1.1 takes for text, or for others: only then each of them is
#: looked at.
_MAYBE_TEXT = re.compile(r"\d[eE][-+]?\d|(?<![\w.])0[\d_]")


def is_curobo(value: object) -> bool:
    return kinematics_of(value) is not None


def named_urdfs(value: object) -> tuple[str, ...]:
    """Return the paths of `urdf_path`, as it is and below the folders that cuRobo searches."""
    config = kinematics_of(value) or {}
    path = config.get("urdf_path")
    if not isinstance(path, str) or not path.strip():
        return ()
    roots = [config.get(key) for key in ("external_asset_path", "asset_root_path")]
    return (path, *(f"{root}/{path}" for root in roots if isinstance(root, str) and root))


def read_curobo(source: SourceText, urdf: Urdf | None = None) -> XrdfConversion:
    """The XRDF of a configuration. Spheres that stand in another file are read from beside this
    one.

    With the URDF, the base frame is only written when it is not the root, and missing defaults are
    clamped. Raises FormatError when it is no such configuration.
    """
    repeated: list[str] = []
    reading = _Reading(source, *loaded(source, repeated), urdf)
    report_repeated(repeated, reading.out)
    return reading.convert()


def aside_of(source: SourceText, urdf: Urdf) -> Aside:
    """A configuration that is to take what a robot says otherwise. Raises FormatError when it is no
    configuration."""
    aside = read_curobo(source, urdf).aside
    assert isinstance(aside, Aside)
    return aside


class _Reading:
    def __init__(
        self, source: SourceText, whole: dict[str, Any], config: dict[str, Any], urdf: Urdf | None
    ) -> None:
        self.source = source
        self.whole = whole
        self.config = config
        self.urdf = urdf
        self.structure = KinematicGraph(urdf) if urdf is not None else None
        self.out = Reporter(f"cuRobo {version_of(config)}", "XRDF 1.0")
        self.dropped = _dropped(
            config, {link.name for link in urdf.links} if urdf is not None else set()
        )
        self.other_spheres: dict[str, Any] | None = None

    def convert(self) -> XrdfConversion:
        locked = self._locked()
        cspace, defaults = self._cspace(locked)
        spheres = self._spheres()
        buffers = self._buffers("collision_sphere_buffer", tuple(spheres))
        self_buffers = self._buffers("self_collision_buffer", tuple(spheres))
        tools = self._tools()
        xrdf = Xrdf(
            modifiers=self._modifiers() or None,
            default_joint_positions=FrozenDict(defaults),
            cspace=cspace,
            tool_frames=tools or None,
            world_collision=CollisionSection(GROUP, buffers),
            self_collision=SelfCollisionSection(GROUP, self_buffers, self._ignore()),
            geometry=(GeometryGroup(GROUP, FrozenDict(spheres)),),
        )
        self._aside()
        self._tell_texts(self.source)
        frames = {each.frame_name for each in xrdf.added_frames}
        ignored = xrdf.self_collision.ignore if xrdf.self_collision is not None else None
        for item, names_of in (
            ("collision_spheres", spheres),
            (
                "self_collision_ignore",
                [n for f, others in (ignored or {}).items() for n in (f, *others)],
            ),
            ("tool_frames", tools),
        ):
            tell_strangers((n for n in names_of if n not in frames), self.structure, self.out, item)
        tell_strange_joints(defaults, self.structure, self.out)
        aside = Aside(self.source, xrdf, self.other_spheres)
        silent, guesses = self._silent(bool(spheres)), frozenset(self.out.guesses)
        return XrdfConversion(xrdf, self.out.report(), silent=silent, guesses=guesses, aside=aside)

    def _silent(self, has_spheres: bool) -> frozenset[str]:
        """What the file says nothing of."""
        guessed = {key for key, _ in self.out.guesses}
        stated = {
            BASE: isinstance(self.config.get("base_link"), str),
            FRAMES: self.config.get("extra_links") is not None,
            TOOLS: any(
                self.config.get(k) is not None for k in ("tool_frames", "ee_link", "link_names")
            ),
            SPHERES: has_spheres,
            WORLD_BUFFER: self.config.get("collision_sphere_buffer") is not None,
            SELF_BUFFER: self.config.get("self_collision_buffer") is not None,
            IGNORE: self.config.get("self_collision_ignore") is not None,
            ACCELERATION: "acceleration_limits" not in guessed,
            JERK: "jerk_limits" not in guessed,
        }
        return frozenset(item for item, is_said in stated.items() if not is_said)

    def _kept(self, item: str, listed: Iterable[str], *, joints: bool = False) -> tuple[str, ...]:
        """The names that the import has; names of links and joints that it drops go with them, and
        are told."""
        dropped = self.dropped.joints if joints else self.dropped.links
        kept = tuple(name for name in listed if name not in dropped)
        gone = tuple(dict.fromkeys(name for name in listed if name in dropped))
        if gone:
            self.out.lost(item, f"of extra_links that an XRDF cannot store: {', '.join(gone)}")
        return kept

    def _locked(self) -> dict[str, float]:
        value = self.config.get("lock_joints")
        if not isinstance(value, dict):
            if value is not None:
                self.out.unread("lock_joints", "not a mapping of joints to positions")
            return {}
        locked = {str(k): n for k, v in value.items() if (n := read_finite_number(v)) is not None}
        gone = [str(k) for k in value if str(k) not in locked]
        locked = {name: locked[name] for name in self._kept("lock_joints", locked, joints=True)}
        if gone:
            self.out.unread("lock_joints", f"no position given for: {', '.join(gone)}")
        if locked:
            self.out.translated(
                "lock_joints",
                f"left out of the c-space, with a default position: {', '.join(locked)}",
            )
        return locked

    def _cspace(self, locked: dict[str, float]) -> tuple[CSpace, dict[str, float]]:
        value = self.config.get("cspace")
        if not isinstance(value, dict):
            if value is not None:
                self.out.unread("cspace", "not a mapping")
            value = {}
        listed = read_names(value.get("joint_names"), "cspace.joint_names", self.out)
        if listed is None:
            listed = ()
            if self.structure is not None:
                listed = self.structure.movable(self.structure.urdf.joints)
                self.out.translated("cspace.joint_names", "absent: all movable joints of the URDF")
        active = self._kept(
            "cspace.joint_names", [n for n in listed if n not in locked], joints=True
        )
        self.out.taken("cspace.joint_names", format_count(len(active), "joint"))
        key = "default_joint_position" if "default_joint_position" in value else "retract_config"
        defaults = {
            **complete_default_positions(
                value.get(key), f"cspace.{key}", listed, self.structure, self.out
            ),
            **locked,
        }
        self.out.guesses -= {(POSITIONS, name) for name in locked}
        defaults = {
            name: value for name, value in defaults.items() if name not in self.dropped.joints
        }
        defaults = independent_positions(defaults, self.structure, (), self.out)
        acceleration, jerk = (
            read_limits(value.get(name), f"cspace.{name}", listed, active, limits, self.out)
            for name, limits in (
                ("max_acceleration", "acceleration_limits"),
                ("max_jerk", "jerk_limits"),
            )
        )
        read = ("joint_names", key, "max_acceleration", "max_jerk")
        self._tell_rest({k: v for k, v in value.items() if k not in read})
        return CSpace(active, acceleration, jerk), defaults

    def _tell_rest(self, cspace: dict[str, Any]) -> None:
        """Reports the parts of the c-space that XRDF has no place for, the usual ones first."""
        usual = ("null_space_weight", "cspace_distance_weight", "position_limit_clip")
        for key in sorted(cspace, key=lambda k: usual.index(k) if k in usual else len(usual)):
            value = cspace[key]
            if isinstance(value, list) and all(read_finite_number(v) == 1 for v in value):
                self.out.kept(f"cspace.{key}", "1 for each joint, the default")
            elif value is not None:
                self.out.lost(f"cspace.{key}", "XRDF cannot store it")

    def _tools(self) -> tuple[str, ...]:
        tools = read_names(self.config.get("tool_frames"), "tool_frames", self.out)
        if tools is not None:
            tools = self._kept("tool_frames", tools)
            self.out.taken("tool_frames", ", ".join(tools))
            return tools
        tool_links: dict[str, None] = {}
        end = self.config.get("ee_link")
        if isinstance(end, str):
            tool_links[end] = None
            self.out.translated("ee_link", f"the first tool frame, {end}")
        elif end is not None:
            self.out.unread("ee_link", f"{end!r} is not a link name")
        for name in read_names(self.config.get("link_names"), "link_names", self.out) or ():
            if name not in tool_links:
                tool_links[name] = None
                self.out.translated("link_names", f"tool frame {name}")
        return self._kept("ee_link and link_names", tool_links)

    def _modifiers(self) -> tuple[Modifier, ...]:
        modifiers: list[Modifier] = []
        base = self.config.get("base_link")
        if isinstance(base, str) and base in self.dropped.links:
            self._kept("base_link", (base,))
        else:
            modifiers += base_of(base, "base_link", self.structure, self.out)
        extra = self.config.get("extra_links")
        if extra and not isinstance(extra, dict):
            self.out.unread("extra_links", "not a mapping of names to links")
        for key, frame in extra.items() if isinstance(extra, dict) else ():
            added = read_frame(str(key), frame)
            if added is None:
                moves = (
                    isinstance(frame, dict)
                    and str(frame.get("joint_type", "FIXED")).upper() != "FIXED"
                )
                report = self.out.lost if moves else self.out.unread
                report(
                    f"extra_links.{key}",
                    "parent, joint or transform is missing, or it is not fixed",
                )
            elif added.frame_name in self.dropped.links:
                self.out.lost(
                    f"extra_links.{key}", f"its parent {added.parent_frame_name} is left out"
                )
            else:
                modifiers.append(added)
                self.out.translated(f"extra_links.{key}", f"add_frame on {added.parent_frame_name}")
        return tuple(modifiers)

    def _spheres(self) -> dict[str, Any]:
        value = self.config.get("collision_spheres")
        if isinstance(value, str):
            value = self._other_file(value)
        spheres = spheres_of_lists(value, "collision_spheres", self.out)
        used = read_names(self.config.get("collision_link_names"), "collision_link_names", self.out)
        here = self._kept("collision_spheres", spheres)
        kept = {f: spheres[f] for f in here if used is None or f in used}
        gone = [f for f in here if f not in kept and spheres[f]]
        if gone:
            self.out.lost(
                "collision_spheres",
                f"of links that are not in collision_link_names: {', '.join(gone)}",
            )
        if kept:
            self.out.taken("collision_spheres", count_spheres_on_links(kept))
        extra = self.config.get("extra_collision_spheres")
        if isinstance(extra, dict) and extra:
            self.out.kept(
                "extra_collision_spheres",
                f"places for an attached object on {', '.join(map(str, extra))}",
            )
        return kept

    def _tell_texts(self, source: SourceText) -> None:
        """Report numbers that PyYAML, with which cuRobo reads the file, takes for text or for
        another number."""
        if not _MAYBE_TEXT.search(source.text):
            return
        for path, node in walk_nodes(compose_document(source).root):
            if not isinstance(node, Scalar) or not reads_differently_in_yaml_1_1(node):
                continue
            if (value := parse_number(node.value)) is not None:
                item = (
                    ".".join(map(str, path)).removeprefix("robot_cfg.").removeprefix("kinematics.")
                )
                reader = f"line {source.location(node.start).line}: PyYAML, which cuRobo uses,"
                detail = f"{reader} reads {node.value} differently; write {format_number(value)}"
                self.out.unread_elsewhere(item, detail)

    def _other_file(self, name: str) -> object:
        """`collision_spheres: spheres/robot.yml` is relative to cuRobo's own folders; here, to this
        file's."""
        folder = self.source.path.parent if self.source.path is not None else Path()
        parts = Path(name).parts
        places = [folder / Path(*parts[i:]) for i in range(len(parts))] if parts else []
        path = next((p for p in places if p.is_file()), None)
        if path is None:
            self.out.unread("collision_spheres", f"the file {name} was not found next to this file")
            return None
        try:
            repeated: list[str] = []
            source = SourceText.read(path)
            value = load_plain(source, repeated)
            self._tell_texts(source)
        except FormatError as error:
            self.out.unread("collision_spheres", str(error))
            return None
        report_repeated(repeated, self.out)
        self.out.translated("collision_spheres", f"read from {path.name}")
        spheres = value.get("collision_spheres", value) if isinstance(value, dict) else value
        self.other_spheres = spheres if isinstance(spheres, dict) else None
        return spheres

    def _buffers(self, key: str, frames: tuple[str, ...]) -> FrozenDict[str, float] | None:
        value = self.config.get(key)
        one = read_finite_number(value)
        if one is not None:
            if not one or not frames:
                return None
            self.out.translated(key, f"{one:g} for each link with spheres")
            return FrozenDict(dict.fromkeys(frames, one))
        if not isinstance(value, dict) or not value:
            if value:
                self.out.unread(key, "neither a number nor a mapping of links to numbers")
            return None
        bad = [str(f) for f, v in value.items() if read_finite_number(v) is None]
        if bad:
            self.out.unread(key, f"no number given for: {', '.join(bad)}")
        buffers = {
            str(f): n
            for f, v in value.items()
            if (n := read_finite_number(v)) is not None and str(f) in frames
        }
        gone = [str(f) for f, v in value.items() if str(f) not in frames and read_finite_number(v)]
        self.out.taken(key, format_count(len(buffers), "link"))
        if gone:
            self.out.lost(key, f"of links without spheres: {', '.join(gone)}")
        return FrozenDict(buffers)

    def _ignore(self) -> FrozenDict[str, tuple[str, ...]] | None:
        value = self.config.get("self_collision_ignore")
        if not isinstance(value, dict):
            if value:
                self.out.unread("self_collision_ignore", "not a mapping of links to lists of links")
            return None
        ignore: dict[str, tuple[str, ...]] = {}
        for frame, others in value.items():
            listed = [others] if isinstance(others, str) else others
            ignore[str(frame)] = (
                read_names(listed, f"self_collision_ignore.{frame}", self.out) or ()
            )
        kept = self._kept(
            "self_collision_ignore",
            [n for frame, others in ignore.items() for n in (frame, *others)],
        )
        ignore = {
            f: tuple(o for o in others if o in kept) for f, others in ignore.items() if f in kept
        }
        ignore = {f: others for f, others in ignore.items() if others or not self.dropped.links}
        self.out.taken(
            "self_collision_ignore",
            format_count(sum(map(len, ignore.values())), "entry", "entries"),
        )
        return FrozenDict(ignore)

    def _aside(self) -> None:
        for key, value in self.config.items():
            if value is None or key in TRANSLATED or value == {} or value == []:
                continue
            if key in ASIDE:
                self.out.kept(key, "stays in the cuRobo file")
            else:
                self.out.lost(key, "XRDF cannot store it")
        outer = self.whole.get("robot_cfg", self.whole)
        for key, value in outer.items() if isinstance(outer, dict) else ():
            if key != "kinematics" and value is not None:
                self.out.kept(str(key), "stays in the cuRobo file")


def read_frame(key: str, value: object) -> AddFrame | None:
    """The frame that an extra link adds; None for one that moves, or is not complete."""
    if not isinstance(value, dict):
        return None
    parent, joint = value.get("parent_link_name"), value.get("joint_name") or f"{key}_joint"
    kind = str(value.get("joint_type", "FIXED")).upper()
    pose = read_finite_numbers(value.get("fixed_transform", [0, 0, 0, 1, 0, 0, 0]), 7)
    if not isinstance(parent, str) or pose is None or kind != "FIXED":
        return None
    norm = math.hypot(*pose[3:])
    if norm < 1e-9:
        return None
    # A quaternion that is of unit length but for rounding keeps its digits.
    w, x, y, z = pose[3:] if abs(norm - 1) < 1e-3 else (v / norm for v in pose[3:])
    name = str(value.get("link_name") or key)
    return AddFrame(
        name, parent, str(joint), FixedTransform((pose[0], pose[1], pose[2]), (w, x, y, z)), "FIXED"
    )


@dataclass(frozen=True, slots=True)
class _Dropped:
    """What an XRDF cannot say of `extra_links`: links that move, all that hangs on them, and what
    they hang on."""

    links: frozenset[str] = frozenset()
    joints: frozenset[str] = frozenset()


def _dropped(config: dict[str, Any], urdf_links: Collection[str]) -> _Dropped:
    """With the URDF, a link that is nowhere but in such an entry is dropped with it."""
    extra = config.get("extra_links")
    entries = (
        {str(k): v for k, v in extra.items() if isinstance(v, dict)}
        if isinstance(extra, dict)
        else {}
    )
    frames = {key: read_frame(key, value) for key, value in entries.items()}
    kept = {frame.frame_name for frame in frames.values() if frame is not None}
    moving = [
        (str(v.get("link_name") or key), v) for key, v in entries.items() if frames[key] is None
    ]
    links = {name for name, _ in moving} - kept
    if urdf_links:
        links |= {str(v.get("parent_link_name")) for _, v in moving} - kept
    links -= set(urdf_links)
    hanging: set[str] | None = None
    while hanging is None or hanging:
        hanging = {
            f.frame_name for f in frames.values() if f is not None and f.parent_frame_name in links
        } - links
        links |= hanging
    joints = {str(v.get("joint_name")) for name, v in moving if name in links}
    return _Dropped(frozenset(links), frozenset(joints))
