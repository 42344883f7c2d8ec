"""The document: what is open, every step that changed it, and how it is saved. Knows no Qt."""
