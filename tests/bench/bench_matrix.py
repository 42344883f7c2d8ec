"""What a click into the matrix and an edited radius cost in the window, against one repaint that
cannot be avoided.

    python -m tests.bench.bench_matrix [--robot ROBOT.urdf]

needs a display (xvfb-run -a -s "-screen 0 1920x1080x24" on a server). CPU time of the window's own
process; what the 3D view draws afterwards is measured beside it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.timing import report

#: Goals in seconds.
CLICK, EDIT = 0.1, 0.05


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--robot",
        type=Path,
        default=None,
        help="with an XRDF beside it; the sample robot otherwise",
    )
    arguments = parser.parse_args()
    from tests.helpers.isolation import isolate_home

    isolate_home()
    from PySide6.QtWidgets import QApplication

    app = QApplication(sys.argv[:1])
    return measure(app, arguments.robot)


def measure(app: Any, robot: Path | None) -> int:
    from tests.helpers.masks import compute, mask_window

    with (
        tempfile.TemporaryDirectory() as folder,
        mask_window(Path(folder), robot, viewport=True) as window,
    ):
        panel = compute(window)
        view = window.viewport
        assert view is not None
        spend(app, 2.0)
        matrix, controller, session = panel.matrix, window.self_collision.controller, window.session
        assert controller.analysis is not None
        pairs = [e for e in controller.analysis if e.witness is not None and e.clearance_min < 0.0][
            :8
        ]

        render = cpu(lambda: view.canvas.ren_win.Render(), 10)
        repaint = cpu(lambda: painted(matrix.viewport()), 20)
        clicks = []
        for evidence in pairs:
            clicks.append(cpu(partial(click, panel, evidence.pair), 1))
            controller.back()
            spend(app, 0.1)
        ref = controller.analysis.model.refs[0]
        group = session.robot.xrdf.group(ref.group)
        assert group is not None
        sphere = group.spheres[ref.frame][ref.index]
        edits = [cpu(partial(edit, session, matrix, ref, sphere, i), 1) for i in range(8)]
        print(f"{len(controller.analysis)} pairs, {len(controller.analysis.model.spheres)} spheres")
        report("repaint of the matrix", repaint)
        report("render of the 3D view", render)
        report("click: pair selected, robot posed, matrix and pane", median(clicks), repaint)
        report("  the same against a render of the 3D view", median(clicks), render)
        report("radius edited: its row in matrix and list", median(edits), repaint)
        good = median(clicks) <= CLICK and median(edits) <= EDIT
        print(f"goals: {CLICK * 1e3:.0f} ms, {EDIT * 1e3:.0f} ms: {'kept' if good else 'MISSED'}")
    return 0 if good else 1


def click(panel: Any, pair: Any) -> None:
    """Until the robot stands there and the matrix is painted; the 3D view draws when its turn
    comes."""
    from tests.helpers import masks

    masks.click(panel, pair)
    painted(panel.matrix.viewport())
    painted(panel.pane)


def edit(session: Any, matrix: Any, ref: Any, sphere: Any, step: int) -> None:
    from editor_app.core.document.commands.spheres import SetSpheres

    session.execute(
        SetSpheres(((ref, replace(sphere, radius=sphere.radius * (1.01 + 0.01 * step))),))
    )
    painted(matrix.viewport())


def painted(widget: Any) -> None:
    """Draws a widget, and nothing else of its window: to put that on the screen is a render of the
    3D view, too."""
    from PySide6.QtGui import QImage

    image = QImage(widget.size(), QImage.Format.Format_RGB32)
    widget.render(image)


def cpu(act: Callable[[], object], count: int) -> float:
    """Median CPU seconds of a call."""
    seconds = []
    for _ in range(count):
        began = time.process_time()
        act()
        seconds.append(time.process_time() - began)
    return median(seconds)


def spend(app: Any, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        app.processEvents()
        time.sleep(0.005)


if __name__ == "__main__":
    sys.exit(main())
