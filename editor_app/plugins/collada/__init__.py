"""Modules of this plug-in are late: recognising a file runs no reader and no writer."""

from editor_app.core.late import late_modules

late_modules(__name__)
