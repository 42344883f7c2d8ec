"""XRDF: reading with places, lossless saving, drafting, conversion between the versions."""

from editor_app.core.formats.xrdf.read import SECTION_ORDER, XrdfSource, read_xrdf
from editor_app.core.formats.xrdf.versions import CannotConvert, VersionConversion, convert_version
from editor_app.core.formats.xrdf.write import ReadOnlyPart, XrdfPatch, patch_xrdf

__all__ = [
    "SECTION_ORDER",
    "CannotConvert",
    "ReadOnlyPart",
    "VersionConversion",
    "XrdfPatch",
    "XrdfSource",
    "convert_version",
    "patch_xrdf",
    "read_xrdf",
]
