"""Fitting in the window: the panel for links, the panel for the whole robot, the heat map, the hand
tools."""

from editor_app.core.late import late_modules

late_modules(__name__)
