"""The event streams that a tree is made of: libyaml's, or in pure Python ruamel.yaml's. Both have the same shape."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import yaml

HAS_LIBYAML: bool = bool(yaml.__with_libyaml__)


def yaml_errors() -> tuple[type[Exception], ...]:
    """What the scanners raise for text that is not YAML; ruamel.yaml's only once it was needed."""
    import sys

    ruamel = sys.modules.get("ruamel.yaml.error")
    return (yaml.YAMLError,) if ruamel is None else (yaml.YAMLError, ruamel.YAMLError)


class Events:
    """`next_event` gives one event after the other; their classes are in `kinds`. Call `close` at the end."""

    def __init__(self, text: str, *, use_libyaml: bool) -> None:
        self.next_event: Callable[[], Any]
        self.kinds: ModuleType | Any
        self.close: Callable[[], object]
        if use_libyaml:
            loader = yaml.CSafeLoader(text)
            self.next_event, self.kinds, self.close = loader.get_event, yaml.events, loader.dispose
            return

        from ruamel.yaml import YAML, events

        stream = YAML(typ="safe", pure=True).parse(text)
        self.next_event, self.kinds, self.close = stream.__next__, events, stream.close
