from editor_app.core.late import late_modules

late_modules(__name__)
