"""Self-collision in the window: matrix and list, the robot at its worst configurations, overlaps at
this pose."""

from editor_app.core.late import late_modules

late_modules(__name__)
