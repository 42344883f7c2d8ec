"""Every module that registers rules about the SRDF."""

from editor_app.checks.srdf import reading, references, tesseract

__all__ = ["reading", "references", "tesseract"]
