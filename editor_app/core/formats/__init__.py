"""Text to model and back, for every format."""
