"""Asking where a missing file is: a mesh of the robot, or a layer or model that an imported file
names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from PySide6.QtWidgets import QWidget

from editor_app.core.space.geometry.paths import mapping_for, package_of
from editor_app.window import dialogs
from editor_app.window.settings import MeshFolder, MeshFolders


def choose_folder_of(parent: QWidget | None, name: str, beside: Path | None) -> Path | None:
    """The folder that the user chose for a file called `name`; None for none. `beside`: the file
    that names it."""
    package, file = package_of(name), PurePosixPath(name).name
    title = f"Folder of the package {package}, with {file}" if package else f"Folder with {file}"
    chosen = dialogs.choose_folder(parent, title, str(beside.parent) if beside is not None else "")
    return Path(chosen) if chosen else None


def remember_folder(
    folders: MeshFolders, names: Sequence[str], folder: Path, beside: Path | None
) -> MeshFolder | None:
    """Remember the folder for the first of `names` that is in it; None where it holds none of
    them."""
    mapping = next(
        (mapping for name in names if (mapping := mapping_for(name, folder)) is not None), None
    )
    return None if mapping is None else folders.remember(mapping[0], str(mapping[1]), beside)


def not_in_folder(name: str, folder: Path) -> str:
    """The sentence for a folder that does not hold the file."""
    return f"{PurePosixPath(name).name} was not found in {folder} or below it (expected at {name})."
