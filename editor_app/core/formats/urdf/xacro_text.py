"""Text for files that xacro evaluates: what is no expression of this program is read back as it is.

MoveIt's launch files hand URDF, SRDF and what includes them to xacro, which runs `${…}` as Python
and `$(…)` as a substitution of roslaunch. Two dollars before a bracket stand for one and no
expression; in comments and CDATA xacro evaluates nothing, unless a comment asks for it.
"""

from __future__ import annotations

import re

from editor_app.core.text.source import FormatError, SourceText
from editor_app.core.text.xml.document import parse_xml

_OPENS = re.compile(r"\$+(?=[{(])")
#: Parts in which xacro evaluates nothing, and all else.
_PARTS = re.compile(r"(<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>)", re.DOTALL)
#: References to the three characters that expressions begin with.
_REFERENCE = re.compile(r"&#(?:0*(36|123|40)|x0*(24|7[bB]|28));")
_EVALUATES_COMMENTS = "xacro:eval-comments"
_PLAIN = re.compile(r"[^A-Za-z0-9_ .:/-]")


def escape_expressions(text: str) -> str:
    """Return the value of an attribute or a text as xacro gives it back."""
    return _OPENS.sub(r"$\g<0>", text)


def python_text(text: str) -> str:
    """Return a literal of Python, without the characters that end an expression of xacro or an
    attribute."""
    return "'" + _PLAIN.sub(lambda match: f"\\U{ord(match[0]):08x}", text) + "'"


def escape_document(source: SourceText) -> SourceText:
    """Return an XML file that xacro expands to itself; the same text where it has no expression.

    Raises FormatError for elements and comments that are commands to xacro.
    """
    document = parse_xml(source)
    remedy = "Expand the file with xacro first, or remove the command."
    for element in document.root.walk():
        commands = [
            name
            for name in (element.tag, *(a.name for a in element.attributes))
            if name.startswith("xacro:")
        ]
        if commands:
            raise FormatError(
                f"{commands[0]} is a xacro command", document.location(element), remedy
            )
    if _EVALUATES_COMMENTS in source.text:
        place = source.location(source.text.index(_EVALUATES_COMMENTS))
        raise FormatError(f"{_EVALUATES_COMMENTS} is a xacro command", place, remedy)
    pieces = _PARTS.split(source.text)
    pieces[::2] = [_escaped(piece) for piece in pieces[::2]]
    return source.with_text("".join(pieces))


def _escaped(piece: str) -> str:
    """Markup and text between comments; references are resolved where an expression would come of
    them."""
    resolved = _REFERENCE.sub(lambda m: chr(int(m[1])) if m[1] else chr(int(m[2], 16)), piece)
    return escape_expressions(resolved) if _OPENS.search(resolved) else piece
