"""A file that holds another format than its name says: told in one clear sentence by every reader."""

from __future__ import annotations

import re

from editor_app.formats.source import FormatError, SourceText

_XRDF = re.compile(r"^format:\s*['\"]?xrdf", re.MULTILINE | re.IGNORECASE)
_OF_A_URDF = re.compile(r"<(?:visual|collision|inertial|joint\s[^>]*\btype\s*=)")
_OF_AN_SRDF = re.compile(r"<(?:disable_collisions|group_state|group|end_effector|virtual_joint|passive_joint)\b")


def refuse_xrdf(source: SourceText, wanted: str, remedy: str) -> None:
    """Raises FormatError where an XRDF stands in the place of XML; `wanted`: "a URDF"."""
    if not source.text[:400].lstrip().startswith("<") and _XRDF.search(source.text):
        raise FormatError(f"This is an XRDF file, not {wanted}", source.location(0), remedy)


def refuse_xml(source: SourceText, wanted: str) -> None:
    """Raises FormatError where a URDF, SRDF or COLLADA file stands in the place of YAML; `wanted`: "an XRDF"."""
    text = source.text
    if not text[:400].lstrip("\ufeff \t\r\n").startswith("<"):
        return
    if "<COLLADA" in text[:4000]:
        what = "a COLLADA file"
    elif _OF_AN_SRDF.search(text) and not _OF_A_URDF.search(text):
        what = "an SRDF file"
    elif "<robot" in text:
        what = "a URDF file"
    else:
        what = "an XML file"
    raise FormatError(f"This is {what}, not {wanted}", source.location(0), "Name it as what it is, and open the XRDF.")
