"""Poses of frames: trees, forward and inverse kinematics, and how far the frames of two robots are
apart."""

from editor_app.core.late import late_modules

late_modules(__name__)
