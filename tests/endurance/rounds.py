"""Rounds of open, edit, fit, mask, cancel, close in one window: memory, descriptors, threads and
files stay flat.

One real window with its 3D view and workers; five robots take turns. What a round uses for the
first time stays (caches, panels, compiled code): figures count from the twentieth round on. Memory
is judged by the slope of a straight line through the later rounds, after a full collection each.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editor_app.core.document.commands.lists import InsertItem, set_item
from editor_app.core.tasks.heap import give_back
from tests.helpers import processes
from tests.helpers.isolation import isolate_home
from tests.helpers.robots import copy_of_sample, example_robots

#: Megabytes a round, and rounds that count as warming up.
FLAT, WARM = 0.05, 20
LONG = 300.0
_EXAMPLES = (
    "ur_description/urdf/ur5_robot.urdf",
    "panda_description/urdf/panda.urdf",
    "z1_description/urdf/z1.urdf",
    "kinova_description/robots/kinova.urdf",
)


@dataclass(frozen=True)
class Use:
    """What the process holds after a round; memory in MB."""

    memory: float
    descriptors: int
    threads: int
    children: int
    temporary_files: int
    objects: int


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--count", type=int, default=300, help="rounds")
    parser.add_argument("--every", type=int, default=20, help="rounds between two printed lines")


def run(options: argparse.Namespace) -> int:
    isolate_home()
    from editor_app.window.app import make_application

    application = make_application()
    uses = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XRDF_EDITOR_STATE"] = str(Path(folder) / "state")
        tempfile.tempdir = str(Path(folder) / "tmp")
        Path(tempfile.tempdir).mkdir()
        started = time.monotonic()
        for number, use in enumerate(rounds(Path(folder), options.count, options.seed), 1):
            uses.append(use)
            if number % options.every == 0 or number == 1:
                print(f"round {number:4}  {time.monotonic() - started:6.0f} s  {use}", flush=True)
    del application
    return judge(uses)


def judge(uses: list[Use]) -> int:
    """Prints the slope and what grew; 1 when something did."""
    later = uses[WARM:] if len(uses) > 2 * WARM else uses[len(uses) // 2 :]
    if len(later) < 2:
        return 0
    slope = statistics.linear_regression(range(len(later)), [use.memory for use in later]).slope
    print(f"memory: {slope:+.3f} MB a round over {len(later)} rounds")
    grown = [] if slope <= FLAT else ["memory"]
    for name in ("descriptors", "threads", "children", "temporary_files"):
        values = [getattr(use, name) for use in later]
        print(
            f"{name.replace('_', ' ')}: {min(values)} to {max(values)}, {values[0]} at first, "
            f"{values[-1]} at last"
        )
        third = len(values) // 3
        if statistics.mean(values[-third:]) > statistics.mean(values[:third]) + 1:
            grown.append(name)
    if grown:
        print(f"GROWS: {', '.join(grown)}", file=sys.stderr)
    return 1 if grown else 0


def rounds(folder: Path, count: int, seed: int) -> Iterator[Use]:
    """Plays the rounds, and yields what the process holds after each."""
    from tests.helpers.windows import open_window, wait_until

    rng = random.Random(seed)
    robots = list(_robots(folder / "robots"))
    with open_window(folder, viewport=True) as window:
        window.load_viewport()
        wait_until(lambda: window.viewport is not None, LONG)
        for number in range(count):
            _round(window, robots[number % len(robots)], rng)
            yield _use(folder)


def _robots(folder: Path) -> Iterator[Path]:
    yield copy_of_sample(folder / "sample")
    for name in _EXAMPLES:
        urdf = example_robots() / name
        # Where its meshes are found; nothing is saved.
        if urdf.is_file():
            yield urdf


def _round(window: Any, urdf: Path, rng: random.Random) -> None:
    from tests.helpers.windows import wait_until

    def settle() -> None:
        wait_until(lambda: not window.feed.is_busy and not window.meshes.is_loading, LONG)

    assert window.files.open(urdf, None)
    wait_until(lambda: not window.files.is_opening and window.session.has_robot, LONG)
    settle()
    session = window.session
    document = session.document
    for _ in range(3):
        link = rng.choice(document.robot.urdf.links).name
        if link not in (document.robot.xrdf.tool_frames or ()):
            session.execute(InsertItem("xrdf.tool_frames", link))
    joint = rng.choice([j for j in document.robot.urdf.joints if j.is_movable and j.mimic is None])
    session.execute(set_item("xrdf.default_joint_positions", joint.name, 0.1))
    session.undo()
    settle()
    _fit(window, rng, accept=rng.random() < 0.5)
    _mask(window, cancel=rng.random() < 0.7)
    while session.undo():
        pass
    session.open(None)
    wait_until(lambda: not window.fitting.fit_panel.is_busy and not window.jobs.running, LONG)
    settle()


def _fit(window: Any, rng: random.Random, *, accept: bool) -> None:
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    from editor_app.core.document.selection import Selection
    from tests.helpers.windows import wait_until

    links = window.fitting.context.links_with_mesh()
    if not links:
        return
    link = rng.choice(sorted(links))
    window.session.select(Selection(links=(link,)))
    window.registry.trigger("fit.links")
    panel = window.fitting.fit_panel
    panel.form.effort.setCurrentIndex(0)
    panel.form.amount.set_value(rng.randint(3, 8), "number")
    if accept:
        wait_until(lambda: panel.is_ready, LONG)
        QTest.keyClick(panel.form.amount.slider, Qt.Key.Key_Return)
    else:
        QTest.qWait(rng.randint(0, 400))
        QTest.keyClick(panel, Qt.Key.Key_Escape)


def _mask(window: Any, *, cancel: bool) -> None:
    from PySide6.QtTest import QTest

    from editor_app.features.masks.engine.results import AnalysisSettings
    from tests.helpers.windows import wait_until

    controller = window.self_collision.controller
    controller.settings = AnalysisSettings(2048, 3, 1.0)
    panel = window.self_collision.show_panel()
    if not panel.compute_button.isEnabled():
        return
    panel.compute_button.click()
    if cancel:
        QTest.qWait(150)
        controller.cancel()
    wait_until(lambda: not controller.is_running, LONG)


def _use(folder: Path) -> Use:
    gc.collect()
    # What the window does some seconds after a robot was closed.
    give_back()
    status = Path("/proc/self/status").read_text() if sys.platform == "linux" else ""
    fields = dict(line.split(":", 1) for line in status.splitlines())
    with contextlib.suppress(OSError):
        return Use(
            round(int(fields.get("VmRSS", "0 kB").split()[0]) / 1024, 1),
            len(list(Path("/proc/self/fd").iterdir())),
            int(fields.get("Threads", 0)),
            len(processes.children()),
            sum(1 for path in (folder / "tmp", folder / "state") for _ in path.rglob("*")),
            len(gc.get_objects()),
        )
    return Use(0, 0, 0, 0, 0, 0)
