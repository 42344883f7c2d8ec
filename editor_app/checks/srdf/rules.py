"""Every module that registers rules about the SRDF."""

from editor_app.checks.srdf import reading, tesseract

__all__ = ["reading", "tesseract"]
