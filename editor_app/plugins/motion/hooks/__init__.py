"""Steps of commands that are about what a tool holds."""
