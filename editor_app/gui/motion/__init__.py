"""Motion: trajectories and stored poses played, their clearance over time, obstacles, the planner, the smoke test."""
