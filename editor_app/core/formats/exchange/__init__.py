"""The values that formats share when one becomes another: reports, groups, pairs, and XRDF <->
SRDF.

Below the codecs, above the three documents (`core.formats.urdf`, `core.formats.xrdf`,
`core.formats.srdf`).
"""
