"""The source text and the difference to the file."""

from editor_app.core.late import late_modules

late_modules(__name__)
