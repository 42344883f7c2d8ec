"""Compiled kernels on disk: shipped with the program or kept for its user, found by what they are
compiled from."""
