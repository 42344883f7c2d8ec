"""A desktop for end-to-end tests: an X server with a window manager, and real input events by
xdotool."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from virtual_display import VirtualDisplay

from tests.helpers.screenshots import Picture, grab_screen

T = TypeVar("T")


def missing_programs() -> list[str]:
    """Programs that are needed and not installed; a test skips with these as the reason."""
    return [
        name for name in ("Xvfb", "openbox", "xdotool", "xwininfo") if shutil.which(name) is None
    ]


class Desktop:
    """Xvfb with openbox, for one test. Programs are started in it with `start`, and ended with
    it."""

    def __init__(self, width: int = 1920, height: int = 1080) -> None:
        self._display = VirtualDisplay(width, height)
        self._programs: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Desktop:
        self._display.start()
        self.env = self._display.environment()
        self.start(
            ["openbox", "--sm-disable"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        # Without a manager windows are neither focused nor placed: wait until it has announced
        # itself.
        wait_for(
            lambda: (
                "_NET_SUPPORTING_WM_CHECK(WINDOW)"
                in self._ask("xprop", "-root", "_NET_SUPPORTING_WM_CHECK")
            )
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for program in reversed(self._programs):
            program.terminate()
            try:
                program.wait(timeout=10)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()
        self._display.stop()

    @property
    def name(self) -> str:
        return self._display.name

    def start(
        self, command: list[str], env: Mapping[str, str] | None = None, **options: object
    ) -> subprocess.Popen[bytes]:
        """Start a program on this desktop; `env` is added to the environment."""
        program = subprocess.Popen(command, env=self.env | dict(env or {}), **options)  # type: ignore[call-overload]
        self._programs.append(program)
        return program

    def wait_for_window(self, title: str, timeout: float = 60.0) -> int:
        """The id of a visible window whose title matches the regular expression."""
        return int(wait_for(lambda: self._search("--name", title), timeout).split()[0])

    def windows(self, title: str) -> list[int]:
        """The ids of all visible windows whose title matches the regular expression."""
        return [int(item) for item in self._search("--name", title).split()]

    def window_titles(self) -> list[str]:
        """Titles of all visible windows."""
        return [
            self._ask("xdotool", "getwindowname", str(item)).strip() for item in self.windows(".")
        ]

    def has_window(self, title: str) -> bool:
        return bool(self._search("--name", title))

    def focus(self, window: int) -> None:
        self.do("windowactivate", "--sync", window)

    def resize(self, window: int, width: int, height: int) -> None:
        self.do("windowsize", "--sync", window, width, height)

    def position(self, window: int) -> tuple[int, int, int, int]:
        """x, y, width and height of a window's inside, in pixels of the screen."""
        text = self._ask("xwininfo", "-id", str(window))
        fields = ("Absolute upper-left X", "Absolute upper-left Y", "Width", "Height")
        x, y, width, height = (int(re.search(rf"{name}:\s+(-?\d+)", text)[1]) for name in fields)  # type: ignore[index]
        return x, y, width, height

    def frame(self, window: int) -> tuple[int, int, int, int]:
        """x, y, width and height of a window with the frame that the manager drew around it; waits
        for the frame."""
        left, right, top, bottom = wait_for(lambda: self._extents(window))
        x, y, width, height = self.position(window)
        return x - left, y - top, width + left + right, height + top + bottom

    def _extents(self, window: int) -> tuple[int, ...]:
        """Widths of the frame at the left, right, top and bottom; empty while the manager has drawn
        none."""
        return tuple(
            map(
                int,
                re.findall(r"\d+", self._ask("xprop", "-id", str(window), "_NET_FRAME_EXTENTS")),
            )
        )

    def move(self, x: float, y: float) -> None:
        """Move the pointer to a place on the screen."""
        # Not --sync: it waits for a change, for 15 s when the pointer is there already. X keeps the
        # order of events.
        self.do("mousemove", round(x), round(y))

    def click(
        self, x: float, y: float, button: int = 1, modifiers: tuple[str, ...] = (), repeat: int = 1
    ) -> None:
        """Click at a place, with keys such as "ctrl" or "shift" held; `repeat=2` is a double
        click."""
        self.move(x, y)
        with_keys = [word for key in modifiers for word in ("keydown", key)]
        without = [word for key in modifiers for word in ("keyup", key)]
        self.do(*with_keys, "click", "--repeat", repeat, "--delay", 60, button, *without)

    def drag(
        self,
        start: tuple[float, float],
        end: tuple[float, float],
        button: int = 1,
        modifiers: tuple[str, ...] = (),
        steps: int = 12,
    ) -> None:
        """Press at `start`, move to `end` in steps as a hand does, release."""
        self.move(*start)
        for key in modifiers:
            self.do("keydown", key)
        self.do("mousedown", button)
        for step in range(1, steps + 1):
            share = step / steps
            self.move(*(a + (b - a) * share for a, b in zip(start, end, strict=True)))
            time.sleep(0.02)
        self.do("mouseup", button)
        for key in modifiers:
            self.do("keyup", key)

    def wheel(self, x: float, y: float, steps: int) -> None:
        """Turn the wheel over a place: positive steps away from the user."""
        self.move(x, y)
        self.do("click", "--repeat", abs(steps), "--delay", 30, 4 if steps > 0 else 5)

    def key(self, *names: str) -> None:
        """Press and release keys by X names, e.g. "ctrl+s", "Escape"."""
        self.do("key", "--clearmodifiers", "--delay", 40, *names)

    def type(self, text: str) -> None:
        self.do("type", "--clearmodifiers", "--delay", 20, text)

    def picture(self, path: Path) -> Picture:
        """The whole screen, written to `path`."""
        return grab_screen(path, self.name)

    def do(self, *words: object) -> None:
        """One xdotool command line. Raises CalledProcessError when it is refused."""
        subprocess.run(
            ["xdotool", *map(str, words)], env=self.env, check=True, timeout=30, capture_output=True
        )

    def _search(self, *words: str) -> str:
        return self._ask("xdotool", "search", "--onlyvisible", *words).strip()

    def _ask(self, *command: str) -> str:
        finished = subprocess.run(
            command, env=self.env, capture_output=True, text=True, timeout=30, check=False
        )
        return finished.stdout


def wait_for(condition: Callable[[], T], timeout: float = 20.0, pause: float = 0.05) -> T:
    """The first true value of `condition`. Raises TimeoutError, with the last value, after
    `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"nothing came within {timeout} s; last: {value!r}")
        time.sleep(pause)
    return value
