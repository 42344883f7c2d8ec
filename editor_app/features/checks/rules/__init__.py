"""The rules that a robot description is checked by. `xrdf` holds the rules of the XRDF, section by
section."""
