"""From files to findings, for the command line and for scripts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from editor_app.checks.context import CheckContext
from editor_app.checks.runner import check, located
from editor_app.formats.source import FormatError, SourceText
from editor_app.formats.urdf import UrdfSource, read_urdf
from editor_app.formats.xrdf import read_xrdf
from editor_app.model.findings import Finding
from editor_app.model.robot import Profile, RobotDescription
from editor_app.model.urdf import Urdf


def check_files(
    xrdfs: Iterable[Path], urdf: Path | None, profile: Profile, *, slow: bool = False
) -> Iterator[tuple[Path, tuple[Finding, ...] | FormatError]]:
    """Per XRDF its findings in the order of the file, or the FormatError that says why it cannot be read.

    Without a URDF, only the rules that need none. Raises FormatError when the URDF cannot be read.
    """
    urdf_source = read_urdf(SourceText.read(urdf)) if urdf is not None else None
    for path in xrdfs:
        try:
            yield path, _findings(path, urdf_source, urdf, profile, slow)
        except FormatError as error:
            yield path, error


def _findings(
    path: Path, urdf_source: UrdfSource | None, urdf_path: Path | None, profile: Profile, slow: bool
) -> tuple[Finding, ...]:
    source = read_xrdf(SourceText.read(path))
    robot = RobotDescription(urdf_source.urdf if urdf_source else Urdf(), source.xrdf)
    context = CheckContext(robot, source, profile, urdf_source is not None, urdf_path)
    found = located(check(context, slow=slow), source)
    return tuple(sorted(found, key=lambda f: (f.location.line or 0, f.location.column or 0) if f.location else (0, 0)))
