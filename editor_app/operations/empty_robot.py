"""The verb empty_robot: a URDF of one link, to build a robot on."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import quoteattr

from editor_app.edit.replacing import write_atomically

#: The link that a robot begins with, by REP 120's name for the base of a robot.
BASE = "base_link"


def empty_robot(path: str | Path) -> Path:
    """Writes a URDF whose robot has the name of the file, and one link without shapes. Raises SaveError, OSError."""
    path = Path(path)
    text = f'<?xml version="1.0"?>\n<robot name={quoteattr(path.stem)}>\n  <link name="{BASE}"/>\n</robot>\n'
    write_atomically(path, text.encode())
    return path
