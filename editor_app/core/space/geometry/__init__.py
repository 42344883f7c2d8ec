"""Meshes: where their files are, what is in them, and where they sit on the links."""
