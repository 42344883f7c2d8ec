"""A whole XRDF file for a model, with the reasons of masked pairs as comments; and a file brought up to date."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from editor_app.formats.source import SourceText
from editor_app.formats.xrdf.mask_reasons import comment_of, reasons_of, with_reasons
from editor_app.formats.xrdf.patch import patch_xrdf
from editor_app.formats.xrdf.read import XrdfSource, read_xrdf
from editor_app.formats.yaml.new_document import Flow, Noted, yaml_text
from editor_app.model.xrdf import (
    AddFrame,
    CollisionSection,
    GeometryGroup,
    LinkPair,
    Modifier,
    SelfCollisionSection,
    SetBaseFrame,
    Xrdf,
)


def xrdf_text(xrdf: Xrdf, reasons: Mapping[LinkPair, str] | None = None) -> str:
    """The text of a new file. Raises FormatError for a model that XRDF cannot hold (numbers that are not finite)."""
    document = _document(xrdf, reasons or {})
    text = yaml_text(document, "<new XRDF>", [key for key in document if key not in ("format", "format_version")])
    written = read_xrdf(SourceText.from_text(text))
    if written.xrdf != xrdf:
        # What the plain rendering does not cover, the patcher does; it raises for what cannot be said at all.
        text = patch_xrdf(written, xrdf).text
    return text


def patched_text(
    source: XrdfSource, xrdf: Xrdf, reasons: Mapping[LinkPair, str] | None = None
) -> tuple[str, tuple[str, ...], int]:
    """The text of a file brought up to date, notes, and how many reasons there was no room for.

    Reasons become comments behind pairs that have none. Raises FormatError for a model that XRDF cannot hold.
    """
    patch = patch_xrdf(source, xrdf)
    pairs = xrdf.self_collision.ignored_pairs() if xrdf.self_collision is not None else frozenset()
    pair_reasons = {pair: reason for pair, reason in (reasons or {}).items() if pair in pairs and reason.strip(" \t")}
    if not pair_reasons:
        return patch.text, patch.notes, 0
    text = with_reasons(patch.written, pair_reasons)
    present = reasons_of(read_xrdf(source.source.with_text(text)))
    return text, patch.notes, sum(pair not in present for pair in pair_reasons)


def _document(xrdf: Xrdf, reasons: Mapping[LinkPair, str]) -> dict[str, Any]:
    """The sections that are there, in the order of the format."""
    world = "world_collision" if xrdf.format_version == "2.0" else "collision"
    sections: dict[str, Any] = {
        "format": xrdf.format or "xrdf",
        "format_version": _version(xrdf.format_version or "1.0"),
        "modifiers": xrdf.modifiers and [_modifier(modifier) for modifier in xrdf.modifiers],
        "default_joint_positions": xrdf.default_joint_positions,
        "cspace": _cspace(xrdf),
        "tool_frames": None if xrdf.tool_frames is None else Flow(xrdf.tool_frames),
        world: xrdf.world_collision and _section(xrdf.world_collision),
        "self_collision": xrdf.self_collision and _self_section(xrdf.self_collision, reasons),
        "geometry": None if xrdf.geometry is None else {group.name: _group(group) for group in xrdf.geometry},
    }
    return {key: value for key, value in sections.items() if value is not None}


def _version(version: str) -> float | str:
    """Versions are written as numbers, as every reader expects them."""
    try:
        return float(version)
    except ValueError:
        return version


def _cspace(xrdf: Xrdf) -> dict[str, Any] | None:
    if xrdf.cspace is None:
        return None
    cspace: dict[str, Any] = {}
    if xrdf.cspace.joint_names is not None:
        cspace["joint_names"] = list(xrdf.cspace.joint_names)
    for key in ("acceleration_limits", "jerk_limits"):
        values = getattr(xrdf.cspace, key)
        if values is not None:
            cspace[key] = Flow(values)
    return cspace


def _modifier(modifier: Modifier) -> dict[str, Any]:
    if isinstance(modifier, SetBaseFrame):
        return {"set_base_frame": modifier.frame}
    if isinstance(modifier, AddFrame):
        pose = modifier.fixed_transform
        w, *xyz = pose.orientation_wxyz
        frame: dict[str, Any] = {
            "frame_name": modifier.frame_name,
            "parent_frame_name": modifier.parent_frame_name,
            "joint_name": modifier.joint_name,
        }
        if modifier.joint_type is not None:
            frame["joint_type"] = modifier.joint_type
        frame["fixed_transform"] = {"position": Flow(pose.position), "orientation": {"w": w, "xyz": Flow(xyz)}}
        return {"add_frame": frame}
    freed: dict[str, Any] = {"joint_name": modifier.joint_name, "position_limits": Flow(modifier.position_limits)}
    if modifier.velocity_limit is not None:
        freed[modifier.velocity_key] = modifier.velocity_limit
    return {"remove_mimic_attributes": freed}


def _section(section: CollisionSection) -> dict[str, Any]:
    entries: dict[str, Any] = {} if section.geometry is None else {"geometry": section.geometry}
    if section.buffer_distance is not None:
        entries["buffer_distance"] = section.buffer_distance
    return entries


def _self_section(section: SelfCollisionSection, reasons: Mapping[LinkPair, str]) -> dict[str, Any]:
    entries = _section(section)
    if section.ignore is not None:
        entries["ignore"] = {frame: _ignored(frame, others, reasons) for frame, others in section.ignore.items()}
    return entries


def _ignored(frame: str, others: tuple[str, ...], reasons: Mapping[LinkPair, str]) -> list[Any]:
    """A line for each pair when one of them has a reason, all in one line otherwise."""
    notes = [comment_of(reasons.get(LinkPair.of(frame, other), ""), other) for other in others]
    if not any(notes):
        return Flow(others)
    return [Noted(other, note) for other, note in zip(others, notes, strict=True)]


def _group(group: GeometryGroup) -> dict[str, Any]:
    entries: dict[str, Any] = {} if group.clone is None else {"clone": Flow(group.clone)}
    entries["spheres"] = {
        frame: [{"center": Flow(sphere.center), "radius": sphere.radius} for sphere in spheres]
        for frame, spheres in group.spheres.items()
    }
    return entries
