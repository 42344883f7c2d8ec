"""Every module that registers rules about the SRDF."""

from editor_app.checks.srdf import reading

__all__ = ["reading"]
