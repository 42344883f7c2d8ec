"""A file that holds another format than its name says: told in one clear sentence by every reader."""

from __future__ import annotations

import re

from editor_app.formats.source import FormatError, SourceText

_XRDF = re.compile(r"^format:\s*['\"]?xrdf", re.MULTILINE | re.IGNORECASE)
_OF_A_URDF = re.compile(r"<(?:visual|collision|inertial|joint\s[^>]*\btype\s*=)")
_OF_AN_SRDF = re.compile(
    r"<(?:disable_collisions|enable_collisions|disable_default_collisions|group_state|group|end_effector"
    r"|virtual_joint|passive_joint|link_sphere_approximation|collision_margins)\b"
)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
#: Any element below the root.
_ELEMENT = re.compile(r"<(?!robot\b)[A-Za-z_]")
_OF_EITHER = ("<link", "<joint name", "xacro:")


def is_srdf_text(text: str) -> bool:
    """Whether an XML text is an SRDF by its elements: the members of groups are called as the elements of a URDF.

    A robot without any element could be either; it is no SRDF here, so that it is told to have no link.
    """
    if "<robot" not in text:
        return False
    text = _COMMENT.sub("", text)
    if _OF_A_URDF.search(text):
        return False
    if _OF_AN_SRDF.search(text) is not None:
        return True
    return _ELEMENT.search(text) is not None and not any(mark in text for mark in _OF_EITHER)


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
        file_kind = "a COLLADA file"
    elif is_srdf_text(text):
        file_kind = "an SRDF file"
    elif "<robot" in text:
        file_kind = "a URDF file"
    else:
        file_kind = "an XML file"
    raise FormatError(
        f"This is {file_kind}, not {wanted}", source.location(0), "Name it as what it is, and open the XRDF."
    )
