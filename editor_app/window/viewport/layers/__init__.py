"""One module per thing that is drawn. A layer owns its VTK objects and knows neither Qt events nor
other layers."""

from editor_app.core.late import late_modules

late_modules(__name__)
