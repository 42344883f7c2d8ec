"""Comparison of two robots: descriptions and frames."""
