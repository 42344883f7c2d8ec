"""Plug-ins as an installer leaves them: a package, and the metadata that names its entry point."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from editor_app.core import feature
from editor_app.core.formats import registry
from editor_app.core.resources import manual_folder


def files_of_the_manual(package: str) -> dict[str, str]:
    """The modules of the plug-in that the manual writes, by their paths in the package."""
    page = (manual_folder() / "plug-ins.md").read_text(encoding="utf-8").replace("\\_", "_")
    modules = re.findall(
        rf"^## {package}/([\w/]+\.py): .*?^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL
    )
    return dict(modules)


@contextmanager
def installed_plug_in(folder: Path, package: str, files: Mapping[str, str]) -> Iterator[None]:
    """Install a plug-in of the name `package` into `folder`, which is on the path meanwhile."""
    for name, text in {"__init__.py": "", **files}.items():
        path = folder / package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        for parent in path.parents:
            if parent == folder:
                break
            (parent / "__init__.py").touch()
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8"
    )
    (info / "entry_points.txt").write_text(
        f"[{feature.GROUP}]\n{package} = {package}\n", encoding="utf-8"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        _forget(package)
        try:
            yield
        finally:
            patch.undo()
            _forget(package)


def _forget(package: str) -> None:
    """Look for plug-ins anew."""
    importlib.invalidate_caches()
    feature.installed_features.cache_clear()
    registry.foreign_codecs.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        del sys.modules[name]
