"""A whole XRDF file for a model, with the reasons of masked pairs as comments."""

from __future__ import annotations

from collections.abc import Mapping

from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.xrdf.mask_reasons import comment_of, reasons_of, with_reasons
from editor_app.formats.xrdf.patch import patch_xrdf
from editor_app.formats.xrdf.read import XrdfSource, read_xrdf
from editor_app.formats.yaml.scalars import format_number, format_string
from editor_app.model.findings import Location
from editor_app.model.frozen import FrozenDict
from editor_app.model.xrdf import (
    AddFrame,
    CollisionSection,
    LinkPair,
    Modifier,
    SelfCollisionSection,
    SetBaseFrame,
    Xrdf,
)


def xrdf_text(xrdf: Xrdf, reasons: Mapping[LinkPair, str] | None = None) -> str:
    """The text of a new file. Raises FormatError for a model that XRDF cannot hold (numbers that are not finite)."""
    lines = [f"format: {_text(xrdf.format or 'xrdf')}", f"format_version: {xrdf.format_version or '1.0'}"]
    if xrdf.modifiers is not None:
        lines += ["", "modifiers:" if xrdf.modifiers else "modifiers: []"]
        for modifier in xrdf.modifiers:
            lines += _modifier(modifier)
    if xrdf.default_joint_positions is not None:
        lines += ["", *_numbers("default_joint_positions", xrdf.default_joint_positions, "")]
    if xrdf.cspace is not None:
        lines += ["", "cspace:"]
        if xrdf.cspace.joint_names is not None:
            lines += ["  joint_names:" if xrdf.cspace.joint_names else "  joint_names: []"]
            lines += [f"    - {_text(name)}" for name in xrdf.cspace.joint_names]
        for key in ("acceleration_limits", "jerk_limits"):
            values = getattr(xrdf.cspace, key)
            if values is not None:
                lines += [f"  {key}: [{', '.join(map(format_number, values))}]"]
    if xrdf.tool_frames is not None:
        lines += ["", f"tool_frames: [{', '.join(map(_text, xrdf.tool_frames))}]"]
    if xrdf.world_collision is not None:
        key = "world_collision" if xrdf.format_version == "2.0" else "collision"
        lines += ["", f"{key}:", *_section(xrdf.world_collision)]
    if xrdf.self_collision is not None:
        lines += ["", "self_collision:", *_section(xrdf.self_collision), *_ignore(xrdf.self_collision, reasons or {})]
    if xrdf.geometry is not None:
        lines += ["", "geometry:" if xrdf.geometry else "geometry: {}"]
        for group in xrdf.geometry:
            lines += [f"  {_key(group.name)}:"]
            if group.clone is not None:
                lines += [f"    clone: [{', '.join(map(_text, group.clone))}]"]
            lines += ["    spheres:" if group.spheres else "    spheres: {}"]
            for frame, spheres in group.spheres.items():
                lines += [f"      {_key(frame)}:" if spheres else f"      {_key(frame)}: []"]
                for s in spheres:
                    center = ", ".join(map(format_number, s.center))
                    lines += [f"        - center: [{center}]", f"          radius: {format_number(s.radius)}"]
    text = "\n".join(lines) + "\n"
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
    said = {pair: reason for pair, reason in (reasons or {}).items() if pair in pairs and reason}
    if not said:
        return patch.text, patch.notes, 0
    text = with_reasons(patch.written, said)
    present = reasons_of(read_xrdf(source.source.with_text(text)))
    return text, patch.notes, sum(pair not in present for pair in said)


def _modifier(modifier: Modifier) -> list[str]:
    if isinstance(modifier, SetBaseFrame):
        return [f"  - set_base_frame: {_text(modifier.frame)}"]
    if isinstance(modifier, AddFrame):
        pose = modifier.fixed_transform
        w, x, y, z = pose.orientation_wxyz
        return [
            "  - add_frame:",
            f"      frame_name: {_text(modifier.frame_name)}",
            f"      parent_frame_name: {_text(modifier.parent_frame_name)}",
            f"      joint_name: {_text(modifier.joint_name)}",
            *([] if modifier.joint_type is None else [f"      joint_type: {_text(modifier.joint_type)}"]),
            "      fixed_transform:",
            f"        position: [{', '.join(map(format_number, pose.position))}]",
            "        orientation:",
            f"          w: {format_number(w)}",
            f"          xyz: [{', '.join(map(format_number, (x, y, z)))}]",
        ]
    limits = ", ".join(map(format_number, modifier.position_limits))
    lines = [
        "  - remove_mimic_attributes:",
        f"      joint_name: {_text(modifier.joint_name)}",
        f"      position_limits: [{limits}]",
    ]
    if modifier.velocity_limit is not None:
        lines.append(f"      {modifier.velocity_key}: {format_number(modifier.velocity_limit)}")
    return lines


def _section(section: CollisionSection) -> list[str]:
    lines = [] if section.geometry is None else [f"  geometry: {_text(section.geometry)}"]
    if isinstance(section.buffer_distance, FrozenDict):
        lines += _numbers("buffer_distance", section.buffer_distance, "  ")
    elif section.buffer_distance is not None:
        lines += [f"  buffer_distance: {format_number(section.buffer_distance)}"]
    return lines


def _ignore(section: SelfCollisionSection, reasons: Mapping[LinkPair, str]) -> list[str]:
    if section.ignore is None:
        return []
    lines = ["  ignore:" if section.ignore else "  ignore: {}"]
    for frame, others in section.ignore.items():
        notes = [comment_of(reasons.get(LinkPair.of(frame, other), ""), other) for other in others]
        if any(notes):
            lines += [f"    {_key(frame)}:"]
            lines += [f"      - {_text(other)}{note}" for other, note in zip(others, notes, strict=True)]
        else:
            lines += [f"    {_key(frame)}: [{', '.join(map(_text, others))}]"]
    return lines


def _numbers(key: str, values: Mapping[str, float], indent: str) -> list[str]:
    if not values:
        return [f"{indent}{key}: {{}}"]
    return [f"{indent}{key}:", *(f"{indent}  {_key(k)}: {format_number(v)}" for k, v in values.items())]


def _text(text: str) -> str:
    return format_string(text)


def _key(text: str) -> str:
    return format_string(text, "")


def finite_or_refuse(text: str, where: str) -> str:
    """A text that is refused when a number in it is none."""
    if ".nan" in text or ".inf" in text:
        raise FormatError("A value is not a finite number", Location(where))
    return text
