"""URDF 1.0 to 1.2: text -> model, with findings and places."""

from editor_app.core.formats.urdf.reader import LinkElements, UrdfSource, XacroFile, read_urdf

__all__ = ["LinkElements", "UrdfSource", "XacroFile", "read_urdf"]
