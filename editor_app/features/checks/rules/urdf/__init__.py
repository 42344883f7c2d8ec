"""Rules about the URDF, and about the kinematic structure that it makes with the modifiers of the
XRDF."""
