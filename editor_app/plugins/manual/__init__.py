"""The manual inside the window, what is new, and the tour over the sample robot."""
