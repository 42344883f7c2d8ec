"""SRDF of MoveIt and Tesseract: reading with places, lossless saving, new files."""

from editor_app.core.formats.srdf.patch import SrdfPatch, patch_srdf, srdf_text
from editor_app.core.formats.srdf.places import CalibratedOrigins, read_calibration
from editor_app.core.formats.srdf.read import SrdfSource, read_srdf

__all__ = [
    "CalibratedOrigins",
    "SrdfPatch",
    "SrdfSource",
    "patch_srdf",
    "read_calibration",
    "read_srdf",
    "srdf_text",
]
