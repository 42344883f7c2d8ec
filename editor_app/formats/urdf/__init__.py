"""URDF 1.0 to 1.2: text -> model, with findings and places."""

from editor_app.formats.urdf.reader import LinkElements, UrdfSource, read_urdf
from editor_app.formats.urdf.recognise import XacroFile

__all__ = ["LinkElements", "UrdfSource", "XacroFile", "read_urdf"]
