"""The rules of XRDF 1.0 and 2.0, and of the programs that read them."""
