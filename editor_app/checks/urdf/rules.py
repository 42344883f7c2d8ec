"""Every module that registers rules about the URDF."""

from editor_app.checks.urdf import reading, structure, tree

__all__ = ["reading", "structure", "tree"]
