"""Lula robot description <-> XRDF.

`cspace` lists the joints, `default_q` their values in that order; joints that stand still, or
follow a fixed value, are in `cspace_to_urdf_rules`; spheres are a list of one-key mappings.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from editor_app.core.formats.exchange.codec import (
    Codec,
    Conversion,
    ConvertOptions,
    Part,
    Sample,
    Subject,
    Writer,
    get_source,
)
from editor_app.core.formats.exchange.conversion import Reporter, TextConversion, XrdfConversion
from editor_app.core.formats.exchange.joint_lists import (
    base_of,
    complete_default_positions,
    independent_positions,
    read_limits,
)
from editor_app.core.formats.exchange.plain_values import read_mappings, read_names, report_repeated
from editor_app.core.formats.exchange.sphere_lists import (
    count_spheres_on_links,
    spheres_of_lists,
    tell_buffers,
    tell_other_group,
    tell_strange_joints,
    tell_strangers,
)
from editor_app.core.formats.exchange.stated_values import (
    BASE,
    FRAMES,
    IGNORE,
    SELF_BUFFER,
    SPHERES,
    TOOLS,
    WORLD_BUFFER,
)
from editor_app.core.model.counting import format_count
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.guesses import PLACEHOLDERS, POSITIONS
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.urdf import Urdf
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
from editor_app.core.text.yaml.plain import fail, load_plain, read_finite_number
from editor_app.core.text.yaml.plan import Flow, FlowMap
from editor_app.core.text.yaml.writing import yaml_text

GROUP = "collision_spheres"
_READ = frozenset(
    {
        "api_version",
        "cspace",
        "root_link",
        "default_q",
        "acceleration_limits",
        "jerk_limits",
        "cspace_to_urdf_rules",
        "collision_spheres",
    }
)


def _recognise(sample: Sample) -> bool:
    value = sample.value
    return (
        isinstance(value, dict) and isinstance(value.get("cspace"), list) and "default_q" in value
    )


def read_lula(source: SourceText, urdf: Urdf | None = None) -> XrdfConversion:
    """The XRDF of a Lula description. Raises FormatError when it is none."""
    repeated: list[str] = []
    value = load_plain(source, repeated)
    if not isinstance(value, dict) or not isinstance(value.get("cspace"), list):
        raise fail(source, "The list cspace is missing", "Is this a robot description of Lula?")
    reading = _Reading(value, KinematicGraph(urdf) if urdf is not None else None)
    report_repeated(repeated, reading.out)
    return reading.convert()


class _Reading:
    """One reading; `silent` collects what the file says nothing of."""

    def __init__(self, value: dict[str, Any], graph: KinematicGraph | None) -> None:
        self.value = value
        self.graph = graph
        self.out = Reporter("Lula", "XRDF 1.0")
        self.silent = {FRAMES, TOOLS, WORLD_BUFFER, SELF_BUFFER, IGNORE}

    def convert(self) -> XrdfConversion:
        value, out = self.value, self.out
        joints = read_names(value["cspace"], "cspace", out) or ()
        out.taken("cspace", format_count(len(joints), "joint"))
        defaults = self._defaults(joints)
        limits = [
            read_limits(value.get(key), key, joints, joints, key, out) for key in PLACEHOLDERS
        ]
        spheres = self._spheres()
        tell_strangers(spheres, self.graph, out, "collision_spheres")
        tell_strange_joints((*joints, *defaults), self.graph, out)
        root = value.get("root_link")
        modifiers = base_of(root, "root_link", self.graph, out) or None
        if not isinstance(root, str):
            self.silent.add(BASE)
        for key, rest in value.items():
            if key not in _READ and rest not in (None, [], {}):
                out.lost(str(key), "XRDF cannot store it")
        xrdf = Xrdf(
            modifiers=modifiers,
            default_joint_positions=FrozenDict(defaults),
            cspace=CSpace(joints, *limits),
            world_collision=CollisionSection(GROUP),
            self_collision=SelfCollisionSection(GROUP),
            geometry=(GeometryGroup(GROUP, FrozenDict(spheres)),),
        )
        self.silent |= {f"cspace.{key}" for key, _ in out.guesses if key in PLACEHOLDERS}
        return XrdfConversion(
            xrdf, out.report(), silent=frozenset(self.silent), guesses=frozenset(out.guesses)
        )

    def _defaults(self, joints: tuple[str, ...]) -> dict[str, float]:
        value, out = self.value, self.out
        defaults = complete_default_positions(
            value.get("default_q"), "default_q", joints, self.graph, out
        )
        for rule in read_mappings(value.get("cspace_to_urdf_rules"), "cspace_to_urdf_rules", out):
            fixed, name = (
                read_finite_number(rule.get("value", rule.get("default"))),
                rule.get("name"),
            )
            if isinstance(name, str) and rule.get("rule") == "fixed" and fixed is not None:
                defaults[name] = fixed
                out.guesses.discard((POSITIONS, name))
                out.translated(
                    f"cspace_to_urdf_rules {name}",
                    f"default position {fixed:g}, outside the c-space",
                )
            elif isinstance(name, str) and rule.get("rule") != "fixed":
                out.lost(f"cspace_to_urdf_rules {name}", "XRDF can only store fixed values")
            else:
                out.unread(f"cspace_to_urdf_rules {name}", "a name and a value are needed")
        return independent_positions(defaults, self.graph, (), out)

    def _spheres(self) -> dict[str, tuple[CollisionSphere, ...]]:
        listed = spheres_of_lists(
            self.value.get("collision_spheres"), "collision_spheres", self.out
        )
        spheres = {frame: frame_spheres for frame, frame_spheres in listed.items() if frame_spheres}
        if spheres:
            self.out.taken("collision_spheres", count_spheres_on_links(spheres))
        else:
            self.silent.add(SPHERES)
        return spheres


def lula_text(robot: RobotDescription) -> TextConversion:
    """A whole file. Mimic joints stand in neither list. Raises FormatError for values that are not
    finite."""
    xrdf, graph = robot.xrdf, KinematicGraph(robot.urdf)
    out = Reporter(f"XRDF {xrdf.format_version}", "Lula")
    root = graph.root or ""
    for modifier in xrdf.modifiers or ():
        if isinstance(modifier, SetBaseFrame):
            root = modifier.frame
            out.translated(f"set_base_frame {root}", "root_link")
        elif isinstance(modifier, AddFrame):
            out.lost(f"add_frame {modifier.frame_name}", "Lula takes its frames from the URDF")
        else:
            out.lost(
                f"remove_mimic_attributes of {modifier.joint_name}", "Lula cannot free a joint"
            )
    joints = xrdf.controlled
    defaults = xrdf.default_joint_positions or FrozenDict()
    document: dict[str, Any] = {
        "api_version": 1.0,
        "cspace": list(joints),
        "root_link": root,
        "default_q": Flow([defaults.get(n, graph.clamped(n)) for n in joints]),
    }
    if joints:
        out.taken("cspace.joint_names", format_count(len(joints), "joint"))
    out.translated("default_joint_positions", "default_q, in the order of the c-space")
    for key in ("acceleration_limits", "jerk_limits"):
        values = getattr(xrdf.cspace, key) if xrdf.cspace is not None else None
        if values:
            document[key] = Flow(values)
            out.taken(f"cspace.{key}")
    fixed = {
        n: defaults.get(n, graph.clamped(n))
        for n in graph.movable(robot.urdf.joints)
        if n not in joints
    }
    document["cspace_to_urdf_rules"] = [
        FlowMap(name=n, rule="fixed", value=v) for n, v in fixed.items()
    ]
    if fixed:
        out.translated("joints outside the c-space", f"fixed by rules: {', '.join(fixed)}")
    document["composite_task_spaces"] = []
    spheres = _written_spheres(xrdf, out)
    document["collision_spheres"] = [
        {frame: [{"center": Flow(s.center), "radius": max(s.radius, 0.0)} for s in frame_spheres]}
        for frame, frame_spheres in spheres.items()
    ]
    _tell_losses(xrdf, out)
    text = yaml_text(document, "<new Lula description>", ["cspace"])
    return TextConversion(text, out.report())


def _written_spheres(xrdf: Xrdf, out: Reporter) -> dict[str, tuple[CollisionSphere, ...]]:
    group = xrdf.world_group or xrdf.self_group
    added = {each.frame_name for each in xrdf.added_frames}
    spheres = {f: s for f, s in xrdf.spheres_of(group).items() if s and f not in added}
    if len(spheres) != len([s for s in xrdf.spheres_of(group).values() if s]):
        out.lost(
            "geometry",
            "spheres on added frames: "
            f"{', '.join(f for f in xrdf.spheres_of(group) if f in added)}",
        )
    tell_other_group(xrdf, "Lula", out)
    if spheres:
        out.taken("geometry", count_spheres_on_links(spheres))
    shrunk = [
        frame
        for frame, frame_spheres in spheres.items()
        if any(s.radius < 0 for s in frame_spheres)
    ]
    if shrunk:
        out.lost(f"spheres of {', '.join(shrunk)}", "radii below 0 are written as 0")
    return spheres


def _tell_losses(xrdf: Xrdf, out: Reporter) -> None:
    tell_buffers(xrdf, "Lula", out)
    if xrdf.self_collision is not None and xrdf.self_collision.ignore:
        out.lost("self_collision.ignore", "Lula determines the pairs to check")
    if xrdf.tool_frames:
        out.lost("tool_frames", "Lula's description has no tool frame; programs name it")


def _write(subject: Subject, output: Path, options: ConvertOptions) -> Conversion:
    written = lula_text(subject.robot)
    return subject.written([(output, written.text)], written.report)


CODEC = Codec(
    name="lula",
    title="&Lula robot description",
    pattern="*.yaml *.yml",
    recognise=_recognise,
    read=lambda file, context: read_lula(get_source(file), context.urdf),
    joins=True,
    writer=Writer(
        _write,
        endings=(".lula.yaml", ".lula.yml"),
        proposal=".lula.yaml",
        holds=frozenset({Part.XRDF, Part.SPHERES}),
        takes=("positions",),
    ),
)
