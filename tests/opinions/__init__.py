"""Programs that ask other programs for their opinion of what the editor writes; longer than the
test run has time."""
