"""XRDF: reading with places, lossless saving, drafting, conversion between the versions."""

from editor_app.formats.xrdf.read import SECTION_ORDER, XrdfSource, read_xrdf

__all__ = ["SECTION_ORDER", "XrdfSource", "read_xrdf"]
