"""Programs that run for minutes or hours and look for what a single test does not meet; see
`__main__`."""
