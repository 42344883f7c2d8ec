"""Values of scalars by YAML 1.2's core schema, and the spelling of new values."""

from __future__ import annotations

import math
import re
from decimal import Decimal

from editor_app.core.text.yaml.nodes import (
    Mapping,
    Node,
    Scalar,
    Sequence,
    collect_entries,
    resolve_alias,
)

_DECIMAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_INFINITY = re.compile(r"[-+]?\.(?:inf|Inf|INF)")
_NAN = frozenset({".nan", ".NaN", ".NAN"})
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
#: Plain words that YAML 1.1 takes for truth values and 1.2 for strings.
_OLD_BOOLEANS = frozenset({"y", "n", "yes", "no", "on", "off"})
#: YAML 1.1's numbers, as PyYAML reads them.
_OLD_NUMBER = re.compile(
    r"[-+]?(?:[0-9][0-9_]*)\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?"
    r"|[-+]?(?:0|[1-9][0-9_]*)|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?|[-+]?0b[0-1_]+|[-+]?0[0-7_]+"
    r"|[-+]?0x[0-9a-fA-F_]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*")
_FORBIDDEN = r"\x00-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff\u2028\u2029"
_PLAIN = re.compile(
    rf"(?:[A-Za-z_/.+$\\]|[^\x00-\xa0{_FORBIDDEN}])[^:#?,\[\]{{}}&*!|>'\"%@`{_FORBIDDEN}]*"
)
_PRINTABLE = re.compile(
    r"[\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*"
)
_STRING_TAGS = frozenset({"!", "tag:yaml.org,2002:str"})
_FLOAT_TAGS = frozenset({"tag:yaml.org,2002:float", "tag:yaml.org,2002:int"})

#: What a scalar can stand for.
Plain = None | bool | int | float | str


def parse_number(text: str) -> float | None:
    """A plain text as a number of the core schema, None when it is none. Huge integers become
    infinite."""
    if _DECIMAL.fullmatch(text):
        return float(text)
    if _BASED.fullmatch(text):
        try:
            return float(int(text[2:], 8 if text[1] == "o" else 16))
        except OverflowError:
            return math.inf
    if _INFINITY.fullmatch(text):
        return -math.inf if text[0] == "-" else math.inf
    return math.nan if text in _NAN else None


def is_null(node: Node) -> bool:
    """Return whether a value is absent, `~` or `null`."""
    return (
        isinstance(node, Scalar)
        and node.style == ""
        and ((node.tag is None and node.value in _NULL) or node.tag == "tag:yaml.org,2002:null")
    )


def resolve(node: Scalar) -> Plain:
    """The value of a scalar; tags win over the form. Integers beyond a double's range become
    infinite floats."""
    text = node.value
    if node.tag is not None:
        if node.tag in _FLOAT_TAGS:
            number = parse_number(text)
            return text if number is None else number
        if node.tag in _STRING_TAGS or node.tag not in (
            "tag:yaml.org,2002:bool",
            "tag:yaml.org,2002:null",
        ):
            return text
    elif node.style != "":
        return text
    if text in _NULL:
        return None
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    number = parse_number(text)
    if number is None:
        return text
    if len(text) < 300 and _INTEGER.fullmatch(text):
        return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
    return number


def reads_differently_in_yaml_1_1(node: Scalar) -> bool:
    """Return whether PyYAML and other YAML 1.1 readers take a plain scalar for something else:
    `1e-04`, `yes`, `012`."""
    if node.style != "" or node.tag is not None:
        return False
    text = node.value
    if parse_number(text) is None:
        return text.lower() in _OLD_BOOLEANS or (_OLD_NUMBER.fullmatch(text) is not None)
    if not _OLD_NUMBER.fullmatch(text):
        return True
    body = text.lstrip("+-")
    return len(body) > 1 and body[0] == "0" and body.isdigit()


def to_value(node: Node) -> object:
    """The plain value of a node: None, bool, int, float, str, list, dict (keys as text), aliases
    followed.

    Only for trees that `compose` accepted: those are bounded and without cycles.
    """
    node = resolve_alias(node)
    if isinstance(node, Scalar):
        return resolve(node)
    if isinstance(node, Sequence):
        return [to_value(item) for item in node.items]
    if isinstance(node, Mapping):
        return {key: to_value(value) for key, (_, value) in collect_entries(node).items()}
    raise TypeError(node)


def same_value(a: object, b: object) -> bool:
    """Equality in which NaN equals NaN, and a truth value is not a number."""
    if isinstance(a, float) and isinstance(b, float) and a != a:
        return b != b
    if isinstance(a, bool) != isinstance(b, bool):
        return False
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same_value, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return len(a) == len(b) and all(
            key in b and same_value(value, b[key]) for key, value in a.items()
        )
    return a == b


def format_number(value: float) -> str:
    """The shortest text that reads back to the same double, in YAML 1.1 and 1.2: always with a dot
    (`1.0e-04`)."""
    if isinstance(value, bool):
        return "true" if value else "false"
    # No -0.0: the sign says nothing, and looks like a mistake.
    value = float(value) + 0.0
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    text = repr(value)
    mantissa, mark, exponent = text.partition("e")
    if not mark:
        return text
    if -8 <= int(exponent) < 0 and len(mantissa) < 10:
        # As a person would write it: a micrometre is 0.000001.
        return format(Decimal(text), "f")
    if "." not in mantissa:
        mantissa += ".0"
    return f"{mantissa}e{exponent}"


def is_plain_safe(text: str) -> bool:
    """Return whether a string can stand without quotes anywhere and is a string for YAML 1.1 and
    1.2 alike."""
    if not text or not _PLAIN.fullmatch(text) or text[-1] in " \t" or "\t" in text:
        return False
    lower = text.lower()
    if lower in _OLD_BOOLEANS or lower in (
        "null",
        "true",
        "false",
        "~",
        ".",
        "..",
        "...",
        "<<",
        "=",
    ):
        return False
    return (
        parse_number(text) is None and not _OLD_NUMBER.fullmatch(text) and not _DATE.fullmatch(text)
    )


def format_string(text: str, quote: str = '"') -> str:
    """A string with the wanted quotes ("" for none) where its characters permit them, else in
    double quotes."""
    if quote == "" and is_plain_safe(text):
        return text
    printable = _PRINTABLE.fullmatch(text) is not None
    if quote == "'" and printable:
        return "'" + text.replace("'", "''") + "'"
    out = []
    for character in text:
        if character in '"\\':
            out.append("\\" + character)
        elif character in "\n\r\t\0":
            out.append({"\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}[character])
        elif _PRINTABLE.fullmatch(character):
            out.append(character)
        else:
            code = ord(character)
            out.append(
                f"\\x{code:02x}"
                if code < 256
                else f"\\u{code:04x}"
                if code < 65536
                else f"\\U{code:08x}"
            )
    return '"' + "".join(out) + '"'


def format_scalar(value: Plain) -> str:
    """A scalar value as text: numbers with a dot, strings in double quotes."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return format_number(value)
    return format_string(value)
