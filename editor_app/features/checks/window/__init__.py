"""The list of findings and what feeds it."""
