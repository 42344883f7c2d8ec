"""A USD compared with the URDF and XRDF of the same robot: whether Isaac Sim simulates what is
planned for."""

NEEDS = ("comparison", "usd")
