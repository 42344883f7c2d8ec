"""URDF, SRDF and XRDF -> COLLADA, by subject; `state` holds what they share."""
