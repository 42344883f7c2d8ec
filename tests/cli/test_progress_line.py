"""The progress line of commands on a terminal: share, time that is left, sentence; empty when the
work is over."""

from __future__ import annotations

import io

import pytest

from editor_app.cli import _progress


class Terminal(io.StringIO):
    encoding = "utf-8"  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True


def open_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Make standard error a terminal; in the test itself, because pytest sets standard error again
    before each test."""
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("LINES", "24")
    return stream


def test_the_line_shows_share_remaining_time_and_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = open_terminal(monkeypatch)
    now = [100.0]
    monkeypatch.setattr("editor_app.cli._progress.time.monotonic", lambda: now[0])
    with _progress.progress_bar() as show:
        now[0] = 130.0
        show(0.25, "Fitting\x1b[31m upper_arm_link: " + "x" * 100)
        now[0] = 130.01
        show(0.26, "too early to be drawn")
    first, last = terminal.getvalue().split("\r")[1:3]
    assert first.startswith("[######                  ]  25 %   1:30  Fitting\\x1b[31m up")
    assert len(first) == 59
    assert last == " " * 59
    assert "too early" not in terminal.getvalue()


def test_an_unknown_share_has_an_empty_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = open_terminal(monkeypatch)
    with _progress.progress_bar() as show:
        show(-1.0, "Reading")
    assert "[" + " " * 24 + "]" in terminal.getvalue()
    assert "%" not in terminal.getvalue()
