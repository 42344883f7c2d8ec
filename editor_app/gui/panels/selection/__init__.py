"""What is selected, as numbers."""
