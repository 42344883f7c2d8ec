"""The SRDF's parts, a panel each."""
