"""XRDF -> cuRobo configuration, version 1 or 2, whose fields are named as its loaders name them."""

from __future__ import annotations

from typing import Any, Literal

from editor_app.formats.exchange.conversion import ConversionReport, Reporter, TextConversion
from editor_app.formats.exchange.sphere_lists import spheres_on_links
from editor_app.formats.source import SourceText
from editor_app.formats.yaml.new_document import yaml_text
from editor_app.formats.yaml.plain import fail, load_plain
from editor_app.formats.yaml.plan import Flow
from editor_app.model.counting import counted
from editor_app.model.frozen import FrozenDict
from editor_app.model.kinematic_graph import KinematicGraph
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import AddFrame, CollisionSection, CSpace, SetBaseFrame

Version = Literal["1", "2"]

#: What an XRDF says, too.
TRANSLATED = frozenset(
    {
        "base_link",
        "ee_link",
        "link_names",
        "tool_frames",
        "cspace",
        "lock_joints",
        "extra_links",
        "collision_link_names",
        "collision_spheres",
        "extra_collision_spheres",
        "collision_sphere_buffer",
        "self_collision_ignore",
        "self_collision_buffer",
    }
)
#: Of the file itself, or of programs beyond collision and motion: nothing that an XRDF could hold.
ASIDE = frozenset(
    {
        "urdf_path",
        "asset_root_path",
        "usd_path",
        "usd_robot_root",
        "isaac_usd_path",
        "use_usd_kinematics",
        "usd_flip_joints",
        "usd_flip_joint_limits",
        "mesh_link_names",
        "load_meshes",
        "load_link_names_with_mesh",
        "load_tool_frames_with_mesh",
        "load_collision_spheres",
        "use_global_cumul",
        "compute_jacobian",
        "add_object_link",
        "use_external_assets",
        "external_asset_path",
        "external_robot_configs_path",
        "grasp_contact_link_names",
        "num_envs",
        "format_version",
        "debug",
    }
)
#: Of the c-space, in both versions unless `ONLY_IN` says otherwise.
OF_CSPACE = frozenset(
    {
        "joint_names",
        "default_joint_position",
        "retract_config",
        "null_space_weight",
        "null_space_maximum_distance",
        "cspace_distance_weight",
        "max_acceleration",
        "max_jerk",
        "velocity_scale",
        "acceleration_scale",
        "jerk_scale",
        "position_limit_clip",
    }
)
#: Fields that the loader of the other version refuses, by the version that has them; those that are only called
#: otherwise there are not among them.
ONLY_IN: dict[str, frozenset[str]] = {
    "1": frozenset(
        {
            "usd_path",
            "usd_robot_root",
            "isaac_usd_path",
            "use_usd_kinematics",
            "usd_flip_joints",
            "usd_flip_joint_limits",
            "compute_jacobian",
        }
    ),
    "2": frozenset(
        {
            "grasp_contact_link_names",
            "load_collision_spheres",
            "num_envs",
            "format_version",
            "null_space_maximum_distance",
        }
    ),
}


def kinematics_of(value: object) -> dict[str, Any] | None:
    """The part that holds everything: `robot_cfg: kinematics:` or `kinematics:` alone."""
    if not isinstance(value, dict):
        return None
    outer = value.get("robot_cfg", value)
    inner = outer.get("kinematics") if isinstance(outer, dict) else None
    return inner if isinstance(inner, dict) else None


def loaded(source: SourceText) -> tuple[dict[str, Any], dict[str, Any]]:
    """The whole of a configuration, and the part that holds everything. Raises FormatError when it is none."""
    value = load_plain(source)
    config = kinematics_of(value)
    if config is None:
        raise fail(source, "There is neither robot_cfg.kinematics nor kinematics", "Is this a cuRobo configuration?")
    return value, config


def version_of(config: dict[str, Any]) -> Version:
    """The version of cuRobo that a configuration is for."""
    return "2" if "tool_frames" in config or "ee_link" not in config else "1"


def curobo_text(
    robot: RobotDescription, urdf_path: str = "", version: Version = "2", *, asset_root_path: str = ""
) -> TextConversion:
    """A whole file, spheres included. The paths are written as they are.

    Raises FormatError for values that are not finite.
    """
    kinematics, report = curobo_kinematics(robot, urdf_path, version, asset_root_path=asset_root_path)
    return TextConversion(yaml_text({"robot_cfg": {"kinematics": kinematics}}, "<new cuRobo configuration>"), report)


def curobo_kinematics(
    robot: RobotDescription, urdf_path: str, version: Version, *, asset_root_path: str = ""
) -> tuple[dict[str, Any], ConversionReport]:
    """What a new file says in `kinematics`."""
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
    kinematics |= _cspace(robot, graph, version, out)
    kinematics |= _collision(robot, out)
    return kinematics, out.report()


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


def _cspace(robot: RobotDescription, graph: KinematicGraph, version: Version, out: Reporter) -> dict[str, Any]:
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
    return {"lock_joints": locked, "cspace": section}


def _collision(robot: RobotDescription, out: Reporter) -> dict[str, Any]:
    xrdf = robot.xrdf
    group = xrdf.world_group or xrdf.self_group
    spheres = {f: s for f, s in xrdf.spheres_of(group).items() if s}
    if xrdf.self_group is not None and xrdf.self_group != group:
        out.lost(f"geometry.{xrdf.self_group}", f"cuRobo has one set of spheres; {group} was taken")
    if spheres:
        out.taken("geometry", spheres_on_links(spheres))
    links = tuple(spheres)
    section: dict[str, Any] = {
        "collision_link_names": Flow(links),
        "collision_spheres": {
            frame: [{"center": Flow(s.center), "radius": s.radius} for s in listed] for frame, listed in spheres.items()
        },
    }
    section["collision_sphere_buffer"] = _buffers("collision_sphere_buffer", xrdf.world_collision, links, out)
    section["self_collision_buffer"] = _buffers("self_collision_buffer", xrdf.self_collision, links, out)
    ignored = xrdf.self_collision.ignore if xrdf.self_collision is not None else None
    # Of pairs whose links have no spheres cuRobo takes no notice; an object may be attached to them later.
    section["self_collision_ignore"] = {frame: Flow(others) for frame, others in (ignored or {}).items()}
    if ignored and any(ignored.values()):
        out.taken("self_collision.ignore", counted(sum(map(len, ignored.values())), "entry", "entries"))
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
