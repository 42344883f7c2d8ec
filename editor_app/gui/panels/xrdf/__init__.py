"""The XRDF's sections, a panel each."""

from editor_app.late import late_modules

late_modules(__name__)
