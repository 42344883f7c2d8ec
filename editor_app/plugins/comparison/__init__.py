"""Comparison of two robots: descriptions, frames and behaviour."""

NEEDS = ("motion",)
