"""The codecs of the documents that the editor opens: URDF (plain and xacro), XRDF, SRDF."""
