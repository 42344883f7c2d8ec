"""The steps of the history."""
