"""From files to a document: the URDF, the XRDF beside it, named, or drafted, and the SRDF beside it
or named."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from editor_app.core.document.document import Document
from editor_app.core.document.expansion import Expansion
from editor_app.core.document.state import SETTINGS, SETTINGS_FILES, FileKind
from editor_app.core.drafting import NOTHING_ASKED, ControlPlan, ControlRequest, plan_control
from editor_app.core.drafting.standing import floor_of
from editor_app.core.formats.moveit_package import (
    controller_files,
    find_srdf,
    find_xrdf,
    joints_of_controllers,
    package_name,
    settings_files,
    settings_folder,
)
from editor_app.core.formats.registry import ForeignFormatError, foreign_codec
from editor_app.core.formats.ros_settings import SettingsSource, read_settings
from editor_app.core.formats.srdf import SrdfSource, read_srdf
from editor_app.core.formats.urdf import read_urdf
from editor_app.core.formats.urdf.ros2_control import controlled_joints
from editor_app.core.formats.xrdf import XrdfSource, read_xrdf
from editor_app.core.formats.xrdf.draft import draft_xrdf
from editor_app.core.model.findings import Finding, Location, Severity
from editor_app.core.model.frozen import FrozenDict
from editor_app.core.model.regular_file import other_kind
from editor_app.core.model.robot import RobotDescription
from editor_app.core.model.ros_settings import InitialPositions
from editor_app.core.model.srdf import Srdf
from editor_app.core.model.urdf import Urdf
from editor_app.core.model.xrdf import Xrdf
from editor_app.core.progress import Progress, silent
from editor_app.core.text.source import FormatError, SourceText
from editor_app.features.masks.engine import free_pose


def settings_beside(*files: Path | None) -> dict[FileKind, Path]:
    """The settings of the MoveIt package that one of the files, a URDF or SRDF, is in."""
    config = settings_folder(*files)
    files_by_name = {} if config is None else settings_files(config, tuple(SETTINGS_FILES.values()))
    return {
        kind: files_by_name[name] for kind, name in SETTINGS_FILES.items() if name in files_by_name
    }


def open_document(
    urdf: str | Path | SourceText,
    xrdf: str | Path | None = None,
    *,
    srdf: str | Path | SourceText | None = None,
    settings: Mapping[FileKind, Path] | None = None,
    new_xrdf: bool = False,
    control: ControlRequest = NOTHING_ASKED,
    expansion: Expansion | None = None,
    version: str = "1.0",
    home: Path | None = None,
    draft: SourceText | None = None,
    on_progress: Progress = silent,
) -> Document:
    """Opens a robot. Without `xrdf`, the one beside the URDF, or (also with `new_xrdf`) a draft of
    a new one.

    Without `srdf`, the one beside the URDF, if there is one; when that cannot be read, a finding
    says so, and it is left alone. With `expansion`, `urdf` is the text that came out of it, with
    the path that it would have; `srdf` may be such a text, too. `settings`: joint_limits.yaml and
    the like; default: of the MoveIt package that the URDF or SRDF is in. `home`: where the URDF
    would be, if it is a text from elsewhere; `draft`: the XRDF of an import, instead of a draft.
    `control` says which joints of a draft are controlled; by default that is guessed. `version` is
    the draft's. A draft counts as not yet saved; its path is that of the URDF with the suffix .xrdf
    when that is free. Raises OSError when a file cannot be read, FormatError (with file, line and
    remedy) when it makes no sense, CannotApply when `control` names what the robot does not have.
    """
    findings: tuple[Finding, ...] = ()
    srdf_source: SrdfSource | None
    if isinstance(urdf, SourceText):
        assert urdf.path is not None
        urdf_path, text = urdf.path, urdf
    else:
        urdf_path, text = Path(urdf).absolute(), None
    on_progress(0.0, f"Reading {urdf_path.name}")
    urdf_source = read_urdf(text if text is not None else SourceText.read(urdf_path))
    if isinstance(srdf, SourceText):
        srdf_source = read_srdf(srdf)
    else:
        srdf_source, findings = _read_srdf(
            urdf_path, Path(srdf).absolute() if srdf is not None else None, on_progress
        )
    srdf_path = srdf_source.source.path if srdf_source is not None else None
    settings_sources, faults = _read_settings(settings, urdf_path, srdf_path, on_progress)
    findings += faults
    beside = None if new_xrdf else find_xrdf(home or urdf_path)
    xrdf_path = Path(xrdf).absolute() if xrdf is not None and not new_xrdf else beside
    if xrdf_path is not None:
        on_progress(0.5, f"Reading {xrdf_path.name}")
        xrdf_source = read_xrdf_file(xrdf_path)
        document = Document(
            urdf_source, xrdf_source, srdf_source, *settings_sources.values(), expansion=expansion
        )
    else:
        on_progress(0.5, "Drafting a new XRDF")
        target = (home or urdf_path).with_suffix(".xrdf")
        findings += _no_file(target, "XRDF001")
        # A link that leads nowhere is in the way too: saving would create a file wherever it
        # points.
        path = None if os.path.lexists(target) else target
        semantic = srdf_source.value if srdf_source is not None else None
        limits, initial = (
            _value(settings_sources, kind) for kind in (FileKind.LIMITS, FileKind.POSITIONS)
        )
        plan = first_plan(urdf_source.value, semantic, control, initial)
        written = (
            draft_xrdf(urdf_source.value, plan, version, limits) if draft is None else draft.text
        )
        source = SourceText.from_text(written, path)
        document = Document(
            urdf_source,
            read_xrdf(source),
            srdf_source,
            *settings_sources.values(),
            xrdf_is_new=True,
            first_plan=plan,
            expansion=expansion,
        )
    config = settings_folder(urdf_path, srdf_path)
    if config is not None:
        findings += _package_findings(
            document, config, is_expanded_srdf=isinstance(srdf, SourceText)
        )
    document.opening_findings = findings
    return document


def read_xrdf_file(path: Path) -> XrdfSource:
    """An XRDF from its file. Raises FormatError, as ForeignFormatError for a file of another
    format."""
    source = SourceText.read(path)
    read = read_xrdf(source)
    if read.value.format is None:
        codec = foreign_codec(source)
        if codec is None:
            return read
        # Saved as an XRDF, it would be of no use to the program that it was written for.
        raise ForeignFormatError(source, codec)
    return read


def _value(sources: Mapping[FileKind, SettingsSource[Any]], kind: FileKind) -> Any:
    return sources[kind].value if kind in sources else None


def first_plan(
    urdf: Urdf,
    srdf: Srdf | None = None,
    control: ControlRequest = NOTHING_ASKED,
    initial: InitialPositions | None = None,
) -> ControlPlan:
    """The plan of a draft: `plan_control`'s, with positions away from singular poses, limits, and
    above the floor.

    The SRDF's states are taken as they are; without one, the positions of initial_positions.yaml,
    else those that ros2_control begins with, where they are not all zero, as MoveIt's assistant
    writes them for want of better ones. Whether spheres overlap there can be known once there are
    spheres. Raises CannotApply when `control` names what the robot does not have.
    """
    plan = plan_control(urdf, srdf, control)
    if plan.states or not plan.joints:
        return plan
    in_urdf = {
        each.name: each.initial for each in controlled_joints(urdf) if each.initial is not None
    }
    tables = (
        (initial.joints if initial is not None else {}, "initial_positions.yaml"),
        (in_urdf, "ros2_control"),
    )
    for positions, source in tables:
        if any(positions.get(name) for name in plan.joints):
            return plan.beginning(urdf, positions, source)
    tools = [tool.frame for tool in plan.tools]
    bare = RobotDescription(urdf, Xrdf())
    floor = floor_of(urdf)
    pose = free_pose.find_free_pose(
        bare, joints=plan.joints, tools=tools, start=plan.positions, ignored=(), floor=floor
    )
    return replace(
        plan, positions=FrozenDict({n: pose.positions.get(n, v) for n, v in plan.positions.items()})
    )


def _read_srdf(
    urdf: Path, named: Path | None, tell: Progress
) -> tuple[SrdfSource | None, tuple[Finding, ...]]:
    path = named or find_srdf(urdf)
    if path is None:
        return None, _no_file(urdf.with_suffix(".srdf"), "SRDF000")
    tell(0.3, f"Reading {path.name}")
    try:
        return read_srdf(SourceText.read(path)), ()
    except (FormatError, OSError) as error:
        if named is not None:
            raise
        reason, place, remedy = str(error), Location(str(path)), None
        if isinstance(error, FormatError):
            reason, place, remedy = error.message, error.location or place, error.fix
        message = f"the SRDF next to the URDF was not opened: {reason}" + (
            f". {remedy}" if remedy else ""
        )
        return None, (Finding("SRDF000", Severity.ERROR, message, (), place),)


def _read_settings(
    named: Mapping[FileKind, Path] | None, urdf: Path, srdf: Path | None, tell: Progress
) -> tuple[dict[FileKind, SettingsSource[Any]], tuple[Finding, ...]]:
    """The settings, and a finding for each file of a package that cannot be read. Raises for one
    that was named."""
    sources: dict[FileKind, SettingsSource[Any]] = {}
    findings = []
    for kind, path in (settings_beside(urdf, srdf) if named is None else named).items():
        tell(0.4, f"Reading {path.name}")
        try:
            sources[kind] = read_settings(SETTINGS[kind], SourceText.read(path))
        except (FormatError, OSError) as error:
            if named is not None:
                raise
            place = error.location if isinstance(error, FormatError) else None
            findings.append(
                Finding(
                    "ROS000",
                    Severity.ERROR,
                    f"{path.name} was not opened: {error}",
                    (),
                    place or Location(str(path)),
                )
            )
    return sources, tuple(findings)


def _package_findings(
    document: Document, config: Path, *, is_expanded_srdf: bool
) -> tuple[Finding, ...]:
    """Of a MoveIt package: what was opened and what is not there, and joints of controllers that
    the URDF lacks."""
    folder, expansion = config.parent, document.expansion
    robot, srdf = (
        expansion.source if expansion is not None else document.urdf_path,
        document.srdf_path,
    )
    controllers = controller_files(config)
    settings = {kind: document.path(kind) for kind in SETTINGS}
    paths = (robot, srdf, *settings.values(), *controllers)
    listed = ", ".join(
        path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)
        for path in paths
        if path is not None
    )
    missing = ["SRDF"] if srdf is None else []
    missing += [SETTINGS_FILES[kind] for kind, path in settings.items() if path is None]
    told = f" Missing: {', '.join(missing)}." if missing else ""
    place = Location(str(folder))
    findings = [
        Finding(
            "ROS010",
            Severity.INFO,
            f"Opened from {package_name(folder)}: {listed}.{told}",
            (),
            place,
        )
    ]
    if is_expanded_srdf and srdf is not None:
        message = (
            f"The SRDF was expanded from a xacro file. Changes are saved as {srdf.name}; MoveIt "
            "reads it when "
            ".setup_assistant or a launch file names it."
        )
        findings.append(Finding("ROS011", Severity.INFO, message, (), Location(str(srdf))))
    present = {joint.name for joint in document.robot.urdf.joints}
    for path in controllers:
        try:
            lacking = [name for name in joints_of_controllers(path) if name not in present]
        except (FormatError, OSError) as error:
            findings.append(
                Finding(
                    "ROS000",
                    Severity.ERROR,
                    f"{path.name} was not read: {error}",
                    (),
                    Location(str(path)),
                )
            )
            continue
        if lacking:
            message = (
                f"A controller names {', '.join(lacking)}, which the URDF does not have: the "
                "controller will not start."
            )
            findings.append(Finding("ROS012", Severity.WARNING, message, (), Location(str(path))))
    return tuple(findings)


def _no_file(path: Path, code: str) -> tuple[Finding, ...]:
    """Says of a pipe, device or folder that has the name of a file that would be opened with the
    URDF."""
    kind = other_kind(path)
    if kind is None:
        return ()
    message = (
        f"the {path.suffix[1:].upper()} next to the URDF was not opened: it is {kind}, not a file."
    )
    return (Finding(code, Severity.ERROR, message, (), Location(str(path))),)
