"""The text of a stage in the other forms of USD, by the extra `usd`."""

from __future__ import annotations

import importlib.util
import struct
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile, ZipInfo

from editor_app.core.libraries import install_command
from editor_app.core.model.findings import Location
from editor_app.core.text.source import FormatError

_TEXT, PACKAGE = ".usda", ".usdz"
#: The file inside a package.
_CRATE = "robot.usdc"


def with_ending(text: str, output: Path) -> bytes:
    """The content of a file of this name: text for .usda, a package for .usdz, else a crate. Raises
    FormatError."""
    ending = output.suffix.lower()
    if ending == _TEXT:
        return text.encode()
    if importlib.util.find_spec("pxr") is None:
        message = f"Writing {ending} needs the package usd-core"
        fix = f"Install it with: {install_command('usd')}, or name the output *{_TEXT}."
        raise FormatError(message, Location(str(output)), fix)
    from pxr import Sdf

    layer = Sdf.Layer.CreateAnonymous(_TEXT)
    if not layer.ImportFromString(text):
        raise FormatError(
            "OpenUSD does not read the stage", Location(str(output)), f"Name the output *{_TEXT}."
        )
    with TemporaryDirectory(prefix="xrdf-editor-") as folder:
        crate = Path(folder, _CRATE)
        layer.Export(str(crate))
        data = crate.read_bytes()
    return _packed(data) if ending == PACKAGE else data


def _packed(crate: bytes) -> bytes:
    """Return a package of one file: a ZIP without compression, whose data begin at a multiple of 64
    bytes.

    OpenUSD's own function writes the time of the file, so no two packages would have the same
    bytes.
    """
    info = ZipInfo(_CRATE)
    info.create_system = 3
    # Behind 30 bytes of header, the name, and the 4 bytes of this field itself.
    padding = -(30 + len(_CRATE) + 4) % 64
    info.extra = struct.pack(f"<HH{padding}x", 0x1986, padding)
    package = BytesIO()
    with ZipFile(package, "w") as archive:
        archive.writestr(info, crate)
    return package.getvalue()
