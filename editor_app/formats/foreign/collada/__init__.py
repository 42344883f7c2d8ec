"""COLLADA robots with OpenRAVE's extensions: `.dae` 1.4.1 and 1.5, `.zae`; in and out."""

from editor_app.formats.foreign.collada.codec import CODEC
from editor_app.formats.foreign.collada.read import ALL, ColladaRobot, overview, read_collada_robot
from editor_app.formats.foreign.collada.write import Sources, collada_files

__all__ = ["ALL", "CODEC", "ColladaRobot", "Sources", "collada_files", "overview", "read_collada_robot"]
