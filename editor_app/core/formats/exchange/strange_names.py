"""Names of links, joints and groups in the documents of a robot that nothing in the robot has."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from editor_app.core.formats.exchange.codec import RobotFiles
from editor_app.core.formats.exchange.conversion import ConversionReport, Reporter
from editor_app.core.formats.exchange.unread import AS_READ
from editor_app.core.formats.file_part import FilePart
from editor_app.core.model.counting import format_count, format_list
from editor_app.core.model.keys import Named
from editor_app.core.model.near_names import shared_prefix
from editor_app.core.model.references import DOCUMENTS, DocumentName, reference_fields

#: Names that an entry lists, and pairs of names that are compared for a prefix.
_MOST, _MOST_PAIRS = 6, 20_000


def strange_names(files: RobotFiles) -> Iterator[ConversionReport]:
    """Report the names in XRDF, SRDF and settings that URDF and SRDF do not have; nothing without a
    URDF."""
    # What came as one file was compared by its reader.
    if files.urdf is None or files.stated is not None:
        return
    urdf, srdf = files.urdf.value, files.srdf.value if files.srdf is not None else None
    added = (
        files.xrdf.value.added_frames if files.xrdf is not None and not files.xrdf_is_draft else ()
    )
    virtual = srdf.virtual_joints if srdf is not None else ()
    joints = {*(joint.name for joint in urdf.joints), *(joint.name for joint in virtual)}
    present: dict[Named, set[str] | None] = {
        Named.LINK: {link.name for link in urdf.links} | {frame.frame_name for frame in added},
        Named.JOINT: joints | {frame.joint_name for frame in added},
        Named.SRDF_GROUP: {group.name for group in srdf.groups} if srdf is not None else None,
    }
    sources: dict[str, FilePart[Any] | None] = {
        "xrdf": None if files.xrdf_is_draft else files.xrdf,
        "srdf": files.srdf,
    }
    sources |= files.settings
    for document in DOCUMENTS:
        source = sources.get(document)
        if source is not None:
            report = _report(document, source, present)
            if report.entries:
                yield report


def _report(
    document: DocumentName, part: FilePart[Any], present: Mapping[Named, Collection[str] | None]
) -> ConversionReport:
    out = Reporter(
        part.source.path.name if part.source.path is not None else document.upper(), AS_READ
    )
    for named, names in present.items():
        fields = reference_fields(named, (document,)) if names is not None else ()
        strange = list(
            dict.fromkeys(
                n for field in fields for n in field.names(part.value) if n not in (names or ())
            )
        )
        if strange:
            detail = (
                "not in the robot: "
                f"{format_list(strange, _MOST)}{_prefix_hint(strange, names or ())}"
            )
            out.unread(format_count(len(strange), named.value.split()[0]), detail)
    return out.report()


def _prefix_hint(strange: Collection[str], names: Collection[str]) -> str:
    prefix = shared_prefix(strange, names) if len(strange) * len(names) <= _MOST_PAIRS else None
    if prefix is None:
        return ""
    old, new = prefix
    return f"; they are with the prefix {new}" if new else f"; without the prefix {old} they are"
