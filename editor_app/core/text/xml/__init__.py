"""XML with the place of everything in it, and edits that leave every other character as it was."""
