"""Formats of other programs, a folder each."""
