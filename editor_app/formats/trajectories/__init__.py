"""Trajectories and lists of poses as files: CSV, JSON, YAML of ROS, MoveIt and cuRobo; ROS bags and MCAP are read."""

from editor_app.formats.trajectories.reading import SUFFIXES, read_trajectory, trajectory_of
from editor_app.formats.trajectories.writing import TrajectoryFormat, trajectory_csv, trajectory_text

__all__ = ["SUFFIXES", "TrajectoryFormat", "read_trajectory", "trajectory_csv", "trajectory_of", "trajectory_text"]
