"""An X server without a screen (Xvfb), and whether there is a real display to draw on."""

from __future__ import annotations

import os
import re
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO


class NoVirtualDisplay(RuntimeError):
    """Xvfb is not installed, or did not start; the message says which, with what it printed."""


class VirtualDisplay:
    """An Xvfb of one's own, on a display number that the server picks. Use as a context manager, or
    start and stop."""

    def __init__(self, width: int = 1920, height: int = 1080) -> None:
        self.size = (width, height)
        self._process: subprocess.Popen[bytes] | None = None
        self.name = ""

    def start(self, timeout: float = 20.0) -> str:
        """Start the server and return its DISPLAY name. Raises NoVirtualDisplay."""
        with tempfile.TemporaryFile() as log:
            number = self._start_process(log, timeout)
            if not number.isdigit():
                self.stop()
                log.seek(0)
                raise NoVirtualDisplay(
                    f"Xvfb did not start: {log.read().decode(errors='replace').strip()}"
                )
        self.name = f":{number}"
        return self.name

    def _start_process(self, log: IO[bytes], timeout: float) -> str:
        """Starts the server with its messages in `log`; what it answered as its display's
        number."""
        read_end, write_end = os.pipe()
        width, height = self.size
        # With -noreset the server outlives its first client; -nolisten keeps it off the network.
        command = [
            "Xvfb",
            "-displayfd",
            str(write_end),
            "-screen",
            "0",
            f"{width}x{height}x24",
            "-dpi",
            "96",
        ]
        command += ["-noreset", "-nolisten", "tcp", "+extension", "GLX", "+extension", "RANDR"]
        try:
            self._process = subprocess.Popen(command, pass_fds=(write_end,), stdout=log, stderr=log)
        except OSError as error:
            os.close(read_end)
            raise NoVirtualDisplay(f"Xvfb cannot be started: {error}") from error
        finally:
            os.close(write_end)
        number = _read_line(read_end, time.monotonic() + timeout)
        os.close(read_end)
        return number

    def stop(self) -> None:
        """End the server; its clients lose their display, so end them first."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    def environment(self, base: Mapping[str, str] | None = None) -> dict[str, str]:
        """`base` (default: this process's) with this display and no other; software rendering, as
        there is no GPU."""
        env = dict(os.environ if base is None else base)
        for key in (
            "WAYLAND_DISPLAY",
            "XAUTHORITY",
            "QT_QPA_PLATFORM",
            "QT_SCALE_FACTOR",
            "QT_SCREEN_SCALE_FACTORS",
        ):
            env.pop(key, None)
        env.update(
            DISPLAY=self.name,
            QT_QPA_PLATFORM="xcb",
            XDG_SESSION_TYPE="x11",
            LIBGL_ALWAYS_SOFTWARE="1",
        )
        return env

    def __enter__(self) -> VirtualDisplay:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def _read_line(descriptor: int, deadline: float) -> str:
    text = b""
    while not text.endswith(b"\n"):
        ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))
        chunk = os.read(descriptor, 64) if ready else b""
        if not chunk:
            break
        text += chunk
    return text.decode().strip()


def display_available(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether a window can appear: always on Windows and macOS, else when an X or Wayland server
    answers."""
    if not sys.platform.startswith("linux"):
        return True
    if environ.get("WAYLAND_DISPLAY") and _wayland_answers(environ):
        return True
    return _x_answers(environ.get("DISPLAY", ""))


def _wayland_answers(environ: Mapping[str, str]) -> bool:
    path = Path(environ.get("XDG_RUNTIME_DIR", "/nonexistent")) / environ["WAYLAND_DISPLAY"]
    return _connects(socket.AF_UNIX, str(path))


def _x_answers(display: str) -> bool:
    match = re.fullmatch(r"(?:(?P<host>[^:/]*)(?:/unix)?)?:(?P<number>\d+)(?:\.\d+)?", display)
    if match is None:
        # macOS-style socket paths and other spellings: leave the judgement to Qt.
        return bool(display)
    host, number = match["host"] or "", int(match["number"])
    if host in ("", "unix"):
        path = f"/tmp/.X11-unix/X{number}"
        return _connects(socket.AF_UNIX, path) or _connects(socket.AF_UNIX, "\0" + path)
    return _connects(socket.AF_INET, (host, 6000 + number))


def _connects(family: int, address: str | tuple[str, int]) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(address)
        except OSError:
            return False
    return True
