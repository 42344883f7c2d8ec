"""Rules about the SRDF, by itself and against the URDF."""
