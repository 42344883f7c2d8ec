"""What Tesseract reads beside the SRDF: plugin configs, and the calibration of joints."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from editor_app.checks.context import CheckContext
from editor_app.checks.rule import ERROR, WARNING, flaw, rule
from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.srdf.calibration import read_calibration
from editor_app.geometry.paths import resolve_mesh_path
from editor_app.model.findings import Finding, Location
from editor_app.model.near_names import nearest

_INPUTS = "srdf_source urdf urdf_path mappings"


def _configs(c: CheckContext) -> Iterable[tuple[str, str, Path | None, Location | None]]:
    """(element, file as named, that file or None, place of the element); none for a text that has no folder."""
    source = c.srdf_source
    base_file = (source.source.path if source is not None else None) or c.urdf_path
    for tag, name in source.srdf.configs.items() if source is not None and base_file is not None else ():
        element = next((e for e in source.document.root.walk() if e.tag == tag), None) if source is not None else None
        place = source.document.location(element) if source is not None and element is not None else None
        # Beside the SRDF, else as the paths of the URDF are found.
        path = resolve_mesh_path(name, base_file, c.mappings) or resolve_mesh_path(name, c.urdf_path, c.mappings)
        yield tag, name, path, place


@rule("SRDF018", "A config file that is not there", "srdf", _INPUTS, file="srdf")
def configs_exist(c: CheckContext) -> Iterable[Finding]:
    for tag, name, path, place in _configs(c):
        if path is None or not path.is_file():
            message = f"<{tag}> names the file {name!r}, which does not exist: Tesseract does not load the robot."
            # A package may be installed where the robot is.
            severity = WARNING if "://" in name else ERROR
            yield flaw(severity, message, location=place)


@rule("SRDF019", "A calibration that does not fit the robot", "srdf", _INPUTS, file="srdf")
def calibration_fits(c: CheckContext) -> Iterable[Finding]:
    for tag, name, path, place in _configs(c):
        if tag != "calibration_config" or path is None or not path.is_file():
            continue
        try:
            calibration = read_calibration(SourceText.read(path))
        except FormatError as error:
            message = f"The calibration {name!r} cannot be read: {error}"
            yield flaw(ERROR, message, location=place)
            continue
        for note in calibration.notes:
            message = f"The calibration {name!r}: {note}."
            yield flaw(WARNING, message, location=place)
        for joint in calibration.origins if c.has_urdf else ():
            if joint in c.urdf_joints:
                continue
            close = nearest(joint, c.urdf_joints)
            hint = f"; did you mean {close!r}?" if close else ""
            message = f"The calibration {name!r} has the joint {joint!r}, which the robot does not have{hint}"
            message += "." if not hint else ""
            yield flaw(ERROR, message, joints=(joint,), location=place)
