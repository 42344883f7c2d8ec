"""What a robot says otherwise than a cuRobo file did, changed in the text of that file: all else stays as it stands.

cuRobo's loader knows some forty fields, most of which no XRDF has a place for. What they say is in the text alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as MappingABC
from dataclasses import dataclass
from typing import Any

from editor_app.formats.exchange.conversion import ConversionReport, Entry, Fate, Reporter
from editor_app.formats.foreign.curobo.write import (
    ONLY_IN,
    Version,
    curobo_kinematics,
    kinematics_of,
    loaded,
    version_of,
)
from editor_app.formats.source import SourceText
from editor_app.formats.yaml.changes import Delete, Edit, InsertKey, RenameKey, edit_text, with_changes
from editor_app.formats.yaml.compose import compose
from editor_app.formats.yaml.nodes import Mapping, key_text, node_at
from editor_app.formats.yaml.plain import load_plain, names, number, numbers
from editor_app.formats.yaml.plan import Flow
from editor_app.model.findings import YamlPath
from editor_app.model.robot import RobotDescription
from editor_app.model.xrdf import Xrdf


@dataclass(frozen=True, slots=True)
class Aside:
    """A cuRobo file that was read: its text, the XRDF that it was read as, and spheres that stood in another file."""

    source: SourceText
    xrdf: Xrdf
    spheres: MappingABC[str, Any] | None = None

    @property
    def config(self) -> dict[str, Any]:
        return kinematics_of(load_plain(self.source)) or {}


def curobo_patched(
    aside: Aside, robot: RobotDescription, urdf_path: str, version: Version, asset_root_path: str, *, inline: bool
) -> tuple[SourceText, ConversionReport, tuple[str, ...]]:
    """(text, report, notes). `inline` writes spheres that stand in another file into this one.

    Raises FormatError for values that are not finite, and when a change cannot be written into the text.
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
        document["extra_links"] = {keys.get(name, name): link for name, link in document["extra_links"].items()}
    if isinstance(config.get("collision_spheres"), str):
        changed = before["collision_spheres"] != after["collision_spheres"]
        if (changed or inline) and aside.spheres is not None:
            rest = {frame: of for frame, of in aside.spheres.items() if frame not in before["collision_spheres"]}
            before["collision_spheres"], after["collision_spheres"] = None, {**after["collision_spheres"], **rest}
    old, new = {"kinematics": before}, {"kinematics": after}
    is_inner = "robot_cfg" in value
    written = with_changes(source, {"robot_cfg": old} if is_inner else old, {"robot_cfg": new} if is_inner else new)
    everything_else = Entry(Fate.TAKEN, "all else", "as in the cuRobo file, comments included")
    entries = (*report.entries, *told, everything_else)
    return written.source, ConversionReport(report.source, report.target, entries), written.notes


def _align_joints(config: dict[str, Any], before: dict[str, Any], after: dict[str, Any]) -> None:
    """Brings two c-spaces into the words of the file: its joints in its order, with the numbers that only it has.

    Where the joints are others now, all that counts by them is written anew, the joints that only the file has last.
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
    """The c-space of a file: its joints, numbers for all of them or for each, and joints that no XRDF says."""

    cspace: dict[str, Any]
    joints: tuple[str, ...]
    numbers: dict[str, float]
    by_joint: dict[str, dict[str, float]]
    others: list[str]

    @staticmethod
    def of(config: dict[str, Any], before: dict[str, Any]) -> _FileJoints:
        value = config.get("cspace")
        cspace = value if isinstance(value, dict) else {}
        joints = names(cspace.get("joint_names")) or tuple(before["joint_names"])
        lists = {str(key): many for key, of in cspace.items() if (many := numbers(of, len(joints))) is not None}
        by_joint = {key: dict(zip(joints, many, strict=True)) for key, many in lists.items()}
        for_all = {str(key): one for key, of in cspace.items() if (one := number(of)) is not None}
        return _FileJoints(cspace, joints, for_all, by_joint, [n for n in joints if n not in before["joint_names"]])

    def complete(self, document: dict[str, Any]) -> None:
        """Gives a written c-space the weights of the file, and the joints that only the file has."""
        for key in [key for key in self.by_joint if key not in document or key.endswith("weight")]:
            document[key] = Flow([self.by_joint[key].get(name, 1.0) for name in document["joint_names"]])
        for key, values in list(document.items()):
            of, one = self.by_joint.get(key, {}), self.numbers.get(key, 0.0)
            rest = self.others if key == "joint_names" else [of.get(name, one) for name in self.others]
            document[key] = Flow([*values, *rest])


def _in_version(source: SourceText, version: Version) -> tuple[SourceText, list[Entry]]:
    """The text with the keys of another version of cuRobo, and what that version has no place for."""
    whole, config = loaded(source)
    if version_of(config) == version:
        return source, []
    out = Reporter("", "")
    place: YamlPath = ("robot_cfg", "kinematics") if "robot_cfg" in whole else ("kinematics",)
    value = config.get("cspace")
    cspace: dict[str, Any] = value if isinstance(value, dict) else {}
    edits: list[Edit] = []
    unread = ONLY_IN["1" if version == "2" else "2"]
    for path, keys in ((place, config), ((*place, "cspace"), cspace)):
        for key in [key for key in keys if key in unread]:
            edits += [Delete((*path, key))] * _times(source, path, key)
            if keys[key] not in (None, "", [], {}, False):
                out.lost(key, f"version {version} of cuRobo has no such field")
    edits += _renamed(place, config, cspace, version)
    return edit_text(source, edits), out.entries


def _times(source: SourceText, path: YamlPath, key: str) -> int:
    """How often a key stands in the mapping at a path; the last one counts."""
    node = node_at(compose(source).root, path)
    return sum(key_text(name) == key for name, _ in node.entries) if isinstance(node, Mapping) else 0


def _renamed(place: YamlPath, config: MappingABC[str, Any], cspace: Iterable[str], version: Version) -> list[Edit]:
    pairs = (("retract_config", "default_joint_position"), ("load_link_names_with_mesh", "load_tool_frames_with_mesh"))
    edits: list[Edit] = []
    for old, new in pairs if version == "2" else tuple((new, old) for old, new in pairs):
        for path, keys in ((place, config), ((*place, "cspace"), cspace)):
            if old in keys and new not in keys:
                edits.append(RenameKey((*path, old), new))
    if version == "2":
        end, others = config.get("ee_link"), names(config.get("link_names")) or ()
        tools = tuple(dict.fromkeys((*((end,) if isinstance(end, str) else ()), *others)))
        edits += [Delete((*place, key)) for key in ("ee_link", "link_names") if key in config]
        return [*edits, *([] if "tool_frames" in config else [InsertKey(place, "tool_frames", Flow(tools))])]
    tools = names(config.get("tool_frames")) or ()
    edits += [Delete((*place, "tool_frames"))] if "tool_frames" in config else []
    edits += [InsertKey(place, "ee_link", tools[0] if tools else "")] if "ee_link" not in config else []
    return [*edits, *([] if "link_names" in config else [InsertKey(place, "link_names", Flow(tools[1:]))])]
