"""The plane that the view is cut by."""
