"""Preferences of the user: the values that new files and fits begin with, and the dialog."""

from editor_app.core.late import late_modules

late_modules(__name__)
