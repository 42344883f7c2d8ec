"""How much of a drag, a pose and the first frame is the application's own, against what VTK needs
to draw.

    python tests/bench/bench_viewport.py [--robot ROBOT.urdf]

needs a display (xvfb-run -a -s "-screen 0 1920x1080x24" on a server). Prints one line per figure.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

#: What only imports pyvistaqt and draws the same meshes, one actor per part, in the plainest way.
BARE = """
import sys, time, pickle
started = time.perf_counter()
from PySide6.QtWidgets import QApplication, QMainWindow
app = QApplication([])
from pyvistaqt import QtInteractor
import pyvista as pv
import numpy as np
window = QMainWindow()
plotter = QtInteractor(window, auto_update=False, multi_samples=0)
window.setCentralWidget(plotter)
window.resize(1280, 720)
for vertices, faces, rgba in pickle.load(open(sys.argv[1], "rb")):
    mesh = pv.PolyData.from_regular_faces(vertices, faces)
    plotter.add_mesh(mesh, color=rgba[:3] if rgba is not None else "lightgrey", render=False)
plotter.reset_camera()
window.show()
drawn = []
plotter.ren_win.AddObserver("EndEvent", lambda *_: drawn.append(1))
while not drawn:
    app.processEvents()
app.processEvents()
print("SECONDS", time.perf_counter() - started)
plotter.close()
"""

OURS = """
import sys, time, pickle
started = time.perf_counter()
sys.path.insert(0, sys.argv[3])
from PySide6.QtWidgets import QApplication, QMainWindow
app = QApplication([])
from editor_app.window.start import import_view
Viewport = import_view().Viewport
from editor_app.window.session import Session
from editor_app.core.document.opening import open_document
from tests.bench.bench_viewport import GivenMeshes
session = Session()
meshes = GivenMeshes(pickle.load(open(sys.argv[2], "rb")))
window = QMainWindow()
view = Viewport(session, meshes)
window.setCentralWidget(view)
window.resize(1280, 720)
session.open(open_document(sys.argv[1]))
drawn = []
view.complete_frame_drawn.connect(lambda: drawn.append(1))
view.expect_complete_frame()
window.show()
while not drawn:
    app.processEvents()
app.processEvents()
print("SECONDS", time.perf_counter() - started)
view.shutdown()
"""

XRDF_HEAD = """format: xrdf
format_version: 1.0
cspace: {joint_names: [j0], acceleration_limits: [10.0], jerk_limits: [500.0]}
collision: {geometry: balls}
self_collision: {geometry: balls}
geometry:
  balls:
    spheres:
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    shared = ROOT.parent / "shared" / "robots" / "ur10e" / "ur10e.urdf"
    default = shared if shared.is_file() else ROOT / "resources" / "sample" / "heron.urdf"
    parser.add_argument("--robot", type=Path, default=default)
    parser.add_argument(
        "--skip-start", action="store_true", help="leave out the two fresh processes"
    )
    arguments = parser.parse_args()
    from PySide6.QtWidgets import QApplication

    app = QApplication.instance() or QApplication([])
    with TemporaryDirectory() as folder:
        drag_step(app, Path(folder), moved=1)
        drag_step(app, Path(folder), moved=100)
    pose_update(app, arguments.robot)
    if not arguments.skip_start:
        first_frame(arguments.robot)
    return 0


def drag_step(app: Any, folder: Path, moved: int) -> None:
    """One move of the mouse while spheres are dragged: 30 links, 2,000 spheres, `moved` of them
    selected."""
    import numpy as np
    from PySide6.QtCore import QPointF, Qt

    from editor_app.core.document.opening import open_document
    from editor_app.core.document.selection import Selection
    from editor_app.window.viewport.drags import MoveDrag

    urdf, xrdf = many_spheres(30, 2000)
    (folder / "many.urdf").write_text(urdf)
    (folder / "many.xrdf").write_text(xrdf)
    session, view, window = show(app, lambda: open_document(folder / "many.urdf"), {})
    table = view.scene.table
    session.select(Selection(spheres=table.refs[:: len(table.refs) // moved][:moved]))
    ref = session.selection.spheres[-1]
    screen = view.scene.camera.project(table.world[table.row[ref]])[0]
    start = QPointF(float(screen[0]), float(screen[1]))
    drag = MoveDrag(view.interaction.hand, start, ref, None)
    beside_render, render = [], []
    for k in range(60):
        at = start + QPointF(k + 1, (k % 7) - 3)
        began = time.perf_counter()
        drag.move(at, Qt.KeyboardModifier.NoModifier)
        beside_render.append(time.perf_counter() - began)
        began = time.perf_counter()
        view.canvas.ren_win.Render()
        render.append(time.perf_counter() - began)
    drag.finish()
    report(
        f"drag step, 30 links, 2,000 spheres, {moved} moved",
        beside_render[5:],
        render[5:],
        goal=0.002,
    )
    picks = timed(lambda: view.scene.aim.pick(*np.random.default_rng(0).uniform(100, 600, 2)), 200)
    print(f"  pick under the pointer among them: {median(picks) * 1e3:.3f} ms")
    close(app, view, window)


def pose_update(app: Any, robot: Path) -> None:
    """A joint slider: kinematics and everything that follows, but the render."""
    from editor_app.core.document.opening import open_document

    session, view, window = show(app, lambda: open_document(robot), load(robot))
    joint = session.tree.independent[1]
    beside_render, render = [], []
    for k in range(60):
        began = time.perf_counter()
        session.set_joint(joint, -0.5 + 0.01 * k)
        beside_render.append(time.perf_counter() - began)
        began = time.perf_counter()
        view.canvas.ren_win.Render()
        render.append(time.perf_counter() - began)
    report(f"pose update of {robot.stem}", beside_render[5:], render[5:])
    close(app, view, window)


def first_frame(robot: Path) -> None:
    """From the start of a warm process to the first complete frame, against the bare cost of
    pyvistaqt."""
    import pickle

    meshes = load(robot)
    with TemporaryDirectory() as folder:
        bare, ours = Path(folder) / "bare.pickle", Path(folder) / "ours.pickle"
        parts = [p for (_, kind), listed in meshes.items() if kind == "visual" for p in listed]
        bare.write_bytes(pickle.dumps([(p[0], p[1], p[2]) for p in parts]))
        ours.write_bytes(pickle.dumps(meshes))
        times: dict[str, list[float]] = {"bare": [], "ours": []}
        for _ in range(4):
            times["bare"].append(run(BARE, str(bare), compiled=folder))
            times["ours"].append(run(OURS, str(robot), str(ours), str(ROOT), compiled=folder))
    least = {name: min(seconds[1:]) for name, seconds in times.items()}
    ratio = least["ours"] / least["bare"]
    print(f"first complete frame of {robot.stem}, warm: {least['ours']:.2f} s; bare pyvistaqt with the same meshes "
          f"{least['bare']:.2f} s; ratio {ratio:.2f} (goal <= 1.3)")  # fmt: skip


def run(program: str, *arguments: str, compiled: str) -> float:
    """Seconds that a program tells. `compiled`: a folder for its bytecode, which an installed
    program has."""
    env = os.environ | {"PYTHONPYCACHEPREFIX": compiled}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-c", program, *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    for line in result.stdout.splitlines():
        if line.startswith("SECONDS"):
            return float(line.split()[1])
    raise RuntimeError(result.stderr[-2000:])


def report(
    name: str, beside_render: list[float], render: list[float], goal: float | None = None
) -> None:
    text = f"{name}: own share {median(beside_render) * 1e3:.2f} ms"
    if goal is not None:
        text += f" (goal <= {goal * 1e3:.0f} ms)"
    print(
        f"{text}; VTK's render {median(render) * 1e3:.1f} ms; ratio "
        f"{median(beside_render) / median(render):.3f}"
    )


def timed(act: Callable[[], object], count: int) -> list[float]:
    seconds = []
    for _ in range(count):
        began = time.perf_counter()
        act()
        seconds.append(time.perf_counter() - began)
    return seconds


def show(
    app: Any, document: Callable[[], Any], meshes: dict[tuple[str, str], Any]
) -> tuple[Any, Any, Any]:
    from PySide6.QtWidgets import QMainWindow

    from editor_app.window.session import Session
    from editor_app.window.viewport.view import Viewport

    session = Session()
    window = QMainWindow()
    view = Viewport(session, GivenMeshes(meshes))
    window.setCentralWidget(view)
    window.resize(1280, 720)
    session.open(document())
    window.show()
    for _ in range(5):
        app.processEvents()
    return session, view, window


def close(app: Any, view: Any, window: Any) -> None:
    view.shutdown()
    window.close()
    window.deleteLater()
    app.processEvents()


def load(robot: Path) -> dict[tuple[str, str], list[tuple[Any, Any, Any]]]:
    """(link, kind) -> [(vertices, faces, rgba)] of a robot."""
    from editor_app.core.document.opening import open_document
    from editor_app.core.space.geometry.link_geometry import link_geometry

    urdf = open_document(robot).robot.urdf
    parts = {}
    for link in urdf.links:
        for kind in ("visual", "collision"):
            geometry = link_geometry(urdf, robot, link.name, kind, {})
            parts[link.name, kind] = [(p.vertices, p.faces, p.rgba) for p in geometry.parts]
    return parts


class _Part:
    texture = uv = None

    def __init__(self, vertices: Any, faces: Any, rgba: Any) -> None:
        self.vertices, self.faces, self.rgba = vertices, faces, rgba


class _Geometry:
    def __init__(self, parts: list[_Part]) -> None:
        self.parts = parts


class _Silent:
    def connect(self, slot: object) -> None: ...
    def disconnect(self, slot: object) -> None: ...


class GivenMeshes:
    """A mesh store that has everything already."""

    geometry_changed = _Silent()

    def __init__(self, meshes: dict[tuple[str, str], list[tuple[Any, Any, Any]]]) -> None:
        self._meshes = {key: _Geometry([_Part(*p) for p in parts]) for key, parts in meshes.items()}

    def geometry(self, link: str, kind: str) -> _Geometry | None:
        return self._meshes.get((link, kind))


def many_spheres(links: int, spheres: int) -> tuple[str, str]:
    """A chain of links, and an XRDF with as many spheres on them."""
    import random

    rng = random.Random(1)
    parts = ['<robot name="many">']
    lines = [XRDF_HEAD]
    for i in range(links):
        parts.append(
            f'<link name="l{i}"><visual><geometry><box size="0.1 0.1 '
            '0.1"/></geometry></visual></link>'
        )
        if i:
            parts.append(
                f'<joint name="j{i - 1}" type="revolute"><parent link="l{i - 1}"/><child '
                f'link="l{i}"/>'
                '<origin xyz="0 0.02 0.12" rpy="0.05 0 0"/><axis xyz="0 1 0"/>'
                '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
            )
        lines.append(f"      l{i}:\n")
        for _ in range(spheres // links + (i < spheres % links)):
            x, y, z = (rng.uniform(-0.08, 0.08) for _ in range(3))
            lines.append(f"        - {{center: [{x:.4f}, {y:.4f}, {z:.4f}], radius: 0.02}}\n")
    parts.append("</robot>")
    return "\n".join(parts), "".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
