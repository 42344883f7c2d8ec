"""Posing by hand: links that turn their joints, tools that pull the arm behind them by inverse kinematics."""
