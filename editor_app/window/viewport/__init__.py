"""The 3D view: what is drawn (layers), looked at (camera), pointed at (picking) and dragged
(tools).

Nothing here is imported before the window is shown; import `view` for the widget.
"""

from editor_app.core.late import late_modules

late_modules(__name__)
