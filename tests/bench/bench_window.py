"""What a step of the mouse costs in the whole window, all panels open, beside a step of the camera
and a bare window.

    python -m tests.bench.bench_window [ROBOT …] [--spheres N] [--profile STEP]

ROBOT is a URDF, or one of ur10, g1, talos and pr2 (the default: all of them, from
example-robot-data). Needs a display (xvfb-run -a -s "-screen 0 1920x1080x24" on a server). CPU time
of the window's thread; the render is taken out of every step and reported beside it. A step is one
move of the mouse and everything that follows until the window has nothing left to do. Spheres that
a robot has not got are put near its surfaces, once, into the system's temporary folder.

`gap` is the longest turn of the event loop in 40 steps, less the camera's: what the window's own
code does in one go. Frames are counted against bare pyvistaqt windows with the same meshes moving,
in turns (goal: 0.8 of one as large).
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

STEPS = 40
#: A turn of the event loop that takes less has nothing to do (seconds).
IDLE = 0.0005
#: What follows a step is over when nothing was done for so long; more is not waited for (seconds).
QUIET, LONGEST = 2.0, 60.0
#: Name -> (URDF below example-robot-data's `robots`, spheres).
ROBOTS = {
    "ur10": ("ur_description/urdf/ur10_robot.urdf", 20),
    "g1": ("g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf", 400),
    "talos": ("talos_data/robots/talos_full_v2.urdf", 300),
    "pr2": ("pr2_description/urdf/pr2.urdf", 400),
}


#: Seconds by the clock, seconds of CPU in all threads.
Frame = tuple[float, float]


@dataclass
class Step:
    """Seconds of CPU without the render, seconds of the render, frames drawn.

    `turn`: seconds of the longest turn of the event loop, without render and composition.
    """

    beside_render: float
    render: float
    frames: int
    turn: float
    #: Seconds by the clock, from the move to the end of what follows.
    wall: float


class Frames:
    """Counts what VTK draws, and how much CPU time of this thread it takes; Qt's composition of it
    beside that."""

    def __init__(self, canvas: Any) -> None:
        self.count = 0
        self.seconds = self.composed = 0.0
        self._began = self._composing = 0.0
        self._is_drawing = False
        canvas.ren_win.AddObserver("StartEvent", self._start)
        canvas.ren_win.AddObserver("EndEvent", self._end)
        # The driver may finish the frame before when the next one begins.
        canvas.ren_win.AddObserver("WindowMakeCurrentEvent", self._start, 1.0)
        canvas.ren_win.AddObserver("WindowMakeCurrentEvent", self._finish, -1.0)
        canvas.aboutToCompose.connect(self._compose)
        canvas.frameSwapped.connect(self._swapped)
        self._blit, canvas._blit = canvas._blit, self._copy

    def _start(self, _: Any, event: str) -> None:
        if not self._is_drawing:
            self._began = time.thread_time()
        self._is_drawing |= event == "StartEvent"

    def _finish(self, *_: Any) -> None:
        if not self._is_drawing:
            self.seconds += time.thread_time() - self._began

    def _end(self, *_: Any) -> None:
        self._is_drawing = False
        self.count += 1
        self._finish()

    def _copy(self, *arguments: Any) -> None:
        # A driver without a GPU may draw here what VTK asked for before.
        self._began = time.thread_time()
        self._blit(*arguments)
        self._finish()

    def _compose(self) -> None:
        self._composing = time.thread_time()

    def _swapped(self) -> None:
        self.composed += time.thread_time() - self._composing


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("robots", nargs="*", metavar="ROBOT")
    parser.add_argument("--spheres", type=int, default=None, help="put so many near the surfaces")
    parser.add_argument(
        "--profile", choices=["slider", "pose", "drag", "release"], help="show where its time goes"
    )
    options = parser.parse_args()
    from tests.helpers.isolation import isolate_home

    isolate_home()
    from PySide6.QtWidgets import QApplication

    app = QApplication(sys.argv[:1])
    for name in options.robots or list(ROBOTS):
        urdf, spheres = prepared(name, options.spheres)
        with tempfile.TemporaryDirectory() as folder:
            measure(app, Path(folder), urdf, spheres, options.profile)
    return 0


def prepared(name: str, number: int | None) -> tuple[Path, Path | None]:
    """The URDF of a robot, and the XRDF with spheres that was made for it, if one had to be."""
    if name in ROBOTS:
        from tests.helpers.robots import example_robots

        urdf, usual = example_robots() / ROBOTS[name][0], ROBOTS[name][1]
        number = number or usual
    else:
        urdf = Path(name).resolve()
    if not number:
        return urdf, None
    xrdf = Path(tempfile.gettempdir()) / f"xrdf-editor-bench-{urdf.stem}-{number}.xrdf"
    if not xrdf.is_file():
        scatter(urdf, xrdf, number)
    return urdf, xrdf


def scatter(urdf: Path, xrdf: Path, number: int) -> None:
    """Writes an XRDF with so many spheres just below the surfaces, spread over the links with a
    mesh."""
    import numpy as np

    import editor_app
    from editor_app.core.model.xrdf import CollisionSphere
    from editor_app.core.space.geometry.link_geometry import link_geometry
    from tests.helpers.robots import example_mappings

    document = editor_app.open_robot(urdf)
    points = {}
    for link in document.robot.urdf.links:
        parts = link_geometry(
            document.robot.urdf, urdf, link.name, "visual", example_mappings()
        ).parts
        if parts:
            points[link.name] = np.concatenate([part.vertices for part in parts])
    changes: list[Any] = [editor_app.commands.AddGroup("bench")]
    rng = np.random.default_rng(0)
    for place, (frame, vertices) in enumerate(points.items()):
        count = number // len(points) + (place < number % len(points))
        if not count:
            continue
        taken = vertices[rng.choice(len(vertices), count)]
        inside = taken + 0.4 * (vertices.mean(axis=0) - taken)
        size = float(np.ptp(vertices, axis=0).max())
        spheres = tuple(
            CollisionSphere(tuple(p), round(0.08 * size + 0.002, 5))
            for p in inside.round(5).tolist()
        )
        changes.append(editor_app.commands.AddSpheres("bench", frame, spheres))
    changes += [
        editor_app.commands.SetCollisionGeometry(kind, "bench")
        for kind in ("world_collision", "self_collision")
    ]
    document.execute(editor_app.commands.AllOf(tuple(changes), "Spheres"))
    part = xrdf.with_suffix(".part")
    editor_app.save(document, part)
    shutil.move(part, xrdf)


def measure(app: Any, folder: Path, urdf: Path, xrdf: Path | None, profile: str | None) -> None:
    from tests.helpers.windows import open_window, wait_until

    with open_window(
        folder, urdf if xrdf is None else None, viewport=True, size=(1600, 1000)
    ) as window:
        if xrdf is not None:
            assert window.files.open(urdf, xrdf)
        wait_until(lambda: window.viewport is not None and window.session.has_robot, 120)
        wait_until(lambda: not window.meshes.is_loading, 120)
        for dock in ("joints", "findings", "self-collision", "history", "source"):
            window.docks.show(dock)
        # The distances of the overlaps wake, findings come, and links without figures are measured.
        wait_until(lambda: window.self_collision.live.is_ready, 900)
        rest(app, 4.0)
        view, robot = window.viewport, window.session.robot
        assert view is not None
        bench = Bench(app, window, Frames(view.canvas), profile)
        print(f"{urdf.stem}: {len(robot.urdf.links)} links, {len(view.scene.table)} spheres")
        bench.all()
        rest(app, 1.0)


class Bench:
    """The steps in one window."""

    def __init__(self, app: Any, window: Any, frames: Frames, profile: str | None) -> None:
        self.app, self.window, self.frames, self.profile = app, window, frames, profile
        self.orbit: list[Step] = []

    def all(self) -> None:
        # The first turn makes coarse copies of the meshes, where the machine draws slowly.
        self.run(self.turn)
        rest(self.app, 3.0)
        self.orbit = self.run(self.turn)
        self.tell("camera", self.orbit)
        session = self.window.session
        joint = session.tree.independent[0]
        self.tell("joint slider", self.run(lambda k: session.set_joint(joint, 0.01 * k), "slider"))
        rest(self.app, 1.0)
        self.pose()
        rest(self.app, 1.0)
        self.drag()
        rest(self.app, 1.0)
        self.against_bare(joint)

    def turn(self, step: int) -> None:
        self.window.viewport.scene.move_camera(
            lambda: self.window.viewport.scene.camera.orbit(4.0, 0.0)
        )

    def pose(self) -> None:
        """A link is dragged in the view, with the tool for posing."""
        from PySide6.QtCore import QPointF, Qt

        view = self.window.viewport
        view.set_tool("pose")
        layer = view.scene.visuals
        tree = self.window.session.tree
        movable = [
            j.child for j in tree.joints if j.name in tree.independent and j.child in layer.links
        ]
        link = movable[len(movable) // 2]
        point = layer.bounds_points([link])[0].mean(axis=0)
        at = view.scene.camera.project(point)[0]
        start = QPointF(float(at[0]), float(at[1]))
        motion = view.interaction.poser.joint_drag(link, point, start)
        if motion is None:
            return
        modifiers = Qt.KeyboardModifier.NoModifier
        steps = self.run(lambda k: motion.move(start + QPointF(k + 1, k % 5), modifiers), "pose")
        motion.finish()
        view.set_tool("select")
        self.tell("link posed", steps)

    def drag(self) -> None:
        """A sphere is dragged in the view, then let go."""
        from PySide6.QtCore import QPointF, Qt

        from editor_app.core.document.selection import Selection
        from editor_app.window.viewport.drags import MoveDrag

        view = self.window.viewport
        table = view.scene.table
        ref = table.refs[len(table.refs) // 2]
        self.window.session.select(Selection(spheres=(ref,)))
        rest(self.app, 1.0)
        at = view.scene.camera.project(table.world[table.row[ref]])[0]
        start = QPointF(float(at[0]), float(at[1]))
        motion = MoveDrag(view.interaction.hand, start, ref, None)
        modifiers = Qt.KeyboardModifier.NoModifier
        steps = self.run(lambda k: motion.move(start + QPointF(k + 1, k % 5), modifiers), "drag")
        self.tell("sphere's drag", steps)
        began = time.perf_counter()
        released = self.profiled("release", lambda: [self.step(motion.finish), *self.rest_of_it()])
        self.tell("its release", released[:1])
        turns = sorted((s.turn * 1e3 for s in released[1:] if s.turn > 5 * IDLE), reverse=True)
        seconds, longest = (
            time.perf_counter() - began,
            ", ".join(f"{turn:.0f}" for turn in turns[:6]) or "0",
        )
        print(
            f"    what follows in {seconds:.1f} s: {sum(turns):.0f} ms; longest turns {longest} ms "
            "(goal <= 50)"
        )

    def against_bare(self, joint: str) -> None:
        """Frames while a joint moves, beside the frames of a bare window as large as this one, in
        turns of ten steps.

        By the clock, which another program on the machine disturbs, and by the CPU time of all
        threads, as software OpenGL has them. Beside that a window as large as the view: Qt composes
        the whole window for every frame.
        """
        session, view = self.window.session, self.window.viewport
        for subject, size in (("window", self.window.size()), ("view", view.canvas.size())):
            bare = Bare(self.app, view, size)
            ours: list[Frame] = []
            theirs: list[Frame] = []
            bare.run(5)
            for _ in range(4):
                theirs += bare.run(10)
                self.window.raise_()
                moves = [partial(session.set_joint, joint, 0.01 * number) for number in range(15)]
                ours += [timed(partial(self.step, move)) for move in moves][5:]
            bare.close()
            for name, place in (("by the clock", 0), ("by CPU time", 1)):
                a, b = (1 / median(frame[place] for frame in frames) for frames in (ours, theirs))
                print(
                    f"  frames a second, {name}: {a:.1f}; bare, the size of the {subject}: "
                    f"{b:.1f}; ratio {a / b:.2f}"
                )

    def run(
        self, act: Callable[[int], object], name: str = "", *, skip: int = 5, count: int = STEPS
    ) -> list[Step]:
        return self.profiled(
            name, lambda: [self.step(partial(act, number)) for number in range(count)]
        )[skip:]

    def profiled(self, name: str, measure: Callable[[], list[Step]]) -> list[Step]:
        if not name or name != self.profile:
            return measure()
        profiler = cProfile.Profile(time.thread_time)
        profiler.enable()
        steps = measure()
        profiler.disable()
        pstats.Stats(profiler).sort_stats("cumulative").print_stats(110)
        return steps

    def rest_of_it(self) -> list[Step]:
        """Every turn of the event loop until nothing was done for a while: timers, threads and
        workers that report."""
        turns: list[Step] = []
        quiet = time.perf_counter() + QUIET
        until = time.perf_counter() + LONGEST
        while time.perf_counter() < min(quiet, until):
            turns.append(self.step(lambda: None))
            if turns[-1].turn > 5 * IDLE or self.is_busy:
                quiet = time.perf_counter() + QUIET
            time.sleep(0.002)
        return turns

    def step(self, act: Callable[[], object]) -> Step:
        frames = self.frames
        drawn, rendered, began, clock = (
            frames.count,
            frames.seconds,
            time.thread_time(),
            time.perf_counter(),
        )
        act()
        turns = [time.thread_time() - began]
        until = clock + 1.0
        while time.perf_counter() < until:
            before, drawing = time.thread_time(), frames.seconds + frames.composed
            worked = self.app.eventDispatcher().processEvents(EVENTS())
            turns.append(time.thread_time() - before - (frames.seconds + frames.composed - drawing))
            # What goes on by itself, as a worker's progress does, is not part of the step.
            if not worked or (turns[-1] < IDLE and frames.count > drawn):
                break
        wall = time.perf_counter() - clock
        render = frames.seconds - rendered
        return Step(
            time.thread_time() - began - render, render, frames.count - drawn, max(turns), wall
        )

    @property
    def is_busy(self) -> bool:
        """Whether something in the background will still report."""
        window = self.window
        return bool(window.jobs.running) or window.feed.is_busy or window.fitting.measuring.is_busy

    def gap(self, steps: list[Step]) -> float:
        """Milliseconds of the longest turn, less what a turn of the camera takes."""
        return max(0.0, max(s.turn for s in steps) - median(s.turn for s in self.orbit)) * 1e3

    def tell(self, name: str, steps: list[Step]) -> None:
        apart = median(s.beside_render for s in steps)
        line = (
            f"  {name:14} {apart * 1e3:6.1f} ms beside the render's "
            f"{median(s.render for s in steps) * 1e3:6.1f} ms"
        )
        line += f", {sum(s.frames for s in steps) / len(steps):.2f} frames a step"
        if steps is not self.orbit:
            line += (
                "; above the camera's "
                f"{(apart - median(s.beside_render for s in self.orbit)) * 1e3:+.1f} ms"
            )
            line += f"; gap {self.gap(steps):.0f} ms"
        print(line, flush=True)


def EVENTS() -> Any:
    from PySide6.QtCore import QEventLoop

    return QEventLoop.ProcessEventsFlag.AllEvents


class Bare:
    """A window that is a pyvistaqt view and nothing else, with the same meshes in their usual
    resolution."""

    def __init__(self, app: Any, view: Any, size: Any) -> None:
        from PySide6.QtWidgets import QMainWindow
        from pyvistaqt import QtInteractor
        from vtkmodules.vtkRenderingCore import vtkActor

        self.app, self.view = app, view
        self.window = QMainWindow()
        self.plotter = QtInteractor(self.window, auto_update=False, multi_samples=0)
        self.window.setCentralWidget(self.plotter)
        self.window.resize(size)
        self.actors = []
        for link, mesh in view.scene.visuals._links.items():
            for mapper in mesh._fine:
                copy = vtkActor()
                copy.SetMapper(type(mapper)())
                copy.GetMapper().ShallowCopy(mapper)
                self.plotter.renderer.AddActor(copy)
                self.actors.append((link, copy))
        self.frames = Frames(self.plotter)
        self.window.show()
        self.plotter.reset_camera()
        rest(app, 0.5)

    def run(self, count: int) -> list[Frame]:
        self.window.raise_()
        rest(self.app, 0.3)
        poses = dict(self.view.scene.poses)
        return [timed(partial(self.step, poses, number)) for number in range(count)]

    def step(self, poses: Any, step: int) -> None:
        from editor_app.window.viewport.vtk_tools import vtk_matrix

        drawn = self.frames.count
        for link, actor in self.actors:
            pose = poses[link].copy()
            pose[2, 3] += 0.002 * step
            actor.SetUserMatrix(vtk_matrix(pose))
        self.plotter.update()
        while self.frames.count == drawn or self.app.eventDispatcher().processEvents(EVENTS()):
            self.app.processEvents()

    def close(self) -> None:
        self.plotter.close()
        self.window.close()
        self.window.deleteLater()
        rest(self.app, 0.2)


def timed(act: Callable[[], object]) -> Frame:
    """What it takes by the clock, and of CPU time in all threads."""
    clock, cpu = time.perf_counter(), time.process_time()
    act()
    return time.perf_counter() - clock, time.process_time() - cpu


def rest(app: Any, seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        app.processEvents()
        time.sleep(0.002)


if __name__ == "__main__":
    sys.exit(main())
