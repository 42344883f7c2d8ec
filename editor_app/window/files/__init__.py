"""Files as the window opens, saves, imports and exports them, with the questions that this
takes."""
