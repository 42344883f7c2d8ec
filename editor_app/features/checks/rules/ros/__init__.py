"""Rules about what MoveIt's settings say beside URDF, XRDF and SRDF."""
