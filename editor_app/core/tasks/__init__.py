"""Long work in worker processes, with progress and a cancel that ends it at once. Knows no verb."""

from editor_app.core.late import late_modules

late_modules(__name__)
