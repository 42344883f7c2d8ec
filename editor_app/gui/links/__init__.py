"""What can be done with the selected links: actions of their context menu."""
