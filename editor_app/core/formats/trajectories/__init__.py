"""Trajectories and lists of poses as files: CSV, JSON, YAML of ROS, MoveIt and cuRobo; ROS bags and
MCAP are read."""

from editor_app.core.formats.trajectories.files import (
    SUFFIXES,
    TrajectoryFormat,
    parse_trajectory,
    read_trajectory,
    trajectory_csv,
    trajectory_text,
)

__all__ = [
    "SUFFIXES",
    "TrajectoryFormat",
    "parse_trajectory",
    "read_trajectory",
    "trajectory_csv",
    "trajectory_text",
]
