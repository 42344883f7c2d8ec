"""COLLADA -> URDF, SRDF, spheres and meshes, by subject; `state` holds what they share."""
