"""The document: what is open, every step that changed it, and how it is saved. Knows no Qt."""

from editor_app.core.late import late_modules

late_modules(__name__)
