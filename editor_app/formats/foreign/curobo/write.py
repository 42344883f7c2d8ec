"""XRDF -> cuRobo configuration, version 1 or 2."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

from editor_app.formats.exchange.report import Reporter, TextConversion
from editor_app.formats.exchange.sphere_lists import spheres_on_links
from editor_app.formats.yaml.new_document import yaml_text
from editor_app.formats.yaml.plan import Flow
from editor_app.model.counting import counted
from editor_app.model.frozen import FrozenDict
from editor_app.model.kinematic_graph import KinematicGraph
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import AddFrame, CollisionSection, CSpace, SetBaseFrame

Version = Literal["1", "2"]


@dataclass(frozen=True, slots=True)
class Aside:
    """What a cuRobo file says and an XRDF has no place for; it goes back into a cuRobo file as it was read.

    `outer` stands beside `kinematics`, `kinematics` in it, `cspace` in its c-space; `by_joint` are lists of the
    c-space with a number for each joint, by the names of the joints.
    """

    kinematics: FrozenDict[str, Any] = FrozenDict()
    outer: FrozenDict[str, Any] = FrozenDict()
    cspace: FrozenDict[str, Any] = FrozenDict()
    by_joint: FrozenDict[str, Mapping[str, float]] = FrozenDict()

    @property
    def attached(self) -> tuple[str, ...]:
        """The links with room for the spheres of an object that a gripper holds."""
        extra = self.kinematics.get("extra_collision_spheres")
        return tuple(map(str, extra)) if isinstance(extra, Mapping) else ()


NOTHING_ASIDE = Aside()


def curobo_text(
    robot: RobotDescription,
    urdf_path: str = "",
    version: Version = "2",
    *,
    asset_root_path: str = "",
    aside: Aside = NOTHING_ASIDE,
) -> TextConversion:
    """A whole file, spheres included. The paths are written as they are.

    Raises FormatError for values that are not finite.
    """
    xrdf, graph = robot.xrdf, KinematicGraph(robot.urdf)
    out = Reporter(f"XRDF {xrdf.format_version}", f"cuRobo {version}")
    tools = xrdf.tool_frames or ()
    kinematics: dict[str, Any] = {
        "urdf_path": urdf_path,
        "asset_root_path": asset_root_path,
        "base_link": next((m.frame for m in xrdf.modifiers or () if isinstance(m, SetBaseFrame)), graph.root or ""),
    }
    if version == "2":
        kinematics["tool_frames"] = Flow(tools)
        out.taken("tool_frames", ", ".join(tools))
    else:
        kinematics |= {"ee_link": tools[0] if tools else "", "link_names": Flow(tools[1:])}
        out.translated("tool_frames", "ee_link" + (" and link_names" if tools[1:] else ""))
    kinematics["extra_links"] = _extra_links(robot, out)
    kinematics |= _cspace(robot, graph, version, aside, out)
    kinematics |= _collision(robot, aside.attached, out)
    for key, value in aside.kinematics.items():
        if key not in kinematics:
            kinematics[key] = value
            out.taken(key, "as in the cuRobo file")
    for key in aside.outer:
        out.taken(key, "as in the cuRobo file")
    document = {"robot_cfg": {"kinematics": kinematics, **aside.outer}}
    return TextConversion(yaml_text(document, "<new cuRobo configuration>"), out.report())


def _extra_links(robot: RobotDescription, out: Reporter) -> dict[str, Any]:
    links: dict[str, Any] = {}
    for modifier in robot.xrdf.modifiers or ():
        if isinstance(modifier, SetBaseFrame):
            out.translated(f"set_base_frame {modifier.frame}", "base_link")
        elif not isinstance(modifier, AddFrame):
            out.lost(f"remove_mimic_attributes of {modifier.joint_name}", "cuRobo cannot free a joint")
    for frame in (m for m in robot.xrdf.modifiers or () if isinstance(m, AddFrame)):
        pose = frame.fixed_transform
        links[frame.frame_name] = {
            "parent_link_name": frame.parent_frame_name,
            "link_name": frame.frame_name,
            "joint_name": frame.joint_name,
            "joint_type": "FIXED",
            "fixed_transform": Flow([*pose.position, *pose.orientation_wxyz]),
        }
        out.translated(f"add_frame {frame.frame_name}", "extra_links")
    return links


def _cspace(
    robot: RobotDescription, graph: KinematicGraph, version: Version, aside: Aside, out: Reporter
) -> dict[str, Any]:
    cspace = robot.xrdf.cspace or CSpace()
    names = cspace.joint_names or ()
    defaults = robot.xrdf.default_joint_positions or FrozenDict()
    locked = {n: defaults.get(n, graph.clamped(n)) for n in graph.movable(robot.urdf.joints) if n not in names}
    if locked:
        out.translated("joints outside of the c-space", f"lock_joints: {', '.join(locked)}")
    lost = [n for n in defaults if n not in names and n not in locked]
    if lost:
        out.lost("default_joint_positions", f"joints that follow or do not exist: {', '.join(lost)}")
    every = (*names, *locked)
    positions = [defaults.get(n, locked.get(n, graph.clamped(n))) for n in every]
    key = "default_joint_position" if version == "2" else "retract_config"
    section: dict[str, Any] = {"joint_names": Flow(every), key: Flow(positions)}
    if names:
        out.taken("cspace.joint_names", counted(len(names), "joint"))
    out.translated("default_joint_positions", f"cspace.{key}, in the order of the joints")
    for xrdf_key, curobo_key in (("acceleration_limits", "max_acceleration"), ("jerk_limits", "max_jerk")):
        values = getattr(cspace, xrdf_key)
        if values:
            # A locked joint does not move: any limit does, and the largest changes nothing for the others.
            section[curobo_key] = Flow([*values, *[max(values)] * len(locked)])
            out.taken(f"cspace.{xrdf_key}", curobo_key)
    for weight in ("null_space_weight", "cspace_distance_weight"):
        section[weight] = Flow([1.0] * len(every))
    by_joint = {name: Flow([of.get(joint, 1.0) for joint in every]) for name, of in aside.by_joint.items()}
    for name, value in chain(by_joint.items(), aside.cspace.items()):
        section[name] = value
        out.taken(f"cspace.{name}", "as in the cuRobo file")
    return {"lock_joints": locked, "cspace": section}


def _collision(robot: RobotDescription, attached: tuple[str, ...], out: Reporter) -> dict[str, Any]:
    """`attached` are links that get their spheres later; to cuRobo they have spheres."""
    xrdf = robot.xrdf
    group = xrdf.world_group or xrdf.self_group
    spheres = {f: s for f, s in xrdf.spheres_of(group).items() if s}
    if xrdf.self_group is not None and xrdf.self_group != group:
        out.lost(f"geometry.{xrdf.self_group}", f"cuRobo has one set of spheres; {group} was taken")
    if spheres:
        out.taken("geometry", spheres_on_links(spheres))
    links = tuple(dict.fromkeys((*spheres, *attached)))
    section: dict[str, Any] = {
        "collision_link_names": Flow(links),
        "collision_spheres": {
            frame: [{"center": Flow(s.center), "radius": s.radius} for s in listed] for frame, listed in spheres.items()
        },
    }
    section["collision_sphere_buffer"] = _buffers("collision_sphere_buffer", xrdf.world_collision, links, out)
    section["self_collision_buffer"] = _buffers("self_collision_buffer", xrdf.self_collision, links, out)
    ignored = xrdf.self_collision.ignore if xrdf.self_collision is not None else None
    ignore: Mapping[str, tuple[str, ...]] = ignored or {}
    kept = {f: tuple(o for o in others if o in links) for f, others in ignore.items() if f in links}
    dropped = sum(map(len, ignore.values())) - sum(map(len, kept.values()))
    section["self_collision_ignore"] = {frame: Flow(others) for frame, others in kept.items()}
    if any(kept.values()):
        out.taken("self_collision.ignore", counted(sum(map(len, kept.values())), "entry", "entries"))
    if dropped:
        out.lost("self_collision.ignore", f"{counted(dropped, 'entry', 'entries')} of frames without spheres")
    return section


def _buffers(
    key: str, section: CollisionSection | None, frames: tuple[str, ...], out: Reporter
) -> float | dict[str, float]:
    nothing: float | dict[str, float] = 0.0 if key == "collision_sphere_buffer" else {}
    buffers = section.buffer_distance if section is not None else None
    if buffers is None:
        return nothing
    if not isinstance(buffers, FrozenDict):
        buffers = FrozenDict(dict.fromkeys(frames, buffers))
    kept = {frame: buffer for frame, buffer in buffers.items() if frame in frames}
    out.taken(
        key.replace("_sphere_buffer", ".buffer_distance").replace("_collision_buffer", "_collision.buffer_distance")
    )
    gone = [frame for frame, buffer in buffers.items() if frame not in frames and buffer]
    if gone:
        out.lost(f"buffer_distance of {', '.join(gone)}", "there are no spheres")
    values = set(kept.values())
    if key == "collision_sphere_buffer" and len(values) == 1 and len(kept) == len(frames):
        return values.pop()
    return kept or nothing
