"""Editor for robot descriptions: XRDF beside URDF and SRDF."""
