"""The comments of a YAML text, each with the section that it stands in."""

from __future__ import annotations

import re

from editor_app.formats.yaml.nodes import Mapping, Scalar, YamlTree, key_text, walk

_COMMENT = re.compile(r"(?:(?<=[ \t\r\n])|\A)#[ \t]*([^\r\n]*)")


def comments_in(tree: YamlTree) -> tuple[tuple[str, str], ...]:
    """(section, comment) in the order of the text; "" before the first section. Empty comments are left out."""
    text, root = tree.text, tree.root
    scalars = sorted((node.start, node.end) for _, node in walk(root) if isinstance(node, Scalar)) if root else []
    sections = [(key.start, key_text(key) or "") for key, _ in root.entries] if isinstance(root, Mapping) else []
    comments: list[tuple[str, str]] = []
    end = 0
    for match in _COMMENT.finditer(text):
        if match.start() < end or any(start <= match.start() < stop for start, stop in scalars):
            continue
        end = match.end()
        if match.group(1).strip():
            section = next((name for start, name in reversed(sections) if start <= match.start()), "")
            comments.append((section, match.group(1).strip()))
    return tuple(comments)
