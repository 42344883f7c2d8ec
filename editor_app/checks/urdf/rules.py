"""Every module that registers rules about the URDF."""

from editor_app.checks.urdf import magnitudes, reading, structure, tree

__all__ = ["magnitudes", "reading", "structure", "tree"]
