"""The fields of cuRobo's robot configuration, as the loaders of its versions 1 and 2 name them."""

from __future__ import annotations

from typing import Any, Literal

from editor_app.formats.source import SourceText
from editor_app.formats.yaml.plain import fail, load_plain

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
