"""The values that formats share when one becomes another: reports, groups, pairs, and XRDF <-> SRDF.

Below the codecs (`formats.foreign`), above the three documents (`formats.urdf`, `formats.xrdf`, `formats.srdf`).
"""
