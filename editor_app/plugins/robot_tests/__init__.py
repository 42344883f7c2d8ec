"""Tests of robots: expectations in a file next to the robot, run after every change."""

NEEDS = ("comparison", "motion", "planning")
