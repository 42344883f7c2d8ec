"""The volume that a robot sweeps along a motion, as a closed mesh and as spheres."""

NEEDS = ("margins", "motion")
