"""XRDF -> cuRobo configuration, version 1 or 2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from editor_app.formats.exchange.report import ConversionReport, Reporter, counted
from editor_app.formats.xrdf.write import finite_or_refuse
from editor_app.formats.yaml.scalars import format_number, format_string
from editor_app.model.frozen import FrozenDict
from editor_app.model.kinematic_graph import KinematicGraph
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import AddFrame, CollisionSection, SetBaseFrame

Version = Literal["1", "2"]


@dataclass(frozen=True, slots=True)
class TextConversion:
    text: str
    report: ConversionReport


def curobo_text(robot: RobotDescription, urdf_path: str = "", version: Version = "2") -> TextConversion:
    """A whole file, spheres included. `urdf_path` is written as it is.

    Raises FormatError for values that are not finite.
    """
    xrdf, structure = robot.xrdf, KinematicGraph(robot.urdf)
    out = Reporter(f"XRDF {xrdf.format_version}", f"cuRobo {version}")
    base = next((m.frame for m in xrdf.modifiers or () if isinstance(m, SetBaseFrame)), structure.root or "")
    tools = xrdf.tool_frames or ()
    lines = ["robot_cfg:", "  kinematics:", f"    urdf_path: {_text(urdf_path)}", '    asset_root_path: ""']
    lines += [f"    base_link: {_text(base)}"]
    if version == "2":
        lines += [f"    tool_frames: {_flow(tools)}"]
        out.taken("tool_frames", ", ".join(tools))
    else:
        lines += [f"    ee_link: {_text(tools[0] if tools else '')}", f"    link_names: {_flow(tools[1:])}"]
        out.translated("tool_frames", "ee_link" + (" and link_names" if tools[1:] else ""))
    lines += _extra_links(robot, out)
    lines += _cspace(robot, structure, version, out)
    lines += _collision(robot, out)
    return TextConversion(finite_or_refuse("\n".join(lines) + "\n", "<new cuRobo configuration>"), out.report())


def _extra_links(robot: RobotDescription, out: Reporter) -> list[str]:
    frames = [m for m in robot.xrdf.modifiers or () if isinstance(m, AddFrame)]
    for modifier in robot.xrdf.modifiers or ():
        if isinstance(modifier, SetBaseFrame):
            out.translated(f"set_base_frame {modifier.frame}", "base_link")
        elif not isinstance(modifier, AddFrame):
            out.lost(f"remove_mimic_attributes of {modifier.joint_name}", "cuRobo cannot free a joint")
    if not frames:
        return ["    extra_links: {}"]
    lines = ["    extra_links:"]
    for m in frames:
        pose = [*m.fixed_transform.position, *m.fixed_transform.orientation_wxyz]
        lines += [
            f"      {_key(m.frame_name)}:",
            f"        parent_link_name: {_text(m.parent_frame_name)}",
            f"        link_name: {_text(m.frame_name)}",
            f"        joint_name: {_text(m.joint_name)}",
            "        joint_type: FIXED",
            f"        fixed_transform: [{', '.join(map(format_number, pose))}]",
        ]
        out.translated(f"add_frame {m.frame_name}", "extra_links")
    return lines


def _cspace(robot: RobotDescription, structure: KinematicGraph, version: Version, out: Reporter) -> list[str]:
    cspace = robot.xrdf.cspace
    names = (cspace.joint_names if cspace is not None else None) or ()
    defaults = robot.xrdf.default_joint_positions or FrozenDict()
    locked = {n: defaults.get(n, structure.clamped(n)) for n in structure.movable(robot.urdf.joints) if n not in names}
    if locked:
        out.translated("joints outside of the c-space", f"lock_joints: {', '.join(locked)}")
    lost = [n for n in defaults if n not in names and n not in locked]
    if lost:
        out.lost("default_joint_positions", f"joints that follow or do not exist: {', '.join(lost)}")
    every = (*names, *locked)
    positions = [defaults.get(n, locked.get(n, structure.clamped(n))) for n in every]
    lines = ["    lock_joints:" if locked else "    lock_joints: {}"]
    lines += [f"      {_key(n)}: {format_number(v)}" for n, v in locked.items()]
    key = "default_joint_position" if version == "2" else "retract_config"
    lines += ["    cspace:", f"      joint_names: {_flow(every)}"]
    lines += [f"      {key}: [{', '.join(map(format_number, positions))}]"]
    if cspace is not None and cspace.joint_names:
        out.taken("cspace.joint_names", counted(len(cspace.joint_names), "joint"))
    out.translated("default_joint_positions", f"cspace.{key}, in the order of the joints")
    for ours, theirs in (("acceleration_limits", "max_acceleration"), ("jerk_limits", "max_jerk")):
        values = getattr(cspace, ours) if cspace is not None else None
        if not values:
            continue
        # A locked joint does not move: any limit does, and the largest changes nothing for the others.
        padded = [*values, *[max(values)] * len(locked)]
        lines += [f"      {theirs}: [{', '.join(map(format_number, padded))}]"]
        out.taken(f"cspace.{ours}", theirs)
    ones = ", ".join(["1.0"] * len(every))
    lines += [f"      null_space_weight: [{ones}]", f"      cspace_distance_weight: [{ones}]"]
    return lines


def _collision(robot: RobotDescription, out: Reporter) -> list[str]:
    xrdf = robot.xrdf
    group = xrdf.world_group or xrdf.self_group
    spheres = {f: s for f, s in xrdf.spheres_of(group).items() if s}
    if xrdf.self_group is not None and xrdf.self_group != group:
        out.lost(f"geometry.{xrdf.self_group}", f"cuRobo has one set of spheres; {group} was taken")
    lines = [f"    collision_link_names: {_flow(tuple(spheres))}"]
    lines += ["    collision_spheres:" if spheres else "    collision_spheres: {}"]
    for frame, found in spheres.items():
        lines += [f"      {_key(frame)}:"]
        for s in found:
            center = ", ".join(map(format_number, s.center))
            lines += [f"        - center: [{center}]", f"          radius: {format_number(s.radius)}"]
    if spheres:
        out.taken(
            "geometry", f"{counted(sum(map(len, spheres.values())), 'sphere')} on {counted(len(spheres), 'link')}"
        )
    for key, section in (
        ("collision_sphere_buffer", xrdf.world_collision),
        ("self_collision_buffer", xrdf.self_collision),
    ):
        lines += _buffers(key, section, tuple(spheres), out)
    ignore = xrdf.self_collision.ignore if xrdf.self_collision is not None else None
    kept = {f: tuple(o for o in others if o in spheres) for f, others in (ignore or {}).items() if f in spheres}
    dropped = sum(map(len, (ignore or {}).values())) - sum(map(len, kept.values()))
    lines += ["    self_collision_ignore:" if kept else "    self_collision_ignore: {}"]
    lines += [f"      {_key(f)}: {_flow(others)}" for f, others in kept.items()]
    if any(kept.values()):
        out.taken("self_collision.ignore", counted(sum(map(len, kept.values())), "entry", "entries"))
    if dropped:
        out.lost("self_collision.ignore", f"{counted(dropped, 'entry', 'entries')} of frames without spheres")
    return lines


def _buffers(key: str, section: CollisionSection | None, frames: tuple[str, ...], out: Reporter) -> list[str]:
    buffers = section.buffer_distance if section is not None else None
    if buffers is None:
        return [f"    {key}: 0.0"] if key == "collision_sphere_buffer" else [f"    {key}: {{}}"]
    if not isinstance(buffers, FrozenDict):
        buffers = FrozenDict(dict.fromkeys(frames, buffers))
    known = {f: b for f, b in buffers.items() if f in frames}
    out.taken(
        key.replace("_sphere_buffer", ".buffer_distance").replace("_collision_buffer", "_collision.buffer_distance")
    )
    gone = [f for f, b in buffers.items() if f not in frames and b]
    if gone:
        out.lost(f"buffer_distance of {', '.join(gone)}", "there are no spheres")
    values = set(known.values())
    if key == "collision_sphere_buffer" and len(values) == 1 and len(known) == len(frames):
        return [f"    {key}: {format_number(values.pop())}"]
    if not known:
        return [f"    {key}: 0.0"] if key == "collision_sphere_buffer" else [f"    {key}: {{}}"]
    return [f"    {key}:", *(f"      {_key(f)}: {format_number(b)}" for f, b in known.items())]


def _flow(values: tuple[str, ...]) -> str:
    return f"[{', '.join(map(_text, values))}]"


def _text(text: str) -> str:
    return format_string(text)


def _key(text: str) -> str:
    return format_string(text, "")
