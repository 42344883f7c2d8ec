"""XRDF -> cuRobo configuration, version 1 or 2: a new file, or what differs from one that is there.

cuRobo's loader knows some forty fields, most of which no XRDF has a place for. What they say is in
the text alone, and stays as it stands.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as MappingABC
from dataclasses import dataclass
from typing import Any, Literal

from editor_app.core.formats.exchange.conversion import (
    ConversionItem,
    ConversionReport,
    Fate,
    Reporter,
    TextConversion,
)
from editor_app.core.formats.exchange.sphere_lists import count_spheres_on_links, tell_other_group
from editor_app.core.model.counting import format_count
from editor_app.core.model.findings import YamlPath
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.kinematic_graph import KinematicGraph
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.xrdf import AddFrame, CollisionSection, CSpace, SetBaseFrame, Xrdf
from editor_app.core.text.source import SourceText
from editor_app.core.text.yaml.changes import (
    Delete,
    Edit,
    InsertKey,
    RenameKey,
    edit_text,
    with_changes,
)
from editor_app.core.text.yaml.compose import compose_document
from editor_app.core.text.yaml.nodes import Mapping, find_node, get_key_text
from editor_app.core.text.yaml.plain import (
    fail,
    load_plain,
    read_finite_number,
    read_finite_numbers,
    read_text_list,
)
from editor_app.core.text.yaml.plan import Flow
from editor_app.core.text.yaml.writing import yaml_text

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
#: Of the file itself, or of programs beyond collision and motion, nothing that an XRDF could hold:
#: the versions of cuRobo whose loader takes a field. A field that is only called otherwise in the
#: other version is of both.
ASIDE = {
    "urdf_path": "12",
    "asset_root_path": "12",
    "usd_path": "1",
    "usd_robot_root": "1",
    "isaac_usd_path": "1",
    "use_usd_kinematics": "1",
    "usd_flip_joints": "1",
    "usd_flip_joint_limits": "1",
    "mesh_link_names": "12",
    "load_meshes": "12",
    "load_link_names_with_mesh": "12",
    "load_tool_frames_with_mesh": "12",
    "load_collision_spheres": "2",
    "use_global_cumul": "12",
    "compute_jacobian": "1",
    "add_object_link": "12",
    "use_external_assets": "12",
    "external_asset_path": "12",
    "external_robot_configs_path": "12",
    "grasp_contact_link_names": "2",
    "num_envs": "2",
    "format_version": "2",
    "debug": "12",
}
#: The one field of the c-space that version 1 refuses.
ONLY_IN_2 = "null_space_maximum_distance"


def kinematics_of(value: object) -> dict[str, Any] | None:
    """The part that holds everything: `robot_cfg: kinematics:` or `kinematics:` alone."""
    if not isinstance(value, dict):
        return None
    outer = value.get("robot_cfg", value)
    inner = outer.get("kinematics") if isinstance(outer, dict) else None
    return inner if isinstance(inner, dict) else None


def loaded(
    source: SourceText, repeated: list[str] | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the whole of a configuration, and the part that holds everything.

    `repeated` receives the keys that one mapping has more than once. Raises FormatError for another
    file.
    """
    value = load_plain(source, repeated)
    config = kinematics_of(value)
    if config is None:
        raise fail(
            source,
            "The file has neither robot_cfg.kinematics nor kinematics",
            "Is this a cuRobo configuration?",
        )
    return value, config


def version_of(config: dict[str, Any]) -> Version:
    """The version of cuRobo that a configuration is for."""
    return "2" if "tool_frames" in config or "ee_link" not in config else "1"


def curobo_text(
    robot: RobotDescription,
    urdf_path: str = "",
    version: Version = "2",
    *,
    asset_root_path: str = "",
) -> TextConversion:
    """A whole file, spheres included. The paths are written as they are.

    Raises FormatError for values that are not finite.
    """
    kinematics, report = curobo_kinematics(
        robot, urdf_path, version, asset_root_path=asset_root_path
    )
    return TextConversion(
        yaml_text({"robot_cfg": {"kinematics": kinematics}}, "<new cuRobo configuration>"), report
    )


def curobo_kinematics(
    robot: RobotDescription, urdf_path: str, version: Version, *, asset_root_path: str = ""
) -> tuple[dict[str, Any], ConversionReport]:
    """Build the section `kinematics` of a new file."""
    xrdf, graph = robot.xrdf, KinematicGraph(robot.urdf)
    out = Reporter(f"XRDF {xrdf.format_version}", f"cuRobo {version}")
    tools = xrdf.tool_frames or ()
    kinematics: dict[str, Any] = {
        "urdf_path": urdf_path,
        "asset_root_path": asset_root_path,
        "base_link": xrdf.base_frame or graph.root or "",
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
            out.lost(
                f"remove_mimic_attributes of {modifier.joint_name}", "cuRobo cannot free a joint"
            )
    for frame in robot.xrdf.added_frames:
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
    robot: RobotDescription, graph: KinematicGraph, version: Version, out: Reporter
) -> dict[str, Any]:
    cspace = robot.xrdf.cspace or CSpace()
    names = cspace.joint_names or ()
    defaults = robot.xrdf.default_joint_positions or FrozenDict()
    locked = {
        n: defaults.get(n, graph.clamped(n))
        for n in graph.movable(robot.urdf.joints)
        if n not in names
    }
    if locked:
        out.translated("joints outside the c-space", f"lock_joints: {', '.join(locked)}")
    lost = [n for n in defaults if n not in names and n not in locked]
    if lost:
        out.lost(
            "default_joint_positions",
            f"joints that mimic others or do not exist: {', '.join(lost)}",
        )
    every = (*names, *locked)
    positions = [defaults.get(n, locked.get(n, graph.clamped(n))) for n in every]
    key = "default_joint_position" if version == "2" else "retract_config"
    section: dict[str, Any] = {"joint_names": Flow(every), key: Flow(positions)}
    if names:
        out.taken("cspace.joint_names", format_count(len(names), "joint"))
    out.translated("default_joint_positions", f"cspace.{key}, in the order of the joints")
    for xrdf_key, curobo_key in (
        ("acceleration_limits", "max_acceleration"),
        ("jerk_limits", "max_jerk"),
    ):
        values = getattr(cspace, xrdf_key)
        if values:
            # A locked joint does not move: any limit does, and the largest changes nothing for the
            # others.
            section[curobo_key] = Flow([*values, *[max(values)] * len(locked)])
            out.taken(f"cspace.{xrdf_key}", curobo_key)
    for weight in ("null_space_weight", "cspace_distance_weight"):
        section[weight] = Flow([1.0] * len(every))
    return {"lock_joints": locked, "cspace": section}


def _collision(robot: RobotDescription, out: Reporter) -> dict[str, Any]:
    xrdf = robot.xrdf
    group = xrdf.world_group or xrdf.self_group
    spheres = {f: s for f, s in xrdf.spheres_of(group).items() if s}
    tell_other_group(xrdf, "cuRobo", out)
    if spheres:
        out.taken("geometry", count_spheres_on_links(spheres))
    links = tuple(spheres)
    section: dict[str, Any] = {
        "collision_link_names": Flow(links),
        "collision_spheres": {
            frame: [{"center": Flow(s.center), "radius": s.radius} for s in listed]
            for frame, listed in spheres.items()
        },
    }
    section["collision_sphere_buffer"] = _buffers(
        "collision_sphere_buffer", xrdf.world_collision, links, out
    )
    section["self_collision_buffer"] = _buffers(
        "self_collision_buffer", xrdf.self_collision, links, out
    )
    ignored = xrdf.self_collision.ignore if xrdf.self_collision is not None else None
    # Of pairs whose links have no spheres cuRobo takes no notice; an object may be attached to them
    # later.
    section["self_collision_ignore"] = {
        frame: Flow(others) for frame, others in (ignored or {}).items()
    }
    if ignored and any(ignored.values()):
        out.taken(
            "self_collision.ignore",
            format_count(sum(map(len, ignored.values())), "entry", "entries"),
        )
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
    from_key = key.replace("_sphere_buffer", ".buffer_distance")
    out.taken(
        from_key.replace("_collision_buffer", "_collision.buffer_distance"),
        f"{key} of {format_count(len(kept), 'link')}",
    )
    gone = [frame for frame, buffer in buffers.items() if frame not in frames and buffer]
    if gone:
        out.lost(f"buffer_distance of {', '.join(gone)}", "it has no spheres")
    values = set(kept.values())
    if key == "collision_sphere_buffer" and len(values) == 1 and len(kept) == len(frames):
        return values.pop()
    return kept or nothing


@dataclass(frozen=True, slots=True)
class Aside:
    """A cuRobo file that was read: its text, the XRDF that it was read as, and spheres that stood
    in another file."""

    source: SourceText
    xrdf: Xrdf
    spheres: MappingABC[str, Any] | None = None

    @property
    def config(self) -> dict[str, Any]:
        return kinematics_of(load_plain(self.source)) or {}


def curobo_patched(
    aside: Aside,
    robot: RobotDescription,
    urdf_path: str,
    version: Version,
    asset_root_path: str,
    *,
    inline: bool,
) -> tuple[SourceText, ConversionReport, tuple[str, ...]]:
    """(text, report, notes). `inline` writes spheres that stand in another file into this one.

    Raises FormatError for values that are not finite, and when a change cannot be written into the
    text.
    """
    source, told = _in_version(aside.source, version)
    value, config = loaded(source)
    before, _ = curobo_kinematics(robot.with_xrdf(aside.xrdf), "", version)
    after, report = curobo_kinematics(robot, urdf_path, version, asset_root_path=asset_root_path)
    before["urdf_path"] = config.get("urdf_path")
    before["asset_root_path"] = config.get("asset_root_path") or ""
    _align_joints(config, before["cspace"], after["cspace"])
    # The key in `extra_links` of each frame that is called otherwise.
    links = config.get("extra_links")
    keys = {
        link["link_name"]: str(key)
        for key, link in (links.items() if isinstance(links, dict) else ())
        if isinstance(link, dict) and isinstance(link.get("link_name"), str)
    }
    for document in (before, after):
        document["extra_links"] = {
            keys.get(name, name): link for name, link in document["extra_links"].items()
        }
    if isinstance(config.get("collision_spheres"), str):
        changed = before["collision_spheres"] != after["collision_spheres"]
        if (changed or inline) and aside.spheres is not None:
            rest = {
                frame: of
                for frame, of in aside.spheres.items()
                if frame not in before["collision_spheres"]
            }
            before["collision_spheres"], after["collision_spheres"] = (
                None,
                {**after["collision_spheres"], **rest},
            )
    old, new = {"kinematics": before}, {"kinematics": after}
    is_inner = "robot_cfg" in value
    written = with_changes(
        source, {"robot_cfg": old} if is_inner else old, {"robot_cfg": new} if is_inner else new
    )
    everything_else = ConversionItem(
        Fate.TAKEN, "everything else", "as in the cuRobo file, comments included"
    )
    entries = (*report.entries, *told, everything_else)
    return written.source, ConversionReport(report.source, report.target, entries), written.notes


def _align_joints(config: dict[str, Any], before: dict[str, Any], after: dict[str, Any]) -> None:
    """Brings two c-spaces into the words of the file: its joints in its order, with the numbers
    that only it has.

    Where the joints are others now, all that counts by them is written anew, the joints that only
    the file has last.
    """
    file = _FileJoints.of(config, before)
    if before["joint_names"] == after["joint_names"]:
        for document in (before, after):
            file.complete(document)
            places = [list(document["joint_names"]).index(name) for name in file.joints]
            document |= {key: Flow([values[i] for i in places]) for key, values in document.items()}
        return
    file.complete(after)
    for key, values in after.items():
        is_one_number = key in file.numbers and all(value == file.numbers[key] for value in values)
        is_unsaid = key not in file.cspace and key != "joint_names"
        before[key] = values if is_one_number or is_unsaid else None


@dataclass(frozen=True, slots=True)
class _FileJoints:
    """The c-space of a file: its joints, numbers for all of them or for each, and joints that no
    XRDF says."""

    cspace: dict[str, Any]
    joints: tuple[str, ...]
    numbers: dict[str, float]
    by_joint: dict[str, dict[str, float]]
    others: list[str]

    @staticmethod
    def of(config: dict[str, Any], before: dict[str, Any]) -> _FileJoints:
        value = config.get("cspace")
        cspace = value if isinstance(value, dict) else {}
        joints = read_text_list(cspace.get("joint_names")) or tuple(before["joint_names"])
        lists = {
            str(key): many
            for key, of in cspace.items()
            if (many := read_finite_numbers(of, len(joints))) is not None
        }
        by_joint = {key: dict(zip(joints, many, strict=True)) for key, many in lists.items()}
        for_all = {
            str(key): one
            for key, of in cspace.items()
            if (one := read_finite_number(of)) is not None
        }
        return _FileJoints(
            cspace, joints, for_all, by_joint, [n for n in joints if n not in before["joint_names"]]
        )

    def complete(self, document: dict[str, Any]) -> None:
        """Gives a written c-space the weights of the file, and the joints that only the file
        has."""
        for key in [key for key in self.by_joint if key not in document or key.endswith("weight")]:
            document[key] = Flow(
                [self.by_joint[key].get(name, 1.0) for name in document["joint_names"]]
            )
        for key, values in list(document.items()):
            of, one = self.by_joint.get(key, {}), self.numbers.get(key, 0.0)
            rest = (
                self.others if key == "joint_names" else [of.get(name, one) for name in self.others]
            )
            document[key] = Flow([*values, *rest])


def _in_version(source: SourceText, version: Version) -> tuple[SourceText, list[ConversionItem]]:
    """The text with the keys of another version of cuRobo, and what that version has no place
    for."""
    whole, config = loaded(source)
    if version_of(config) == version:
        return source, []
    out = Reporter("", "")
    place: YamlPath = ("robot_cfg", "kinematics") if "robot_cfg" in whole else ("kinematics",)
    value = config.get("cspace")
    cspace: dict[str, Any] = value if isinstance(value, dict) else {}
    edits: list[Edit] = []
    unread = {
        key for key, versions in (*ASIDE.items(), (ONLY_IN_2, "2")) if version not in versions
    }
    for path, keys in ((place, config), ((*place, "cspace"), cspace)):
        for key in [key for key in keys if key in unread]:
            edits += [Delete((*path, key))] * _times(source, path, key)
            if keys[key] not in (None, "", [], {}, False):
                out.lost(key, f"version {version} of cuRobo has no such field")
    edits += _renamed(place, config, cspace, version)
    return edit_text(source, edits), out.entries


def _times(source: SourceText, path: YamlPath, key: str) -> int:
    """How often a key stands in the mapping at a path; the last one counts."""
    node = find_node(compose_document(source).root, path)
    return (
        sum(get_key_text(name) == key for name, _ in node.entries)
        if isinstance(node, Mapping)
        else 0
    )


def _renamed(
    place: YamlPath, config: MappingABC[str, Any], cspace: Iterable[str], version: Version
) -> list[Edit]:
    pairs = (
        ("retract_config", "default_joint_position"),
        ("load_link_names_with_mesh", "load_tool_frames_with_mesh"),
    )
    edits: list[Edit] = []
    for old, new in pairs if version == "2" else tuple((new, old) for old, new in pairs):
        for path, keys in ((place, config), ((*place, "cspace"), cspace)):
            if old in keys and new not in keys:
                edits.append(RenameKey((*path, old), new))
    if version == "2":
        end, others = config.get("ee_link"), read_text_list(config.get("link_names")) or ()
        tools = tuple(dict.fromkeys((*((end,) if isinstance(end, str) else ()), *others)))
        edits += [Delete((*place, key)) for key in ("ee_link", "link_names") if key in config]
        return [
            *edits,
            *([] if "tool_frames" in config else [InsertKey(place, "tool_frames", Flow(tools))]),
        ]
    tools = read_text_list(config.get("tool_frames")) or ()
    edits += [Delete((*place, "tool_frames"))] if "tool_frames" in config else []
    edits += (
        [InsertKey(place, "ee_link", tools[0] if tools else "")] if "ee_link" not in config else []
    )
    return [
        *edits,
        *([] if "link_names" in config else [InsertKey(place, "link_names", Flow(tools[1:]))]),
    ]
