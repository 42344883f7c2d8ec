"""The rules that a robot description is checked by. `xrdf` holds those of the XRDF, section by section."""
