"""Windows come up with their whole frame on the screen: the first, the next, one of a larger
screen."""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers import x11

ROOT = Path(__file__).resolve().parents[2]
SCREEN = (1280, 760)

PROGRAM = """
import sys
from PySide6.QtCore import QByteArray, QSettings
from editor_app.window.app import make_application
from editor_app.window.settings import LAYOUT_VERSION, Settings
from editor_app.window.main_window import MainWindow

app = make_application()
MainWindow.start_background = lambda self, **_: None
settings = Settings(QSettings(sys.argv[1], QSettings.Format.IniFormat))
window = MainWindow(settings)
if len(sys.argv) > 2:
    window.docks.dock("links").hide()
    settings.set_layout(QByteArray.fromHex(sys.argv[2].encode()), window.saveState(LAYOUT_VERSION))
    window.docks.dock("links").show()
else:
    window.resize(window.screen().availableGeometry().size())
settings.store.setValue("manual/geometry", QByteArray.fromHex(sys.argv[2].encode() if len(sys.argv) > 2 else b""))
window.show()
print("shown", window.docks.dock("links").isHidden(), flush=True)
app.exec()
"""


@pytest.fixture(scope="module")
def desktop() -> Iterator[x11.Desktop]:
    missing = x11.missing_programs()
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    with x11.Desktop(*SCREEN) as desktop:
        yield desktop


def geometry_of(screen_width: int, left: int, top: int, width: int, height: int) -> str:
    """What QWidget.saveGeometry (format 3.0) remembers of a window on a screen of that width, in
    hexadecimals."""
    rect = (left, top, left + width - 1, top + height - 1)
    return struct.pack(
        ">IHH4i4ii??i4i", 0x1D9D0CB, 3, 0, *rect, *rect, 0, False, False, screen_width, *rect
    ).hex()


def is_whole(desktop: x11.Desktop, window: int) -> bool:
    x, y, width, height = desktop.frame(window)
    has_title_bar = height > desktop.position(window)[3]
    return (
        has_title_bar and x >= 0 and y >= 0 and x + width <= SCREEN[0] and y + height <= SCREEN[1]
    )


@pytest.mark.parametrize(
    "remembered",
    [None, geometry_of(3840, 1800, 900, 1900, 1200)],
    ids=["as large as the screen", "on a much larger screen"],
)
def test_title_bars_are_on_the_screen(
    desktop: x11.Desktop, tmp_path: Path, remembered: str | None
) -> None:
    arguments = [str(tmp_path / "settings.ini"), *([remembered] if remembered else [])]
    program = desktop.start(
        [sys.executable, "-P", "-c", PROGRAM, *arguments],
        env={"XDG_CONFIG_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
        stdout=-1,
    )
    assert program.stdout is not None
    said = program.stdout.readline().split()
    # The panels are where they were left, whatever the screen.
    assert said == [b"shown", str(remembered is not None).encode()]
    first = desktop.wait_for_window("^XRDF Editor$")
    x11.wait_for(lambda: is_whole(desktop, first), 60)
    desktop.focus(first)
    desktop.key("ctrl+shift+n")
    x11.wait_for(lambda: len(desktop.windows("^XRDF Editor$")) == 2, 60)
    for window in desktop.windows("^XRDF Editor$"):
        x11.wait_for(lambda window=window: is_whole(desktop, window), 60)  # type: ignore[misc]
    desktop.focus(first)
    desktop.key("F1")
    manual = desktop.wait_for_window("^Manual")
    x11.wait_for(lambda: is_whole(desktop, manual), 60)
    program.terminate()
    program.wait(60)
    program.stdout.close()
