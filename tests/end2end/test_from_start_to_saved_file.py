"""From the start of the process to the saved file, by real X events: a sphere is dragged, only its
span changes."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.helpers import screenshots, x11

ROOT = Path(__file__).resolve().parents[2]

URDF = """<robot name="one">
  <link name="base"/>
  <link name="arm"/>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 0.2"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>
"""

XRDF = """# Written by hand: every byte of it stays.
format: "xrdf"
format_version: 1.0

default_joint_positions: { turn: 0.0 }   # home

cspace:
  joint_names: [ "turn" ]
  acceleration_limits: [ 1.0e1 ]
  jerk_limits: [ 500 ]

tool_frames: [ arm ]

collision: { geometry: balls }
self_collision:
  geometry: balls

unknown_key: kept

geometry:
  balls:
    spheres:
      base:
        - {center: [0.0, 0.0, 0.0], radius: 0.1}    # the only one
"""


@pytest.fixture
def desktop() -> Iterator[x11.Desktop]:
    missing = x11.missing_programs()
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    with x11.Desktop(1280, 720) as desktop:
        yield desktop


def shows_the_view(picture: screenshots.Picture) -> bool:
    """Whether the picture has the view's shaded background; that of the pages before it is of one
    colour."""
    top, bottom = (
        picture[:20].astype(int).mean(axis=(0, 1)),
        picture[-80:-60].astype(int).mean(axis=(0, 1)),
    )
    return bool(np.abs(top - bottom).max() > 6)


def sphere_place(
    picture: screenshots.Picture, background: screenshots.Picture
) -> tuple[float, float]:
    """Middle of what is there in `picture` and not in `background`, in pixels."""
    different = np.abs(picture.astype(int) - background.astype(int)).max(axis=2) > 24
    rows, columns = np.nonzero(different)
    assert len(rows) > 200, "no sphere is to be seen"
    return float(np.median(columns)), float(np.median(rows))


def test_drag_a_sphere_and_save(desktop: x11.Desktop, tmp_path: Path) -> None:
    urdf, xrdf = tmp_path / "one.urdf", tmp_path / "one.xrdf"
    urdf.write_text(URDF)
    xrdf.write_bytes(XRDF.encode())
    config = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "PYTHONPATH": str(ROOT)}
    program = desktop.start(
        [sys.executable, "-P", "-m", "editor_app", str(urdf), str(xrdf)], env=config
    )
    window = desktop.wait_for_window(r"one\.xrdf – one\.urdf – XRDF Editor", 90)
    desktop.focus(window)
    desktop.resize(window, 1280, 700)
    x, y, *_ = desktop.position(window)
    # The view lies between the docks; the switches at its left edge and the orientation widget are
    # left out.
    left, right, top, bottom = x + 360, x + 850, y + 120, y + 500

    def view(name: str) -> screenshots.Picture:
        return desktop.picture(tmp_path / name)[top:bottom, left:right]

    def steady() -> bool:
        first = view("a.png")
        return shows_the_view(first) and screenshots.changed_share(first, view("b.png")) == 0.0

    def pressed(before: screenshots.Picture) -> screenshots.Picture:
        """S shows and hides the spheres: what it changes in the picture is the sphere."""
        desktop.key("s")
        x11.wait_for(lambda: screenshots.changed_share(before, view("now.png")) > 0.002, 30, 0.3)
        x11.wait_for(steady, 30, 0.3)
        return view("then.png")

    x11.wait_for(lambda: shows_the_view(view("a.png")), 90, 0.5)
    # The first click, as soon as the view is to be seen, is not lost: its keys work.
    desktop.click((left + right) / 2, (top + bottom) / 2)
    x11.wait_for(steady, 60, 0.5)
    without = pressed(view("with.png"))
    pressed(without)
    column, row = sphere_place(view("again.png"), without)
    start = (left + column, top + row)
    # Not from the middle, where the handles of a selected sphere stand.
    desktop.key("ctrl+shift+a")
    desktop.drag(start, (start[0] + 70, start[1] - 40))
    x11.wait_for(lambda: desktop.has_window(r"one\.xrdf\*"), 20)
    desktop.key("ctrl+s")
    x11.wait_for(lambda: xrdf.read_bytes() != XRDF.encode(), 20)
    x11.wait_for(lambda: not desktop.has_window(r"one\.xrdf\*"), 20)

    after = xrdf.read_bytes().decode()
    pattern = re.escape(XRDF).replace(
        re.escape("[0.0, 0.0, 0.0]"), r"\[([-\d.e]+), ([-\d.e]+), ([-\d.e]+)\]"
    )
    centre = re.fullmatch(pattern, after)
    assert centre is not None, f"more than the sphere's centre changed:\n{after}"
    moved = np.array([float(value) for value in centre.groups()])
    assert 0.01 < np.linalg.norm(moved) < 1.0

    desktop.key("ctrl+q")
    assert program.wait(30) == 0
