"""MuJoCo's MJCF: a new file from a robot, or mask and spheres in one that is there."""

from editor_app.formats.foreign.mjcf.codec import CODEC

__all__ = ["CODEC"]
