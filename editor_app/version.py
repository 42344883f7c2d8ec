"""The version of the program: releases are named for it; between releases it ends in `.dev0`."""

__version__ = "0.11.0.dev0"
#: The commit that a release was made from, which packaging/stamp.py writes; a checkout asks its
#: repository.
COMMIT = ""
