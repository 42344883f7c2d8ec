"""Hook of fleets: the layers of a USD asset are no robots of their own."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from editor_app.core.text.source import FormatError
from editor_app.plugins.usd.choices import ENDINGS
from editor_app.plugins.usd.reading.read import list_layers_apart

#: Folders for the layers of an asset: of Isaac Sim's importers, and of the converters of OpenUSD's
#: exchange libraries.
_FOLDERS = frozenset({"configuration", "payload", "payloads"})


def find_part_files(paths: Collection[Path]) -> frozenset[Path]:
    """Return the files in a folder for layers that a stage next to this folder is composed of.

    A stage that cannot be read has no layers: its own error is reported when it is opened.
    """
    layers = [
        path
        for path in paths
        if path.suffix.lower() in ENDINGS and path.parent.name.lower() in _FOLDERS
    ]
    homes = {path.parent.parent for path in layers}
    composed: set[Path] = set()
    for stage in paths:
        if stage.parent in homes and stage.suffix.lower() in ENDINGS:
            try:
                composed.update(list_layers_apart(stage))
            except (FormatError, OSError):
                continue
    return frozenset(path for path in layers if path.resolve() in composed)
