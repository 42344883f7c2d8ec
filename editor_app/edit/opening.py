"""From files to a document: the URDF, the XRDF beside it, named, or drafted, and the SRDF beside it or named."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from editor_app.drafting import NOTHING_ASKED, ControlPlan, ControlRequest, plan_control
from editor_app.drafting.standing import floor_of
from editor_app.edit.document import Document
from editor_app.edit.expansion import Expansion
from editor_app.formats.registry import ForeignFormatError, foreign_codec
from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.srdf import SrdfSource, read_srdf
from editor_app.formats.urdf import read_urdf
from editor_app.formats.xrdf import XrdfSource, draft_xrdf, read_xrdf
from editor_app.model.findings import Finding, Location, Severity
from editor_app.model.frozen import FrozenDict
from editor_app.model.regular_file import other_kind
from editor_app.model.robot import RobotDescription
from editor_app.model.srdf import Srdf
from editor_app.model.urdf import Urdf
from editor_app.model.xrdf import Xrdf
from editor_app.self_collision.free_pose import find_free_pose

OnProgress = Callable[[float, str], None]


def xrdf_beside(urdf: Path) -> Path | None:
    """The XRDF of the same stem in the URDF's folder, else None."""
    for suffix in (".xrdf", ".xrdf.yaml", ".xrdf.yml"):
        candidate = urdf.with_name(urdf.stem + suffix)
        if candidate.is_file():
            return candidate
    return None


def srdf_beside(urdf: Path) -> Path | None:
    """The SRDF of the same stem in the URDF's folder, else None."""
    candidate = urdf.with_suffix(".srdf")
    return candidate if candidate.is_file() else None


def open_robot(
    urdf: str | Path | SourceText,
    xrdf: str | Path | None = None,
    *,
    srdf: str | Path | None = None,
    new_xrdf: bool = False,
    control: ControlRequest = NOTHING_ASKED,
    expansion: Expansion | None = None,
    version: str = "1.0",
    on_progress: OnProgress | None = None,
) -> Document:
    """Opens a robot. Without `xrdf`, the one beside the URDF, or (also with `new_xrdf`) a draft of a new one.

    Without `srdf`, the one beside the URDF, if there is one; when that cannot be read, a finding says so, and it is
    left alone. With `expansion`, `urdf` is the text that came out of it, with the path that it would have.
    `control` says which joints of a draft are controlled; by default that is guessed. `version` is the draft's.
    A draft counts as not yet saved; its path is that of the URDF with the suffix .xrdf when that is free.
    Raises OSError when a file cannot be read, FormatError (with file, line and remedy) when it makes no sense,
    CannotApply when `control` names what the robot does not have.
    """
    tell = on_progress or (lambda fraction, sentence: None)
    if isinstance(urdf, SourceText):
        assert urdf.path is not None
        urdf_path, text = urdf.path, urdf
    else:
        urdf_path, text = Path(urdf).absolute(), None
    tell(0.0, f"Reading {urdf_path.name}")
    urdf_source = read_urdf(text if text is not None else SourceText.read(urdf_path))
    srdf_source, findings = _read_srdf(urdf_path, Path(srdf).absolute() if srdf is not None else None, tell)
    xrdf_path = None if new_xrdf else Path(xrdf).absolute() if xrdf is not None else xrdf_beside(urdf_path)
    if xrdf_path is not None:
        tell(0.5, f"Reading {xrdf_path.name}")
        document = Document(urdf_source, read_xrdf_file(xrdf_path), srdf_source, expansion=expansion)
    else:
        tell(0.5, "Drafting a new XRDF")
        target = urdf_path.with_suffix(".xrdf")
        findings += _no_file(target, "XRDF001")
        # A link that leads nowhere is in the way too: saving would create a file wherever it points.
        path = None if os.path.lexists(target) else target
        plan = first_plan(urdf_source.urdf, srdf_source.srdf if srdf_source is not None else None, control)
        source = SourceText.from_text(draft_xrdf(urdf_source.urdf, plan, version), path)
        document = Document(urdf_source, read_xrdf(source), srdf_source, xrdf_is_new=True, expansion=expansion)
        document.first_plan = plan
    document.opening_findings = findings
    return document


def read_xrdf_file(path: Path) -> XrdfSource:
    """An XRDF from its file. Raises FormatError, as ForeignFormatError for a file of another format."""
    source = SourceText.read(path)
    read = read_xrdf(source)
    if read.xrdf.format is None:
        codec = foreign_codec(source)
        if codec is None:
            return read
        # Saved as an XRDF, it would be of no use to the program that it was written for.
        raise ForeignFormatError(source, codec)
    return read


def first_plan(urdf: Urdf, srdf: Srdf | None = None, control: ControlRequest = NOTHING_ASKED) -> ControlPlan:
    """The plan of a draft: `plan_control`'s, with positions away from singular poses, limits, and above the floor.

    The SRDF's states are taken as they are. Whether spheres overlap there can be known once there are spheres.
    Raises CannotApply when `control` names what the robot does not have.
    """
    plan = plan_control(urdf, srdf, control)
    if plan.states or not plan.joints:
        return plan
    tools = [tool.frame for tool in plan.tools]
    bare = RobotDescription(urdf, Xrdf())
    floor = floor_of(urdf)
    pose = find_free_pose(bare, joints=plan.joints, tools=tools, start=plan.positions, ignored=(), floor=floor)
    return replace(plan, positions=FrozenDict({n: pose.positions.get(n, v) for n, v in plan.positions.items()}))


def _read_srdf(urdf: Path, named: Path | None, tell: OnProgress) -> tuple[SrdfSource | None, tuple[Finding, ...]]:
    path = named or srdf_beside(urdf)
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
            reason, place, remedy = error.message, error.location or place, error.remedy
        message = f"the SRDF beside the URDF was not opened: {reason}" + (f". {remedy}" if remedy else "")
        return None, (Finding("SRDF000", Severity.ERROR, message, (), place),)


def _no_file(path: Path, code: str) -> tuple[Finding, ...]:
    """Says of a pipe, device or folder that has the name of a file that would be opened with the URDF."""
    kind = other_kind(path)
    if kind is None:
        return ()
    message = f"the {path.suffix[1:].upper()} beside the URDF was not opened: it is {kind}, not a file."
    return (Finding(code, Severity.ERROR, message, (), Location(str(path))),)
