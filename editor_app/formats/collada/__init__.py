"""COLLADA robots with OpenRAVE's extensions: `.dae` 1.4.1 and 1.5, `.zae`; in and out."""

from editor_app.formats.collada.read import ALL, ColladaRobot, read_collada_robot, robots_in
from editor_app.formats.collada.write import Sources, collada_files

__all__ = ["ALL", "ColladaRobot", "Sources", "collada_files", "read_collada_robot", "robots_in"]
