"""The version of the program: releases are named for it."""

__version__ = "0.9.0"
