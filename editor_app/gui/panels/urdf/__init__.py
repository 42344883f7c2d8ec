"""The URDF's parts, a panel each."""
