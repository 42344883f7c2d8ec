"""Frozen values: what a robot description is. No Qt, no files, no arrays."""
