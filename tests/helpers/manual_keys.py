"""The manual's page about keys and mouse, made from the actions of a window as it comes.

`python -m tests.helpers.manual_keys` writes it anew (it needs a screen); a test compares.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from editor_app.window.actions.keys_dialog import keys_page
from editor_app.window.app import make_application
from editor_app.window.main_window import MainWindow
from editor_app.window.viewport.navigation import MouseScheme
from tests.helpers.manual_pages import MANUAL
from tests.helpers.windows import open_window, wait_until

PAGE = MANUAL / "keys.md"


def page_of(window: MainWindow) -> str:
    """The page for the keys that actions come with, as portable texts. The 3D view of the window
    has to be there."""
    window.make_actions()
    return keys_page(window.registry, MouseScheme.EDITOR, native=False)


def main() -> None:
    """Writes the page."""
    make_application()
    with (
        tempfile.TemporaryDirectory() as folder,
        open_window(Path(folder), viewport=True) as window,
    ):
        window.load_viewport()
        wait_until(lambda: window.viewport is not None, 60.0)
        PAGE.write_text(page_of(window), encoding="utf-8")


if __name__ == "__main__":
    main()
