"""The XRDF's sections, a panel each."""
