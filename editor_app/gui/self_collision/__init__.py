"""Self-collision in the window: matrix and list, the robot at its worst configurations, overlaps at this pose."""
