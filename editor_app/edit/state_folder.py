"""The folder of the user's state: journals of sessions, records of saves."""

from __future__ import annotations

import os
from pathlib import Path


def state_folder() -> Path:
    """XRDF_EDITOR_STATE overrides what the system has for it."""
    override = os.environ.get("XRDF_EDITOR_STATE")
    if override:
        return Path(override)
    import platformdirs

    return Path(platformdirs.user_state_path("xrdf-editor", appauthor=False))
