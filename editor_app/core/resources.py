"""Location of the resources folder (next to the package in a checkout, inside it, `_resources`,
when installed), and the folder of the user's state."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


def resources_folder() -> Path:
    """The folder with the sample robot and the icons. Raises FileNotFoundError when the
    installation lacks it."""
    candidates = [_PACKAGE.parent / "resources", _PACKAGE / "_resources"]
    # PyInstaller unpacks data files below a folder of its own.
    bundle = getattr(sys, "_MEIPASS", None)
    if bundle is not None:
        candidates.insert(0, Path(bundle) / "resources")
    for folder in candidates:
        # Any package's parent may hold a folder of that common name; ours is known by what is in
        # it.
        if (folder / "sample" / "heron.urdf").is_file():
            return folder
    raise FileNotFoundError(
        f"the resources folder is missing; searched for {', '.join(map(str, candidates))}"
    )


def sample_robot() -> Path:
    """The URDF of the bundled sample robot; its XRDF and SRDF stand beside it under the same
    stem."""
    return resources_folder() / "sample" / "heron.urdf"


def bundled() -> Path | None:
    """Return `sample_robot`; None if the installation lacks its resources."""
    try:
        return sample_robot()
    except FileNotFoundError:
        return None


def manual_folder() -> Path:
    """The manual's Markdown and pictures. Raises FileNotFoundError when the installation lacks
    it."""
    folder = resources_folder() / "manual"
    if not (folder / "index.md").is_file():
        raise FileNotFoundError(f"no manual in {folder}")
    return folder


def changelog() -> Path:
    """CHANGELOG.md: at the root of a checkout, among the resources when installed. Raises
    FileNotFoundError."""
    folder = resources_folder()
    for path in (folder / "CHANGELOG.md", folder.parent / "CHANGELOG.md"):
        if path.is_file():
            return path
    raise FileNotFoundError(f"no CHANGELOG.md in {folder}")


def app_icon() -> Path:
    """The application's icon as SVG."""
    return resources_folder() / "icons" / "xrdf-editor.svg"


def icon_font() -> Path:
    """Return the font of the icons; `characters.json` next to it maps their names to its
    characters."""
    return resources_folder() / "icons" / "phosphor" / "phosphor.ttf"


def state_folder() -> Path:
    """XRDF_EDITOR_STATE overrides what the system has for it."""
    override = os.environ.get("XRDF_EDITOR_STATE")
    if override:
        return Path(override)
    import platformdirs

    return Path(platformdirs.user_state_path("xrdf-editor", appauthor=False))
