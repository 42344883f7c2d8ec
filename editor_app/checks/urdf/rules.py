"""Every module that registers rules about the URDF."""

from editor_app.checks.urdf import reading, tree

__all__ = ["reading", "tree"]
