"""Joints as sliders."""
