"""The main window: its docks, menus, start, crash dialog and preferences."""
