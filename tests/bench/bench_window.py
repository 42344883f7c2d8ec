"""What a step of the mouse costs in the whole window, all panels open, beside a step of the camera and a bare window.

    python -m tests.bench.bench_window [--robot ROBOT.urdf] [--spheres N] [--profile]

needs a display (xvfb-run -a -s "-screen 0 1920x1080x24" on a server). CPU time of the window's process; the render
is taken out of every step and reported beside it. A step is one move of the mouse and everything that follows until the
window has nothing left to do at once.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

STEPS = 40


class Frames:
    """Counts what VTK draws, and how much CPU time it takes."""

    def __init__(self, render_window: Any) -> None:
        self.count = 0
        self.seconds = 0.0
        self._began = 0.0
        render_window.AddObserver("StartEvent", self._start)
        render_window.AddObserver("EndEvent", self._end)

    def _start(self, *_: Any) -> None:
        self._began = time.process_time()

    def _end(self, *_: Any) -> None:
        self.count += 1
        self.seconds += time.process_time() - self._began


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robot", type=Path, default=None, help="default: the bundled sample")
    parser.add_argument("--spheres", type=int, default=0, help="add so many, spread over the links")
    parser.add_argument("--profile", action="store_true", help="show where the time of the sphere's drag goes")
    options = parser.parse_args()
    from tests.helpers.isolation import isolate_home

    isolate_home()
    from PySide6.QtWidgets import QApplication

    app = QApplication(sys.argv[:1])
    robot = (options.robot or Path(__file__).resolve().parents[2] / "resources" / "sample" / "heron.urdf").resolve()
    with tempfile.TemporaryDirectory() as folder:
        measure(app, Path(folder), robot, options.spheres, options.profile)
    return 0


def measure(app: Any, folder: Path, robot: Path, spheres: int, profile: bool) -> None:
    from tests.helpers.windows import open_window, wait_until

    with open_window(folder, robot, viewport=True, size=(1600, 1000)) as window:
        wait_until(lambda: window.viewport is not None and not window.meshes.is_loading, 120)
        if spheres:
            add_spheres(window, spheres)
        for dock in ("joints", "findings", "self-collision", "history", "source"):
            window.docks.show(dock)
        rest(app, 3.0)
        frames = Frames(window.viewport.canvas.ren_win)
        count = len(window.viewport.scene.table.refs)
        print(f"{robot.stem}: {len(window.session.robot.urdf.links)} links, {count} spheres")
        orbit = run(app, frames, lambda k: turn(window, k))
        show("camera", orbit, None)
        joint = window.session.tree.independent[0]
        show("joint slider", run(app, frames, lambda k: window.session.set_joint(joint, 0.01 * k)), orbit)
        rest(app, 1.0)
        profiler = cProfile.Profile() if profile else None
        show("sphere's drag", drag(app, window, frames, profiler), orbit)
        if profiler is not None:
            pstats.Stats(profiler).sort_stats("cumulative").print_stats(60)
        rest(app, 2.0)


def turn(window: Any, step: int) -> None:
    window.viewport.scene.camera.orbit(4.0, 0.0)
    window.viewport.canvas.redraw()


def drag(app: Any, window: Any, frames: Frames, profiler: cProfile.Profile | None) -> list[tuple[float, float, int]]:
    from PySide6.QtCore import QPointF, Qt

    from editor_app.gui.viewport.drags import MoveDrag

    view = window.viewport
    table = view.scene.table
    from editor_app.edit.selection import Selection

    ref = table.refs[len(table.refs) // 2]
    window.session.select(Selection(spheres=(ref,)))
    rest(app, 0.5)
    screen = view.scene.camera.project(table.world[table.row[ref]])[0]
    start = QPointF(float(screen[0]), float(screen[1]))
    motion = MoveDrag(window.session, view.scene, start, ref, None, view.interaction._label)

    def step(number: int) -> None:
        motion.move(start + QPointF(number + 1, number % 5), Qt.KeyboardModifier.NoModifier)

    if profiler is not None:
        profiler.enable()
    steps = run(app, frames, step)
    if profiler is not None:
        profiler.disable()
    motion.finish()
    return steps


def run(app: Any, frames: Frames, act: Callable[[int], None]) -> list[tuple[float, float, int]]:
    """Per step: CPU seconds without the render, CPU seconds of the render, frames drawn."""
    steps = []
    for number in range(STEPS):
        drawn, rendered, began = frames.count, frames.seconds, time.process_time()
        act(number)
        # A hand moves the mouse some sixty times a second: what waits longer than that is not part of the step.
        until = time.monotonic() + 0.016
        while time.monotonic() < until:
            app.processEvents()
        render = frames.seconds - rendered
        steps.append((time.process_time() - began - render, render, frames.count - drawn))
    return steps[5:]


def show(name: str, steps: list[tuple[float, float, int]], orbit: list[tuple[float, float, int]] | None) -> None:
    own = median(s[0] for s in steps)
    line = f"  {name:14} {own * 1e3:6.1f} ms beside the render's {median(s[1] for s in steps) * 1e3:6.1f} ms"
    line += f", {sum(s[2] for s in steps) / len(steps):.2f} frames a step"
    line += f", longest {max(s[0] for s in steps) * 1e3:.0f} ms"
    if orbit is not None:
        line += f"; above the camera's step {(own - median(s[0] for s in orbit)) * 1e3:+.1f} ms"
    print(line)


def rest(app: Any, seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        app.processEvents()


def add_spheres(window: Any, count: int) -> None:
    """Spheres on every link that has a mesh: what a drag has to carry along."""
    from editor_app.edit.commands import AddSpheres
    from editor_app.edit.commands.several import AllOf
    from editor_app.model.xrdf import CollisionSphere

    session = window.session
    links = [link.name for link in session.robot.urdf.links if link.visuals or link.collisions]
    each = max(1, count // len(links))
    group = session.active_group
    changes = tuple(
        AddSpheres(group, link, tuple(CollisionSphere((0.01 * k, 0.0, 0.0), 0.02) for k in range(each)))
        for link in links
    )
    session.execute(AllOf(changes, "Add spheres"))


if __name__ == "__main__":
    sys.exit(main())
