"""The notes of what was measured, as a list."""
