"""Collision shapes made of meshes."""

NEEDS = ("motion", "planning")
