"""From the start of the process to the first complete frame of a robot, and the memory with it
open.

    python -m tests.bench.bench_start [--robot ROBOT.urdf] [--runs 5]

needs a display (xvfb-run -a -s "-screen 0 1920x1080x24" on a server). Bare is a script that imports
pyvistaqt and draws the same meshes, already decoded. Warm is a second opening of the robot, cold
one with an empty cache of meshes.

Other programs disturb a run, so bare and ours take turns, and what counts is the median of the
ratios of neighbours: of wall time, and of CPU seconds (of the process and all its children, Linux
only), which other programs disturb less. One run of each comes first and does not count: it brings
the files into memory and fills the caches of compiled modules, fonts and meshes.
"""

from __future__ import annotations

import argparse
import os
import pickle
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from statistics import median
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

BARE = """
import sys, pickle
from PySide6.QtWidgets import QApplication, QMainWindow
app = QApplication([])
from pyvistaqt import QtInteractor
import pyvista as pv
window = QMainWindow()
plotter = QtInteractor(window, auto_update=False, multi_samples=0)
window.setCentralWidget(plotter)
window.resize(1280, 720)
for vertices, faces, rgba in pickle.load(open(sys.argv[1], "rb")):
    mesh = pv.PolyData.from_regular_faces(vertices, faces)
    plotter.add_mesh(mesh, color=rgba[:3] if rgba is not None else "lightgrey", smooth_shading=True, render=False)
plotter.reset_camera()
window.show()
drawn = []
plotter.ren_win.AddObserver("EndEvent", lambda *_: drawn.append(1))
while not drawn:
    app.processEvents()
app.processEvents()
print("READY", flush=True)
sys.stdin.readline()
plotter.close()
"""

#: The application as `xrdf-editor FILE` starts it; told of the view only to know when its frame is
#: complete.
OURS = """
import sys, time
started = time.perf_counter()
def tell(what):
    print("STEP", what, round(time.perf_counter() - started, 3), flush=True)
from editor_app.window import app as application
from editor_app.window.main_window import MainWindow
tell("imports")
def watch(window, view):
    tell("view made")
    def ready():
        if window.session.has_robot and window.meshes.finished_once:
            print("READY", flush=True)
    view.first_frame_drawn.connect(lambda: tell("first frame"))
    view.complete_frame_drawn.connect(ready)
begin = MainWindow.__init__
def __init__(self, *arguments):
    begin(self, *arguments)
    tell("window made")
    self.meshes.finished_once = False
    def finished():
        self.meshes.finished_once = True
        tell("meshes loaded")
    self.meshes.finished.connect(finished)
    self.session.document_opened.connect(lambda _: tell("document opened"))
    self.viewport_ready.connect(lambda view: watch(self, view))
MainWindow.__init__ = __init__
sys.exit(application.main(sys.argv[1:]))
"""


@dataclass(frozen=True)
class Figure:
    wall: float
    cpu: float
    rss: float
    #: Resident and shared with no other program.
    unshared: float
    steps: tuple[str, ...]


def _tree(root: int) -> list[int]:
    """A process and its descendants."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(fields[1]), []).append(int(entry.name))
    processes = [root]
    for process in processes:
        processes.extend(parents.get(process, ()))
    return processes


def _cpu_and_memory(root: int) -> tuple[float, float, float]:
    """CPU seconds, and MB of the root process alone: all that is resident, and what it shares with
    nobody."""
    tick = os.sysconf("SC_CLK_TCK")
    cpu = 0.0
    for process in _tree(root):
        try:
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        cpu += sum(map(int, fields[11:15])) / tick
    pages = {}
    for line in Path(f"/proc/{root}/smaps_rollup").read_text().splitlines()[1:]:
        name, size, _ = line.split()
        pages[name] = int(size) / 1024
    return cpu, pages["Rss:"], pages["Private_Clean:"] + pages["Private_Dirty:"]


def run(code: str, arguments: list[str], env: dict[str, str]) -> Figure:
    """Starts a program, waits for its READY, ends it."""
    steps: list[str] = []
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=env,
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if line.startswith("READY"):
                wall = time.perf_counter() - started
                return Figure(wall, *_cpu_and_memory(process.pid), tuple(steps))
            if line.startswith("STEP"):
                steps.append(line[5:].strip())
        raise SystemExit("the program ended before its first frame")
    finally:
        process.kill()
        process.wait()


def meshes_of(urdf: Path) -> list[object]:
    """(vertices, faces, rgba) of every visual part, in the frame of its link."""
    from editor_app.core.formats.urdf import read_urdf
    from editor_app.core.space.geometry.link_geometry import link_geometry
    from editor_app.core.text.source import SourceText

    robot = read_urdf(SourceText.read(urdf)).value
    return [
        (part.vertices, part.faces, part.rgba)
        for link in robot.links
        for part in link_geometry(robot, urdf, link, "visual").parts
    ]


def _robot() -> Path:
    shared = ROOT.parent / "shared" / "robots" / "ur10e" / "ur10e.urdf"
    if shared.is_file():
        return shared
    from editor_app.core.resources import bundled

    sample = bundled()
    assert sample is not None
    return sample


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--robot", type=Path, default=_robot())
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        env = os.environ | {
            "PYTHONPATH": str(ROOT),
            # Of its own and filled by the runs that do not count: source that changed is compiled
            # only once.
            "PYTHONPYCACHEPREFIX": f"{folder}/pycache",
            # Not in the cache that is emptied for the cold runs: matplotlib looks through all fonts
            # when it is gone.
            "MPLCONFIGDIR": f"{folder}/matplotlib",
            "XRDF_EDITOR_CACHE": f"{folder}/cache",
            "XDG_CONFIG_HOME": f"{folder}/config",
            "XDG_DATA_HOME": f"{folder}/data",
            "XDG_STATE_HOME": f"{folder}/state",
        }
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["XRDF_EDITOR_CACHE"] = f"{folder}/other cache"
        parts = Path(folder) / "parts.pickle"
        parts.write_bytes(pickle.dumps(meshes_of(options.robot)))
        figures: dict[str, list[Figure]] = {"bare": [], "warm": [], "cold": []}

        def turn(name: str) -> None:
            if name == "cold":
                rmtree(f"{folder}/cache")
            code, argument = (BARE, parts) if name == "bare" else (OURS, options.robot)
            figures[name].append(run(code, [str(argument)], env))

        turn("bare")
        turn("warm")
        for counted in figures.values():
            counted.clear()
        for _ in range(options.runs):
            for name in figures:
                turn(name)
            # The cold run filled the cache again.
    print(f"{options.robot.name}: process start to first complete frame, medians of {options.runs}")
    for name, runs in figures.items():
        wall, cpu = median(f.wall for f in runs), median(f.cpu for f in runs)
        pairs = list(zip(runs, figures["bare"], strict=True))
        wall_ratio, cpu_ratio = (
            median(f.wall / b.wall for f, b in pairs),
            median(f.cpu / b.cpu for f, b in pairs),
        )
        rss, unshared = median(f.rss for f in runs), median(f.unshared for f in runs)
        print(
            f"  {name:5} wall {wall:6.2f} s ({wall_ratio:4.2f} x)   cpu {cpu:6.2f} s "
            f"({cpu_ratio:4.2f} x)"
            f"   resident {rss:4.0f} MB, {unshared:4.0f} of it not shared"
        )
    quiet = min(figures["warm"], key=lambda f: f.wall)
    print("  steps of the quickest warm run (s since Python runs): " + ", ".join(quiet.steps))


if __name__ == "__main__":
    main()
