"""The source text and the difference to the file."""
