"""The link tree."""
