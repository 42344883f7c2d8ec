"""The text of a stage in the other forms of USD, by the extra `usd`."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from tempfile import TemporaryDirectory

from editor_app.core.libraries import install_command
from editor_app.core.model.findings import Location
from editor_app.core.text.source import FormatError

_TEXT, PACKAGE = ".usda", ".usdz"


def with_ending(text: str, output: Path) -> bytes:
    """The content of a file of this name: text for .usda, a package for .usdz, else a crate. Raises FormatError."""
    ending = output.suffix.lower()
    if ending == _TEXT:
        return text.encode()
    if importlib.util.find_spec("pxr") is None:
        message = f"Writing {ending} needs the package usd-core"
        fix = f"Install it with: {install_command('usd')}, or name the output *{_TEXT}."
        raise FormatError(message, Location(str(output)), fix)
    from pxr import Sdf, UsdUtils

    layer = Sdf.Layer.CreateAnonymous(_TEXT)
    if not layer.ImportFromString(text):
        raise FormatError("OpenUSD does not read the stage", Location(str(output)), f"Name the output *{_TEXT}.")
    with TemporaryDirectory(prefix="xrdf-editor-") as folder:
        # Brackets in a name mean a file inside a package.
        crate, package = Path(folder, "robot.usdc"), Path(folder, "robot.usdz")
        layer.Export(str(crate))
        if ending != PACKAGE:
            return crate.read_bytes()
        UsdUtils.CreateNewUsdzPackage(str(crate), str(package))
        return package.read_bytes()
