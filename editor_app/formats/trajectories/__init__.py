"""Trajectories and lists of poses from files: CSV, JSON, a JointTrajectory as YAML, ROS bags and MCAP."""

from editor_app.formats.trajectories.reading import SUFFIXES, read_trajectory, trajectory_of
from editor_app.formats.trajectories.writing import trajectory_csv

__all__ = ["SUFFIXES", "read_trajectory", "trajectory_csv", "trajectory_of"]
