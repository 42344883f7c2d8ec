"""What the user prefers: the values that new files and fits begin with, and the dialog."""
