"""Every module that registers rules about the URDF."""

from editor_app.checks.urdf import magnitudes, meshes, reading, structure, tree

__all__ = ["magnitudes", "meshes", "reading", "structure", "tree"]
