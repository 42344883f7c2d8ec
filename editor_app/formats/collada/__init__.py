"""COLLADA robots with OpenRAVE's extensions: `.dae` 1.4.1 and 1.5, `.zae`; in and out."""

from editor_app.formats.collada.read import ColladaRobot, read_collada_robot
from editor_app.formats.collada.write import collada_files

__all__ = ["ColladaRobot", "collada_files", "read_collada_robot"]
