"""The documents of a robot that was read from a file of another program."""

from __future__ import annotations

from editor_app.core.formats.exchange.codec import RobotFiles
from editor_app.core.formats.exchange.conversion import ConversionReport
from editor_app.core.formats.exchange.stated_values import StatedValues
from editor_app.core.formats.srdf import SrdfSource
from editor_app.core.formats.urdf import UrdfSource
from editor_app.core.formats.xrdf import XrdfSource
from editor_app.core.model.srdf import Srdf
from editor_app.core.model.urdf import Urdf


def urdf_of(files: RobotFiles) -> Urdf:
    assert files.urdf is not None
    return files.urdf.urdf


def srdf_of(files: RobotFiles) -> Srdf:
    assert files.srdf is not None
    return files.srdf.srdf


def text_of(source: UrdfSource | SrdfSource | XrdfSource | None) -> str:
    """The text of a document; "" where there is none."""
    return source.source.text if source is not None else ""


def stated_of(files: RobotFiles) -> StatedValues:
    assert files.stated is not None
    return files.stated


def report_of(files: RobotFiles) -> ConversionReport:
    assert files.report is not None
    return files.report
