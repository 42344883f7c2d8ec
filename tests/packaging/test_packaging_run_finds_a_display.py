"""A display counts when a server answers there, not when a variable is set; a virtual one can stand
in."""

from __future__ import annotations

import shutil
import subprocess
import sys

import environment
import pytest
import virtual_display

from editor_app import __main__

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="X11 is a matter of Linux")
needs_xvfb = pytest.mark.skipif(shutil.which("Xvfb") is None, reason="Xvfb is not installed")


@linux
@pytest.mark.parametrize("display", ["", ":4711", ":4711.0", "unix:4711", "localhost:4711.0"])
def test_a_variable_alone_is_no_display(display: str) -> None:
    assert not virtual_display.display_available({"DISPLAY": display})


@linux
def test_a_stale_wayland_variable_is_no_display(tmp_path: object) -> None:
    assert not virtual_display.display_available(
        {"WAYLAND_DISPLAY": "wayland-9", "XDG_RUNTIME_DIR": str(tmp_path)}
    )


@linux
@needs_xvfb
def test_virtual_displays_answer_side_by_side_and_go_away() -> None:
    with (
        virtual_display.VirtualDisplay(320, 240) as one,
        virtual_display.VirtualDisplay(320, 240) as two,
    ):
        assert one.name != two.name
        assert virtual_display.display_available({"DISPLAY": one.name})
        assert virtual_display.display_available({"DISPLAY": two.name + ".0"})
        assert one.environment({"WAYLAND_DISPLAY": "w", "A": "b"})["DISPLAY"] == one.name
        assert "WAYLAND_DISPLAY" not in one.environment({"WAYLAND_DISPLAY": "w"})
    assert not virtual_display.display_available({"DISPLAY": one.name})


@linux
def test_a_missing_server_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(virtual_display.NoVirtualDisplay, match="Xvfb"):
        virtual_display.VirtualDisplay().start()


def test_a_file_that_is_not_there_is_told_before_anything_is_set_up() -> None:
    command = [sys.executable, str(environment.ROOT / "packaging" / "run.py"), "no/such/robot.urdf"]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert finished.returncode == 2
    assert "no such file" in finished.stderr
    assert "robot.urdf" in finished.stderr


@linux
def test_the_window_without_a_display_is_refused_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SystemExit):
        __main__.main([])
    assert "the window needs a display" in capsys.readouterr().err
