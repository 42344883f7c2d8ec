"""One robot out of several files."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from editor_app.formats.conversion.kinds import Kind, Options
from editor_app.formats.exchange.groups import NeedsChoice, XrdfConversion, ignore_mapping
from editor_app.formats.exchange.report import ConversionReport, Reporter, counted
from editor_app.formats.exchange.srdf_to_xrdf import to_xrdf
from editor_app.formats.exchange.stated_values import beside, with_stated
from editor_app.formats.exchange.updating import onto
from editor_app.formats.foreign.curobo import read_curobo
from editor_app.formats.foreign.lula import read_lula
from editor_app.formats.foreign.sphere_lists import SphereList, read_sphere_list, spheres_in_urdf
from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.srdf import SrdfSource, read_srdf
from editor_app.formats.urdf import UrdfSource, XacroFile, read_urdf
from editor_app.formats.xrdf import XrdfSource, convert_version, draft_xrdf, read_xrdf
from editor_app.formats.xrdf.mask_reasons import reasons_of
from editor_app.model.findings import Location
from editor_app.model.robot import RobotDescription
from editor_app.model.urdf import Ball, Urdf
from editor_app.model.xrdf import CollisionSection, GeometryGroup, LinkPair, SelfCollisionSection, Xrdf


@dataclass
class Inputs:
    first: Path
    urdf: UrdfSource | None = None
    expanded: bool = False
    xrdf: Xrdf | None = None
    xrdf_text: str | None = None
    xrdf_source: XrdfSource | None = None
    #: What was changed on the way to a URDF, and is written beside it.
    along: tuple[Kind, ...] = ()
    reasons: dict[LinkPair, str] = field(default_factory=dict)
    srdf: SrdfSource | None = None
    configs: list[tuple[Kind, SourceText]] = field(default_factory=list)
    lists: list[SourceText] = field(default_factory=list)
    spheres_of: UrdfSource | None = None
    collada: Any = None
    #: The XRDF's limits are placeholders, which no other file should take for the robot's own.
    drafted: bool = False
    notes: tuple[str, ...] = ()
    reports: list[ConversionReport] = field(default_factory=list)


def read_inputs(paths: list[Path], kinds: list[Kind], target: Kind, options: Options) -> Inputs:
    inputs = Inputs(paths[0])
    for path, kind in zip(paths, kinds, strict=True):
        if kind == Kind.COLLADA:
            _read_collada(inputs, path, options)
        elif kind in (Kind.URDF, Kind.XACRO):
            source = _read_urdf(path, kind, options, inputs)
            if inputs.urdf is None:
                inputs.urdf = source
            else:
                # A second URDF is one of spheres, as other tools write it.
                inputs.spheres_of = source
        elif kind == Kind.XRDF:
            xrdf = read_xrdf(SourceText.read(path))
            if inputs.xrdf is not None:
                raise FormatError("There are two XRDF files", Location(str(path)), "Name one.")
            inputs.xrdf, inputs.reasons = xrdf.xrdf, dict(reasons_of(xrdf))
            inputs.xrdf_text, inputs.xrdf_source = xrdf.source.text, xrdf
        elif kind == Kind.SRDF:
            inputs.srdf = read_srdf(SourceText.read(path))
        elif kind == Kind.SPHERES:
            inputs.lists.append(SourceText.read(path))
        else:
            inputs.configs.append((kind, SourceText.read(path)))
    return inputs


def _read_urdf(path: Path, kind: Kind, options: Options, inputs: Inputs) -> UrdfSource:
    source = SourceText.read(path)
    try:
        if kind == Kind.URDF:
            return read_urdf(source)
        raise XacroFile("its name ends in .xacro", source.location(0))
    except XacroFile:
        if options.expand_xacro is None:
            raise
        expanded = read_urdf(options.expand_xacro(path))
        inputs.expanded = True
        out = Reporter("xacro", "URDF")
        links, joints = counted(len(expanded.urdf.links), "link"), counted(len(expanded.urdf.joints), "joint")
        out.translated("macros and expressions", f"expanded to {links} and {joints}")
        inputs.reports.append(out.report())
        return expanded


def _read_collada(inputs: Inputs, path: Path, options: Options) -> None:
    from editor_app.formats.foreign.collada import read_collada_robot

    found = read_collada_robot(path, options.robot)
    inputs.collada = found
    inputs.urdf = read_urdf(SourceText.from_text(found.urdf_text, path.with_suffix(".urdf")))
    if found.srdf_text is not None:
        inputs.srdf = read_srdf(SourceText.from_text(found.srdf_text, path.with_suffix(".srdf")))
    if found.xrdf_text is not None and inputs.xrdf is None:
        xrdf = read_xrdf(SourceText.from_text(found.xrdf_text, path.with_suffix(".xrdf")))
        inputs.xrdf, inputs.reasons, inputs.xrdf_text = xrdf.xrdf, dict(reasons_of(xrdf)), found.xrdf_text
    inputs.reports.append(found.report)


def robot_of(inputs: Inputs, target: Kind, options: Options) -> RobotDescription:
    urdf = inputs.urdf.urdf if inputs.urdf is not None else None
    xrdf = inputs.xrdf
    for number, (kind, source) in enumerate(inputs.configs):
        if number:
            raise FormatError("There are two files of cuRobo or Lula", source.location(0), "Name one.")
        config = (read_curobo if kind == Kind.CUROBO else read_lula)(source, urdf)
        if xrdf is not None:
            config = onto(xrdf, config, urdf)
        inputs.reports.append(config.report)
        xrdf = config.xrdf
    if urdf is None:
        if target not in (Kind.XRDF,) or xrdf is None or inputs.srdf is not None:
            place = Location(str(inputs.first))
            raise FormatError("The robot's URDF is needed for this", place, "Name it among the inputs.")
        urdf = Urdf()
    if xrdf is None:
        xrdf = read_xrdf(SourceText.from_text(draft_xrdf(urdf))).xrdf
        if inputs.srdf is not None and inputs.srdf.srdf.groups:
            # What the SRDF says takes the place of guesses, placeholders alone stay.
            xrdf = replace(
                xrdf,
                tool_frames=None,
                default_joint_positions=None,
                self_collision=SelfCollisionSection(xrdf.self_group),
                cspace=None,
            )
        drafted = inputs.drafted = True
    else:
        drafted = False
    # The XRDF that was in a COLLADA file has been brought up to date already.
    complete = inputs.collada is not None and inputs.collada.xrdf_text is not None
    # These take both as they are.
    both = (target in (Kind.SRDF, Kind.COLLADA) and not drafted) or (target == Kind.URDF and inputs.collada is None)
    if inputs.srdf is not None and not complete and not both:
        made = _from_srdf(inputs, urdf, xrdf, target, options)
        if target != Kind.SRDF:
            inputs.reports.append(beside(made.report) if target in (Kind.URDF, Kind.COLLADA) else made.report)
        xrdf = made.xrdf
        inputs.reasons.update(made.reasons)
    if inputs.collada is not None and drafted:
        xrdf = with_stated(xrdf, inputs.collada, urdf, options.group is None)
    lists = [read_sphere_list(s, [link.name for link in urdf.links], options.link) for s in inputs.lists]
    if inputs.spheres_of is not None:
        found = spheres_in_urdf(inputs.spheres_of.urdf)
        if not found.spheres:
            place = inputs.spheres_of.source.location(0)
            raise FormatError("The second URDF has no spheres as collision geometry", place, "Name one URDF.")
        lists.append(found)
    elif drafted and not lists and target not in (Kind.URDF, Kind.COLLADA) and _all_spheres(urdf):
        # A URDF with spheres, by itself.
        lists.append(spheres_in_urdf(urdf))
    for found_list in lists:
        xrdf = with_spheres(xrdf, found_list, urdf)
        inputs.reports.append(found_list.report)
    robot = RobotDescription(urdf, xrdf, inputs.srdf.srdf if inputs.srdf is not None else None)
    if options.xrdf_version is not None and xrdf.format_version != options.xrdf_version:
        changed = convert_version(robot, options.xrdf_version)
        out = Reporter(f"XRDF {xrdf.format_version}", f"XRDF {options.xrdf_version}")
        for note in changed.notes:
            out.translated("version", note)
        inputs.reports.append(out.report())
        robot = robot.with_xrdf(changed.xrdf)
    return robot


def _all_spheres(urdf: Urdf) -> bool:
    shapes = [collision.geometry for link in urdf.links for collision in link.collisions]
    return bool(shapes) and all(isinstance(shape, Ball) for shape in shapes)


def _from_srdf(inputs: Inputs, urdf: Urdf, xrdf: Xrdf, target: Kind, options: Options) -> XrdfConversion:
    assert inputs.srdf is not None
    srdf = inputs.srdf.srdf
    try:
        return to_xrdf(srdf, urdf, group=options.group, state=options.state, base=xrdf)
    except NeedsChoice:
        if target in (Kind.XRDF, Kind.CUROBO, Kind.LULA) or options.group is not None or options.state is not None:
            raise
        # The other files are what was asked for; a draft of the joints is as good a beginning as any.
        bare = replace(srdf, groups=(), states=(), tcps=())
        return to_xrdf(bare, urdf, base=read_xrdf(SourceText.from_text(draft_xrdf(urdf))).xrdf)


def with_spheres(xrdf: Xrdf, found: SphereList, urdf: Urdf) -> Xrdf:
    """The XRDF with these spheres in the group for obstacles (and for itself, when that is the same)."""
    name = xrdf.world_group or xrdf.self_group or f"{urdf.name or 'robot'}_collision_spheres"
    group = xrdf.group(name) or GeometryGroup(name)
    for frame, spheres in found.spheres.items():
        group = group.with_spheres(frame, spheres)
    xrdf = xrdf.with_group(group)
    world = xrdf.world_collision or CollisionSection()
    own = xrdf.self_collision or SelfCollisionSection()
    if found.pairs:
        pairs = dict.fromkeys((*own.ignored_pairs(), *found.pairs), "")
        own = replace(own, ignore=ignore_mapping(pairs, urdf))
    return replace(
        xrdf,
        world_collision=replace(world, geometry=world.geometry or name),
        self_collision=replace(own, geometry=own.geometry or name),
    )
