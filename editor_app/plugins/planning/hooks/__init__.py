"""Steps of fits, masks and first files that make a robot fit for planning."""
