"""Measuring in the view."""

from editor_app.late import late_modules

late_modules(__name__)
