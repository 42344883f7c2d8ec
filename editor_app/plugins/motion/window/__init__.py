"""Motion: trajectories and stored poses played, their clearance over time, obstacles, the planner,
the smoke test."""

from editor_app.core.late import late_modules

late_modules(__name__)
